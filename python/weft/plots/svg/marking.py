"""The marks of a layer: lines, rules, points, texts, bars, ticks and boxes."""

from __future__ import annotations

import math
import re
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.plots.svg.elements import Setting, element, number, path_of, plain, text_at
from weft.plots.svg.numerals import written

if TYPE_CHECKING:
    from collections.abc import Callable

    from weft.plots.svg.elements import Box
    from weft.plots.svg.prepared import Layer, Prepared, Row

__all__ = ["painted", "symbol"]

#: Colour of a mark that is given none.
_COLOUR = "#4c78a8"

#: Of the lines that reach from a box to the extremes.
_WHISKERS = "#000000"

_SHAPES: dict[str, str] = {
    "square": "M-1,-1L1,-1L1,1L-1,1Z",
    "diamond": "M-1,0L0,-1L1,0L0,1Z",
    "cross": "M-1,-0.4L-0.4,-0.4L-0.4,-1L0.4,-1L0.4,-0.4L1,-0.4"
    "L1,0.4L0.4,0.4L0.4,1L-0.4,1L-0.4,0.4L-1,0.4Z",
    "triangle-up": "M0,-0.866L-1,0.866L1,0.866Z",
    "triangle-down": "M0,0.866L-1,-0.866L1,-0.866Z",
    "triangle-right": "M0.866,0L-0.866,-1L-0.866,1Z",
    "triangle-left": "M-0.866,0L0.866,-1L0.866,1Z",
}
"""Shapes in a square from -1 to 1."""


def painted(chart: Prepared, layer: Layer, box: Box) -> list[str]:
    """Draw the marks of a layer; the box grows by those that reach out of the paper."""
    return _PAINTERS[layer.mark["type"]](chart, layer, box)


def symbol(shape: str, area: float) -> str:
    """Return the way around a symbol whose square has this area, in square pixels."""
    radius = math.sqrt(area) / 2.0
    if shape == "circle":
        size = number(radius)
        return f"M{size},0A{size},{size},0,1,1,-{size},0A{size},{size},0,1,1,{size},0"
    return re.sub(
        r"-?\d+(?:\.\d+)?",
        lambda match: number(float(match[0]) * radius),
        _SHAPES.get(shape, shape),
    )


def _looks(chart: Prepared, layer: Layer, row: Row, *, fills: bool) -> dict[str, Any]:
    """Return the attributes that a mark has for this row."""
    mark, encoding = layer.mark, layer.encoding

    def shown(channel: str) -> Any:  # noqa: ANN401 - a value of a scale
        given = encoding.get(channel)
        return None if given is None else chart.looked_up(given, row)

    colour = shown("color") or mark.get("color") or _COLOUR
    fill, stroke = (
        shown("fill") or mark.get("fill") or (colour if fills else None),
        shown("stroke") or mark.get("stroke") or (None if fills else colour),
    )
    is_line = mark["type"] in {"line", "rule"}
    dashes = shown("strokeDash") or mark.get("strokeDash")
    width = shown("strokeWidth") or mark.get("strokeWidth")
    opacity = mark.get("opacity")
    return {
        "fill": "none" if is_line or fill is None else fill,
        "fill_opacity": shown("fillOpacity"),
        "stroke": stroke,
        "stroke_width": None if stroke is None or width is None else float(width),
        "stroke_dasharray": ",".join(map(str, dashes)) if dashes and dashes[1:] != [0] else None,
        "stroke_linecap": mark.get("strokeCap"),
        "opacity": None if opacity in (None, 1) else opacity,
    }


def _told(layer: Layer, row: Row) -> str:
    """Return the tooltip of a mark, which browsers show and screen readers read."""
    lines = []
    for entry in layer.encoding.get("tooltip", []):
        value = row.get(entry["field"])
        if value is None:
            continue
        is_number = entry["type"] == "quantitative"
        text = written(value, entry.get("format", "")) if is_number else str(value)
        lines.append(f"{entry['title'].strip()}: {text}")
    return element("title", plain("\n".join(lines))) if lines else ""


def _lines(chart: Prepared, layer: Layer, _: Box) -> list[str]:
    channels = ("stroke", "color", "strokeDash")
    fields = list(dict.fromkeys(filter(None, map(layer.field, channels))))
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in layer.rows:
        groups.setdefault(tuple(row[field] for field in fields), []).append(row)
    order = layer.field("order") or layer.field("x") or ""
    drawn = []
    for rows in groups.values():
        rows.sort(key=itemgetter(order))
        way = path_of(
            [(chart.place(layer, "x", row), chart.place(layer, "y", row)) for row in rows]
        )
        drawn.append(element("path", d=way, **_looks(chart, layer, rows[0], fills=False)))
    return drawn


def _rules(chart: Prepared, layer: Layer, _: Box) -> list[str]:
    rows = layer.rows
    order = layer.field("order")
    if order is not None:
        rows = sorted(rows, key=itemgetter(order))
    drawn = []
    for row in rows:
        x, y = chart.place(layer, "x", row), chart.place(layer, "y", row)
        x2 = chart.place(layer, "x2", row) if "x2" in layer.encoding else x
        y2 = chart.place(layer, "y2", row) if "y2" in layer.encoding else y
        looks = _looks(chart, layer, row, fills=False)
        drawn.append(
            element("line", _told(layer, row), x1=x, y1=y, x2=x2, y2=y2, **_without_fill(looks))
        )
    return drawn


