"""Files in and out, with Weft's errors."""

from __future__ import annotations

import hashlib
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from weft.errors import EnvironmentFailure, FormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


#: Hexadecimal digits of a digest that are kept: 128 bits, so that no two contents meet.
_DIGITS = 32


def text_digest(text: str) -> str:
    """Return what stands for a text where two of them have to be told apart."""
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def read_bytes(path: str | os.PathLike[str], expected: str) -> bytes:
    """Read a file whole.

    Parameters
    ----------
    path : path-like
        File to read.
    expected : str
        What the file should be, for the error.

    Raises
    ------
    InputError
        When there is no such file.
    EnvironmentFailure
        When the machine does not let it be read.
    """
    try:
        return Path(path).read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        message = f"{os.fspath(path)}: {_reason(error)}; expected {expected}"
        raise InputError(message) from error
    except OSError as error:
        message = f"{os.fspath(path)}: cannot be read: {_reason(error)}"
        raise EnvironmentFailure(message) from error


def read_text(path: str | os.PathLike[str], expected: str) -> str:
    """Read a text file whole, as UTF-8.

    Parameters
    ----------
    path : path-like
        File to read.
    expected : str
        What the file should be, for the error.

    Raises
    ------
    FormatError
        When the file is not text.
    InputError
        When there is no such file.
    EnvironmentFailure
        When the machine does not let it be read.
    """
    content = read_bytes(path, expected)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{os.fspath(path)}: byte {error.start} is not UTF-8; expected {expected}"
        raise FormatError(message) from error


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Offer a path beside the target to write to, and move it into place at the end.

    Missing folders are made. When something is raised inside, the partial file is removed and an
    existing target is left as it was.

    Parameters
    ----------
    path : path-like
        File to write; an existing one is replaced.

    Yields
    ------
    Path
        Where to write.

    Raises
    ------
    EnvironmentFailure
        When the machine refuses: the disk is full, a permission is missing.
    """
    target = Path(path)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield partial
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
    except FileExistsError as error:
        message = f"{os.fspath(path)}: cannot be written: {error.filename} is a file, not a folder"
        raise EnvironmentFailure(message) from error
    except OSError as error:
        message = f"{os.fspath(path)}: cannot be written: {_reason(error)}"
        raise EnvironmentFailure(message) from error


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file whole or not at all, as UTF-8; missing folders are made.

    Parameters
    ----------
    path : path-like
        File to write; an existing one is replaced.
    text : str
        Its content.

    Raises
    ------
    EnvironmentFailure
        When the machine does not let it be written; an existing file is left as it was.
    """
    with whole_file(path) as partial:
        partial.write_text(text, encoding="utf-8")


def _reason(error: OSError) -> str:
    """Return what the system says, in the style of Weft's errors."""
    return (error.strerror or str(error)).lower()
