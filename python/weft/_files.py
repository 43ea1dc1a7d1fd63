"""Files in and out, with Weft's errors."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import stat
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft import _core
from weft.errors import EnvironmentFailure, FormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO


#: Hexadecimal digits of a digest that are kept: 128 bits, so that no two contents meet.
_DIGITS = 32
_TOML_CHARACTERS = 1 << 20  #: Of a file of studies or programs; the largest here has 10,000.
_TOML_LEVELS = 32  #: Tables and lists in one another.
#: A key of more parts than there may be levels, as in ``a.b.c = 1``.
_LONG_KEY = re.compile(
    rf"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{_TOML_LEVELS}}}"""
)
_NAME_BYTES = 120  #: Of a name; file systems take 255, of which ends and other words need some.
_BYTE_ORDER_MARK = "\ufeff"
_PART_BYTES = 1 << 20  #: What is read at a time of what has no length.


def as_file_name(text: str, otherwise: str) -> str:
    """Spell a text as every file system takes it in a name; `otherwise` where nothing is left."""
    name = re.sub(r"[^\w.+-]+", "-", text).strip("-.")
    return name.encode()[:_NAME_BYTES].decode(errors="ignore").rstrip("-.") or otherwise


def text_digest(text: str) -> str:
    """Return what stands for a text where two of them have to be told apart."""
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def permission(content: str) -> str:
    """Return what in a page's policy permits a script or style that stands in it, and no other."""
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def read_bytes(path: str | os.PathLike[str], expected: str) -> bytes:
    """Read a file whole, unpacked where gzip, xz or zstd packed it.

    `expected` says in errors what it should be. A file that is not there is an `InputError`, one
    that may not be read an `EnvironmentFailure`; a `FormatError` is what was packed and is cut
    short or grows beyond all measure, and a pipe or device without end.
    """
    content = read_as_it_stands(path, expected)
    unpacked = _core.unpack(content, os.fspath(path))
    return content if unpacked is None else unpacked


def read_as_it_stands(path: str | os.PathLike[str], expected: str) -> bytes:
    """Read a file whole, packed or not; errors are those of `read_bytes`."""
    try:
        with Path(path).open("rb") as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file.read()
            return _without_end(file, os.fspath(path), expected)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        message = f"{os.fspath(path)}: {_reason(error)}; expected {expected}"
        raise InputError(message) from error
    except OSError as error:
        message = f"{os.fspath(path)}: cannot be read: {_reason(error)}"
        raise EnvironmentFailure(message) from error


def _without_end(file: BinaryIO, name: str, expected: str) -> bytes:
    """Read a pipe or a device to its end, if it has one."""
    most = _core.most_bytes_without_end()
    content = bytearray()
    while part := file.read(_PART_BYTES):
        content += part
        if len(content) > most:
            message = (
                f"{name}: no file on disk, and no end within {most >> 20} MiB; expected {expected};"
                " what is as long must be a file on disk"
            )
            raise FormatError(message)
    return bytes(content)


def read_text(path: str | os.PathLike[str], expected: str) -> str:
    """Read a text file whole, as UTF-8; errors are those of `read_bytes`.

    A mark of the byte order, which spreadsheets put in front, is left out. What is not text is a
    `FormatError`.
    """
    content = read_bytes(path, expected)
    try:
        return content.decode("utf-8").removeprefix(_BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        message = f"{os.fspath(path)}: byte {error.start} is not UTF-8; expected {expected}"
        raise FormatError(message) from error


def read_json(path: str | os.PathLike[str], expected: str) -> Any:  # noqa: ANN401 - any JSON
    """Read a file of JSON; errors are those of `read_bytes`, and a `FormatError` with its line."""
    text = read_text(path, expected)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits
        line = getattr(error, "lineno", 1)
        message = f"{os.fspath(path)}:{line}: found no JSON ({error}), expected {expected}"
        raise FormatError(message) from error


def toml_document(text: str, name: str) -> dict[str, Any]:
    """Return what a TOML file holds; a `FormatError` names it where it is none."""
    if len(text) > _TOML_CHARACTERS:
        found = f"found {len(text)} characters, expected at most {_TOML_CHARACTERS}"
        message = f"{name}: {found}; what is as long is no TOML that people write"
        raise FormatError(message)
    if _LONG_KEY.search(text):  # takes the square of its length to read
        raise FormatError(_too_deep(name))
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = f"{name}: not TOML: {error}"
        raise FormatError(message) from error
    except RecursionError as error:
        raise FormatError(_too_deep(name)) from error
    except ValueError as error:  # a number of thousands of digits
        message = f"{name}: found a number that is too long; expected fewer digits"
        raise FormatError(message) from error
    level: list[Any] = [document]
    for _ in range(_TOML_LEVELS):
        level = [value for table in level for value in _values(table)]
    if level:
        raise FormatError(_too_deep(name))
    return document


def _values(value: Any) -> Iterable[Any]:  # noqa: ANN401 - any value of TOML
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _too_deep(name: str) -> str:
    return f"{name}: tables and lists lie in one another more than {_TOML_LEVELS} levels deep"


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Offer a path beside the target to write to, and move it into place at the end.

    Missing folders are made. When something is raised inside, the partial file is removed and an
    existing target is left as it was. A pipe or a device is written to itself. What the machine
    refuses, for a full disk or a missing permission, is an `EnvironmentFailure`.
    """
    target = Path(path)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        if target.exists() and not (target.is_file() or target.is_dir()):
            yield target
            return
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
