"""Files that outlast a crash: written beside, flushed to the disk, and moved into place."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from weft.errors import EnvironmentFailure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["append_line", "point_to", "told_as_environment", "write_pieces", "write_whole"]


@contextmanager
def told_as_environment(path: Path) -> Iterator[None]:
    """Raise what the machine refuses as an `EnvironmentFailure` that names the path."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"{path}: cannot be written: {reason}"
        raise EnvironmentFailure(message) from error


def write_whole(path: Path, content: bytes, *, is_kept: bool = True) -> None:
    """Write a file, whole or not at all; one that `is_kept` is on the disk when this returns.

    Raises
    ------
    EnvironmentFailure
        When the machine refuses; then the file is as it was.
    """
    partial = path.with_name(f".{path.name}.partial")
    with told_as_environment(path):
        try:
            file = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            try:
                _write(file, content)
                if is_kept:
                    os.fsync(file)
            finally:
                os.close(file)
            os.replace(partial, path)  # noqa: PTH105 - operations are those of one module
        except OSError:
            with suppress(OSError):
                os.unlink(partial)  # noqa: PTH108
            raise
        if is_kept:
            flush_folder(path.parent)


def write_pieces(path: Path, pieces: Iterable[tuple[int, bytes]], size: int) -> None:
    """Write pieces of a file, each at its offset, and have it on the disk with a size in bytes.

    Nobody may read it meanwhile; when the machine refuses, it holds anything.

    Raises
    ------
    EnvironmentFailure
        When the machine refuses.
    """
    with told_as_environment(path):
        file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
        try:
            for offset, content in pieces:
                if os.pwrite(file, content, offset) < len(content):
                    # What is left says why it was not written.
                    os.lseek(file, offset, os.SEEK_SET)
                    _write(file, content)
            os.ftruncate(file, size)
            os.fsync(file)
        finally:
            os.close(file)


def append_line(path: Path, line: str) -> None:
    """Append a line in one write; one that was cut off before is ended first.

    Raises
    ------
    EnvironmentFailure
        When the machine refuses.
    """
    with told_as_environment(path):
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            size = os.fstat(file).st_size
            is_cut = size > 0 and os.pread(file, 1, size - 1) != b"\n"
            end = "\n" if is_cut else ""
            try:
                _write(file, f"{end}{line}\n".encode())
            except OSError:
                # No part of a line stays.
                os.ftruncate(file, size)
                raise
        finally:
            os.close(file)


def point_to(link: Path, target: str) -> None:
    """Let a symbolic link lead to another file or folder beside it, at one stroke.

    Raises
    ------
    EnvironmentFailure
        When the machine refuses; then the link leads where it did.
    """
    partial = link.with_name(f".{link.name}.partial")
    with told_as_environment(link):
        with suppress(FileNotFoundError):
            os.unlink(partial)  # noqa: PTH108
        os.symlink(target, partial)  # noqa: PTH211
        os.replace(partial, link)  # noqa: PTH105
        flush_folder(link.parent)


def flush_folder(folder: Path) -> None:
    """Have the names in a folder on the disk."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _write(file: int, content: bytes) -> None:
    """Write all of a content, as one call may write a part of it."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]
