"""The whole chain against queues with closed forms: one sender, one link, one receiver.

With no routing delay a switch holds nobody up, and the sending host's link is a server: packets
arrive at random times and each takes it for as long as its bytes take. The mean wait is that of
Pollaczek and Khinchine, λ E[S²] / 2(1 − ρ).
"""

from __future__ import annotations

import math

import pytest

import weft
from weft.statistics import mean_interval

#: Bytes on the wire beside the payload: one of the route, two of the type, one of the sum.
OVERHEAD_BYTES = 4
CYCLE_NS = 6.25
BYTES_PER_NS = 1 / CYCLE_NS
SEEDS = range(1, 61)

SIZES: dict[str, dict[int, float]] = {
    # M/D/1: all packets take equally long.
    "constant": {512: 1.0},
    # M/G/1 with two sizes.
    "two sizes": {32: 0.5, 1024: 0.5},
    # As near as whole bytes come to M/M/1: the times are geometric, with a mean of 12 steps.
    "geometric": {32 * k: (1 - 1 / 12) ** k for k in range(1, 120)},
}


def measure(load: float, seed: int, sizes: dict[int, float], **options: float) -> weft.Measurement:
    fabric = weft.mesh(1, 1, hosts_per_switch=2)
    traffic = weft.Traffic(
        pattern="shift", load=load, payload_bytes=dict(sizes), arrivals="poisson", seed=seed
    )
    hardware = weft.hardware("myrinet", routing_delay_ns=0)
    return weft.simulate(fabric, weft.route(fabric, "updown"), hardware, traffic, **options)


def expected_ns(load: float, sizes: dict[int, float]) -> float:
    """Return the mean latency: the empty network's, and the wait."""
    total = math.fsum(sizes.values())
    shares = {(size + OVERHEAD_BYTES) * CYCLE_NS: share / total for size, share in sizes.items()}
    payload = math.fsum(size * share for size, share in sizes.items()) / total
    rate = load * BYTES_PER_NS / payload
    busy = math.fsum(share * time for time, share in shares.items())
    square = math.fsum(share * time**2 for time, share in shares.items())
    wait = rate * square / (2 * (1 - rate * busy))
    # The path of a head through two links and a switch; the tail follows in the time of a packet.
    return HEAD_NS + busy + wait


#: Two cables of eight cycles each, less the byte of the route, which stays at the switch.
HEAD_NS = 15 * CYCLE_NS


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES.keys())
@pytest.mark.parametrize("load", [0.3, 0.6])
def test_latency_is_that_of_the_queue_and_the_intervals_cover_it(
    sizes: dict[int, float], load: float
) -> None:
    runs = [measure(load, seed, sizes, max_packets=400_000) for seed in SEEDS]
    expected = expected_ns(load, sizes)
    means = [run.generation_latency_ns.mean for run in runs]
    # Over seeds: a Student interval at 99.9 %, for it is asked six times.
    interval = mean_interval(means, 0.999)
    assert abs(interval.mean - expected) <= interval.half_width
    assert interval.half_width < 0.03 * expected
    # Within each run: nominally 95 % of 60; fewer than 49 would happen once in 3,000.
    covered = sum(
        abs(run.generation_latency_ns.mean - expected) <= run.generation_latency_ns.mean_half_width
        for run in runs
    )
    assert covered >= 49
    # One window in a hundred has a trend by chance, and one in fifty batches that seem to depend on
    # one another: both say so.
    assert sum(run.reason == "steady" for run in runs) >= 54


def test_the_empty_network_s_latency_is_that_of_the_path() -> None:
    fabric = weft.mesh(1, 1, hosts_per_switch=2)
    traffic = weft.Traffic(pattern="shift", load=0.001, payload_bytes=512, arrivals="constant")
    hardware = weft.hardware("myrinet", routing_delay_ns=0)
    found = weft.simulate(fabric, weft.route(fabric, "updown"), hardware, traffic)
    assert found.generation_latency_ns.mean == pytest.approx(516 * CYCLE_NS + HEAD_NS, rel=1e-12)
