"""Routes as files for OpenSM: what is refused, what is said, what comes back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from command import weft as run

import weft

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def torus(tmp_path: Path) -> Path:
    """Return a 6×6 torus as a discovery would give it."""
    path = tmp_path / "torus.ibnetdiscover"
    weft.write_fabric(weft.torus(6, 6), path)
    return path


def test_what_is_not_proved_is_refused_unless_told(torus: Path, tmp_path: Path) -> None:
    refused = run("export", "opensm", torus, "minimal", "-o", tmp_path / "out")
    assert refused.code == 1
    assert "minimal is not exported, as it is not proved: not deadlock-free" in refused.stderr
    assert "give --unproved" in refused.stderr
    assert not (tmp_path / "out").exists()
    told = run("export", "opensm", torus, "minimal", "-o", tmp_path / "out", "--unproved")
    assert told.code == 0
    assert "**Not proved**" in (tmp_path / "out/README.md").read_text()


def test_service_levels_come_back_from_the_folder(torus: Path, tmp_path: Path) -> None:
    ended = run("export", "opensm", torus, "lash:lanes=8", "-o", tmp_path / "out", "--json")
    document = json.loads(ended.stdout)
    assert document["lane_count"] > 1
    assert document["policy_rules"] > 0
    fabric = weft.read_fabric(torus).fabric
    # LIDs are made for a fabric without any: the list that is written knows them.
    listed = weft.read_fabric(tmp_path / "out/subnet.lst").fabric
    read = weft.read_routes(listed, tmp_path / "out")
    assert read.notes == []
    assert read.routing.lane_count == document["lane_count"]
    assert weft.prove(listed, read.routing).deadlock_free
    own = weft.route(fabric, "lash:lanes=8")
    for source in range(fabric.host_count):
        for destination in set(range(fabric.host_count)) - {source}:
            names = own.route_names(source, destination)
            assert read.routing.route_names(source, destination) == names
    alone = weft.read_routes(listed, tmp_path / "out/weft.lfts").routing
    assert alone.lane_count == 1
    assert not weft.prove(listed, alone).deadlock_free


def test_what_opensm_cannot_hold_says_what_could(torus: Path, tmp_path: Path) -> None:
    ended = run("export", "opensm", torus, "ud_itb", "-o", tmp_path / "out")
    assert ended.code == 2
    assert "stops in transit at host" in ended.stderr
    assert "as on Myrinet" in ended.stderr
    assert not (tmp_path / "out").exists()


def test_a_folder_without_tables_is_no_folder_of_dumps(torus: Path, tmp_path: Path) -> None:
    ended = run("prove", torus, f"{tmp_path}/")
    assert ended.code == 2
    assert "found no tables in this folder; expected one of opensm-lfts.dump" in ended.stderr


def test_the_readme_says_how_to_load_verify_and_go_back(torus: Path, tmp_path: Path) -> None:
    run("export", "opensm", torus, "multi_tree:selection=first", "-o", tmp_path / "out")
    text = (tmp_path / "out/README.md").read_text()
    for heading in ("## Load", "## Verify", "## Go back", "## Mind"):
        assert heading in text
    assert "ibdmchk -l 1 -s subnet.lst -f routes.fdbs -m empty.mcfdbs -c path-sl.txt" in text
    assert f"weft audit {torus} now.lfts --service-levels paths.csv" in text
    assert "`paths.csv`" in text
    conf = (tmp_path / "out/opensm.conf").read_text()
    assert f"lfts_file {tmp_path.resolve()}/out/weft.lfts" in conf
    assert "lmc 1" in conf
