"""SimGrid's replay of a trace beside Weft's, on the same network: completion times side by side.

SimGrid is Debian's (``apt-get install libsimgrid-dev``), and nothing of it is built: ``smpirun
-replay`` replays time-independent traces. Its platform is made from Weft's routes, a link for every
channel, with the latency of a switch and the time of a byte as Weft measures them on the idle
network; collective operations have the same algorithms in both. Computing takes the time of the
trace, at 10^9 flops/s, in both::

    .venv/bin/python benches/simgrid.py [TRACE ...]

First comes a token that goes round, one message at a time: without contention, and each message in
one packet, both have to tell the same time.

SimGrid moves whole messages as flows that share bandwidth. Its time is told twice: as it is, and on
links that any number of flows have for themselves, so that what waiting for one another costs there
is seen. Weft's is told twice, too: with packets as they are, and with messages in one packet each.
Messages up to 65,536 bytes are sent at once in both.
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

import weft

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLE = Path(__file__).parents[1] / "examples/is.S.16.ti.zst"
PATIENCE_S = 900
EAGER_BYTES = 65_536
LONGEST_PACKET_BYTES = 1_048_576

#: Algorithms of collective operations: Weft's name, SimGrid's.
ALGORITHMS = {
    "barrier": ("dissemination", "ompi_bruck"),
    "bcast": ("binomial", "binomial_tree"),
    "reduce": ("binomial", "binomial"),
    "allreduce": ("recursive_doubling", "rdb"),
    "allgather": ("ring", "ring"),
    "alltoall": ("at_once", "basic_linear"),
    "alltoallv": ("at_once", "ompi_basic_linear"),
}

#: A network of flows as it is told: no factors fitted to another machine, no window of TCP, no
#: acknowledgements that take bandwidth, no overheads.
MODEL = (
    "network/model:CM02",
    "network/latency-factor:1",
    "network/bandwidth-factor:1",
    "network/weight-S:0",
    "network/TCP-gamma:0",
    "network/crosstraffic:0",
    f"smpi/async-small-thresh:{EAGER_BYTES + 1}",
    f"smpi/send-is-detached-thresh:{EAGER_BYTES + 1}",
    *(f"smpi/{operation}:{theirs}" for operation, (_, theirs) in ALGORITHMS.items()),
)


@dataclass(frozen=True)
class Links:
    """What a network's links cost a message: ns at its hosts together, a switch, and a byte."""

    hosts_ns: float
    switch_ns: float
    byte_ns: float


def measured_links(fabric: weft.Fabric, routing: weft.Routing, hardware: weft.Hardware) -> Links:
    """Measure links on the idle network, where the time of a packet is linear in both."""
    switches = {host: len(routing.route_names(0, host)) - 2 for host in range(1, fabric.host_count)}
    near, far = min(switches, key=switches.__getitem__), max(switches, key=switches.__getitem__)
    names = fabric.host_names
    few, many = 100, 1000
    short, long = weft.idle_latency(fabric, routing, hardware, names[0], names[near], [few, many])
    (distant,) = weft.idle_latency(fabric, routing, hardware, names[0], names[far], [few])
    byte_ns = (long - short) / (many - few)
    switch_ns = (distant - short) / (switches[far] - switches[near])
    return Links(short - few * byte_ns - switches[near] * switch_ns, switch_ns, byte_ns)


def platform(fabric: weft.Fabric, routing: weft.Routing, links: Links, *, shared: bool) -> str:
    """Write the network as SimGrid reads it: a link for each channel, a route for each pair."""
    policy = "SHARED" if shared else "FATPIPE"
    rate = f"{1e9 / links.byte_ns!r}Bps"
    latency = {True: (links.hosts_ns + links.switch_ns) / 2, False: links.switch_ns}
    hosts = [f"  <host id={quoteattr(name)} speed='1Gf'/>" for name in fabric.host_names]
    known: dict[str, str] = {}
    routes = []
    for source, source_name in enumerate(fabric.host_names):
        for destination, destination_name in enumerate(fabric.host_names):
            if source == destination:
                continue
            names = routing.route_names(source, destination)
            passed = []
            for number, (one, other) in enumerate(pairwise(names)):
                link = f"{one}>{other}"
                at_host = number in (0, len(names) - 2)
                known[link] = (
                    f"  <link id={quoteattr(link)} bandwidth='{rate}'"
                    f" latency='{latency[at_host]!r}ns' sharing_policy='{policy}'/>"
                )
                passed.append(f"<link_ctn id={quoteattr(link)}/>")
            ends = f"src={quoteattr(source_name)} dst={quoteattr(destination_name)}"
            routes.append(f"  <route {ends} symmetrical='NO'>{''.join(passed)}</route>")
    body = "\n".join([*hosts, *known.values(), *routes])
    return (
        "<?xml version='1.0'?>\n"
        "<!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>\n"
        f"<platform version='4.1'>\n<zone id='network' routing='Full'>\n{body}\n</zone>\n"
        "</platform>\n"
    )


