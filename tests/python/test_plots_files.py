"""Charts as files: whole, readable, and named so that every file system takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from report_samples import SAMPLES, study

import weft
from weft.plots import write_charts
from weft.plots.files import file_name

if TYPE_CHECKING:
    from pathlib import Path


def test_every_chart_is_written_as_svg_and_png(tmp_path: Path) -> None:
    results = study(tmp_path, weft.mesh(2, 2, 1), {"updown": 0.3, "ud_itb": 0.4}, loads=[0.1])
    written = write_charts(results, tmp_path / "charts")
    names = {"latency", "accepted", "utilization", "blocked", "fabric-updown", "fabric-ud_itb"}
    expected = {f"{name}{suffix}" for name in names for suffix in (".svg", ".png")}
    assert {path.name for path in written} == expected
    assert {path.name for path in (tmp_path / "charts").iterdir()} == expected
    for path in written:
        if path.suffix == ".png":
            assert path.read_bytes().startswith(b"\x89PNG")
        else:
            root = ElementTree.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314
            assert root.tag.endswith("svg")
    text = (tmp_path / "charts" / "latency.svg").read_text(encoding="utf-8")
    assert "mean latency from generation to delivery (ns)" in text


def test_a_study_without_points_is_drawn_as_wiring(tmp_path: Path) -> None:
    written = write_charts(SAMPLES["refused"](tmp_path), tmp_path / "charts")
    assert [path.name for path in written] == ["fabric.svg", "fabric.png"]
    assert "no routing was simulated" in written[0].read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_made_is_an_error_of_the_machine(tmp_path: Path) -> None:
    results = SAMPLES["refused"](tmp_path)
    (tmp_path / "charts").write_text("a file is in the way", encoding="utf-8")
    with pytest.raises(weft.EnvironmentFailure, match="charts"):
        write_charts(results, tmp_path / "charts")


def test_labels_become_names_of_files() -> None:
    assert file_name("updown:root=0,selection=random") == "updown-root-0-selection-random"
    assert file_name("../..") == "routing"
