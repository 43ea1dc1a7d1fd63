"""Half-round-trip latency by message size on the published test bed: two switches, three hosts.

Messages go from host memory to host memory and back, over five switches both ways, with the
original firmware, with the one modified for packets in transit, and with one stop in transit on the
way there. Published: the modified firmware costs 125 ns on average and at most 300 ns, a stop
1.3 us.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import weft

SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]

# Two cables join the switches; one leads from each back to itself, so that five are on every way.
LINKS = [
    [("host0", 1), ("a", 1)],
    [("host1", 1), ("b", 1)],
    [("host2", 1), ("a", 2)],
    [("a", 3), ("b", 2)],
    [("a", 4), ("b", 3)],
    [("a", 5), ("a", 6)],
    [("b", 4), ("b", 5)],
]

# Ports of a, b, b, a: without a stop over b's own cable, with one to host1 and back.
PLAIN, WITH_STOP = [3, 4, 2, 5], [3, 1, 2, 5]


def build(folder: Path) -> weft.Fabric:
    """Make the fabric."""
    document = {
        "format": "weft-fabric",
        "version": 1,
        "name": "test bed",
        "switches": [{"name": name, "ports": 8} for name in "ab"],
        "hosts": [{"name": f"host{number}"} for number in range(3)],
        "links": [{"ends": ends} for ends in LINKS],
    }
    path = folder / "test-bed.json"
    path.write_text(json.dumps(document))
    return weft.read_fabric(path).fabric


def routes(fabric: weft.Fabric, there: list[int], folder: Path) -> weft.Routing:
    """Make the routes: from host0 to host2 as given, back without a stop."""
    document = {
        "format": "weft-routes",
        "version": 1,
        "fabric": fabric.name,
        "fingerprint": f"0x{fabric.fingerprint:016x}",
        "algorithm": "by hand",
        "parameters": {},
        "per": "host",
        "routes": [[[], [3], there], [[2], [], [2]], [PLAIN, [3], []]],
    }
    path = folder / "routes.json"
    path.write_text(json.dumps(document))
    return weft.read_routes(fabric, path).routing


def half_round_trips(
    fabric: weft.Fabric, routing: weft.Routing, hardware: weft.Hardware
) -> list[float]:
    """Return half of the time there and back in nanoseconds, by size."""
    there = weft.idle_latency(fabric, routing, hardware, "host0", "host2", SIZES)
    back = weft.idle_latency(fabric, routing, hardware, "host2", "host0", SIZES)
    return [(one + other) / 2 for one, other in zip(there, back, strict=True)]


def main() -> None:
    """Print the table."""
    original = weft.hardware("myrinet", nic="firmware", firmware="original")
    modified = weft.hardware("myrinet", nic="firmware", firmware="in_transit")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fabric = build(folder)
        plain, stop = (routes(fabric, there, folder) for there in (PLAIN, WITH_STOP))
        rows = zip(
            SIZES,
            half_round_trips(fabric, plain, original),
            half_round_trips(fabric, plain, modified),
            half_round_trips(fabric, stop, modified),
            strict=True,
        )
    print("bytes  original us  modified us  with a stop us  a packet ns  a stop ns")
    costs = []
    for size, first, second, third in rows:
        costs.append(second - first)
        print(
            f"{size:5}  {first / 1000:11.2f}  {second / 1000:11.2f}  {third / 1000:14.2f}"
            f"  {second - first:11.1f}  {2 * (third - second):9.1f}"
        )
    print(f"a normal packet costs {sum(costs) / len(costs):.0f} ns more on average")


if __name__ == "__main__":
    main()
