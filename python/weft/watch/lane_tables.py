"""Lane tables (SL to VL) of switches: what OpenSM's plugin loads, and what switches say."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain, permutations
from typing import TYPE_CHECKING

from weft.watch.parts import is_of, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from weft.fabric import Fabric

__all__ = ["DROPPED", "LANES_OF_PLUGIN", "LaneRows", "lanes_between", "ports_in_use"]

#: What the plugin of OpenSM loads beside the tables, where switches choose lanes.
LANES_OF_PLUGIN = "weft.lfts.lanes"
_LEVELS = 16
#: The lane that drops what is sent on it, which levels have that nobody uses.
DROPPED = "f"
_ROW = re.compile(r"(\d+)\s+(\d+)\s*:((?:\s*\d+){16})\s*")
_PACKED = re.compile(r"0x(\w+)\s+(\d+)\s+(\d+)((?:\s+0x\w\w){8})\s*")


@dataclass(frozen=True, slots=True)
class LaneRows:
    """Lanes by switch, input port and output port: a hexadecimal digit for each service level."""

    #: By the GUID of the switch, then by the two ports; without ports, of all others
    switches: dict[int, dict[tuple[int, int] | None, str]] = field(default_factory=dict)

    @classmethod
    def of_plugin(cls, content: bytes) -> LaneRows:
        """Read what the plugin loads."""
        rows = cls()
        for line in content.decode().splitlines():
            if line.startswith("lanes "):
                _, guid, start, end, lanes = line.split()
                ports = None if start == "*" else (int(start), int(end))
                rows.switches.setdefault(int(guid, 16), {})[ports] = lanes
        return rows

    @classmethod
    def printed(cls, content: bytes) -> LaneRows:
        """Read ``opensm-sl2vl.dump`` or ibdiagnet's ``.slvl``; what is neither is passed over."""
        rows = cls()
        switch: int | None = None
        for line in content.decode(errors="replace").splitlines():
            if heading := re.match(r"Switch 0x(\w+)", line):
                switch = int(heading[1], 16)
            elif line.startswith(("Channel Adapter", "Router")):
                switch = None
            elif switch is not None and (row := _ROW.fullmatch(line)):
                lanes = "".join(f"{int(lane) & 15:x}" for lane in row[3].split())
                rows.switches.setdefault(switch, {})[int(row[1]), int(row[2])] = lanes
            elif row := _PACKED.fullmatch(line):
                lanes = row[4].replace("0x", "").replace(" ", "").lower()
                rows.switches.setdefault(int(row[1], 16), {})[int(row[2]), int(row[3])] = lanes
        return rows

    def lanes(self, switch: int, ports: tuple[int, int]) -> str | None:
        """Return the lanes between two ports of a switch; None where nothing is said of them."""
        rows = self.switches.get(switch, {})
        return rows.get(ports, rows.get(None))

    def of_ports(self, used: Mapping[int, set[int]]) -> list[list[tuple[int, int, str]]]:
        """Return the lanes between ports in use, by switch: input, output and the digits."""
        return [
            [
                (*pair, lanes)
                for pair in permutations(sorted(ports), 2)
                if (lanes := self.lanes(switch, pair)) is not None
            ]
            for switch, ports in used.items()
        ]

    def differing(self, others: LaneRows, used: Mapping[int, set[int]]) -> int:
        """Count the pairs of ports in use, by GUID of the switch, that others have otherwise."""
        return sum(
            self.lanes(switch, pair) != others.lanes(switch, pair)
            for switch, ports in used.items()
            for pair in permutations(ports, 2)
        )


def ports_in_use(fabric: Fabric, lanes: LaneRows) -> dict[int, set[int]]:
    """Return the ports with a cable of each switch, by the GUIDs of lanes that tell of all of them.

    The plugin's file has the switches in the order of the fabric.
    """
    guids = dict(zip(fabric.switch_names, lanes.switches, strict=True))
    used: dict[int, set[int]] = {guid: set() for guid in guids.values()}
    parts = parts_of(fabric)
    places = chain(
        (part[2] for part in is_of("host", parts)),
        (place for part in is_of("cable", parts) for place in part[1:]),
    )
    for place in places:
        switch, _, port = place.rpartition(":")
        used[guids[switch]].add(int(port))
    return used


def lanes_between(
    before: bytes, after: bytes, places: Iterable[int], fresh: Mapping[int, set[int]]
) -> bytes | None:
    """Return what the plugin loads when some switches have new lane tables and others have old.

    Hosts have the lanes of the levels that they use, and those of new levels, so that these are
    there when packets take them. Which levels pairs are told is as before.

    Parameters
    ----------
    before, after : bytes
        What the plugin loaded, and is to load at last.
    places : iterable of int
        Which switches have new lanes, by their places in `after`.
    fresh : mapping of int to set of int
        Ports that had no cable, by the GUID of the switch: they have new lanes at once.

    Returns
    -------
    bytes or None
        None where hosts have another lane for a level that they use.
    """
    old, new = LaneRows.of_plugin(before), LaneRows.of_plugin(after)
    order = list(new.switches)
    written = {order[place] for place in places}
    lines, hosts = [], _hosts_between(_hosts(before), _hosts(after))
    if hosts is None:
        return None
    for line in before.decode().splitlines():
        if line.startswith("hosts "):
            lines.append(f"hosts {hosts}")
        elif not line.startswith(("lanes ", "end ")):
            lines.append(line)
    for switch in dict.fromkeys([*old.switches, *order]):
        is_new = switch in written or switch not in old.switches
        rows = dict((new if is_new else old).switches[switch])
        if not is_new and (ports := fresh.get(switch)):
            others = range(1 + max(ports.union(*(pair for pair in rows if pair is not None))))
            pairs = {
                pair for port in ports for end in others for pair in ((port, end), (end, port))
            }
            rows.update((pair, new.lanes(switch, pair) or rows[None]) for pair in sorted(pairs))
        for pair, lanes in rows.items():
            told = "* *" if pair is None else f"{pair[0]} {pair[1]}"
            lines.append(f"lanes 0x{switch:016x} {told} {lanes}")
    # Generations add the end that belongs to the tables beside it.
    return "\n".join([*lines, ""]).encode()


def _hosts(content: bytes) -> str:
    found = re.search(rb"(?m)^hosts (\w+)$", content)
    return found[1].decode() if found else DROPPED * _LEVELS


def _hosts_between(old: str, new: str) -> str | None:
    pairs = list(zip(old, new, strict=True))
    if any(was != then and DROPPED not in (was, then) for was, then in pairs):
        return None
    return "".join(then if was == DROPPED else was for was, then in pairs)
