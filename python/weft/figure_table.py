"""The table of figures as the core tells it, and what a measurement is beyond its figures.

A figure is an entry of ``crates/weft-engine/src/measurement/table.rs``. The class
:class:`weft.Measurement`, the columns of results files and exports, and the reference are made from
that table.
"""

from __future__ import annotations

import inspect
import textwrap
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self, TypeVar

from weft import _core
from weft._without_numpy import array_of, read_numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = [
    "ARRAYS",
    "FIGURES",
    "Figure",
    "FigureColumn",
    "Histogram",
    "LatencySummary",
    "MeasuredFigures",
    "WaitingPacket",
    "empty",
    "tells_figures",
]


@dataclass(frozen=True, slots=True)
class FigureColumn:
    """A column in which results files and exports hold a figure of a run, or a part of it."""

    name: str  # the unit last
    kind: str  # ``real``, ``integer`` or ``text``, as in SQLite
    unit: str  # empty for text
    summary: str  # what it is, in a phrase
    part: str | None  # which part of the figure it holds; None for all of it


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a measurement."""

    name: str  # the unit last where it has one
    # text, reason, waiting, real, integer, latency, histogram; of arrays reals or integers
    kind: str
    axes: tuple[str, ...]  # of an array; none for what there is once in a run
    unit: str  # empty for text
    summary: str  # what it is, in a phrase
    details: str  # what else is to be said of it
    columns: tuple[FigureColumn, ...]  # that hold it; none for arrays and distributions

    @property
    def dtype(self) -> str:
        """Type of the numbers of an array."""
        return {"reals": "float32", "integers": "uint32"}[self.kind]


def _figure(columns: list[dict[str, Any]], axes: list[str], **members: str) -> Figure:
    held = tuple(FigureColumn(**column) for column in columns)
    return Figure(columns=held, axes=tuple(axes), **members)


#: All figures of a measurement, in the order of results files.
FIGURES: tuple[Figure, ...] = tuple(_figure(**entry) for entry in _core.figures())
#: Those per channel, lane or host, by name.
ARRAYS: dict[str, Figure] = {figure.name: figure for figure in FIGURES if figure.axes}

#: Types as documentation writes them; those of arrays follow from their axes.
_TYPES = {
    "text": "str",
    "reason": '{"steady", "saturated", "deadlocked", "budget"}',
    "waiting": "list of WaitingPacket",
    "real": "float",
    "integer": "int",
    "latency": "LatencySummary",
    "histogram": "Histogram",
}
_OF_EACH = {
    ("channel_count",): "Of each channel: ",
    ("channel_count", "lanes"): "Of each lane of each channel: ",
    ("host_count",): "Of each host: ",
    ("intervals", "host_count"): "Of each host in each interval: ",
}
#: Units that the name of a figure does not say.
_UNITS = ("fraction of host link rate", "bytes/ns/switch", "packets × switches", "flits × channels")

Measured = TypeVar("Measured", bound=type)


def tells_figures(measured: Measured) -> Measured:
    """Let a class that has all figures tell them in its documentation."""
    head = inspect.cleandoc(measured.__doc__ or "")
    measured.__doc__ = f"{head}\n\nAttributes\n----------\n{''.join(map(_told, FIGURES))}"
    return measured


def _told(figure: Figure) -> str:
    if figure.axes:
        axes = ", ".join(figure.axes) + ("," if len(figure.axes) == 1 else "")
        kind = f"ndarray of {figure.dtype}, shape ({axes})"
        text = f"{_OF_EACH[figure.axes]}{figure.summary}"
    else:
        kind = _TYPES[figure.kind]
        text = figure.summary[0].upper() + figure.summary[1:]
        text += f" ({figure.unit})" if figure.unit in _UNITS else ""
    text = textwrap.indent(textwrap.fill(f"{text}. {figure.details}".strip(), 91), " " * 4)
    return f"{figure.name} : {kind}\n{text}\n"


@dataclass(frozen=True, slots=True)
class LatencySummary:
    """The distribution of a latency in figures, all in nanoseconds but the count."""

    mean: float  #: Mean
    mean_half_width: float  #: Half the width of the mean's 95 % confidence interval
    p50: float  #: p50, p95, p99: percentiles
    p95: float
    p99: float
    max: float  #: Largest
    count: int  #: Packets measured


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many packets had which latency; empty bins are left out.

    Lower edges of the bins are in nanoseconds, ascending; counts are packets in each bin.
    """

    lower_edges_ns: list[float]
    counts: list[int]

    def __repr__(self) -> str:
        """Tell what it holds, not every bin of it."""
        if not self.counts:
            return "<Histogram of 0 packets>"
        first, last = self.lower_edges_ns[0], self.lower_edges_ns[-1]
        return f"<Histogram of {sum(self.counts)} packets, from {first:g} to {last:g} ns>"


@dataclass(frozen=True, slots=True)
class WaitingPacket:
    """A packet of a deadlock: it holds a channel and waits for ever for the next.

    Channels are named as ``sw0[3] → sw1[4]``, hosts by their names; the sequence is the number of
    the packet among those of its source, from 0.
    """

    held: str
    wanted: str
    source: str
    destination: str
    sequence: int


def empty(name: str) -> Callable[[], NDArray[Any]]:
    """Return what makes an array of a figure of which nothing is given."""

    def made() -> NDArray[Any]:
        figure = ARRAYS[name]
        return read_numbers(b"", figure.dtype, (0,) * len(figure.axes))

    return made


#: What makes a value of a figure's kind from plain data, where that is not the value itself.
_MADE: dict[str, Callable[[Any], Any]] = {
    "waiting": lambda packets: [WaitingPacket(**packet) for packet in packets],
    "latency": lambda parts: LatencySummary(**parts),
    "histogram": lambda members: Histogram(**members),
}


class MeasuredFigures:
    """What a measurement does with its figures, whatever they are."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Show everything but :meth:`arrays`, which have an entry per channel or host."""
        shown = (f"{name}={getattr(self, name)!r}" for name in self._names())
        return f"{type(self).__name__}({', '.join(shown)})"

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the figures per channel and per host, as arrays by name."""
        return {name: getattr(self, name) for name in ARRAYS}

    def to_dict(self) -> dict[str, Any]:
        """Return everything but :meth:`arrays` as dictionaries, lists, texts and numbers."""
        return {name: _plain(getattr(self, name)) for name in self._names()}

    @classmethod
    def from_dict(
        cls, values: dict[str, Any], arrays: dict[str, NDArray[Any]] | None = None
    ) -> Self:
        """Restore what :meth:`to_dict` and :meth:`arrays` gave; arrays left out become empty."""
        restored: dict[str, Any] = {
            name: array_of(array, ARRAYS[name].dtype) for name, array in (arrays or {}).items()
        }
        for figure in FIGURES:
            if not figure.axes:
                value = values[figure.name]
                restored[figure.name] = _MADE.get(figure.kind, lambda same: same)(value)
        return cls(**restored)

    @staticmethod
    def _names() -> list[str]:
        return [figure.name for figure in FIGURES if not figure.axes]


def _plain(value: Any) -> Any:  # noqa: ANN401 - a figure of any type
    """Turn dataclasses, also in lists, into dictionaries; what they hold is flat or a list."""
    if isinstance(value, (LatencySummary, Histogram, WaitingPacket)):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, list):
        is_flat = not value or isinstance(value[0], (int, float, str))
        return list(value) if is_flat else [_plain(item) for item in value]
    return value
