"""A watch that applies: OpenSM told, switches read back, and what is done when they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from watched import SPEC, Watched, discovered, entries_of, levels, torus

import weft
from weft.watch import Generations, SubnetManager, WatchSettings
from weft.watch.policies import POLICY

if TYPE_CHECKING:
    from pathlib import Path

ONE_ROUND = ["changed", "decided", "applied", "loaded"]


def is_in_rounds(told: list[str], *, least: int) -> bool:
    """Tell whether a change was given in so many rounds, each once the one before was seen."""
    count = (len(told) - 2) // 2
    return count >= least and told == ["changed", "decided", *["applied", "loaded"] * count]


class Switches:
    """Stands for OpenSM and its switches: they load what they are told to, unless they are deaf."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.loaded, self._deaf = folder / "loaded", folder / "deaf"
        self.loaded.touch()
        lfts = folder / "watch/current/weft.lfts"
        tell = f"sh -c 'test ! -e {self._deaf} && cp {lfts} {self.loaded}'"
        self.manager = SubnetManager([tell], f"cat {self.loaded}")

    def hear(self, *, hears: bool) -> None:
        """Let it load tables, or be deaf."""
        if hears:
            self._deaf.unlink()
        else:
            self._deaf.touch()

    def watched(self, specification: str = SPEC) -> Watched:
        """Return a watch of these."""
        settings = WatchSettings(hold_s=0, settle_s=0, patience_s=5, read_every_s=100)
        return Watched(
            self.folder / "watch",
            manager=self.manager,
            settings=settings,
            specification=specification,
        )

    def have(self) -> bytes:
        """Return the tables that the switches have."""
        return self.loaded.read_bytes()

    def in_force(self) -> weft.watch.Generation:
        """Return what the folder says is in force."""
        generation = Generations(self.folder / "watch", "current").read()
        assert generation is not None
        return generation


