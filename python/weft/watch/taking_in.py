"""Hosts and leaves that are new, taken in without a change of the entries that there are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from weft import _core
from weft.errors import RoutingError

if TYPE_CHECKING:
    from weft.fabric import Fabric
    from weft.routing import Routing

__all__ = ["taken_in"]

_NO_PORT = 0


def taken_in(known: Fabric, routing: Routing, target: Fabric) -> Routing:
    """Add what is new to tables: hosts, and switches that nobody is to pass.

    A host is led to as one beside it is. Where its switch has no other, the ways to a host near by
    are followed up to a neighbour of that switch; packets of its own go by the first neighbour. No
    entry that there was is another, and packets never pass a switch that is new, so that no circle
    can close that was not there. Whether that is so the proof tells.

    Parameters
    ----------
    known : Fabric
        What is routed; a part of the target, nodes and cables known by their names.
    routing : Routing
        Its tables, with one address for each host.
    target : Fabric
        What shall be routed.

    Raises
    ------
    RoutingError
        When tables have another form, or a new host is not beside what is routed; where switches
        choose lanes, when it is on a switch without others.
    """
    document = json.loads(routing.to_json())
    if document.get("per") != "host" or set(document.get("addresses", [])) != {1}:
        message = "hosts are taken into tables with one address for each host alone"
        raise RoutingError(message)
    tables = _Tables(known, document, target)
    for host in range(target.host_count):
        if tables.host_was[host] is None:
            tables.lead_to(host)
    return tables.routing(document)


class _Tables:
    """Entries and lanes by the numbers of the target."""

    def __init__(self, known: Fabric, document: dict[str, Any], target: Fabric) -> None:
        self.target = target
        switches = {name: number for number, name in enumerate(known.switch_names)}
        hosts = {name: number for number, name in enumerate(known.host_names)}
        switch_was = [switches.get(name) for name in target.switch_names]
        self.host_was = [hosts.get(name) for name in target.host_names]
        self.is_new = [was is None for was in switch_was]
        self.switch_of = target.host_switch.tolist()
        self.hosts_of: list[list[int]] = [[] for _ in switch_was]
        for host, switch in enumerate(self.switch_of):
            if self.host_was[host] is not None:
                self.hosts_of[switch].append(host)
        self.neighbours: list[dict[int, int]] = [{} for _ in switch_was]
        self.port_of: dict[int, int] = {}
        #: Of switches that had no hosts: where their packets go first
        self.first_port: dict[int, int] = {}
        count = target.switch_count
        for one, one_port, other, other_port in target.links().tolist():
            if one >= count:
                self.port_of[one - count] = other_port
            elif other >= count:
                self.port_of[other - count] = one_port
            else:
                self.neighbours[one].setdefault(other, one_port)
                self.neighbours[other].setdefault(one, other_port)

        def moved(rows: list[list[Any]], was: list[int | None]) -> list[list[Any]]:
            return [
                [None if at is None or to is None else rows[at][to] for to in self.host_was]
                for at in was
            ]

        self.ports: list[list[int | None]] = moved(document["tables"], switch_was)
        #: Per switch: input port, output port and lanes, where switches choose lanes; 0 for all
        self.chosen: list[list[Any]] | None = None
        if "lane_tables" in document:
            rows = document["lane_tables"]
            self.chosen = [[] if was is None else list(rows[was]) for was in switch_was]
        #: By source: a switch, or a host where its hosts differ
        self.kind = next((kind for kind in ("switch_lanes", "lanes") if kind in document), None)
        self.lanes: list[list[int | None]] = []
        if self.kind is not None:
            of_switches = self.kind == "switch_lanes"
            self.lanes = moved(document[self.kind], switch_was if of_switches else self.host_was)

    def lead_to(self, host: int) -> None:
        """Lead all switches to a new host, and it to all hosts."""
        switch = self.switch_of[host]
        beside = self.hosts_of[switch]
        example = beside[0] if beside else self._near(switch)
        if not beside:
            self._lead_from(switch, self.switch_of[example])
        for at, entries in enumerate(self.ports):
            entries[host] = self._port(at, switch, example)
        entries = self.ports[switch]
        entries[host] = self.port_of[host]
        self._on_lanes_of(host, example)
        if self.chosen is not None:
            self._by_port(self.chosen[switch], host, beside)
        self.hosts_of[switch].append(host)
        self.host_was[host] = -1

    def _near(self, switch: int) -> int:
        """Return a host on a neighbour of a switch, or on a neighbour of one."""
        around = [at for at in self.neighbours[switch] if not self.is_new[at]]
        further = [at for one in around for at in self.neighbours[one] if not self.is_new[at]]
        for at in [*around, *further]:
            if self.hosts_of[at] and at != switch:
                return self.hosts_of[at][0]
        message = f"switch {self.target.switch_names[switch]} is not beside what is routed"
        raise RoutingError(message)

    def _lead_from(self, switch: int, example: int) -> None:
        """Lead from a switch without hosts to all hosts, by the neighbour next to an example."""
        near = self.neighbours[example]
        around = [at for at in self.neighbours[switch] if not self.is_new[at]]
        first = next((at for at in around if at == example or at in near), around[0])
        self.first_port[switch] = self.neighbours[switch][first]
        for host, was in enumerate(self.host_was):
            if was is not None and not self.ports[switch][host]:
                self.ports[switch][host] = self.neighbours[switch][first]

    def _port(self, at: int, switch: int, example: int) -> int | None:
        """Return where a switch leads to a new host of another that an example is near."""
        there = self.switch_of[example]
        if there == switch or at == switch:
            return self.ports[at][example]
        if self.is_new[at]:
            return self.first_port.get(at)
        if switch in self.neighbours[at]:
            return self.neighbours[at][switch]
        if at == there:
            by = next((one for one in self.neighbours[at] if switch in self.neighbours[one]), None)
            return None if by is None else self.neighbours[at][by]
        return self.ports[at][example]

    def _on_lanes_of(self, host: int, example: int) -> None:
        """Let packets to and from a host go on the lanes of those of another."""
        for row in self.lanes:
            row[host] = row[example]
        if self.kind == "lanes":
            self.lanes[host] = list(self.lanes[example])
        elif self.kind is not None:
            source = self.lanes[self.switch_of[example]]
            self.lanes[self.switch_of[host]] = list(source)

    def _by_port(self, rows: list[Any], host: int, beside: list[int]) -> None:
        """Let a switch give packets of a host the lanes that it gives those of one beside it."""
        if not beside:
            message = (
                f"{self.target.host_names[host]} has no host beside it, whose lanes its switch"
                " could give it"
            )
            raise RoutingError(message)
        port, like = self.port_of[host], self.port_of[beside[0]]
        kept = [row for row in rows if port not in row[:2]]
        of_input = [[port, out, lanes] for entry, out, lanes in kept if entry == like]
        of_output = [[entry, port, lanes] for entry, out, lanes in kept if out == like]
        rows[:] = [*kept, *of_input, *of_output]

    def routing(self, document: dict[str, Any]) -> Routing:
        """Return the tables."""
        filled = {
            **document,
            "fabric": self.target.name,
            "fingerprint": f"0x{self.target.fingerprint:016x}",
            "addresses": [1] * self.target.host_count,
            "tables": [[port or _NO_PORT for port in row] for row in self.ports],
        }
        if self.chosen is not None:
            filled["lane_tables"] = self.chosen
        if self.kind is not None:
            filled[self.kind] = [[lane or 0 for lane in row] for row in self.lanes]
        made, _ = _core.read_routes(self.target, json.dumps(filled).encode(), "tables.json")
        return made
