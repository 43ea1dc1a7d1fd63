"""A cluster's routing judged: by hand on small networks, and as the command shows it."""

from __future__ import annotations

import json
from html import unescape
from typing import TYPE_CHECKING

import pytest
from addresses import names_an_address
from command import done, refused
from command import weft as run

import weft
from weft.report import render_audit

if TYPE_CHECKING:
    from pathlib import Path


def pair_of_switches(tmp_path: Path) -> tuple[Path, Path]:
    """Write two switches of two hosts each, joined by one cable, and their tables as a dump."""
    fabric = tmp_path / "pair.ibnetdiscover"
    weft.write_fabric(weft.mesh(2, 1, hosts_per_switch=2), fabric)
    read = weft.read_fabric(fabric).fabric
    weft.export_opensm(read, weft.route(read, "down_preferred"), tmp_path / "dumps")
    return fabric, tmp_path / "dumps"


def test_figures_are_those_worked_out_by_hand() -> None:
    fabric = weft.mesh(2, 1, hosts_per_switch=2)
    found = weft.audit(fabric, weft.route(fabric, "updown"), alternatives=[], count=50)
    today = found.today
    assert today is not None
    assert today.is_sound
    # Each of two hosts sends to both beyond the cable: four routes one way, of three per host.
    assert (today.max_routes, today.mean_routes) == (4, 4.0)
    assert today.uniform_share == pytest.approx(3 / 4)
    assert [hot.routes for hot in today.hottest or []] == [4, 4]
    # By shifts of 1 and 3 one pair crosses the cable each way, by 2 two share it.
    assert today.shifts is not None
    assert today.shifts.rounds == 3
    assert today.shifts.mean == pytest.approx((1 + 0.5 + 1) / 3)
    assert (today.shifts.least_mean, today.shifts.least) == (0.5, 0.5)
    # Two pairs send: they share the cable if they cross it the same way.
    assert today.bisection is not None
    assert today.bisection.rounds == 50
    assert today.bisection.least == 0.5


def _with_a_slow_host(fabric: weft.Fabric, path: Path) -> weft.Fabric:
    """The same fabric with links of 100 Gbit/s, but for that of the first host, of 50."""
    weft.write_fabric(fabric, path)
    document = json.loads(path.read_text())
    for link in document["links"]:
        is_slow = any(end[0] == "host0" for end in link["ends"])
        link["rate"] = "50 Gbit/s" if is_slow else "100 Gbit/s"
    path.write_text(json.dumps(document))
    return weft.read_fabric(path).fabric


def test_a_slow_host_is_told_beside_what_routes_leave(tmp_path: Path) -> None:
    """Of 32 hosts one takes half: at the mean of 98.4375, it takes 50 / 98.4375 of all to all."""
    path = tmp_path / "slow.json"
    fabric = _with_a_slow_host(weft.torus(4, 4, hosts_per_switch=2), path)
    others = ["best:lanes=1,starts=1"]
    found = weft.audit(fabric, weft.route(fabric, "updown:root=0"), alternatives=others, count=2)
    assert found.today is not None
    [best] = found.alternatives
    for judged in (found.today, best):
        assert judged.share_without_slow_hosts is not None
        routes_leave = 31 / judged.max_routes * 100 / 98.4375  # type: ignore[operator]
        assert judged.share_without_slow_hosts == pytest.approx(min(1, routes_leave))
    held = 50 / 98.4375
    # Routes of today leave less than that, those of the other more.
    assert (found.today.share_without_slow_hosts or 1) < held == pytest.approx(best.uniform_share)
    assert found.today.slow_hosts_note is None
    could = f"{100 * (best.share_without_slow_hosts or 0):.1f} %"
    assert best.slow_hosts_note == (
        "all to all alike is held to 50.8 % by 1 host with a link of 50 Gbit/s, where the mean is"
        f" 98.44 (host0); else it would be {could}"
    )
    assert f"would give 50.8 % ({could} but for slow hosts) on no more lanes" in found.verdict
    told = f"{others[0]}: {best.slow_hosts_note}"
    assert told in done("audit", path, "--against", others[0]).stdout
    options = ["--routing", others[0], "--routing", "updown", "--count", 2, "--simulate", 0]
    assert told in done("advise", path, "--lanes", 1, *options).stdout
    compared = done(
        "compare", path, "--routing", "updown", "--loads", 0.05, "--out", tmp_path / "c"
    )
    assert (
        "slow ends: all to all alike, no routing carries more than 50.8 %, for 1" in compared.stdout
    )


def test_the_verdict_says_what_another_routing_would_give() -> None:
    fabric = weft.torus(4, 4, hosts_per_switch=2)
    today = weft.route(fabric, "updown:root=0")
    found = weft.audit(fabric, today, alternatives=["best:lanes=1", "best:lanes=4"], count=2)
    assert found.today is not None
    [alone, _] = found.alternatives
    now, then = (judged.uniform_share or 0 for judged in (found.today, alone))
    assert then > 1.03 * now
    given, better = (f"{100 * share:.1f} %" for share in (now, then))
    assert found.verdict == (
        "Under the routing in use all pairs of hosts are reached, and no packets can deadlock. With"
        f" it every host can send {given} of its rate, all to all; best:lanes=1 would give"
        f" {better} on no more lanes, free of deadlock."
    )
    assert found.verdict.startswith(found.safety)
    assert found.safety in render_audit(found)
    assert "weft route FABRIC best:lanes=" in render_audit(found)
    page = render_audit(found, given="'my net.json'")
    assert "weft route 'my net.json' best:lanes=" in unescape(page)
    same = weft.audit(fabric, weft.route(fabric, "best:lanes=1"), alternatives=["updown"], count=2)
    assert same.verdict.endswith("none of those compared on as many lanes gives more.")


