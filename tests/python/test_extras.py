"""What is said where a library is missing that only some of Weft needs."""

from __future__ import annotations

import copy
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from command import environment, weft_program

import weft
from weft import _extras
from weft._without_numpy import Numbers, content_of, read_numbers
from weft.study.executors.dask import DaskExecutor

PROJECT = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
WITHOUT = "import sys; sys.modules['{}'] = None\n"


def test_every_library_is_that_of_its_extra_and_all_has_all() -> None:
    for package, (extra, _) in _extras._LIBRARIES.items():
        (requirement,) = (text for text in EXTRAS[extra] if not text.startswith("weft["))
        assert requirement.startswith(f"{package}>=")
        named = _extras._requirement(package, extra)
        assert sorted(re.split(r"[,<>=]+", named)) == sorted(re.split(r"[,<>=]+", requirement))
    (everything,) = EXTRAS["all"]
    assert set(re.findall(r"\w+", everything)) - {"weft"} == EXTRAS.keys() - {"all"}


def test_an_array_needs_its_library_and_lists_need_none(tmp_path: Path) -> None:
    program = """
import weft
net = weft.torus(4, 4, hosts_per_switch=2)
figures = weft.load_figures(net, weft.route(net, "updown"))
routes = figures.routes_per_channel
assert len(routes) == net.channel_count and max(routes.tolist()) == figures.max_routes_per_channel
assert len(net.links().tolist()) == net.link_count
assert net.channel_ends().shape == (net.channel_count, 2)
for asked in (lambda: routes.max(), lambda: routes[0], lambda: weft.load_bound(net, [[1]])):
    try:
        asked()
    except weft.EnvironmentFailure as failure:
        print(failure)
"""
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT.format("numpy") + program],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    said = ended.stdout.splitlines()
    assert len(said) == 3
    assert all(
        "an array needs numpy, which is not installed; install it by: pip" in of for of in said
    )


def test_numbers_without_a_library_are_those_of_an_array() -> None:
    array = np.arange(24, dtype=np.uint32).reshape(2, 3, 4)
    numbers = Numbers(array.tobytes(), "uint32", array.shape)
    assert (numbers.tolist(), numbers.size, len(numbers)) == (array.tolist(), 24, 2)
    assert numbers.tobytes() == content_of(array, "uint32") == content_of(numbers, "uint32")
    assert list(numbers) == array.tolist()
    assert np.array_equal(numbers[1], array[1])
    assert np.array_equal(read_numbers(array.tobytes(), "uint32", array.shape), array)
    empty = Numbers(b"", "float32", (3, 0))
    assert empty.tolist() == np.zeros((3, 0)).tolist()
    assert copy.deepcopy(numbers).tolist() == array.tolist()
    for shape in ((2, 3), (25,)):
        with pytest.raises(ValueError, match="found 96 bytes, expected uint32 of shape"):
            Numbers(array.tobytes(), "uint32", shape)


def test_without_the_solver_bounds_of_loads_are_the_same(tmp_path: Path) -> None:
    net = weft.irregular(16, seed=1)
    weft.write_fabric(net, tmp_path / "net.json")
    without = WITHOUT.format("highspy")
    ended = weft_program("route", "net.json", "best", folder=tmp_path, prelude=without)
    assert ended.code == 0, ended.stderr
    assert ended == weft_program("route", "net.json", "best", folder=tmp_path)
    ended = weft_program("route", "net.json", "balanced", folder=tmp_path, prelude=without)
    assert ended.code == 3
    lacks = "a linear program, for a bound or a routing balanced by one, needs highspy"
    assert ended.stderr.startswith(f"error: {lacks}, which is not installed")


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
