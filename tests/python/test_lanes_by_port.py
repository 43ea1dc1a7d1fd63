"""Tables where switches choose lanes by ports: repaired, looked at, watched, and led to others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from command import done
from command import weft as command
from watched import Watched, torus

import weft
from weft.watch import decide

if TYPE_CHECKING:
    from pathlib import Path

SPEC = "torus_2qos"


def _hash(content: bytes) -> int:
    """Return FNV-1a of 64 bits."""
    found = 0xCBF2_9CE4_8422_2325
    for byte in content:
        found = ((found ^ byte) * 0x100_0000_01B3) % 2**64
    return found


def _is_one_export(folder: Path) -> bool:
    """Tell whether lanes are of the tables beside them, by what the plugin looks at."""
    tables = (folder / "weft.lfts").read_bytes()
    lanes = (folder / "weft.lfts.lanes").read_text()
    above = lanes[: lanes.rindex("end ")]
    end = f"end {above.count(chr(10))} 0x{_hash(above.encode()):016x}\n"
    return f"\ntables {len(tables)} 0x{_hash(tables):016x}\n" in lanes and lanes == above + end


def test_each_failure_is_repaired_or_said_why(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    survived = weft.survive(whole, weft.route(whole, SPEC), parts=["cables"])
    assert len(survived.failures) == 40  # five by four switches in rings, two cables each
    assert all(one.load is not None for one in survived.failures)
    path = tmp_path / "whole.json"
    weft.write_fabric(whole, path)
    damaged = tmp_path / "damaged.json"
    weft.write_fabric(weft.degrade(whole, links="sw5:3").fabric, damaged)
    document = command("route", damaged, SPEC, "--repairs", path, "--json").document
    assert document["repair"]["changed_entries"] > 0
    made = tmp_path / "made.json"
    done("route", damaged, SPEC, "--repairs", path, "-o", made)
    assert "deadlock-free" in done("prove", damaged, made).stdout


def test_a_watch_gives_lanes_of_the_tables_that_it_gives(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    watched = Watched(tmp_path / "watch", specification=SPEC)
    watched.sees(whole)
    folder = tmp_path / "watch" / "planned"
    assert _is_one_export(folder)
    first = (folder / "weft.lfts").read_bytes()
    cut = weft.degrade(whole, links="sw0:3").fabric
    assert watched.sees(cut, cut)[-3:] == ["changed", "decided", "planned"]
    assert (folder / "weft.lfts").read_bytes() != first
    assert _is_one_export(folder)
    assert watched.alarms == []


def test_a_new_host_takes_the_lanes_of_one_beside_it(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    small = weft.degrade(whole, hosts="host3").fabric
    first = decide(None, small, SPEC, weft.route).standing
    grown = decide(first, whole, SPEC, weft.route)
    assert (grown.kind, grown.way.order) == ("taken_in", "any")
    assert grown.standing is not None
    assert weft.prove(whole, grown.standing.routing).deadlock_free
    # A switch that comes with its hosts has none beside them.
    without = weft.degrade(whole, switches="sw5").fabric
    first = decide(None, without, SPEC, weft.route).standing
    assert decide(first, whole, SPEC, weft.route).kind in {"anew", "keep"}


def test_lane_tables_are_written_in_a_phase_of_their_own(tmp_path: Path) -> None:
    net = weft.torus(4, 4)
    old, new = weft.route(net, "best:lanes=1"), weft.route(net, SPEC)
    plan = weft.plan_transition(net, old, net, new)
    assert plan.proved_throughout
    assert plan.dropped == []
    assert plan.relaned_switches == list(range(16))
    back = weft.plan_transition(net, new, net, new)
    assert back.phases == []
    with pytest.raises(weft.RoutingError, match="lane tables of switches, which no event"):
        weft.in_rounds(plan, net, new, at_ns=0, wait_ns=0)
    path = tmp_path / "net.json"
    weft.write_fabric(net, path)
    assert "lane tables of 16 switches" in done("transition", path, "best:lanes=1", SPEC).stdout
    document = json.loads(done("transition", path, "best:lanes=1", SPEC, "--json").stdout)
    steps = [step for phase in document["phases"] for step in phase["steps"]]
    written = [step["switches"] for step in steps if step["kind"] == "write_lanes"]
    assert written == [net.switch_names]
