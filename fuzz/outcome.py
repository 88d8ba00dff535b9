"""What became of a case, in a form that goes from a worker to the campaign."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Outcome:
    """A case, how it ended, and what it broke.

    Attributes
    ----------
    kind, seed, index
        Which case it is; all that it depends on.
    ended
        "fitted", "refused", "done", "killed", ... ; the column of the table that counts it.
    broken
        The invariants that it broke, each with what is wrong.
    text
        The case in words.
    seconds
        How long it took.
    trace
        Where an error was raised.
    """

    kind: str
    seed: int
    index: int
    ended: str = ""
    broken: list[tuple[str, str]] = field(default_factory=list)
    text: str = ""
    seconds: float = 0.0
    trace: str = ""

    @property
    def replay(self) -> str:
        """The command that runs this case alone."""
        return f"python -m fuzz replay {self.kind} {self.seed}:{self.index}"
