"""A watch beside the real OpenSM over simulated switches: what breaks, flaps and comes back."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Any

import pytest
from opensm_subnet import (
    host_ports,
    neighbours,
    program,
    simulated,
    stop,
    switch_names,
    trace,
    wait_for,
)

import weft
from weft.watch.parts import parts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from opensm_subnet import Subnet

    from weft.watch.parts import Part

pytestmark = pytest.mark.timeout(900)

SPEC = "best:lanes=1"
#: A part is there once it was for so long; a cable that flaps is gone and back within less.
HOLD_S = 0.5
#: So that a manager that stands by takes over within seconds.
STANDBY = "sminfo_polling_timeout 300\npolling_retry_number 2\n"


class Cluster:
    """A simulated subnet with up to two managers, and what is unplugged of it."""

    def __init__(self, subnet: Subnet, whole: weft.Fabric) -> None:
        self.subnet, self.whole = subnet, whole
        self.folder = subnet.folder
        self.guids = {name: guid for guid, name in switch_names(subnet.discover("all")).items()}
        self.managers: dict[str, subprocess.Popen[bytes]] = {}
        self.cables: set[str] = set()
        self.switches: set[str] = set()

    def unplug(self, *, cable: str | None = None, switches: Sequence[str] = ()) -> None:
        """Unplug a cable, named by a switch and its port, or all cables of switches."""
        for name in switches:
            self.subnet.command(f'Unlink "S-{self.guids[name]:016x}"')
            self.switches.add(name)
        if cable is not None:
            self.subnet.command(f"Unlink {self._port(cable)}")
            self.cables.add(cable)

    def plug(self, *, cable: str | None = None, switches: Sequence[str] = ()) -> None:
        """Plug in what was unplugged; a cable that was so by itself stays out."""
        for name in switches:
            self.subnet.command(f'ReLink "S-{self.guids[name]:016x}"')
            self.switches.discard(name)
        if cable is not None:
            self.subnet.command(f"ReLink {self._port(cable)}")
            self.cables.discard(cable)

    def _port(self, cable: str) -> str:
        name, _, port = cable.rpartition(":")
        return f'"S-{self.guids[name]:016x}"[{port}]'

    def expected(self) -> frozenset[Part]:
        """Return the parts of what is plugged in, as the wiring has them."""
        left = weft.degrade(
            self.whole,
            links=sorted(self.cables),
            switches=sorted(self.switches),
            keep_largest=True,
        )
        return parts_of(left.fabric)

    def start_manager(self, host: str, conf: Path) -> None:
        """Start OpenSM on a host, by the options of the watch."""
        folder = self.folder / host
        folder.mkdir()
        options = folder / "opensm.conf"
        options.write_text(f"force_log_flush TRUE\nsweep_interval 0\n{STANDBY}{conf.read_text()}")
        with (folder / "opensm.out").open("w") as talk:
            self.managers[host] = subprocess.Popen(
                [
                    program("opensm"),
                    "-F",
                    str(options),
                    "-f",
                    str(folder / "opensm.log"),
                    "-D",
                    "3",
                ],
                cwd=folder,
                env=self.subnet.environment
                | {
                    "SIM_HOST": host,
                    "OSM_CACHE_DIR": str(folder),
                    "OSM_TMP_DIR": str(folder),
                },
                stdin=subprocess.DEVNULL,
                stdout=talk,
                stderr=talk,
            )
        pids = [str(manager.pid) for manager in self.managers.values()]
        (self.folder / "managers").write_text(" ".join(pids))

    def log(self, host: str) -> str:
        """Return what the manager of a host says."""
        path = self.folder / host / "opensm.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def stop_managers(self) -> None:
        """End all managers."""
        for manager in self.managers.values():
            stop(manager)

    def assert_every_pair_is_led(self) -> None:
        """Follow every pair through the tables of the simulated switches, link by link."""
        found = self.subnet.discover("followed")
        ends, hosts = neighbours(found), host_ports(found)
        tables = self.subnet.tables()
        switch_of = {guid: at for (at, _), guid in ends.items() if guid in hosts.values()}
        waits: dict[tuple[int, int], set[tuple[int, int]]] = {}
        for source in hosts.values():
            for goal in hosts.values():
                if source == goal:
                    continue
                met = trace(tables, ends, switch_of[source], (goal, 0))
                assert met[-1] == goal
                channels = list(itertools.pairwise([source, *met]))
                for held, wanted in itertools.pairwise(channels):
                    waits.setdefault(held, set()).add(wanted)
        # An order of the channels that every packet follows: none wait for one another in a circle.
        list(TopologicalSorter(waits).static_order())


class Running:
    """A watch in a process of its own, beside a subnet."""

    def __init__(self, subnet: Subnet, folder: Path, *options: str) -> None:
        self.folder, self.told = folder, subnet.folder / "watch.out"
        # The simulator is talked to by programs of the subnet alone.
        inside = f"env LD_PRELOAD={subnet.environment['LD_PRELOAD']}"
        outside = {
            name: value for name, value in subnet.environment.items() if name != "LD_PRELOAD"
        }
        told = "for pid in $(cat managers); do kill -HUP $pid 2>&1; done; true"
        arguments = ["watch", f"{inside} {program('ibnetdiscover')}", SPEC, "-o", str(folder)]
        arguments += ["--apply", "--tell", f"sh -c '{told}'"]
        arguments += ["--read", f"{inside} {program('dump_fts')}"]
        arguments += ["--every", "0.1", "--hold", str(HOLD_S), *options]
        (subnet.folder / "managers").touch()
        self.output = self.told.open("a")
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from weft.cli import main; main()", *arguments],
            cwd=subnet.folder,
            env=outside | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdout=self.output,
            stderr=self.output,
        )

    @property
    def events(self) -> list[dict[str, Any]]:
        """Everything that was told."""
        lines = (self.folder / "events.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def wait_until(self, what: str, condition: Callable[[dict[str, Any]], bool]) -> None:
        """Wait until something holds of how it says it is."""
        health = self.folder / "health.json"

        def holds() -> bool:
            assert self.process.poll() is None
            return health.exists() and condition(json.loads(health.read_text()))

        try:
            wait_for(holds, what)
        except AssertionError as error:
            message = f"{what}: {error}\n{self.told.read_text()[-4000:]}"
            raise AssertionError(message) from error

    def wait_until_routed(self, what: str, parts: frozenset[Part]) -> None:
        """Wait until it says that the switches have tables of some parts."""

        def is_routed(health: dict[str, Any]) -> bool:
            if not health["is_loaded"] or health["waiting"]:
                return False
            routed = weft.read_fabric(self.folder / "current/fabric.json").fabric
            return parts_of(routed) == parts

        self.wait_until(what, is_routed)

    def stop(self) -> None:
        """End it."""
        stop(self.process)
        self.output.close()


@contextmanager
def cluster(whole: weft.Fabric, folder: Path) -> Iterator[Cluster]:
    """Simulate a fabric, and end its managers afterwards."""
    wired = folder / "wired.net"
    weft.write_fabric(whole, wired, "ibnetdiscover")
    with simulated(wired.read_text(), folder) as subnet:
        made = Cluster(subnet, whole)
        try:
            yield made
        finally:
            made.stop_managers()


@contextmanager
def watching(made: Cluster, *options: str) -> Iterator[Running]:
    """Run a watch beside the managers of a cluster."""
    running = Running(made.subnet, made.folder / "watch", *options)
    try:
        yield running
    finally:
        running.stop()


def hosts_of(whole: weft.Fabric) -> list[str]:
    """Return the hosts' identifiers in the simulator, in order."""
    return [f"H-{guid:016x}" for guid in whole.adapter_guids if guid is not None]


