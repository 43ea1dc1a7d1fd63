"""Charts as files: whole, readable, and named so that every file system takes them."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from report_samples import SAMPLES, study

import weft
from weft.plots import fabric_chart, latency_chart, spread_chart, write_charts
from weft.plots.printing import COLUMN_PX, printed
from weft.plots.writing import file_name

if TYPE_CHECKING:
    from pathlib import Path

    import altair as alt


def test_every_chart_is_written_as_svg_and_png(tmp_path: Path) -> None:
    results = study(tmp_path, weft.mesh(2, 2, 1), {"updown": 0.3, "ud_itb": 0.4}, loads=[0.1])
    written = write_charts(results, tmp_path / "charts")
    names = {"latency", "longest", "accepted", "utilization", "blocked", "hosts"}
    names |= {"fabric-updown", "fabric-ud_itb"}
    expected = {f"{name}{suffix}" for name in names for suffix in (".svg", ".png")}
    expected |= {f"print/{name}{suffix}" for name in names for suffix in (".svg", ".pdf", ".csv")}
    folder = tmp_path / "charts"
    assert {path.relative_to(folder).as_posix() for path in written} == expected
    assert {path for path in folder.rglob("*") if path.is_file()} == set(written)
    starts = {".png": b"\x89PNG", ".pdf": b"%PDF"}
    for path in written:
        if path.suffix in starts:
            assert path.read_bytes().startswith(starts[path.suffix])
        elif path.suffix == ".csv":
            assert len(path.read_text(encoding="utf-8").splitlines()) > 1
        else:
            root = ElementTree.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314
            assert root.tag.endswith("svg")
    text = (tmp_path / "charts" / "latency.svg").read_text(encoding="utf-8")
    assert "mean latency from generation to delivery (ns)" in text


def test_a_printed_chart_is_as_wide_as_a_column_and_its_data_stands_beside(tmp_path: Path) -> None:
    results = study(tmp_path, weft.mesh(2, 2, 1), {"updown": 0.3, "ud_itb": 0.4}, loads=[0.1, 0.2])
    made = printed(latency_chart(results))
    root = ElementTree.fromstring(made[".svg"].decode())  # noqa: S314
    assert float(root.attrib["width"]) == 336
    assert 150 < float(root.attrib["height"]) < 340
    # The one page of the PDF: 3.5 inches of 72 points.
    box = re.search(rb"/MediaBox ?\[ ?0 0 ([\d.]+) ([\d.]+) ?\]", made[".pdf"])
    assert box is not None
    assert float(box[1]) == pytest.approx(252, abs=0.6)
    rows = list(csv.DictReader(io.StringIO(made[".csv"].decode())))
    assert [(row["routing"], row["load"]) for row in rows] == [
        ("updown", "0.1"),
        ("updown", "0.2"),
        ("ud_itb", "0.1"),
        ("ud_itb", "0.2"),
    ]
    points = [point for routing in results.routings for point in routing.points]
    for row, point in zip(rows, points, strict=True):
        assert float(row["latency"]) == point.measurement.generation_latency_ns.mean
    drawn = printed(fabric_chart(results), is_drawing=True)
    assert float(ElementTree.fromstring(drawn[".svg"].decode()).attrib["width"]) == 336  # noqa: S314


def test_boxes_hold_every_topology() -> None:
    values = [("8 switches", "UD", 0.1), ("8 switches", "UD", 0.3), ("16 switches", "ITB", 0.2)]
    chart = spread_chart(values, "Throughput", "bytes/ns/switch")
    assert [tuple(row.values()) for row in chart.data.values] == values
    spec = chart.to_dict()
    assert spec["layer"][0]["encoding"]["x"]["sort"] == ["8 switches", "16 switches"]
    assert b"16 switches" in printed(chart)[".svg"]


def widths_of_boxes(svg: bytes) -> set[float]:
    """Return the widths of the boxes of a chart in its own units."""
    return {
        float(width)
        for width in re.findall(rb'aria-roledescription="box" d="M[^"]*?h([\d.]+)v', svg)
    }


def test_many_conditions_have_slanted_names_and_room_in_a_column() -> None:
    def chart(conditions: int, routings: int) -> alt.LayerChart:
        names = [f"a routing of the long name {number}" for number in range(routings)]
        values = [
            (f"{8 * number} switches, 512 bytes", name, number + seed / 10)
            for number in range(1, 1 + conditions)
            for name in names
            for seed in range(3)
        ]
        return spread_chart(values, "Throughput", "bytes/ns/switch")

    few, many = printed(chart(2, 2))[".svg"], printed(chart(12, 4))[".svg"]
    assert b"rotate(320)" in many
    assert b"rotate(320)" not in few
    heights = [float(re.findall(rb'height="([\d.]+)"', svg)[0]) for svg in (few, many)]
    assert heights[1] - heights[0] == pytest.approx(70 + 2 * 16, abs=1)
    # Twelve conditions with four boxes each share a column.
    (width,) = widths_of_boxes(many)
    assert width * 12 * 4 < COLUMN_PX
    # No name of the legend is cut: each has a row.
    assert many.count(b"a routing of the long name") >= 4
    assert b"\xe2\x80\xa6" not in many


def test_a_study_without_points_is_drawn_as_wiring(tmp_path: Path) -> None:
    written = write_charts(SAMPLES["refused"](tmp_path), tmp_path / "charts")
    assert [path.name for path in written] == [
        "fabric.svg",
        "fabric.png",
        *(f"fabric{suffix}" for suffix in (".svg", ".pdf", ".csv")),
    ]
    assert "no routing was simulated" in written[0].read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_made_is_an_error_of_the_machine(tmp_path: Path) -> None:
    results = SAMPLES["refused"](tmp_path)
    (tmp_path / "charts").write_text("a file is in the way", encoding="utf-8")
    with pytest.raises(weft.EnvironmentFailure, match="charts"):
        write_charts(results, tmp_path / "charts")


def test_labels_become_names_of_files() -> None:
    assert file_name("updown:root=0,selection=random") == "updown-root-0-selection-random"
    assert file_name("../..") == "routing"
