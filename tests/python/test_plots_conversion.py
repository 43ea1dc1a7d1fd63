"""Pictures that need a library: within an address space, and what is left where it fails."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from command import PROGRAM, Ended, environment
from report_samples import SAMPLES
from vl_convert import javascript_bundle

import weft
from weft.plots import write_charts, write_wiring
from weft.plots.conversion import converted
from weft.plots.theme import VEGA_LITE
from weft.report.scripts import chart_library

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><path d="M0,0H9"/></svg>'

#: What batch systems leave a job of a small node, in bytes.
ADDRESS_SPACE = 8_000_000 * 1024

LIBRARIES = {
    "missing": "raise ImportError('no such library')",
    "crashed": "import os; os.abort()",
    "out of memory": "raise MemoryError",
    "at an end": "raise SystemExit(0)",
}
"""What stands in the place of the library that makes pictures."""


def run(arguments: list[object], folder: Path, *first: Path) -> Ended:
    """Run the command in a process of its own that may have so much address space."""
    paths = os.pathsep.join([*map(str, first), environment()["PYTHONPATH"]])
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        cwd=folder,
        env={**environment(), "PYTHONPATH": paths},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE)),
        capture_output=True,
        text=True,
        check=False,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def compared(folder: Path, *first: Path) -> Ended:
    weft.write_fabric(weft.mesh(2, 2, 1), folder / "net.json")
    asked = ["--routing", "updown", "--loads", "0.05", "--max-packets", 2000, "--jobs", 1]
    return run(["compare", "net.json", *asked, "--out", "out"], folder, *first)


def library(kind: str, folder: Path) -> Path:
    """Put something into the place of the library; return the folder to look in first."""
    place = folder / "in place of the library"
    place.mkdir()
    (place / "vl_convert.py").write_text(LIBRARIES[kind], encoding="utf-8")
    return place


def test_every_command_that_draws_does_with_eight_gigabytes_of_addresses(tmp_path: Path) -> None:
    ended = compared(tmp_path)
    assert (ended.code, "warning" in ended.stderr) == (0, False), ended.stderr
    charts = tmp_path / "out" / "charts"
    ends = [path.suffix for path in charts.rglob("*") if path.is_file()]
    assert {end: ends.count(end) for end in ends} == {".svg": 14, ".png": 7, ".pdf": 7, ".csv": 7}
    for arguments in (
        ["report", "out", "--charts", "again"],
        ["fabric", "show", "net.json", "--draw", "net.png"],
    ):
        ended = run(arguments, tmp_path)
        assert (ended.code, ended.stderr) == (0, "")
    assert len(list((tmp_path / "again").rglob("*.pdf"))) == 7
    assert (tmp_path / "net.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("kind", LIBRARIES)
def test_a_library_that_fails_leaves_table_results_and_page(kind: str, tmp_path: Path) -> None:
    ended = compared(tmp_path, library(kind, tmp_path))
    assert ended.code == 0, ended.stderr
    assert "Take updown" in ended.stdout
    warnings = [line for line in ended.stderr.splitlines() if line.startswith("warning")]
    assert len(warnings) == 1
    assert re.match(r"warning: PNG and PDF could not be made of the charts: .", warnings[0])
    assert "Traceback" not in ended.stderr
    with weft.Results.open(tmp_path / "out" / "results.sqlite") as results:
        assert len(results.routings[0].points) == 1
    assert "vegaEmbed" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    made = {path.suffix for path in (tmp_path / "out" / "charts").rglob("*.*")}
    assert made == {".svg", ".csv"}


def test_a_library_that_fails_is_an_error_in_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(library("crashed", tmp_path)))
    with pytest.raises(weft.DrawingFailure, match=r"vl-convert was ended by SIGABRT$"):
        write_charts(SAMPLES["refused"](tmp_path), tmp_path / "charts")
    assert (tmp_path / "charts" / "fabric.svg").exists()
    with pytest.raises(weft.EnvironmentFailure, match=r"^PNG and PDF could not be made"):
        write_wiring(weft.mesh(2, 2, 1), tmp_path / "net.png")
    assert not (tmp_path / "net.png").exists()


def test_a_python_that_cannot_be_started_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(weft.DrawingFailure, match="no process could be started"):
        converted([(".png", SVG)])


def test_pictures_come_in_the_order_asked_for() -> None:
    png, pdf, again = converted([(".png", SVG), (".pdf", SVG), (".png", SVG)])
    assert png == again
    assert png.startswith(b"\x89PNG")
    assert pdf.startswith(b"%PDF")
    # Two pixels to a CSS pixel.
    assert (int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) == (40, 20)
    assert converted([]) == []


def test_the_page_draws_with_the_library_that_is_locked() -> None:
    bundle = javascript_bundle(vl_version=".".join(VEGA_LITE.split(".")[:2]))
    same = bundle.replace("</script", "<\\/script") == chart_library()
    assert same, "run requirements/chart_library.py, which writes python/weft/report/vega.js.gz"


def test_charts_name_the_version_that_altair_knows() -> None:
    from altair import SCHEMA_VERSION

    assert f"v{VEGA_LITE}" == SCHEMA_VERSION


def test_licences_of_the_library_stand_beside_it() -> None:
    text = Path(weft.__file__).with_name("report").joinpath("vega-licences.txt").read_text()
    for holder in ("University of Washington Interactive Data Lab", "Mike Bostock", "Mapbox"):
        assert holder in text
