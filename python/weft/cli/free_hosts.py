"""``weft place``: which free hosts a job should have."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from weft import _core
from weft._files import write_text
from weft._numbers import counted, milliseconds, percent
from weft.cli.machines import machine_pairs
from weft.cli.named_types import ROUTING
from weft.cli.networks import JobsOptions
from weft.cli.options import WRITTEN, Options, argument, command, group, json_flag, option
from weft.cli.output import Column, emit_json, print_pairs, print_table, say, words
from weft.errors import InputError
from weft.fabric import find_computers
from weft.jobs import place_job, read_jobs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.fabric import Fabric
    from weft.jobs import Job, JobTimes, PlacedJob

__all__ = ["place"]


class _Options(Options):
    on: JobsOptions = group(JobsOptions)
    job: str = argument()
    routing: str = option(
        "The routing, or a file of routes.", metavar="SPEC|FILE", type=ROUTING, required=True
    )
    drawn: int = option(
        "How many placements are drawn besides those of the rules.",
        type=click.IntRange(0, 10_000),
        default=6,
    )
    simulated: int = option(
        "How many of the best are simulated in full, where all were not.",
        "--simulate",
        type=click.IntRange(0, 10_000),
        default=3,
    )
    output: Path | None = option(
        "Write the hosts, one a line, for each rank in order or each that share one.",
        "--output",
        "-o",
        type=WRITTEN,
    )
    hostfile: Path | None = option(
        "Write the node of each rank, one a line, as SLURM_HOSTFILE of `srun"
        " --distribution=arbitrary`: --nodelist does not keep the order of ranks.",
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
    are simulated in some 0.8 s of processor time each: up to 16 times, or once and not to the end,
    and then the best few in full. They are ranked by their cost, the geometric mean of the times
    of all jobs, over up to 16 runs in which jobs start within 2 us: what these differ by stands
    beside it.

    \b
    Examples:
      weft place cluster.ibnetdiscover jobs.toml training --routing best
      weft place cluster.ibnetdiscover jobs.toml training --routing best -o training.hosts \\
          --blocks topology.conf
    """
    network = options.on.routed([options.routing])[0]
    fabric = network.fabric
    told = read_jobs(options.on.file, fabric)
    job = next((job for job in told.jobs if job.name == options.job), None)
    if job is None:
        names = ", ".join(job.name for job in told.jobs)
        message = f"{options.on.file}: found no job “{options.job}”, expected one of {names}"
        raise InputError(message)
    per_host = max(Counter(job.hosts).values())
    found = place_job(
        *network,
        job,
        [other for other in told.jobs if other is not job],
        background=told.background,
        per_host=per_host,
        drawn=options.drawn,
        simulated=options.simulated,
        messaging=options.on.layer.parameters,
        nodes=options.on.computers.nodes(fabric),
    )
    best = found[0]
    of_ranks = _nodes_of_ranks(fabric, job, best.hosts)
    nodes = list(dict.fromkeys(of_ranks))
    if options.output is not None:
        write_text(options.output, _lines(fabric.host_names[host] for host in _once(best.hosts)))
    if options.hostfile is not None:
        write_text(options.hostfile, _lines(of_ranks))
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
    beside = f"beside {counted(others, 'job')}" if others else "alone"
    say(f"{job.name}: {counted(job.ranks, 'rank')} on {fabric.name}, {beside}")
    print_pairs(machine_pairs([(network.fabric, network.machine)]))
    _print(found)
    say(f"\n{best.placement} is best: --nodelist={nodelist}")
    if nodes != sorted(nodes, key=_as_numbered):
        say("Slurm orders ranks by names of nodes; --hostfile FILE keeps the order simulated")


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


def _nodes_of_ranks(fabric: Fabric, job: Job, hosts: Sequence[int]) -> list[str]:
    """Name the node of each rank, that of its first adapter where it has several."""
    names = _computers(fabric)
    return [names[host] for host in hosts[:: job.adapters]]


def _as_numbered(name: str) -> list[tuple[int, str]]:
    """Order names as Slurm does: by what stands before numbers, then by these."""
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if place % 2 else (0, part) for place, part in enumerate(parts)]


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
        Column("time", "ms"),
        Column("cost", "ms"),
        Column("spread"),
        *words("simulated"),
    ]
    rows = [
        [
            one.placement,
            milliseconds(one.times.mean_ns[0]),
            milliseconds(one.times.cost_ns),
            percent(one.times.spread, 2),
            _simulated(one.times),
        ]
        for one in found
    ]
    print_table(columns, rows)


def _simulated(times: JobTimes) -> str:
    runs = len(times.runs_ns)
    text = f"{runs} runs" if runs > 1 else "1 run"
    if times.simulated_share < 1:
        text += f", {percent(times.simulated_share, 2)} of it"
    if times.packets_as_one > 1:
        text += f", {times.packets_as_one} packets as one"
    return text


def _document(one: PlacedJob) -> dict[str, Any]:
    times = one.times
    return {
        "placement": one.placement,
        "hosts": one.hosts,
        "mean_ns": times.mean_ns,
        "cost_ns": times.cost_ns,
        "spread": times.spread,
        "runs_ns": times.runs_ns,
        "packets_as_one": times.packets_as_one,
        "simulated_share": times.simulated_share,
    }
