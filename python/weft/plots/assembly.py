"""What the charts of routings share: their marks and legend, a title with the load, the axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from weft.plots.loads import where_text
from weft.plots.rows import routing_labels, simulated
from weft.plots.theme import PT, ROUTING_COLOURS, ROUTING_DASHES, ROUTING_SHAPES, entries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from weft.plots.rows import Curves

__all__ = ["Look", "grouped", "look_of", "named_axes", "numbers", "titles_at"]

#: Tick marks of a scale at most, on a screen and in a column.
_MOST_TICKS, _MOST_TICKS_PRINTED = 10, 5


@dataclass(frozen=True)
class Look:
    """How a routing looks in every chart."""

    label: str
    place: int  # among the simulated ones
    colour: str
    shape: str
    dashes: tuple[int, ...]

    @property
    def line_style(self) -> Any:  # noqa: ANN401 - a full line is a word, others are numbers
        """Its pattern for a line, as matplotlib wants it."""
        return (0.0, tuple(PT * part for part in self.dashes)) if self.dashes else "solid"

    def key(self, *, marker: bool = False, dashed: bool = False, patch: bool = False) -> Line2D:
        """Return its entry of the legend."""
        key = Line2D([], [], color=self.colour, label=self.label, linewidth=2 * PT)
        if dashed:
            key.set_linestyle(self.line_style)
        if marker:
            key.set_marker(self.shape)
            key.set_markersize(9 * PT)
            key.set_linewidth(0)
        if patch:
            key.set_marker("s")
            key.set_markersize(11 * PT)
            key.set_linewidth(0)
        return key


def look_of(results: Curves) -> list[Look]:
    """Return how the simulated routings look, in the order of the study."""
    labels = routing_labels(results)
    palettes = [entries(labels, palette) for palette in (ROUTING_COLOURS, ROUTING_SHAPES)]
    dashes = entries(labels, ROUTING_DASHES)
    return [
        Look(
            entry.label,
            place,
            palettes[0][entry.label],
            palettes[1][entry.label],
            dashes[entry.label],
        )
        for place, entry in enumerate(simulated(results))
    ]


def titles_at(title: str, loads: Sequence[float]) -> list[str]:
    """Say at which load a chart shows its figures, for each to choose from."""
    return [f"{title}, {where_text(load)}" for load in loads] or [f"{title}, no load"]


def named_axes(axes: Axes, x: str, y: str) -> None:
    """Name the axes, with their units."""
    axes.set_xlabel(x, labelpad=8 * PT)
    axes.set_ylabel(y, labelpad=8 * PT)


def numbers(axis: Axis, *, is_printed: bool, whole: bool = False, form: str = ".3g") -> None:
    """Put round numbers on a scale, not too many."""
    most = _MOST_TICKS_PRINTED if is_printed else _MOST_TICKS
    axis.set_major_locator(MaxNLocator(most, integer=whole, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: grouped(value, form)))


def grouped(value: float, form: str = ".3g") -> str:
    """Write a number for a scale: ``1,500``, ``0.25``."""
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:{form}}"
