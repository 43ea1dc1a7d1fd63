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
    """A line of a file that was read past.

    Attributes
    ----------
    line : int or None
        Number of the line, counted from 1; None where the format has no lines.
    text : str
        The line.
    reason : str
        Why it was read past.
    """

    line: int | None
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class FabricFile:
    """What a file contained.

    Attributes
    ----------
    fabric : Fabric
        The network.
    format : str
        Name of the format found; :func:`fabric_formats` lists them.
    notes : list of ReadNote
        Lines that were read past, in the order of the file.
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
    """A format of fabric files.

    Attributes
    ----------
    name : str
        Name, as given to :func:`write_fabric`.
    title : str
        Name for people.
    summary : str
        What it is and where such files come from.
    keeps : str
        What of a fabric comes back from a file written in it.
    extensions : list of str
        Ends of the names of its files, without the dot, the usual one first.
    reads, writes : bool
        Whether fabrics are read from it and written in it.
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
