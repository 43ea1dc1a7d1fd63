"""A whole picture: paper, axes, marks, legends and title, and the room around them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weft.plots.svg.axes import axes
from weft.plots.svg.elements import ASCENT, Box, Setting, element, group, number, plain, text_at
from weft.plots.svg.legends import legends
from weft.plots.svg.marking import painted
from weft.plots.svg.prepared import Prepared

if TYPE_CHECKING:
    from weft.plots.theme import Spec

__all__ = ["draw"]

#: How often a picture of a given size is laid out, until its paper is as large as is left.
_ROUNDS = 8


def draw(spec: Spec) -> str:
    """Draw a chart as SVG.

    Its size is that of the paper with everything around it; with ``autosize`` it is the picture
    that has the size.
    """
    wide, high = float(spec["width"]), float(spec["height"])
    picture = _Picture(spec, wide, high)
    if "autosize" in spec:
        paper = (wide, high)
        for _ in range(_ROUNDS):
            paper = paper[0] + wide - picture.width, paper[1] + high - picture.height
            picture = _Picture(spec, *paper)
    return picture.svg()


class _Picture:
    """A chart drawn on paper of a size."""

    def __init__(self, spec: Spec, wide: float, high: float) -> None:
        self.spec = spec
        chart = Prepared(spec, wide, high)
        box = Box(0.0, 0.0, wide, high)
        # Axes stand under the marks, and a legend beside or below them all.
        behind = group(axes(chart, box), 0.5, 0.5)
        marks = [group(painted(chart, layer, box)) for layer in chart.layers]
        beside = legends(chart, box)
        self.heading, title = _heading(chart, box)
        self.parts = [behind, *marks, *beside, title]
        around = spec["config"]["padding"]
        self.left, self.top = around["left"] - box.left, around["top"] - box.top
        self.width = self.left + box.right + around["right"]
        self.height = self.top + box.bottom + around["bottom"]

    def svg(self) -> str:
        """Return the picture as text."""
        wide, high = math.ceil(self.width - 1e-6), math.ceil(self.height - 1e-6)
        config = self.spec["config"]
        paper = element("rect", width=wide, height=high, fill=config["background"])
        drawn = group(self.parts, self.left, self.top, font_family=config["font"], fill="none")
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{wide}" height="{high}"'
            f' viewBox="0 0 {number(wide)} {number(high)}">'
            f"{element('title', plain(self.heading))}{paper}{drawn}</svg>"
        )


def _heading(chart: Prepared, box: Box) -> tuple[str, str]:
    """Set title and subtitle above everything, from its left edge on; return title and text."""
    given = chart.spec.get("title")
    if given is None:
        return "", ""
    asked = chart.spec["config"]["title"]
    title = chart.text_of(given["text"])
    subtitle = given["subtitle"]
    lines = [subtitle] if isinstance(subtitle, str) else list(subtitle)
    small = asked["subtitleFontSize"]
    high = asked["fontSize"] + asked["subtitlePadding"] + (small + 2.0) * len(lines)
    left, top = box.left, box.top - asked["offset"] - high
    above = Setting(asked["fontSize"], asked["color"], weight=asked["fontWeight"])
    below = Setting(small, asked["subtitleColor"])
    first = text_at(left, top + ASCENT * above.size, [title], above, box)
    base = top + above.size + asked["subtitlePadding"] + ASCENT * small
    return title, first + text_at(left, base, lines, below, box)
