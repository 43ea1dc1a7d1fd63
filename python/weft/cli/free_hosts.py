"""``weft place``: which free hosts a job should have."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from weft import _core
from weft._files import write_text
from weft._numbers import milliseconds
from weft.cli.fabric_files import EndOptions, load_fabric
from weft.cli.machines import HardwareOptions, machine_pairs
from weft.cli.named_types import ROUTING
from weft.cli.networks import ComputerOptions, MessagingOptions, routed_by, unproved_flag
from weft.cli.options import FILE, WRITTEN, Options, argument, command, group, json_flag, option
from weft.cli.output import Column, emit_json, print_pairs, print_table, say, words
from weft.errors import InputError
from weft.fabric import find_computers
from weft.jobs import place_job, read_jobs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.fabric import Fabric
    from weft.jobs import Job, PlacedJob

__all__ = ["place"]


class _Options(Options):
    fabric: Path = argument(type=FILE)
    jobs: Path = argument(type=FILE)
    job: str = argument()
    hardware: HardwareOptions = group(HardwareOptions)
    ends: EndOptions = group(EndOptions)
    layer: MessagingOptions = group(MessagingOptions)
    routing: str = option(
        "The routing, or a file of routes.", metavar="SPEC|FILE", type=ROUTING, required=True
    )
    drawn: int = option(
        "How many placements are drawn besides those of the rules.",
        type=click.IntRange(0, 10_000),
        default=6,
    )
    simulated: int = option(
        "How many of the best by the estimate are simulated.",
        "--simulate",
        type=click.IntRange(0, 10_000),
        default=3,
    )
    computers: ComputerOptions = group(ComputerOptions)
    unproved: bool = unproved_flag()
    output: Path | None = option(
        "Write the hosts, one a line, for each rank in order or each that share one.",
        "--output",
        "-o",
        type=WRITTEN,
    )
    blocks: Path | None = option(
        "Write a topology.conf of Slurm's plugin topology/block: the nodes of each leaf switch.",
        type=WRITTEN,
    )
    labels: Path | None = option(
        "Write labels weft/job, weft/switch of its nodes, as `kubectl label node` takes them.",
        type=WRITTEN,
    )
    as_json: bool = json_flag()


@command(_Options)
def place(options: _Options) -> None:
    """Choose free hosts for a job, beside the jobs that run.

    JOBS is a file of jobs as of `weft jobs`, JOB the name of the one that is to be placed; the
    others run, best on hosts that the file names. Placements by each rule, and some that are drawn,
    are ranked by an estimate from what the jobs bring onto the channels; the best few are
    simulated.
    The cost is the geometric mean of the times of all jobs.

    \b
    Examples:
      weft place cluster.ibnetdiscover jobs.toml training --routing best
      weft place cluster.ibnetdiscover jobs.toml training --routing best -o training.hosts \\
          --blocks topology.conf
    """
    options.hardware.check()
    fabric = load_fabric(options.fabric, options.ends).fabric
    machine = options.hardware.on(fabric)
    network = routed_by(fabric, machine, [options.routing], unproved=options.unproved)[0]
    told = read_jobs(options.jobs, fabric)
    job = next((job for job in told.jobs if job.name == options.job), None)
    if job is None:
        names = ", ".join(job.name for job in told.jobs)
        message = f"{options.jobs}: found no job “{options.job}”, expected one of {names}"
        raise InputError(message)
    per_host = max(Counter(job.hosts).values())
    found = place_job(
        *network,
        job,
        [other for other in told.jobs if other is not job],
        per_host=per_host,
        drawn=options.drawn,
        simulated=options.simulated,
        messaging=options.layer.parameters,
        nodes=options.computers.nodes(fabric),
    )
    best = found[0]
    nodes = _nodes(fabric, best.hosts)
    if options.output is not None:
        write_text(options.output, _lines(fabric.host_names[host] for host in _once(best.hosts)))
    if options.blocks is not None:
        write_text(options.blocks, _blocks(fabric))
    if options.labels is not None:
        write_text(options.labels, _labels(fabric, job, best.hosts))
    nodelist = _core.slurm_hostlist(nodes)
    if options.as_json:
        emit_json(
            "place",
            {
                **network.document(),
                "job": job.name,
                "nodelist": nodelist,
                "placements": [_document(one) for one in found],
            },
        )
        return
    others = len(told.jobs) - 1
    beside = f"beside {others} {'job' if others == 1 else 'jobs'}" if others else "alone"
    say(f"{job.name}: {job.ranks} ranks on {fabric.name}, {beside}")
    print_pairs(machine_pairs([(network.fabric, network.machine)]))
    _print(found)
    say(f"\n{best.placement} is best: --nodelist={nodelist}")


def _once(hosts: Sequence[int]) -> list[int]:
    return list(dict.fromkeys(hosts))


def _lines(texts: Any) -> str:  # noqa: ANN401 - whatever gives texts
    return "".join(f"{text}\n" for text in texts)


def _computers(fabric: Fabric) -> list[str]:
    """Name the computer of each host: the node, to a batch system."""
    names = fabric.host_names
    for computer in find_computers(fabric).computers:
        for host in computer.hosts:
            names[host] = computer.name
    return names


def _nodes(fabric: Fabric, hosts: Sequence[int]) -> list[str]:
    names = _computers(fabric)
    return list(dict.fromkeys(names[host] for host in hosts))


def _blocks(fabric: Fabric) -> str:
    """Write Slurm's blocks: the compute nodes of each leaf switch."""
    names, switches = _computers(fabric), fabric.host_switch.tolist()
    hosts = [host for host, reason in enumerate(fabric.host_service) if reason is None]
    hosts.sort(key=lambda host: (switches[host], host))
    lines, seen = ["# For TopologyPlugin=topology/block of slurm.conf."], set[str]()
    for number, (_, group_of) in enumerate(groupby(hosts, key=lambda host: switches[host]), 1):
        nodes = [node for node in dict.fromkeys(names[h] for h in group_of) if node not in seen]
        seen.update(nodes)
        if nodes:
            lines.append(f"BlockName=block{number} Nodes={_core.slurm_hostlist(nodes)}")
    return _lines(lines)


