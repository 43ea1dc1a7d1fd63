"""What is compared, and on which hardware, when nothing is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import done

import weft
from weft.spec.study import DEFAULT_ROUTINGS, default_routings

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def preset_of(results: weft.Results) -> str:
    """Return the preset the hardware started from."""
    entries = results.manifest["hardware"]
    return next(str(entry["value"]) for entry in entries if entry["name"] == "preset")


def test_an_infiniband_fabric_is_compared_on_hardware_of_its_rates(tmp_path: Path) -> None:
    fabric = weft.read_fabric(EXAMPLES / "cluster.ibnetdiscover").fabric
    path = tmp_path / "results.sqlite"
    with weft.compare(fabric, ["updown"], loads=[0.01], max_packets=4000, results=path) as found:
        assert preset_of(found) == "infiniband_edr"
    plain = tmp_path / "plain.sqlite"
    mesh = weft.mesh(2, 2)
    with weft.compare(mesh, ["updown"], loads=[0.01], max_packets=4000, results=plain) as found:
        assert preset_of(found) == "myrinet"


@pytest.mark.parametrize(
    ("preset", "lanes"), [("infiniband_hdr", 8), ("infiniband_1x", 8), ("rhinet2", 8)]
)
def test_hosts_of_hardware_with_lanes_forward_nothing(preset: str, lanes: int) -> None:
    routings = default_routings(weft.hardware(preset))
    known = {algorithm.name: algorithm for algorithm in weft.algorithms()}
    assert {"min_hop", "ftree", "down_preferred:root=tops", "best:lanes=1"} <= {*routings}
    assert {f"dfsssp:lanes={lanes}", f"best:lanes={lanes}"} <= {*routings}
    assert not any(known[routing.partition(":")[0]].needs_stops for routing in routings)
    assert any(known[routing].needs_stops for routing in DEFAULT_ROUTINGS)
    on_two = tuple(routing.replace(f"lanes={lanes}", "lanes=2") for routing in routings)
    two = weft.hardware(preset, lanes=2, control_lanes_from=0)
    assert default_routings(two) == on_two
    shared = weft.hardware(preset, lanes=4, control_lanes_from=2)
    assert default_routings(shared) == on_two
    assert default_routings(weft.hardware("myrinet")) == DEFAULT_ROUTINGS


def test_the_command_takes_the_same(tmp_path: Path) -> None:
    ended = done(
        "compare",
        EXAMPLES / "cluster.ibnetdiscover",
        *("--loads", "0.01", "--max-packets", 4000, "--no-report", "--out", tmp_path),
    )
    for routing in default_routings(weft.hardware("infiniband_edr")):
        assert f"\n{routing} " in ended.stdout
    with weft.Results.open(tmp_path) as found:
        assert preset_of(found) == "infiniband_edr"


def test_tables_of_ethernet_switches_name_the_hardware_taken_and_no_opensm(tmp_path: Path) -> None:
    path = EXAMPLES.parent / "crates/weft-fabric/tests/it/infiniband/two_leaves.lldp"
    few = ["--routing", "updown"]
    ended = done("compare", path, *few, "--loads", 0.05, "--no-report", "--out", tmp_path / "c")
    told = "the file tells no rates, so the hardware is myrinet, links of 0.16 bytes/ns; --hardware"
    assert told in ended.stderr
    advised = done("advise", path, *few, "--lanes", 1, "--count", 2, "--simulate", 0).stdout
    assert f"its tables: weft route {path} updown --tables -o tables.json" in advised
    assert "export opensm" not in advised
