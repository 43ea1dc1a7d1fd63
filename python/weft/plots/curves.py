"""Latency against accepted traffic, and accepted against offered traffic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from weft._numbers import quantity, with_half_width
from weft.plots import rows as study_rows
from weft.plots.assembly import grouped, look_of, named_axes, numbers
from weft.plots.chart import Chart, tag
from weft.plots.theme import PT, QUIET_COLOUR, TEXT_COLOUR

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from weft.plots.assembly import Look
    from weft.plots.chart import Sheet
    from weft.plots.rows import Curves

HEIGHT = 400

MOST_TIMES_UNLOADED = 30.0
"""The latency axis ends at this multiple of the smallest latency."""

TRAFFIC_UNIT = "bytes/ns/switch"

_FILL_OF_STATE = {
    study_rows.STEADY: 1.0,
    study_rows.UNSETTLED: 0.45,
    study_rows.BEYOND: 0.0,
    study_rows.DEADLOCKED: 0.0,
}


def latency_chart(results: Curves, what: str = "routing") -> Chart:
    """Draw mean latency from generation to delivery against accepted traffic, for all routings.

    Latency is in ns, traffic in bytes/ns/switch; bars are 95 % confidence intervals. The latency
    axis is logarithmic and ends a little above the largest steady latency: beyond saturation the
    latency grows with the length of the run, so those points are drawn hollow. Points above the
    axis stand on its upper edge. `what` tells the curves apart, as the legend calls it.
    """
    rows = _latency_rows(results)
    low, high = latency_limits(rows)
    for row in rows:
        row["shown"] = min(row["latency"], high)
        row["bar_low"] = max(row["latency"] - row["latency_half_width"], low)
        row["bar_high"] = min(row["latency"] + row["latency_half_width"], high)
        row["above"] = row["latency"] > high
    y = "mean latency from generation to delivery (ns)"
    title = "Latency against accepted traffic"
    return _latency_chart(results, rows, what, "latency", title, y, (low, high))


def longest_chart(results: Curves, what: str = "routing") -> Chart:
    """Draw the longest latency of any packet against accepted traffic, for all routings.

    Arguments and axes are those of `latency_chart`. What is longest grows with the packets
    measured, so that only points of about as many compare.
    """
    rows = _latency_rows(results)
    low, high = latency_limits([{**row, "latency": row["latency_max"]} for row in rows])
    for row in rows:
        row["shown"] = min(row["latency_max"], high)
        row["above"] = row["latency_max"] > high
    y = "longest latency from generation to delivery (ns)"
    title = "Longest latency against accepted traffic"
    return _latency_chart(results, rows, what, "longest", title, y, (low, high))


def _latency_chart(
    results: Curves,
    rows: list[dict[str, Any]],
    what: str,
    name: str,
    title: str,
    y: str,
    limits: tuple[float, float],
) -> Chart:
    _mark_tails(rows)

    def draw(sheet: Sheet) -> None:
        axes = sheet.axes
        axes.set_yscale("log")
        axes.set_ylim(limits)
        axes.yaxis.set_major_locator(FixedLocator(_ticks(*limits)))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: grouped(value)))
        _draw_curves(sheet, results, rows, "accepted", "shown", what)
        named_axes(axes, f"accepted traffic ({TRAFFIC_UNIT})", y)

    return Chart(name, [title], _latency_notes(rows), rows, draw, HEIGHT, key_title=what)


def _latency_rows(results: Curves) -> list[dict[str, Any]]:
    return [row for row in study_rows.point_rows(results) if row["latency"] is not None]


def _latency_notes(rows: list[dict[str, Any]]) -> list[str]:
    notes = [_states_in_words(rows)]
    if any(row["above"] for row in rows):
        notes.append("Marks on the upper edge lie above the axis: there, queues keep growing.")
    return notes


def accepted_chart(results: Curves, what: str = "routing") -> Chart:
    """Draw accepted against offered traffic for all routings, both in bytes/ns/switch.

    The dotted diagonal is where everything offered is accepted. `what` tells the curves apart, as
    the legend calls it.
    """
    rows = study_rows.point_rows(results)
    _mark_tails(rows)
    largest = max((row["offered"] for row in rows), default=1.0)
    reach = max((row["accepted"] for row in rows), default=1.0)
    end = min(largest, 1.05 * reach)

    def draw(sheet: Sheet) -> None:
        axes = sheet.axes
        axes.plot(
            [0.0, end], [0.0, end], color=QUIET_COLOUR, linewidth=1.5 * PT,
            linestyle=(0.0, (2 * PT, 4 * PT)), gid="weft-diagonal",
        )  # fmt: skip
        _draw_curves(sheet, results, rows, "offered", "accepted", what)
        axes.set_ylim(0.0, 1.06 * reach)
        numbers(axes.yaxis, is_printed=sheet.is_printed)
        named_axes(axes, f"offered traffic ({TRAFFIC_UNIT})", f"accepted traffic ({TRAFFIC_UNIT})")

    note = f"Dotted: everything offered is accepted. A curve leaves it where its {what} saturates."
    title = "Accepted against offered traffic"
    return Chart("accepted", [title], [note], rows, draw, HEIGHT, key_title=what)


def _states_in_words(rows: list[dict[str, Any]]) -> str:
    """Say how the states that occur are drawn."""
    words = {
        study_rows.STEADY: "Filled: steady, bar = 95 % confidence interval.",
        study_rows.UNSETTLED: "Pale: budget spent, interval still wide.",
        study_rows.BEYOND: "Hollow, dashed: beyond saturation.",
        study_rows.DEADLOCKED: "✕: deadlocked.",
    }
    present = {row["state"] for row in rows}
    return " ".join(words[state] for state in study_rows.STATES if state in present)


def latency_limits(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """Choose the ends of the logarithmic latency axis, in ns.

    Just below saturation the latency of a steady point, too, is hundreds of times that of an empty
    network; the axis ends earlier, so that it does not flatten the rest.
    """
    settled = [row for row in rows if row["state"] in (study_rows.STEADY, study_rows.UNSETTLED)]
    considered = settled or rows
    if not considered:
        return 1_000.0, 10_000.0
    smallest = min(row["latency"] for row in rows)
    largest = max(row["latency"] + row["latency_half_width"] for row in considered)
    low = 0.8 * smallest
    return low, min(max(1.3 * largest, 4.0 * smallest), MOST_TIMES_UNLOADED * smallest)


def _ticks(low: float, high: float) -> list[float]:
    """Return 1, 2, 5, 10, … within the axis, or only powers of ten when it is long."""
    steps = (1, 2, 5) if high / low < 1_000 else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [step * 10.0**power for power in powers for step in steps]
    return [tick for tick in ticks if low <= tick <= high]


def _draw_curves(
    sheet: Sheet, results: Curves, rows: list[dict[str, Any]], x: str, y: str, what: str
) -> None:
    """Draw the points of every routing with their bars, and the lines that join them.

    The settled points are joined by a line that goes on from the last of them dashed.
    """
    axes = sheet.axes
    own_rows: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        own_rows.setdefault(row["routing"], []).append(row)
    for look in look_of(results):
        sheet.keys.append(look.key(marker=True))
        own = own_rows.get(look.label, [])
        mark = tag(routing=look.place)
        colour, layer = look.colour, 2.0 + 0.1 * look.place
        for which, style in (
            ("tail", {"linewidth": 1.4 * PT, "alpha": 0.65, "linestyle": _BEYOND_DASHES}),
            ("joined", {"linewidth": 2.0 * PT, "alpha": 0.9}),
        ):
            line = [(row[x], row[y]) for row in own if row[which]]
            if len(line) > 1:
                axes.plot(*zip(*line, strict=True), color=colour, zorder=layer, gid=mark, **style)
        bars = [row for row in own if "bar_low" in row and row["settled"] and not row["above"]]
        if bars:
            axes.vlines(
                [row[x] for row in bars],
                [row["bar_low"] for row in bars],
                [row["bar_high"] for row in bars],
                colors=colour, linewidth=1.5 * PT, alpha=0.75, zorder=layer + 0.02, gid=mark,
            )  # fmt: skip
        for row in own:
            _draw_mark(axes, look, row, (row[x], row[y]), layer + 0.04, _point_tip(row, what))
    axes.set_xlim(0.0, 1.04 * max((row[x] for row in rows), default=1.0))
    numbers(axes.xaxis, is_printed=sheet.is_printed)


#: Diamonds look larger than what is as wide, stars smaller.
_SIZES = {"D": 0.82, "*": 1.25}

_BEYOND_DASHES = (0.0, (4 * PT, 4 * PT))


def _draw_mark(
    axes: Axes,
    look: Look,
    row: dict[str, Any],
    place: tuple[float, float],
    layer: float,
    tip: list[str],
) -> None:
    """Draw a point: full, pale or hollow by what became of it; on the upper edge a small one."""
    mark = tag(routing=look.place, tip=tip)
    if row["state"] == study_rows.DEADLOCKED:
        axes.text(
            *place, "✕", size=15 * PT, weight="bold", ha="center", va="center_baseline",
            color=TEXT_COLOUR, zorder=layer, gid=mark,
        )  # fmt: skip
    share = _FILL_OF_STATE[row["state"]]
    red, green, blue = (1.0 - share * (1.0 - part) for part in to_rgb(look.colour))
    # The axes' limits are set, so they need not grow by each of hundreds of points.
    axes.add_artist(
        Line2D(
            [place[0]],
            [place[1]],
            marker=look.shape,
            markersize=(5.5 if row.get("above") else 8.5) * PT * _SIZES.get(look.shape, 1.0),
            markerfacecolor=(red, green, blue),
            markeredgecolor=look.colour,
            markeredgewidth=1.6 * PT,
            linestyle="none",
            clip_on=False,
            zorder=layer - 0.01 if row["state"] == study_rows.DEADLOCKED else layer,
            gid=mark,
        )
    )


def _point_tip(row: dict[str, Any], what: str) -> list[str]:
    """Tell the figures of a point, one a line."""

    def written(value: float | None, form: str) -> str:
        return "–" if value is None else f"{value:{form}}"

    return [
        f"{what}: {row['routing']}",
        f"load: {quantity(100 * row['load'])} % of the host link rate",
        f"offered: {quantity(row['offered'])} {TRAFFIC_UNIT}",
        f"accepted: {with_half_width(row['accepted'], row['accepted_half_width'])} {TRAFFIC_UNIT}",
        f"mean latency: {written(row['latency'], ',.0f')} ± {row['latency_half_width']:,.0f} ns",
        f"99th percentile: {written(row['latency_p99'], ',.0f')} ns",
        f"longest latency: {written(row['latency_max'], ',.0f')} ns",
        f"mean network latency: {written(row['network_latency'], ',.0f')} ns",
        f"packets measured: {row['packets']:,}, seeds: {row['seeds']}",
        f"ended: {row['reason']}",
    ]


def _mark_tails(rows: list[dict[str, Any]]) -> None:
    """Say which points the solid line joins, and which the dashed line beyond it.

    Both end where a curve leaves the axis: what follows would run along the edge.
    """
    by_routing: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_routing.setdefault(row["routing"], []).append(row)
    for own in by_routing.values():
        leaves = [index for index, row in enumerate(own) if row.get("above")]
        end = leaves[0] if leaves else len(own)
        for index, row in enumerate(own):
            row["settled"] = row["state"] in (study_rows.STEADY, study_rows.UNSETTLED)
            row["joined"] = row["settled"] and index <= end
        last = max((index for index, row in enumerate(own) if row["joined"]), default=0)
        for index, row in enumerate(own):
            row["tail"] = last <= index <= end
