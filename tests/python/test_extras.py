"""What is said where a library is missing that only some of Weft needs."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest
from command import weft_program

import weft
from weft import _extras
from weft.study.executors.dask import DaskExecutor

PROJECT = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
WITHOUT = "import sys; sys.modules['{}'] = None\n"


def test_every_library_is_that_of_its_extra_and_all_has_all() -> None:
    for package, (extra, _) in _extras._LIBRARIES.items():
        (requirement,) = EXTRAS[extra]
        assert requirement.startswith(f"{package}>=")
        named = _extras._requirement(package, extra)
        assert sorted(re.split(r"[,<>=]+", named)) == sorted(re.split(r"[,<>=]+", requirement))
    (everything,) = EXTRAS["all"]
    assert set(re.findall(r"\w+", everything)) - {"weft"} == EXTRAS.keys() - {"all"}


def test_what_another_library_lacks_stays_its_own_error() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        _extras.needed("no_such_module")


def test_a_scheduler_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(weft.EnvironmentFailure, match=r"on every worker, needs distributed"):
        DaskExecutor("tcp://127.0.0.1:1")


def test_without_the_chart_library_everything_but_charts_is_there(tmp_path: Path) -> None:
    without = WITHOUT.format("matplotlib")
    net = tmp_path / "net.json"
    weft.write_fabric(weft.mesh(2, 2, hosts_per_switch=1), net)
    command = ("compare", "net.json", "--routing", "updown", "--loads", "5%", "--out", "out")
    ended = weft_program(*command, folder=tmp_path, prelude=without)
    assert ended.code == 0, ended.stderr
    assert "Take updown" in ended.stdout
    assert "note: no report is written: a chart or a report needs matplotlib" in ended.stderr
    assert "then: weft report out/results.sqlite" in ended.stderr
    assert not (tmp_path / "out/report.html").exists()
    for command in (
        ("report", "out/results.sqlite"),
        ("report", "out/results.sqlite", "--charts", "charts"),
        ("fabric", "show", "net.json", "--draw", "net.svg"),
    ):
        ended = weft_program(*command, folder=tmp_path, prelude=without)
        assert ended.code == 3, command
        assert ended.stderr.startswith("error: a chart or a report needs matplotlib, which is not")
        assert "pip install 'matplotlib" in ended.stderr
    assert weft_program("fabric", "show", "net.json", folder=tmp_path, prelude=without).code == 0


def test_without_the_library_of_parquet_there_is_csv(tmp_path: Path) -> None:
    net = weft.mesh(2, 2, hosts_per_switch=1)
    with weft.compare(net, ["updown"], loads=[0.05], results=tmp_path / "results.sqlite"):
        pass
    without = WITHOUT.format("pyarrow")
    export = ("export", "results", "results.sqlite", "-o", "tables")
    ended = weft_program(*export, "--parquet", folder=tmp_path, prelude=without)
    assert ended.code == 3
    assert "Parquet needs pyarrow, which is not installed; install it by: pip" in ended.stderr
    assert weft_program(*export, "--csv", folder=tmp_path, prelude=without).code == 0
    assert (tmp_path / "tables/points.csv").exists()
