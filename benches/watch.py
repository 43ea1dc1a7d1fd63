"""CPU time of a watch from a discovery that shows a change to tables that OpenSM was told to load.

::

    .venv/bin/python benches/watch.py 1024 --hosts 4

What OpenSM and the switches take is not counted, nor is the command that discovers the fabric; the
two discoveries that have to agree are both read.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import weft
from weft.watch import Ends, Event, ReadBack, SubnetManager, Watch, WatchSettings
from weft.watch.sources import read_discovery

if TYPE_CHECKING:
    from weft.watch import Discovery, Unusable


class Given:
    """Gives discoveries as their text, which is read as it is of a command."""

    stands = False

    def __init__(self) -> None:
        self.next: list[bytes] = []

    def take(self, now: float) -> list[Discovery | Unusable]:
        """Read what was given."""
        given, self.next = self.next, []
        return [read_discovery("given", now, content, Ends(), []) for content in given]


class Told(SubnetManager):
    """A manager that is told by a command that does nothing, and is not read back."""

    def __init__(self) -> None:
        super().__init__(["true"], "true")
        self.cpu_s = self.wall_s = 0.0

    def tell(self) -> list[str]:
        """Note when it is told; the last time counts."""
        self.cpu_s, self.wall_s = time.process_time(), time.perf_counter()
        return []

    def read_back(self, fabric: weft.Fabric, given: bytes) -> ReadBack:
        """Take what was given as loaded."""
        return ReadBack(is_loaded=True, differing=0)


def main() -> None:
    """Measure some changes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("switches", type=int)
    parser.add_argument("--hosts", type=int, default=4, help="hosts of a switch")
    parser.add_argument("--spec", default="down_preferred")
    given = parser.parse_args()
    whole = weft.irregular(given.switches, hosts_per_switch=given.hosts, seed=1)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)

        def text(fabric: weft.Fabric) -> bytes:
            path = folder / "fabric.ibnetdiscover"
            weft.write_fabric(fabric, path)
            return path.read_bytes()

        discovered = text(whole)
        read = weft.read_fabric(folder / "fabric.ibnetdiscover").fabric
        source, events, told_by = Given(), list[Event](), Told()
        watch = Watch(
            source,
            folder,
            given.spec,
            manager=told_by,
            settings=WatchSettings(hold_s=0),
            say=events.append,
        )
        print(f"{whole.switch_count} switches, {whole.host_count} hosts, {given.spec}")
        source.next = [discovered]
        watch.pass_once()
        for name, change in {
            "a cable less": {"links": "sw0:6"},
            "three cables less": {"links": ["sw0:6", "sw9:7", "sw20:6"]},
            "and a switch": {"links": ["sw0:6", "sw9:7", "sw20:6"], "switches": "sw5"},
            "all back": {},
        }.items():
            content = text(weft.degrade(read, **change).fabric)
            events.clear()
            source.next = [content, content]
            began, wall = time.process_time(), time.perf_counter()
            watch.pass_once()
            cpu_s, wall_s = told_by.cpu_s - began, told_by.wall_s - wall
            told = next(event.facts for event in events if event.kind == "decided")
            how = f"{told['decision']}, {told['order']}"
            print(f"{name:18} {how:20} {cpu_s:.2f} s of CPU, {wall_s:.2f} s in all")


if __name__ == "__main__":
    main()
