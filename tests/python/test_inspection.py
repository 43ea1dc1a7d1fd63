"""What `weft fabric show` tells of a network, in Python and on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from command import done, refused
from command import weft as command

import weft

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


def test_suspicions_name_switches_and_ports(tree: Fabric) -> None:
    suspicions = weft.inspect_fabric(tree).suspicions
    assert [entry.text for entry in suspicions] == [
        "sw3 has 5 links to switches, 12 of 14 like it have 6; dark there: port 19",
        "sw5 has 5 links to switches, 12 of 14 like it have 6; dark there: port 21",
        "sw14 has 13 links to switches, 4 of 6 like it have 14; dark there: port 4",
        "sw16 has 13 links to switches, 4 of 6 like it have 14; dark there: port 6",
        "sw3 has 0 links to sw14, most like it have 1; dark there: sw3 port 19, sw14 port 4",
        "sw5 has 0 links to sw16, most like it have 1; dark there: sw5 port 21, sw16 port 6",
    ]
    missing = suspicions[-1]
    assert (missing.kind, missing.nodes) == ("missing_links", ["sw5", "sw16"])
    assert (missing.ports, missing.found, missing.expected) == ([[21], [6]], 0, 1)


def test_every_kind_of_suspicion_is_a_sentence() -> None:
    def text(kind: str, nodes: list[str], ports: list[list[int]], **more: int | str) -> str:
        return weft.Suspicion(kind, nodes, ports, **more).text  # type: ignore[arg-type]

    assert text("slow_link", ["a", "b"], [[1], [2]], found="1xEDR", expected="4xEDR") == (
        "a[1] – b[2] runs at 1xEDR, others like it at 4xEDR"
    )
    assert text("self_link", ["a", "a"], [[8], [9]]) == "a[8] – a[9] leads back to the same switch"
    assert text("isolated_part", ["a"], [[]], hosts=1) == (
        "1 switch with 1 host cannot reach the rest: a"
    )
    many = [f"s{number}" for number in range(10)]
    assert text("isolated_part", many, [[]] * 10, hosts=0) == (
        "10 switches with 0 hosts cannot reach the rest: s0, s1, s2, s3, s4, s5, s6, s7 … 2 more"
    )
    assert text("fewer_links", ["a"], [[]], found=1, expected=2, agreeing=3, peers=4) == (
        "a has 1 link to switches, 3 of 4 like it have 2"
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
    assert "host pairs     6.8% on one switch; by links between their switches 2: 93.2%\n" in text
    assert "(local search)" in text
    assert "by links" in text
    assert "3.07 : 1  sw3, 3.60 : 1" in text
    assert text.count("suspect: ") == 6
    assert "suspect: sw5 has 5 links to switches, 12 of 14 like it have 6; dark" in text


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
    assert "0.0% on one switch; by links between their switches 1: 5.1%, 2: 5.1%, 3" in text
    assert f"8: 5.1%, more: {23 / 39:.1%}\n" in text
    weft.write_fabric(weft.mesh(1, 1, 1), path)
    assert "host pairs     –\n" in command("fabric", "show", path).stdout


def test_show_as_json_holds_all_of_it(tree: Fabric, tree_file: Path) -> None:
    document = command("fabric", "show", tree_file, "--json").document
    found = weft.inspect_fabric(tree)
    inspection = document["inspection"]
    assert inspection["bisection"]["at_most_links"] == found.bisection.at_most_links
    assert inspection["levels"][0]["oversubscription"] == found.levels[0].oversubscription
    assert [entry["nodes"] for entry in inspection["suspicions"]] == [
        entry.nodes for entry in found.suspicions
    ]
    assert document["figures"]["diameter_links"] == weft.fabric_figures(tree).diameter_links


def test_show_lists_twenty_suspicions_and_counts_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "damaged.json"
    whole = weft.generate("k_ary_n_tree", k=8, n=3)
    weft.write_fabric(weft.degrade(whole, links="1%").fabric, path)
    text = command("fabric", "show", path).stdout
    count = len(command("fabric", "show", path, "--json").document["inspection"]["suspicions"])
    assert count > 20
    assert f"suspect: {count - 20} more, see --json" in text


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