def _labels(fabric: Fabric, job: Job, hosts: Sequence[int]) -> str:
    """Write the labels of each node that the job has."""
    names, switches = _computers(fabric), fabric.host_switch.tolist()
    first = {names[host]: host for host in reversed(_once(hosts))}
    switch_names = fabric.switch_names
    return _lines(
        f"{node} weft/job={_label(job.name)} weft/switch={_label(switch_names[switches[host]])}"
        for node, host in reversed(first.items())
    )


def _label(text: str) -> str:
    """Return a text as a label's value: letters, digits, dots, hyphens, underscores, 63 at most."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-._") else "-" for c in text)
    return plain[:63].strip("-._") or "x"


def _print(found: Sequence[PlacedJob]) -> None:
    columns = [
        *words("placement"),
        Column("estimated", "ms"),
        Column("cost", "ms"),
        Column("simulated", "ms"),
        Column("cost", "ms"),
    ]
    rows = [
        [
            one.placement,
            milliseconds(one.estimated_ns[0]),
            milliseconds(one.estimated_cost_ns),
            "–" if one.run is None else milliseconds(one.run.jobs[-1].duration_ns),
            milliseconds(one.simulated_cost_ns),
        ]
        for one in found
    ]
    print_table(columns, rows)


def _document(one: PlacedJob) -> dict[str, Any]:
    return {
        "placement": one.placement,
        "hosts": one.hosts,
        "estimated_ns": one.estimated_ns,
        "estimated_cost_ns": one.estimated_cost_ns,
        "simulated_ns": None if one.run is None else [job.duration_ns for job in one.run.jobs],
        "simulated_cost_ns": one.simulated_cost_ns,
    }
