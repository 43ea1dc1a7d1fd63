"""What `weft fabric show` tells of a network, in Python and on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from command import done, refused
from command import weft as command

import weft
from weft import _core
from weft.cli import show

if TYPE_CHECKING:
    from pathlib import Path

    from weft.fabric import Fabric


@pytest.fixture(scope="module")
def tree() -> Fabric:
    """Return a tree of 14 leaves and 6 spines, of which two cables are missing."""
    whole = weft.generate("xgft", m=[18, 14], w=[1, 6])
    return weft.degrade(whole, links=["sw3:19", "sw5:21"]).fabric


@pytest.fixture(scope="module")
def tree_file(tree: Fabric, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tree") / "tree.json"
    weft.write_fabric(tree, path)
    return path


def test_a_damaged_tree_is_inspected_whole(tree: Fabric) -> None:
    found = weft.inspect_fabric(tree)
    assert [level.switches for level in found.levels] == [14, 6]
    leaves = found.levels[0]
    assert (leaves.hosts, leaves.up_links, leaves.up_gbit_per_s) == (252, 82, None)
    assert leaves.oversubscription == pytest.approx(252 / 82)
    assert leaves.narrowest_switch == "sw3"
    assert leaves.narrowest_oversubscription == pytest.approx(18 / 5)
    # Pairs of hosts on one leaf; two links apart; four, where two leaves share no spine.
    assert found.host_pairs_by_distance == [14 * 18 * 17, 0, 14 * 13 * 18 * 18]
    assert sum(found.switch_pairs_by_distance) == 20 * 20
    assert [(use.wired, use.switches) for use in found.port_use] == [
        (13, 2),
        (14, 4),
        (23, 2),
        (24, 12),
    ]
    assert 40 <= found.bisection.at_most_links <= 42
    assert found.bisection.sizes == (126, 126)


def test_suspicions_name_cables_once_with_both_ports(tree: Fabric) -> None:
    suspicions = weft.inspect_fabric(tree).suspicions
    assert [entry.text for entry in suspicions] == [
        "a cable is missing: sw3[19] – sw14[4]",
        "a cable is missing: sw5[21] – sw16[6]",
    ]
    missing = suspicions[-1]
    assert missing.kind == "missing_cable"
    assert missing.cables == [(weft.CableEnd("sw5", [21]), weft.CableEnd("sw16", [6]))]


def _cable(one: str, port: int, other: str, other_port: int) -> tuple[weft.CableEnd, weft.CableEnd]:
    return weft.CableEnd(one, [port]), weft.CableEnd(other, [other_port])


def test_every_kind_of_suspicion_is_a_sentence() -> None:
    def text(kind: str, **more: object) -> str:
        return weft.Suspicion(kind, **more).text  # type: ignore[arg-type]

    one = [_cable("a", 1, "b", 2)]
    rates = {"found": "1xEDR", "expected": "4xEDR"}
    assert text("slow_links", cables=one, **rates) == (
        "1 link runs at 1xEDR, others like it at 4xEDR: a[1] – b[2]"
    )
    many = [_cable("a", port, f"b{port}", 2) for port in (1, 2, 3, 5)] + [_cable("c", 1, "d", 4)]
    assert text("slow_links", cables=many, **rates) == (
        "5 links run at 1xEDR, others like them at 4xEDR: a[1–3, 5], c[1] – d[4]"
    )
    assert text("one_way", cables=one) == (
        "1 link is listed at one end only, and may work one way: a[1] – b[2]"
    )
    assert text("self_links", cables=[_cable("a", 8, "a", 9)]) == (
        "1 link leads back to the same switch: a[8] – a[9]"
    )
    either = (weft.CableEnd("a", [3, 4]), weft.CableEnd("b", [7]))
    assert text("missing_cable", cables=[either]) == "a cable is missing: a[3 or 4] – b[7]"
    many_ports = (weft.CableEnd("a", [3, 4, 5, 6, 9]), weft.CableEnd("b", [7]))
    assert text("missing_cable", cables=[many_ports]) == (
        "a cable is missing: a[one of 3–6, 9] – b[7]"
    )
    among = ([weft.CableEnd("a", [3]), weft.CableEnd("b", [4, 5])], [weft.CableEnd("c", [6])])
    assert text("missing_among", among=among, count=1) == (
        "a cable is missing between a[3] or b[4 or 5] and c[6]"
    )
    assert text("missing_among", among=among, count=2).startswith("2 cables are missing between a[")
    for count, cables in [(1, "one cable is"), (2, "2 cables are")]:
        least = text("missing_among", among=among, count=count, is_least=True)
        assert least.startswith(f"at least {cables} missing between a[")
    swapped = [_cable("a", 1, "s", 2), _cable("b", 1, "s", 1)]
    belong = [_cable("a", 1, "s", 1), _cable("b", 1, "s", 2)]
    assert text("swapped_cables", cables=swapped, belong=belong) == (
        "two cables are swapped: a[1] – s[2] and b[1] – s[1]; exchange the plugs in s[1] and s[2]"
    )
    # Where others between the same groups may be meant, their plugs stand beside.
    swapped = [_cable("a1", 9, "d1", 9), _cable("c1", 9, "b1", 8)]
    belong = [_cable("a1", 9, "b1", 8), _cable("c1", 9, "d1", 9)]
    instead = [[_cable("a2", 8, "d2", 7)], [_cable("c2", 7, "b2", 7)]]
    assert text("swapped_cables", cables=swapped, belong=belong, instead=instead) == (
        "two cables are swapped: a1[9] – d1[9] (or a2[8] – d2[7]) and c1[9] – b1[8] (or c2[7] – "
        "b2[7]); exchange the plugs in a1[9] (or a2[8]) and c1[9] (or c2[7])"
    )
    belong = [_cable("b1", 8, "a1", 9), _cable("d1", 9, "c1", 9)]
    swapped = [_cable("b1", 8, "c1", 9), _cable("d1", 9, "a1", 9)]
    instead = [[_cable("b2", 7, "c2", 7)], []]
    assert text("swapped_cables", cables=swapped, belong=belong, instead=instead).endswith(
        "; exchange the plugs in b1[8] (or b2[7]) and d1[9]"
    )
    assert text("isolated_part", nodes=["a"], hosts=1) == (
        "1 switch with 1 host cannot reach the rest: a"
    )
    names = [f"s{number}" for number in range(10)]
    assert text("isolated_part", nodes=names, hosts=0) == (
        "10 switches with 0 hosts cannot reach the rest: s0, s1, s2, s3, s4, s5, s6, s7 … 2 more"
    )
    assert text("no_lid", nodes=["a"]) == "1 node has no valid LID: a"
    assert text("shared_lids", nodes=["a", "b"]) == "2 nodes share LIDs: a, b"
    assert text("shared_guids", nodes=["a", "b"]) == "2 nodes share GUIDs: a, b"
    assert text("disputed", cables=[_cable("a", 1, "s", 2)]) == (
        "1 link has a port of which the file lists another cable too: a[1] – s[2]"
    )
    assert text("disputed", cables=[_cable("a", 1, "s", 2), _cable("b", 1, "s", 3)]).startswith(
        "2 links each have a port of which the file lists another cable too: a[1] – s[2]"
    )
    assert text(
        "asymmetry",
        nodes=["a", "b"],
        ports=[[], [4]],
        found=[1, 2],
        expected=3,
        agreeing=5,
        peers=7,
    ) == ("2 switches have fewer links to switches than the 3 that 5 of 7 have: a 1, b 2 (dark: 4)")
    assert text("idle_ports", nodes=["a"], ports=[[4]]) == (
        "1 port is dark where switches like theirs have a link: a[4]"
    )


def test_levels_are_those_of_the_drawing() -> None:
    tree = weft.generate("k_ary_n_tree", k=2, n=3)
    assert weft.fabric.fabric_levels(tree).tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert weft.fabric.fabric_levels(weft.torus(3, 3)).tolist() == [-1] * 9


def test_a_tree_of_ten_thousand_switches_is_measured_exactly() -> None:
    tree = weft.generate("xgft", m=[45, 45, 90], w=[1, 45, 45])
    assert (tree.switch_count, tree.host_count) == (10_125, 182_250)
    found = weft.inspect_fabric(tree)
    hosts, leaf, pod = 182_250, 45, 45 * 45
    assert found.host_pairs_by_distance == [
        hosts * (leaf - 1), 0, hosts * (pod - leaf), 0, hosts * (hosts - pod),
    ]  # fmt: skip
    assert found.bisection.at_most_links == hosts // 2
    assert found.bisection.at_least_links is None
    assert [level.oversubscription for level in found.levels] == [1.0, 1.0, None]
    assert found.suspicions == []


def test_show_tells_levels_and_suspicions(tree_file: Path) -> None:
    text = command("fabric", "show", tree_file).stdout
    assert "wired ports    24 of 24 on 12, 14 of 24 on 4" in text
    assert "host pairs     6.8 % on one switch; by links between their switches 2: 93.2 %\n" in text
    assert "(local search)" in text
    assert "by links" in text
    assert "3.07 : 1  sw3, 3.60 : 1" in text
    assert text.count("suspect: ") == 3
    assert (
        "suspect: 2 cables are missing:\nsuspect:   a cable is missing: sw3[19] – sw14[4]" in text
    )


def test_show_tells_of_other_fabrics_what_half_of_the_hosts_can_inject(tmp_path: Path) -> None:
    path = tmp_path / "torus.json"
    weft.write_fabric(weft.torus(4, 4, hosts_per_switch=4), path)
    text = command("fabric", "show", path).stdout
    assert "bisection       8 links (local search and even flow agree)" in text
    assert "oversubscribed  4.00 : 1, half of the hosts over the bisection, by links" in text
    assert "suspect         nothing" in text


def test_show_sums_up_what_is_far(tmp_path: Path) -> None:
    path = tmp_path / "ring.json"
    weft.write_fabric(weft.generate("ring", switches=40, hosts_per_switch=1), path)
    text = command("fabric", "show", path).stdout
    # Of 39 other hosts two lie at every distance up to 19, and one at 20.
    assert "0.0 % on one switch; by links between their switches 1: 5.1 %, 2: 5.1 %, 3" in text
    assert f"8: 5.1 %, more: {100 * 23 / 39:.1f} %\n" in text
    weft.write_fabric(weft.mesh(1, 1, 1), path)
    assert "host pairs     –\n" in command("fabric", "show", path).stdout


def test_one_is_no_plural_and_large_rates_are_whole_numbers(tmp_path: Path) -> None:
    path = tmp_path / "pair.json"
    weft.write_fabric(weft.mesh(1, 2, 1), path)
    told = command("route", path, "updown").stdout
    assert "; diameter 1 link, mean distance 1.00 links\n" in told
    written = [show.rate_text(rate) for rate in (100.0, 2666.6667, 1_526_400.0)]
    assert written == ["100", "2666.67", "1526400"]


def test_show_as_json_holds_all_of_it(tree: Fabric, tree_file: Path) -> None:
    document = command("fabric", "show", tree_file, "--json").document
    found = weft.inspect_fabric(tree)
    inspection = document["inspection"]
    assert inspection["bisection"]["at_most_links"] == found.bisection.at_most_links
    assert inspection["levels"][0]["oversubscription"] == found.levels[0].oversubscription
    assert len(inspection["suspicions"]) == len(found.suspicions)
    assert inspection["suspicions"][0]["cables"] == [
        [{"node": "sw3", "ports": [19]}, {"node": "sw14", "ports": [4]}]
    ]
    assert document["figures"]["diameter_links"] == weft.fabric_figures(tree).diameter_links


def test_no_kind_of_suspicion_hides_another(tmp_path: Path) -> None:
    path = tmp_path / "damaged.json"
    whole = weft.generate("k_ary_n_tree", k=8, n=3)
    links = [f"sw{leaf}:9" for leaf in range(0, 64, 2)]
    weft.write_fabric(weft.degrade(whole, links=[*links, "sw3:10"]).fabric, path)
    document = json.loads(path.read_text())
    for number, link in enumerate(document["links"]):
        link["rate"] = "4xFDR" if number % 16 == 15 else "4xEDR"
    path.write_text(json.dumps(document))
    text = command("fabric", "show", path).stdout
    found = command("fabric", "show", path, "--json").document["inspection"]["suspicions"]
    missing = [entry for entry in found if entry["kind"] == "missing_cable"]
    assert len(missing) > 30
    assert text.count("suspect:   a cable is missing: ") == len(missing)
    assert text.count("links run at 4xFDR, others like them at 4xEDR") == 3
    assert text.index("4xFDR, others") < text.index("cables are missing")
    kinds = [entry["kind"] for entry in found]
    assert kinds == sorted(kinds, key=["slow_links", "missing_cable", "asymmetry"].index)


def test_show_draws_the_network(tree_file: Path, tmp_path: Path) -> None:
    svg, png = tmp_path / "drawn" / "tree.svg", tmp_path / "tree.PNG"
    ended = done("fabric", "show", tree_file, "--draw", svg)
    assert f"drawn in {svg}" in ended.stdout
    picture = svg.read_text()
    assert picture.startswith("<svg")
    assert "20 switches, 252 hosts" in picture
    assert ">sw19<" in picture
    assert command("fabric", "show", tree_file, "--draw", png, "--json").document["drawing"]
    assert png.read_bytes().startswith(b"\x89PNG")


def test_a_picture_of_another_kind_is_refused(tree_file: Path, tmp_path: Path) -> None:
    message = "found picture 'tree.gif', expected a name that ends in .svg, .png or .pdf"
    refused(message, "fabric", "show", tree_file, "--draw", tmp_path / "tree.gif")
    assert list(tmp_path.iterdir()) == []


def test_what_contradicts_the_levels_is_listed() -> None:
    # Two ends more on a spine, and a cable between two leaves: too few to change the levels.
    tree = weft.generate("xgft", m=[8, 14], w=[1, 6])
    assert weft.inspect_fabric(tree).against_levels == []
    document = json.loads(_core.fabric_text(tree, "json"))
    for switch in document["switches"]:
        switch["ports"] = 32
    for number in (1, 2):
        document["hosts"].append({"name": f"odd{number}"})
        document["links"].append({"ends": [[f"odd{number}", 1], ["sw15", 20 + number]]})
    document["links"].append({"ends": [["sw2", 30], ["sw5", 31]]})
    odd, *_ = _core.read_fabric(json.dumps(document).encode(), "odd")
    found = weft.inspect_fabric(odd)
    assert [level.switches for level in found.levels] == [14, 6]
    assert found.against_levels == [
        "sw15, on level 1, has 2 compute ends",
        "sw2[30] – sw5[31] joins two switches of level 0",
    ]


def test_groups_and_planes_are_told(tmp_path: Path) -> None:
    plus = weft.generate("dragonfly_plus", groups=4, leaves=2, spines=2, hosts=1, links=3)
    structure = weft.inspect_fabric(plus).structure
    assert structure is not None
    assert structure.text == (
        "dragonfly+: 4 groups of 2 leaves and 2 spines; 3 links join every two groups"
    )
    assert structure.groups[1] == ["sw4", "sw5", "sw6", "sw7"]
    damaged = weft.degrade(plus, links=["sw2:3", "sw3:3", "sw2:4"]).fabric
    told = weft.fabric.fabric_structure(damaged)
    assert told is not None
    assert told.text.endswith("and 2 spines; 3 links join 5 of 6 pairs of groups")
    fly = weft.degrade(weft.generate("polar_fly", q=7), links="sw3:5").fabric
    told = weft.inspect_fabric(fly).structure
    assert told is not None
    assert told.text == "PolarFly of order 7: 57 switches of 7 or 8 links, 1 link missing"
    assert weft.inspect_fabric(weft.generate("slim_fly", q=5)).structure is None
    planes = weft.generate("rail_tree", units=2, computers=2, rails=2, planes=2, spines=2, links=1)
    path = tmp_path / "planes.json"
    weft.write_fabric(planes, path)
    shown = done("fabric", "show", path).stdout
    assert "planes     2, with 2 ends of each computer in every one" in shown
    assert done("fabric", "show", path, "--json").document["ends_in_each"] == 2
    assert weft.fabric.ends_in_each(plus, weft.subnets(plus)) is None