def _without_fill(looks: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in looks.items() if not name.startswith("fill")}


def _points(chart: Prepared, layer: Layer, box: Box) -> list[str]:
    is_filled = layer.mark.get("filled", False)
    drawn = []
    for row in layer.rows:
        x, y = chart.place(layer, "x", row), chart.place(layer, "y", row)
        area = layer.mark.get("size", 30)
        if "size" in layer.encoding:
            area = chart.looked_up(layer.encoding["size"], row)
        shape = "circle"
        if "shape" in layer.encoding:
            shape = chart.looked_up(layer.encoding["shape"], row) or shape
        looks = _looks(chart, layer, row, fills=is_filled)
        reach = math.sqrt(area) / 2.0 + (looks["stroke_width"] or 0.0) / 2.0
        box.take(x - reach, y - reach, x + reach, y + reach)
        place = f"translate({number(x)},{number(y)})"
        way = symbol(shape, area)
        drawn.append(element("path", _told(layer, row), transform=place, d=way, **looks))
    return drawn


def _texts(chart: Prepared, layer: Layer, box: Box) -> list[str]:
    mark = layer.mark
    size = float(mark.get("fontSize", 11))
    # Where the base line lies below the point that a text is set at.
    drop = {"top": 0.79, "middle": 0.3, "bottom": -0.21}[mark.get("baseline", "middle")] * size
    edge = {"stroke": mark.get("stroke"), "stroke_width": mark.get("strokeWidth")}
    setting = Setting(
        size,
        "none" if "stroke" in mark else mark.get("color", chart.spec["config"]["text"]["color"]),
        {"left": "start", "center": "middle", "right": "end"}[mark.get("align", "center")],
        mark.get("fontWeight", 400),
        float(mark.get("angle", 0.0)),
        {**edge, "stroke_linejoin": "round" if "stroke" in mark else None},
    )
    drawn = []
    for row in layer.rows:
        text = row[layer.encoding["text"]["field"]] if "text" in layer.encoding else mark["text"]
        x, y = chart.place(layer, "x", row), chart.place(layer, "y", row)
        along, down = _turned(mark.get("dx", 0.0), mark.get("dy", 0.0) + drop, setting.angle)
        drawn.append(text_at(x + along, y + down, [str(text)], setting, box))
    return drawn


def _turned(along: float, down: float, angle: float) -> tuple[float, float]:
    """Turn a step by degrees, clockwise."""
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return along * cosine - down * sine, along * sine + down * cosine


def _bars(chart: Prepared, layer: Layer, _: Box) -> list[str]:
    wide, ground = _band_width(chart), chart.y(0.0)
    drawn = []
    for row in layer.rows:
        middle, y = chart.place(layer, "x", row), chart.place(layer, "y", row)
        top, high = min(y, ground), abs(ground - y)
        looks = _looks(chart, layer, row, fills=True)
        drawn.append(
            element(
                "rect",
                _told(layer, row),
                x=middle - wide / 2.0,
                y=top,
                width=wide,
                height=high,
                **looks,
            )
        )
    return drawn


def _tick_marks(chart: Prepared, layer: Layer, _: Box) -> list[str]:
    wide, thick = _band_width(chart), float(layer.mark["thickness"])
    drawn = []
    for row in layer.rows:
        middle, y = chart.place(layer, "x", row), chart.place(layer, "y", row)
        way = path_of([(middle - wide / 2.0, y), (middle + wide / 2.0, y)])
        looks = _looks(chart, layer, row, fills=False) | {"stroke_width": thick, "fill": "none"}
        drawn.append(element("path", _told(layer, row), d=way, **looks))
    return drawn


def _band_width(chart: Prepared) -> float:
    band: Any = chart.x if chart.offsets is None else chart.offsets
    return float(band.width)


def _boxes(chart: Prepared, layer: Layer, _: Box) -> list[str]:
    """Draw quartiles, median and extremes of the rows at each place."""
    keys = [layer.encoding[channel]["field"] for channel in ("x", "xOffset")]
    field = layer.encoding["y"]["field"]
    at = itemgetter(*keys)
    wide = float(layer.mark["size"])
    drawn = []
    for _key, own in groupby(sorted(layer.rows, key=at), key=at):
        rows = list(own)
        middle = chart.place(layer, "x", rows[0])
        values = np.array([row[field] for row in rows])
        least, low, median, high, most = (
            chart.y(float(value)) for value in np.percentile(values, [0, 25, 50, 75, 100])
        )
        looks = _looks(chart, layer, rows[0], fills=True)
        line = {"fill": "none", "stroke": _WHISKERS, "opacity": looks["opacity"]}
        whiskers = f"M{number(middle)},{number(least)}V{number(low)}"
        whiskers += f"M{number(middle)},{number(high)}V{number(most)}"
        left = middle - wide / 2.0
        around = f"M{number(left)},{number(high)}h{number(wide)}v{number(low - high)}"
        across = path_of([(left, median), (left + wide, median)])
        drawn += [
            element("path", d=whiskers, **line),
            element("path", d=f"{around}h{number(-wide)}Z", class_="box", **looks),
            element("path", d=across, **line | {"stroke": layer.mark["median"]["color"]}),
        ]
    return drawn


_PAINTERS: dict[str, Callable[[Prepared, Layer, Box], list[str]]] = {
    "line": _lines,
    "rule": _rules,
    "point": _points,
    "text": _texts,
    "bar": _bars,
    "tick": _tick_marks,
    "boxplot": _boxes,
}
