"""Ask every switch for its lanes by directed routes, as entries to it may be cleared meanwhile.

Prints what ``opensm-sl2vl.dump`` has. Arguments: a discovery, and the program ``smpquery``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import deque
from pathlib import Path

from opensm_subnet import switch_names

import weft

PORTS = 8  #: Of every switch
ROW = re.compile(r"(?m)^ports: in\s+(\d+), out\s+(\d+): \|(.*)\|$")


def main() -> None:
    """Print the lanes between all ports, switch by switch."""
    fabric = weft.read_fabric(sys.argv[1]).fabric
    switches, links = fabric.switch_count, fabric.links().tolist()
    ends: dict[int, list[tuple[int, int]]] = {}
    for one, port, other, back in links:
        ends.setdefault(one, []).append((port, other))
        ends.setdefault(other, []).append((back, one))
    guid = int(os.environ["SIM_HOST"].rpartition("-")[2], 16)
    start = switches + list(fabric.adapter_guids).index(guid)
    paths, open_ends = {start: "0"}, deque([start])
    while open_ends:
        at = open_ends.popleft()
        for port, other in ends[at]:
            # From a host the port is its own, the first.
            step = 1 if at == start else port
            if other not in paths and (at == start or at < switches):
                paths[other] = f"{paths[at]},{step}"
                open_ends.append(other)
    names = {name: guid for guid, name in switch_names(Path(sys.argv[1])).items()}
    for number, name in enumerate(fabric.switch_names):
        told = [f"Switch 0x{names[name]:016x}"]
        # Those without a cable may have one by now.
        for port in range(1, PORTS + 1):
            command = [sys.argv[2], "-D", "sl2vl", paths[number], str(port)]
            printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            rows = ROW.findall(printed)
            told += [f"{start} {end} : {' '.join(lanes.split('|'))}" for start, end, lanes in rows]
        sys.stdout.write("\n".join([*told, ""]))


if __name__ == "__main__":
    main()
