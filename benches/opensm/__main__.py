"""OpenSM's routings beside Weft's, on the same fabrics: time, memory, hops, load, lanes, deadlock.

OpenSM runs as it is on a subnet that ibsim simulates, both from Debian (``make test-system``
installs them); every run has a simulator of its own, started and stopped here. Fabrics are
generated, and those of files come on top::

    make bench-opensm FABRICS="cluster.ibnetdiscover other.ibnetdiscover"

CPU time and memory are those of the routing phase alone: in OpenSM a plugin reads them around it,
Weft's are those of ``weft.route`` in a process of its own. Every routing is proved from what
switches and hosts are told: tables, the service level of every pair, the lanes of service levels.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from benches.opensm import theirs
from benches.opensm.engines import ENGINES, OURS_ALONE, OURS_ON_LARGE
from benches.opensm.fabrics import Named, generated, random_regular, read
from benches.opensm.table import HEAD, Compared, Row, largest_loads, on_one_lane, ratios

import weft

#: From so many switches on, time and memory are compared.
LARGE = 256


def ours(file: Path, label: str) -> Row:
    """Route a fabric by Weft in a process of its own."""
    command = [sys.executable, "-m", "benches.opensm.ours", str(file), label]
    ended = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return Row(**json.loads(ended.stdout))


def begin(place: Path, named: Named) -> Path:
    """Print the head of a fabric's table, and return the file of the fabric."""
    counts = f"{named.fabric.switch_count} switches, {named.fabric.host_count} hosts"
    print(f"\n### {named.name}: {counts}\n\n{HEAD}", flush=True)
    file = place / "fabric.json"
    weft.write_fabric(named.fabric, file)
    return file


def compare(probe: Path, named: Named) -> Compared:
    """Print a table of a fabric, and return its rows."""
    file = begin(probe, named)
    pairs, alone = [], []
    for engine in ENGINES:
        if engine.is_for(named):
            pair = theirs.routed(probe, named, engine), ours(file, engine.ours_for(named))
            print(*pair, sep="\n", flush=True)
            pairs.append(pair)
    for label in OURS_ALONE:
        alone.append(ours(file, label))
        print(alone[-1], flush=True)
    return Compared(named.name, named.fabric.switch_count, pairs, alone)


def show_large(place: Path) -> None:
    """Print tables of Weft's routings alone, on networks of 16,384 and 32,768 hosts."""
    for switches in (1024, 2048):
        file = begin(place, Named(f"random regular {switches}", random_regular(switches)))
        for label in OURS_ON_LARGE:
            print(ours(file, label), flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--small", action="store_true", help="no fabric above 64 switches")
    parser.add_argument("--large", action="store_true", help="Weft alone, up to 32,768 hosts")
    parser.add_argument("files", nargs="*", help="fabrics of files, besides")
    arguments = parser.parse_args()
    # So that whatever ends this program, the simulator and OpenSM end with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))
    with tempfile.TemporaryDirectory(prefix="weft-opensm-") as folder:
        place = Path(folder)
        if arguments.large:
            show_large(place)
            return
        every = [*generated(is_small=arguments.small), *map(read, arguments.files)]
        theirs.build_probe(place)
        compared = [compare(place, named) for named in every]
    print("\n### Largest load\n", *largest_loads(compared), sep="\n")
    print("\n### On one lane\n", *on_one_lane(compared), sep="\n")
    print("\n### OpenSM's over Weft's\n", *ratios(compared, LARGE), sep="\n")


if __name__ == "__main__":
    main()
