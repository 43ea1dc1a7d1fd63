"""The fabric drawn as it is wired, its channels coloured by utilization where that is known."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.ticker import MaxNLocator

from weft.errors import ResultsError
from weft.plots import loads as study_loads
from weft.plots import rows as study_rows
from weft.plots.assembly import grouped
from weft.plots.chart import LEAST_LETTERS, Chart, tag
from weft.plots.marks import switch_marks
from weft.plots.outline import outline
from weft.plots.strokes import pieces, stroke_gap
from weft.plots.theme import HEAT_COLOURS, PT, TEXT_COLOUR
from weft.plots.views import Views, scale_end, stroke_name, stroke_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from weft.fabric import Fabric
    from weft.plots.chart import Sheet
    from weft.plots.marks import SwitchMarks
    from weft.plots.outline import Outline
    from weft.results import Results

BUNDLE_GAP = 1.1
"""Between the two directions of a bundle at least, in CSS pixels."""

BUSY_WIDTH = 1.5
"""Of a stroke as busy as can be, at least, in CSS pixels: it is seen among thousands."""

WIRE_COLOUR = "#87919c"
"""Of a channel without a figure."""


def fabric_chart(results: Results, routing: str | None = None, load: float | None = None) -> Chart:
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


def drawing(results: Results, views: Views, routing_index: int = 0, load_index: int = 0) -> Chart:
    """Draw the fabric with several utilizations to choose from; without colours where none is.

    A page lets choose among the views, routings and loads.
    """
    wiring = wiring_of(results.fabric)
    rows = stroke_rows(results, wiring.drawn.strokes, views, wiring.drawn.names)
    if not views.count:
        title = f"{results.fabric.name}: wiring, no routing was simulated"
        tips = [_tip(rows[number]) for number, _ in wiring.traced]
        return wiring.chart([title], _notes(views, wiring), rows, tips)
    view = routing_index * len(views.loads) + load_index
    ends = [scale_end(rows, views, load) for load in range(len(views.loads))]
    # The busiest come last, above the others.
    shares = [row["utilization"][view] for row in rows]
    order = sorted(range(len(rows)), key=lambda number: shares[number] or 0.0)
    heat = _Heat(shares, ends, load_index, {number: place for place, number in enumerate(order)})
    ordered = sorted(wiring.traced, key=lambda traced: heat.order[traced[0]])
    chart = wiring.chart(
        [f"{results.fabric.name}: {text}" for text in views.texts(results)],
        _notes(views, wiring),
        rows,
        [_tip(rows[number], view) for number, _ in ordered],
        heat,
        view=view,
    )
    chart.members["utilization"] = {
        "strokes": [number for number, _ in ordered],
        "names": [row["name"] for row in rows],
        "links": [row["links"] for row in rows],
        "utilization": list(zip(*(row["utilization"] for row in rows), strict=True)),
        "blocked": list(zip(*(row["blocked"] for row in rows), strict=True)),
        "ends": ends,
        "loads": len(views.loads),
        "colours": HEAT_COLOURS,
        "none": WIRE_COLOUR,
        "widths": [width * PT for width in wiring.widths],
        "idle": wiring.idle,
        "narrow": chart.scale_in_column,
    }
    return chart


def wiring_chart(fabric: Fabric) -> Chart:
    """Draw a fabric as it is wired, without any figures of its channels.

    A grid is drawn as its grid, a tree-like fabric in rows, anything else by its distances. One too
    large for a mark a switch and a stroke a cable is drawn by groups of switches, and bundles.
    """
    wiring = wiring_of(fabric)
    title = f"{fabric.name}: {fabric.switch_count:,} switches, {fabric.host_count:,} hosts"
    named = [
        {"name": stroke_name(fabric, stroke, wiring.drawn.names), "links": stroke.links}
        for stroke in wiring.drawn.strokes
    ]
    rows = [{**named[number], "x": x, "y": y} for number, path in wiring.traced for x, y in path]
    tips = [_tip(named[number]) for number, _ in wiring.traced]
    return wiring.chart([title], _notes(Views([], []), wiring), rows, tips)


def _tip(row: dict[str, Any], view: int | None = None) -> str:
    """Say what a stroke stands for, and how busy it is in a view."""
    text = row["name"] if row["links"] == 1 else f"{row['name']}: {row['links']:,} links"
    if view is None or row["utilization"][view] is None:
        return str(text)
    busy, blocked = row["utilization"][view], row["blocked"][view]
    if row["links"] == 1:
        return f"{text}\nutilization {busy:g} %, blocked {blocked:g} % of time"
    mean = row["mean"][view]
    return (
        f"{text}\nutilization of the busiest {busy:g} %, mean {mean:g} %; blocked at most "
        f"{blocked:g} % of time"
    )


@dataclass(frozen=True)
class _Heat:
    """How busy the strokes are in the view drawn, and the ends of the scales of all loads."""

    shares: list[float | None]  # of each stroke, in percent
    ends: list[float]
    load_index: int
    order: dict[int, int]  # in which strokes are drawn


@dataclass(frozen=True)
class Paint:
    """The colour of each stroke, and how much of its width it takes, from 0 to 1."""

    colours: list[str]
    parts: list[float]


@dataclass(frozen=True)
class Wiring:
    """What every drawing of one fabric has in common; lengths in CSS pixels, y downwards."""

    width: float
    height: float
    drawn: Outline
    traced: list[tuple[int, list[tuple[float, float]]]]  # number of a stroke and where it runs
    widths: list[float]  # of the strokes
    idle: float  # share of it that a channel without traffic has
    marks: SwitchMarks

    def chart(
        self,
        titles: list[str],
        notes: list[str],
        rows: list[dict[str, Any]],
        tips: list[str],
        heat: _Heat | None = None,
        view: int = 0,
        paint: Paint | None = None,
    ) -> Chart:
        """Draw the channels, above them the switches, and below what the colours mean.

        Tips are those of what is traced, in the order in which it is drawn.
        """
        height = self.height + (_SCALE_HEIGHT if heat is not None else 0)

        def draw(sheet: Sheet) -> None:
            sheet.axes.set_axis_off()
            sheet.axes.set_xlim(0, self.width)
            sheet.axes.set_ylim(height, 0)
            _draw_strokes(sheet, self, heat, paint)
            _draw_switches(sheet, self.marks)
            if heat is not None:
                _draw_scale(sheet, heat, self.width, self.height)

        members = {
            f"switches-{shape}": [row["text"] for row in self.marks.rows if row["shape"] == shape]
            for shape in ("circle", "square")
        }
        return Chart(
            "fabric",
            titles,
            notes,
            rows,
            draw,
            round(height),
            round(self.width),
            view=view,
            is_drawing=True,
            loads=0 if heat is None else len(heat.ends),
            members=members,
            tips={**members, "utilization" if heat else "channels": tips},
        )


#: Room for the scale below a drawing, in CSS pixels, and its length where there is room.
_SCALE_HEIGHT, _SCALE_TOP, _SCALE_LENGTH = 72, 36, 300

_STOPS = np.array([[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in HEAT_COLOURS])


def _colour(share: float) -> str:
    """Return the colour of a share of the scale, between its stops; a page mixes them likewise."""
    at = min(share, 1.0) * (len(_STOPS) - 1)
    before = min(int(at), len(_STOPS) - 2)
    mixed = _STOPS[before] + (at - before) * (_STOPS[before + 1] - _STOPS[before])
    return "#" + "".join(f"{int(part + 0.5):02x}" for part in mixed)


def wiring_of(fabric: Fabric) -> Wiring:
    """Place marks and strokes; a bundle is wider the more cables it has."""
    drawn = outline(fabric)
    marks = switch_marks(drawn.marks, drawn.page)
    gap = (
        stroke_gap(drawn.strokes, drawn.page, BUNDLE_GAP)
        if drawn.is_aggregated
        else stroke_gap(drawn.strokes, drawn.page)
    )
    traced: list[tuple[int, list[tuple[float, float]]]] = []
    for piece in pieces(drawn.strokes, drawn.page, gap, marks.clearance, marks.ring):
        start, end = (piece.x, piece.y), (piece.x2, piece.y2)
        if traced and traced[-1][0] == piece.stroke and traced[-1][1][-1] == start:
            traced[-1][1].append(end)
        else:
            traced.append((piece.stroke, [start, end]))
    width = float(np.clip(0.85 * gap, BUSY_WIDTH, 4.6))
    widths, idle = [width] * len(drawn.strokes), 0.5 * min(0.85 * gap / width, 1.0)
    if drawn.is_aggregated:
        width, idle = min(0.85 * gap, 4.6), 1.0
        most = max(
            (stroke.links for stroke in drawn.strokes if stroke.source != stroke.target), default=1
        )
        widths = [
            marks.ring
            if stroke.source == stroke.target
            else width * (0.25 + 0.75 * (stroke.links / most) ** 0.5)
            for stroke in drawn.strokes
        ]
    return Wiring(
        drawn.page.width,
        drawn.page.height + marks.room_below,
        drawn,
        traced,
        widths,
        idle,
        marks,
    )


def _draw_strokes(sheet: Sheet, wiring: Wiring, heat: _Heat | None, paint: Paint | None) -> None:
    """Draw the channels: bare wires where there is no figure, coloured and wider the busier."""
    traced = wiring.traced
    shares: list[float | None] = [None] * len(wiring.widths)
    if heat is not None:
        traced = sorted(traced, key=lambda entry: heat.order[entry[0]])
        end = heat.ends[heat.load_index]
        shares = [None if share is None else min(share / end, 1.0) for share in heat.shares]
    parts = [shares[number] for number, _ in traced]
    colours = [WIRE_COLOUR if part is None else _colour(part) for part in parts]
    if paint is not None:
        parts = [paint.parts[number] for number, _ in traced]
        colours = [paint.colours[number] for number, _ in traced]
    widths = [
        wiring.widths[number] * PT * sheet.scale * (wiring.idle + (1 - wiring.idle) * (part or 0.0))
        for (number, _), part in zip(traced, parts, strict=True)
    ]
    lines = LineCollection(
        [path for _, path in traced],
        colors=colours,
        linewidths=widths,
        capstyle="butt",
        gid=tag(members="channels" if heat is None else "utilization"),
    )
    sheet.axes.add_collection(lines, autolim=False)


def _draw_switches(sheet: Sheet, marks: SwitchMarks) -> None:
    """Draw the switches, with their names where there is room."""
    axes = sheet.axes
    for shape, marker in (("circle", "o"), ("square", "s")):
        rows = [row for row in marks.rows if row["shape"] == shape]
        if not rows:
            continue
        # Areas are those of a circle of 4 over pi, and of a square.
        side = np.sqrt([row["area"] for row in rows]) * PT * sheet.scale
        axes.scatter(
            [row["x"] for row in rows], [row["y"] for row in rows],
            s=side**2, marker=marker, c=[row["fill"] for row in rows],
            edgecolors=TEXT_COLOUR, linewidths=1.3 * PT * sheet.scale, zorder=3,
            gid=tag(members=f"switches-{shape}"),
        )  # fmt: skip
    halo = {"facecolor": "#ffffff", "edgecolor": "none", "alpha": 0.75, "pad": 0.4}
    names = marks.names(sheet.scale, LEAST_LETTERS if sheet.is_printed else 0.0)
    for mark, style in sorted(names, key=lambda name: name[1].number):
        row = marks.rows[mark]
        axes.annotate(
            row["label"],
            (row["x"], row["y"]),
            _turned(style.dx, style.dy, style.angle, PT),
            textcoords="offset points",
            size=style.font_size * PT,
            rotation=-style.angle,
            rotation_mode="anchor",
            ha=style.align,
            va=_BASELINES[style.baseline],
            bbox=halo if style.halo else None,
            zorder=4,
        )


_BASELINES = {"top": "top", "middle": "center_baseline", "bottom": "bottom"}


def _turned(dx: float, dy: float, angle: float, scale: float) -> tuple[float, float]:
    """Return where a name stands from its switch, y upwards: the offset turns with the text."""
    turn = np.radians(angle)
    x, y = dx * np.cos(turn) - dy * np.sin(turn), dx * np.sin(turn) + dy * np.cos(turn)
    return float(x * scale), float(-y * scale)


def _draw_scale(sheet: Sheet, heat: _Heat, width: float, top: float) -> None:
    """Draw what the colours mean: a strip, with the figures of each load to choose from below."""
    axes: Axes = sheet.axes
    length, count = min(_SCALE_LENGTH, 0.9 * width), 60
    left = (width - length) / 2
    edges = left + np.linspace(0.0, length, count + 1)
    y = top + _SCALE_TOP
    strip = LineCollection(
        [[(start, y), (end + 0.5, y)] for start, end in pairwise(edges)],
        colors=[_colour((number + 0.5) / count) for number in range(count)],
        linewidths=12 * PT * sheet.scale,
        capstyle="butt",
    )
    axes.add_collection(strip, autolim=False)
    size = max(12 * sheet.scale, LEAST_LETTERS) * PT
    weight = "normal" if sheet.is_printed else "bold"
    axes.text(
        left + length / 2,
        y - 12,
        "utilization (% of time)",
        size=size,
        ha="center",
        va="bottom",
        weight=weight,
    )
    for load, end in enumerate(heat.ends):
        for value in MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]).tick_values(0.0, end):
            if 0.0 <= value <= end:
                x = left + value / end * length
                axes.text(
                    x, y + 10, grouped(value), size=size, ha="center", va="top", gid=tag(load=load)
                )


def _notes(views: Views, wiring: Wiring) -> list[str]:
    """Say what marks, widths and colours mean, and how directions are told apart."""
    what = "Channels by utilization. " if views.count else ""
    if not wiring.drawn.is_aggregated:
        return [f"{what}Two strokes to a link, one for each direction: traffic keeps right."]
    busy = "coloured by its busiest channel; " if views.count else ""
    how = f"A stroke is a bundle one way, wider the more cables, {busy}traffic keeps right."
    return [*wiring.drawn.notes, how]
