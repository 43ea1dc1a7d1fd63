"""The fabric drawn as it is wired, its channels coloured by utilization where that is known."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from weft.errors import ResultsError
from weft.plots import loads as study_loads
from weft.plots import rows as study_rows
from weft.plots.layout import layout
from weft.plots.marks import switch_marks
from weft.plots.strokes import MAX_STROKES, busiest, pieces, stroke_gap, strokes
from weft.plots.theme import HEAT_COLOURS, TEXT_COLOUR, config
from weft.plots.views import Views, peak_utilization, scale_end, stroke_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from weft.fabric import Fabric
    from weft.plots.marks import SwitchMarks
    from weft.plots.strokes import Stroke
    from weft.results import Results

WIRE_COLOUR = "#b4bcc6"
"""Of a channel without a figure."""


def fabric_chart(
    results: Results, routing: str | None = None, load: float | None = None
) -> alt.LayerChart:
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


def drawing(
    results: Results, views: Views, routing_index: int = 0, load_index: int = 0
) -> alt.LayerChart:
    """Draw the fabric with several utilizations to choose from; without colours where none is.

    The chart's parameters ``routing_index`` and ``load_index`` choose among the views.
    """
    sheet = _sheet(results.fabric, lambda: peak_utilization(results, views))
    rows = stroke_rows(results, sheet.drawn, views)
    channel_layers = _channel_layers(sheet.wires, rows, views, sheet.stroke_width)
    chart: alt.LayerChart = (
        sheet.chart(channel_layers, _title(results, views), _subtitle(views, sheet))
        .add_params(
            alt.param(name="routing_index", value=routing_index),
            alt.param(name="load_index", value=load_index),
        )
        .configure(**config())
    )
    # The large data come last: every step above copies the chart with all that it holds.
    chart.data = alt.InlineData(values=sheet.traced)
    if views.count:
        coloured = chart.layer[len(channel_layers) - 1]
        coloured.transform = [_figures_of_strokes(rows), *coloured.transform]
    return chart


def wiring_chart(fabric: Fabric) -> alt.LayerChart:
    """Draw a fabric as it is wired, without any figures of its channels.

    A grid is drawn as its grid, a tree-like fabric in rows, anything else by its distances.
    """
    sheet = _sheet(fabric, lambda: np.zeros(fabric.channel_count))
    title = f"{fabric.name}: {fabric.switch_count:,} switches, {fabric.host_count:,} hosts"
    wires = _bare_wires(sheet.wires, sheet.stroke_width)
    chart: alt.LayerChart = sheet.chart([wires], title, _subtitle(Views([], []), sheet)).configure(
        **config()
    )
    chart.data = alt.InlineData(values=sheet.traced)
    return chart


@dataclass(frozen=True)
class _Sheet:
    """What every drawing of one fabric has in common."""

    width: float
    height: float
    drawn: list[Stroke]
    wired_count: int
    traced: list[dict[str, float]]
    wires: alt.Chart
    stroke_width: float
    switch_layers: list[alt.Chart]

    def chart(
        self, channel_layers: list[alt.Chart], title: str | alt.ExprRef, subtitle: str
    ) -> alt.LayerChart:
        """Put the switches above the channels."""
        return alt.LayerChart(
            layer=[*channel_layers, *self.switch_layers],
            width=self.width,
            height=self.height,
            title=alt.TitleParams(text=title, subtitle=subtitle),
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
    x_scale = alt.Scale(domain=[0, page.width], nice=False, zero=False)
    y_scale = alt.Scale(domain=[height, 0], nice=False, zero=False)
    wires = alt.Chart().encode(
        x=alt.X("x:Q", axis=None, scale=x_scale),
        y=alt.Y("y:Q", axis=None, scale=y_scale),
        x2=alt.X2("x2:Q"),
        y2=alt.Y2("y2:Q"),
    )
    return _Sheet(
        page.width,
        height,
        drawn,
        len(wired),
        traced,
        wires,
        float(np.clip(0.85 * gap, 1.5, 4.6)),
        _switch_layers(marks, x_scale, y_scale),
    )


def _bare_wires(wires: alt.Chart, width: float) -> alt.Chart:
    bare: alt.Chart = wires.mark_rule(strokeWidth=0.5 * width, color=WIRE_COLOUR, strokeCap="butt")
    return bare


def _figures_of_strokes(rows: list[dict[str, Any]]) -> alt.LookupTransform:
    """Join the pieces of a stroke with its name and figures."""
    fields = ["name", "links", "utilization", "blocked"]
    figures = alt.LookupData(data=alt.InlineData(values=rows), key="s", fields=fields)
    lookup: dict[str, Any] = {"lookup": "s", "from": figures}  # `from` is a word of Python
    return alt.LookupTransform(**lookup)


def _channel_layers(
    wires: alt.Chart, rows: list[dict[str, Any]], views: Views, width: float
) -> list[alt.Chart]:
    """Draw the channels: bare wires where a figure is missing, coloured ones over them."""
    is_complete = views.count > 0 and all(None not in row["utilization"] for row in rows)
    bare = _bare_wires(wires, width)
    if not views.count:
        return [bare]
    view = _view_expression(views)
    ends = json.dumps([scale_end(rows, views, load) for load in range(len(views.loads))])
    end = alt.ExprRef(f"{ends}[load_index]")
    coloured = (
        wires.transform_calculate(u=f"datum.utilization[{view}]", b=f"datum.blocked[{view}]")
        # A field of its own: the same one would merge into the legend and spoil its gradient.
        .transform_calculate(busy="datum.u")
        .transform_filter("isValid(datum.u)")
        .mark_rule(strokeCap="butt")
        .encode(
            color=alt.Color(
                "u:Q",
                title="utilization (% of time)",
                scale=alt.Scale(
                    domainMin=0,
                    domainMax=end,
                    range=list(HEAT_COLOURS),
                    interpolate="rgb",
                    clamp=True,
                    nice=False,
                ),
                legend=alt.Legend(
                    type="gradient",
                    orient="bottom",
                    direction="horizontal",
                    gradientLength=300,
                    gradientThickness=12,
                    format=".3~g",
                    titleLimit=400,
                    offset=10,
                ),
            ),
            strokeWidth=alt.StrokeWidth(
                "busy:Q",
                scale=alt.Scale(
                    domainMin=0, domainMax=end, range=[0.5 * width, width], clamp=True, nice=False
                ),
                legend=None,
            ),
            order=alt.Order("u:Q"),
            tooltip=[
                alt.Tooltip("name:N", title="channel"),
                alt.Tooltip("links:Q", title="parallel links"),
                alt.Tooltip("u:Q", title="utilization (% of time)", format=".1f"),
                alt.Tooltip("b:Q", title="blocked (% of time)", format=".1f"),
            ],
        )
    )
    return [coloured] if is_complete else [bare, coloured]


def _view_expression(views: Views) -> str:
    return f"routing_index * {len(views.loads)} + load_index"


def _title(results: Results, views: Views) -> str | alt.ExprRef:
    """Say which routing is drawn at which load; a choice changes it."""
    texts = [f"{results.fabric.name}: {text}" for text in views.texts(results)]
    if not texts:
        return f"{results.fabric.name}: wiring, no routing was simulated"
    if len(texts) == 1:
        return texts[0]
    return alt.ExprRef(f"{json.dumps(texts)}[{_view_expression(views)}]")


def _subtitle(views: Views, sheet: _Sheet) -> str:
    """Say what the colours mean, how directions are told apart and what is left out."""
    what = "Channels by utilization. " if views.count else ""
    drawn_count, wired_count = len(sheet.drawn), sheet.wired_count
    if drawn_count < wired_count:
        which = "The busiest" if views.count else "The first"
        return f"{what}{which} {drawn_count:,} of {wired_count:,} strokes; traffic keeps right."
    return f"{what}Two strokes to a link, one for each direction: traffic keeps right."


def _switch_layers(marks: SwitchMarks, x_scale: alt.Scale, y_scale: alt.Scale) -> list[alt.Chart]:
    """Draw the switches above the channels, with their names where there is room."""
    data = alt.InlineData(values=marks.rows)
    x, y = alt.X("x:Q", axis=None, scale=x_scale), alt.Y("y:Q", axis=None, scale=y_scale)
    layers = [
        alt.Chart(data)
        .mark_point(filled=True, strokeWidth=1.3, stroke=TEXT_COLOUR, opacity=1)
        .encode(
            x=x,
            y=y,
            size=alt.Size("area:Q", scale=None),
            shape=alt.Shape("shape:N", scale=None),
            fill=alt.Fill("fill:N", scale=None),
            tooltip=[
                alt.Tooltip("name:N", title="switch"),
                alt.Tooltip("hosts:Q", title="hosts"),
                alt.Tooltip("links:Q", title="links to switches"),
            ],
        )
    ]
    for style in marks.label_styles:
        placed = alt.Chart(data).transform_filter(f"datum.style === {style.number}")
        text = alt.Text("label:N")
        if style.halo:
            halo = placed.mark_text(stroke="#ffffff", strokeWidth=3.5, **style.options)
            layers.append(halo.encode(x=x, y=y, text=text))
        name = placed.mark_text(color=TEXT_COLOUR, **style.options)
        layers.append(name.encode(x=x, y=y, text=text))
    return layers