def simgrid_ns(folder: Path, text: str, trace: Path, hosts: list[str]) -> tuple[float, float]:
    """Replay a trace with SimGrid; its completion time, and the processor time it took in s."""
    (folder / "platform.xml").write_text(text)
    (folder / "hosts").write_text("\n".join(hosts) + "\n")
    (folder / "traces").write_text(f"{trace}\n")
    command = ["smpirun", "-np", str(len(hosts)), "-platform", "platform.xml", "-hostfile", "hosts"]
    command += ["-replay", "traces", *(f"--cfg={option}" for option in MODEL)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = re.search(r"Simulation time ([\d.e+-]+)", ended.stdout + ended.stderr)
    if found is None:
        sys.exit(f"error: SimGrid did not replay {trace}:\n{ended.stdout}{ended.stderr}")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return float(found[1]) * 1e9, spent


def weft_ns(
    fabric: weft.Fabric,
    routing: weft.Routing,
    hardware: weft.Hardware,
    trace: weft.Trace,
    packet_bytes: int,
) -> tuple[float, float]:
    """Replay a trace with Weft; its completion time, and the processor time it took in s."""
    began = time.process_time()
    found = weft.replay(
        fabric,
        routing,
        hardware,
        trace,
        algorithms={operation: ours for operation, (ours, _) in ALGORITHMS.items()},
        messaging={"packet_bytes": packet_bytes, "eager_bytes": EAGER_BYTES},
    )
    if found.end != "finished":
        sys.exit(f"error: the replay by {routing.label} on {fabric.name} ended {found.end}")
    return found.duration_ns, time.process_time() - began


def networks(ranks: int, routing: str) -> Iterator[tuple[weft.Fabric, weft.Routing]]:
    """Make the mesh and the torus of 16 switches, with as many hosts as the trace needs."""
    for make in (weft.mesh, weft.torus):
        fabric = make(4, 4, hosts_per_switch=-(-ranks // 16))
        yield fabric, weft.route(fabric, routing)


def unpacked(path: Path, folder: Path) -> Path:
    """Return a trace as SimGrid reads it, unpacked and where nothing else is written."""
    if path.suffix != ".zst":
        return path.resolve()
    copy = folder / path.stem
    command = ["zstd", "--decompress", "--stdout", str(path.resolve())]
    with copy.open("wb") as output:
        subprocess.run(command, stdout=output, check=True)
    return copy


def token(folder: Path) -> Path:
    """Write a trace of 16 ranks in which a message goes round, another length each time."""
    lines = []
    for rank in range(16):
        after, before = (rank + 1) % 16, (rank - 1) % 16
        lines.append(f"{rank} init")
        for number, length in enumerate((1, 100, 3_000, 60_000)):
            send, receive = (
                f"send {after} {number} {length} 6",
                f"recv {before} {number} {length} 6",
            )
            turn = [send, receive] if rank == 0 else [receive, "compute 1000", send]
            lines += [f"{rank} {action}" for action in turn]
        lines.append(f"{rank} finalize")
    path = folder / "token.ti"
    path.write_text("\n".join(lines) + "\n")
    return path


def main() -> None:
    """Compare on the networks asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("traces", nargs="*", type=Path, default=[EXAMPLE])
    parser.add_argument("--routing", default="updown")
    parser.add_argument("--hardware", default="myrinet")
    parser.add_argument("--packet-bytes", type=int, default=1024)
    asked = parser.parse_args()
    for program, package in (("smpirun", "libsimgrid-dev"), ("zstd", "zstd")):
        if which(program) is None:
            sys.exit(f"error: found no {program}; install Debian's package {package}")
    hardware = weft.hardware(asked.hardware)
    print(f"{asked.routing}, {asked.hardware}, packets of {asked.packet_bytes} bytes; times in ms,")
    print("processor time in s")
    head = ("Weft", "one packet", "SimGrid", "alone", "Weft/SimGrid", "CPU Weft", "CPU SimGrid")
    print(f"{'trace':<14} {'fabric':<10}" + "".join(f" {title:>12}" for title in head))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for path in [token(folder), *asked.traces]:
            trace = weft.read_trace(path)
            text = unpacked(path, folder)
            for fabric, routing in networks(trace.rank_count, asked.routing):
                links = measured_links(fabric, routing, hardware)
                hosts = fabric.host_names[: trace.rank_count]
                ours, cpu = weft_ns(fabric, routing, hardware, trace, asked.packet_bytes)
                whole, _ = weft_ns(fabric, routing, hardware, trace, LONGEST_PACKET_BYTES)
                shared = platform(fabric, routing, links, shared=True)
                theirs, their_cpu = simgrid_ns(folder, shared, text, hosts)
                alone = platform(fabric, routing, links, shared=False)
                free, _ = simgrid_ns(folder, alone, text, hosts)
                times = "".join(f" {value / 1e6:>12.4f}" for value in (ours, whole, theirs, free))
                rest = f" {ours / theirs:>12.4f} {cpu:>12.2f} {their_cpu:>12.2f}"
                print(f"{path.name.partition('.ti')[0]:<14} {fabric.name:<10}{times}{rest}")


if __name__ == "__main__":
    main()
