"""Tables whose switches choose: figures by hand, verdicts by service level, and the commands."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from command import done, refused
from command import weft as run

import weft
from weft import adaptive

CLUSTER = "examples/cluster.ibnetdiscover"


def two_levels() -> weft.Fabric:
    """Return four leaves of four hosts below two spines."""
    return weft.generate("xgft", m=[4, 4], w=[1, 2])


def test_a_whole_tree_splits_evenly() -> None:
    tree = two_levels()
    judged = weft.judge_groups(tree, weft.route(tree, "ar_ftree"), flows=400, draws=3)
    assert judged.together.verdict == "deadlock-free"
    assert judged.lane_count == 1
    (level,) = judged.levels
    assert level.levels == list(range(16))
    assert (level.verdict.rests_on, level.unreached, level.route_loop) == ("every way", [], None)
    loads = level.loads
    # A leaf sends 4 · 12 routes over two spines.
    assert (loads.largest, loads.mean, loads.most, loads.unreached_pairs) == (24.0, 24.0, 48, 0)
    assert 24.0 <= loads.hashed <= loads.hashed_worst < 26.0
    found = level.findings
    # Leaves have a choice for twelve hosts, spines have none for sixteen.
    assert (found.free_entries, found.static_entries, found.hashed_entries) == (48, 32, 0)
    assert (found.lone.count, found.switches_without_choice, found.mixed.count) == (32, 2, 0)
    assert found.lone.first == "sw4 to host0 by port 1"


def test_figures_of_some_hosts_are_theirs_alone() -> None:
    tree = two_levels()
    judged = weft.judge_groups(tree, weft.route(tree, "ar_ftree"), hosts=[0, 1, 4, 5], draws=1)
    loads = judged.levels[0].loads
    assert (loads.largest, loads.most) == (2.0, 4)


def test_hashes_of_too_many_pairs_are_drawn_when_asked_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tree = two_levels()
    routing = weft.route(tree, "ar_updn")
    monkeypatch.setattr(adaptive, "_MOST_DRAWN_FLOWS", 16 * 15 - 1)
    judged = weft.judge_groups(tree, routing)
    loads = judged.levels[0].loads
    assert (loads.draws, loads.hashed, loads.hashed_worst) == (0, None, None)
    assert not any("by a hash" in line for line in adaptive.groups_in_words(judged))
    drawn = weft.judge_groups(tree, routing, draws=2).levels[0].loads
    assert drawn.draws == 2
    assert drawn.hashed is not None
    monkeypatch.setattr(adaptive, "_MOST_DRAWN_FLOWS", 16 * 15)
    assert weft.judge_groups(tree, routing).levels[0].loads.draws == 1


def test_other_routings_and_numbers_that_cannot_be_are_refused() -> None:
    tree = two_levels()
    with pytest.raises(weft.RoutingError, match="whose switches do not choose among groups"):
        weft.judge_groups(tree, weft.route(tree, "updown"))
    with pytest.raises(weft.RoutingError, match="whose switches do not choose among groups"):
        weft.judge_groups(tree, weft.route(tree, "minimal_adaptive"))
    routing = weft.route(tree, "ar_updn")
    with pytest.raises(weft.RoutingError, match="found flows 0, expected 1 or more"):
        weft.judge_groups(tree, routing, flows=0)
    with pytest.raises(weft.RoutingError, match="found draws -1"):
        weft.judge_groups(tree, routing, draws=-1)
    with pytest.raises(weft.RoutingError, match="host 99 does not exist"):
        weft.judge_groups(tree, routing, hosts=[0, 99])


def test_groups_around_tables_keep_each_pair_on_its_lane() -> None:
    torus = weft.torus(5, 5, hosts_per_switch=1)
    routing = weft.route(torus, "adaptive:lids=hbf,of=dfsssp:lanes=4")
    assert routing.parameters == {"lids": "hbf", "of": "dfsssp:lanes=4"}
    assert routing.lane_count == 4
    [judged] = weft.judge_groups(torus, routing).levels
    assert judged.levels == [0, 1, 2, 3]
    assert judged.verdict.rests_on == "every way"
    # All pairs of the four levels, each over as many links as in the tables.
    fixed = weft.load_figures(torus, weft.route(torus, "dfsssp:lanes=4"))
    links = sum(fixed.routes_per_channel[torus.is_switch_channel])
    channels = int(torus.is_switch_channel.sum())
    assert judged.loads.mean == pytest.approx(links / channels)
    assert judged.loads.most > judged.loads.largest
    assert judged.loads.unreached_pairs == 0
    assert judged.findings.hashed_entries > 0


def test_routings_that_have_no_groups_around_them_are_refused(tmp_path: Path) -> None:
    torus = tmp_path / "torus.json"
    weft.write_fabric(weft.torus(4, 4), torus)
    for of, why in [
        ("min_hop", "the channels of a lane form a cycle with routing min_hop"),
        ("torus_2qos", "packets change lanes with routing torus_2qos"),
        ("best:lane=2", "lane"),
        ("adaptive:of=best", "packets choose on their way"),
        ("bset", "best"),
    ]:
        refused(why, "route", torus, f"adaptive:of={of}")


def test_rounds_of_pairs_spread_over_groups() -> None:
    tree = two_levels()
    adaptive = weft.congestion(tree, weft.route(tree, "ar_ftree"), "shifts")
    static = weft.congestion(tree, weft.route(tree, "ftree"), "shifts")
    # Four hosts of a leaf over two spines, two to a channel: a half each, at best.
    assert min(adaptive.mean_share.tolist()) == 0.5
    assert all(
        more >= less - 1e-12
        for more, less in zip(adaptive.mean_share.tolist(), static.mean_share.tolist(), strict=True)
    )


def test_the_commands_tell_levels_and_loads(tmp_path: Path) -> None:
    ended = done("prove", CLUSTER, "ar_updn")
    assert "service levels 0–15: no packets can deadlock, nor if ports are taken" in ended.stdout
    assert "if groups are used evenly" in ended.stdout
    document = done("prove", CLUSTER, "ar_updn", "--json").document
    assert document["rests_on"] == "every way"
    assert document["groups"]["levels"][0]["findings"]["lone"]["count"] == 22
    certificate = tmp_path / "order.json"
    done("prove", CLUSTER, "ar_updn", "--certificate", certificate)
    done("prove", CLUSTER, "ar_updn", "--check", certificate)
    fixed = done("prove", CLUSTER, "updown:root=tops", "--json").document
    assert (fixed["rests_on"], fixed["groups"]) == (None, None)


def test_an_audit_judges_the_folder_beside_static_tables(tmp_path: Path) -> None:
    folder = tmp_path / "ibdiagnet2"
    done("export", "ibdiagnet", CLUSTER, "ar_updn", "-o", folder)
    wires = folder / "ibdiagnet2.ibnetdiscover"
    page = tmp_path / "audit.html"
    given = ("--against", "min_hop", "--count", "20")
    ended = done("audit", wires, folder, *given, "--report", page)
    assert "no packets can deadlock" in ended.stdout
    assert "routes per channel  at most 1,052" in ended.stdout
    assert "1052  spine4[15] → leaf08[31]" in ended.stdout
    assert "if groups are used evenly" in page.read_text()
    document = done("audit", wires, folder, *given, "--json").document
    today = document["today"]
    loads = today["groups"]["levels"][0]["loads"]
    assert today["max_routes"] == math.ceil(loads["largest"])
    assert today["findings"]["cycle"] == []
    assert document["alternatives"][0]["groups"] is None


def test_an_audit_tells_of_groups_that_close_a_cycle(tmp_path: Path) -> None:
    wires = tmp_path / "ring.ibnetdiscover"
    weft.write_fabric(weft.generate("ring", switches=4, hosts_per_switch=1), wires)
    ring = weft.read_fabric(wires).fabric
    folder = tmp_path / "ring"
    weft.export_ibdiagnet(ring, weft.route(ring, "ar_updn:root=0"), folder)
    far = folder / "ibdiagnet2.far"
    # Port 2 of every switch leads on round the ring; groups of port 2 alone remain.
    text = re.sub(r"(?m)^(0x\w{4}\s+)3\b", r"\g<1>2", far.read_text()).replace("2, 3,", "2,")
    far.write_text(text)
    wires = folder / "ibdiagnet2.ibnetdiscover"
    ended = run("audit", wires, folder, "--no-others")
    assert ended.code == 1
    assert "packets can deadlock, in a cycle of 4 channels at the shortest" in ended.stdout
    assert "service levels 0–15: packets can deadlock" in ended.stdout
    proved = run("prove", wires, folder, "--json")
    assert proved.code == 1
    steps = proved.document["cycle"]
    assert {step["held"] for step in steps} == {step["wanted"] for step in steps}
    text = wires.read_text()
    for step in steps:
        # Each host's first LID stands in its line of the switch that it is cabled to.
        assert re.search(rf'(?m)"{step["destination"]}" lid {step["lid"]}$', text)
        assert f"by LID 0x{step['lid']:04x}" in run("prove", wires, folder).stdout
    simulated = run("simulate", wires, "--routing", folder, "--load", "0.1")
    assert simulated.code != 0
    assert "deadlock" in simulated.stdout + simulated.stderr


def test_groups_with_links_of_several_rates_are_named(tmp_path: Path) -> None:
    text = Path(CLUSTER).read_text(encoding="utf-8")
    # The cable from port 25 of leaf13 to port 25 of spine1, at both ends.
    slow, ends = re.subn(
        r'(?m)^(\[25\]\t"S-0002c90300a00(?:000|120)"\[25\].*"(?:spine1|leaf13)" lid \d+ )4xEDR$',
        r"\g<1>4xQDR",
        text,
    )
    assert ends == 2
    wires = tmp_path / "slow.ibnetdiscover"
    wires.write_text(slow, encoding="utf-8")
    for path, is_slow in [(CLUSTER, False), (wires, True)]:
        fabric = weft.read_fabric(path).fabric
        [level] = weft.judge_groups(fabric, weft.route(fabric, "ar_updn"), draws=1).levels
        found = level.findings.unequal
        assert (found.count > 0) == is_slow
        assert found.first is None or "leaf13" in found.first or "spine1" in found.first
