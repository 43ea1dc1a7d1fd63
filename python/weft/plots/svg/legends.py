"""Legends: what colours, shapes and dashes mean, and the scale of a colour."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from weft.plots.svg.elements import ASCENT, Box, Setting, element, group, number, path_of, text_at
from weft.plots.svg.letters import shortened_to, text_width
from weft.plots.svg.marking import symbol
from weft.plots.svg.numerals import written
from weft.plots.svg.scales import Continuous, ticks

if TYPE_CHECKING:
    from weft.plots.svg.prepared import Prepared
    from weft.plots.theme import Spec

__all__ = ["legends"]

_CHANNELS = ("color", "stroke", "fill", "shape", "strokeDash")
_ROW = 3.0  # between rows of entries
_COLUMN = 10.0  # between columns
_GAP = 4.0  # from symbol to label
_TITLE_GAP = 5.0
_BESIDE = 18.0  # between legends side by side
_GRADIENT = "scale-of-colours"


def legends(chart: Prepared, box: Box) -> list[str]:
    """Draw the legends on the right of what is in the box, or below it; the box grows by them."""
    found = _found(chart)
    drawn = []
    right, below = Box(), Box()
    top, bottom = 0.0, box.bottom
    for legend in found:
        own = Box()
        parts = legend.parts(own)
        if legend.asked["orient"] == "right":
            x, y = chart.width + legend.asked["offset"], top
            top += own.bottom + _BESIDE
            right.take(0.0, 0.0, x + own.right, y + own.bottom)
        else:
            # Beside the legend before it, where there is room.
            x = below.right + _BESIDE if below.right else 0.0
            if x + own.right > chart.width:
                x, bottom = 0.0, max(bottom, below.bottom)
            y = bottom + legend.asked["offset"]
            below.take(0.0, 0.0, x + own.right, y + own.bottom)
        drawn.append(group(parts, x, y))
    box.take(0.0, 0.0, max(right.right, below.right), max(right.bottom, below.bottom))
    return drawn


@dataclass(slots=True)
class _Legend:
    """The channels with one title and the same entries."""

    chart: Prepared
    title: str
    asked: Spec
    scale: Spec
    looks: dict[str, list[Any]] = field(default_factory=dict)
    opacity: float | None = None
    is_line: bool = False
    fills: bool = False

    def parts(self, box: Box) -> list[str]:
        """Draw title and entries, from the upper left corner."""
        size = self.asked["titleFontSize"]
        colour, weight = self.asked["titleColor"], self.asked["titleFontWeight"]
        setting = Setting(size, colour, weight=weight)
        heading = text_at(0.0, ASCENT * size, [self.title], setting, box)
        below = size + _TITLE_GAP
        if self.asked.get("type") == "gradient":
            return [heading, *self._gradient(below, box)]
        return [heading, *self._entries(below, box)]

    def _entries(self, top: float, box: Box) -> list[str]:
        labels = [
            shortened_to(self.asked["labelLimit"], str(entry), self._size)
            for entry in self.scale["domain"]
        ]
        area = float(self.asked["symbolSize"])
        wide = math.sqrt(area) + float(self.asked.get("symbolStrokeWidth", 1.5))
        pitch = max(self._size + 1.0, 0.0 if self.is_line else wide) + _ROW
        columns = self.asked.get("columns", 1)
        widths = [text_width(label, self._size) for label in labels]
        starts = [0.0]
        for column in range(columns - 1):
            widest = max(widths[column::columns], default=0.0)
            starts.append(starts[-1] + wide + _GAP + widest + _COLUMN)
        setting = Setting(self._size, self.asked["labelColor"])
        drawn = []
        for at, label in enumerate(labels):
            x, y = starts[at % columns], top + pitch * (at // columns)
            middle = y + self._size / 2.0
            drawn.append(self._symbol(at, x + wide / 2.0, middle, area))
            base = middle + 0.3 * self._size
            drawn.append(text_at(x + wide + _GAP, base, [label], setting, box))
            box.take(x, y, x + wide, y + pitch - _ROW)
        return drawn

    def _symbol(self, at: int, x: float, y: float, area: float) -> str:
        looks = {name: values[at] for name, values in self.looks.items()}
        colour = looks.get("color")
        dashes = looks.get("strokeDash")
        has_dashes = dashes is not None and list(dashes[1:]) != [0]
        stroke = looks.get("stroke", None if self.fills and not self.is_line else colour)
        if self.is_line and stroke is None:
            stroke = self.asked["labelColor"]
        if self.is_line:
            half = math.sqrt(area) / 2.0
            way = path_of([(-half, 0.0), (half, 0.0)])
        else:
            way = symbol(looks.get("shape", "circle"), area)
        return element(
            "path",
            transform=f"translate({number(x)},{number(y)})",
            d=way,
            fill="none" if self.is_line else looks.get("fill", colour if self.fills else "none"),
            stroke=stroke,
            stroke_width=float(self.asked.get("symbolStrokeWidth", 1.5)) if stroke else None,
            stroke_dasharray=",".join(map(str, dashes or ())) if has_dashes else None,
            opacity=self.opacity,
        )

    def _gradient(self, top: float, box: Box) -> list[str]:
        asked = self.asked
        long, thick = float(asked["gradientLength"]), float(asked["gradientThickness"])
        palette = self.scale["range"]
        stops = "".join(
            element("stop", offset=f"{100.0 * at / (len(palette) - 1):g}%", stop_color=colour)
            for at, colour in enumerate(palette)
        )
        low, high = self.chart.ends(self.scale)
        along = Continuous(low, high, 0.0, long)
        drawn = [
            element("defs", element("linearGradient", stops, id=_GRADIENT)),
            element("rect", y=top, width=long, height=thick, fill=f"url(#{_GRADIENT})"),
        ]
        y = top + thick + _GAP + ASCENT * self._size
        for value in ticks(low, high, 5):
            at = along(value)
            anchor = "start" if at < 1.0 else "end" if at > long - 1.0 else "middle"
            setting = Setting(self._size, asked["labelColor"], anchor)
            drawn.append(text_at(at, y, [written(value, asked["format"])], setting, box))
        box.take(0.0, 0.0, long, top + thick)
        return drawn

    @property
    def _size(self) -> float:
        return float(self.asked["labelFontSize"])


def _found(chart: Prepared) -> list[_Legend]:
    """Gather the legends: channels with the same title and entries are one."""
    found: dict[str, _Legend] = {}
    for layer in chart.layers:
        for channel in _CHANNELS:
            encoded = layer.encoding.get(channel, {})
            scale = encoded.get("scale")
            if scale is None or encoded.get("legend", {}) is None:
                continue
            title = encoded.get("title", "")
            is_first = title not in found
            if is_first:
                asked = dict(chart.spec["config"]["legend"])
                found[title] = _Legend(chart, title, asked, scale)
            legend = found[title]
            legend.asked |= encoded.get("legend", {})
            if channel not in legend.looks and "domain" in scale:
                legend.looks[channel] = scale["range"]
            _note_mark(legend, layer.mark, is_first=is_first)
    return list(found.values())


def _note_mark(legend: _Legend, mark: Spec, *, is_first: bool) -> None:
    """Let the symbols of a legend look like the first mark they stand for."""
    if "shape" in legend.looks or (mark["type"] == "point" and "color" in legend.looks):
        legend.is_line = False
    elif is_first:
        legend.is_line = mark["type"] in {"line", "rule"}
    if is_first and mark["type"] not in {"line", "rule"}:
        legend.opacity = mark.get("opacity") if mark.get("opacity") != 1 else None
    legend.fills = legend.fills or mark.get("filled", mark["type"] in {"bar", "boxplot"})
