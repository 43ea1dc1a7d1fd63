"""What is measured of programs on networks, as rows: hops, multicasts, bandwidth, applications."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from weft.bandwidth import bandwidth
from weft.channel_loads import load_figures
from weft.fabric import mesh
from weft.replay import collective, multicast, multicast_orders, replay
from weft.reproduce.applications import application_rows
from weft.reproduce.definition import Row
from weft.reproduce.gains import gain_rows
from weft.routing import route

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from weft.reproduce.program_file import Gain, Measured, Network, ProgramFile
    from weft.routing import Routing

__all__ = ["measured_rows"]

#: Switches between two hosts at most, where distance is varied.
_FARTHEST = 7
_MESSAGES = 200

#: Orders that RHINET draws of each kind, and over which a host's times are averaged.
_DRAWN_ORDERS = 10

#: Orders drawn from which on the one that tells routings apart most is judged: of few it is luck.
_MANY_ORDERS = 100


def measured_rows(file: ProgramFile) -> list[Row]:
    """Run what a file says.

    Rows come in the order of networks, routings, machines; then what one gains over another.
    """
    rows = _rows(file)
    return rows + [row for gain in file.gains for row in gain_rows(gain, rows)]


def _rows(file: ProgramFile) -> list[Row]:
    if file.measure == "distance":
        return [row for machine in file.machines for row in _distance(file, machine)]
    if file.measure == "hops":
        return [row for network in file.networks for row in _hops(network)]
    measured = {
        "bandwidth": _bandwidths,
        "application": application_rows,
        "parts": application_rows,
    }.get(file.measure, _multicasts)
    places = product(file.networks, file.machines)
    return [row for network, machine in places for row in measured(file, network, machine)]


def _under(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _hops(network: Network) -> Iterator[Row]:
    """Count switches on paths, over all pairs of switches with hosts, each with itself too."""
    for name, routing in network.routings.items():
        found = load_figures(network.fabric, routing)
        with_hosts = len(set(network.fabric.host_switch.tolist()))
        mean = 1 + found.mean_distance_links * (with_hosts - 1) / with_hosts
        under = _under(network.name, name)
        yield Row(under, "switches on a path, average", mean, remark=network.remark)
        yield Row(
            under, "switches on a path, most", 1 + found.max_hops_links, remark=network.remark
        )


def _ends(
    file: ProgramFile, network: Network, routing: Routing, machine: Measured, order: str
) -> NDArray[np.float64]:
    """Run multicasts by all drawn orders; the ends of hosts in µs, shape (orders, hosts).

    Where they follow one another, hosts' ends are that many times those of one: the difference of
    two hosts is that after the last.
    """
    seeds = range(1, 1 + file.seeds) if multicast_orders()[order] else [1]
    found = [
        replay(
            network.fabric,
            routing,
            machine.hardware,
            multicast(
                network.fabric,
                order,
                size_bytes=size,
                gather_bytes=size if file.measure == "barrier" else file.gather_bytes,
                seed=seed,
                repeats=file.repeats,
            ),
            messaging=machine.messaging,
        ).finish_ns
        for seed in seeds
        for size in file.sizes_bytes
    ]
    return np.array(found) / 1000


def _multicasts(file: ProgramFile, network: Network, machine: Measured) -> Iterator[Row]:
    for order in file.orders:
        yield from _in_order(file, network, machine, order)


def _in_order(file: ProgramFile, network: Network, machine: Measured, order: str) -> Iterator[Row]:
    ends = {
        name: _ends(file, network, routing, machine, order)
        for name, routing in network.routings.items()
    }
    what = file.measure
    means = {name: of.mean(axis=1) / file.repeats for name, of in ends.items()}
    extreme = _most_apart(means, file.gains)
    for name, of in ends.items():
        mean = means[name]
        told = order if len(file.orders) > 1 else ""
        under = _under(network.name, name, told, machine.name)
        count, remark = len(of), network.remark
        yield Row(under, f"{what}, average, µs", float(mean.mean()), count=count, remark=remark)
        is_whole = count >= _DRAWN_ORDERS or not multicast_orders()[order]
        yield Row(
            under,
            f"{what}, last host less first, µs",
            _apart(of),
            count=count,
            # Of what is repeated without a pause all hosts' mean times come to be the same.
            is_judged=is_whole and file.repeats == 1,
        )
        if extreme is not None and count > 1 and len(file.orders) == 1:
            yield Row(
                under,
                f"{what}, the order that tells routings apart most, µs",
                float(mean[extreme]),
                count=count,
                remark=remark,
                is_judged=count >= _MANY_ORDERS,
            )


def _apart(ends: NDArray[np.float64]) -> float:
    """Return how far hosts' mean ends are apart, of as many orders as the paper draws.

    Of more orders it is the mean of as many such figures as they make.
    """
    orders, hosts = ends.shape
    drawn = min(orders, _DRAWN_ORDERS)
    groups = orders // drawn
    means = ends[: groups * drawn].reshape(groups, drawn, hosts).mean(axis=1)
    return float((means.max(axis=1) - means.min(axis=1)).mean())


def _most_apart(means: dict[str, NDArray[np.float64]], gains: Sequence[Gain]) -> int | None:
    """Return the order in which a routing gains most over that it is compared with, if any is."""
    ratios = [
        means[gain.over] / means[name]
        for gain in gains
        if gain.over in means
        for name in gain.of
        if name in means
    ]
    return int(np.max(ratios, axis=0).argmax()) if ratios else None


def _bandwidths(file: ProgramFile, network: Network, machine: Measured) -> Iterator[Row]:
    points = product(file.patterns, file.sizes_bytes, network.routings.items())
    for pattern, size, (name, routing) in points:
        found = bandwidth(
            network.fabric,
            routing,
            machine.hardware,
            pattern,
            size_bytes=size,
            messages=file.messages,
            messaging=machine.messaging,
        )
        told = pattern.partition(":")[0].replace("_", " ")
        under = _under(network.name, name, told, f"{size} bytes", machine.name)
        for which, value in (
            ("average", found.mean_bytes_per_ns),
            ("minimum", found.min_bytes_per_ns),
            ("maximum", found.max_bytes_per_ns),
        ):
            quantity = f"bandwidth of a host, {which}, MB/s"
            yield Row(under, quantity, 1000 * value, remark=network.remark)


def _distance(file: ProgramFile, machine: Measured) -> Iterator[Row]:
    """Let two hosts of a chain of switches exchange messages, ever farther apart."""
    chain = mesh(_FARTHEST, 1, hosts_per_switch=2)
    routing = route(chain, "dimension_order")
    size = file.sizes_bytes[0]
    switches = np.arange(1, _FARTHEST + 1)
    bandwidths, barriers = [], []
    for number in switches.tolist():
        other = 2 * number - 1
        targets: list[int | None] = [None] * chain.host_count
        targets[0] = other
        found = bandwidth(
            chain,
            routing,
            machine.hardware,
            targets,
            size_bytes=size,
            messages=_MESSAGES,
            messaging=machine.messaging,
        )
        bandwidths.append(1000 * found.mean_bytes_per_ns)
        together = replay(
            chain,
            routing,
            machine.hardware,
            collective("barrier", 2),
            algorithms={"barrier": "gather_release"},
            messaging=machine.messaging,
            hosts=[0, other],
        )
        # Rank 0 is released last: when its release is acknowledged.
        barriers.append(float(together.finish_ns.min()) / 1000)
    for number, value in zip(switches.tolist(), bandwidths, strict=True):
        between = "1 switch" if number == 1 else f"{number} switches"
        under = _under(between, f"{size} bytes", machine.name)
        yield Row(under, "bandwidth between two hosts, MB/s", value)
    under = _under(f"{size} bytes", machine.name)
    slope = -float(np.polyfit(switches, bandwidths, 1)[0])
    yield Row(under, "bandwidth lost for each switch more, MB/s", slope)
    slope = float(np.polyfit(switches, barriers, 1)[0])
    yield Row(machine.name, "barrier of two hosts, for each switch more, µs", slope)
