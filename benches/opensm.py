"""OpenSM's routings beside Weft's, on the same fabrics: load, hops, lanes, deadlock, time.

OpenSM runs as it is on a subnet that ibsim simulates, both from Debian (``make test-system``
installs them); every run has a simulator of its own, started and stopped here. Fabrics are
generated, and those of files come on top::

    .venv/bin/python benches/opensm.py [--small] [FILE ...]

Time is that of OpenSM's routing phase by the clock, between two lines of its log, and the CPU time
of Weft's routing. Whether packets can deadlock is proved where tables alone decide; of engines with
lanes, whose service levels are in no dump, stands what they say of themselves.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

import numpy as np

import weft

if TYPE_CHECKING:
    from collections.abc import Iterator

SIMULATION = "/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so"
PATIENCE_S = 600.0

#: Engines of OpenSM with what they are asked besides, and whether they use lanes.
ENGINES: dict[str, tuple[str, list[str], bool]] = {
    "minhop": ("minhop", [], False),
    "updn": ("updn", [], False),
    "ftree": ("ftree", [], False),
    "sssp": ("sssp", [], False),
    "lash": ("lash", ["-Q"], True),
    "dfsssp": ("dfsssp", ["-Q"], True),
    "nue, 1 lane": ("nue", [], True),
    "nue, 8 lanes": ("nue", ["-Q", "--nue_max_num_vls", "8"], True),
}

OURS = (
    "min_hop",
    "sssp",
    "down_preferred:per=host",
    "down_preferred:per=host,root=tops",
    "lash:lanes=8",
    "dfsssp:lanes=8",
    "best:lanes=8",
    "best:lanes=4",
    "best:lanes=2",
    "best:lanes=1",
)

BEGAN = "building routing with"
ENDED = "tables configured on all switches"
FAILED = ("No routing engine able", "ERRORS DURING INIT")

OPTIONS = """qos_max_vls 8
qos_high_limit 0
qos_vlarb_high 0:4
qos_vlarb_low 0:4,1:4,2:4,3:4,4:4,5:4,6:4,7:4
qos_sl2vl 0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,7
force_log_flush TRUE
"""


def fabrics(*, is_small: bool) -> dict[str, weft.Fabric]:
    """Generate the fabrics of the table."""
    made = {
        f"irregular {switches}": weft.irregular(switches, seed=1, hosts_per_switch=4)
        for switches in (16, 32, 64)
    }
    made["torus 8×8"] = weft.torus(8, 8, hosts_per_switch=8)
    made["4-ary 3-tree"] = weft.generate("k_ary_n_tree", k=4, n=3)
    if is_small:
        return made
    tree = weft.generate("k_ary_n_tree", k=8, n=3)
    made["8-ary 3-tree"] = tree
    made["8-ary 3-tree, 5 % cut"] = weft.degrade(tree, links="5%", seed=1).fabric
    made["random regular 256"] = weft.generate(
        "jellyfish", switches=256, degree=16, hosts_per_switch=16, seed=1
    )
    return made


@contextmanager
def simulator(folder: Path, fabric: weft.Fabric) -> Iterator[dict[str, str]]:
    """Run ibsim on a fabric, and return the environment in which programs find it."""
    net = folder / "fabric.net"
    weft.write_fabric(fabric, net, "ibnetdiscover")
    environment = {**os.environ, "IBSIM_SOCKNAME": f"weft-{os.getpid()}-{folder.name}"}
    nodes, switches = fabric.switch_count + fabric.host_count, fabric.switch_count
    ports = 2 * fabric.host_count + 64 * switches
    limits = {"-N": nodes + 8, "-S": switches + 8, "-P": ports, "-L": 49151}
    options = [str(part) for option in limits.items() for part in option]
    command = [program("ibsim"), "-s", "-n", *options, "-f", str(folder / "ibsim.out"), str(net)]
    with (folder / "ibsim.log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    try:
        wait_for(folder / "ibsim.out", ("simulator ready",), process)
        host = re.search(r'^Ca\s+\d+\s+"([^"]+)"', net.read_text(), re.MULTILINE)
        environment |= {
            "SIM_HOST": host[1] if host else "",
            "LD_PRELOAD": SIMULATION,
            "OSM_CACHE_DIR": str(folder),
            "OSM_TMP_DIR": str(folder),
        }
        yield environment
    finally:
        end(process)


def program(name: str) -> str:
    """Return where a program is, or end with how to install it."""
    path = which(name, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin")
    if path is None:
        sys.exit(f"{name} is not installed; make test-system installs it")
    return path


def wait_for(path: Path, words: tuple[str, ...], process: subprocess.Popen[bytes]) -> str:
    """Wait until a file has one of some words, and return which; none when time or process end."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        text = path.read_text(errors="replace") if path.exists() else ""
        found = next((word for word in words if word in text), None)
        if found is not None:
            return found
        if process.poll() is not None:
            break
        time.sleep(0.1)
    return ""


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process that was started here."""
    process.send_signal(signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(5)
        return
    process.kill()
    process.wait()


@dataclass
class Row:
    """What is told of one routing of one fabric."""

    fabric: str
    engine: str
    seconds: float = float("nan")
    hops: str = ""
    loads: str = ""
    lanes: str = ""
    verdict: str = "refused"

    def measure(self, fabric: weft.Fabric, routing: weft.Routing) -> None:
        """Take the figures of routes."""
        figures = weft.load_figures(fabric, routing)
        between = figures.routes_per_channel[fabric.is_switch_channel]
        self.hops = f"{figures.mean_hops_links:.2f}/{figures.max_hops_links}"
        self.loads = f"{int(np.max(between))}/{figures.mean_routes_per_channel:.0f}"

    def __str__(self) -> str:
        """Write the row."""
        return (
            f"{self.fabric:22} {self.engine:40} {self.seconds:9.4f} {self.hops:8} "
            f"{self.loads:14} {self.lanes:5} {self.verdict}"
        )


def run_opensm(folder: Path, fabric: weft.Fabric, engine: str) -> tuple[float, str]:
    """Route a simulated subnet, and return the seconds it took (none if it failed) and the log."""
    name, further, _ = ENGINES[engine]
    log, options = folder / "opensm.log", folder / "opensm.conf"
    options.write_text(OPTIONS)
    command = [program("opensm"), "--once", "-F", str(options), "-f", str(log), "-e", "-D", "0x47"]
    command += ["--dump_files_dir", str(folder), "-R", f"{name},no_fallback", *further]
    with simulator(folder, fabric) as environment:
        talk = subprocess.DEVNULL
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=talk, stdout=talk, stderr=talk
        )
        try:
            found = wait_for(log, ("SUBNET UP", *FAILED), process)
            if found == "SUBNET UP":
                with suppress(subprocess.TimeoutExpired):
                    process.wait(60)
        finally:
            if process.poll() is None:
                end(process)
    text = log.read_text(errors="replace")
    times = [moment(text, word) for word in (BEGAN, ENDED)]
    if found != "SUBNET UP" or None in times:
        return float("nan"), text
    began, ended = (when.timestamp() for when in times if when is not None)
    return ended - began, text


def moment(log: str, word: str) -> datetime | None:
    """Return when a word was first written into OpenSM's log."""
    line = re.search(rf"^(\w+ +\d+ [\d:]+ \d+) \[[^\n]*{word}", log, re.MULTILINE)
    return None if line is None else datetime.strptime(line[1], "%b %d %H:%M:%S %f")  # noqa: DTZ007


