"""What ranks are called: by their number, those of jobs by the job and their number in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["RankNames"]


class RankNames:
    """Names of the ranks of one program, or of jobs that ran beside one another.

    Parameters
    ----------
    ranks : int
        Number of all ranks.
    jobs : sequence of (str, int)
        Name and ranks of each job, in the order of all ranks; none of one program.
    """

    def __init__(self, ranks: int, jobs: Sequence[tuple[str, int]] = ()) -> None:
        self._jobs: list[tuple[str, int]] = []
        for name, count in jobs:
            self._jobs += [(f"{name}, ", len(self._jobs))] * count
        self._jobs += [("", 0)] * (ranks - len(self._jobs))

    def full(self, rank: int) -> str:
        """Name a rank."""
        job, _ = self._jobs[rank]
        return f"{job}rank {self.within(rank)}"

    def within(self, rank: int) -> int:
        """Return its number among those of its job."""
        return rank - self._jobs[rank][1]
