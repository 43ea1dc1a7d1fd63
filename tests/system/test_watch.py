"""A watch beside the real OpenSM over simulated switches: what breaks, flaps and comes back."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from opensm_subnet import (
    IS_UP,
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

    from opensm_subnet import Subnet

    from weft.watch.parts import Part

pytestmark = pytest.mark.timeout(900)

SPEC = "best:lanes=1"
#: A part is there once it was for so long; a cable that flaps is gone and back within less.
HOLD_S = 0.5
#: From when a manager is bound to its port until it answers others for sure.
READY_S = 1.0
#: OpenSM looks at the subnet so often where nothing is told.
SWEEP_S = 10.0
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
        """Start OpenSM on a host, by the options of the watch, and have it told from then on.

        The simulator tells nobody that a time is over: a manager that asks one that is not ready
        yet would wait for its answer for ever, where the kernel ends that within a second. So the
        others stand still until this one is there.
        """
        with self._others_stand_still():
            self._start(host, conf)
        self.note_managers()

    @contextmanager
    def _others_stand_still(self) -> Iterator[None]:
        """Let the managers there are do nothing for a time."""
        for host in self.managers:
            wait_for(lambda h=host: IS_UP in self.log(h), f"{host} sets no tables")
        others = list(self.managers.values())
        for other in others:
            other.send_signal(signal.SIGSTOP)
        try:
            yield
            # What a manager that was just bound to its port is asked, it may leave unanswered.
            time.sleep(READY_S if others else 0.0)
        finally:
            for other in others:
                other.send_signal(signal.SIGCONT)

    def _start(self, host: str, conf: Path) -> None:
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
        # Before it has said so much, the signal that it is told by would end it.
        wait_for(lambda: "Setting IS_SM" in self.log(host), f"OpenSM did not start on {host}")

    def note_managers(self) -> None:
        """Write down which managers are to be told."""
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

    def __init__(self, subnet: Subnet, folder: Path, *options: str, spec: str = SPEC) -> None:
        self.folder, self.told = folder, subnet.folder / "watch.out"
        # The simulator is talked to by programs of the subnet alone.
        inside = f"env LD_PRELOAD={subnet.environment['LD_PRELOAD']}"
        outside = {
            name: value for name, value in subnet.environment.items() if name != "LD_PRELOAD"
        }
        told = "for pid in $(cat managers); do kill -HUP $pid 2>&1; done; true"
        arguments = ["watch", f"{inside} {program('ibnetdiscover')}", spec, "-o", str(folder)]
        arguments += ["--apply", "--tell", f"sh -c '{told}'"]
        arguments += ["--read", f"{inside} {program('dump_fts')}"]
        arguments += ["--every", "0.1", "--hold", str(HOLD_S), "--lifetime", "10", *options]
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
def watching(made: Cluster, *options: str, spec: str = SPEC) -> Iterator[Running]:
    """Run a watch beside the managers of a cluster."""
    running = Running(made.subnet, made.folder / "watch", *options, spec=spec)
    try:
        yield running
    finally:
        running.stop()


def first_host(made: Cluster) -> str:
    """Return the host from which the subnet is discovered."""
    return made.subnet.environment["SIM_HOST"]


def other_host(made: Cluster, switch: str) -> str:
    """Return a host of a switch."""
    found = weft.read_fabric(made.folder / "all").fabric
    place = found.host_switch.tolist().index(found.switch_names.index(switch))
    return f"H-{found.adapter_guids[place]:016x}"


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


def test_lane_tables_change_in_a_round_of_their_own(plugin: Path, tmp_path: Path) -> None:
    whole = weft.irregular(12, hosts_per_switch=2, seed=1)
    with cluster(whole, tmp_path) as made:
        subnet = made.subnet
        subnet.environment["LD_LIBRARY_PATH"] = str(plugin)
        # New to the tables that stand, so that it is routed anew, with other lane tables.
        made.unplug(cable="sw0:3")
        script = Path(__file__).with_name("read_lanes.py")
        inside = f"env LD_PRELOAD={subnet.environment['LD_PRELOAD']} {sys.executable} {script}"
        reads = f"{inside} {subnet.discover('before')} {program('smpquery')}"
        options = ("--read-lanes", reads, "--patience", "300")
        with watching(made, *options, spec="lash_tor:lanes=2") as running:
            conf = tmp_path / "watch/current/opensm.conf"
            wait_for(conf.exists, "no tables")
            made.start_manager(first_host(made), conf)
            running.wait_until_routed("at first", made.expected())
            made.plug(cable="sw0:3")
            running.wait_until_routed("a cable more", made.expected())
            running.wait_until("well", lambda health: health["status"] == "well")
            decided = [event for event in running.events if event["event"] == "decided"]
        last = decided[-1]
        assert (last["decision"], last["order"]) == ("anew", "rounds")
        assert last["relaned"] > 0
        loads = [event for event in running.events if event["event"] == "loaded"]
        assert len(loads) > len(decided)
        # By a reader of its own: switches have the lanes that the plugin was given at last.
        printed = subnet.run(*reads.split()[2:])
        told: dict[tuple[int, int, int], list[int]] = {}
        switch = ""
        for line in printed.splitlines():
            if line.startswith("Switch 0x"):
                switch = line.removeprefix("Switch 0x")
            else:
                ports, lanes = line.split(" : ")
                start, end = ports.split()
                told[int(switch, 16), int(start), int(end)] = [int(lane) for lane in lanes.split()]
        assert told
        given = (tmp_path / "watch/current/weft.lfts.lanes").read_text()
        rows = re.findall(r"(?m)^lanes 0x(\w+) (\d+) (\d+) (\w+)$", given)
        assert rows
        for switch, start, end, lanes in rows:
            if (turn := (int(switch, 16), int(start), int(end))) in told and 0 not in turn:
                assert told[turn] == [int(digit, 16) for digit in lanes]


#: A tree with a director in its middle: two of its switches are on each line card.
LINE_CARDS = (("sw8", "sw10"), ("sw12", "sw13"))
#: What is new during the day: a leaf with its hosts, plugged in for the first time.
NEW_LEAF = "sw7"


class Day:
    """A day's events, drawn by a seed, each of which leaves every pair a way."""

    def __init__(self, made: Cluster) -> None:
        self.made = made
        self.draw = random.Random(7)
        whole = made.whole
        names, count = whole.switch_names, whole.switch_count
        ends = whole.links().tolist()
        self.cables = sorted(
            f"{names[one]}:{port}" for one, port, other, _ in ends if max(one, other) < count
        )
        self.ends = {cable: self._of(cable) for cable in self.cables}

    def events(self, count: int) -> Iterator[str]:
        """Do one event after the other, and say what it was."""
        made = self.made
        for number in range(count - 1):
            kinds = ["cable", "cable", "flap", "switch", "leaf", "card"]
            kind = self.draw.choice(kinds) if number % 2 == 0 or not self._down() else "back"
            yield getattr(self, f"_{kind}")()
        for cable in sorted(made.cables):
            made.plug(cable=cable)
        made.plug(switches=sorted(made.switches))
        yield "everything is back"

    def _down(self) -> bool:
        return bool(self.made.cables or self.made.switches)

    def _allowed(self, cables: set[str], switches: set[str]) -> bool:
        """Tell whether all hosts of the switches that are left are still joined, and are most."""
        left = weft.degrade(
            self.made.whole,
            links=sorted(self.made.cables | cables),
            switches=sorted(self.made.switches | switches),
            keep_largest=True,
        )
        lost = len(left.failed_switches) + len(left.left_out_hosts) + len(left.left_out_switches)
        return not left.left_out_hosts and not left.left_out_switches and lost <= 5

    def _cable(self) -> str:
        free = [cable for cable in self.cables if cable not in self.made.cables]
        for cable in self.draw.sample(free, len(free)):
            ends = set(self.ends[cable])
            if not ends & self.made.switches and self._allowed({cable}, set()):
                self.made.unplug(cable=cable)
                return f"cable {cable} is unplugged"
        return self._back()

    def _of(self, cable: str) -> list[str]:
        """Return the switches at both ends of a cable."""
        whole, (name, _, port) = self.made.whole, cable.rpartition(":")
        names = whole.switch_names
        for one, one_port, other, _ in whole.links().tolist():
            if one < len(names) and names[one] == name and one_port == int(port):
                return [name, names[other]]
        return [name]

    def _flap(self) -> str:
        free = [cable for cable in self.cables if cable not in self.made.cables]
        free = [cable for cable in free if not set(self.ends[cable]) & self.made.switches]
        cable = self.draw.choice(free)
        for _ in range(3):
            self.made.unplug(cable=cable)
            time.sleep(self.draw.uniform(0.02, 0.15))
            self.made.plug(cable=cable)
            time.sleep(self.draw.uniform(0.02, 0.1))
        return f"cable {cable} flaps"

    def _switch(self) -> str:
        return self._gone([(f"sw{number}",) for number in range(8, 16)], "switch")

    def _leaf(self) -> str:
        # Managers are on hosts of the first two.
        return self._gone([(f"sw{number}",) for number in range(2, 8)], "leaf")

    def _card(self) -> str:
        return self._gone(LINE_CARDS, "line card")

    def _gone(self, choices: Sequence[tuple[str, ...]], what: str) -> str:
        for chosen in self.draw.sample(list(choices), len(choices)):
            is_free = not set(chosen) & self.made.switches
            # The simulator plugs all cables of a switch in again, wherever they were unplugged.
            gone = {*self.made.switches, *chosen}
            is_apart = not any(
                set(ends) & set(chosen) and (cable in self.made.cables or set(ends) <= gone)
                for cable, ends in self.ends.items()
            )
            if is_free and is_apart and self._allowed(set(), set(chosen)):
                self.made.unplug(switches=chosen)
                return f"{what} {' and '.join(chosen)} is gone"
        return self._back()

    def _back(self) -> str:
        made = self.made
        choices = [(cable, True) for cable in sorted(made.cables)]
        choices += [(name, False) for name in sorted(made.switches)]
        name, is_cable = self.draw.choice(choices)
        if is_cable:
            made.plug(cable=name)
        else:
            card = next((card for card in LINE_CARDS if name in card), (name,))
            back = [one for one in card if one in made.switches]
            made.plug(switches=back)
        return f"{name} is back"


