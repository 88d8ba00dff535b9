"""Networks of any depth, through torch."""

from toposwap.scores.torch.score import TorchMLP

__all__ = ["TorchMLP"]
