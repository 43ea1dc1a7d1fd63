"""Fabrics in files: read by content, written by the end of the name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft import _core
from weft._files import read_bytes, write_text

if TYPE_CHECKING:
    from weft._core import Fabric


@dataclass(frozen=True, slots=True)
class ReadNote:
    """A line of a file that was read past, and why.

    Lines count from 1; a format without lines gives None.
    """

    line: int | None
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class FabricFile:
    """What a file contained.

    :func:`fabric_formats` lists the format that was found. Notes are lines that were read past, in
    the order of the file.
    """

    fabric: Fabric
    format: str
    notes: list[ReadNote]


def read_fabric(path: str | os.PathLike[str]) -> FabricFile:
    """Read a fabric from a file; the format is found from the content.

    It may be any that :func:`fabric_formats` lists as read. A `FormatError` names file, line and
    column of what cannot be read; a file that is not there is an `InputError`, and one that the
    machine does not let be read an `EnvironmentFailure`.
    """
    content = read_bytes(path, "a fabric file")
    fabric, format_name, notes = _core.read_fabric(content, os.fspath(path))
    return FabricFile(fabric, format_name, [ReadNote(*note) for note in notes])


def write_fabric(fabric: Fabric, path: str | os.PathLike[str], format: str | None = None) -> str:
    """Write a fabric to a file, whole or not at all, and return the name of the format.

    :func:`fabric_formats` lists the formats and what of a fabric each keeps. Without one, the end
    of the path tells: ``.json`` is Weft's own, which keeps everything. A format that is not known
    (the nearest name is suggested), or cannot hold this fabric, is a `FormatError`; an
    `EnvironmentFailure` leaves an existing file as it was.
    """
    name = format if format is not None else _core.format_of_path(os.fspath(path))
    write_text(path, _core.fabric_text(fabric, name))
    return name


@dataclass(frozen=True, slots=True)
class FabricFormat:
    """A format of fabric files: what it is, where such files come from, what is done with it.

    `keeps` is what of a fabric comes back from a file written in it; extensions are ends of the
    names of its files, without the dot, the usual one first. Its name is given to
    :func:`write_fabric`.
    """

    name: str
    title: str
    summary: str
    keeps: str
    extensions: list[str]
    reads: bool
    writes: bool


def fabric_formats() -> list[FabricFormat]:
    """List the formats of fabric files.

    Examples
    --------
    >>> import weft
    >>> [entry.name for entry in weft.fabric_formats() if "json" in entry.extensions]
    ['json']
    """
    return [FabricFormat(**entry) for entry in _core.fabric_formats()]
