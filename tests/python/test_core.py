"""The core without any extra: every command runs, and says the same as with all of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from command import Ended, weft_program
from core_commands import COMMANDS, REFUSED, lay_files

if TYPE_CHECKING:
    from pathlib import Path

EXTRAS = ("dask", "distributed", "highspy", "matplotlib", "networkx", "numpy", "pyarrow")
WITHOUT = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS}))\n"
#: What two runs of one command differ in: when, how long, and how fast.
OF_THE_RUN = re.compile(r"\d+(\.\d+)? m?s\b|\d[\d.,]* million [a-z ]*a second|\d+:\d+")


def _said(ended: Ended) -> str:
    return OF_THE_RUN.sub("…", ended.stdout)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, dict[str, Ended]]]:
    """Run all commands, one after the other, with and without what extras bring."""
    found = {}
    for name, prelude in (("with", ""), ("without", WITHOUT)):
        folder = tmp_path_factory.mktemp(name)
        lay_files(folder)
        commands = {
            text: weft_program(*text.split(), folder=folder, prelude=prelude) for text in COMMANDS
        }
        found[name] = folder, commands
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_core_needs_no_extra(
    runs: dict[str, tuple[Path, dict[str, Ended]]], command: str
) -> None:
    with_all, without = (commands[command] for _, commands in runs.values())
    assert with_all.code == 0, with_all.stderr
    assert without.code == 0, without.stderr
    assert _said(without) == _said(with_all)


def test_files_of_the_core_are_the_same_with_and_without(
    runs: dict[str, tuple[Path, dict[str, Ended]]],
) -> None:
    with_all, without = (folder for folder, _ in runs.values())
    paths = [path for path in with_all.rglob("*") if path.suffix in {".json", ".csv", ".cfg"}]
    assert len(paths) > 15
    for path in paths:
        own = without / path.relative_to(with_all)
        assert own.read_bytes() == path.read_bytes(), own


@pytest.mark.parametrize(("command", "library", "extra"), REFUSED)
def test_what_needs_an_extra_names_it(
    runs: dict[str, tuple[Path, dict[str, Ended]]], command: str, library: str, extra: str
) -> None:
    folder, _ = runs["without"]
    ended = weft_program(*command.split(), folder=folder, prelude=WITHOUT)
    assert ended.code == 3, ended.stdout + ended.stderr
    assert f"needs {library}, which is not installed" in ended.stderr
    assert f"weft-….whl[{extra}]" in ended.stderr
