"""Elements of SVG as text, and the room that they take."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from weft.plots.svg.letters import text_width

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Box", "Setting", "element", "group", "number", "path_of", "text_at"]

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

#: Of the height of a line, what is above its base line.
ASCENT = 0.79
#: Between lines.
_LEADING = 2.0


@dataclass(slots=True)
class Box:
    """A rectangle that grows with what is put into it; y points down."""

    left: float = 0.0
    top: float = 0.0
    right: float = 0.0
    bottom: float = 0.0

    def take(self, left: float, top: float, right: float, bottom: float) -> None:
        """Grow so that this fits."""
        self.left, self.top = min(self.left, left), min(self.top, top)
        self.right, self.bottom = max(self.right, right), max(self.bottom, bottom)


@dataclass(frozen=True, slots=True)
class Setting:
    """How a text is set; sizes in CSS pixels, the angle in degrees."""

    size: float
    colour: str
    anchor: str = "start"
    weight: int | str = 400
    angle: float = 0.0
    further: dict[str, object] = field(default_factory=dict)

    @property
    def is_bold(self) -> bool:
        """Whether letters are wide."""
        return self.weight == "bold" or (isinstance(self.weight, int) and self.weight > 500)


def number(value: float) -> str:
    """Write a length with as many digits as can be seen."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def plain(text: str) -> str:
    """Write a text so that it is one in XML, whatever it holds."""
    return escape(_FORBIDDEN.sub("\ufffd", text), quote=True)


def element(tag: str, inner: str = "", **attributes: object) -> str:
    """Write an element; attributes that are None are left out, ``_`` in their names is ``-``."""
    given = "".join(
        f' {name.rstrip("_").replace("_", "-")}="'
        f'{number(value) if isinstance(value, float) else plain(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{given}>{inner}</{tag}>" if inner else f"<{tag}{given}/>"


def group(parts: Sequence[str], x: float = 0.0, y: float = 0.0, **attributes: object) -> str:
    """Put elements together, moved by this."""
    if not parts:
        return ""
    moved = f"translate({number(x)},{number(y)})" if x or y else None
    return element("g", "".join(parts), transform=moved, **attributes)


def path_of(points: Sequence[tuple[float, float]]) -> str:
    """Return the way of a line from point to point."""
    return "M" + "L".join(f"{number(x)},{number(y)}" for x, y in points)


def text_at(x: float, y: float, lines: Sequence[str], setting: Setting, box: Box) -> str:
    """Set lines of text, the first on a base line at y; the box grows by them."""
    width = max(text_width(line, setting.size, is_bold=setting.is_bold) for line in lines)
    before = {"start": 0.0, "middle": 0.5, "end": 1.0}[setting.anchor] * width
    pitch = setting.size + _LEADING
    rise, fall = ASCENT * setting.size, 0.21 * setting.size + pitch * (len(lines) - 1)
    if setting.angle:
        _take_turned(box, x, y, setting.angle, (-before, -rise, width - before, fall))
    else:
        box.take(x - before, y - rise, x - before + width, y + fall)
    place = f"translate({number(x)},{number(y)})"
    if setting.angle:
        place += f" rotate({number(setting.angle)})"
    inner = plain(lines[0])
    if len(lines) > 1:
        inner = "".join(
            element("tspan", plain(line), x=0 if at else None, dy=number(pitch) if at else None)
            for at, line in enumerate(lines)
        )
    return element(
        "text",
        inner,
        text_anchor=None if setting.anchor == "start" else setting.anchor,
        transform=place,
        font_size=f"{number(setting.size)}px",
        font_weight=None if setting.weight == 400 else setting.weight,
        fill=setting.colour,
        **setting.further,
    )


def _take_turned(
    box: Box, x: float, y: float, angle: float, corners: tuple[float, float, float, float]
) -> None:
    """Grow by a rectangle that is turned about a point, clockwise by degrees."""
    from_left, from_top, to_right, to_bottom = corners
    for along, down in (
        (from_left, from_top),
        (to_right, from_top),
        (from_left, to_bottom),
        (to_right, to_bottom),
    ):
        turned = complex(along, down) * _turn(angle)
        at_x, at_y = x + turned.real, y + turned.imag
        box.take(at_x, at_y, at_x, at_y)


def _turn(angle: float) -> complex:
    return complex(1j ** (angle / 90.0))
