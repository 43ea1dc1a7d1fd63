"""Service ends: told by name or file, and without a say in traffic, balance and figures."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command import done, refused
from command import weft as command

import weft
from weft import _core

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(name="tree")
def _tree() -> weft.Fabric:
    """A tree of 4 leaves, 4 spines and 16 hosts."""
    return weft.generate("k_ary_n_tree", k=4, n=2)


def _with_managers(tree: weft.Fabric) -> weft.Fabric:
    """The tree with an end on every spine, and its GUIDs."""
    document = json.loads(_core.fabric_text(tree, "json"))
    for number, switch in enumerate(document["switches"]):
        switch["ports"] = 9
        if number >= 4:
            name = f"manager{number}"
            guid = f"0x{number:016x}"
            document["hosts"].append({"name": name, "guid": guid, "adapter_guid": guid[:-1] + "f"})
            document["links"].append({"ends": [[name, 1], [switch["name"], 9]]})
    fabric, *_ = _core.read_fabric(json.dumps(document).encode(), "tree")
    return fabric


def test_traffic_and_loads_are_those_of_compute_ends(tree: weft.Fabric) -> None:
    whole = _with_managers(tree)
    fabric = weft.mark_ends(whole, service=["manager*"])
    assert fabric.host_service == [None] * 16 + ["told"] * 4
    assert fabric != whole
    assert fabric.fingerprint != whole.fingerprint
    alone, joined = (weft.route(network, "ftree") for network in (tree, fabric))
    assert weft.prove(fabric, joined).deadlock_free
    figures = [weft.load_figures(*pair) for pair in ((tree, alone), (fabric, joined))]
    assert figures[0].saturation_bound == figures[1].saturation_bound == 1.0
    assert figures[1].max_routes_per_channel == 15
    with pytest.raises(weft.RoutingError, match=r"is no fat tree"):
        weft.route(whole, "ftree")
    hardware = weft.hardware("infiniband_1x")
    traffic = weft.Traffic(load=0.5)
    runs = [
        weft.simulate(network, routing, hardware, traffic, max_packets=4000)
        for network, routing in ((tree, alone), (fabric, joined))
    ]
    accepted = np.asarray(runs[1].host_accepted_load)
    assert (accepted[:16] > 0.3).all()
    assert not np.nan_to_num(accepted[16:]).any()
    assert runs[0].accepted_load == pytest.approx(runs[1].accepted_load, rel=0.03)
    assert weft.place_ranks(fabric, 16) == list(range(16))
    with pytest.raises(weft.InputError, match="17 ranks on 16 hosts"):
        weft.place_ranks(fabric, 17)


def test_files_of_guids_tell_ends_of_either_kind(tree: weft.Fabric, tmp_path: Path) -> None:
    fabric = _with_managers(tree)
    listed = tmp_path / "io_guid_file"
    listed.write_text("# managers\n0x0000000000000004\nmanager5 # by name\n\n0x000000000000000f\n")
    told = weft.mark_ends(fabric, service=[str(listed)])
    # The adapters of all four share a GUID here.
    assert told.host_service[16:] == ["told"] * 4
    computes = tmp_path / "cn_guid_file"
    computes.write_text("host0\nhost1\n4\n")
    told = weft.mark_ends(fabric, compute=[str(computes)])
    assert [
        name
        for name, reason in zip(told.host_names, told.host_service, strict=True)
        if reason is None
    ] == [
        "host0",
        "host1",
        "manager4",
    ]
    everyone = weft.mark_ends(told, compute=["*"])
    assert everyone.host_service == [None] * 20


@pytest.mark.parametrize(
    ("service", "compute", "message"),
    [
        (["mnager4"], [], "found “mnager4”, expected the name of an end of “k-ary-n-tree-k4-n2”"),
        (["*"], [], "0 of 20 ends of “k-ary-n-tree-k4-n2” would compute; expected two or more"),
        ([], ["host3"], "1 of 20 ends of “k-ary-n-tree-k4-n2” would compute"),
    ],
)
def test_what_is_no_end_is_refused(
    tree: weft.Fabric, service: list[str], compute: list[str], message: str
) -> None:
    with pytest.raises(weft.InputError, match=message):
        weft.mark_ends(_with_managers(tree), service=service, compute=compute)


def test_a_line_of_a_file_that_is_no_end_is_named(tree: weft.Fabric, tmp_path: Path) -> None:
    listed = tmp_path / "guids"
    listed.write_text("host0\n0xabc\n")
    with pytest.raises(weft.InputError, match=r"guids:2: found “0xabc”, expected the GUID"):
        weft.mark_ends(_with_managers(tree), service=[str(listed)])


def test_the_command_line_takes_and_shows_service_ends(tree: weft.Fabric, tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    weft.write_fabric(_with_managers(tree), path)
    shown = done("fabric", "show", path, "--service", "manager*")
    assert "4: 4 by what was told; 16 compute ends" in shown.stdout
    document = done("fabric", "show", path, "--service", "manager*", "--json").document
    assert document["service"] == {f"manager{number}": "told" for number in range(4, 8)}
    done("prove", path, "ftree", "--service", "manager*")
    refused("is no fat tree", "prove", path, "ftree")
    marked = tmp_path / "marked.json"
    done("fabric", "convert", path, marked, "--service", "manager*")
    assert weft.read_fabric(marked).fabric.host_service[16:] == ["told"] * 4
    study = tmp_path / "study.toml"
    study.write_text(
        "title = 'ends'\nroutings = ['updown']\nloads = [0.1]\n[[fabrics]]\nfile = 'tree.json'\n"
        "service = ['manager4, manager5', 'mnager4']\n"
    )
    refused("found “mnager4”, expected the name of an end", "study", "plan", study)


def test_a_cycle_that_only_service_ends_close_is_told(tree: weft.Fabric, tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    weft.write_fabric(_with_managers(tree), path)
    text = (
        "between compute ends alone these routes are deadlock-free: every cycle takes one from"
        " or to the 4 service ends"
    )
    ended = command("prove", path, "min_hop", "--service", "manager*")
    assert ended.code == 1
    assert text in ended.stdout
    assert text not in command("prove", path, "min_hop").stdout
    key = "deadlock_free_between_compute_ends"
    document = command("prove", path, "min_hop", "--service", "manager*", "--json").document
    assert document[key] is True
    assert command("prove", path, "min_hop", "--json").document[key] is None


def test_that_service_ends_count_like_compute_ends_is_said_everywhere(
    tree: weft.Fabric, tmp_path: Path
) -> None:
    path = tmp_path / "tree.json"
    weft.write_fabric(_with_managers(tree), path)
    ends = ("--service", "manager*")
    note = weft.route(weft.mark_ends(_with_managers(tree), service=["manager*"]), "sssp")
    text = note.service_note
    assert text is not None
    assert text.startswith("4 service ends count like compute ends, as the subnet manager")
    assert weft.route(tree, "sssp").service_note is None
    assert text in command("prove", path, "sssp", *ends).stdout
    assert command("prove", path, "sssp", *ends, "--json").document["service_note"] == text
    assert command("prove", path, "ftree", *ends, "--json").document["service_note"] is None
    assert text in done("route", path, "sssp", *ends).stdout
    assert done("route", path, "sssp", *ends, "--json").document["routing"]["service_note"] == text
    audited = command("audit", path, "ftree", "--against", "sssp", *ends)
    assert f"sssp: {text}" in audited.stdout
    judged = command("audit", path, "ftree", "--against", "sssp", *ends, "--json").document
    assert [one["service_note"] for one in judged["alternatives"]] == [text]
    routings = ("--routing", "sssp", "--routing", "ftree")
    short = ("--loads", "0.1", "--no-report", "--out", tmp_path / "out")
    compared = command("compare", path, *routings, *short, *ends, "--json").document
    assert compared["service_notes"] == {"sssp": text}
    again = command("compare", path, *routings, *short, *ends)
    assert f"sssp: {text}" in again.stdout
    asked = ("--lanes", "4", "--simulate", "0", "--count", "5", "--routing", "ftree")
    advised = done("advise", path, *asked, "--routing", "valiant", *ends, "--json").document
    ranked = {one["routing"]: one["service_note"] for one in advised["ranked"] + advised["out"]}
    assert ranked["ftree"] is None
