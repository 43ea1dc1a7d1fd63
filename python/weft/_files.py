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
    """Read a file whole; `expected` says in errors what it should be.

    A file that is not there is an `InputError`, one that may not be read an `EnvironmentFailure`.
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
    """Read a text file whole, as UTF-8; errors are those of `read_bytes`.

    What is not text is a `FormatError`.
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
    existing target is left as it was. What the machine refuses, for a full disk or a missing
    permission, is an `EnvironmentFailure`.
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
    """Write a text file, as UTF-8, in the way of `whole_file`."""
    with whole_file(path) as partial:
        partial.write_text(text, encoding="utf-8")


def _reason(error: OSError) -> str:
    """Return what the system says, in the style of Weft's errors."""
    return (error.strerror or str(error)).lower()
