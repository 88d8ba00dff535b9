"""Tables of any kinds: one likelihood, with a block of parameters for each edge."""

from toposwap.scores.blocks.group import GroupBlocks
from toposwap.scores.blocks.score import Blocks

__all__ = ["Blocks", "GroupBlocks"]
