"""One call that works on a results file: alone on it, to its end or as far as it came."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from weft.results.database import Database
from weft.study.presence import Presence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from weft.study.executors.interface import Executor, Finished
    from weft.study.progress import Watcher

__all__ = ["POLL_S", "Session", "Work", "carry_out", "opened"]

POLL_S = 0.2  #: How long a thread that waits for an executor goes without looking at signals.


class Work(Protocol):
    """What a call does."""

    def work(self) -> None:
        """Have an executor compute everything that the file lacks, and write it."""

    def keep(self, finished: Sequence[Finished]) -> object:
        """Write what is finished."""

    def close(self, outcome: str) -> None:
        """End the sessions of all cases begun, with ``finished``, ``interrupted``, ``failed``."""


@dataclass(frozen=True, slots=True)
class Session:
    """A results file that this process alone works on, and what it works with."""

    database: Database
    presence: Presence
    executor: Executor
    watcher: Watcher

    def stop_if_asked(self) -> None:
        """End the call where somebody asked for it."""
        if self.presence.is_cancelled():
            raise KeyboardInterrupt


@contextmanager
def opened(path: Path, executor: Executor, watcher: Watcher) -> Iterator[Session]:
    """Open a results file for this process alone."""
    with Presence(path) as presence, closing(Database.open_for_writing(path)) as database:
        yield Session(database, presence, executor, watcher)


def carry_out(work: Work, executor: Executor) -> None:
    """Work to the end; where that is not reached, keep what is finished."""
    outcome = "failed"
    try:
        work.work()
        outcome = "finished"
    except KeyboardInterrupt:
        outcome = "interrupted"
        work.keep(executor.stop())
        raise
    except BaseException:
        executor.stop()
        raise
    finally:
        work.close(outcome)
