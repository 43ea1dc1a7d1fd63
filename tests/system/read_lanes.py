"""Ask every switch of the subnet for its lanes, as an operator would; print them as OpenSM does.

Arguments: the programs ``ibswitches`` and ``smpquery``.
"""

from __future__ import annotations

import re
import subprocess
import sys


def printed(*command: str) -> str:
    """Return what a program prints; nothing of a port that does not answer."""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def told(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


def main() -> None:
    """Print the lanes between all ports, switch by switch."""
    ibswitches, smpquery = sys.argv[1:]
    for switch in re.finditer(
        r"(?m)^Switch\s*: 0x(\w+) ports (\d+) .* lid (\d+) ", printed(ibswitches)
    ):
        guid, ports, lid = switch[1], int(switch[2]), switch[3]
        told(f"Switch 0x{guid}, base LID {lid}")
        for port in range(1, ports + 1):
            rows = printed(smpquery, "sl2vl", lid, str(port))
            for start, end, lanes in re.findall(
                r"(?m)^ports: in\s+(\d+), out\s+(\d+): \|(.*)\|$", rows
            ):
                told(f"{start} {end} : {' '.join(lanes.split('|'))}")


if __name__ == "__main__":
    main()