def first_host(made: Cluster) -> str:
    """Return the host from which the subnet is discovered."""
    return made.subnet.environment["SIM_HOST"]


def test_a_watch_keeps_a_running_opensm_routed(tmp_path: Path) -> None:
    whole = weft.generate("xgft", m=[3, 4], w=[1, 3])
    with cluster(whole, tmp_path) as made, watching(made) as running:
        conf = tmp_path / "watch/current/opensm.conf"
        wait_for(conf.exists, "no tables")
        made.start_manager(first_host(made), conf)
        running.wait_until_routed("at first", made.expected())
        made.assert_every_pair_is_led()
        made.unplug(cable="sw1:4")
        running.wait_until_routed("a cable less", made.expected())
        made.assert_every_pair_is_led()
        made.unplug(switches=["sw5"])
        running.wait_until_routed("a switch less", made.expected())
        made.assert_every_pair_is_led()
        made.plug(cable="sw1:4", switches=["sw5"])
        running.wait_until_routed("all back", made.expected())
        made.assert_every_pair_is_led()
        running.wait_until("well", lambda health: health["status"] == "well")
        decisions = [event["decision"] for event in running.events if event["event"] == "decided"]
        assert decisions[:3] == ["anew", "repair", "repair"]
        assert set(decisions[3:]) == {"plan"}
