"""Writes a page of the manual for every command, from the help that the command prints.

``make wheel`` puts the pages into the wheel: ``man weft-compare`` finds them beside the program.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from weft._machine import weft_version
from weft.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What click begins a paragraph with whose lines are to stand as they are.
_AS_IT_IS = "\b"


def escaped(text: str) -> str:
    """Return a text that troff prints as it is, spaces and strokes included."""
    return text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti").replace("^", "\\(ha")


def line(text: str) -> str:
    """Return a line of running text, which begins with no request whatever it begins with."""
    return f"\\&{escaped(text)}" if text[:1] in {".", "'"} else escaped(text)


def paragraphs(text: str) -> Iterator[str]:
    """Yield the lines of a help text; blocks that click leaves alone are left alone here."""
    for paragraph in text.strip().split("\n\n"):
        lines = paragraph.strip("\n").splitlines()
        if lines[0].strip() == _AS_IT_IS:
            yield from (".PP", ".nf", *map(line, lines[1:]), ".fi")
        else:
            yield from (".PP", *(line(one.strip()) for one in lines))


def page(command: click.Command, context: click.Context) -> str:
    """Return the page of a command, for troff with the macros of man."""
    name = context.command_path.replace(" ", "-")
    help_text = (command.help or "").partition("\f")[0]
    summary = command.get_short_help_str(limit=100).rstrip(".")
    lines = [
        f'.TH "{escaped(name.upper())}" 1 "" "weft {weft_version()}" "Weft"',
        ".SH NAME",
        f"{escaped(name)} \\- {escaped(summary)}",
        ".SH SYNOPSIS",
        f".B {escaped(context.command_path)}",
        line(" ".join(command.collect_usage_pieces(context))),
        ".SH DESCRIPTION",
        *list(paragraphs(help_text))[1:],
        ".SH OPTIONS",
    ]
    options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
    for spelled, meaning in filter(None, (one.get_help_record(context) for one in options)):
        lines += [".TP", f".B {escaped(spelled)}", line(" ".join(meaning.split()))]
    below = list(commands_below(command, context))
    if below:
        lines.append(".SH COMMANDS")
    for one, its_context in below:
        its_name = its_context.command_path.replace(" ", "-")
        summary = one.get_short_help_str(limit=100)
        lines += [".TP", f".BR {escaped(its_name)} (1)", line(summary)]
    if context.parent is not None:
        above = context.parent.command_path.replace(" ", "-")
        lines += [".SH SEE ALSO", f".BR {escaped(above)} (1)"]
    return "\n".join(lines) + "\n"


def commands_below(
    command: click.Command, context: click.Context
) -> Iterator[tuple[click.Command, click.Context]]:
    """Yield the commands of a group with their contexts."""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            one = command.get_command(context, name)
            if one is not None:
                yield one, click.Context(one, context, name)


def pages(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    """Yield name and content of the page of a command and of each below it."""
    yield f"{context.command_path.replace(' ', '-')}.1", page(command, context)
    for one, its_context in commands_below(command, context):
        yield from pages(one, its_context)


def write(folder: Path) -> None:
    """Write all pages into a folder, and remove those of commands that are no more."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("weft*.1"):
        path.unlink()
    for name, content in pages(main, click.Context(main, info_name="weft")):
        (folder / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
