"""The stage fabric: generators, figures, arrays, files, errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from command import done
from hypothesis import given
from hypothesis import strategies as st

import weft

EXTENTS = st.integers(min_value=1, max_value=5)


def test_torus_4x4_has_the_published_figures() -> None:
    figures = weft.fabric_figures(weft.torus(4, 4, hosts_per_switch=2))
    assert (figures.switches, figures.hosts, figures.links) == (16, 32, 64)
    assert (figures.switch_links, figures.host_links) == (32, 32)
    assert (figures.mean_path_switches, figures.max_path_switches) == (3.0, 5)
    assert figures.diameter_links == 4
    assert (figures.components, figures.self_links, figures.parallel_links) == (1, 0, 0)


def test_mesh_4x4_has_the_published_figures() -> None:
    figures = weft.fabric_figures(weft.mesh(4, 4))
    assert (figures.mean_path_switches, figures.max_path_switches) == (3.5, 7)
    assert figures.switch_links == 24


def test_torus_8x8_has_the_published_mean_distance() -> None:
    figures = weft.fabric_figures(weft.torus(8, 8, hosts_per_switch=8))
    assert figures.hosts == 512
    assert figures.mean_distance_links == pytest.approx(4.0635, abs=5e-5)


def test_express_torus_is_wired_to_the_switches_one_and_two_steps_away() -> None:
    fabric = weft.express_torus(8, 8)
    assert fabric.link_count == 64 * 4 + 64
    ends = fabric.channel_ends()[fabric.is_switch_channel]
    neighbours = sorted(int(to) for source, to in ends if source == 0)
    assert neighbours == sorted([1, 7, 8, 56, 2, 6, 16, 48])


def test_irregular_has_the_default_ports_and_hosts() -> None:
    fabric = weft.irregular(16, seed=3)
    figures = weft.fabric_figures(fabric)
    assert (figures.hosts, figures.switch_links) == (64, 32)
    assert (figures.components, figures.parallel_links, figures.radix_max) == (1, 0, 8)


def test_irregular_depends_on_its_seed_alone() -> None:
    first, again, other = (weft.irregular(16, seed=seed) for seed in (7, 7, 8))
    assert first == again
    assert first.fingerprint == again.fingerprint
    assert hash(first) == hash(again)
    assert first.fingerprint != other.fingerprint
    assert first != other


@given(columns=EXTENTS, rows=EXTENTS, hosts=st.integers(min_value=1, max_value=3))
def test_mesh_counts_equal_the_closed_form(columns: int, rows: int, hosts: int) -> None:
    fabric = weft.mesh(columns, rows, hosts)
    switches = columns * rows
    assert fabric.switch_count == switches
    assert fabric.host_count == switches * hosts
    between = (columns - 1) * rows + columns * (rows - 1)
    assert fabric.link_count == between + switches * hosts
    assert fabric.channel_count == 2 * fabric.link_count


def test_arrays_describe_the_same_links() -> None:
    fabric = weft.torus(3, 4, hosts_per_switch=2)
    links, ends = fabric.links(), fabric.channel_ends()
    assert links.shape == (fabric.link_count, 4)
    assert ends.shape == (fabric.channel_count, 2)
    assert np.array_equal(ends[0::2], links[:, [0, 2]])
    assert np.array_equal(ends[1::2], links[:, [2, 0]])
    assert np.array_equal(fabric.is_switch_channel, (ends < fabric.switch_count).all(axis=1))
    assert fabric.host_switch.tolist() == [host // 2 for host in range(24)]
    ports = np.concatenate([links[:, :2], links[:, 2:]])
    assert len(np.unique(ports, axis=0)) == 2 * fabric.link_count


def test_names_and_descriptions_are_those_of_the_generator() -> None:
    fabric = weft.mesh(2, 1, hosts_per_switch=1)
    assert fabric.name == "mesh-2x1"
    assert fabric.switch_names == ["sw0", "sw1"]
    assert fabric.host_names == ["host0", "host1"]
    assert fabric.layout_extents == [2, 1]
    joint = int(np.flatnonzero(fabric.is_switch_channel)[0])
    assert fabric.describe_channel(joint) == "sw0[2] → sw1[3]"
    assert repr(fabric) == "<Fabric mesh-2x1: 2 switches, 2 hosts, 3 links>"


def test_an_irregular_network_has_no_layout() -> None:
    assert weft.irregular(8).layout_extents is None


def test_a_channel_that_does_not_exist_is_an_index_error() -> None:
    fabric = weft.mesh(2, 1)
    with pytest.raises(
        IndexError, match="channel 6 does not exist; the fabric has channels 0 to 5"
    ):
        fabric.describe_channel(6)


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        (0, "columns is 0; expected 1 or more"),
        (-3, "columns is -3; expected 1 or more"),
        (2**40, "found “1099511627776x4” for parameter extents.*, 4294967295 at most"),
    ],
)
def test_an_extent_out_of_range_is_refused(columns: int, text: str) -> None:
    with pytest.raises(weft.FabricError, match=text) as caught:
        weft.torus(columns, 4)
    assert isinstance(caught.value, weft.InputError)
    assert isinstance(caught.value, ValueError)


def test_more_ports_than_a_switch_can_have_are_refused() -> None:
    with pytest.raises(weft.FabricError, match="254"):
        weft.mesh(2, 2, hosts_per_switch=254)


def test_an_impossible_irregular_network_is_refused() -> None:
    with pytest.raises(weft.FabricError, match="ports_per_switch"):
        weft.irregular(16, hosts_per_switch=8, ports_per_switch=8)


def test_a_written_fabric_reads_back_the_same(tmp_path: Path) -> None:
    fabric = weft.torus(3, 3, hosts_per_switch=2)
    path = tmp_path / "folder" / "torus.json"
    weft.write_fabric(fabric, path)
    read = weft.read_fabric(path)
    assert read.fabric == fabric
    assert read.fabric.fingerprint == fabric.fingerprint
    assert read.format == "json"
    assert read.notes == []
    assert [file.name for file in path.parent.iterdir()] == ["torus.json"]


IBNETDISCOVER = """\
#
# Topology file: generated on Thu Jan  1 00:00:00 2026
#
vendid=0x2c9
devid=0xc738
sysimgguid=0x1003
switchguid=0x1000(1000)
Switch\t4 "S-0000000000001000"\t\t# "leaf" enhanced port 0 lid 1 lmc 0
[1]\t"H-0000000000002000"[1](2001) \t\t# "node01 HCA-1" lid 2 4xHDR
[2]\t"H-0000000000003000"[1](3001) \t\t# "node02 HCA-1" lid 3 4xHDR

