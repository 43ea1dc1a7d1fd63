"""A fabric watched: what counts, what is decided, and what lies on disk afterwards."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest
from command import done, refused, weft_process
from command import weft as command
from watched import SPEC, Given, Watched, discovered, entries_of, torus

import weft
from weft.watch import Generations, Standing, WatchSettings, decide

if TYPE_CHECKING:
    from pathlib import Path

CHANGE = ["changed", "decided", "planned"]


def in_force(folder: Path) -> Standing:
    """Return what a folder says is routed, and how."""
    generation = Generations(folder, "planned").read()
    assert generation is not None
    return generation.standing


def test_a_change_counts_once_two_discoveries_agree(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    cut = weft.degrade(whole, links="sw0:3").fabric
    other = weft.degrade(whole, links=["sw0:3", "sw9:4"]).fabric
    watched = Watched(tmp_path / "watch")
    assert watched.sees(whole) == CHANGE
    assert watched.sees(whole, whole) == []
    assert watched.sees(cut) == ["waiting"]
    assert watched.sees(cut) == CHANGE
    # What is missing in one discovery alone is back, and nothing was done.
    assert watched.sees(other, cut, cut) == ["waiting", "flapped"]
    # Two that do not say the same agree on what both lack.
    assert watched.sees(other) == ["waiting"]
    both = weft.degrade(whole, links=["sw0:3", "sw9:4", "sw10:3"]).fabric
    assert watched.sees(both) == CHANGE
    assert in_force(tmp_path / "watch").fabric.link_count == whole.link_count - 3
    assert watched.alarms == []


def test_what_is_back_counts_after_a_while(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    cut = weft.degrade(whole, switches="sw5").fabric
    watched = Watched(tmp_path / "watch", settings=WatchSettings(hold_s=30, settle_s=0))
    # At first there is nothing to compare with.
    assert watched.sees(whole) == CHANGE
    assert watched.sees(cut, cut) == ["waiting", *CHANGE]
    assert watched.sees(whole) == ["waiting"]
    assert watched.sees(whole, after_s=20) == []
    # It flaps: the time begins anew.
    watched.sees(cut, whole)
    assert watched.sees(whole, after_s=20) == []
    assert watched.sees(whole, after_s=10) == CHANGE
    standing = in_force(tmp_path / "watch")
    assert standing.routing.leads_as(standing.plan.routing)
    # While one part is waited for, another may fail.
    assert watched.sees(cut, cut, whole) == ["waiting", *CHANGE, "waiting"]
    further = weft.degrade(whole, links="sw0:3").fabric
    assert watched.sees(further, further) == ["waiting", *CHANGE]
    assert in_force(tmp_path / "watch").fabric.switch_count == whole.switch_count - 1


@pytest.mark.parametrize(
    "wrong", [{"hold_s": math.nan}, {"patience_s": -1.0}, {"most_lost": 1.5}, {"lifetime": 20}]
)
def test_settings_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(weft.errors.InputError, match=name):
        WatchSettings(**wrong)


def test_a_mass_failure_is_not_believed_at_once(tmp_path: Path) -> None:
    whole = discovered(weft.torus(4, 4, hosts_per_switch=2), tmp_path)
    half = weft.degrade(whole, switches=[f"sw{n}" for n in range(8)]).fabric
    half_and_one = weft.degrade(half, links="sw9:3").fabric
    watched = Watched(tmp_path / "watch")
    watched.sees(whole)
    assert "alarm" in watched.sees(half)
    assert watched.alarms == ["doubt"]
    # Another that says nearly the same does not do.
    assert "decided" not in watched.sees(half_and_one)
    assert watched.sees(half_and_one)[-3:] == CHANGE
    assert watched.alarms == []
    # So it is where the tool that discovered it complained, be the loss ever so small.
    less = weft.degrade(half_and_one, links="sw12:3").fabric
    watched.source.doubts = ["it complained: timed out"]
    assert "decided" not in watched.sees(less)
    assert watched.alarms == ["doubt"]
    assert watched.sees(less)[-3:] == CHANGE


def test_without_mass_failure_a_single_host_of_two_may_go(tmp_path: Path) -> None:
    pair = discovered(weft.mesh(2, 2, hosts_per_switch=1), tmp_path)
    watched = Watched(tmp_path / "watch", settings=WatchSettings(0, 0, most_lost=0.0))
    watched.sees(pair)
    gone = weft.degrade(pair, hosts="host3").fabric
    watched.sees(gone, gone)
    assert in_force(tmp_path / "watch").fabric.host_count == 3


def test_discoveries_that_fail_change_nothing_and_are_an_alarm_the_second_time(
    tmp_path: Path,
) -> None:
    whole = torus(tmp_path)
    watched = Watched(tmp_path / "watch")
    watched.sees(whole)
    before = in_force(tmp_path / "watch")
    assert watched.sees("ended with status 1") == ["unusable"]
    assert watched.alarms == []
    assert watched.sees("ended with status 1") == ["alarm"]
    assert watched.alarms == ["discovery"]
    after = in_force(tmp_path / "watch")
    assert after.fabric == before.fabric
    assert after.routing.leads_as(before.routing)
    assert watched.sees(whole) == ["alarm_over"]


@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        ({"links": "sw0:3"}, "repair"),
        ({"switches": "sw5"}, "repair"),
        ({"hosts": "host3"}, "repair"),
    ],
)
def test_what_is_gone_is_repaired_and_what_is_back_is_as_planned(
    tmp_path: Path, parts: dict[str, str], kind: str
) -> None:
    whole = torus(tmp_path)
    first = decide(None, whole, SPEC, weft.route)
    assert first.kind == "anew"
    assert first.way.order == "first"
    left = weft.degrade(whole, **parts).fabric
    gone = decide(first.standing, left, SPEC, weft.route)
    assert gone.kind == kind
    assert gone.standing is not None
    assert weft.prove(left, gone.standing.routing).deadlock_free
    assert gone.standing.plan == first.standing.plan if first.standing else False
    back = decide(gone.standing, whole, SPEC, weft.route)
    assert back.kind == "plan"
    assert back.standing is not None
    assert first.standing is not None
    assert back.standing.routing.leads_as(first.standing.routing)


def test_repairs_that_follow_one_another_are_those_of_tables_made_ready_anew(
    tmp_path: Path,
) -> None:
    whole = torus(tmp_path)
    standing = decide(None, whole, "best:lanes=4", weft.route).standing
    for failed in (["sw0:3"], ["sw0:3", "sw9:4"], ["sw0:3", "sw9:4", "sw10:3"]):
        assert standing is not None
        left = weft.degrade(whole, links=failed).fabric
        anew = weft.repair(standing.fabric, standing.routing, left)
        decision = decide(standing, left, "best:lanes=4", weft.route)
        assert decision.kind == "repair"
        assert decision.standing is not None
        assert decision.standing.routing.leads_as(anew.routing)
        assert (decision.way.order == "any") >= (anew.order == "any")
        standing = decision.standing


@pytest.mark.parametrize("spec", ["best:lanes=1", "best:lanes=2", "down_preferred"])
@pytest.mark.parametrize(
    "new", [{"hosts": "host3"}, {"hosts": ["host3", "host9"]}, {"switches": "sw5"}]
)
def test_hosts_and_leaves_that_are_new_are_taken_in_and_no_entry_changes(
    tmp_path: Path, spec: str, new: dict[str, str | list[str]]
) -> None:
    tree = weft.generate("xgft", m=[2, 4, 2], w=[1, 2, 2])
    for fabric in (torus(tmp_path), discovered(tree, tmp_path)):
        small = weft.degrade(fabric, **new).fabric
        first = decide(None, small, spec, weft.route).standing
        grown = decide(first, fabric, spec, weft.route)
        assert grown.kind == "taken_in"
        assert grown.way.order == "any"
        assert grown.standing is not None
        assert first is not None
        assert weft.prove(fabric, grown.standing.routing).deadlock_free
        numbers = [fabric.host_names.index(name) for name in small.host_names]
        for source, now in enumerate(numbers):
            for destination, then in enumerate(numbers):
                if source != destination:
                    old = first.routing.route_names(source, destination)
                    assert grown.standing.routing.route_names(now, then) == old
        # It is the plan from then on.
        assert grown.standing.plan.fabric == fabric
        gone = decide(grown.standing, small, spec, weft.route).standing
        assert decide(gone, fabric, spec, weft.route).kind == "plan"


def test_what_is_new_while_parts_are_missing_is_taken_in_beside_the_plan(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    small = weft.degrade(whole, hosts="host3").fabric
    first = decide(None, small, SPEC, weft.route)
    cut = decide(first.standing, weft.degrade(small, links="sw9:4").fabric, SPEC, weft.route)
    grown = decide(cut.standing, weft.degrade(whole, links="sw9:4").fabric, SPEC, weft.route)
    assert grown.kind == "taken_in"
    back = decide(grown.standing, whole, SPEC, weft.route)
    assert back.kind == "taken_in"
    assert back.way.order in ("any", "rounds")
    assert back.standing is not None
    assert back.standing.plan.fabric == whole


def test_other_things_that_are_new_are_routed_anew(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    # A cable that is there for more traffic; hosts on a switch that packets pass and that had none,
    # which closes a circle; another algorithm.
    first = decide(None, weft.degrade(whole, links="sw0:3").fabric, SPEC, weft.route)
    more = decide(first.standing, whole, SPEC, weft.route)
    assert more.kind == "anew"
    assert more.standing is not None
    assert more.standing.plan.fabric == whole
    few = weft.degrade(whole, hosts=["host6", "host7"]).fabric
    circle = decide(decide(None, few, SPEC, weft.route).standing, whole, SPEC, weft.route)
    assert circle.kind == "anew"
    assert any("not deadlock-free" in reason for reason in circle.reasons)
    assert decide(more.standing, few, "down_preferred", weft.route).kind == "anew"


def test_where_nothing_proved_can_be_had_the_tables_stay_and_an_alarm_says_why(
    tmp_path: Path,
) -> None:
    whole = torus(tmp_path)
    # Shortest paths on a torus can deadlock.
    watched = Watched(tmp_path / "watch", specification="minimal:selection=first,per=switch")
    assert watched.sees(whole) == ["changed", "decided", "alarm"]
    assert watched.alarms == ["routes"]
    assert not (tmp_path / "watch/planned").exists()
    assert watched.sees(whole, whole) == []
    # With tables in force that no repair can be had of.
    cleared = weft.degrade(whole, links="sw0:3").fabric

    def refusing(fabric: weft.Fabric, specification: str) -> weft.Routing:
        message = "not today"
        raise weft.RoutingError(message)

    less = decide(None, weft.degrade(whole, links="sw3:4").fabric, SPEC, weft.route).standing
    kept = decide(less, cleared, SPEC, refusing)
    assert kept.kind == "keep"
    assert kept.standing is None
    assert len(kept.reasons) == 3
    assert "not today" in kept.reasons[2]


def test_a_node_that_calls_itself_otherwise_is_the_same(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    watched = Watched(tmp_path / "watch")
    watched.sees(whole)
    path = tmp_path / "discovered.ibnetdiscover"
    text = path.read_text()
    for was, now in (("host7", "MT4129 ConnectX7"), ("sw3", "MF0;sw3:MQM8700/U1")):
        text = text.replace(f'"{was}"', f'"{now}"')
    path.write_text(text)
    other = weft.read_fabric(path).fabric
    assert "host7" not in other.host_names
    assert watched.sees(other, other) == []
    # So it is where something is missing, too.
    cut = weft.degrade(other, links="sw0:3").fabric
    assert watched.sees(cut, cut) == ["waiting", *CHANGE]
    assert in_force(tmp_path / "watch").fabric.host_names == whole.host_names
    assert watched.alarms == []


def test_a_node_in_the_place_of_another_is_led_by_its_own_guid(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    watched = Watched(tmp_path / "watch")
    watched.sees(whole)
    lfts = tmp_path / "watch/planned/weft.lfts"
    before = entries_of(lfts.read_bytes())
    # A switch and an adapter, replaced between two discoveries: names and cables are as they were.
    path = tmp_path / "discovered.ibnetdiscover"
    host = whole.host_guids[7]
    switch = next(guid for guid in before if guid != host)
    others = {int(host): 0xBEEF, switch: 0xCAFE}
    text = path.read_text()
    for was, now in others.items():
        text = text.replace(f"{was:016x}", f"{now:016x}").replace(f"{was:x}", f"{now:x}")
    path.write_text(text)
    other = weft.read_fabric(path).fabric
    assert (other.switch_names, other.host_names) == (whole.switch_names, whole.host_names)
    # One discovery alone is not believed.
    assert watched.sees(other, whole) == ["waiting"]
    assert watched.sees(other, other) == ["waiting", *CHANGE]
    new = {
        others.get(at, at): {(others.get(to, to), lid): port for (to, lid), port in row.items()}
        for at, row in before.items()
    }
    assert entries_of(lfts.read_bytes()) == new
    assert watched.sees(other, other) == []
    assert Watched(tmp_path / "watch").sees(other, other) == []


def test_a_watch_goes_on_from_what_was_in_force(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    cut = weft.degrade(whole, links="sw0:3").fabric
    folder = tmp_path / "watch"
    Watched(folder).sees(whole)
    again = Watched(folder)
    assert again.told == ["started"]
    assert again.sees(whole) == []
    assert again.sees(cut, cut) == ["waiting", *CHANGE]
    generation = Generations(folder, "planned").read()
    assert generation is not None
    assert generation.number == 2
    assert generation.standing.fabric == cut
    assert generation.standing.plan.fabric == whole
    assert generation.tables.switch_count == cut.switch_count


@pytest.mark.parametrize("name", ["tables.json", "weft.lfts", "record.json", "plan-fabric.json"])
def test_what_is_damaged_on_disk_is_not_taken_up(tmp_path: Path, name: str) -> None:
    whole = torus(tmp_path)
    folder = tmp_path / "watch"
    Watched(folder).sees(whole)
    file = folder / "planned" / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(bytes(content))
    with pytest.raises(weft.FormatError):
        Generations(folder, "planned").read()
    again = Watched(folder)
    assert again.told == ["alarm", "started"]
    assert again.alarms == ["state"]
    assert again.sees(whole) == CHANGE
    assert in_force(folder).fabric == whole


def test_a_folder_agrees_with_itself_after_a_while_but_not_where_it_is_doubtful(
    tmp_path: Path,
) -> None:
    whole = torus(tmp_path)
    watched = Watched(
        tmp_path / "watch",
        source=Given(stands=True),
        settings=WatchSettings(hold_s=30, settle_s=5),
    )
    watched.sees(whole)
    cut = weft.degrade(whole, links="sw0:3").fabric
    assert watched.sees(cut) == ["waiting"]
    watched.source.time += 4
    watched.watch.pass_once()
    assert watched.told[-1] == "waiting"
    watched.source.time += 1
    watched.watch.pass_once()
    assert watched.told[-3:] == CHANGE
    half = weft.degrade(cut, switches=[f"sw{n}" for n in range(8)]).fabric
    watched.sees(half)
    watched.source.time += 1000
    watched.watch.pass_once()
    assert watched.alarms == ["doubt"]
    assert in_force(tmp_path / "watch").fabric == cut


def test_the_command_says_what_it_would_do_and_ends(tmp_path: Path) -> None:
    torus(tmp_path)
    drop, folder = tmp_path / "drop", tmp_path / "watch"
    drop.mkdir()
    (drop / "a").write_bytes((tmp_path / "discovered.ibnetdiscover").read_bytes())
    ended = done("watch", drop, SPEC, "-o", folder, "--once", "--settle", 0, "--every", 0)
    assert "started (dry run)" in ended.stdout
    assert "generation 1 planned" in ended.stdout
    assert (folder / "planned/opensm.conf").read_text().count(f"{folder.resolve()}/planned/") == 1
    assert not (folder / "current").exists()
    lines = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    assert [line["event"] for line in lines] == ["started", *CHANGE, "stopped"]
    health = json.loads((folder / "health.json").read_text())
    assert (health["status"], health["switches"], health["hosts"]) == ("well", 20, 40)
    assert "All is well" in (folder / "health.html").read_text()
    # An alarm at the end is the exit code.
    unproved = ("minimal:selection=first,per=switch", "-o", tmp_path / "other")
    ended = command("watch", drop, *unproved, "--once", "--settle", 0, "--every", 0)
    assert ended.code == 1
    assert "ALARM: nothing proved can be had" in ended.stdout
    refused("--apply", "watch", drop, SPEC, "-o", folder, "--tell", "true")
    refused("found a file", "watch", tmp_path / "discovered.ibnetdiscover", SPEC, "-o", folder)


def test_the_second_of_two_waits_until_the_first_has_ended(tmp_path: Path) -> None:
    drop, folder = tmp_path / "drop", tmp_path / "watch"
    drop.mkdir()
    arguments = ("watch", drop, SPEC, "-o", folder, "--every", 0.1)
    first = weft_process(*arguments, folder=tmp_path)
    assert first.stdout is not None
    assert "started" in first.stdout.readline()
    second = weft_process(*arguments, folder=tmp_path)
    assert second.stdout is not None
    assert second.stderr is not None
    assert f"process {first.pid}" in second.stderr.readline()
    first.kill()
    first.communicate(timeout=60)
    assert "started" in second.stdout.readline()
    second.terminate()
    stdout, _ = second.communicate(timeout=60)
    assert "stopped" in stdout
    # Nothing was ever routed.
    assert second.returncode == 1
