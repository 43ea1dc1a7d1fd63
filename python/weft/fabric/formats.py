"""Fabrics in files: read by content, written by the end of the name."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from weft import _core
from weft._files import read_bytes, write_text
from weft.fabric.separate_subnets import numbered_subnet
from weft.fabric.service import mark_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._core import Fabric


@dataclass(frozen=True, slots=True)
class ReadNote:
    """A line of a file that was read past."""

    line: int | None  #: Number of the line, counted from 1; None where the format has no lines
    text: str  #: The line
    reason: str  #: Why it was read past


@dataclass(frozen=True, slots=True)
class PortRecord:
    """What a tool knows of a port beside the ends of its cable."""

    node: str  #: Name of the switch or host
    port: int  #: Number of the port
    #: Counters of errors that are not 0, by their names in the InfiniBand specification
    errors: dict[str, int]
    #: What is known of the cable plugged in there: vendor, part, serial, length, temperature
    cable: dict[str, str]


@dataclass(frozen=True, slots=True)
class FabricFile:
    """What a file contained."""

    fabric: Fabric  #: The network
    format: str  #: Name of the format found; :func:`fabric_formats` lists them
    notes: list[ReadNote]  #: Lines that were read past, in the order of the file
    ports: list[PortRecord]  #: What is known of ports, of formats that tell it

    def of_network(self, fabric: Fabric) -> FabricFile:
        """Return what the file holds of one of its networks."""
        nodes = {*fabric.switch_names, *fabric.host_names}
        ports = [record for record in self.ports if record.node in nodes]
        return FabricFile(fabric, self.format, self.notes, ports)


def read_fabric(
    path: str | os.PathLike[str],
    *,
    service: Sequence[str] = (),
    compute: Sequence[str] = (),
    subnet: int | None = None,
) -> FabricFile:
    """Read a fabric from a file; the format is found from the content.

    Parameters
    ----------
    path : path-like
        A file in any of the formats that :func:`fabric_formats` lists as read. Of a topology of
        ibutils (``.topo``) the systems that it does not define are sought in the files ``*.ibnl``
        in the same folder, then in ``ibnl/`` there.
    service, compute : sequence of str
        Which ends are service ends, besides those found; see :func:`mark_ends`.
    subnet : int, optional
        Which of the networks of a file that holds several, from 1; see :func:`subnets`.

    Raises
    ------
    FormatError
        When the content cannot be read; the text names file, line and column.
    InputError
        When there is no such file, end or subnet.
    EnvironmentFailure
        When the machine does not let the file be read.
    """
    content = read_bytes(path, "a fabric file")
    fabric, format_name, notes, ports = _core.read_fabric(
        content, os.fspath(path), _definitions_beside(path)
    )
    if service or compute:
        fabric = mark_ends(fabric, service=service, compute=compute)
    records = [PortRecord(*port) for port in ports]
    read = FabricFile(fabric, format_name, [ReadNote(*note) for note in notes], records)
    return read if subnet is None else read.of_network(numbered_subnet(read.fabric, subnet, path))


def on_command_line(
    path: str | os.PathLike[str],
    service: Sequence[str] = (),
    compute: Sequence[str] = (),
    subnet: int | None = None,
) -> str:
    """Return what stands on a command line, quoted for a shell, for what `read_fabric` reads."""
    told = {
        "--service": service,
        "--compute": compute,
        "--subnet": [] if subnet is None else [subnet],
    }
    options = [word for name, values in told.items() for value in values for word in (name, value)]
    return shlex.join(map(str, (os.fspath(path), *options)))


def _definitions_beside(path: str | os.PathLike[str]) -> list[tuple[str, bytes]]:
    """Return name and content of the definitions of systems beside a topology of ibutils."""
    topology = Path(path)
    if topology.suffix != ".topo":
        return []
    folders = (topology.parent, topology.parent / "ibnl")
    files = [file for folder in folders for file in sorted(folder.glob("*.ibnl"))]
    return [(os.fspath(file), read_bytes(file, "definitions of systems")) for file in files]


def write_fabric(fabric: Fabric, path: str | os.PathLike[str], format: str | None = None) -> str:
    """Write a fabric to a file, whole or not at all.

    Parameters
    ----------
    fabric : Fabric
        The network.
    path : path-like
        File to write; an existing one is replaced.
    format : str or None
        Name of the format; :func:`fabric_formats` lists them and what of a fabric each keeps. When
        None, the end of the path tells: ``.json`` is Weft's own, which keeps everything.

    Returns
    -------
    str
        Name of the format written.

    Raises
    ------
    FormatError
        When the format is unknown (the nearest name is suggested) or cannot hold this fabric.
    EnvironmentFailure
        When the machine does not let the file be written; an existing one is left as it was.
    """
    name, text = fabric_content(fabric, path, format)
    write_text(path, text)
    return name


def fabric_content(
    fabric: Fabric, path: str | os.PathLike[str], format: str | None = None
) -> tuple[str, str]:
    """Return what :func:`write_fabric` would write: the name of the format, and the text."""
    name = format if format is not None else _core.format_of_path(os.fspath(path))
    return name, _core.fabric_text(fabric, name)


@dataclass(frozen=True, slots=True)
class FabricFormat:
    """A format of fabric files."""

    name: str  #: Name, as given to :func:`write_fabric`
    title: str  #: Name for people
    summary: str  #: What it is and where such files come from
    keeps: str  #: What of a fabric comes back from a file written in it
    extensions: list[str]  #: Ends of the names of its files, without the dot, the usual one first
    reads: bool  #: Whether fabrics are read from it
    writes: bool  #: Whether fabrics are written in it


def fabric_formats() -> list[FabricFormat]:
    """List the formats of fabric files.

    Examples
    --------
    >>> import weft
    >>> [entry.name for entry in weft.fabric_formats() if "json" in entry.extensions]
    ['json']
    """
    return [FabricFormat(**entry) for entry in _core.fabric_formats()]
