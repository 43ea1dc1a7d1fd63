"""Colours, marks and text sizes that every chart of Weft shares.

The colours are told apart by people with any of the common colour-vision deficiencies and every
routing has a shape of its own beside its colour, so a chart also reads in black and white.
"""

from __future__ import annotations

from typing import Any

import altair as alt

ROUTING_COLOURS: tuple[str, ...] = (
    "#0072B2",  # blue
    "#D55E00",  # vermillion
    "#009E73",  # bluish green
    "#CC79A7",  # reddish purple
    "#000000",  # black
    "#56B4E9",  # sky blue
    "#E69F00",  # orange
    "#332288",  # indigo
    "#882255",  # wine
    "#777777",  # grey
    "#999933",  # olive
    "#44AA99",  # teal
)
"""Colours of the routings in the order of the study (Okabe and Ito, then Tol's muted scheme)."""

ROUTING_SHAPES: tuple[str, ...] = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
    "M0,-1L0.588,0.809L-0.951,-0.309L0.951,-0.309L-0.588,0.809Z",  # five-pointed star
    "M-1,-0.35L1,-0.35L1,0.35L-1,0.35Z",  # lying bar
    "M-0.35,-1L0.35,-1L0.35,1L-0.35,1Z",  # standing bar
    "M-1,-1L1,1L1,-1L-1,1Z",  # hourglass
)
"""Shapes of the routings in the same order, as Vega-Lite names them."""

ROUTING_DASHES: tuple[tuple[int, ...], ...] = (
    (1, 0),
    (8, 3),
    (3, 2),
    (8, 3, 2, 3),
    (12, 3),
    (1, 2),
    (6, 2, 1, 2, 1, 2),
    (14, 3, 3, 3),
    (4, 6),
    (2, 5),
    (10, 6),
    (5, 2, 2, 2),
)
"""Line patterns of the routings where there is no room for shapes."""

HEAT_COLOURS: tuple[str, ...] = ("#c4ced8", "#f0c04a", "#e2702f", "#b01d3a", "#3d0a26")
"""From idle to busy; each is darker than the one before, so the order survives without colour."""

TEXT_COLOUR = "#1b1f24"
QUIET_COLOUR = "#5b6470"
GRID_COLOUR = "#e3e6ea"

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif"


def routing_scale(
    labels: list[str], values: tuple[Any, ...], shown: list[str] | None = None
) -> alt.Scale:
    """Give every routing its entry of a palette, by its place among all `labels` of the study.

    The palette starts again after its last entry; `shown` are the labels of the chart, by default
    all.
    """
    entry = {label: values[index % len(values)] for index, label in enumerate(labels)}
    domain = list(labels) if shown is None else [label for label in labels if label in shown]
    return alt.Scale(domain=domain, range=[entry[label] for label in domain])


def config() -> dict[str, Any]:
    """Return the Vega-Lite configuration of all charts; sizes are in CSS pixels."""
    return {
        "background": "#ffffff",
        "font": FONT,
        "padding": {"left": 4, "top": 4, "right": 14, "bottom": 4},
        "view": {"stroke": None},
        "axis": {
            "labelColor": TEXT_COLOUR,
            "labelFontSize": 12,
            "titleColor": TEXT_COLOUR,
            "titleFontSize": 13,
            "titleFontWeight": 600,
            "titlePadding": 10,
            "gridColor": GRID_COLOUR,
            "domainColor": "#8a939e",
            "tickColor": "#8a939e",
            "labelOverlap": True,
        },
        "legend": {
            "labelColor": TEXT_COLOUR,
            "labelFontSize": 12,
            "labelLimit": 280,
            "titleColor": TEXT_COLOUR,
            "titleFontSize": 12,
            "titleFontWeight": 600,
            "symbolSize": 90,
            "orient": "right",
            "offset": 22,
        },
        "title": {
            "anchor": "start",
            "color": TEXT_COLOUR,
            "fontSize": 16,
            "fontWeight": 600,
            "subtitleColor": QUIET_COLOUR,
            "subtitleFontSize": 12.5,
            "subtitlePadding": 5,
            "offset": 14,
        },
        "text": {"color": TEXT_COLOUR, "fontSize": 11},
    }


def vega_lite_version() -> str:
    """Return the version of Vega-Lite that the charts are written for, as ``6.4``."""
    return ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
