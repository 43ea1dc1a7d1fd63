"""Points simulated by threads of this process; the simulation does without the interpreter."""

from __future__ import annotations

import time
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from weft.errors import Cancelled
from weft.simulate import Cancel
from weft.study.executors.interface import Finished, PointWork

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weft.study.executors.interface import Figures, Unit, Work
    from weft.study.stages import Stages

__all__ = ["LocalExecutor", "drained"]

Entry = TypeVar("Entry")


class LocalExecutor:
    """Threads of this process, as many as there are jobs at a time.

    While as many points as jobs are at hand, each has one processor: side by side they end soonest.
    Of fewer, each has its share of the processors, of which a large network's simulation takes as
    many as make it faster.
    """

    plans_ahead = False

    def __init__(self, stages: Stages, jobs: int) -> None:
        self.slots = jobs
        self._stages = stages
        self._cancel = Cancel()
        self._unfinished = 0
        self._counting = Lock()
        self._pool = ThreadPoolExecutor(jobs, thread_name_prefix="weft-point")
        self._done: SimpleQueue[tuple[str, Future[tuple[Figures, float]]]] = SimpleQueue()

    def plan(self, units: Sequence[Unit]) -> None:
        """Do nothing: threads need no plan."""

    def submit(self, work: Work) -> None:
        """Have a point simulated, or a program replayed, by the next thread that is free."""
        with self._counting:
            self._unfinished += 1
        future = self._pool.submit(self._compute, work)
        future.add_done_callback(lambda done: self._done.put((work.content, done)))

    def finished(self, timeout_s: float) -> list[Finished]:
        """Return points that finished since the last call, waiting for the first of them."""
        return [_finished(*entry) for entry in drained(self._done, timeout_s)]

    def stop(self) -> list[Finished]:
        """End the runs under way, drop those that wait, return those that were finished."""
        self._cancel.cancel()
        self._pool.shutdown(wait=True, cancel_futures=True)
        return [entry for entry in self.finished(0) if entry.figures is not None]

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def _compute(self, work: Work) -> tuple[Figures, float]:
        begun = time.perf_counter()
        figures: Figures
        with self._counting:
            threads = max(1, self.slots // self._unfinished)
        try:
            if isinstance(work, PointWork):
                figures = self._stages.simulate(
                    work.routed, work.load, work.seed, self._cancel, threads
                )
            else:
                figures = self._stages.replay(work, self._cancel)
        finally:
            with self._counting:
                self._unfinished -= 1
        return figures, time.perf_counter() - begun


def drained(queue: SimpleQueue[Entry], timeout_s: float) -> Iterator[Entry]:
    """Yield what a queue has, waiting for the first of it."""
    with suppress(Empty):
        yield queue.get(timeout=timeout_s)
        while True:
            yield queue.get_nowait()


def _finished(content: str, future: Future[tuple[Figures, float]]) -> Finished:
    try:
        measurement, wall_s = future.result()
    except CancelledError:
        return Finished(content, None, 0.0, Cancelled("the run was asked to stop"))
    except Exception as error:  # noqa: BLE001 - whatever it is, the study's thread raises it
        return Finished(content, None, 0.0, error)
    return Finished(content, measurement, wall_s)
