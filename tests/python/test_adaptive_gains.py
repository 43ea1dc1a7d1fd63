"""What adaptive tables gain over static ones: in words, in tables, and in the commands."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import TYPE_CHECKING

import pytest
from command import done

import weft
from weft import adaptive_gains, shares
from weft.audit import judge

if TYPE_CHECKING:
    from pathlib import Path

    from weft.audit import Judgement

CLUSTER = "examples/cluster.ibnetdiscover"


@pytest.fixture(scope="module")
def tree() -> weft.Fabric:
    """Return four leaves of four hosts below two spines."""
    return weft.generate("xgft", m=[4, 4], w=[1, 2])


@pytest.fixture(scope="module")
def choosing(tree: weft.Fabric) -> Judgement:
    return judge(tree, weft.route(tree, "ar_updn"), count=20)


@pytest.fixture(scope="module")
def static(tree: weft.Fabric) -> Judgement:
    return judge(tree, weft.route(tree, "best:lanes=1"), count=20)


def gives(judged: Judgement, uniform: float) -> Judgement:
    """Return a judgement with another figure for all to all, and no others."""
    return replace(judged, uniform_share=uniform, bisection=None, shifts=None, by_use=[])


def test_what_to_load_follows_from_what_gives_more(choosing: Judgement, static: Judgement) -> None:
    *_, more = adaptive_gains.gains_in_words(gives(choosing, 0.5), gives(static, 0.4))
    expected = "Load the groups: routing_engine ar_updn and ar_sl_mask 0xffff in the manager's"
    assert more.startswith(expected)
    *_, less = adaptive_gains.gains_in_words(gives(choosing, 0.4), gives(static, 0.5))
    assert less == "Load best:lanes=1: it gives more, and keeps packets in order."
    *_, equal = adaptive_gains.gains_in_words(gives(choosing, 0.41), gives(static, 0.4))
    assert equal.startswith("Load best:lanes=1: groups give no more, and packets overtake")
    both = replace(gives(choosing, 0.4), matrix_share=0.9)
    _, beside, mixed = adaptive_gains.gains_in_words(
        both, replace(gives(static, 0.5), matrix_share=0.3)
    )
    assert "40.0 % all to all, 90.0 % by the matrix of their rate" in beside
    assert beside.endswith("50.0 %, 30.0 %: 0.80, 3.00 times as much.")
    assert mixed.startswith("For traffic by the matrix load the groups: ")
    assert mixed.endswith("; all to all best:lanes=1 gives more, and keeps packets in order.")


def test_shares_are_told_by_how_groups_are_used(tmp_path: Path) -> None:
    """Two leaves of two hosts below two spines, by hand.

    All to all a channel carries two routes in the mean, four at most, of the three of a host. In
    the second shift both hosts of a leaf send to the other leaf, and by one spine if all choose
    alike; by a hash in half of all draws. By the matrix they do so all the time.
    """
    tree = weft.generate("xgft", m=[2, 2], w=[1, 2])
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("0,2,1\n1,3,1\n2,0,1\n3,1,1\n")
    judged = judge(tree, weft.route(tree, "ar_ftree"), count=200, matrix=matrix)
    found = {one.traffic: one for one in judged.by_use}
    assert list(found) == ["all to all", "random halves", "shifts", "matrix"]
    alike = {traffic: one.alike for traffic, one in found.items()}
    assert alike["all to all"] == 0.75
    assert alike["shifts"] == pytest.approx((1 + 0.5 + 1) / 3)
    assert alike["matrix"] == 0.5
    for one in found.values():
        assert (one.flows, one.draws) == (1, 16)
        assert one.even == 1
        assert one.alike <= one.hashed_worst <= one.hashed <= 1
    assert found["shifts"].hashed == pytest.approx((1 + 0.75 + 1) / 3, abs=0.05)
    assert found["matrix"].hashed_worst == 0.5
    # One of three pairs of halves leaves each leaf with both of its hosts, one of both ways.
    assert found["random halves"].alike == pytest.approx(1 - 1 / 3 * 0.5, abs=0.06)

    many = judge(tree, weft.route(tree, "ar_ftree"), count=5, matrix=matrix, flows=500)
    assert [one.hashed for one in many.by_use] == pytest.approx([1, 1, 1, 1], abs=0.1)
    some = judge(tree, weft.route(tree, "ar_ftree"), count=5, hosts=[0, 1], flows=2)
    assert [(one.alike, one.hashed) for one in some.by_use] == [(1, 1)] * 3
    assert judge(tree, weft.route(tree, "ftree"), count=5).by_use == []


def test_the_sentence_of_uses_names_flows_draws_and_traffic(choosing: Judgement) -> None:
    one = weft.SharesByUse("all to all", 2, 1, 1.0, 0.75, 0.5, 0.25, None)
    words = adaptive_gains.gains_in_words(replace(choosing, by_use=[one]), None)[1:]
    assert words == [
        "By a hash of 2 flows a pair: 75.0 % all to all (50.0 % in the worst of 1 draw); if all"
        " pairs choose the same ports, 25.0 %."
    ]


def test_traffic_of_too_many_flows_is_left_out(
    tree: weft.Fabric, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "_MOST_FLOWS", 600)
    by_use = judge(tree, weft.route(tree, "ar_updn"), count=100).by_use
    assert [(one.traffic, one.draws) for one in by_use] == [("all to all", 2), ("shifts", 2)]


def test_the_best_static_tables_are_sound_and_on_no_more_lanes(
    choosing: Judgement, static: Judgement
) -> None:
    findings = static.findings
    assert findings is not None
    lanes = replace(static, findings=replace(findings, lane_count=2))
    stuck = judge(weft.torus(4, 4), weft.route(weft.torus(4, 4), "minimal"), count=5)
    assert not stuck.is_sound
    worse = gives(static, (static.uniform_share or 1) / 2)
    judged = [choosing, gives(lanes, 1.0), gives(stuck, 1.0), worse, static]
    assert adaptive_gains.best_static(judged, 1) is static
    assert adaptive_gains.best_static([choosing], 1) is None
    assert adaptive_gains.best_static([lanes, static], 2) in (lanes, static)


def test_levels_that_may_not_choose_are_told(choosing: Judgement, static: Judgement) -> None:
    groups = choosing.groups
    assert groups is not None
    assert groups.may_choose == list(range(16))
    told = adaptive_gains.levels_in_words
    assert told(groups) == (
        "Service levels 0–15 may be adaptive: whatever packets choose, none can deadlock."
    )
    some = replace(groups, may_choose=[2])
    assert told(some).startswith("Service level 2 may be adaptive, 0–1, 3–15 not: if packets")
    assert told(replace(groups, may_choose=[])).endswith("packets that choose can deadlock.")
    assert told(replace(groups, may_choose=None)).endswith("can deadlock even if none choose.")
    *_, load = adaptive_gains.gains_in_words(
        replace(gives(choosing, 1.0), groups=some), gives(static, 0.4)
    )
    assert "ar_sl_mask 0x0004 in" in load


def test_groups_that_close_a_cycle_gain_nothing(static: Judgement) -> None:
    ring = weft.generate("ring", switches=5, hosts_per_switch=1)
    updn = weft.judge_groups(ring, weft.route(ring, "ar_updn:root=0"))
    assert updn.may_choose == list(range(16))
    stuck = judge(ring, weft.route(ring, "ar_updn:root=0"), count=5)
    assert stuck.findings is not None
    cycle = judge(ring, weft.route(ring, "minimal"), count=5).findings
    assert cycle is not None
    stuck = replace(stuck, findings=cycle, groups=replace(updn, may_choose=[]))
    assert adaptive_gains.gains_in_words(stuck, static) == [
        "No service level may be adaptive: packets that choose can deadlock."
    ]


def test_an_audit_has_the_best_static_tables_and_a_matrix_beside_groups(tmp_path: Path) -> None:
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("0,4,1\n1,5,1\n2,6,1\n3,7,1\n")
    tree = tmp_path / "tree.json"
    weft.write_fabric(weft.generate("xgft", m=[4, 4], w=[1, 2]), tree)
    page = tmp_path / "audit.html"
    given = ("audit", tree, "ar_updn", "--against", "min_hop", "--count", "20", "--matrix", matrix)
    document = done(*given, "--report", page, "--json").document
    assert [one["routing"] for one in document["alternatives"]] == ["min_hop", "best:lanes=1"]
    # Four hosts of a leaf send by two links up, evenly if switches choose.
    assert document["today"]["matrix_share"] == 0.5
    assert document["alternatives"][0]["matrix_share"] <= 0.5
    assert document["adaptive"][0].startswith("Service levels 0–15 may be adaptive")
    text = unescape(re.sub(r"<[^>]*>", "", page.read_text()))
    assert document["adaptive"][1] in text
    assert "Matrix" in text
    shown = done(*given).stdout
    assert "matrix\n" in shown or "matrix " in shown
    assert document["adaptive"][-1] in shown
    bare = done("audit", tree, "min_hop", "--no-others", "--count", "5", "--json").document
    assert (bare["adaptive"], bare["today"]["matrix_share"]) == ([], None)


def test_advice_has_groups_beside_static_tables_and_todays(tmp_path: Path) -> None:
    tree = tmp_path / "tree.json"
    weft.write_fabric(weft.generate("xgft", m=[4, 4], w=[1, 2]), tree)
    page = tmp_path / "advice.html"
    document = done(
        *("advise", tree, "--lanes", "1", "--routing", "ar_updn"),
        *("--today", "updn", "--count", "20", "--simulate", "3", "--report", page, "--json"),
    ).document
    compared = [one["routing"] for one in document["beside_static"]]
    assert compared == ["updn", "ar_updn", "best:lanes=1"]
    assert document["today"]["routing"] == "updn"
    ranked = {one["routing"]: one for one in document["ranked"]}
    assert set(ranked) == {"ar_updn", "best:lanes=1"}
    simulated = ranked["ar_updn"]["cases"][0]["simulated"]
    assert simulated["out_of_order_share"] > 0
    assert ranked["best:lanes=1"]["cases"][0]["simulated"]["out_of_order_share"] is None
    told = document["adaptive"]
    assert told[0].startswith("Service levels 0–15 may be adaptive")
    assert "best:lanes=1, the best static tables on as many lanes" in told[1]
    assert "those of today" in told[2]
    assert told[3].startswith("By a hash of 1 flow a pair: ")
    assert told[4].startswith("Simulated, ar_updn carries ")
    assert all(line in document["reasons"] for line in told)
    text = unescape(re.sub(r"<[^>]*>", "", page.read_text()))
    assert "Groups of ports beside static tables" in text
    assert told[1] in text


def test_advice_where_switches_can_choose_compares_groups(tree: weft.Fabric) -> None:
    found = weft.advise(tree, 1, adaptive=True, routings=["min_hop"], count=10, simulate=0)
    named = {one.routing for one in [*found.ranked, *found.others]}
    assert named == {"min_hop", "ar_updn", "ar_ftree", "adaptive:of=best:lanes=1", "best:lanes=1"}
    assert not weft.advise(tree, 1, routings=["min_hop"], count=10, simulate=0).adaptive


def test_a_comparison_has_groups_beside_static_tables(tmp_path: Path) -> None:
    tree = tmp_path / "tree.json"
    weft.write_fabric(weft.generate("xgft", m=[2, 2], w=[1, 2]), tree)
    document = done(
        *("compare", tree, "--routing", "ar_updn", "--routing", "best:lanes=1"),
        *("--hardware", "infiniband_ndr", "--loads", "0.3"),
        *("--max-packets", "2000", "-o", tmp_path / "out", "--json"),
    ).document
    assert [one["routing"] for one in document["beside_static"]] == ["ar_updn", "best:lanes=1"]
    told = document["adaptive"]
    assert told[0].startswith("Service levels 0–15 may be adaptive")
    assert any(line.startswith("Simulated, ar_updn carries ") for line in told)
    assert told[-1].startswith("Load ")
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    section = unescape(page[page.index('<section id="groups"') :].partition("</section>")[0])
    assert all(line in section for line in told)
    assert 'href="#groups"' in page
    assert len(re.findall('<th scope="row">', section)) == 2
