"""CPU time of a watch from a discovery that shows a change to tables that OpenSM was told to load.

::

    .venv/bin/python benches/watch.py 1024 --hosts 4

What OpenSM and the switches take is not counted, nor is what the command takes that discovers the
fabric, which is run twice, as two discoveries have to agree. Packets live so short that hardly any
wait is among it.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import weft
from weft.watch import (
    CommandSource,
    Ends,
    Event,
    ReadBack,
    SubnetManager,
    Watch,
    WatchSettings,
)

if TYPE_CHECKING:
    from weft._core import LoadedTables


class Told(SubnetManager):
    """A manager that is told by a command that does nothing, and is not read back."""

    def __init__(self) -> None:
        super().__init__(["true"], "true")
        self.cpu_s = self.wall_s = 0.0

    def tell(self) -> list[str]:
        """Note when it is told; the last time counts."""
        self.cpu_s, self.wall_s = time.process_time(), time.perf_counter()
        return []

    def read_back(
        self,
        fabric: weft.Fabric,
        given: LoadedTables,
        routing: weft.Routing,
        lanes: bytes | None = None,
    ) -> ReadBack:
        """Take what was given as loaded."""
        return ReadBack(is_loaded=True, differing=0)


def give_lids(discovered: Path) -> None:
    """Let ports have LIDs, as in a discovery of a network that OpenSM runs."""
    lids = count(1)
    text = discovered.read_text()
    for line in (r"^(Switch\t.* lid )0( lmc 0)$", r"^(\[1\]\(.*# lid )0( lmc 0.*)$"):
        text = re.sub(line, lambda found: f"{found[1]}{next(lids)}{found[2]}", text, flags=re.M)
    discovered.write_text(text)


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

        discovered = folder / "fabric.ibnetdiscover"
        weft.write_fabric(whole, discovered)
        give_lids(discovered)
        read = weft.read_fabric(discovered).fabric
        source = CommandSource(f"cat {discovered}", Ends())
        events, told_by = list[Event](), Told()
        watch = Watch(
            source,
            folder,
            given.spec,
            manager=told_by,
            settings=WatchSettings(hold_s=0, lifetime=0),
            say=events.append,
        )
        print(f"{whole.switch_count} switches, {whole.host_count} hosts, {given.spec}")
        watch.pass_once()
        for name, change in {
            "a cable less": {"links": "sw0:6"},
            "three cables less": {"links": ["sw0:6", "sw9:7", "sw20:6"]},
            "and a switch": {"links": ["sw0:6", "sw9:7", "sw20:6"], "switches": "sw5"},
            "all back": {},
        }.items():
            weft.write_fabric(weft.degrade(read, **change).fabric, discovered)
            events.clear()
            began, wall = time.process_time(), time.perf_counter()
            watch.pass_once()
            watch.pass_once()
            cpu_s, wall_s = told_by.cpu_s - began, told_by.wall_s - wall
            told = next(event.facts for event in events if event.kind == "decided")
            how = f"{told['decision']}, {told['order']}"
            print(f"{name:18} {how:20} {cpu_s:.2f} s of CPU, {wall_s:.2f} s in all")


if __name__ == "__main__":
    main()
