"""BOOST, section 6: the test bed on which packets in transit were measured, and its latencies.

Two switches and three hosts. Messages go from the memory of one host to that of another and back,
over five switches both ways: with the original firmware, with the one modified for packets in
transit, and with one stop in transit on the way there.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft import _core
from weft.hardware import hardware
from weft.own_routing import own_routes
from weft.reproduce.definition import Row
from weft.simulate import idle_latency

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fabric import Fabric
    from weft.routing import Routing

__all__ = ["SIZES_BYTES", "TestBedLatencies", "costs_of_packets", "measure_test_bed"]

#: Sizes of the messages.
SIZES_BYTES = [2**power for power in range(13)]

# Two cables join the switches; one leads from each back to itself, so that five are on every way.
_LINKS = [
    [("host0", 1), ("a", 1)],
    [("host1", 1), ("b", 1)],
    [("host2", 1), ("a", 2)],
    [("a", 3), ("b", 2)],
    [("a", 4), ("b", 3)],
    [("a", 5), ("a", 6)],
    [("b", 4), ("b", 5)],
]

# Ports of a, b, b, a: without a stop over b's own cable, with one to host1 and back.
_PLAIN, _WITH_STOP = [3, 4, 2, 5], [3, 1, 2, 5]


@dataclass(frozen=True, slots=True)
class TestBedLatencies:
    """Half of the time there and back, by size of the messages."""

    size_bytes: int
    original_ns: float
    modified_ns: float  # with the firmware that takes packets in transit, without one
    with_stop_ns: float  # with the same, and one stop on the way there

    @property
    def packet_cost_ns(self) -> float:
        """What the modified firmware costs a packet that makes no stop."""
        return self.modified_ns - self.original_ns

    @property
    def stop_cost_ns(self) -> float:
        """What a stop costs, which is made on one of both ways."""
        return 2 * (self.with_stop_ns - self.modified_ns)


def measure_test_bed() -> list[TestBedLatencies]:
    """Measure the latencies of the test bed, one for each of `SIZES_BYTES`."""
    fabric = _fabric()
    plain, stop = _routes(fabric, _PLAIN), _routes(fabric, _WITH_STOP)
    columns = [
        _half_round_trips(fabric, plain, "original"),
        _half_round_trips(fabric, plain, "in_transit"),
        _half_round_trips(fabric, stop, "in_transit"),
    ]
    return [TestBedLatencies(*row) for row in zip(SIZES_BYTES, *columns, strict=True)]


def costs_of_packets(_: Sequence[object]) -> list[Row]:
    """Return the latencies by size, and what packets and stops cost, as rows of the experiment."""
    measured = measure_test_bed()
    packets = [entry.packet_cost_ns for entry in measured]
    stops = [entry.stop_cost_ns for entry in measured]
    every = f"{SIZES_BYTES[0]} to {SIZES_BYTES[-1]} bytes"
    rows = [
        Row(every, "modified firmware, average, ns", sum(packets) / len(packets)),
        # Published is “at most”.
        Row(every, "modified firmware, largest, ns", max(packets), is_judged=False),
        Row(every, "a stop in transit, average, ns", sum(stops) / len(stops)),
    ]
    for entry in measured:
        under = f"{entry.size_bytes} bytes"
        rows += [
            Row(under, "half round trip, original, ns", entry.original_ns),
            Row(under, "half round trip, modified, ns", entry.modified_ns),
            Row(under, "half round trip, with a stop, ns", entry.with_stop_ns),
        ]
    return rows


def _fabric() -> Fabric:
    document = {
        "format": "weft-fabric",
        "version": 1,
        "name": "test bed",
        "switches": [{"name": name, "ports": 8} for name in "ab"],
        "hosts": [{"name": f"host{number}"} for number in range(3)],
        "links": [{"ends": ends} for ends in _LINKS],
    }
    fabric, *_ = _core.read_fabric(json.dumps(document).encode(), "test bed")
    return fabric


def _routes(fabric: Fabric, there: list[int]) -> Routing:
    """Return the routes: from host0 to host2 as given, back without a stop."""
    ways = {(0, 2): there, (2, 0): _PLAIN, (0, 1): [3], (2, 1): [3], (1, 0): [2], (1, 2): [2]}
    return own_routes(fabric, lambda *pair: ways[pair], per="host", label="by hand")


def _half_round_trips(fabric: Fabric, routing: Routing, firmware: str) -> list[float]:
    machine = hardware("myrinet", nic="firmware", firmware=firmware)
    there = idle_latency(fabric, routing, machine, "host0", "host2", SIZES_BYTES)
    back = idle_latency(fabric, routing, machine, "host2", "host0", SIZES_BYTES)
    return [(one + other) / 2 for one, other in zip(there, back, strict=True)]