vendid=0x2c9
devid=0x1017
sysimgguid=0x2003
caguid=0x2000
Ca\t1 "H-0000000000002000"\t\t# "node01 HCA-1"
[1](2001) \t"S-0000000000001000"[1]\t\t# lid 2 lmc 0 "leaf" lid 1 4xHDR

vendid=0x2c9
devid=0x1017
sysimgguid=0x3003
caguid=0x3000
Ca\t1 "H-0000000000003000"\t\t# "node02 HCA-1"
[1](3001) \t"S-0000000000001000"[2]\t\t# lid 3 lmc 0 "leaf" lid 1 4xHDR
"""


def test_ibnetdiscover_is_read_with_names_and_rates(tmp_path: Path) -> None:
    path = tmp_path / "cluster.ibnetdiscover"
    path.write_text(IBNETDISCOVER, encoding="utf-8")
    read = weft.read_fabric(path)
    assert read.format == "ibnetdiscover"
    assert read.fabric.switch_names == ["leaf"]
    assert read.fabric.host_count == 2
    assert weft.fabric_figures(read.fabric).rates == {"4xHDR": 2}


def test_lines_read_past_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "cluster.ibnetdiscover"
    path.write_text(IBNETDISCOVER + "\nnobody knows this line\n", encoding="utf-8")
    notes = weft.read_fabric(path).notes
    assert [(note.line, note.text) for note in notes] == [(26, "nobody knows this line")]


def test_a_binary_file_is_a_format_error(tmp_path: Path) -> None:
    path = tmp_path / "cluster.ibnetdiscover"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(weft.FormatError, match=r"cluster\.ibnetdiscover:1:"):
        weft.read_fabric(path)


def test_a_truncated_file_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "torus.json"
    weft.write_fabric(weft.torus(3, 3), path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: len(text) // 2], encoding="utf-8")
    with pytest.raises(weft.FormatError, match=r"torus\.json:\d+:\d+"):
        weft.read_fabric(path)


def test_a_missing_file_and_a_folder_are_input_errors(tmp_path: Path) -> None:
    with pytest.raises(weft.InputError, match="no such file or directory; expected a fabric file"):
        weft.read_fabric(tmp_path / "absent.json")
    with pytest.raises(weft.InputError, match="is a directory; expected a fabric file"):
        weft.read_fabric(tmp_path)


def test_a_file_that_cannot_be_written_is_an_environment_failure(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    with pytest.raises(weft.EnvironmentFailure, match="cannot be written"):
        weft.write_fabric(weft.mesh(2, 2), blocked / "fabric.json")
    assert blocked.read_text(encoding="utf-8") == "in the way"


@pytest.mark.parametrize(
    "format_name", ["ibnetdiscover", "ibnetdiscover-p", "iblinkinfo", "subnet-list"]
)
def test_formats_of_infiniband_give_back_the_same_cables(tmp_path: Path, format_name: str) -> None:
    source, path = tmp_path / "cluster.ibnetdiscover", tmp_path / "again"
    source.write_text(IBNETDISCOVER, encoding="utf-8")
    fabric = weft.read_fabric(source).fabric
    assert weft.write_fabric(fabric, path, format_name) == format_name
    read = weft.read_fabric(path)
    assert (read.format, read.notes) == (format_name, [])
    assert read.fabric.links().tolist() == fabric.links().tolist()
    assert read.fabric.host_names == fabric.host_names
    assert weft.fabric_figures(read.fabric).rates == {"4xHDR": 2}


def test_a_path_tells_the_format_or_the_format_must_be_named(tmp_path: Path) -> None:
    fabric = weft.mesh(2, 2)
    ends = {entry.name: entry.extensions for entry in weft.fabric_formats() if entry.writes}
    assert ends["subnet-list"] == ["lst"]
    assert weft.write_fabric(fabric, tmp_path / "mesh.lst") == "subnet-list"
    with pytest.raises(weft.FormatError, match=r"“mesh\.txt” does not tell the format"):
        weft.write_fabric(fabric, tmp_path / "mesh.txt")
    with pytest.raises(weft.FormatError, match="did you mean “subnet-list”"):
        weft.write_fabric(fabric, tmp_path / "mesh.txt", "subnetlist")
    assert not (tmp_path / "mesh.txt").exists()


DATABASE = Path(__file__).parents[2] / "fuzz/seeds/db_csv/three_switches.db_csv"


def test_counters_of_errors_and_cables_come_with_ibdiagnet_s_database() -> None:
    read = weft.read_fabric(DATABASE)
    assert read.format == "db_csv"
    assert [(record.node, record.port, record.errors) for record in read.ports] == [
        ("sw1", 2, {"SymbolErrorCounter": 70000, "LinkDownedCounter": 2}),
        ("MF0;sw3:MSB7700/U1", 1, {"PortRcvErrors": 3}),
        ("host2 HCA-1 port 2", 2, {"LinkDownedCounter": 1}),
    ]
    assert read.ports[0].cable == {
        "vendor": "Maker",
        "part": "PN-4X-2",
        "serial": "SN0001",
        "length": "2 m",
    }


def test_ports_that_count_errors_are_shown_and_audited() -> None:
    line = "errors: sw1[2]: SymbolErrorCounter 70,000, LinkDownedCounter 2; cable Maker PN-4X-2"
    shown, audited = (
        done("fabric", "show", DATABASE),
        done("audit", DATABASE, "min_hop", "--no-others"),
    )
    assert line in shown.stdout
    assert line in audited.stdout
    document = done("audit", DATABASE, "min_hop", "--no-others", "--json").document
    assert document["ports"][1]["errors"] == {"PortRcvErrors": 3}
    assert document["ports"] == done("fabric", "show", DATABASE, "--json").document["ports"]


@pytest.mark.parametrize("folder", [".", "ibnl"])
def test_systems_of_a_topology_are_defined_in_files_beside_it(tmp_path: Path, folder: str) -> None:
    topology = tmp_path / "room.topo"
    topology.write_text("PAIR D-1\n   P1 -> MT23108 H-1 P1\n   P2 -> MT23108 H-2 P1\n")
    (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / folder / "Pair.ibnl").write_text(
        "TOPSYSTEM PAIR\nNODE SW 24 MT47396 U1\n1 -> P1\n13 -> U2 13\n"
        "NODE SW 24 MT47396 U2\n1 -> P2\n13 -> U1 13\n"
    )
    assert weft.read_fabric(topology).fabric.switch_names == ["D-1/U1", "D-1/U2"]
    # Without the file the system is one switch.
    (tmp_path / folder / "Pair.ibnl").unlink()
    assert weft.read_fabric(topology).fabric.switch_names == ["D-1"]
