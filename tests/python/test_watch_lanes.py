"""A watch where switches choose lanes: lane tables in rounds of their own, and read back."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from watched import Watched, discovered, entries_of

import weft
from weft.watch import SubnetManager, WatchSettings, decide
from weft.watch.lane_tables import LANES_OF_PLUGIN, LaneRows, lanes_between, ports_in_use

if TYPE_CHECKING:
    from pathlib import Path

SPEC = "lash_tor:lanes=2"

#: Stands for what prints the lanes of switches, as ibdiagnet does: of all ports, used or not.
PRINTS = """
import sys
for line in open(sys.argv[1]):
    if line.startswith("lanes "):
        _, guid, start, end, lanes = line.split()
        ports = range(37)
        pairs = [(a, b) for a in ports for b in ports] if start == "*" else [(start, end)]
        for a, b in pairs:
            print(guid, a, b, *("0x" + lanes[place : place + 2] for place in range(0, 16, 2)))
"""


class Switches:
    """Stands for OpenSM with its plugin, and its switches, whose lanes may be deaf."""

    def __init__(self, folder: Path, *, reads_lanes: bool = True) -> None:
        self.folder, self.kept = folder, folder / "kept"
        self.kept.mkdir()
        self.tables, self.lanes, self.deaf = (folder / name for name in ("tables", "lanes", "deaf"))
        prints = folder / "prints.py"
        prints.write_text(PRINTS)
        current = folder / "watch/current"
        lanes = f"{current}/{LANES_OF_PLUGIN}"
        tell = (
            f"cp {current}/weft.lfts {self.tables}; test -e {self.deaf} || cp {lanes} {self.lanes};"
            f" n={self.kept}/$(ls {self.kept} | wc -l); mkdir $n; cp {self.tables} {self.lanes} $n"
        )
        read_lanes = f"{sys.executable} {prints} {self.lanes}" if reads_lanes else None
        self.manager = SubnetManager([f"sh -c '{tell}'"], f"cat {self.tables}", read_lanes)

    def watched(self, specification: str = SPEC) -> Watched:
        """Return a watch of these."""
        settings = WatchSettings(hold_s=0, settle_s=0, patience_s=1, read_every_s=100)
        return Watched(
            self.folder / "watch",
            manager=self.manager,
            settings=settings,
            specification=specification,
        )

    def had(self) -> list[tuple[bytes, LaneRows]]:
        """Return the tables and lanes that they had, one after the other."""
        folders = sorted(self.kept.iterdir(), key=lambda folder: int(folder.name))
        return [
            (
                (folder / "tables").read_bytes(),
                LaneRows.of_plugin((folder / "lanes").read_bytes()),
            )
            for folder in folders
        ]


def irregular(folder: Path) -> tuple[weft.Fabric, weft.Fabric]:
    """Return an irregular fabric without a cable, and with it, which needs other lane tables."""
    whole = discovered(weft.irregular(12, hosts_per_switch=2, seed=1), folder)
    return weft.degrade(whole, links="sw0:3").fabric, whole


def test_lane_tables_are_written_in_a_round_of_their_own(tmp_path: Path) -> None:
    cut, whole = irregular(tmp_path)
    switches = Switches(tmp_path)
    watched = switches.watched()
    watched.sees(cut)
    told = watched.sees(whole)
    assert told == ["changed", "decided", *["applied", "loaded"] * 3]
    assert watched.alarms == []
    (before, old), (first, new), (second, still), (last, end) = switches.had()
    # What packets of hosts meet is as it was until all lanes are those of the new tables.
    hosts = set(whole.host_guids)
    entries = [
        {
            (switch, to): port
            for switch, ports in entries_of(tables).items()
            for to, port in ports.items()
            if to[0] in hosts
        }
        for tables in (before, first, second, last)
    ]
    # Those to hosts, at ports 1 and 2, hold nobody up.
    used = {switch: ports - {1, 2} for switch, ports in ports_in_use(whole, end).items()}
    assert entries[0] == entries[1]
    assert entries[1] != entries[3]
    assert old.differing(end, used) > 0
    assert new.differing(end, used) == still.differing(end, used) == 0
    assert sum(entries[1][key] != entries[2].get(key) for key in entries[1]) > 0
    decided = (tmp_path / "watch/events.jsonl").read_text()
    assert "lane tables of 5 switches" in decided


def test_lanes_that_are_not_set_keep_the_next_round_back(tmp_path: Path) -> None:
    cut, whole = irregular(tmp_path)
    switches = Switches(tmp_path)
    watched = switches.watched()
    watched.sees(cut)
    switches.deaf.touch()
    assert watched.sees(whole)[2:] == ["applied", "alarm"]
    (alarm,) = watched.watch.log.alarms.values()
    assert "and the lanes between" in alarm.text
    assert "though every pair of hosts is reached" in alarm.text
    switches.deaf.unlink()
    # OpenSM is told again, and the change goes on where it stood.
    watched.sees(whole, after_s=20)
    assert watched.sees(whole, after_s=20)[-2:] == ["applied", "loaded"]
    assert watched.alarms == []
    tables, lanes = switches.had()[-1]
    assert tables == (tmp_path / "watch/current/weft.lfts").read_bytes()
    written = (tmp_path / "watch/current" / LANES_OF_PLUGIN).read_bytes()
    assert lanes == LaneRows.of_plugin(written)


def test_what_another_process_finds_between_lane_tables_is_told_or_led_back(tmp_path: Path) -> None:
    cut, whole = irregular(tmp_path)
    switches = Switches(tmp_path)
    watched = switches.watched()
    watched.sees(cut)
    switches.deaf.touch()
    watched.sees(whole)
    switches.deaf.unlink()
    # What packets are on their way is not known any more; without the cable all is as it was.
    again = switches.watched()
    again.sees(whole, after_s=20)
    assert again.alarms == ["routes"]
    again.sees(cut, cut, after_s=20)
    assert again.alarms == []
    first, *_, last = switches.had()
    assert last == first


def test_lanes_that_another_sets_are_found_and_judged(tmp_path: Path) -> None:
    whole = discovered(weft.torus(5, 5), tmp_path)
    switches = Switches(tmp_path)
    watched = switches.watched("dimension_order:per=host")
    watched.sees(whole)
    given = switches.lanes.read_bytes()
    # A manager without the plugin puts every level on lane 0: rings can deadlock.
    lines = [
        f"{line.rpartition(' ')[0]} {'0' * 16}" if line.startswith("lanes ") else line
        for line in given.decode().splitlines()
    ]
    switches.lanes.write_text("\n".join(lines))
    watched.sees(whole, after_s=200)
    (alarm,) = watched.watch.log.alarms.values()
    assert "0 entries differ and the lanes between" in alarm.text
    assert "packets can deadlock" in alarm.text


def test_without_a_look_at_lanes_they_stay_and_it_is_told_what_is_needed(tmp_path: Path) -> None:
    cut, whole = irregular(tmp_path)
    switches = Switches(tmp_path, reads_lanes=False)
    watched = switches.watched()
    watched.sees(cut)
    watched.sees(whole)
    (alarm,) = watched.watch.log.alarms.values()
    assert "lane tables (SL to VL) of 5 switches" in alarm.text
    assert "--read-lanes" in alarm.text
    assert len(switches.had()) == 1


def test_hosts_that_have_to_let_go_of_levels_are_named(tmp_path: Path) -> None:
    whole = discovered(weft.torus(5, 5), tmp_path)
    first = decide(None, whole, "dimension_order:per=host", weft.route)
    other = decide(first.standing, whole, "torus_2qos", weft.route, reads_lanes=True)
    assert other.kind == "keep"
    (reason,) = other.reasons
    assert "let go of service levels to host0, " in reason
    assert "stop the traffic to these" in reason


def test_between_two_files_switches_have_the_lanes_of_one_of_them() -> None:
    before = b"tables 1 0x0\nlevel 0x9 -0\nhosts 01ffffffffffffff\n"
    before += b"lanes 0x1 * * 01\nlanes 0x1 1 2 10\nlanes 0x2 * * 01\nend 6 0x0\n"
    after = b"tables 1 0x0\nlevel 0x9 -1\nhosts 012fffffffffffff\n"
    after += b"lanes 0x1 * * 00\nlanes 0x2 * * 11\nlanes 0x3 * * 11\nend 6 0x0\n"
    found = lanes_between(before, after, [1], {})
    assert found is not None
    assert found.decode().splitlines() == [
        "tables 1 0x0",
        "level 0x9 -0",
        # Nobody uses level 2 before, and its lane is there when somebody does.
        "hosts 012fffffffffffff",
        "lanes 0x0000000000000001 * * 01",
        "lanes 0x0000000000000001 1 2 10",
        "lanes 0x0000000000000002 * * 11",
        # Who is new has no other.
        "lanes 0x0000000000000003 * * 11",
    ]
    assert lanes_between(before, after.replace(b"hosts 01", b"hosts 10"), [1], {}) is None
    # A port that had no cable has its new lanes at once.
    found = lanes_between(before, after, [], {1: {2}})
    assert found is not None
    rows = LaneRows.of_plugin(found)
    assert [rows.lanes(1, ports) for ports in ((1, 2), (0, 2), (2, 1), (0, 1))] == [
        *["00"] * 3,
        "01",
    ]


def test_lanes_are_read_as_opensm_and_as_ibdiagnet_print_them() -> None:
    opensm = b"""Channel Adapter 0x5, base LID 3, "host"
0 1 : 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
Switch 0x2, base LID 2, "sw0"
#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
0   1   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  15
"""
    ibdiagnet = b"0x0000000000000002 0 1 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x6F\n"
    rows = LaneRows.printed(opensm)
    assert rows.switches == {2: {(0, 1): "012345670123456f"}}
    assert rows == LaneRows.printed(ibdiagnet)
    assert rows.lanes(2, (1, 0)) is None
