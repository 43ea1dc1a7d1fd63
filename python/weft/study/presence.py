"""Who is working on a results file: one process at a time, and a way to ask it to stop.

Beside ``results.sqlite`` stand ``results.lock``, held by the system's lock as long as the process
lives and no longer, with a line that says which process that is, and, once somebody asked,
``results.cancel``.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from weft.errors import EnvironmentFailure, ResultsError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Presence", "ask_to_stop", "worker_on"]

_NAME_WITHIN_S = 2.0  #: Within this time of its lock a process has told its number there.


class Presence:
    """The lock on a results file, held while a study works on it; missing folders are made.

    Another process that works on the file is a ResultsError on entering; a folder that may not be
    written to is an EnvironmentFailure.
    """

    def __init__(self, results: Path) -> None:
        self._results = results
        self._lock = -1

    def __enter__(self) -> Self:
        path = _lock_path(self._results)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            while not self._take(path):
                pass
            who = {"process": os.getpid(), "host": platform.node()}
            os.truncate(self._lock, 0)
            os.pwrite(self._lock, json.dumps(who).encode(), 0)
            _cancel_path(self._results).unlink(missing_ok=True)
        except OSError as error:
            if self._lock >= 0:
                self.__exit__()
            reason = (error.strerror or str(error)).lower()
            message = f"{self._results}: cannot be opened: {path.name} beside it: {reason}"
            raise EnvironmentFailure(message) from error
        return self

    def _take(self, path: Path) -> bool:
        """Lock the file; false when its name went meanwhile, and it is to be tried again."""
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(lock)
            worker = _named_worker(self._results)
            if worker is None:
                # It has finished meanwhile.
                return False
            named = f"process {worker['process']} on {worker['host']}" if worker else "a process"
            message = f"{self._results}: {named} works on it; wait until it has finished"
            raise ResultsError(message) from error
        if not path.exists() or not os.path.samestat(os.fstat(lock), path.stat()):
            os.close(lock)
            return False
        self._lock = lock
        return True

    def __exit__(self, *_: object) -> None:
        # The name goes while the lock is held: whoever waits for it then locks a file of its own.
        _lock_path(self._results).unlink(missing_ok=True)
        _cancel_path(self._results).unlink(missing_ok=True)
        os.close(self._lock)

    def is_cancelled(self) -> bool:
        """Return whether somebody asked the study to stop."""
        return _cancel_path(self._results).exists()


def worker_on(results: Path) -> dict[str, Any] | None:
    """Return ``process`` and ``host`` of who works on a results file, None when nobody does."""
    try:
        lock = os.open(_lock_path(results), os.O_RDONLY)
    except OSError:
        return None
    try:
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return None
        with suppress(ValueError):
            found: dict[str, Any] = json.loads(os.pread(lock, 1000, 0))
            return found
        return {}
    finally:
        os.close(lock)


def _named_worker(results: Path) -> dict[str, Any] | None:
    """Return what `worker_on` does, once whoever has begun this moment has written who it is."""
    patience_ends = time.monotonic() + _NAME_WITHIN_S
    while (worker := worker_on(results)) == {} and time.monotonic() < patience_ends:
        time.sleep(_NAME_WITHIN_S / 100)
    return worker


def ask_to_stop(results: Path) -> None:
    """Ask the process that works on a results file to stop; finished points are kept."""
    try:
        _cancel_path(results).touch()
    except OSError as error:
        message = f"{_cancel_path(results)}: cannot be written: {str(error.strerror).lower()}"
        raise EnvironmentFailure(message) from error


def _lock_path(results: Path) -> Path:
    return results.with_suffix(".lock")


def _cancel_path(results: Path) -> Path:
    return results.with_suffix(".cancel")