def test_a_day_of_a_hundred_events_with_a_manager_that_takes_over(tmp_path: Path) -> None:
    whole = weft.generate("xgft", m=[2, 4, 2], w=[1, 2, 2])
    with cluster(whole, tmp_path) as made:
        made.unplug(switches=[NEW_LEAF])
        with watching(made) as running:
            conf = tmp_path / "watch/current/opensm.conf"
            wait_for(conf.exists, "no tables")
            hosts = [first_host(made), other_host(made, "sw1")]
            for host, state in zip(hosts, ("MASTER", "STANDBY"), strict=True):
                made.start_manager(host, conf)
                wait_for(lambda h=host, s=state: s in made.log(h), f"no {state}")
            running.wait_until_routed("at first", made.expected())
            first = made.expected()
            for number, event in enumerate(Day(made).events(100)):
                time.sleep(0.3)
                running.wait_until_routed(f"{number}: {event}", made.expected())
                made.assert_every_pair_is_led()
                if number == 50:
                    ended = made.managers.pop(hosts[0])
                    made.note_managers()
                    stop(ended)
                    wait_for(lambda: "MASTER" in made.log(hosts[1]), "nobody takes over")
            assert made.expected() > first
            running.wait_until("well", lambda health: health["status"] == "well")
            events = running.events
            # By itself OpenSM would have looked that often.
            loaded = [event["took_s"] for event in events if event["event"] == "loaded"]
            assert len(loaded) > 100
            assert max(loaded) < SWEEP_S
            told = [event["decision"] for event in events if event["event"] == "decided"]
            assert {"anew", "repair", "plan", "taken_in"} <= set(told)
            assert "keep" not in told
            assert not [event for event in events if event.get("about") == "routes"]
