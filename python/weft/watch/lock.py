"""One at a time: whoever comes second waits."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from weft.watch.durable import told_as_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["held"]

_WAIT_S = 0.2


@contextmanager
def held(
    path: Path, on_wait: Callable[[str], None], is_asked_to_stop: Callable[[], bool]
) -> Iterator[bool]:
    """Hold a lock, waiting until it is free; False where one is asked to stop before.

    The system frees it when its holder ends, however that ends. `on_wait` is told once by whom it
    is held.

    Raises
    ------
    EnvironmentFailure
        When the file cannot be written.
    """
    with told_as_environment(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        is_told = False
        while not _take(file):
            if is_asked_to_stop():
                yield False
                return
            if not is_told:
                holder = os.pread(file, 32, 0).decode(errors="replace").strip()
                on_wait(holder or "unknown")
                is_told = True
            time.sleep(_WAIT_S)
        # A full disk is told of where it matters.
        with suppress(OSError):
            os.ftruncate(file, 0)
            os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        yield True
    finally:
        os.close(file)


def _take(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
