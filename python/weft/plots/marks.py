"""Marks and names of the switches in a drawing, as large as their surroundings allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from weft.fabric import Fabric
    from weft.plots.layout import Layout

HOST_FILL = "#dfe7f1"
BARE_FILL = "#ffffff"

MAX_LABEL = 20
"""Longer names are shortened in the middle; the tooltip has the whole name."""

CHARACTER_WIDTH = 0.6
"""Width of a character as a share of the font size."""


@dataclass(frozen=True)
class LabelStyle:
    """How some of the names are set; sizes in CSS pixels, the angle in degrees."""

    number: int  # value of ``style`` in the rows that use it
    align: str
    baseline: str
    angle: float
    dx: float
    dy: float
    font_size: float
    halo: bool


@dataclass(frozen=True)
class SwitchMarks:
    """Rows of the switch layer and how they are drawn; lengths in CSS pixels.

    A row has ``x``, ``y``, ``name``, ``label``, ``hosts``, ``links`` (to other switches), ``area``
    (square pixels), ``shape``, ``fill`` and ``style`` of the label (-1: none).
    """

    rows: list[dict[str, Any]]
    label_styles: list[LabelStyle]
    clearance: float  # radius that channels keep from the centre of a switch
    room_below: float  # height to add to the drawing for names below it


def shortened(name: str, limit: int = MAX_LABEL) -> str:
    """Shorten a name in its middle, where names of one machine differ least."""
    if len(name) <= limit:
        return name
    head = (limit - 1) // 2
    return f"{name[:head]}…{name[len(name) - (limit - 1 - head) :]}"


def switch_marks(fabric: Fabric, page: Layout) -> SwitchMarks:
    """Choose the marks and the names of the switches.

    Switches with hosts are circles, others are squares.  Names stand inside the marks when all
    are short and there is room, else beside them, and are left to the tooltips when neither fits.
    """
    count = fabric.switch_count
    hosts = np.bincount(np.asarray(fabric.host_switch, dtype=np.int64), minlength=count)
    ends = np.asarray(fabric.channel_ends(), dtype=np.int64).reshape(-1, 2)
    leaving = np.asarray(fabric.is_switch_channel, dtype=bool) & (ends[:, 0] != ends[:, 1])
    links = np.bincount(ends[leaving, 0], minlength=count)
    names = [str(name) for name in fabric.switch_names]
    labels = [shortened(name) for name in names]
    longest = max(len(label) for label in labels)
    inside = longest <= 5 and page.spacing >= 38.0
    radius = 15.0 if inside else float(np.clip(page.spacing / 4.5, 3.0, 9.0))
    if page.kind == "levels":
        styles, style_of, room = _level_styles(page, longest, radius, inside=inside)
    else:
        styles, style_of, room = _free_styles(page, longest, radius, count, inside=inside)
    rows = [
        {
            "x": round(float(page.positions[switch, 0]), 1),
            "y": round(float(page.positions[switch, 1]), 1),
            "name": names[switch],
            "label": labels[switch],
            "hosts": int(hosts[switch]),
            "links": int(links[switch]),
            "area": round(4.0 * radius**2, 1),
            "shape": "circle" if hosts[switch] else "square",
            "fill": HOST_FILL if hosts[switch] else BARE_FILL,
            "style": style_of[switch],
        }
        for switch in range(count)
    ]
    return SwitchMarks(rows, styles, radius + 1.0, room)


def _inside(number: int, longest: int) -> LabelStyle:
    size = 11.0 if longest <= 3 else 10.0 if longest == 4 else 8.5
    return LabelStyle(number, "center", "middle", 0.0, 0.0, 0.0, size, halo=False)


def _level_styles(
    page: Layout, longest: int, radius: float, *, inside: bool
) -> tuple[list[LabelStyle], list[int], float]:
    """Names under the lowest row, upright or turned, and over the other rows."""
    count = len(page.positions)
    if inside:
        return [_inside(0, longest)], [0] * count, 0.0
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
    style_of = [style_of_row[row] for row in page.row_of.tolist()]
    return styles, style_of, max(room, 0.0)


def _free_styles(
    page: Layout, longest: int, radius: float, count: int, *, inside: bool
) -> tuple[list[LabelStyle], list[int], float]:
    """Names inside the marks, or under them where neighbours are far enough."""
    if inside:
        return [_inside(0, longest)], [0] * count, 0.0
    size = 10.5 if page.spacing >= 40.0 else 9.0
    if longest * size * CHARACTER_WIDTH > 2.2 * page.spacing or page.spacing < 16.0:
        return [], [-1] * count, 0.0
    return (
        [LabelStyle(0, "center", "top", 0.0, 0.0, radius + 3.0, size, halo=True)],
        [0] * count,
        0.0,
    )