def verdict(fabric: weft.Fabric, routing: weft.Routing) -> str:
    """Tell what the proof says."""
    proof = weft.prove(fabric, routing)
    return "proved" if proof.deadlock_free else str(proof.verdict)


def compare(name: str, generated: weft.Fabric) -> Iterator[Row]:
    """Yield a row per routing of a fabric, OpenSM's first."""
    fabric: weft.Fabric | None = None
    for engine, (_, _, has_lanes) in ENGINES.items():
        row = Row(name, f"OpenSM {engine}")
        with tempfile.TemporaryDirectory(prefix="weft-opensm-") as place:
            folder = Path(place)
            row.seconds, log = run_opensm(folder, generated, engine)
            seen = folder / "opensm-subnet.lst"
            if fabric is None and seen.exists():
                fabric = weft.read_fabric(seen).fabric
            if fabric is not None and row.seconds == row.seconds:
                tables = folder / "opensm-lfts.dump"
                routing = weft.read_routes(weft.read_fabric(seen).fabric, tables).routing
                row.measure(weft.read_fabric(seen).fabric, routing)
                row.lanes = lanes_of(engine, log)
                row.verdict = (
                    "by its word" if has_lanes else verdict(weft.read_fabric(seen).fabric, routing)
                )
        yield row
    for label in OURS:
        yield ours(name, generated if fabric is None else fabric, label)


def lanes_of(engine: str, log: str) -> str:
    """Return how many lanes an engine says it needs."""
    needed = re.search(r"Virtual Lanes needed: (\d+)|Lanes needed for routing:? (\d+)", log)
    if needed is not None:
        return needed[1] or needed[2]
    return {"nue, 8 lanes": "8", "lash": "?"}.get(engine, "1")


def ours(name: str, fabric: weft.Fabric, label: str) -> Row:
    """Route by Weft."""
    row = Row(name, f"Weft {label}")
    began = time.process_time()
    try:
        routing = weft.route(fabric, label)
    except weft.errors.RoutingError:
        return row
    row.seconds = time.process_time() - began
    row.measure(fabric, routing)
    row.lanes = str(routing.lane_count)
    row.verdict = verdict(fabric, routing)
    return row


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--small", action="store_true", help="no fabric above 64 switches")
    parser.add_argument("files", nargs="*", help="fabrics of files, besides")
    arguments = parser.parse_args()
    print(
        "fabric                 routing                                    seconds hops     load"
        "           lanes deadlock"
    )
    every = fabrics(is_small=arguments.small)
    for file in arguments.files:
        every[Path(file).stem] = weft.read_fabric(file).fabric
    for name, fabric in every.items():
        for row in compare(name, fabric):
            print(row, flush=True)


if __name__ == "__main__":
    main()
