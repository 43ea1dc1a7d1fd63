"""What the charts of routings share: the mark of a routing, a title with the load, the frame."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

import altair as alt

from weft.plots.loads import where_text
from weft.plots.rows import routing_labels, simulated
from weft.plots.theme import ROUTING_COLOURS, config, routing_scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.plots.rows import Curves

__all__ = ["by_routing", "framed", "short", "title_at"]

WIDTH = 800

Channel = TypeVar("Channel", alt.Color, alt.Stroke, alt.Fill, alt.Shape, alt.StrokeDash)


def by_routing(
    results: Curves,
    channel: type[Channel],
    palette: tuple[Any, ...] = ROUTING_COLOURS,
    title: str = "routing",
    **options: Any,  # noqa: ANN401 - what Altair takes beside
) -> Channel:
    """Encode the routing by one channel; equal titles and domains merge into one legend."""
    shown = [entry.label for entry in simulated(results)]
    scale = routing_scale(routing_labels(results), palette, shown)
    return channel("routing:N", title=title, sort=shown, scale=scale, **options)


def title_at(title: str, loads: Sequence[float], chosen_index: int) -> str | alt.ExprRef:
    """Say at which load a chart shows its figures; of several, its ``load_index`` tells."""
    texts = [where_text(load) for load in loads]
    if len(texts) > 1:
        return alt.ExprRef(f"{json.dumps(title)} + ', ' + {json.dumps(texts)}[load_index]")
    return f"{title}, {texts[chosen_index] if texts else 'no load'}"


def framed(
    layers: alt.LayerChart | alt.FacetChart,
    rows: list[dict[str, Any]],
    title: str | alt.ExprRef,
    subtitle: str | list[str],
    height: int,
    **parameters: object,
) -> alt.LayerChart:
    """Give layers their common rows, title, size and parameters with their first values."""
    chart: alt.LayerChart = (
        layers.add_params(*(alt.param(name=name, value=at) for name, at in parameters.items()))
        .properties(
            width=WIDTH, height=height, title=alt.TitleParams(text=title, subtitle=subtitle)
        )
        .configure(**config())
    )
    chart.data = alt.InlineData(values=rows)  # last: every step above copies what is there
    return chart


def short(value: float) -> float:
    """Keep four significant digits: more cannot be seen and only make the page larger."""
    return float(f"{value:.4g}")
