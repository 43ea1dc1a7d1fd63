"""Axes: grid, ticks, labels and title."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from weft.plots.svg.elements import ASCENT, Box, Setting, element, path_of, text_at
from weft.plots.svg.letters import shortened_to, text_width
from weft.plots.svg.numerals import written
from weft.plots.svg.scales import Band, Continuous, tick_step, ticks

if TYPE_CHECKING:
    from weft.plots.svg.prepared import Prepared
    from weft.plots.theme import Spec

__all__ = ["axes"]

_TICK = 5.0
_LABEL_GAP = 2.0  # from tick to label
_TICK_PX = 40.0  # between ticks, about, where nothing is said


def axes(chart: Prepared, box: Box) -> list[str]:
    """Draw grid and axes; the box grows by what stands beside the paper."""
    drawn = [_Axis(chart, channel) for channel in ("x", "y")]
    shown = [axis for axis in drawn if axis.is_shown]
    grids = [line for axis in shown for line in axis.grid()]
    return grids + [part for axis in shown for part in axis.parts(box)]


class _Axis:
    """The axis of x below the paper, or that of y on its left."""

    def __init__(self, chart: Prepared, channel: str) -> None:
        self.chart = chart
        self.channel = channel
        self.encoded = chart.encoded(channel)
        self.is_shown = self.encoded.get("axis", {}) is not None
        self.scale = chart.x if channel == "x" else chart.y
        self.asked: Spec = {**chart.spec["config"]["axis"], **(self.encoded.get("axis") or {})}

    def places(self) -> list[tuple[float, list[str]]]:
        """Return where the ticks are and what stands there, line by line."""
        scale = self.scale
        if isinstance(scale, Band):
            entries = self._entries(scale)
            return [(scale.middle(entry), self._label(entry)) for entry in entries]
        values, form = self._values(scale)
        return [(scale(value), [written(value, form)]) for value in values]

    def _entries(self, scale: Band) -> list[Any]:
        encoded = self.encoded
        present = {
            row[encoded["field"]]
            for layer in self.chart.layers
            for row in layer.rows
            if row[encoded["field"]] in scale
        }
        return sorted(present, key=scale)

    def _label(self, entry: object) -> list[str]:
        expression = self.asked.get("labelExpr")
        if expression is None:
            return [shortened_to(self.asked.get("labelLimit", 180), str(entry), self._size)]
        lines: list[str] = self.chart.computed(expression, {"label": str(entry)})
        return lines

    def _values(self, scale: Continuous) -> tuple[list[float], str]:
        """Return the values at the ticks and their format."""
        low, high = sorted((scale.low, scale.high))
        long = abs(scale.end - scale.start)
        count, form = (
            self.asked.get("tickCount", math.ceil(long / _TICK_PX)),
            self.asked.get("format"),
        )
        values = self.asked.get("values")
        if values is None:
            values = ticks(low, high, count, self.asked.get("tickMinStep", 0.0))
        if form is None:
            step = tick_step(low, high, count)
            form = f",.{max(0, -math.floor(math.log10(step) + 1e-9)) if step else 0}f"
        return values, form

    @property
    def _size(self) -> float:
        return float(self.asked["labelFontSize"])

    def grid(self) -> list[str]:
        """Draw the grid, where the axis is one of numbers."""
        if isinstance(self.scale, Band):
            return []
        wide, high = self.chart.width, self.chart.height
        colour = self.asked["gridColor"]
        return [
            element(
                "path",
                d=path_of(
                    [(at, 0.0), (at, high)] if self.channel == "x" else [(0.0, at), (wide, at)]
                ),
                stroke=colour,
            )
            for at, _ in self.places()
        ]

    def parts(self, box: Box) -> list[str]:
        """Draw the axis itself, its ticks, labels and title."""
        return self._below(box) if self.channel == "x" else self._beside(box)

    def _line(self, end: tuple[float, float], start: tuple[float, float], colour: str) -> str:
        return element("path", d=path_of([start, end]), stroke=self.asked[colour])

    def _below(self, box: Box) -> list[str]:
        wide, high = self.chart.width, self.chart.height
        drawn = [self._line((wide, high), (0.0, high), "domainColor")]
        under = Box(0.0, high, wide, high + _TICK)
        angle = float(self.asked.get("labelAngle", 0.0)) % 360.0
        size = self._size
        shown = self._apart([(at, lines) for at, lines in self.places()], angle)
        for at, lines in self.places():
            drawn.append(self._line((at, high + _TICK), (at, high), "tickColor"))
            if (at, lines) not in shown:
                continue
            setting = Setting(size, self.asked["labelColor"], self._anchor(at, angle), angle=angle)
            drop = 0.3 * size if angle else ASCENT * size
            drawn.append(text_at(at, high + _TICK + _LABEL_GAP + drop, lines, setting, under))
        title = self.encoded.get("title")
        if title:
            setting = self._title("middle")
            y = under.bottom + self.asked["titlePadding"] + ASCENT * setting.size
            drawn.append(text_at(wide / 2.0, y, _lines(title), setting, under))
        box.take(under.left, under.top, under.right, under.bottom)
        return drawn

    def _anchor(self, at: float, angle: float) -> str:
        """Keep the first and the last number within the paper."""
        if angle:
            return "end"
        if isinstance(self.scale, Band):
            return "middle"
        return "start" if at < 1.0 else "end" if at > self.chart.width - 1.0 else "middle"

    def _apart(
        self, places: list[tuple[float, list[str]]], angle: float
    ) -> list[tuple[float, list[str]]]:
        """Leave out every other label until none lies over its neighbour."""
        if angle or not self.asked.get("labelOverlap", False):
            return places
        while len(places) > 2 and any(
            self._span(later)[0] < self._span(sooner)[1] + 2.0 for sooner, later in pairwise(places)
        ):
            places = places[::2]
        return places

    def _span(self, place: tuple[float, list[str]]) -> tuple[float, float]:
        """Return where a label begins and ends."""
        at, lines = place
        wide = max(text_width(line, self._size) for line in lines)
        start = at - {"start": 0.0, "middle": 0.5, "end": 1.0}[self._anchor(at, 0.0)] * wide
        return start, start + wide

    def _beside(self, box: Box) -> list[str]:
        high, size = self.chart.height, self._size
        drawn = [self._line((0.0, high), (0.0, 0.0), "domainColor")]
        left = Box(-_TICK, 0.0, 0.0, high)
        for at, lines in self.places():
            drawn.append(self._line((-_TICK, at), (0.0, at), "tickColor"))
            setting = Setting(size, self.asked["labelColor"], "end")
            drawn.append(text_at(-_TICK - _LABEL_GAP, at + 0.3 * size, lines, setting, left))
        title = self.encoded.get("title")
        if title:
            setting = self._title("middle", angle=270.0)
            lines = _lines(title)
            x = left.left - self.asked["titlePadding"] - 0.21 * setting.size
            x -= (setting.size + 2.0) * (len(lines) - 1)
            drawn.append(text_at(x, high / 2.0, lines, setting, left))
        box.take(left.left, left.top, left.right, left.bottom)
        return drawn

    def _title(self, anchor: str, angle: float = 0.0) -> Setting:
        asked = self.asked
        return Setting(
            asked["titleFontSize"], asked["titleColor"], anchor, asked["titleFontWeight"], angle
        )


def _lines(title: str | list[str]) -> list[str]:
    return [title] if isinstance(title, str) else title
