"""Which names have room in a drawing: none covers another, or a mark that is not its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LabelRoom", "LabelStyle"]

#: Height of a line of text, as a share of the font size, and what is left free around it.
_LINE, _APART = 1.2, 1.0

_FONT = FontProperties(family=["DejaVu Sans"], size=10.0)


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
class _Box:
    """A rectangle on the page that may be turned; lengths in CSS pixels, y downwards."""

    corners: NDArray[np.float64]  # in order, shape (4, 2)

    def is_apart(self, other: _Box) -> bool:
        """Tell whether a line along a side of one of them keeps the two apart."""
        for own in (self.corners, other.corners):
            sides = np.diff(own[:3], axis=0)
            here, there = self.corners @ sides.T, other.corners @ sides.T
            if (
                (here.max(axis=0) <= there.min(axis=0)) | (there.max(axis=0) <= here.min(axis=0))
            ).any():
                return True
        return False


class LabelRoom:
    """What is taken of a page by marks and names."""

    def __init__(self, positions: NDArray[np.float64], radius: float) -> None:
        self._marks, self._radius = positions, radius
        self._names: list[_Box] = []
        self._centres = np.zeros((0, 3))  # of the names, with half of their diagonals

    def take(self, mark: int, label: str, style: LabelStyle) -> bool:
        """Take the room of a mark's name, and tell whether it was free."""
        box = _box(self._marks[mark], label, style)
        centre = box.corners.mean(axis=0)
        reach = float(np.linalg.norm(box.corners[0] - centre))
        away = np.linalg.norm(self._centres[:, :2] - centre, axis=1)
        near = np.flatnonzero(away < self._centres[:, 2] + reach)
        if any(not box.is_apart(self._names[at]) for at in near.tolist()):
            return False
        away = np.linalg.norm(self._marks - centre, axis=1)
        others = np.flatnonzero(away < 1.5 * self._radius + reach)
        if any(
            at != mark and not box.is_apart(_square(self._marks[at], self._radius))
            for at in others.tolist()
        ):
            return False
        self._names.append(box)
        self._centres = np.vstack([self._centres, [*centre, reach]])
        return True


def _box(at: NDArray[np.float64], label: str, style: LabelStyle) -> _Box:
    """Return where a name stands beside a mark."""
    wide = text_to_path.get_text_width_height_descent(label, _FONT, ismath=False)[0]
    width = wide * style.font_size / 10.0 + 2 * _APART
    height = _LINE * style.font_size
    left = {"left": -_APART, "center": -width / 2, "right": _APART - width}[style.align]
    top = {"top": 0.0, "middle": -height / 2, "bottom": -height}[style.baseline]
    x, y = style.dx + left, style.dy + top
    corners = np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]])
    turn = np.radians(style.angle)
    turned = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return _Box(at + corners @ turned)


def _square(centre: NDArray[np.float64], radius: float) -> _Box:
    return _Box(centre + radius * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]))
