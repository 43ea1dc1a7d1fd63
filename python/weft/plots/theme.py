"""Colours, marks and text sizes that every chart of Weft shares.

The colours are told apart by people with any of the common colour-vision deficiencies and every
routing has a shape of its own beside its colour, so a chart also reads in black and white.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

ROUTING_COLOURS: tuple[str, ...] = (
    "#2D69B4",  # blue
    "#B43C00",  # vermillion
    "#69965A",  # green
    "#C378A5",  # reddish purple
    "#000000",  # black
    "#3C96E1",  # sky blue
    "#C36900",  # orange
    "#4B2D87",  # indigo
    "#872D5A",  # wine
    "#787878",  # grey
    "#96960F",  # olive
    "#00A578",  # teal
)
"""Colours of the routings in the order of the study.

They are those of Okabe and Ito, then of Tol's muted scheme, as near as a contrast of 3 to white
paper, and of what dark pages make of them to these, lets them be.
"""

ROUTING_SHAPES: tuple[str, ...] = ("o", "s", "^", "D", "P", "v", ">", "<", "*", "X", "p", "h")
"""Shapes of the routings in the same order, as matplotlib names its markers."""

ROUTING_DASHES: tuple[tuple[int, ...], ...] = (
    (),
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
"""Line patterns where there is no room for shapes: CSS pixels drawn and left out by turns."""

HEAT_COLOURS: tuple[str, ...] = ("#c4ced8", "#f0c04a", "#e2702f", "#b01d3a", "#3d0a26")
"""From idle to busy; each is darker than the one before, so the order survives without colour."""

TEXT_COLOUR = "#1b1f24"
QUIET_COLOUR = "#5b6470"
GRID_COLOUR = "#e3e6ea"
AXIS_COLOUR = "#8a939e"

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif"
"""What an SVG asks for; it is laid out with DejaVu Sans, the widest of them."""

PT = 0.75
"""Points to a CSS pixel."""

Entry = TypeVar("Entry")


def entries(labels: Sequence[str], palette: Sequence[Entry]) -> dict[str, Entry]:
    """Give every routing its entry of a palette, by its place among all `labels` of the study.

    The palette starts again after its last entry.
    """
    return {label: palette[index % len(palette)] for index, label in enumerate(labels)}


def settings(name: str, *, is_printed: bool) -> dict[Any, Any]:
    """Return the settings of matplotlib a chart is drawn by, for a screen or for a paper.

    Text stays text in an SVG, the ids in it follow from the `name` of the chart and what is drawn.
    """
    label, title = (10, 10.5) if is_printed else (12, 13)
    return {
        "font.family": ["DejaVu Sans"],
        "text.color": TEXT_COLOUR,
        "text.parse_math": False,  # a name may have dollars
        "axes.edgecolor": AXIS_COLOUR,
        "axes.labelcolor": TEXT_COLOUR,
        "axes.labelsize": title * PT,
        # Each font in a PDF costs as much as the rest of it.
        "axes.labelweight": "normal" if is_printed else "bold",
        "axes.linewidth": PT,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.unicode_minus": False,
        "grid.color": GRID_COLOUR,
        "grid.linewidth": PT,
        "xtick.color": AXIS_COLOUR,
        "ytick.color": AXIS_COLOUR,
        "xtick.labelcolor": TEXT_COLOUR,
        "ytick.labelcolor": TEXT_COLOUR,
        "xtick.labelsize": label * PT,
        "ytick.labelsize": label * PT,
        "legend.fontsize": label * PT,
        "legend.title_fontsize": (10 if is_printed else 12) * PT,
        "legend.frameon": False,
        "lines.solid_capstyle": "round",
        "lines.scale_dashes": False,
        "svg.fonttype": "none",
        "svg.hashsalt": f"{name} printed" if is_printed else name,
        "pdf.fonttype": 42,
    }
