"""A chart made ready for drawing: the rows of each layer, and the scales that layers share."""

from __future__ import annotations

from collections import ChainMap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft.plots.svg.expressions import evaluator
from weft.plots.svg.scales import Band, Continuous, blend, nice_ends

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weft.plots.theme import Spec

__all__ = ["Layer", "Prepared"]

Row = dict[str, Any]

#: Gaps of bands, as shares of the distance from band to band: where bands are parted again.
_GAP_OF_PARTED = 0.2

#: Marks that stand on the zero of their axis.
_FROM_ZERO = {"bar"}


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer with the rows it shows."""

    mark: Spec
    encoding: Spec
    rows: list[Row]

    def field(self, channel: str) -> str | None:
        """Return the field that a channel shows, if any."""
        name: str | None = self.encoding.get(channel, {}).get("field")
        return name


class Prepared:
    """A chart whose rows are chosen and whose scales are known, on paper of this size."""

    def __init__(self, spec: Spec, width: float, height: float) -> None:
        self.spec = spec
        self.width = width
        self.height = height
        self.parameters = {given["name"]: given["value"] for given in spec.get("params", [])}
        self.layers = [self._layer(layer) for layer in spec["layer"]]
        self.x = self._scale("x", (0.0, width))
        self.y = self._scale("y", (height, 0.0))
        self.offsets = self._offsets()

    def text_of(self, text: str | Spec) -> str:
        """Return a text that a parameter may choose."""
        return text if isinstance(text, str) else str(self.computed(text["expr"]))

    def computed(self, expression: str, row: Row | None = None) -> Any:  # noqa: ANN401
        """Return what an expression comes to, for a row or for the chart."""
        names = self.parameters if row is None else ChainMap({"datum": row}, self.parameters)
        return evaluator(expression)(names)

    def encoded(self, channel: str) -> Spec:
        """Return what the layers say of a channel, the first to say something counting."""
        merged: Spec = {}
        for layer in self.layers:
            for key, value in layer.encoding.get(channel, {}).items():
                merged.setdefault(key, value)
        return merged

    def place(self, layer: Layer, channel: str, row: Row) -> float:
        """Return where a row lies along x or y: of a band the middle."""
        scale = self.x if channel[0] == "x" else self.y
        value: Any = row[layer.encoding[channel]["field"]]
        if isinstance(scale, Continuous):
            return scale(value)
        if channel == "x" and self.offsets is not None:
            return scale(value) + self.offsets.middle(row[layer.encoding["xOffset"]["field"]])
        return scale.middle(value)

    def looked_up(self, encoding: Spec, row: Row) -> Any:  # noqa: ANN401 - a colour, shape, width
        """Return how a channel shows a row: its value where the channel has no scale."""
        if "field" not in encoding:
            condition = encoding.get("condition")
            if condition is not None and self.computed(condition["test"], row):
                return condition["value"]
            return encoding["value"]
        value: Any = row.get(encoding["field"])
        scale: Any = encoding.get("scale")
        if scale is None:
            return value
        if "domain" in scale:
            domain, palette = scale["domain"], scale["range"]
            return palette[domain.index(value)] if value in domain else None
        low, high, palette = *self.ends(scale), scale["range"]
        measured = Continuous(low, high, 0.0, 1.0, is_clamped=True)(value)
        if isinstance(palette[0], str):
            return blend(palette, measured)
        return palette[0] + measured * (palette[1] - palette[0])

    def ends(self, scale: Spec) -> tuple[float, float]:
        """Return the ends of a scale that has them named one by one."""
        low, high = scale["domainMin"], scale["domainMax"]
        return low, self.computed(high["expr"]) if isinstance(high, dict) else high

    def _layer(self, layer: Spec) -> Layer:
        table = (layer.get("data") or self.spec["data"])["name"]
        rows = list(self.spec["datasets"][table])
        for step in [*self.spec.get("transform", []), *layer.get("transform", [])]:
            rows = self._transformed(rows, step)
        return Layer(layer["mark"], layer["encoding"], rows)

    def _transformed(self, rows: list[Row], step: Spec) -> list[Row]:
        if "filter" in step:
            return [row for row in rows if self.computed(step["filter"], row)]
        if "calculate" in step:
            name = step["as"]
            return [{**row, name: self.computed(step["calculate"], row)} for row in rows]
        source = step["from"]
        others = {row[source["key"]]: row for row in self.spec["datasets"][source["data"]["name"]]}
        nothing = dict.fromkeys(source["fields"])
        return [
            {
                **row,
                **{
                    name: others.get(row[step["lookup"]], nothing)[name]
                    for name in source["fields"]
                },
            }
            for row in rows
        ]

    def _values(self, channel: str) -> Iterator[Any]:
        for layer in self.layers:
            for name in (channel, f"{channel}2"):
                field = layer.field(name)
                if field is not None:
                    yield from (row[field] for row in layer.rows if row[field] is not None)

    def _scale(self, channel: str, paper: tuple[float, float]) -> Continuous | Band:
        encoded = self.encoded(channel)
        if encoded["type"] != "quantitative":
            return self._bands(channel, encoded, paper)
        asked = encoded.get("scale", {})
        is_log = asked.get("type") == "log"
        if "domain" in asked:
            low, high = asked["domain"]
        else:
            values = [float(value) for value in self._values(channel)] or [0.0, 1.0]
            low, high = min(values), max(values)
            if asked.get("zero", self._from_zero(channel)):
                low, high = min(low, 0.0), max(high, 0.0)
            if low == high:
                high = low + 1.0
            if asked.get("nice", True):
                low, high = nice_ends(low, high)
        return Continuous(float(low), float(high), *paper, is_log=is_log)

    def _from_zero(self, channel: str) -> bool:
        """Tell whether an axis begins at zero where nothing is said: not along a line."""
        return not (channel == "x" and any(layer.mark["type"] == "line" for layer in self.layers))

    def _bands(self, channel: str, encoded: Spec, paper: tuple[float, float]) -> Band:
        present = dict.fromkeys(self._values(channel))
        order = encoded.get("sort")
        entries = [entry for entry in order if entry in present] if order else sorted(present)
        gap = _GAP_OF_PARTED if self.encoded("xOffset") else 0.1
        return Band(entries, *paper, inner=gap, outer=gap)

    def _offsets(self) -> Band | None:
        """Part the bands of x, where there is something to part them by."""
        encoded = self.encoded("xOffset")
        if not encoded or not isinstance(self.x, Band):
            return None
        present = {row[encoded["field"]] for layer in self.layers for row in layer.rows}
        entries = [entry for entry in encoded["sort"] if entry in present]
        return Band(entries, 0.0, self.x.width, inner=0.0, outer=0.0)