def test_tables_are_loaded_and_read_back(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    less = weft.degrade(whole, hosts="host3").fabric
    cut = weft.degrade(less, links="sw0:3").fabric
    switches = Switches(tmp_path)
    watched = switches.watched()
    assert watched.sees(whole) == ONE_ROUND
    # Where no entry changes that packets may meet, one round does.
    assert watched.sees(less, less) == ["waiting", *ONE_ROUND]
    assert switches.have() == switches.in_force().tables.text()
    assert watched.watch.health.is_loaded
    # Around a ring old entries and new ones must not mix.
    assert is_in_rounds(watched.sees(cut, cut)[1:], least=2)
    # What is back is not a repair of what stands.
    assert is_in_rounds(watched.sees(less), least=2)
    assert switches.have() == switches.in_force().tables.text()
    assert watched.watch.is_well


@pytest.mark.parametrize("spec", ["torus_2qos", "best:lanes=2"])
def test_what_switches_have_is_judged_on_the_lanes_in_force(tmp_path: Path, spec: str) -> None:
    whole = discovered(weft.torus(5, 5), tmp_path)
    switches = Switches(tmp_path)
    watched = switches.watched(spec)
    watched.sees(whole)
    assert switches.have() == switches.in_force().tables.text()
    # A switch has lost an entry, and no other is another: on one lane the rings could deadlock.
    lines = switches.have().decode().splitlines()
    lost = next(number for number, line in enumerate(lines) if line.startswith("0x0023"))
    switches.loaded.write_text("\n".join(lines[:lost] + lines[lost + 1 :]) + "\n")
    watched.sees(whole, after_s=200)
    assert watched.alarms == ["switches"]
    told = watched.watch.log.alarms["switches"].text
    assert "1 entries differ: " in told
    assert "pairs of hosts are not reached" in told
    assert "deadlock" not in told


def test_where_opensm_is_not_told_an_alarm_stands_until_switches_have_the_tables(
    tmp_path: Path,
) -> None:
    whole = torus(tmp_path)
    cut = weft.degrade(whole, hosts="host3").fabric
    switches = Switches(tmp_path)
    watched = switches.watched()
    watched.sees(whole)
    switches.hear(hears=False)
    assert watched.sees(cut, cut)[-3:] == ["applied", "alarm", "alarm"]
    assert watched.alarms == ["switches", "telling"]
    assert switches.in_force().standing.fabric == cut
    assert not watched.watch.is_well
    switches.hear(hears=True)
    watched.sees(cut, after_s=20)
    assert watched.alarms == []
    assert switches.have() == switches.in_force().tables.text()


def test_switches_that_route_otherwise_are_found_and_told_again(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    switches = Switches(tmp_path)
    watched = switches.watched()
    watched.sees(whole)
    given = switches.have()
    lines = given.decode().splitlines()
    # A manager that took over leaves an entry out.
    far = f"portguid 0x{whole.host_guids[-1]:016x}"
    place = next(n for n, line in enumerate(lines) if far in line)
    count = next(n for n, line in enumerate(lines) if "lids dumped" in line)
    lines[count] = f"{int(lines[count].split()[0]) - 1} lids dumped"
    switches.loaded.write_text("\n".join([*lines[:place], *lines[place + 1 :], ""]))
    assert watched.sees(whole) == []
    assert watched.sees(whole, after_s=200) == ["alarm"]
    (alarm,) = watched.watch.log.alarms.values()
    assert "1 entries differ: " in alarm.text
    assert "of 1,560 pairs of hosts are not reached" in alarm.text
    watched.sees(whole)
    assert watched.alarms == []
    assert switches.have() == given


def test_tables_that_can_deadlock_are_called_so_when_they_are_read(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    switches = Switches(tmp_path)
    watched = switches.watched()
    watched.sees(whole)
    other = weft.to_tables(whole, weft.route(whole, "minimal:selection=first,per=switch"))
    made = weft.export_opensm(whole, other, tmp_path / "other", unproved=True, lmc=0)
    switches.hear(hears=False)
    switches.loaded.write_bytes((tmp_path / "other/weft.lfts").read_bytes())
    assert made.proof.verdict == "deadlock"
    watched.sees(whole, after_s=200)
    assert "packets can deadlock" in watched.watch.log.alarms["switches"].text


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_change_in_two_rounds_is_taken_up_between_them(tmp_path: Path, *, goes_on: bool) -> None:
    whole = torus(tmp_path)
    cut = weft.degrade(whole, links="sw0:3").fabric
    switches = Switches(tmp_path)
    watched = switches.watched()
    watched.sees(whole)
    wanted = switches.have()
    watched.sees(cut, cut)
    before = entries_of(switches.have())
    switches.hear(hears=False)
    # The first round is not seen in the switches: the second is not begun.
    assert "loaded" not in watched.sees(whole)
    between = switches.in_force()
    assert between.is_between
    assert between.standing.fabric == cut
    after = entries_of(wanted)
    for switch, entries in entries_of(between.tables.text()).items():
        assert entries.items() <= before[switch].items() | after[switch].items()
    switches.hear(hears=True)
    again = switches.watched()
    if goes_on:
        assert is_in_rounds(again.sees(whole, after_s=20), least=2)
    else:
        # The cable is gone again: what was cleared is set as it was.
        again.sees(cut, after_s=20)
        assert entries_of(switches.have()) == before
    assert switches.have() == switches.in_force().tables.text()
    assert not switches.in_force().is_between
    assert again.alarms == []


def test_hosts_that_are_back_are_told_levels_that_are_proved_while_tables_change(
    tmp_path: Path,
) -> None:
    whole = torus(tmp_path)
    left = weft.degrade(whole, switches="sw5").fabric
    switches = Switches(tmp_path)
    watched = switches.watched("best:lanes=2")
    watched.sees(whole)
    planned = levels(switches.in_force().opensm[POLICY], whole.host_guids)
    watched.sees(left, left)
    switches.hear(hears=False)
    watched.sees(whole)
    between = switches.in_force()
    assert between.is_between
    found = levels(between.opensm[POLICY], whole.host_guids)
    back = set(whole.host_guids) - set(left.host_guids)
    new = [pair for pair in found if back.intersection(pair)]
    assert any(planned[pair] for pair in new)
    assert all(found[pair] == planned[pair] for pair in new)


def test_options_that_need_a_new_start_of_opensm_are_an_alarm(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    switches = Switches(tmp_path)
    switches.watched("down_preferred").sees(whole)
    watched = switches.watched("best:lanes=2")
    # Another routing is asked for, though nothing of the fabric has changed.
    watched.sees(whole)
    assert (tmp_path / "watch/current/qos-policy.conf").exists()
    texts = (tmp_path / "watch/events.jsonl").read_text()
    assert "start OpenSM anew" in texts
