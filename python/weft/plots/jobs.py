"""The fabric coloured by job: who uses which channels, and where several do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.plots.drawing import WIRE_COLOUR, Paint, wiring_of
from weft.plots.theme import ROUTING_COLOURS
from weft.plots.views import stroke_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fabric import Fabric
    from weft.jobs import JobsRun
    from weft.plots.chart import Chart
    from weft.plots.strokes import Stroke

__all__ = ["SHARED_COLOUR", "colour_of_job", "jobs_chart"]

SHARED_COLOUR = "#c8102e"
"""Of a channel that several jobs use."""


def colour_of_job(number: int) -> str:
    """Return the colour of a job by its number; many share those there are."""
    colours = [colour for colour in ROUTING_COLOURS if colour != SHARED_COLOUR]
    return colours[number % len(colours)]


def jobs_chart(fabric: Fabric, run: JobsRun) -> Chart:
    """Draw a fabric, its channels in the colours of the jobs whose messages cross them.

    A channel of several jobs has a colour of its own; the wider, the more bytes cross it. Where
    cables are bundled a stroke stands for all of them.
    """
    wiring = wiring_of(fabric)
    strokes = wiring.drawn.strokes
    bytes_of = [
        [_bytes(run, number, stroke) for number in range(len(run.jobs))] for stroke in strokes
    ]
    most = max((sum(own) for own in bytes_of), default=0.0) or 1.0
    paint = Paint(
        [_colour(own) for own in bytes_of], [(sum(own) / most) ** 0.5 for own in bytes_of]
    )
    names = [stroke_name(fabric, stroke, wiring.drawn.names) for stroke in strokes]
    rows: list[dict[str, Any]] = [
        {"name": names[number], "links": strokes[number].links, "x": x, "y": y}
        for number, path in wiring.traced
        for x, y in path
    ]
    tips = [_tip(names[number], bytes_of[number], run) for number, _ in wiring.traced]
    notes = ["A channel of several jobs is red; the wider, the more bytes cross it."]
    title = f"{fabric.name}: channels by job"
    return wiring.chart([title], notes, rows, tips, paint=paint)


def _bytes(run: JobsRun, job: int, stroke: Stroke) -> float:
    load = run.jobs[job].load
    return 0.0 if load is None else float(load.channel_bytes[list(stroke.channels)].sum())


def _colour(own: Sequence[float]) -> str:
    users = [number for number, found in enumerate(own) if found > 0]
    if not users:
        return WIRE_COLOUR
    return colour_of_job(users[0]) if len(users) == 1 else SHARED_COLOUR


def _tip(name: str, own: Sequence[float], run: JobsRun) -> str:
    users = [
        f"{run.jobs[number].job.name}: {found:,.0f} bytes"
        for number, found in enumerate(own)
        if found > 0
    ]
    return "\n".join([name, *(users or ["no job"])])
