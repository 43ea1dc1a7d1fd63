"""Plans from old forwarding tables to new."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from command import done, refused
from command import weft as command

import weft

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def entries(
    plan: weft.TransitionPlan, start: dict[tuple[int, int], int]
) -> dict[tuple[int, int], int]:
    """Return entries by switch and address once all rounds are written."""
    found = dict(start)
    for writes in plan.rounds:
        for switch, address, port in writes.tolist():
            assert found.get((switch, address), 0) != port
            found[switch, address] = port
    return found


def _entries_of(fabric: weft.Fabric, routing: weft.Routing) -> dict[tuple[int, int], int]:
    """Return the port of each switch towards each host elsewhere, one host a switch."""
    ports = {}
    for channel in np.flatnonzero(fabric.is_switch_channel).tolist():
        one, port, other, _ = re.findall(r"[^\[\]→ ]+", fabric.describe_channel(channel))
        ports[one, other] = int(port)
    found = {}
    for source in range(fabric.host_count):
        for host in set(range(fabric.host_count)) - {source}:
            one, other = routing.route_names(source, host)[1:3]
            found[fabric.switch_names.index(one), host] = ports[one, other]
    return found


@pytest.mark.parametrize("direct", [False, True])
def test_every_entry_that_differs_is_written_and_no_other(*, direct: bool) -> None:
    torus = weft.torus(4, 4, hosts_per_switch=1)
    old, new = (weft.route(torus, f"down_preferred:per=host,root={root}") for root in (0, 10))
    plan = weft.plan_transition(torus, old, torus, new, direct=direct)
    assert plan.proved_throughout
    assert not plan.dropped
    assert plan.levels == "none"
    names = [of.destination for of in plan.addresses]
    assert names == torus.host_names
    there, wanted = (_entries_of(torus, routing) for routing in (old, new))
    found = entries(plan, there)
    assert {key: found[key] for key in wanted} == wanted
    if not plan.drained and plan.by_trees is None:
        differ = sum(there[key] != port for key, port in wanted.items())
        assert plan.changed_entries == differ


def test_a_host_may_come_back_where_switches_choose_lanes() -> None:
    # Its switch is known to send already, but not from its port.
    for seed in range(1, 5):
        whole = weft.irregular(12, hosts_per_switch=2, seed=seed)
        left = weft.degrade(whole, hosts=["host5"]).fabric
        old, new = (
            weft.to_tables(fabric, weft.route(fabric, "lash_tor")) for fabric in (left, whole)
        )
        plan = weft.plan_transition(left, old, whole, new)
        # The entries of tables between switches are the same, and so are service levels.
        assert (plan.levels, plan.rounds, plan.renews) == ("none", [], False)


def test_waits_are_those_of_the_formula() -> None:
    ring = weft.generate("ring", switches=5, hosts_per_switch=1)
    old, new = (weft.route(ring, f"down_preferred:root={root}") for root in (0, 2))
    plan = weft.plan_transition(ring, old, ring, new)
    for phase in plan.phases:
        assert 2 <= phase.most_switches <= 5
        assert phase.wait_s(18) == pytest.approx(phase.most_switches * 4.096e-6 * 2**18)
    with pytest.raises(weft.InputError, match="lifetime"):
        plan.phases[0].wait_s(20)


def test_nothing_is_planned_where_nothing_changes() -> None:
    ring = weft.generate("ring", switches=5, hosts_per_switch=1)
    tables = weft.route(ring, "down_preferred")
    plan = weft.plan_transition(ring, tables, ring, tables)
    assert plan.phases == []
    assert plan.rounds == []
    assert plan.drained == []


def test_blocks_are_those_of_the_lids() -> None:
    cluster = weft.read_fabric(EXAMPLES / "cluster.ibnetdiscover").fabric
    old, new = weft.route(cluster, "ftree"), weft.route(cluster, "min_hop")
    plan = weft.plan_transition(cluster, old, cluster, new)
    lids = [of.lid for of in plan.addresses]
    assert None not in lids
    assert len(set(lids)) == len(lids) == 300
    for writes in plan.rounds:
        blocks = plan.blocks(writes)
        assert blocks is not None
        expected = {(row[0], (lids[row[1]] or 0) // 64) for row in writes.tolist()}
        assert {tuple(row) for row in blocks.tolist()} == expected
    torus = weft.torus(4, 4)
    old, new = (weft.route(torus, f"down_preferred:per=host,root={root}") for root in (0, 1))
    plan = weft.plan_transition(torus, old, torus, new)
    assert all(plan.blocks(writes) is None for writes in plan.rounds)


def test_links_that_failed_or_come_back_are_part_of_it() -> None:
    whole = weft.torus(4, 4)
    damaged = weft.degrade(whole, links="10%", seed=3).fabric
    tables = {fabric.name: weft.route(fabric, "best:lanes=2") for fabric in (whole, damaged)}
    for before, after in ((whole, damaged), (damaged, whole)):
        plan = weft.plan_transition(before, tables[before.name], after, tables[after.name])
        assert plan.proved_throughout
        assert plan.dropped == []


def test_known_methods_stand_beside_it() -> None:
    torus = weft.torus(4, 4, hosts_per_switch=1)
    old, new = (weft.route(torus, f"down_preferred:root={root}") for root in (0, 10))
    found = {of.method: of for of in weft.transition_methods(torus, old, torus, new)}
    assert list(found) == ["static", "double_scheme", "overlapping", "opensm"]
    assert found["static"].drained == 16
    assert found["double_scheme"].lanes == 2
    assert not found["opensm"].deadlock_free
    assert found["static"].deadlock_free


def test_what_is_drained_at_least_is_shown(tmp_path: Path) -> None:
    ring = weft.generate("ring", switches=8, hosts_per_switch=1)
    old, new = (weft.route(ring, f"down_preferred:per=host,root={root}") for root in (0, 4))
    plan = weft.plan_transition(ring, old, ring, new, direct=True)
    shown = weft.transition_obstructions(plan, ring, old, ring, new)
    # Two alone would be drained for longer.
    assert (len(shown), len(plan.drained)) == (2, 3)
    destinations = [name for one in shown for name in one.destinations]
    assert len(destinations) == len(set(destinations))
    assert all(len(write.cycle) > 1 for one in shown for write in one.writes)
    assert {write.change for one in shown for write in one.writes} == {"entry"}
    same = weft.plan_transition(ring, old, ring, old)
    assert weft.transition_obstructions(same, ring, old, ring, old) == []
    path = tmp_path / "ring.json"
    weft.write_fabric(ring, path)
    asked = ("transition", path, *(f"down_preferred:per=host,root={root}" for root in (0, 4)))
    said = "to drain fewer than 2, in any order of old and new entries"
    assert said in done(*asked, "--direct").stdout
    document = command(*asked, "--direct", "--json").document
    assert document["by_trees"] is None
    assert [one["destinations"] for one in document["obstructions"]] == [
        one.destinations for one in shown
    ]
    writes = document["obstructions"][0]["writes"]
    assert {write["change"] for write in writes} == {"entry"}
    # By a line of the eight switches nobody is drained: four hosts on either side of its middle.
    told = command(*asked, "--json").document
    assert (told["drained"], told["obstructions"]) == ([], None)
    assert told["by_trees"]["most_pairs"] == 4 * 4
    pairs = f"{told['by_trees']['count']} spanning trees?, 16 pairs of hosts over one channel"
    assert re.search(f"meanwhile by +{pairs}", done(*asked).stdout)
    unasked = ("transition", path, "down_preferred", "down_preferred", "--json")
    assert command(*unasked).document["obstructions"] is None


def test_how_long_packets_are_dropped_is_told(tmp_path: Path) -> None:
    torus = weft.torus(4, 4, hosts_per_switch=1)
    specs = [f"down_preferred:root={root}" for root in (0, 10)]
    old, new = (weft.route(torus, spec) for spec in specs)
    plan = weft.plan_transition(torus, old, torus, new, direct=True)
    told = dict(zip(plan.drained, plan.drained_s(10), strict=True))
    assert len(told) == 11
    # By the tables as they stand after each phase: those that are short of an entry.
    written: dict[tuple[int, str], int] = {}
    dropping = dict.fromkeys(told, 0.0)
    for phase in plan.phases:
        for at, place, port in (write for step in phase.steps for write in step.writes.tolist()):
            written[at, plan.addresses[place].destination] = port
        for name in {name for (_, name), port in written.items() if port == 0}:
            dropping[name] += phase.wait_s(10)
    assert told == pytest.approx(dropping)
    assert 0 < min(told.values()) < max(told.values())
    path = tmp_path / "torus.json"
    weft.write_fabric(torus, path)
    document = command("transition", path, *specs, "--direct", "--json", "--lifetime", 10).document
    assert document["drained_s"] == pytest.approx(list(told.values()))
    shown = re.search(
        r"drained +11: host\d+, host\d+, host\d+, …; for ([\d.]+) s to ([\d.]+) s\n",
        done("transition", path, *specs, "--direct").stdout,
    )
    assert shown is not None
    ends = [float(text) / 2**8 for text in shown.groups()]
    assert ends == pytest.approx([min(told.values()), max(told.values())], rel=0.01)
    # A plan that drains nobody drops nothing.
    assert weft.plan_transition(torus, old, torus, new).drained_s() == []


def test_other_forms_are_refused() -> None:
    torus = weft.torus(4, 4)
    tables, lists = weft.route(torus, "best"), weft.route(torus, "updown")
    with pytest.raises(weft.RoutingError, match="a transition needs forwarding tables"):
        weft.plan_transition(torus, lists, torus, tables)
    deadlocks = weft.route(torus, "min_hop")
    with pytest.raises(weft.RoutingError, match="can deadlock with the new tables"):
        weft.plan_transition(torus, tables, torus, deadlocks)


@pytest.mark.parametrize(
    ("old", "other", "what"), [("sw", "leaf", "switch"), ("host", "node", "host")]
)
def test_a_fabric_that_shares_no_names_was_never_this_one(
    tmp_path: Path, old: str, other: str, what: str
) -> None:
    fabric = weft.torus(4, 4, hosts_per_switch=1)
    weft.write_fabric(fabric, tmp_path / "net.json")
    text = (tmp_path / "net.json").read_text()
    text = re.sub(rf'"{old}(\d)', rf'"{other}\1', text).replace("torus-4x4", "another")
    (tmp_path / "other.json").write_text(text)
    told = (
        f"“another” and “torus-4x4” have no {what} of one name (“{other}0” is in the one, “{old}0”"
    )
    roots = ("down_preferred:root=0", "down_preferred:root=10")
    call = ("transition", tmp_path / "net.json", *roots, "--before")
    refused(told, *call, tmp_path / "other.json")
    done(*call, tmp_path / "net.json")


def test_the_command_tells_phases_and_methods(tmp_path: Path) -> None:
    path = tmp_path / "torus.json"
    weft.write_fabric(weft.torus(4, 4, hosts_per_switch=1), path)
    asked = ("transition", path, "down_preferred:root=0", "down_preferred:root=10")
    ended = done(*asked)
    assert re.search(r"proved +at every moment; [\d,]+ dependencies checked", ended.stdout)
    assert "all at once, as OpenSM" in ended.stdout
    assert "possible" in ended.stdout
    document = command(*asked, "--json", "--lifetime", 10).document
    written = [step["writes"] for phase in document["phases"] for step in phase["steps"]]
    assert {write["switch"] for writes in written for write in writes} <= {
        f"sw{number}" for number in range(16)
    }
    first = document["phases"][0]
    assert first["wait_s"] == pytest.approx(first["most_switches"] * 4.096e-6 * 2**10)
    assert refused("--lifetime", *asked, "--lifetime", 20)


def test_the_command_plans_after_a_failure(tmp_path: Path) -> None:
    whole, part = tmp_path / "whole.json", tmp_path / "part.json"
    torus = weft.torus(4, 4)
    weft.write_fabric(torus, whole)
    weft.write_fabric(weft.degrade(torus, links="sw0:2").fabric, part)
    document = command(
        "transition", part, "best:lanes=2", "best:lanes=2", "--before", whole, "--json"
    ).document
    assert document["proved_throughout"]
    assert document["dropped"] == []
    assert np.all([phase["proved"] for phase in document["phases"]])


def test_hosts_of_one_switch_after_another_are_told_new_levels() -> None:
    net = weft.torus(4, 4, hosts_per_switch=2)
    old, new = (weft.route(net, f"dfsssp:lanes={lanes}") for lanes in (3, 4))
    plan = weft.plan_transition(net, old, net, new)
    assert (plan.drained, plan.levels, plan.renews) == ([], "in_turn", True)
    steps = [step for phase in plan.phases for step in phase.steps]
    told = [step for step in steps if step.kind == "renew_each"]
    assert told
    assert not plan.relaned_switches
    assert all(len(step.addresses) == len(step.switches) > 0 for step in told)
    events = weft.in_rounds(plan, net, new, at_ns=1_000, each_after_ns=10, wait_ns=1_000)
    answers = [event for event in events if isinstance(event, weft.Answers)]
    assert len(answers) == len(told)
    first = {
        (net.switch_names[at], plan.addresses[to].destination)
        for at, to in zip(told[0].switches, told[0].addresses, strict=True)
    }
    assert set(answers[0].pairs or ()) == first
    assert answers[-1].pairs is None


def test_hosts_send_by_one_level_while_packets_go_by_trees() -> None:
    net = weft.torus(3, 3, hosts_per_switch=2)
    old, new = (
        weft.route(net, spec) for spec in ("dfsssp:lanes=2", "down_preferred:per=host,root=2")
    )
    plan = weft.plan_transition(net, old, net, new)
    assert (plan.drained, plan.levels, plan.renews) == ([], "in_turn", True)
    assert plan.by_trees is not None
    assert plan.by_trees.level == 1
    steps = [step for phase in plan.phases for step in phase.steps]
    told = [step for step in steps if step.kind == "renew_for_trees"]
    assert told
    events = weft.in_rounds(plan, net, new, at_ns=5_000, each_after_ns=10, wait_ns=20_000)
    answers = [event for event in events if isinstance(event, weft.Answers)]
    for step, event in zip(told, answers, strict=False):
        assert event.pairs == tuple(
            (net.switch_names[at], plan.addresses[to].destination)
            for at, to in zip(step.switches.tolist(), step.addresses.tolist(), strict=True)
        )
        assert event.routing.lane_count == 2
    seen = weft.rehearse(
        net,
        old,
        weft.hardware("infiniband_hdr"),
        weft.Traffic(load=0.1, payload_bytes=512),
        events,
        until_ns=events[-1].at_ns + 20_000,
        window_ns=10_000,
    )
    assert seen.deadlock_ns is None
    assert seen.lost.sum() == 0
