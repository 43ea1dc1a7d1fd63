"""What the charts of routings share: the mark of a routing, a title with the load, the frame.

A chart is a specification in Vega-Lite, as plain lists and dictionaries: the page hands it to Vega,
`weft.plots.svg` draws it for files, `weft.plots.altair_charts` makes an Altair chart of it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from weft.plots.loads import where_text
from weft.plots.rows import routing_labels, simulated
from weft.plots.theme import ROUTING_COLOURS, VEGA_LITE, config, routing_scale

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.plots.rows import Curves
    from weft.plots.theme import Spec

__all__ = ["by_routing", "framed", "layered", "quantity_told", "short", "title_at", "word_told"]

WIDTH = 800


def by_routing(
    results: Curves,
    palette: tuple[Any, ...] = ROUTING_COLOURS,
    title: str = "routing",
    legend: Spec | None = None,
) -> Spec:
    """Encode the routing by one channel; equal titles and domains merge into one legend."""
    shown = [entry.label for entry in simulated(results)]
    scale = routing_scale(routing_labels(results), palette, shown)
    encoded = {
        "field": "routing",
        "type": "nominal",
        "title": title,
        "sort": shown,
        "scale": scale,
    }
    return encoded if legend is None else encoded | {"legend": legend}


def quantity_told(field: str, title: str, form: str | None = None) -> Spec:
    """Name a number in the tooltip, in one of D3's formats."""
    told = {"field": field, "type": "quantitative", "title": title}
    return told if form is None else told | {"format": form}


def word_told(field: str, title: str) -> Spec:
    """Name a text in the tooltip."""
    return {"field": field, "type": "nominal", "title": title}


def title_at(title: str, loads: Sequence[float], chosen_index: int) -> str | Spec:
    """Say at which load a chart shows its figures; of several, its ``load_index`` tells."""
    texts = [where_text(load) for load in loads]
    if len(texts) > 1:
        return {"expr": f"{json.dumps(title)} + ', ' + {json.dumps(texts)}[load_index]"}
    return f"{title}, {texts[chosen_index] if texts else 'no load'}"


def framed(
    layers: list[Spec],
    rows: list[dict[str, Any]],
    title: str | Spec,
    subtitle: str | list[str],
    height: int,
    **parameters: object,
) -> Spec:
    """Give layers their common rows, title, size and parameters with their first values."""
    heading = {"text": title, "subtitle": subtitle}
    return layered(layers, {"rows": rows}, heading, (WIDTH, height), parameters)


def layered(
    layers: list[Spec],
    tables: dict[str, list[dict[str, Any]]],
    heading: Spec,
    size: tuple[float, float],
    parameters: Mapping[str, object],
) -> Spec:
    """Put layers into one chart; the first of the tables is the one of layers without data."""
    spec: Spec = {
        "$schema": f"https://vega.github.io/schema/vega-lite/v{VEGA_LITE}.json",
        "config": config(),
        "title": heading,
        "width": size[0],
        "height": size[1],
        "data": {"name": next(iter(tables))},
        "layer": layers,
        "datasets": tables,
    }
    if parameters:
        spec["params"] = [{"name": name, "value": at} for name, at in parameters.items()]
    return spec


def short(value: float) -> float:
    """Keep four significant digits: more cannot be seen and only make the page larger."""
    return float(f"{value:.4g}")
