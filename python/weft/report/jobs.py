"""The page of jobs beside one another: times, what each cost the others, where, and when."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from weft._files import write_text
from weft._numbers import MISSING, count, milliseconds, quantity
from weft.jobs import best_of, verdict_text
from weft.plots.jobs import SHARED_COLOUR, colour_of_job, jobs_chart
from weft.report.names import ShortNames
from weft.report.scripts import page_style, picture, template

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from weft.fabric import Fabric
    from weft.jobs import JobRun, JobsRow

__all__ = ["write_jobs_report"]

#: Shared cables that the page names for each job.
_MOST_CABLES = 5


def write_jobs_report(
    rows: Sequence[JobsRow],
    fabric: Fabric,
    path: str | os.PathLike[str],
    *,
    title: str,
    machine: str,
) -> None:
    """Write how jobs ran, by several routings and in several placements, as one HTML file.

    An existing file is replaced. Where the machine does not let it be written, that is an
    `EnvironmentFailure`, and an existing file is left as it was.
    """
    best = best_of(rows)
    shown = rows[0 if best is None else best]
    drawn = jobs_chart(fabric, shown.found)
    end_ns = max((row.found.end_ns for row in rows if math.isfinite(row.found.end_ns)), default=1.0)
    named = ShortNames(fabric)
    first = rows[0].found.jobs
    text = template("jobs.html").render(
        style=page_style(),
        title=title,
        machine=machine,
        fabric=fabric,
        verdict="" if best is None else verdict_text(rows, best),
        jobs=[
            {"name": run.job.name, "colour": colour_of_job(number), "ranks": count(run.job.ranks)}
            for number, run in enumerate(first)
        ],
        shared_colour=SHARED_COLOUR,
        rows=[_row(row, end_ns, named) for row in rows],
        shown=f"{shown.routing}, placed {shown.placement}",
        picture=picture(drawn.svg()),
    )
    write_text(path, text)


def _row(row: JobsRow, end_ns: float, named: ShortNames) -> dict[str, Any]:
    return {
        "routing": row.routing,
        "placement": row.placement,
        "outcome": row.found.replay.end,
        "jobs": [_job(run, number, end_ns, named) for number, run in enumerate(row.found.jobs)],
    }


def _job(run: JobRun, number: int, end_ns: float, named: ShortNames) -> dict[str, Any]:
    duration = run.duration_ns
    is_over = math.isfinite(duration)
    return {
        "name": run.job.name,
        "colour": colour_of_job(number),
        "time": milliseconds(duration),
        "alone": milliseconds(run.alone_ns),
        "lost_to": [
            {"name": name, "time": milliseconds(ns)} for name, ns in run.lost_to_ns.items()
        ],
        "slowdown": f"{run.slowdown:.3f}" if math.isfinite(run.slowdown) else MISSING,
        "before": 100 * run.job.start_ns / end_ns,
        "length": 100 * (duration if is_over else end_ns - run.job.start_ns) / end_ns,
        "alone_length": 100 * min(run.alone_ns / duration, 1.0) if run.alone_ns > 0 else 0.0,
        "cables": [
            {
                "name": named.text(cable.name),
                "whole": cable.name,
                "others": ", ".join(cable.others),
                "wait": quantity(cable.most_wait_ns / 1e3),
            }
            for cable in run.shared[:_MOST_CABLES]
        ],
    }
