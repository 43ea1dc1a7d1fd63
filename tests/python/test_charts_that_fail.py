"""Charts that cannot be drawn leave everything else: table, results, page and the other charts."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, NoReturn

import pytest
from click.testing import CliRunner
from command import PROGRAM, environment
from drawn_marks import texts_of
from report_samples import SAMPLES, study

import weft
from weft.cli.main import main
from weft.plots import spread_chart, write_charts
from weft.plots.chart import Chart
from weft.report import render_report

if TYPE_CHECKING:
    from pathlib import Path

    from weft.plots.chart import Sheet

FAILURES = [MemoryError(), RuntimeError("found no font\nanywhere"), KeyError("marker")]
CALL = ("--routing", "updown", "--max-packets", "3000", "--loads", "0.05,0.1")
COMPARED = ("latency", "longest", "accepted", "utilization", "blocked", "hosts", "fabric")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> weft.Results:
    folder = tmp_path_factory.mktemp("study")
    return study(folder, weft.mesh(3, 3, 2), {"updown": 0.3}, loads=[0.1, 0.2])


@pytest.fixture(scope="module")
def drawn(results: weft.Results, tmp_path_factory: pytest.TempPathFactory) -> tuple[set[Path], str]:
    """Return the files of all charts, and the page, where none fails."""
    folder = tmp_path_factory.mktemp("charts")
    files = {path.relative_to(folder) for path in write_charts(results, folder)}
    return files, render_report(results)


def fail(monkeypatch: pytest.MonkeyPatch, error: Exception, *names: str) -> None:
    """Let the charts of these names fail where they are drawn."""
    figure = Chart.figure

    def failing(chart: Chart, **options: bool) -> object:
        def draw(sheet: Sheet) -> NoReturn:
            raise error

        if chart.name in names:
            object.__setattr__(chart, "draw", draw)
        return figure(chart, **options)

    monkeypatch.setattr(Chart, "figure", failing)


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("name", ["latency", "utilization", "fabric"])
def test_a_chart_that_fails_leaves_the_others(
    name: str, error: Exception, results: weft.Results, drawn: tuple[set[Path], str],
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    whole, page = drawn
    fail(monkeypatch, error, name)
    told: list[tuple[str, Exception]] = []
    written = write_charts(
        results, tmp_path / "b", undrawn=lambda name, error: told.append((name, error))
    )
    left = {path.relative_to(tmp_path / "b") for path in written}
    file = "fabric-updown" if name == "fabric" else name
    assert told == [(file, error)]
    assert {path.stem for path in whole - left} == {file}
    assert {path.relative_to(tmp_path / "b") for path in (tmp_path / "b").rglob("*.*")} == left
    told.clear()
    without = render_report(results, undrawn=lambda name, error: told.append((name, error)))
    assert told == [(name, error)]
    # Charts have two forms, for screens and for telephones.
    assert without.count('<svg class="marks"') == page.count('<svg class="marks"') - 2
    assert without.count("This chart could not be drawn.") == 1
    assert results.recommendation() in without
    for draw in (lambda: write_charts(results, tmp_path / "c"), lambda: render_report(results)):
        with pytest.raises(type(error)):
            draw()


def test_a_wrong_load_is_no_failure_of_a_chart(results: weft.Results, tmp_path: Path) -> None:
    with pytest.raises(weft.InputError, match="load -1: expected more than 0"):
        write_charts(results, tmp_path, drawing_load=-1, undrawn=lambda *_: None)


def test_compare_without_any_chart_has_table_results_and_page(
    net: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    fail(monkeypatch, MemoryError("no room"), *COMPARED)
    ended = CliRunner().invoke(main, ["compare", str(net), *CALL, "--out", "out"])
    assert ended.exit_code == 0, ended.stderr
    warnings = [line for line in ended.stderr.splitlines() if line.startswith("warning")]
    assert warnings == [
        f"warning: the chart {name} could not be drawn and is left out (MemoryError: no room)"
        for name in COMPARED
    ]
    assert "Take updown" in ended.stdout
    with weft.Results.open(tmp_path / "out" / "results.sqlite") as found:
        assert len(found.routings[0].points) == 2
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count("This chart could not be drawn.") == len(COMPARED)
    call = ["report", "out", "--charts", "figures", "--jobs", "1", "--json"]
    again = CliRunner().invoke(main, call)
    assert again.exit_code == 0
    assert json.loads(again.stdout)["charts"] == []
    assert "the chart fabric-updown could not be drawn" in again.stderr


@pytest.mark.parametrize("how", ["raise", "raise oddly", "end"])
def test_a_chart_that_fails_in_a_process_of_its_own_leaves_the_others(
    how: str, results: weft.Results, tmp_path: Path
) -> None:
    script = tmp_path / "draw.py"
    script.write_text(
        f"""
