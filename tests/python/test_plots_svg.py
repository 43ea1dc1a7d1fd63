"""Charts drawn as SVG: numbers as text, ticks, expressions, and where marks come to stand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from report_samples import SAMPLES, study

import weft
from weft.plots.assembly import framed
from weft.plots.curves import accepted, latency, longest
from weft.plots.svg import draw
from weft.plots.svg.expressions import evaluator
from weft.plots.svg.letters import shortened_to, text_width
from weft.plots.svg.numerals import written
from weft.plots.svg.scales import Band, Continuous, blend, nice_ends, ticks
from weft.plots.theme import ROUTING_COLOURS
from weft.plots.writing import _charts

if TYPE_CHECKING:
    from pathlib import Path

    from weft.plots.theme import Spec

WIDE, HIGH = 800, 300


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        # What D3 writes for the same.
        (0.010000000000000002, ".3~g", "0.01"),
        (0.0, ".3~g", "0"),
        (12345.0, ".3~g", "1.23e+4"),
        (0.00000012, ".3~g", "1.2e-7"),
        (-1.5, ".3~g", "−1.5"),
        (100.0, ".3~g", "100"),
        (131679.0, ",~r", "131,679"),
        (20000.0, ",~r", "20,000"),
        (0.5, ",~r", "0.5"),
        (1234.5, ",d", "1,235"),
        (300.0, ",d", "300"),
        (58.85, ".1f", "58.9"),
        (2.0, ",.1f", "2.0"),
        (1003742.2, ",.0f", "1,003,742"),
        (0.1125, ".4~%", "11.25%"),
        (0.15, ".4~%", "15%"),
        (396109.0, ",", "396,109"),
        (3, "", "3"),
        (1.25e-3, ".4~g", "0.00125"),
        (-0.0001, ".1f", "0.0"),
    ],
)
def test_numbers_are_written_in_the_formats_of_d3(value: float, form: str, text: str) -> None:
    assert written(value, form) == text


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'\$,s'"):
        written(1.0, "$,s")


def test_ticks_are_round_and_within_the_interval() -> None:
    assert ticks(0.0, 0.07, 8) == [0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07]
    assert ticks(1.0, 300.0, 10, 1.0) == [20.0 * number for number in range(1, 16)]
    assert ticks(1.0, 4.0, 10, 1.0) == [1.0, 2.0, 3.0, 4.0]
    assert ticks(0.0, 26.0, 7) == [0.0, 5.0, 10.0, 15.0, 20.0, 25.0]
    assert ticks(5.0, 5.0, 5) == [5.0]
    assert nice_ends(0.0, 0.0686) == (0.0, 0.07)
    assert nice_ends(0.0, 25.02) == (0.0, 26.0)
    assert nice_ends(0.0, 0.5) == (0.0, 0.5)
    assert nice_ends(-3.1, 97.0) == (-10.0, 100.0)


def test_scales_place_values() -> None:
    up = Continuous(1.0, 100.0, 400.0, 0.0, is_log=True)
    assert [up(1.0), up(10.0), up(100.0)] == pytest.approx([400.0, 200.0, 0.0])
    along = Continuous(0.0, 50.0, 0.0, 300.0, is_clamped=True)
    assert [along(-1.0), along(25.0), along(60.0)] == [0.0, 150.0, 300.0]
    band = Band(["a", "b", "c", "d"], 0.0, 100.0, inner=0.2, outer=0.1)
    assert [band.step, band.width] == pytest.approx([25.0, 20.0])
    assert [band("a"), band.middle("a"), band.middle("d")] == pytest.approx([2.5, 12.5, 87.5])
    assert blend(["#000000", "#ff0000", "#ffffff"], 0.25) == "#800000"
    assert blend(["#000000", "#ffffff"], 2.0) == "#ffffff"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("datum.tail", True),
        ("!datum.tail", False),
        ("datum.values[load_index]", 7),
        ("datum.values[routing_index * 2 + load_index]", 9),
        ("isValid(datum.nothing) && indexof(hidden, datum.routing) < 0", False),
        ("isValid(datum.style) || datum.tail", True),
        ("indexof(hidden, datum.routing) < 0", True),
        ("datum.style === 3", True),
        ("datum.routing == 'a && !b'", True),
        ("split(datum.routing, ' && ')", ["a", "!b"]),
        ('"a \\u00fc && \\"b\\"" + \', \' + ["x", "y"][load_index]', 'a ü && "b", y'),
    ],
)
def test_expressions_mean_what_vega_means_by_them(text: str, value: object) -> None:
    datum = {"tail": True, "values": [5, 7, 8, 9], "style": 3, "routing": "a && !b"}
    names = {"datum": datum, "load_index": 1, "routing_index": 1, "hidden": ["c"]}
    assert evaluator(text)(names) == value


@pytest.mark.parametrize("text", ["datum.__class__.mro()", "exec('1')", "[row for row in datum]"])
def test_no_other_expression_is_computed(text: str) -> None:
    with pytest.raises(ValueError, match="which no chart is drawn by"):
        evaluator(text)


def test_texts_are_as_wide_as_their_letters() -> None:
    assert text_width("ii", 10.0) == pytest.approx(5.6)
    assert text_width("mm", 10.0) < text_width("mm", 10.0, is_bold=True)
    cut = shortened_to(60.0, "a name that is far too long", 10.0)
    assert cut.endswith("…")
    assert text_width(cut, 10.0) <= 60.0
    assert shortened_to(600.0, "short", 10.0) == "short"


def chart_of(layers: list[Spec], rows: list[dict[str, object]]) -> Spec:
    return framed(layers, rows, "A title", "Below it", HIGH, hidden=[])


def on_paper(**further: object) -> Spec:
    """Place rows by x and y, whose axes are those of the paper."""
    return {
        channel: {
            "field": channel,
            "type": "quantitative",
            "title": f"title of {channel}",
            "scale": {"domain": [0, end], "nice": False},
        }
        for channel, end in (("x", WIDE), ("y", HIGH))
    } | further


def test_marks_stand_where_their_rows_say() -> None:
    rows: list[dict[str, object]] = [
        {"x": 100, "y": 50, "n": "a <b>"},
        {"x": 400, "y": 300, "n": "c"},
    ]
    layers = [
        {"mark": {"type": "line", "strokeDash": [2, 4]}, "encoding": on_paper()},
        {
            "mark": {"type": "point", "filled": True, "size": 16, "color": "#010203"},
            "encoding": on_paper(tooltip=[{"field": "n", "type": "nominal", "title": "name"}]),
        },
        {
            "mark": {"type": "text", "align": "right", "color": "#111111"},
            "transform": [{"filter": "datum.n == 'c'"}],
            "encoding": on_paper(text={"field": "n", "type": "nominal"}),
        },
    ]
    svg = draw(chart_of(layers, rows))
    assert '<path d="M100,250L400,0" fill="none"' in svg
    assert 'stroke-dasharray="2,4"' in svg
    assert 'transform="translate(100,250)" d="M2,0A2,2,0,1,1,-2,0A2,2,0,1,1,2,0"' in svg
    assert "<title>name: a &lt;b&gt;</title>" in svg
    assert svg.count('fill="#010203"') == 2
    assert re.search(r'<text text-anchor="end" transform="translate\(400,3.3\)"[^>]*>c</text>', svg)
    for text in ("A title", "Below it", "title of x", "title of y", ">800</text>", ">300</text>"):
        assert text in svg


def test_a_picture_has_room_for_all_that_stands_around_its_paper() -> None:
    layers = [{"mark": {"type": "point"}, "encoding": on_paper()}]
    root = ElementTree.fromstring(draw(chart_of(layers, [{"x": 1, "y": 2}])))  # noqa: S314
    assert float(root.attrib["width"]) > WIDE + 50
    assert float(root.attrib["height"]) > HIGH + 80
    fitted = chart_of(layers, [{"x": 1, "y": 2}]) | {"autosize": {"type": "fit"}}
    root = ElementTree.fromstring(draw(fitted))  # noqa: S314
    assert (root.attrib["width"], root.attrib["height"]) == ("800", "300")


def test_a_routing_has_one_entry_in_the_legend_with_its_mark(tmp_path: Path) -> None:
    results = study(tmp_path, weft.mesh(3, 3, 1), {"updown": 0.2, "ud_itb": 0.3}, loads=[0.1, 0.4])
    for chart in (latency(results), longest(results), accepted(results)):
        svg = draw(chart)
        for label, colour in zip(("updown", "ud_itb"), ROUTING_COLOURS, strict=False):
            assert svg.count(f">{label}</text>") == 1
            assert svg.count(f'fill="{colour}" stroke="{colour}"') >= 1
        assert svg.count(">routing</text>") == 1


@pytest.mark.parametrize("name", SAMPLES)
def test_charts_of_all_samples_can_be_drawn(name: str, tmp_path: Path) -> None:
    with SAMPLES[name](tmp_path) as results:
        for chart in _charts(results, None).values():
            root = ElementTree.fromstring(draw(chart))  # noqa: S314
            heading = root.find("{http://www.w3.org/2000/svg}title")
            assert heading is not None
            assert heading.text == chart["title"]["text"]
            for number in re.findall(r"\bnan\b|\binf\b", draw(chart)):
                raise AssertionError(number)
