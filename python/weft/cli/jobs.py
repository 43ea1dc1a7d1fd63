"""``weft jobs``: several programs at once, and what each costs the others."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from weft._numbers import counted, in_percent, milliseconds
from weft.cli.ends import is_in_order, print_end
from weft.cli.errors import PROPERTY_DOES_NOT_HOLD
from weft.cli.machines import machine_pairs, machine_text
from weft.cli.named_types import ROUTING
from weft.cli.networks import EventOptions, JobsOptions, Network
from weft.cli.options import (
    WRITTEN,
    Options,
    command,
    flag,
    group,
    json_flag,
    option,
)
from weft.cli.output import (
    Column,
    emit_json,
    picked,
    print_pairs,
    print_table,
    say,
    words,
)
from weft.jobs import read_jobs, run_jobs
from weft.jobs.verdict import JobsRow, best_of, verdict_text
from weft.placement import PLACEMENTS
from weft.report.jobs import write_jobs_report
from weft.timeline import TimelineDetail, write_timeline

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.fabric import Fabric
    from weft.jobs import JobRun, JobsRun

__all__ = ["jobs"]

#: What a placement is called that the file of jobs says.
_AS_TOLD = "as told"


class _Options(Options):
    on: JobsOptions = group(JobsOptions)
    routings: Sequence[str] = option(
        "The routing, or a file of routes; repeat to compare several.",
        "--routing",
        metavar="SPEC|FILE",
        type=ROUTING,
        multiple=True,
        required=True,
    )
    placements: Sequence[str] = option(
        "Hosts of the jobs that name none: "
        + ", ".join(PLACEMENTS)
        + "; repeat to compare several."
        " As the file says by default.",
        "--placement",
        type=click.Choice(list(PLACEMENTS)),
        multiple=True,
    )
    together: bool = flag("Leave out the runs of each job by itself.", "--together-only")
    events: EventOptions = group(EventOptions)
    timeline: Path | None = option(
        "Write what ranks did and which messages went when, in the first run, for Perfetto.",
        type=WRITTEN,
    )
    page: Path | None = option(
        "Also write the comparison as one HTML file.", "--report", type=WRITTEN
    )
    as_json: bool = json_flag()


class _Run(NamedTuple):
    """The jobs on a network in a placement."""

    network: Network
    placement: str
    found: JobsRun


@command(_Options)
def jobs(options: _Options) -> None:
    """Run several jobs at once, and tell what each costs the others.

    JOBS is a file of jobs (TOML): programs with their hosts, starts and repetitions, and traffic
    beside them; the guide on applications describes it. Each job is run by itself, too, on the same
    hosts: slowdown is its time beside the others over that. Several routings and placements are
    compared in one table. A job loses most to the other without which, all else alike, it takes
    least; beside it stands the cable on which it can wait longest for others. Exit code 1 when a
    job does not come to its end, or a message is never received.

    \b
    Examples:
      weft jobs cluster.ibnetdiscover jobs.toml --routing best
      weft jobs cluster.ibnetdiscover jobs.toml --routing min_hop --routing best \\
          --placement linear --placement scattered --placement packed --report jobs.html
    """
    networks = options.on.routed(options.routings)
    fabric = networks[0].fabric
    nodes = options.on.computers.nodes(fabric)
    events, retries = options.events.on(fabric)
    runs: list[_Run] = []
    file = read_jobs(options.on.file, fabric)
    for placement in options.placements or (None,):
        told = file if placement is None else file.placed(placement)
        for network in networks:
            is_kept = options.timeline is not None and not runs
            found = run_jobs(
                *network,
                told.jobs,
                background=told.background,
                messaging=options.on.layer.parameters,
                nodes=nodes,
                alone=not options.together,
                timeline=TimelineDetail() if is_kept else None,
                events=events,
                retries=retries,
            )
            runs.append(_Run(network, placement or _AS_TOLD, found))
    rows = [JobsRow(run.network.routing.label, run.placement, run.found) for run in runs]
    timeline = runs[0].found.replay.timeline
    if options.timeline is not None and timeline is not None:
        write_timeline(options.timeline, timeline)
    if options.page is not None:
        machine = machine_text(networks[0].machine)
        write_jobs_report(rows, fabric, options.page, title=options.on.file.name, machine=machine)
    if options.as_json:
        emit_json("jobs", {"jobs": options.on.file, "runs": [_document(run) for run in runs]})
    else:
        _print(options.on.file, fabric, networks, rows)
        if timeline is not None:
            say(f"\n{options.timeline}: {timeline.told()}")
    if not all(is_in_order(run.found.replay) for run in runs):
        click.get_current_context().exit(PROPERTY_DOES_NOT_HOLD)


def _print(
    path: Path, fabric: Fabric, networks: Sequence[Network], rows: Sequence[JobsRow]
) -> None:
    first = rows[0].found
    ranks = sum(run.job.ranks for run in first.jobs)
    of_all = f"{counted(len(first.jobs), 'job')}, {counted(ranks, 'rank')}"
    say(f"{path}: {of_all}, on {fabric.name}")
    pairs = machine_pairs([(network.fabric, network.machine) for network in networks[:1]])
    if first.background is not None:
        traffic = first.background
        pairs["beside them"] = f"{traffic.pattern} traffic, {in_percent(traffic.load)} of each link"
    print_pairs(pairs)
    columns = [
        *words("routing", "placement", "job"),
        Column("ranks"),
        Column("time", "ms"),
        Column("alone", "ms"),
        Column("slowdown"),
        *words("loses most to", "waits most at"),
    ]
    table = []
    for row in rows:
        for run in row.found.jobs:
            worst = run.shared[0] if run.shared else None
            table.append(
                [
                    row.routing,
                    row.placement,
                    run.job.name,
                    str(run.job.ranks),
                    milliseconds(run.duration_ns, row.found.replay.end),
                    milliseconds(run.alone_ns),
                    _factor(run.slowdown),
                    _loses_to(run),
                    "–" if worst is None else worst.name,
                ]
            )
    print_table(columns, table)
    for row in rows:
        of_jobs = [(run.job.name, run.job.ranks) for run in row.found.jobs]
        print_end(f"{row.routing}, placed {row.placement}", row.found.replay, of_jobs)
    best = best_of(rows)
    if best is not None:
        say(f"\n{verdict_text(rows, best)}")


def _factor(slowdown: float) -> str:
    return f"{slowdown:.3f}" if math.isfinite(slowdown) else "–"


def _loses_to(run: JobRun) -> str:
    """Name the other that costs a job most."""
    lost = {name: ns for name, ns in run.lost_to_ns.items() if ns > 0}
    return max(lost, key=lambda name: lost[name], default="–")


def _document(run: _Run) -> dict[str, Any]:
    found = run.found
    return {
        **run.network.document(),
        "placement": run.placement,
        "end": found.replay.end,
        "end_ns": found.end_ns,
        **picked(found.replay, "out_of_order_share", "out_of_order_distance"),
        "jobs": [_job_document(job) for job in found.jobs],
    }


def _job_document(run: JobRun) -> dict[str, Any]:
    job = run.job
    return {
        "name": job.name,
        "ranks": job.ranks,
        "hosts": list(job.hosts),
        "repetitions": job.repetitions,
        "start_ns": job.start_ns,
        "duration_ns": run.duration_ns,
        "alone_ns": run.alone_ns,
        "slowdown": run.slowdown,
        "lost_ns": run.lost_ns,
        "parts_ns": run.parts_ns,
        "alone_parts_ns": run.alone_parts_ns,
        "lost_to_ns": run.lost_to_ns,
        "shared_cables": [asdict(cable) for cable in run.shared],
    }