def test_rates_count_where_they_are_known(tmp_path: Path) -> None:
    text = weft.mesh(2, 1, hosts_per_switch=2)
    path = tmp_path / "rated.json"
    weft.write_fabric(text, path)
    document = json.loads(path.read_text())
    names = set(text.switch_names)
    for link in document["links"]:
        is_trunk = {end[0] for end in link["ends"]} <= names
        link["rate"] = "4xHDR" if is_trunk else "4xEDR"
    path.write_text(json.dumps(document))
    fabric = weft.read_fabric(path).fabric
    found = weft.audit(fabric, weft.route(fabric, "updown"), alternatives=[], count=1)
    assert found.today is not None
    # Twice the rate between the switches carries 3/2 of what hosts can send: all of it.
    assert found.today.uniform_share == 1.0


def test_hosts_of_a_job_are_judged_alone() -> None:
    fabric = weft.mesh(2, 1, hosts_per_switch=2)
    routing = weft.route(fabric, "updown")
    near = weft.audit(fabric, routing, alternatives=[], hosts=[0, 1], count=5)
    assert near.hosts == ["host0", "host1"]
    assert near.today is not None
    assert near.today.bisection is not None
    assert near.today.bisection.mean == 1.0


def test_what_an_algorithm_refuses_is_kept() -> None:
    fabric = weft.torus(4, 4)
    found = weft.audit(fabric, alternatives=["down_preferred:root=opensm", "lash"], count=1)
    assert found.today is None
    refused, lash = found.alternatives
    assert "no switch of fabric" in (refused.refusal or "")
    assert not refused.is_sound
    assert lash.is_sound
    assert "refused" not in (lash.refusal or "")


def test_a_folder_of_dumps_is_judged_and_shown(tmp_path: Path) -> None:
    fabric, dumps = pair_of_switches(tmp_path)
    page = tmp_path / "page.html"
    ended = done("audit", fabric, dumps, "--against", "lash", "--count", 10, "--report", page)
    assert "pairs reached       12 of 12" in ended.stdout
    assert "credit loops        none" in ended.stdout
    assert f"report  {page}" in ended.stdout
    assert "all pairs of hosts are reached, and no packets can deadlock" in page.read_text()


def test_tables_that_fail_are_named_and_end_with_1(tmp_path: Path) -> None:
    fabric, dumps = pair_of_switches(tmp_path)
    tables = dumps / "weft.lfts"
    lines = tables.read_text().splitlines()
    # The first switch loses its entry for a host of the second.
    lost = next(line for line in lines if line.startswith("0x") and line.endswith("'host2'"))
    lines.remove(lost)
    lines[lines.index("6 lids dumped")] = "5 lids dumped"
    tables.write_text("\n".join(lines) + "\n")
    ended = run("audit", fabric, tables, "--no-others", "--count", 10)
    assert ended.code == 1
    assert "pairs reached       10 of 12" in ended.stdout
    assert "not reached: host0 → host2: sw0 has no entry for host2" in ended.stdout
    document = json.loads(
        run("audit", fabric, tables, "--no-others", "--count", 10, "--json").stdout
    )
    assert document["today"]["findings"]["unreached_pairs"] == 2


def test_a_credit_loop_is_told_by_switch_and_port(tmp_path: Path) -> None:
    path = tmp_path / "torus.json"
    weft.write_fabric(weft.torus(4, 4), path)
    ended = run("audit", path, "minimal:selection=first", "--no-others", "--count", 10)
    assert ended.code == 1
    assert "credit loops        yes, the shortest of 4 channels" in ended.stdout
    loops = [line for line in ended.stdout.splitlines() if line.startswith("credit loop: ")]
    assert len(loops) == 4
    assert all(" holds sw" in line and " and wants sw" in line for line in loops)


def test_the_page_shows_refusals_and_loops_and_asks_the_network_for_nothing() -> None:
    fabric = weft.torus(4, 4)
    found = weft.audit(
        fabric,
        weft.route(fabric, "minimal"),
        alternatives=["down_preferred:root=opensm"],
        count=5,
    )
    page = render_audit(found)
    assert "packets can deadlock" in page
    assert "The shortest credit loop" in page
    assert "no switch of fabric" in page
    assert not names_an_address(page)
    assert page == render_audit(found)


def test_hosts_come_from_a_file_too(tmp_path: Path) -> None:
    fabric, dumps = pair_of_switches(tmp_path)
    job = tmp_path / "job.txt"
    job.write_text("host0\nhost1\n")
    ended = run("audit", fabric, dumps, "--no-others", "--hosts", job, "--json")
    assert json.loads(ended.stdout)["hosts"] == ["host0", "host1"]
    refused("has no host host9", "audit", fabric, dumps, "--no-others", "--hosts", "host9")
