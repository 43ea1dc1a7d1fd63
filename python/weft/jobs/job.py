"""A job: a program, its hosts, when it starts and how often it is repeated."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from weft._numbers import counted
from weft._ranges import MOST_NS, require_whole
from weft.errors import InputError
from weft.replay import MOST_ADAPTERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft._core import Trace
    from weft.replay import ToldJob

__all__ = ["Job"]

_MOST_REPETITIONS = 2**32 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A program on hosts of its own, or on some that it shares with others.

    Attributes
    ----------
    name : str
        Name of the job, another than those beside it.
    program : Trace
        What its ranks do: :func:`weft.collective`, :func:`weft.read_trace` and their like.
    hosts : sequence of int
        Host of each rank; see :func:`weft.place_ranks`. With several adapters, all of each rank,
        one rank after another.
    start_ns : float
        When it starts, within 10,000 s.
    repetitions : int
        How often the program runs, each rank beginning again when it is at its end.
    region : str
        Part of the program, as :func:`weft.replay` takes it.
    algorithms : mapping of str to str
        Algorithm by collective operation.
    adapters : int
        Adapters of a rank, each a host; see :func:`weft.replay`.

    Raises
    ------
    InputError
        When there are not as many hosts as ranks, or a number is out of range.

    Examples
    --------
    >>> import weft
    >>> weft.Job("ring", weft.collective("allreduce", 4), [0, 1, 2, 3]).ranks
    4
    """

    name: str
    program: Trace
    hosts: Sequence[int]
    start_ns: float = 0.0
    repetitions: int = 1
    region: str = ".."
    algorithms: Mapping[str, str] = field(default_factory=dict)
    adapters: int = 1

    def __post_init__(self) -> None:
        """Refuse what no simulation could start."""
        require_whole(f"{self.name}: repetitions", self.repetitions, 1, _MOST_REPETITIONS)
        if not 0 <= self.start_ns <= MOST_NS:
            message = f"{self.name}: start_ns is {self.start_ns}; expected 0 to {MOST_NS:g}"
            raise InputError(message)
        require_whole(f"{self.name}: adapters", self.adapters, 1, MOST_ADAPTERS)
        if len(self.hosts) != self.ranks * self.adapters:
            of_each = "" if self.adapters == 1 else f" with {self.adapters} adapters each"
            hosts = counted(len(self.hosts), "host")
            found = f"{hosts} for {counted(self.ranks, 'rank')}{of_each}"
            message = f"{self.name}: {found}; expected one for each"
            raise InputError(message)

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self.program.rank_count

    def told(self) -> ToldJob:
        """Return it as the core takes it."""
        algorithms = dict(self.algorithms)
        return (self.program, self.region, algorithms, self.repetitions, self.adapters)
