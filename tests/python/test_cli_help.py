"""Help: of every command, with examples, without anything heavy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click
import pytest
from command import done, weft

from weft.cli import main
from weft.cli.options import FILE, WRITTEN
from weft.fabric import topologies

if TYPE_CHECKING:
    from collections.abc import Iterator


def commands(
    command: click.Command = main, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, (*path, name))


TOPOLOGIES = [topology.name for topology in topologies()]
ALL = list(commands())
LEAVES = [(path, command) for path, command in ALL if not isinstance(command, click.Group)]


def name(value: object) -> str:
    return "-".join(value) if isinstance(value, tuple) else "command"


def is_folder(option: click.Option) -> bool:
    return isinstance(option.type, click.Path) and not option.type.file_okay


def test_every_stage_has_its_command() -> None:
    made = {f"fabric new {name.replace('_', '-')}" for name in TOPOLOGIES}
    assert {" ".join(path) for path, _ in LEAVES} == made | {
        "compare",
        "advise",
        "audit",
        "bandwidth",
        "collective",
        "completion",
        "export opensm",
        "explore",
        "export ibdiagnet",
        "export results",
        "fabric convert",
        "fabric degrade",
        "fabric diff",
        "fabric show",
        "hardware",
        "jobs",
        "place",
        "prove",
        "rehearse",
        "replay",
        "report",
        "reproduce",
        "route",
        "simulate",
        *(f"study {name}" for name in ("plan", "run", "resume", "status", "cancel", "keys")),
        "survive",
        "transition",
        "watch",
        "workload",
    }


@pytest.mark.parametrize(("path", "command"), ALL, ids=name)
def test_help_teaches_by_example(path: tuple[str, ...], command: click.Command) -> None:
    ended = done(*path, "--help")
    assert ended.stderr == ""
    assert f"Usage: {' '.join(['weft', *path])}" in ended.stdout
    assert "weft " + " ".join(path) in ended.stdout.partition("\n")[2]
    assert weft(*path, "-h").stdout == ended.stdout
    assert "\b" not in ended.stdout
    assert max(map(len, ended.stdout.splitlines())) <= 96


@pytest.mark.parametrize(
    "path", [path for path, command in ALL if isinstance(command, click.Group)]
)
def test_a_group_alone_shows_its_help(path: tuple[str, ...]) -> None:
    assert done(*path) == done(*path, "--help")


@pytest.mark.parametrize(("path", "command"), LEAVES, ids=name)
def test_every_option_is_explained(path: tuple[str, ...], command: click.Command) -> None:
    options = [option for option in command.params if isinstance(option, click.Option)]
    assert all(option.help for option in options)
    assert "--json" in [flag for option in options for flag in option.opts]


#: Options that write a file, and what they write over by ``--force`` alone.
FORCED = {"fabric degrade", *(f"fabric new {name.replace('_', '-')}" for name in TOPOLOGIES)}


@pytest.mark.parametrize(("path", "command"), LEAVES, ids=name)
def test_no_file_is_written_over_one_that_is_read(
    path: tuple[str, ...], command: click.Command
) -> None:
    writes = re.compile(r"Write |Also write |File to write")
    files = [one for one in command.params if type(one.type) in {type(FILE), type(WRITTEN)}]
    told = [one for one in files if isinstance(one, click.Option) and writes.match(one.help or "")]
    forced = told if " ".join(path) in FORCED else []
    assert [one for one in told if one.type is not WRITTEN and not is_folder(one)] == forced


@pytest.mark.parametrize(("path", "command"), ALL, ids=name)
def test_the_short_help_fits_its_line(path: tuple[str, ...], command: click.Command) -> None:
    assert "..." not in command.get_short_help_str(limit=60)


def test_loads_and_units_are_explained_where_loads_are_given() -> None:
    for command in ("simulate", "compare"):
        text = " ".join(weft(command, "--help").stdout.split())
        assert "payload each host offers, as a fraction of its link rate" in text
        assert "bytes/ns" in text


def test_the_version_is_printed() -> None:
    from weft import _core

    version, build = weft("--version").stdout.splitlines()
    assert version == f"weft {_core.__version__}"
    commit = r"(commit [0-9a-f]{12}, )?"
    assert re.fullmatch(rf"{commit}\w+ build by rustc 1\..* for \S+; Python 3\.\d+\.\d+", build)