import os, sys
import weft
from weft.plots import write_charts
from weft.plots.chart import Chart

class Odd(Exception):
    def __init__(self, one, two):
        super().__init__("odd")

figure = Chart.figure
def failing(chart, **options):
    if chart.name == "accepted":
        if {how!r} == "end":
            os._exit(9)
        raise Odd(1, 2) if {how!r} == "raise oddly" else ValueError("no room")
    return figure(chart, **options)
Chart.figure = failing

if __name__ == "__main__":
    with weft.Results.open(sys.argv[1]) as results:
        told = []
        written = write_charts(
            results, sys.argv[2], jobs=2, undrawn=lambda *what: told.append(what),
            progress=lambda done, count: print(done, count),
        )
        for name, error in told:
            print(name, type(error).__name__, error, sep="|")
        print(*(path.name for path in written))
""",
        encoding="utf-8",
    )
    folder = tmp_path / "apart"
    ended = subprocess.run(
        [sys.executable, str(script), str(results.path), str(folder)],
        env=environment(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    *progress, told, written = ended.stdout.splitlines()
    assert progress == [f"{done} 7" for done in range(1, 8)]
    assert (
        told
        == {
            "raise": "accepted|ValueError|no room",
            "raise oddly": "accepted|RuntimeError|Odd: odd",
            "end": "accepted|EnvironmentFailure|the system ended the process that drew it",
        }[how]
    )
    here = write_charts(results, tmp_path / "here")
    assert written.split() == [path.name for path in here if path.stem != "accepted"]
    for path in folder.rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "here" / path.relative_to(folder)).read_bytes()


def test_show_without_its_drawing_tells_the_rest(
    net: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(monkeypatch, MemoryError(), "fabric")
    picture = tmp_path / "net.svg"
    ended = CliRunner().invoke(main, ["fabric", "show", str(net), "--draw", str(picture)])
    assert ended.exit_code == 0
    assert "could not be drawn" in ended.stderr
    assert "MemoryError" in ended.stderr
    assert "switches" in ended.stdout
    assert "drawn in" not in ended.stdout
    assert not picture.exists()


def test_charts_are_drawn_in_the_address_space_that_batch_systems_leave(tmp_path: Path) -> None:
    SAMPLES["two"](tmp_path).close()
    limited = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({4_000_000_000}, {4_000_000_000}))\n"
        f"{PROGRAM}"
    )
    ended = subprocess.run(
        [sys.executable, "-c", limited, "report", str(tmp_path), "--charts", "charts"],
        cwd=tmp_path,
        env={**environment(), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert "could not be drawn" not in ended.stderr
    assert "charts drawn" in ended.stderr
    assert len(list((tmp_path / "charts").glob("*.png"))) > 4


def test_names_of_any_letters_are_drawn(tmp_path: Path) -> None:
    values = [("$x_1$ 交換機 ☃", "$\\frac", 0.1), ("b", "<&>", 0.2)]
    chart = spread_chart(values, "$ 5", "€")
    assert all(chart.shown().values())
    assert all(chart.printed().values())
    assert {"$x_1$ 交換機 ☃", "$\\frac", "$ 5"} <= set(texts_of(chart))
