"""The core without any extra: every command runs, and says the same as with all of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from command import Ended, weft_program
from core_commands import COMMANDS, REFUSED, lay_files

if TYPE_CHECKING:
    from pathlib import Path

EXTRAS = ("dask", "distributed", "highspy", "matplotlib", "networkx", "numpy", "pyarrow")
WITHOUT = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS}))\n"
#: Ends of the files that hold no times of the run.
WRITTEN = {".csv", ".lfts"}
#: What two runs of one command differ in: when, how long, and how fast.
OF_THE_RUN = re.compile(r"\d+(\.\d+)? m?s\b|\d[\d.,]* million [a-z ]*a second|\d\d:\d\d:\S+")


def _said(ended: Ended) -> str:
    return OF_THE_RUN.sub("…", ended.stdout)


def _all_run(folder: Path, prelude: str) -> dict[str, Ended]:
    """Run all commands, one after the other."""
    folder.mkdir()
    lay_files(folder)
    return {text: weft_program(*text.split(), folder=folder, prelude=prelude) for text in COMMANDS}


def test_the_core_needs_no_extra_and_names_what_it_lacks(tmp_path: Path) -> None:
    lacking = tmp_path / "lacking"
    with_all, without = _all_run(tmp_path / "all", ""), _all_run(lacking, WITHOUT)
    for command in COMMANDS:
        assert with_all[command].code == 0, with_all[command].stderr
        assert without[command].code == 0, without[command].stderr
        assert _said(without[command]) == _said(with_all[command])
    paths = [path for path in lacking.rglob("*") if path.suffix in WRITTEN]
    assert len(paths) > 8
    for path in paths:
        same = tmp_path / "all" / path.relative_to(lacking)
        assert path.read_bytes() == same.read_bytes(), path
    for command, library, extra in REFUSED:
        ended = weft_program(*command.split(), folder=lacking, prelude=WITHOUT)
        assert ended.code == 3, ended.stdout + ended.stderr
        assert f"needs {library}, which is not installed" in ended.stderr
        assert f"weft-….whl[{extra}]" in ended.stderr
