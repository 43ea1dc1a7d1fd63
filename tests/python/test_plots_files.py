"""Charts as files: whole, readable, and named so that every file system takes them."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
import pytest
from report_samples import SAMPLES, study

import weft
from weft.plots import (
    Chart,
    fabric_chart,
    latency_chart,
    spread_chart,
    wiring_chart,
    write_charts,
)
from weft.plots.chart import COLUMN_PX
from weft.plots.writing import file_name

if TYPE_CHECKING:
    from pathlib import Path


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
    made = latency_chart(results).printed()
    root = ElementTree.fromstring(made[".svg"].decode())  # noqa: S314
    assert float(root.attrib["width"]) == 336
    assert 150 < float(root.attrib["height"]) < 340
    # One font for all texts, those with "ff" as well.
    assert made[".pdf"].count(b"/FontFile2") == 1
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
    drawn = fabric_chart(results).printed()
    assert float(ElementTree.fromstring(drawn[".svg"].decode()).attrib["width"]) == 336  # noqa: S314


def test_boxes_hold_every_topology() -> None:
    values = [("8 switches", "UD", 0.1), ("8 switches", "UD", 0.3), ("16 switches", "ITB", 0.2)]
    chart = spread_chart(values, "Throughput", "bytes/ns/switch")
    assert [tuple(row.values()) for row in chart.rows] == values
    (axes,) = chart.figure().axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["8 switches", "16 switches"]
    boxes = sorted(
        tuple(np.round([box.get_y(), box.get_y() + box.get_height()], 9)) for box in axes.patches
    )
    assert boxes == [(0.15, 0.25), (0.2, 0.2)]
    points = sorted(float(y) for line in axes.lines for y in line.get_ydata())
    assert points == [0.1, 0.2, 0.3]
    assert b"16 switches" in chart.printed()[".svg"]


def test_many_conditions_have_slanted_names_and_room_in_a_column() -> None:
    def chart(conditions: int, routings: int) -> Chart:
        names = [f"a routing of the long name {number}" for number in range(routings)]
        values = [
            (f"{8 * number} switches, 512 bytes", name, number + seed / 10)
            for number in range(1, 1 + conditions)
            for name in names
            for seed in range(3)
        ]
        return spread_chart(values, "Throughput", "bytes/ns/switch")

    few, many = chart(2, 2), chart(12, 4)
    turns = [
        {label.get_rotation() for label in made.figure(is_printed=True).axes[0].get_xticklabels()}
        for made in (few, many)
    ]
    assert turns == [{0.0}, {40.0}]
    svgs = [made.printed()[".svg"] for made in (few, many)]
    heights = [float(re.findall(rb'height="([\d.]+)"', svg)[0]) for svg in svgs]
    assert heights[1] - heights[0] == pytest.approx(70 + 2 * 16, abs=1)
    # Twelve conditions with four boxes each share a column.
    (axes,) = many.figure(is_printed=True).axes
    room = axes.get_position().width * COLUMN_PX / 12
    (width,) = {round(box.get_width(), 6) for box in axes.patches}
    assert width * room * 12 * 4 < COLUMN_PX
    # No name of the legend is cut: each has a row.
    assert svgs[1].count(b"a routing of the long name") >= 4
    assert b"\xe2\x80\xa6" not in svgs[1]


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
    assert file_name("é" * 300) == "é" * 60


def test_a_chart_is_saved_as_its_name_ends(tmp_path: Path) -> None:
    chart = wiring_chart(weft.mesh(3, 3, 2))
    starts = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    for end, start in starts.items():
        chart.save(tmp_path / f"wiring{end}")
        assert (tmp_path / f"wiring{end}").read_bytes().startswith(start)
    with pytest.raises(weft.InputError, match=r"'wiring.gif', expected .* .svg, .png or .pdf"):
        chart.save(tmp_path / "wiring.gif")


def test_the_same_results_give_the_same_files(tmp_path: Path) -> None:
    results = study(tmp_path, weft.mesh(2, 2, 1), {"updown": 0.3}, loads=[0.1])
    first, second = (latency_chart(results) for _ in range(2))
    assert first.shown() == second.shown()
    assert first.printed() == second.printed()


def test_a_notebook_gets_the_chart_itself_and_loads_nothing(tmp_path: Path) -> None:
    results = study(tmp_path, weft.mesh(2, 2, 1), {"updown": 0.3}, loads=[0.1])
    # It asks an object for all forms that it has: this is the only one.
    shown_by = [name for name in dir(Chart) if name.startswith(("_repr_", "_ipython_"))]
    assert shown_by == ["_repr_svg_"]
    for chart in (latency_chart(results), wiring_chart(weft.mesh(2, 2, 1))):
        text = chart._repr_svg_()
        names = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
        assert set(re.findall(r"\w+://[^\s\"')]+", text)) == names
        page = ElementTree.fromstring(text)  # noqa: S314 - our own text
        kinds = {element.tag.rpartition("}")[2] for element in page.iter()}
        assert kinds & {"script", "link", "iframe", "foreignObject", "style", "image"} == set()
        links = [
            value
            for element in page.iter()
            for name, value in element.attrib.items()
            if name.rpartition("}")[2] in ("href", "src")
        ]
        assert [link for link in links if not link.startswith("#")] == []
        words = "".join(page.itertext())
        assert chart.title in words
        assert {"path", "text"} <= kinds


def test_a_notebook_shows_a_chart_and_its_figure_can_be_changed(tmp_path: Path) -> None:
    results = study(tmp_path, weft.mesh(2, 2, 1), {"updown": 0.3}, loads=[0.1])
    chart = latency_chart(results)
    assert chart._repr_svg_() == chart.svg()
    figure = chart.figure()
    figure.axes[0].set_ylim(1, 1e6)
    figure.savefig(tmp_path / "mine.png")
    assert (tmp_path / "mine.png").stat().st_size > 1_000
