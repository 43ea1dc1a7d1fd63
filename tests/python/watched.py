"""A fabric that changes, and a watch of it, for tests."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import weft
from weft.watch import Discovery, Unusable, Watch, WatchSettings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from weft.watch import Comparing, SubnetManager

SPEC = "best:lanes=1"
AT_ONCE = WatchSettings(hold_s=0, settle_s=0, patience_s=5)


def discovered(fabric: weft.Fabric, folder: Path) -> weft.Fabric:
    """Return a fabric as its discovery has it, with GUIDs."""
    path = folder / "discovered.ibnetdiscover"
    weft.write_fabric(fabric, path)
    return weft.read_fabric(path).fabric


def torus(folder: Path) -> weft.Fabric:
    """Return a torus of 20 switches with two hosts each, where repairs may take rounds."""
    return discovered(weft.torus(5, 4, hosts_per_switch=2), folder)


def entries_of(tables: bytes) -> dict[int, dict[tuple[int, int], int]]:
    """Return ports by the GUIDs of switch and destination, and which of its LIDs it is.

    As OpenSM does, lines are passed over that begin with ``#``.
    """
    found: dict[int, dict[tuple[int, int], int]] = {}
    lines = [line for line in tables.decode().splitlines() if not line.startswith("#")]
    for block in "\n".join(lines).split("Unicast lids ")[1:]:
        guid, entries, firsts = int(block.split(" guid 0x")[1][:16], 16), {}, dict[int, int]()
        for line in block.splitlines()[1:-1]:
            lid, port, *_, to = line.partition(":")[0].split()
            first = firsts.setdefault(int(to, 16), int(lid, 16))
            entries[int(to, 16), int(lid, 16) - first] = int(port)
        found[guid] = entries
    return found


def levels(policy: bytes, ports: Iterable[int | None]) -> dict[tuple[int, int], int]:
    """Return what OpenSM tells of each pair: the level of the first rule that fits, else 0."""
    groups: dict[str, set[int]] = {}
    rules: list[list[str]] = []
    name = ""
    for line in policy.decode().splitlines():
        key, _, value = line.strip().partition(": ")
        if key == "name":
            name = value
        elif key == "port-guid":
            for part in value.split(", "):
                first, _, last = part.partition("-")
                within = range(int(first, 16), int(last or first, 16) + 1)
                groups.setdefault(name, set()).update(within)
        elif key == "source":
            rules.append([value])
        elif key in {"destination", "qos-level-name"}:
            rules[-1].append(value)
    told = {}
    for one, other in permutations([port for port in ports if port is not None], 2):
        fit = (
            int(level.removeprefix("SL").replace("DEFAULT", "0"))
            for source, to, level in rules
            if one in groups[source] and other in groups[to]
        )
        told[one, other] = next(fit, 0)
    return told


class Given:
    """A source that gives what it was given, at times that are set."""

    def __init__(self, *, stands: bool = False) -> None:
        self.stands = stands
        self.time = 0.0
        self.next: list[weft.Fabric | str] = []
        self.doubts: list[str] = []

    def take(self, now: float) -> list[Discovery | Unusable]:
        """Hand over what was given."""
        given, self.next = self.next, []
        return [
            Unusable("given", now, one)
            if isinstance(one, str)
            else Discovery("given", now, one, list(self.doubts))
            for one in given
        ]


class Watched:
    """A watch in a folder, and what it told."""

    def __init__(
        self,
        folder: Path,
        *,
        source: Given | None = None,
        settings: WatchSettings = AT_ONCE,
        manager: SubnetManager | None = None,
        specification: str = SPEC,
        comparing: Comparing | None = None,
    ) -> None:
        self.source = source or Given()
        self.told: list[str] = []
        folder.mkdir(exist_ok=True)
        self.watch = Watch(
            self.source,
            folder,
            specification,
            manager=manager,
            settings=settings,
            comparing=comparing,
            say=lambda event: self.told.append(event.kind),
            clock=lambda: self.source.time,
            sleep=self._sleep,
        )

    def _sleep(self, seconds: float) -> None:
        self.source.time += seconds

    def sees(self, *fabrics: weft.Fabric | str, after_s: float = 1.0) -> list[str]:
        """Pass once for each discovery, and return the kinds of events that this led to."""
        before = len(self.told)
        for fabric in fabrics:
            self.source.time += after_s
            self.source.next = [fabric]
            self.watch.pass_once()
        return self.told[before:]

    @property
    def alarms(self) -> list[str]:
        """What alarms that stand are about."""
        return sorted(self.watch.log.alarms)
