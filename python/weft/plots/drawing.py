"""The fabric drawn as it is wired, its channels coloured by utilization where that is known."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.errors import ResultsError
from weft.plots import loads as study_loads
from weft.plots import rows as study_rows
from weft.plots.assembly import layered, quantity_told, word_told
from weft.plots.layout import layout
from weft.plots.marks import switch_marks
from weft.plots.strokes import MAX_STROKES, busiest, pieces, stroke_gap, strokes
from weft.plots.theme import HEAT_COLOURS, TEXT_COLOUR
from weft.plots.views import Views, peak_utilization, scale_end, stroke_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from weft.fabric import Fabric
    from weft.plots.marks import SwitchMarks
    from weft.plots.strokes import Stroke
    from weft.plots.theme import Spec
    from weft.results import Results

WIRE_COLOUR = "#b4bcc6"
"""Of a channel without a figure."""

#: Names of the data: pieces of strokes, figures of strokes, switches.
_PIECES, _FIGURES, _SWITCHES = "pieces", "figures", "switches"


def utilized(results: Results, routing: str | None = None, load: float | None = None) -> Spec:
    """Draw the fabric, its channels coloured by utilization in percent of the time.

    By default it is that of the simulated routing with the largest throughput. The simulated load
    nearest to the one given (fraction of the host link rate) is drawn, by default the one that
    `weft.plots.loads.drawing_load` chooses. Every link is two strokes, one for each direction;
    traffic keeps right. Hosts are counted in the tooltip of their switch. A label that no simulated
    routing has is a `ResultsError`.
    """
    known = [entry.label for entry in study_rows.simulated(results)]
    if routing is not None and routing not in known:
        message = (
            f"found no simulated routing {routing!r} in the results, "
            f"expected one of: {', '.join(known) or 'none was simulated'}"
        )
        raise ResultsError(message)
    chosen_load = study_loads.drawing_load(results, load)
    label = routing if routing is not None else study_rows.best_label(results)
    if label is None or chosen_load is None:
        return drawing(results, Views([], []))
    return drawing(results, Views([label], [chosen_load]))


def drawing(results: Results, views: Views, routing_index: int = 0, load_index: int = 0) -> Spec:
    """Draw the fabric with several utilizations to choose from; without colours where none is.

    The chart's parameters ``routing_index`` and ``load_index`` choose among the views.
    """
    sheet = _sheet(results.fabric, lambda: peak_utilization(results, views))
    rows = stroke_rows(results, sheet.drawn, views)
    spec = sheet.chart(
        _channel_layers(sheet, rows, views),
        _title(results, views),
        _subtitle(views, sheet),
        routing_index=routing_index,
        load_index=load_index,
    )
    if views.count:
        spec["datasets"][_FIGURES] = rows
    return spec


def wiring(fabric: Fabric) -> Spec:
    """Draw a fabric as it is wired, without any figures of its channels.

    A grid is drawn as its grid, a tree-like fabric in rows, anything else by its distances.
    """
    sheet = _sheet(fabric, lambda: np.zeros(fabric.channel_count))
    title = f"{fabric.name}: {fabric.switch_count:,} switches, {fabric.host_count:,} hosts"
    return sheet.chart([_bare_wires(sheet)], title, _subtitle(Views([], []), sheet))


@dataclass(frozen=True)
class _Sheet:
    """What every drawing of one fabric has in common."""

    width: float
    height: float
    drawn: list[Stroke]
    wired_count: int
    traced: list[dict[str, float]]
    wires: Spec  # encoding of the pieces of strokes
    stroke_width: float
    switches: list[dict[str, Any]]
    switch_layers: list[Spec]

    def chart(
        self,
        channel_layers: list[Spec],
        title: str | Spec,
        subtitle: str,
        **parameters: object,
    ) -> Spec:
        """Put the switches above the channels."""
        return layered(
            [*channel_layers, *self.switch_layers],
            {_PIECES: self.traced, _SWITCHES: self.switches},
            {"text": title, "subtitle": subtitle},
            (self.width, self.height),
            parameters,
        )


def _sheet(fabric: Fabric, peak: Callable[[], NDArray[np.float64]]) -> _Sheet:
    """Place switches and strokes; of too many strokes those stay whose ``peak`` is highest."""
    page = layout(fabric)
    marks = switch_marks(fabric, page)
    wired = strokes(fabric)
    drawn = busiest(wired, peak()) if len(wired) > MAX_STROKES else wired
    gap = stroke_gap(drawn, page)
    traced = [
        {"s": piece.stroke, "x": piece.x, "y": piece.y, "x2": piece.x2, "y2": piece.y2}
        for piece in pieces(drawn, page, gap, marks.clearance)
    ]
    height = page.height + marks.room_below
    x, y = _on_paper("x", page.width), _on_paper("y", height)
    return _Sheet(
        page.width,
        height,
        drawn,
        len(wired),
        traced,
        {"x": x, "y": y, "x2": {"field": "x2"}, "y2": {"field": "y2"}},
        float(np.clip(0.85 * gap, 1.5, 4.6)),
        marks.rows,
        _switch_layers(marks, x, y),
    )


def _on_paper(field: str, end: float) -> Spec:
    """Place by CSS pixels from the upper left corner."""
    domain = [end, 0] if field == "y" else [0, end]
    return {
        "field": field,
        "type": "quantitative",
        "axis": None,
        "scale": {"domain": domain, "nice": False, "zero": False},
    }


def _bare_wires(sheet: _Sheet) -> Spec:
    mark = {
        "type": "rule",
        "strokeWidth": 0.5 * sheet.stroke_width,
        "color": WIRE_COLOUR,
        "strokeCap": "butt",
    }
    return {"mark": mark, "encoding": sheet.wires}


def _channel_layers(sheet: _Sheet, rows: list[dict[str, Any]], views: Views) -> list[Spec]:
    """Draw the channels: bare wires where a figure is missing, coloured ones over them."""
    is_complete = views.count > 0 and all(None not in row["utilization"] for row in rows)
    bare = _bare_wires(sheet)
    if not views.count:
        return [bare]
    view = _view_expression(views)
    figures = {
        "lookup": "s",
        "from": {
            "data": {"name": _FIGURES},
            "key": "s",
            "fields": ["name", "links", "utilization", "blocked"],
        },
    }
    coloured = {
        "mark": {"type": "rule", "strokeCap": "butt"},
        "transform": [
            figures,
            {"calculate": f"datum.utilization[{view}]", "as": "u"},
            {"calculate": f"datum.blocked[{view}]", "as": "b"},
            # A field of its own: the same one would merge into the legend and spoil its gradient.
            {"calculate": "datum.u", "as": "busy"},
            {"filter": "isValid(datum.u)"},
        ],
        "encoding": {**sheet.wires, **_by_utilization(sheet, rows, views)},
    }
    return [coloured] if is_complete else [bare, coloured]


def _by_utilization(sheet: _Sheet, rows: list[dict[str, Any]], views: Views) -> Spec:
    """Encode how busy a channel is by colour and width, the busiest above."""
    ends = json.dumps([scale_end(rows, views, load) for load in range(len(views.loads))])
    axis = {"domainMin": 0, "domainMax": {"expr": f"{ends}[load_index]"}}
    width = sheet.stroke_width
    return {
        "color": {
            "field": "u",
            "type": "quantitative",
            "title": "utilization (% of time)",
            "scale": {
                **axis,
                "range": list(HEAT_COLOURS),
                "interpolate": "rgb",
                "clamp": True,
                "nice": False,
            },
            "legend": {
                "type": "gradient",
                "orient": "bottom",
                "direction": "horizontal",
                "gradientLength": 300,
                "gradientThickness": 12,
                "format": ".3~g",
                "titleLimit": 400,
                "offset": 10,
            },
        },
        "strokeWidth": {
            "field": "busy",
            "type": "quantitative",
            "scale": {**axis, "range": [0.5 * width, width], "clamp": True, "nice": False},
            "legend": None,
        },
        "order": {"field": "u", "type": "quantitative"},
        "tooltip": [
            word_told("name", "channel"),
            quantity_told("links", "parallel links"),
            quantity_told("u", "utilization (% of time)", ".1f"),
            quantity_told("b", "blocked (% of time)", ".1f"),
        ],
    }


def _view_expression(views: Views) -> str:
    return f"routing_index * {len(views.loads)} + load_index"


def _title(results: Results, views: Views) -> str | Spec:
    """Say which routing is drawn at which load; a choice changes it."""
    texts = [f"{results.fabric.name}: {text}" for text in views.texts(results)]
    if not texts:
        return f"{results.fabric.name}: wiring, no routing was simulated"
    if len(texts) == 1:
        return texts[0]
    return {"expr": f"{json.dumps(texts)}[{_view_expression(views)}]"}


def _subtitle(views: Views, sheet: _Sheet) -> str:
    """Say what the colours mean, how directions are told apart and what is left out."""
    what = "Channels by utilization. " if views.count else ""
    drawn_count, wired_count = len(sheet.drawn), sheet.wired_count
    if drawn_count < wired_count:
        which = "The busiest" if views.count else "The first"
        return f"{what}{which} {drawn_count:,} of {wired_count:,} strokes; traffic keeps right."
    return f"{what}Two strokes to a link, one for each direction: traffic keeps right."


def _switch_layers(marks: SwitchMarks, x: Spec, y: Spec) -> list[Spec]:
    """Draw the switches above the channels, with their names where there is room."""
    data = {"name": _SWITCHES}
    layers: list[Spec] = [
        {
            "data": data,
            "mark": {
                "type": "point",
                "filled": True,
                "strokeWidth": 1.3,
                "stroke": TEXT_COLOUR,
                "opacity": 1,
            },
            "encoding": {
                "x": x,
                "y": y,
                "size": {"field": "area", "type": "quantitative", "scale": None},
                "shape": {"field": "shape", "type": "nominal", "scale": None},
                "fill": {"field": "fill", "type": "nominal", "scale": None},
                "tooltip": [
                    word_told("name", "switch"),
                    quantity_told("hosts", "hosts"),
                    quantity_told("links", "links to switches"),
                ],
            },
        }
    ]
    encoding = {"x": x, "y": y, "text": {"field": "label", "type": "nominal"}}
    halo = {"stroke": "#ffffff", "strokeWidth": 3.5}
    for style in marks.label_styles:
        layers += [
            {
                "data": data,
                "mark": {"type": "text", **colours, **style.options},
                "transform": [{"filter": f"datum.style === {style.number}"}],
                "encoding": encoding,
            }
            for colours in ([halo] if style.halo else []) + [{"color": TEXT_COLOUR}]
        ]
    return layers
