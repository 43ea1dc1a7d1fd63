"""Programs built task by task: what ranks compute, send and receive, and what waits for what."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from weft import _core
from weft._files import write_text
from weft._ranges import MOST_NS, MOST_OF_32_BITS, require_whole
from weft.errors import InputError
from weft.traces import MOST_MESSAGE_BYTES

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from weft._core import Trace

__all__ = ["Program", "ProgramTask"]


@dataclass(frozen=True)
class ProgramTask:
    """Something that a rank of a :class:`Program` does, for others of it to wait for."""

    rank: int  #: The rank
    number: int  #: Which of its tasks it is, from 0
    _program: Program = field(repr=False, compare=False)


class Program:
    """What ranks do, task by task: a graph, to be given to :func:`weft.replay` or written as GOAL.

    A task begins when all it is ``after`` are over, and when all it is ``after_start`` have begun;
    without such, at once. What one *stream* of a rank does goes one after another, in the order in
    which it may begin; streams go side by side, as those of a GPU do.

    Parameters
    ----------
    ranks : int
        Number of ranks.

    Examples
    --------
    >>> import weft
    >>> program = weft.Program(2)
    >>> ready = program.compute(0, 5000)
    >>> sent = program.send(0, 1, 65536, after=ready)
    >>> got = program.receive(1, 0, 65536)
    >>> done = program.compute(1, 2000, after=got)
    >>> fabric = weft.torus(4, 4, hosts_per_switch=1)
    >>> routing = weft.route(fabric, "updown")
    >>> weft.replay(fabric, routing, weft.hardware(), program).received_messages
    1
    """

    def __init__(self, ranks: int) -> None:
        require_whole("ranks", ranks, 1, 2**20)
        self._rank_count = ranks
        self._tasks = _core.ProgramTasks(ranks)

    @property
    def rank_count(self) -> int:
        """Number of ranks."""
        return self._rank_count

    def __len__(self) -> int:
        """Tasks of all ranks."""
        return len(self._tasks)

    def compute(
        self,
        rank: int,
        ns: float,
        *,
        stream: int = 0,
        after: ProgramTask | Iterable[ProgramTask] = (),
        after_start: ProgramTask | Iterable[ProgramTask] = (),
    ) -> ProgramTask:
        """Let a rank compute.

        Parameters
        ----------
        rank : int
            The rank.
        ns : float
            For so long, in nanoseconds; at most 10,000 s.
        stream : int
            Which of its streams works on it, 0 to 255; ``cpu`` in GOAL.
        after : ProgramTask or iterable of ProgramTask
            Tasks of the rank that have to be over.
        after_start : ProgramTask or iterable of ProgramTask
            Tasks of the rank that have to have begun.

        Raises
        ------
        InputError
            When a number is out of range, or a task is another rank's or program's.
        """
        if not 0 <= ns <= MOST_NS:
            message = f"ns is {ns}; expected 0 to {MOST_NS:g}"
            raise InputError(message)
        waits = self._waits(rank, after, after_start)
        place = self._place(stream, 0)
        return self._task(rank, self._tasks.compute(rank, ns, place, waits))

    def send(
        self,
        rank: int,
        to: int,
        size_bytes: int,
        *,
        tag: int = 0,
        stream: int = 0,
        nic: int = 0,
        after: ProgramTask | Iterable[ProgramTask] = (),
        after_start: ProgramTask | Iterable[ProgramTask] = (),
    ) -> ProgramTask:
        """Let a rank send a message.

        Parameters
        ----------
        rank : int
            The rank.
        to : int
            Rank that it goes to.
        size_bytes : int
            Its length, at most 2^34.
        tag : int
            What a receive may ask for.
        stream : int
            As of :meth:`compute`.
        nic : int
            Which of the queue pairs to there it takes, 0 to 255.
        after, after_start : ProgramTask or iterable of ProgramTask
            As of :meth:`compute`.

        Raises
        ------
        InputError
            As of :meth:`compute`.
        """
        self._require_rank("to", to)
        require_whole("size_bytes", size_bytes, 0, MOST_MESSAGE_BYTES)
        require_whole("tag", tag, 0, MOST_OF_32_BITS - 1)
        waits = self._waits(rank, after, after_start)
        place = self._place(stream, nic)
        return self._task(rank, self._tasks.send(rank, to, (size_bytes, tag), place, waits))

    def receive(
        self,
        rank: int,
        source: int | None,
        size_bytes: int,
        *,
        tag: int | None = 0,
        stream: int = 0,
        after: ProgramTask | Iterable[ProgramTask] = (),
        after_start: ProgramTask | Iterable[ProgramTask] = (),
    ) -> ProgramTask:
        """Let a rank receive a message.

        Parameters
        ----------
        rank : int
            The rank.
        source : int, optional
            Rank that it comes from; of any where it is None.
        size_bytes : int
            What it has room for: the message is no longer, at most 2^34.
        tag : int, optional
            The message's tag; any where it is None.
        stream : int
            As of :meth:`compute`.
        after, after_start : ProgramTask or iterable of ProgramTask
            As of :meth:`compute`.

        Raises
        ------
        InputError
            As of :meth:`compute`.
        """
        if source is not None:
            self._require_rank("source", source)
        require_whole("size_bytes", size_bytes, 0, MOST_MESSAGE_BYTES)
        if tag is not None:
            require_whole("tag", tag, 0, MOST_OF_32_BITS - 1)
        waits = self._waits(rank, after, after_start)
        place = self._place(stream, 0)
        return self._task(rank, self._tasks.receive(rank, source, (size_bytes, tag), place, waits))

    def collective(
        self,
        operation: str,
        ranks: Sequence[int],
        *,
        size_bytes: int = 8,
        root: int | None = None,
        algorithm: str | None = None,
        stream: int = 0,
        after: Iterable[ProgramTask] = (),
    ) -> list[ProgramTask]:
        """Let some ranks take part in a collective operation, as those of a communicator do.

        Parameters
        ----------
        operation : str
            Its name: see :func:`weft.collective_algorithms`.
        ranks : sequence of int
            The ranks, in the order that the algorithm takes them in.
        size_bytes : int
            Data of a rank, as of :func:`weft.collective`.
        root : int, optional
            Which of the ranks data come from or go to; the first when left out.
        algorithm : str, optional
            How, such as ``ring:channels=4``; by length, as in MPICH, when left out.
        stream : int
            Which of each rank's streams sees to it, as of :meth:`compute`.
        after : iterable of ProgramTask
            Tasks of these ranks: each rank begins when its own are over, one without any at once.

        Returns
        -------
        list of ProgramTask
            For each of the ranks the task that ends with it.

        Raises
        ------
        InputError
            When a number is out of range, a rank is there twice, a task is of no such rank, or
            ranks cannot do the algorithm.

        Examples
        --------
        >>> import weft
        >>> program = weft.Program(4)
        >>> pairs = [
        ...     program.collective("allreduce", pair, size_bytes=4096, algorithm="ring")
        ...     for pair in ([0, 1], [2, 3])
        ... ]
        >>> after = [task for pair in pairs for task in pair]
        >>> ends = program.collective("barrier", range(4), after=after)
        >>> [task.rank for task in ends]
        [0, 1, 2, 3]
        """
        group = list(ranks)
        for rank in group:
            self._require_rank("a rank", rank)
        require_whole("size_bytes", size_bytes, 0, MOST_MESSAGE_BYTES)
        if not group or (root is not None and root not in group):
            expected = "one rank at least" if not group else f"root {root} among them"
            message = f"{operation} of ranks {group}; expected {expected}"
            raise InputError(message)
        place = 0 if root is None else group.index(root)
        self._place(stream, 0)
        tasks: dict[int, list[ProgramTask]] = {rank: [] for rank in group}
        for task in after:
            if task.rank not in tasks:
                message = f"after has {task}; expected tasks of ranks {group}"
                raise InputError(message)
            tasks[task.rank].append(task)
        ends = [self._numbers(rank, "after", tasks[rank]) for rank in group]
        data = (size_bytes, place)
        added = self._tasks.collective(operation, group, data, algorithm, stream, ends)
        return [self._task(rank, number) for rank, number in zip(group, added, strict=True)]

    def trace(self) -> Trace:
        """Give what was added so far as a trace; :func:`weft.replay` does so by itself.

        Raises
        ------
        FormatError
            When a message is longer than any receive that is left for it.
        """
        return self._tasks.trace()

    def write_goal(self, path: str | os.PathLike[str]) -> None:
        """Write it as a GOAL schedule in text, in which times are whole numbers of nanoseconds.

        Parameters
        ----------
        path : path-like
            The file.

        Raises
        ------
        InputError
            When it cannot be written.
        """
        write_text(path, self._tasks.goal())

    def _require_rank(self, name: str, rank: int) -> None:
        require_whole(name, rank, 0, self._rank_count - 1)

    def _task(self, rank: int, number: int) -> ProgramTask:
        return ProgramTask(rank, number, self)

    @staticmethod
    def _place(stream: int, nic: int) -> tuple[int, int]:
        require_whole("stream", stream, 0, 255)
        require_whole("nic", nic, 0, 255)
        return stream, nic

    def _waits(
        self,
        rank: int,
        after: ProgramTask | Iterable[ProgramTask],
        after_start: ProgramTask | Iterable[ProgramTask],
    ) -> tuple[list[int], list[int]]:
        self._require_rank("rank", rank)
        return self._numbers(rank, "after", after), self._numbers(rank, "after_start", after_start)

    def _numbers(
        self, rank: int, name: str, tasks: ProgramTask | Iterable[ProgramTask]
    ) -> list[int]:
        each = [tasks] if isinstance(tasks, ProgramTask) else list(tasks)
        for task in each:
            if task.rank != rank or task._program is not self:
                message = (
                    f"{name} has {task}; expected tasks of rank {rank} of this program: ranks wait"
                    " for one another by messages"
                )
                raise InputError(message)
        return [task.number for task in each]
