"""Marks and names of the switches in a drawing, as large as their surroundings allow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.plots.label_room import LabelRoom, LabelStyle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.plots.layout import Layout

HOST_FILL = "#dfe7f1"
BARE_FILL = "#ffffff"

MAX_LABEL = 20
"""Longer names are shortened in the middle; the tooltip has the whole name."""

CHARACTER_WIDTH = 0.6
"""Width of a character as a share of the font size."""


@dataclass(frozen=True)
class Mark:
    """A switch, or a group of switches that are drawn as one."""

    name: str
    label: str  # the name as short as tells it from the others
    switches: int
    hosts: int
    links: int  # to other marks
    inside: int  # links from one of its switches to another

    @property
    def text(self) -> str:
        """What it is, in a sentence."""
        if self.switches == 1:
            return f"{self.name}: {self.hosts:,} hosts, {self.links:,} links to switches"
        return (
            f"{self.name}: {self.switches:,} switches, {self.hosts:,} hosts, {self.inside:,} links "
            f"inside, {self.links:,} to others"
        )


@dataclass(frozen=True)
class SwitchMarks:
    """Rows of the switch layer and how they are drawn; lengths in CSS pixels.

    A row has ``x``, ``y``, ``text``, ``label``, ``area`` (square pixels), ``shape`` and ``fill``.
    """

    rows: list[dict[str, Any]]
    label_styles: list[LabelStyle]
    tried: list[list[int]]  # which of the styles may do for the name of each mark, best first
    page: Layout
    radius: float  # of a mark with its ring
    has_names_inside: bool
    clearance: float  # radius that channels keep from the centre of a switch
    ring: float  # width of the rings around marks; 0 without
    room_below: float  # height to add to the drawing for names below it

    def names(self, scale: float = 1.0, least: float = 0.0) -> list[tuple[int, LabelStyle]]:
        """Return which marks have their name drawn, and how, in a drawing of another scale.

        Letters are as high as `least` pixels there at least.
        """
        styles = [
            replace(
                style,
                dx=style.dx * scale,
                dy=style.dy * scale,
                font_size=max(style.font_size * scale, least),
            )
            for style in self.label_styles
        ]
        inside = self.has_names_inside
        taken = LabelRoom(self.page.positions * scale, 0.0 if inside else self.radius * scale)
        found = []
        for mark, own in enumerate(self.tried):
            label = self.rows[mark]["label"]
            for at in own:
                size = len(label) * CHARACTER_WIDTH * styles[at].font_size
                if inside and scale < 1.0 and size > 2.0 * self.radius * scale:
                    continue
                if taken.take(mark, label, styles[at]):
                    found.append((mark, styles[at]))
                    break
        # Some names of a grid look as if the others had none.
        is_whole = len(found) == len(self.rows) or self.page.kind != "grid"
        return found if is_whole else []


def shortened(name: str, limit: int = MAX_LABEL) -> str:
    """Shorten a name in its middle, where names of one machine differ least."""
    if len(name) <= limit:
        return name
    head = (limit - 1) // 2
    return f"{name[:head]}…{name[len(name) - (limit - 1 - head) :]}"


def switch_marks(marks: Sequence[Mark], page: Layout) -> SwitchMarks:
    """Choose how marks and their names are drawn.

    Switches with hosts are circles, others are squares.  Names stand inside the marks when all
    are short and there is room, else beside them.  A name that would cover another one, or a mark,
    is left to the tooltip, as all are where marks stand close.
    """
    count = len(marks)
    labels = [shortened(mark.label) for mark in marks]
    longest = max(len(label) for label in labels)
    is_switch = all(mark.switches == 1 for mark in marks)
    inside = longest <= 5 and page.spacing >= 38.0 and is_switch
    radius = 15.0 if inside else float(np.clip(page.spacing / 4.5, 3.0, 9.0))
    ring = 0.0
    if not is_switch and any(mark.inside for mark in marks):
        # What is inside of marks is drawn as a ring around them.
        radius, ring = 0.7 * radius, float(np.clip(page.spacing / 9.0, 2.0, 5.0))
    reach = radius + ring
    room = 0.0
    if inside:
        styles, tried = [_inside(0, longest)], [[0]] * count
    elif page.kind == "levels":
        styles, tried, room = _level_styles(page, longest, reach)
    else:
        styles, tried = _free_styles(page, reach)
    rows = [
        {
            "x": round(float(page.positions[at, 0]), 1),
            "y": round(float(page.positions[at, 1]), 1),
            "text": mark.text,
            "label": labels[at],
            "area": round(4.0 * radius**2, 1),
            "shape": "circle" if mark.hosts else "square",
            "fill": HOST_FILL if mark.hosts else BARE_FILL,
        }
        for at, mark in enumerate(marks)
    ]
    return SwitchMarks(rows, styles, tried, page, reach, inside, reach + 1.0, ring, room)


def _inside(number: int, longest: int) -> LabelStyle:
    size = 11.0 if longest <= 3 else 10.0 if longest == 4 else 8.5
    return LabelStyle(number, "center", "middle", 0.0, 0.0, 0.0, size, halo=False)


def _level_styles(
    page: Layout, longest: int, radius: float
) -> tuple[list[LabelStyle], list[list[int]], float]:
    """Names under the lowest row, upright or turned, and over the other rows."""
    styles: list[LabelStyle] = []
    style_of_row: dict[int, int] = {}
    room = 0.0
    for row in sorted(set(page.row_of.tolist())):
        across = np.sort(page.positions[page.row_of == row, 0])
        apart = float(np.diff(across).min()) if len(across) > 1 else 1e9
        if apart < 9.0:
            style_of_row[row] = -1
            continue
        width = longest * 11.0 * CHARACTER_WIDTH
        below = row == 0
        if apart < width + 8.0 and 0 < row < int(page.row_of.max()):
            style_of_row[row] = -1  # turned names would lie across the channels above
            continue
        number = len(styles)
        if apart >= width + 8.0:
            dy = radius + 5.0 if below else -radius - 5.0
            style = LabelStyle(
                number, "center", "top" if below else "bottom", 0.0, 0.0, dy, 11.0, halo=True
            )
        else:
            size = float(np.clip(apart - 2.0, 8.0, 10.5))
            reach = radius + 6.0
            style = LabelStyle(
                number,
                "right" if below else "left",
                "middle",
                270.0 if apart < 24.0 else 315.0,
                -reach if below else reach,
                0.0,
                size,
                halo=True,
            )
            if below:
                room = longest * size * CHARACTER_WIDTH * (1.0 if apart < 24.0 else 0.72) - 20.0
        styles.append(style)
        style_of_row[row] = number
    tried = [[style_of_row[row]] if style_of_row[row] >= 0 else [] for row in page.row_of.tolist()]
    return styles, tried, max(room, 0.0)


def _free_styles(page: Layout, radius: float) -> tuple[list[LabelStyle], list[list[int]]]:
    """Names on the side of a mark that looks outwards, or else under, beside or over it."""
    count = len(page.positions)
    if page.spacing < 16.0:
        return [], [[]] * count
    size = 10.5 if page.spacing >= 40.0 else 9.0
    away = radius + 3.0
    styles = [
        LabelStyle(number, align, baseline, 0.0, dx, dy, size, halo=True)
        for number, (align, baseline, dx, dy) in enumerate(
            [
                ("center", "top", 0.0, away),
                ("left", "middle", away + 1.0, 0.0),
                ("right", "middle", -away - 1.0, 0.0),
                ("center", "bottom", 0.0, -away),
            ]
        )
    ]
    if page.kind == "grid":
        return styles, [[0]] * count
    sides = np.array([[0.0, 1.0], [1.0, 0.0], [-1.0, 0.0], [0.0, -1.0]])
    outwards = (page.positions - page.positions.mean(axis=0)) @ sides.T
    return styles, np.argsort(-outwards, axis=1, kind="stable").tolist()
