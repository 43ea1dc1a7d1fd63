"""``weft simulate``: one load, until its figures are steady."""

from __future__ import annotations

import math
from functools import partial
from heapq import nsmallest
from typing import TYPE_CHECKING

import click

from weft._numbers import in_percent
from weft.cli.errors import PROPERTY_DOES_NOT_HOLD
from weft.cli.fabric_files import EndOptions, fabric_line, load_fabric
from weft.cli.machines import HardwareOptions, machine_document, machine_pairs
from weft.cli.named_types import ROUTING
from weft.cli.networks import refuse_unproved, unproved_flag
from weft.cli.options import (
    FILE,
    Options,
    RunOptions,
    TrafficOptions,
    argument,
    command,
    group,
    json_flag,
    option,
)
from weft.cli.output import (
    Column,
    emit_json,
    out_of_order,
    picked,
    print_pairs,
    print_table,
    say,
    words,
)
from weft.cli.quantity_types import SHARE
from weft.cli.routing import load_routing
from weft.proof import prove
from weft.results.fairness import fairness_of
from weft.results.lanes import lane_rows
from weft.results.types import LaneFigures
from weft.simulate import simulate as run
from weft.workload import sending_hosts

if TYPE_CHECKING:
    from pathlib import Path

    from weft.fabric import Fabric
    from weft.simulate import LatencySummary, Measurement

__all__ = ["simulate"]

_BUSIEST = 5


class _Options(Options):
    fabric: Path = argument(type=FILE)
    ends: EndOptions = group(EndOptions)
    specification: str = option(
        "The routing, or a file of routes.",
        "--routing",
        metavar="SPEC|FILE",
        type=ROUTING,
        required=True,
    )
    load: float = option(
        "Payload each sending host offers, as a share of its link rate: 0.1 or 10%.",
        type=SHARE,
        required=True,
    )
    hardware: HardwareOptions = group(HardwareOptions)
    traffic: TrafficOptions = group(TrafficOptions)
    seed: int = option("Seed of the traffic.", type=int, default=1)
    run: RunOptions = group(RunOptions)
    threads: int | None = option(
        "Processors that may simulate it at once; all when left out.", type=int
    )
    unproved: bool = unproved_flag()
    as_json: bool = json_flag()


@command(_Options)
def simulate(options: _Options) -> None:
    """Simulate one load until its figures are steady.

    A load is the payload each host offers, as a fraction of its link rate: 0.1 on Myrinet links
    (0.16 bytes/ns) is 0.016 bytes/ns per host. The hardware follows the rates of the fabric's links
    unless --hardware names one. Headers come on top. Hosts to which the pattern
    gives no destination do not count. The warm-up is found and left
    out. Latency counts from the generation of a packet, its wait at the source included; network
    latency from the injection of its head.

    The run ends for one of these reasons: steady (the interval is narrow enough), saturated (less
    is delivered than offered), deadlocked (packets wait for one another; exit code 1), budget (as
    many packets as --max-packets). A routing that can deadlock is not simulated, with exit code 1,
    unless --unproved is given.

    \b
    Examples:
      weft simulate net.json --routing updown --load 0.05
      weft simulate net.json --routing updown --load 0.05 --pattern bit_reversal
      weft simulate net.json --routing ud_itb --load 0.1 --payload-bytes 32:0.2,2048:0.8 \\
          --arrivals poisson --set routing_delay_ns=100
    """
    # What is cheap to check comes before what takes time.
    traffic = options.traffic.made(load=options.load, seed=options.seed)
    options.hardware.check()
    network = load_fabric(options.fabric, options.ends).fabric
    machine = options.hardware.on(network)
    senders = sending_hosts(network, traffic)
    routing = load_routing(network, options.specification)
    proof = prove(network, routing)
    refuse_unproved(proof, routing, network, unproved=options.unproved)
    measured = run(network, routing, machine, traffic, **vars(options.run), threads=options.threads)
    if options.as_json:
        document = {
            "fabric": network.name,
            "routing": routing.label,
            "hardware": machine_document(machine),
            "pattern": traffic.pattern,
            "sending_hosts": senders,
            "deadlock_free": proof.deadlock_free,
            "measurement": {**measured.to_dict(), **measured.arrays()},
        }
        emit_json("simulate", document)
    else:
        say(fabric_line(network))
        head = {"routing": routing.label, **machine_pairs([(network, machine)])}
        if traffic.pattern != "uniform":
            who = f"{senders} of {network.host_count} hosts send"
            head["pattern"] = f"{traffic.pattern}, {who}"
        _print(network, head, measured, senders)
    if measured.reason == "deadlocked":
        click.get_current_context().exit(PROPERTY_DOES_NOT_HOLD)


