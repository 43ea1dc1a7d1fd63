"""Fabric files: read with a word on what is of note, and told in a line or a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from weft._files import read_bytes, write_text
from weft._numbers import counted
from weft.cli.options import Options, option
from weft.cli.output import say, talk
from weft.errors import InputError
from weft.fabric import fabric_content, fabric_figures, one_network, read_fabric
from weft.fabric.formats import on_command_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.fabric import Fabric, FabricFigures, FabricFile, PortRecord, ReadNote

__all__ = [
    "EndOptions",
    "fabric_document",
    "fabric_line",
    "links_text",
    "load_fabric",
    "load_file",
    "note_text",
    "print_port_errors",
    "write_new",
]

_SHOWN_NOTES = 3
_SHOWN_PORTS = 20


class EndOptions(Options):
    """What of a fabric file is meant: which of several networks, and which of its ends compute."""

    subnet: int | None = option(
        "Which of the networks of a file that holds several, from 1.",
        type=click.IntRange(min=1),
    )
    service: Sequence[str] = option(
        "Service ends besides those found: reached and proved, without a say in traffic, balance"
        " and levels. Names, with * and ?, or a file of GUIDs or names such as OpenSM's"
        " io_guid_file; repeat for more.",
        metavar="PATTERN|FILE",
        multiple=True,
    )
    compute: Sequence[str] = option(
        "The compute ends, all others being service ends, in the same form, such as OpenSM's"
        " cn_guid_file; '*' counts all ends as such.",
        metavar="PATTERN|FILE",
        multiple=True,
    )

    def on_command_line(self, path: Path) -> str:
        """Return what stands on a command line for the same ends of the same file."""
        return on_command_line(path, self.service, self.compute, self.subnet)


def load_file(path: Path, ends: EndOptions | None = None) -> FabricFile:
    """Read what a file holds, be it several networks, and say on stderr what is of note."""
    if ends is None:
        read = read_fabric(path)
    else:
        read = read_fabric(path, service=ends.service, compute=ends.compute, subnet=ends.subnet)
    if read.notes:
        lines = sum(note.line is not None for note in read.notes)
        past = f"{lines} {'line' if lines == 1 else 'lines'} read past, " if lines else ""
        talk(f"note: {path}: {past}of note:")
        for note in read.notes[:_SHOWN_NOTES]:
            talk(f"  {note_text(note)}")
        rest = len(read.notes) - _SHOWN_NOTES
        if rest > 0:
            talk(f"  … {rest} more; `weft fabric show {path}` lists all")
    return read


def write_new(fabric: Fabric, path: Path, form: str | None = None, *, force: bool) -> str:
    """Write a fabric and return the format; an existing file stays unless it is to be replaced.

    Raises
    ------
    InputError
        When the file holds something else and `force` does not say that it may go.
    """
    name, text = fabric_content(fabric, path, form)
    if path.is_file() and not force and read_bytes(path, "a file") != text.encode():
        message = (
            f"{path}: found a file that holds something else; give --force to replace it, or"
            " another name"
        )
        raise InputError(message)
    write_text(path, text)
    return name


def load_fabric(path: Path, ends: EndOptions) -> FabricFile:
    """Read the one network of a file, or the one of several that the options name.

    Raises
    ------
    InputError
        When the file holds several, and none is named.
    """
    read = load_file(path, ends)
    one_network(read.fabric, path)
    return read


def links_text(count: int) -> str:
    """Write a number of links."""
    return f"{count} {'link' if count == 1 else 'links'}"


def fabric_line(fabric: Fabric) -> str:
    """Describe a fabric in one line."""
    figures = fabric_figures(fabric)
    text = (
        f"fabric {fabric.name}: {counted(fabric.switch_count, 'switch')},"
        f" {counted(fabric.host_count, 'host')}, {counted(fabric.link_count, 'link')}"
    )
    if figures.diameter_links is None:
        return f"{text}; in {figures.components} parts that are not connected"
    text += f"; diameter {links_text(figures.diameter_links)}"
    if figures.mean_distance_links is not None:
        text += f", mean distance {figures.mean_distance_links:.2f} links"
    return text


def fabric_document(read: FabricFile, figures: FabricFigures) -> dict[str, Any]:
    """Gather what every command prints of a fabric with ``--json``."""
    return {
        "name": read.fabric.name,
        "format": read.format,
        "fingerprint": f"{read.fabric.fingerprint:016x}",
        "wiring_fingerprint": f"{read.fabric.wiring_fingerprint:016x}",
        "figures": figures,
        "service": {
            name: reason
            for name, reason in zip(read.fabric.host_names, read.fabric.host_service, strict=True)
            if reason is not None
        },
        "notes": read.notes,
    }


def note_text(note: ReadNote) -> str:
    """Tell what was read past, where and why."""
    place = f"line {note.line}: " if note.line is not None else ""
    return f"{place}{note.text.strip()} ({note.reason})"


def print_port_errors(ports: Sequence[PortRecord]) -> None:
    """Print the ports that count errors with their cables, those with most errors first."""
    faulty = sorted(
        (port for port in ports if port.errors), key=lambda port: -sum(port.errors.values())
    )
    for port in faulty[:_SHOWN_PORTS]:
        counts = ", ".join(f"{name} {count:,}" for name, count in port.errors.items())
        facts = " ".join(port.cable[name] for name in ("vendor", "part") if name in port.cable)
        say(f"errors: {port.node}[{port.port}]: {counts}{f'; cable {facts}' if facts else ''}")
    rest = len(faulty) - _SHOWN_PORTS
    if rest > 0:
        say(f"errors: {rest} more ports, see --json")
