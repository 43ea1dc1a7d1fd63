"""One routing of Weft's in a process of its own, so that its memory is that of nothing else.

Prints the row of the table as JSON::

    python -m benches.opensm.ours FABRIC ROUTING
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

from benches.opensm.table import figures

import weft

SETTLED_S = 0.05


def memory_mb(key: str) -> float:
    """Return what the kernel says of this process's memory, in 10^6 bytes."""
    status = Path("/proc/self/status").read_text()
    found = re.search(rf"^{key}:\s+(\d+) kB$", status, re.MULTILINE)
    return int(found[1]) * 1024e-6 if found else float("nan")


def routed(fabric: weft.Fabric, label: str) -> dict[str, Any]:
    """Route a fabric and return the row."""
    # What is loaded at the first call belongs to no routing.
    weft.route(weft.torus(3, 3, hosts_per_switch=1), "updown")
    peak_before = memory_mb("VmHWM")
    # From here on the kernel's peak is that of the routing.
    Path("/proc/self/clear_refs").write_text("5")
    before, began = memory_mb("VmRSS"), time.process_time()
    routing = None
    try:
        routing = weft.route(fabric, label)
    except weft.errors.RoutingError as error:
        print(error, file=sys.stderr)
    # The kernel adds up the time of a thread when it stops, as those that route now do.
    time.sleep(SETTLED_S)
    cpu_s, peak = time.process_time() - began, memory_mb("VmHWM")
    row: dict[str, Any] = {
        "routing": f"Weft {label}",
        "cpu_s": cpu_s,
        "more_mb": peak - before,
        "most_mb": max(peak, peak_before),
    }
    return row if routing is None else row | figures(fabric, routing)


def main() -> None:
    """Route the fabric of a file."""
    path, label = sys.argv[1:]
    print(json.dumps(routed(weft.read_fabric(path).fabric, label)))


if __name__ == "__main__":
    main()