def _print(fabric: Fabric, head: dict[str, str], measured: Measurement, senders: int) -> None:
    half = measured.accepted_load_half_width
    interval = f" ± {half:.4f}" if math.isfinite(half) else ""
    order = {}
    if math.isfinite(measured.out_of_order_share):
        order["out of order"] = out_of_order(measured)
    print_pairs(
        {
            **head,
            "ended": f"{measured.reason}: {measured.reason_text}",
            "offered": (
                f"load {measured.offered_load:.4f}, "
                f"{measured.offered_bytes_per_ns_per_switch:.5f} bytes/ns/switch"
            ),
            "accepted": (
                f"load {measured.accepted_load:.4f}{interval}, "
                f"{measured.accepted_bytes_per_ns_per_switch:.5f} bytes/ns/switch"
            ),
            "window": f"{measured.window_ns:.0f} ns after {measured.warm_up_ns:.0f} ns warm-up",
            "packets": f"{measured.delivered_packets} delivered in the window",
            "per packet": (
                f"{measured.mean_switches:.3f} switches, "
                f"{measured.mean_in_transit_stops:.3f} in-transit stops"
            ),
            "hosts": _served(measured, senders),
            "longest wait": f"{measured.longest_wait_ns:.0f} ns for an output of a switch",
            "pool overflows": str(measured.pool_overflows),
            **order,
            "lost": (
                f"{measured.dropped_packets} packets dropped by hosts, "
                f"{measured.damaged_packets} damaged, {measured.timed_out_packets} timed out"
            ),
        }
    )
    say()
    figures = [Column(name, "ns") for name in ("mean", "±", "median", "p95", "p99", "max")]
    rows = [
        ["from generation", *_latency(measured.generation_latency_ns)],
        ["in the network", *_latency(measured.network_latency_ns)],
    ]
    print_table([*words("latency"), *figures], rows)
    say()
    _print_busiest(fabric, measured)
    if measured.lane_utilization.size:
        say()
        _print_lanes(fabric, measured)
    for step in measured.waiting_cycle:
        say(f"{step.source} to {step.destination} holds {step.held} and waits for {step.wanted}")


def _served(measured: Measurement, senders: int) -> str:
    """Say how alike the hosts are served."""
    found = fairness_of(measured.host_accepted_load, senders)
    if math.isnan(found.jain):
        return "nothing was delivered"
    return (
        f"fairness {found.jain:.4f} (Jain), accepted of each {found.least:.4f} to {found.most:.4f}"
    )


def _latency(latency: LatencySummary) -> list[str]:
    told = ("mean", "mean_half_width", "p50", "p95", "p99", "max")
    values = picked(latency, *told).values()
    return [f"{value:.0f}" if latency.count and math.isfinite(value) else "–" for value in values]


def _print_busiest(fabric: Fabric, measured: Measurement) -> None:
    use = measured.channel_utilization.tolist()
    busiest = nsmallest(_BUSIEST, range(len(use)), key=lambda channel: -use[channel])
    shares = use, measured.channel_blocked.tolist()
    rows = [
        [
            fabric.describe_channel(channel),
            *(in_percent(share[channel]) for share in shares),
        ]
        for channel in busiest
    ]
    print_table([*words("busiest channels"), Column("in use"), Column("blocked")], rows)


def _print_lanes(fabric: Fabric, measured: Measurement) -> None:
    """Print how the lanes of the channels between switches were used."""
    columns = [
        Column("lane"),
        Column("in use", "mean"),
        Column("", "most"),
        Column("blocked", "most"),
        Column("buffer", "mean bytes"),
        Column("", "most bytes"),
    ]
    rows = [
        [
            str(row.lane),
            in_percent(row.utilization_mean),
            in_percent(row.utilization_most),
            in_percent(row.blocked_most),
            f"{row.buffer_mean_bytes:.0f}",
            str(row.buffer_most_bytes),
        ]
        for row in lane_rows(fabric, LaneFigures.of(partial(getattr, measured)))
    ]
    print_table(columns, rows)
