"""Two fabrics compared, in Python and on the command line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from command import refused
from command import weft as command

import weft

if TYPE_CHECKING:
    from weft.fabric import Fabric

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def plan() -> Fabric:
    return weft.generate("xgft", m=[18, 14], w=[1, 6])


def _changed(plan: Fabric, folder: Path, old: str, new: str) -> Path:
    """Write the plan as JSON, in which a line is changed."""
    path = folder / "changed.json"
    weft.write_fabric(plan, path)
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    return path


def test_equal_fabrics_differ_in_nothing(plan: Fabric, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    weft.write_fabric(plan, path)
    ended = command("fabric", "diff", path, path)
    assert ended.code == 0
    assert ended.stdout == (
        "same in both: switches and hosts 272 by name; 336 cables\nnothing differs\n"
    )


def test_a_moved_cable_is_told_by_all_three_ports(plan: Fabric, tmp_path: Path) -> None:
    plan_path = tmp_path / "plan.json"
    weft.write_fabric(plan, plan_path)
    path = _changed(plan, tmp_path, '[["sw3", 19], ["sw14", 4]]', '[["sw3", 19], ["sw15", 15]]')
    ended = command("fabric", "diff", plan_path, path)
    assert ended.code == 1
    assert "moved: the cable in sw3 port 19 leads to sw15 port 15, planned to sw14 port 4" in (
        ended.stdout
    )
    document = command("fabric", "diff", plan_path, path, "--json").document
    (change,) = document["diff"]["changes"]
    assert change["kind"] == "moved"
    assert change["found"] == [
        [
            {"planned": "sw3", "found": "sw3", "port": 19},
            {"planned": "sw15", "found": "sw15", "port": 15},
        ]
    ]
    assert document["planned_wiring"] != document["found_wiring"]


@pytest.mark.parametrize("is_planned", [True, False])
def test_parts_of_switches_that_a_plan_does_not_list_are_no_difference(
    tmp_path: Path, *, is_planned: bool
) -> None:
    """A plan of UFM lists no aggregation nodes, which hang on a port inside of their switches."""
    found = weft.read_fabric(EXAMPLES / "quantum.ibnetdiscover").fabric
    parts = [name for name in found.host_names if "Aggregation" in name]
    left = tmp_path / "plan.json"
    weft.write_fabric(weft.degrade(found, hosts=parts, links="leaf1:25").fabric, left)
    files = [left, EXAMPLES / "quantum.ibnetdiscover"]
    ended = command("fabric", "diff", *(files if is_planned else reversed(files)))
    kind, article = ("added", "a") if is_planned else ("missing", "the")
    assert ended.stdout.splitlines()[1:] == [
        "not compared: 12 parts of switches, such as aggregation nodes, of which one of the files"
        " lists none",
        f"{kind}: 1",
        f"  {kind}: {article} cable from leaf1 port 25 to spine1 port 1",
    ]


def test_rates_and_nodes_are_compared(plan: Fabric, tmp_path: Path) -> None:
    ends = '[["sw3", 19], ["sw14", 4]]'
    fast = _changed(plan, tmp_path, ends, f'{ends}, "rate": "4xHDR"')
    fast = fast.rename(tmp_path / "fast.json")
    slow = _changed(plan, tmp_path, ends, f'{ends}, "rate": "2xHDR"')
    both = [weft.read_fabric(path).fabric for path in (fast, slow)]
    (change,) = weft.diff_fabrics(*both).changes
    assert change.text == (
        "slower: the cable from sw3 port 19 to sw14 port 4 runs at 2xHDR, planned 4xHDR"
    )
    assert [entry.kind for entry in weft.diff_fabrics(*reversed(both)).changes] == ["faster"]
    fewer = weft.degrade(plan, hosts="host5", switches="sw19").fabric
    changes = weft.diff_fabrics(plan, fewer).changes
    assert [entry.text for entry in changes] == [
        "missing: switch sw19, with 14 cables",
        "missing: host host5, with the cable from sw0 port 6 to host5 port 1",
    ]
    assert {entry.kind for entry in weft.diff_fabrics(fewer, plan).changes} == {
        "added_switch",
        "added_host",
    }


def test_swapped_cables_are_one_change(plan: Fabric, tmp_path: Path) -> None:
    one, other = '[["sw3", 19], ["sw14", 4]]', '[["sw5", 20], ["sw15", 6]]'
    path = tmp_path / "changed.json"
    weft.write_fabric(plan, path)
    text = path.read_text()
    text = text.replace(one, '[["sw3", 19], ["sw15", 6]]').replace(
        other, '[["sw5", 20], ["sw14", 4]]'
    )
    path.write_text(text)
    (change,) = weft.diff_fabrics(plan, weft.read_fabric(path).fabric).changes
    assert change.text == (
        "swapped: the cable from sw3 port 19 to sw15 port 6, and the one from sw5 port 20 to sw14 "
        "port 4; planned from sw3 port 19 to sw14 port 4 and sw5 port 20 to sw15 port 6"
    )
    # The pattern of the other leaves tells the same without a plan.
    (suspicion,) = weft.inspect_fabric(weft.read_fabric(path).fabric).suspicions
    assert suspicion.kind == "swapped_cables"
    assert {end.text for cable in suspicion.cables for end in cable} == {
        "sw3[19]",
        "sw15[6]",
        "sw5[20]",
        "sw14[4]",
    }


def test_the_fingerprint_of_the_wiring_knows_no_names(plan: Fabric, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    weft.write_fabric(plan, path)
    path.write_text(
        path.read_text().replace('["sw', '["leaf').replace('"name": "sw', '"name": "leaf')
    )
    other = weft.read_fabric(path).fabric
    assert other.fingerprint != plan.fingerprint
    assert other.wiring_fingerprint == plan.wiring_fingerprint
    assert weft.diff_fabrics(plan, other).changes == []
    pulled = weft.degrade(plan, links="sw3:19").fabric
    assert pulled.wiring_fingerprint != plan.wiring_fingerprint


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    refused("no such file", "fabric", "diff", tmp_path / "no.json", tmp_path / "no.json")


def test_switches_that_hardly_agree_are_told_to_be_uncertain(tmp_path: Path) -> None:
    plan, other = tmp_path / "plan.json", tmp_path / "other.json"
    weft.write_fabric(weft.irregular(16, seed=1), plan)
    weft.write_fabric(weft.irregular(16, seed=2), other)
    other.write_text(re.sub(r'"(sw|host)(\d)', r'"other-\1\2', other.read_text()))
    ended = command("fabric", "diff", plan, other)
    assert ended.code == 1
    difference = command("fabric", "diff", plan, other, "--json").document["diff"]
    assert difference["matched_by_shape"] > 0
    assert difference["uncertain"]
    line = next(line for line in ended.stdout.splitlines() if line.startswith("uncertain, as"))
    assert line.split(": ")[1].startswith(difference["uncertain"][0])
