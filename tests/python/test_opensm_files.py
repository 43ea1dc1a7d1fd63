"""Routes as files for OpenSM: what is refused, what is said, what comes back."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from command import done, refused
from command import weft as run
from watched import discovered, entries_of

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
    done("export", "opensm", torus, "minimal", "-o", tmp_path / "out", "--unproved")
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


@pytest.mark.parametrize(
    "routing",
    ["updown:root=0", "lash:lanes=8", "dimension_order", "multi_tree:selection=first"],
)
def test_an_audit_takes_the_folder_of_an_export_from_a_network_without_lids(
    torus: Path, tmp_path: Path, routing: str
) -> None:
    done("export", "opensm", torus, routing, "-o", tmp_path / "out")
    text = done("audit", torus, tmp_path / "out", "--no-others").stdout
    found = dict(re.findall(r"(?m)^(pairs reached|credit loops) +(.*)$", text))
    assert found == {"pairs reached": "1,260 of 1,260", "credit loops": "none"}


def test_every_lid_of_a_host_is_reached_and_counted(torus: Path, tmp_path: Path) -> None:
    made = json.loads(
        run("export", "opensm", torus, "updown:root=0", "-o", tmp_path / "out", "--json").stdout
    )
    assert made["lmc"] > 0
    assert made["lane_count"] == 1
    fabric = weft.read_fabric(torus).fabric
    # The tables alone do not say which LID a source takes: it may be any.
    read = weft.read_routes(fabric, tmp_path / "out/weft.lfts").routing
    assert weft.prove(fabric, read).deadlock_free
    assert read.most_addresses == 2 ** made["lmc"]
    chosen = weft.read_routes(fabric, tmp_path / "out").routing
    planned = weft.load_figures(fabric, weft.route(fabric, "updown:root=0"))
    same = weft.load_figures(fabric, chosen).routes_per_channel == planned.routes_per_channel
    assert same.all()
    spread = weft.load_figures(fabric, read).routes_per_channel
    assert (spread != planned.routes_per_channel).any()


def _links(discovery: str) -> dict[tuple[str, int], str]:
    """By adapter or switch and port of a discovery: the adapter or switch that a cable leads to."""
    here, links = "", {}
    for line in discovery.splitlines():
        if found := re.match(r'(?:Switch|Ca)\s+\d+ "([SH]-\w+)"', line):
            here = found[1]
        elif found := re.match(r'\[(\d+)\]\S*\s+"([SH]-\w+)"', line):
            links[here, int(found[1])] = found[2]
    return links


def _entries(tables: str) -> dict[str, dict[int, int]]:
    """By switch and LID: the port."""
    entries: dict[str, dict[int, int]] = {}
    for line in tables.splitlines():
        if found := re.match(r"Unicast lids .* guid 0x(\w+)", line):
            own = entries.setdefault(f"S-{found[1]}", {})
        elif found := re.match(r"0x(\w+) (\d+) ", line):
            own[int(found[1], 16)] = int(found[2])
    return entries


def _largest_load(path: Path, tables: Path) -> object:
    ended = run("audit", path, tables, "--no-others", "--count", "1", "--json")
    return ended.document["today"]["max_routes"]


@pytest.mark.parametrize("addresses", [1, 4])
@pytest.mark.parametrize("shape", ["torus", "tree"])
def test_every_switch_leads_to_every_lid_of_every_host(
    shape: str, addresses: int, tmp_path: Path
) -> None:
    if shape == "torus":
        fabric = weft.torus(4, 4, hosts_per_switch=2)
    else:
        fabric = weft.generate("xgft", m=(4, 4, 2), w=(1, 2, 2))
    path = tmp_path / "net.ibnetdiscover"
    weft.write_fabric(fabric, path)
    routing = "simple_routes:root=0" if addresses > 1 else "updown:selection=first"
    done("export", "opensm", path, routing, "--lmc", "2", "-o", tmp_path / "out")

    # All of this is read from the files alone, and walked here.
    links = _links(path.read_text())
    entries = _entries((tmp_path / "out/weft.lfts").read_text())
    lids: dict[str, range] = {}
    for guid, first, last in re.findall(
        r"0x(\w+) 0x(\w+) 0x(\w+)", (tmp_path / "out/guid2lid").read_text()
    ):
        # Ports of hosts have the GUID after that of their adapter.
        lids[f"H-{int(guid, 16) - 1:016x}"] = range(int(first, 16), int(last, 16) + 1)
    hosts = {host: links[host, 1] for host in lids if (host, 1) in links}
    assert len(hosts) == 32
    assert {len(lids[host]) for host in hosts} == {addresses}
    ways: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for switch in entries:
        for host in hosts:
            for lid in lids[host]:
                here, way = switch, []
                while here in entries and len(way) < 20:
                    way.append((here, entries[here][lid]))
                    here = links[way[-1]]
                assert here == host
                ways[switch, lid] = way[:-1]

    even: Counter[tuple[str, int]] = Counter()
    for source, destination in itertools.permutations(hosts, 2):
        for lid in lids[destination]:
            even.update(ways[hosts[source], lid])
    largest = -(-max(even.values()) // addresses)
    today = run("audit", path, tmp_path / "out/weft.lfts", "--no-others", "--json").document[
        "today"
    ]
    assert today["max_routes"] == largest
    if addresses > 1:
        chosen: Counter[tuple[str, int]] = Counter()
        rows = (tmp_path / "out/paths.csv").read_text().splitlines()[1:]
        assert len(rows) == 32 * 31
        for row in rows:
            guid, _, lid, _ = row.split(",")
            chosen.update(ways[hosts[f"H-{int(guid, 16) - 1:016x}"], int(lid)])
        assert _largest_load(path, tmp_path / "out") == max(chosen.values())


def test_what_opensm_cannot_hold_says_what_could(torus: Path, tmp_path: Path) -> None:
    ended = refused(
        "stops in transit at host", "export", "opensm", torus, "ud_itb", "-o", tmp_path / "out"
    )
    assert "as on Myrinet" in ended.stderr
    assert not (tmp_path / "out").exists()


def test_a_folder_without_tables_is_no_folder_of_dumps(torus: Path, tmp_path: Path) -> None:
    message = "found no tables in this folder; expected ibdiagnet's .far, or one of opensm-lfts"
    refused(message, "prove", torus, f"{tmp_path}/")


def test_the_readme_says_how_to_load_verify_and_go_back(torus: Path, tmp_path: Path) -> None:
    run("export", "opensm", torus, "multi_tree:selection=first", "-o", tmp_path / "out")
    text = (tmp_path / "out/README.md").read_text()
    for heading in ("## Load", "## Standby managers", "## Verify", "## Go back", "## Mind"):
        assert heading in text
    assert "ibdmchk -l 1 -s subnet.lst -f routes.fdbs -m empty.mcfdbs -c path-sl.txt" in text
    assert f"weft audit {torus} now.lfts --service-levels paths.csv" in text
    assert "`paths.csv`" in text
    assert "all ways to all LIDs were proved together" in text
    assert "They are `file` and 1 now" in text
    assert "`guid2lid` in its cache folder" in text
    conf = (tmp_path / "out/opensm.conf").read_text()
    assert f"lfts_file {tmp_path.resolve()}/out/weft.lfts" in conf
    assert "lmc 1" in conf


def test_lanes_that_change_on_the_way_are_for_the_plugin(torus: Path, tmp_path: Path) -> None:
    routing = "dimension_order:tie=positive"
    own = run("export", "opensm", torus, routing, "-o", tmp_path / "own", "--json")
    document = json.loads(own.stdout)
    assert (document["engine"], document["level_count"], document["lane_count"]) == ("weft", 4, 2)
    assert "event_plugin_name weft" in (tmp_path / "own/opensm.conf").read_text()
    text = (tmp_path / "own/README.md").read_text()
    assert "## The plugin" in text
    assert "now.lfts --service-levels paths.csv --sl2vl sl2vl.dump" in text
    assert "`libweft.so`, built with the headers of its own OpenSM" in text
    # Read back, they are the same routes on the same lanes.
    listed = weft.read_fabric(tmp_path / "own/subnet.lst").fabric
    assert weft.prove(listed, weft.read_routes(listed, tmp_path / "own").routing).deadlock_free
    refused(
        "our plugin, the engine “weft”",
        "export",
        "opensm",
        torus,
        routing,
        "-o",
        tmp_path / "file",
        "--engine",
        "file",
    )
    done("export", "opensm", torus, "updown", "-o", tmp_path / "asked", "--engine", "weft")
    assert "routing_engine weft,no_fallback" in (tmp_path / "asked/opensm.conf").read_text()
    with pytest.raises(weft.RoutingError, match="expected 'file' or 'weft'"):
        weft.export_opensm(listed, weft.route(listed, "updown"), tmp_path, engine="nue")


def test_hosts_that_some_switches_are_not_led_to_are_named(tmp_path: Path) -> None:
    tree = discovered(weft.generate("xgft", m=(1, 2, 3), w=(1, 2, 1)), tmp_path)
    plain = weft.to_tables(tree, weft.route(tree, "down_preferred"))
    whole, _ = weft.managed_tables(tree, plain, weft.prove(tree, plain))
    made = weft.export_opensm(tree, whole, tmp_path / "whole")
    assert made.unfit_for_managers == []
    assert "Run no subnet manager" not in (tmp_path / "whole/README.md").read_text()
    left = discovered(weft.degrade(tree, links=["sw2:2", "sw5:2"]).fabric, tmp_path)
    routes = weft.repair(tree, whole, left).routing
    made = weft.export_opensm(left, routes, tmp_path / "left")
    names = dict(zip(left.host_guids, left.host_names, strict=True))
    lacking: set[str] = set()
    for entries in entries_of((tmp_path / "left/weft.lfts").read_bytes()).values():
        lacking |= {names[guid] for guid in names.keys() - {guid for guid, _ in entries}}
    assert lacking
    assert set(made.unfit_for_managers) == lacking
    readme = (tmp_path / "left/README.md").read_text()
    named = re.search(r"Run no subnet manager, .* on ([^:]*):", readme)
    assert named
    assert set(re.findall(r"`([^`]*)`", named[1])) == lacking
    weft.write_routes(routes, tmp_path / "left.json")
    files = (tmp_path / "discovered.ibnetdiscover", tmp_path / "left.json")
    ended = done("export", "opensm", *files, "-o", tmp_path / "told")
    count = f"hosts that no subnet manager should run on: {len(lacking)}, see README.md"
    assert count in ended.stdout
