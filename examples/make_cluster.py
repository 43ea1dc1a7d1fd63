#!/usr/bin/env python3
"""Make cluster.ibnetdiscover: what the real ``ibnetdiscover`` prints for a cluster of our own.

The cluster is a two-level tree: 14 leaf switches and 6 spine switches of 36 ports, two cables
from each leaf to each spine, 300 hosts. As in a machine that has been running for a while, not
everything is there: the trunks leaf05-spine2 and leaf11-spine6 are missing altogether, and of
leaf08-spine4 one cable of two.

The wiring is handed to ``ibsim``, a simulator of InfiniBand fabrics, and discovered by
``ibnetdiscover`` from the port of login1. The output is kept byte for byte with one exception:
the date in the second line becomes the date below, so that a second run makes the same file.

Needs Debian's packages (or the same programs from elsewhere on the PATH)::

    apt-get install --no-install-recommends ibsim-utils libumad2sim0 infiniband-diags

Run as ``python3 examples/make_cluster.py [FILE]``; FILE is the cluster.ibnetdiscover beside this
script unless named.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from discovery_records import Node, records, wire

if TYPE_CHECKING:
    from collections.abc import Iterator

SPINES = 6
LEAVES = 14
PORTS_PER_SWITCH = 36
CABLES_PER_TRUNK = 2
FIRST_UPLINK_PORT = 25
COMPUTE_NODES_PER_LEAF = 22
"""On leaf01 to leaf13; leaf14 has the storage and login nodes."""

MISSING_TRUNKS = {("leaf05", "spine2"), ("leaf11", "spine6")}
MISSING_CABLES = {("leaf08", "spine4", 1)}
"""Leaf, spine, cable of the trunk from 0."""

DISCOVERED_FROM = "login1 HCA-1"
DATE = "Sat Nov 21 09:00:00 2026"

SWITCH_DEVICE = 0xCB20
ADAPTER_DEVICE = 0x1013
SWITCH_GUIDS = 0x0002C90300A00000
ADAPTER_GUIDS = 0x0002C90300B00000
GUID_STEP = 0x10
RATE = "4xEDR"

PACKAGES = "ibsim-utils libumad2sim0 infiniband-diags"
READY_WITHIN_S = 30.0


def node(name: str, guid: int, local_id: int, *, is_switch: bool) -> Node:
    """Return a node without cables."""
    device, ports = (SWITCH_DEVICE, PORTS_PER_SWITCH) if is_switch else (ADAPTER_DEVICE, 1)
    return Node(name, guid, local_id, device, is_switch, ports, guid)


def host_names(leaf: int) -> list[str]:
    """Return the names of the hosts of a leaf, numbered from 1, by port."""
    if leaf < LEAVES:
        before = (leaf - 1) * COMPUTE_NODES_PER_LEAF
        return [f"node{before + port:03d} HCA-1" for port in range(1, COMPUTE_NODES_PER_LEAF + 1)]
    storage = [f"storage{number:02d} HCA-1" for number in range(1, 11)]
    return storage + [f"login{number} HCA-1" for number in range(1, 5)]


def build_cluster() -> list[Node]:
    """Return all nodes of the cluster, wired: spines, leaves, hosts."""
    switch_names = [f"spine{n}" for n in range(1, SPINES + 1)]
    switch_names += [f"leaf{n:02d}" for n in range(1, LEAVES + 1)]
    switches = {
        name: node(name, SWITCH_GUIDS + GUID_STEP * index, index + 1, is_switch=True)
        for index, name in enumerate(switch_names)
    }
    hosts: list[Node] = []
    for leaf in range(1, LEAVES + 1):
        leaf_switch = switches[f"leaf{leaf:02d}"]
        for port, name in enumerate(host_names(leaf), start=1):
            guid = ADAPTER_GUIDS + GUID_STEP * len(hosts)
            host = node(name, guid, len(switches) + len(hosts) + 1, is_switch=False)
            wire((host, 1), (leaf_switch, port), RATE)
            hosts.append(host)
        for spine in range(1, SPINES + 1):
            for cable in range(CABLES_PER_TRUNK):
                ends = (leaf_switch.name, f"spine{spine}")
                if ends in MISSING_TRUNKS or (*ends, cable) in MISSING_CABLES:
                    continue
                uplink = FIRST_UPLINK_PORT + CABLES_PER_TRUNK * (spine - 1) + cable
                downlink = CABLES_PER_TRUNK * (leaf - 1) + cable + 1
                wire((leaf_switch, uplink), (switches[ends[1]], downlink), RATE)
    return [*switches.values(), *hosts]


@contextmanager
def simulator(net: str, folder: Path) -> Iterator[dict[str, str]]:
    """Run ibsim on a fabric; yields the environment in which programs talk to it."""
    library = next(Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"), None)
    if library is None:
        exit_for_missing("libumad2sim.so")
    environment = os.environ | {"IBSIM_SOCKNAME": f"weft-{os.getpid()}"}
    (folder / "cluster.net").write_text(net)
    command = [program("ibsim"), "-s", "-n", "-f", "simulator.out", "cluster.net"]
    with (folder / "simulator.err").open("w") as talk:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=talk, stderr=talk
        )
    try:
        wait_until_ready(process, folder)
        yield environment | {"LD_PRELOAD": str(library)}
    finally:
        process.terminate()
        process.wait()


def program(name: str) -> str:
    """Return where a program is; Debian puts some in /usr/sbin, which not every PATH has."""
    path = shutil.which(name, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin")
    if path is None:
        exit_for_missing(name)
    return path


def exit_for_missing(name: str) -> NoReturn:
    """Say what to install, and stop."""
    sys.exit(
        f"error: found no {name}; install it with\n"
        f"    apt-get install --no-install-recommends {PACKAGES}"
    )


def wait_until_ready(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Wait until ibsim has read the fabric; exits with its own words when it cannot."""
    output = folder / "simulator.out"
    deadline = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < deadline and process.poll() is None:
        if output.exists() and "simulator ready" in output.read_text():
            return
        time.sleep(0.05)
    sys.exit(f"error: ibsim did not start:\n{(folder / 'simulator.err').read_text()}")


def discover(nodes: list[Node]) -> str:
    """Return what ibnetdiscover prints for the cluster, with the date of this script."""
    start = next(node for node in nodes if node.name == DISCOVERED_FROM)
    with (
        tempfile.TemporaryDirectory() as folder,
        simulator(records(nodes), Path(folder)) as environment,
    ):
        result = subprocess.run(
            [program("ibnetdiscover")],
            cwd=folder,
            env=environment | {"SIM_HOST": start.identifier},
            capture_output=True,
            text=True,
            check=False,
        )
    if result.returncode != 0:
        sys.exit(f"error: ibnetdiscover failed with status {result.returncode}:\n{result.stderr}")
    date_line = r"(?m)^(# Topology file: generated on ).*$"
    dated, lines_changed = re.subn(date_line, rf"\g<1>{DATE}", result.stdout)
    if lines_changed != 1:
        sys.exit(f"error: found {lines_changed} lines with a date in the output, expected 1")
    return dated


def main() -> None:
    """Write the file named on the command line, or the one beside this script."""
    default = Path(__file__).with_name("cluster.ibnetdiscover")
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    nodes = build_cluster()
    target.write_text(discover(nodes))
    switches = sum(node.is_switch for node in nodes)
    cables = sum(len(node.wires) for node in nodes) // 2
    print(f"{target}: {switches} switches, {len(nodes) - switches} hosts, {cables} cables")


if __name__ == "__main__":
    main()
