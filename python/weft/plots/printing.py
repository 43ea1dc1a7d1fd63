"""Charts for a paper: as wide as a column, as SVG and PDF, with their data beside as CSV."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from typing import TYPE_CHECKING, Any

from weft.plots.theme import vega_lite_version

if TYPE_CHECKING:
    import altair as alt

__all__ = ["COLUMN_PX", "printed"]

COLUMN_PX = 336
"""Width of a column, 3.5 inches, in CSS pixels."""

COLUMN_PT = 252
"""The same in points, the unit of a PDF."""

#: A chart this high keeps its shape in a column.
_HEIGHT_PX = 250

#: Letters that fit beside an axis of that height.
_LONGEST_TITLE = 34

#: Height of a row of the legend, and of names that are slanted.
_ROW_PX = 16
_SLANTED_PX = 70

#: Letters of an entry of the legend of which two fit beside each other.
_LONGEST_OF_TWO = 18

#: Letters of eight points, the size of captions, and legends below instead of beside.
_CONFIG: dict[str, dict[str, Any]] = {
    "axis": {"labelFontSize": 10, "titleFontSize": 10.5, "titlePadding": 6, "tickCount": 5},
    "legend": {
        "labelFontSize": 10,
        "titleFontSize": 10,
        "orient": "bottom",
        "columns": 2,
        "offset": 6,
        "symbolSize": 60,
        "labelLimit": 130,
    },
    "padding": {"left": 2, "top": 2, "right": 4, "bottom": 2},
}


def printed(chart: alt.LayerChart, *, is_drawing: bool = False) -> dict[str, bytes]:
    """Return a chart as it goes into a paper: content by ``.svg``, ``.pdf`` and ``.csv``.

    The title is left out: in a paper it stands in the caption. A drawing to scale is shrunk as a
    whole instead of laid out anew.
    """
    from vl_convert import svg_to_pdf, vegalite_to_svg

    spec = json.loads(chart.to_json(indent=None))
    data = _table(spec)
    spec.pop("title", None)
    if not is_drawing:
        spec["autosize"] = {"type": "fit", "contains": "padding"}
        wide = spec["width"]
        spec["width"], spec["height"] = COLUMN_PX, _HEIGHT_PX + _room_below(spec)
        _break_long_titles(spec)
        _thin_boxes(spec, COLUMN_PX / wide)
        for part, values in _CONFIG.items():
            spec["config"][part] = {**spec["config"].get(part, {}), **values}
        if max(map(len, _entries(spec)), default=0) > _LONGEST_OF_TWO:
            spec["config"]["legend"] |= {"columns": 1, "labelLimit": COLUMN_PX - 60}
    svg = vegalite_to_svg(spec, vl_version=vega_lite_version())
    return {
        ".svg": _as_wide_as(COLUMN_PX, svg).encode(),
        ".pdf": svg_to_pdf(_as_wide_as(COLUMN_PT, svg)),
        ".csv": data.encode(),
    }


def _break_long_titles(part: Any) -> None:  # noqa: ANN401 - any part of a specification
    """Break the titles of upright axes that are longer than the axis into two lines."""
    if isinstance(part, list):
        for entry in part:
            _break_long_titles(entry)
    if not isinstance(part, dict):
        return
    for name, entry in part.items():
        title = entry.get("title") if isinstance(entry, dict) else None
        if name == "y" and isinstance(title, str) and len(title) > _LONGEST_TITLE:
            middle = min(
                (at for at, letter in enumerate(title) if letter == " "),
                key=lambda at: abs(at - len(title) / 2),
            )
            entry["title"] = [title[:middle], title[middle + 1 :]]
        _break_long_titles(entry)


def _thin_boxes(spec: dict[str, Any], share: float) -> None:
    """Give boxes, and the points over them, a share of their width: they know no axis."""
    for layer in spec.get("layer", []):
        mark = layer["mark"]
        if "size" in mark and "xOffset" in layer["encoding"]:
            mark["size"] *= share


def _entries(spec: dict[str, Any]) -> set[str]:
    """Return the entries of the legend of routings."""
    rows = (row for table in spec.get("datasets", {}).values() for row in table)
    return {row["routing"] for row in rows if "routing" in row}


def _room_below(spec: dict[str, Any]) -> float:
    """Return the height to add, so that slanted names and a long legend do not take the axis'."""
    names = _entries(spec)
    is_long = max(map(len, names), default=0) > _LONGEST_OF_TWO
    rows = len(names) if is_long else math.ceil(len(names) / 2)
    axes = (layer.get("encoding", {}).get("x", {}).get("axis") for layer in spec.get("layer", []))
    is_slanted = any(axis and axis.get("labelAngle") for axis in axes)
    return _ROW_PX * max(rows - 2, 0) + (_SLANTED_PX if is_slanted else 0)


def _as_wide_as(column: int, svg: str) -> str:
    """Give a picture the width of a column; its view box stays."""
    root = re.search(r"<svg[^>]*>", svg)
    sizes = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
    if root is None or sizes is None:
        return svg
    width, height = float(sizes[1]), float(sizes[2])
    tag = root[0].replace(sizes[0], f'width="{column}" height="{height * column / width:g}"')
    if "viewBox" not in tag:
        tag = tag.replace("<svg", f'<svg viewBox="0 0 {width:g} {height:g}"', 1)
    return svg.replace(root[0], tag, 1)


def _table(spec: dict[str, Any]) -> str:
    """Write the rows that a chart is drawn from: the longest list of them in it."""
    tables: list[list[dict[str, Any]]] = list(spec.get("datasets", {}).values())
    rows = max(tables, key=len, default=[])
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([_plain(row.get(name)) for name in names])
    return text.getvalue()


def _plain(value: Any) -> Any:  # noqa: ANN401 - a value of a row
    """Write a list of one as that one, other lists as JSON."""
    if isinstance(value, list):
        return value[0] if len(value) == 1 else json.dumps(value)
    return value
