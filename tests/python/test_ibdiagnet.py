"""Folders of ibdiagnet: written, found by content, read with what lies beside, and refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from command import done
from command import weft as run

import weft

if TYPE_CHECKING:
    from pathlib import Path

    from weft import Fabric


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tree of 8 switches and 16 hosts as a discovery would give it."""
    path = tmp_path_factory.mktemp("tree") / "tree.ibnetdiscover"
    weft.write_fabric(weft.generate("xgft", m=(4, 4), w=(1, 4)), path)
    return path


@pytest.fixture(scope="module")
def dumped(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder as ibdiagnet writes it, of a tree whose switches choose."""
    folder = tmp_path_factory.mktemp("ibdiagnet2")
    done("export", "ibdiagnet", tree, "ar_updn", "-o", folder)
    return folder


@pytest.fixture
def folder(dumped: Path, tmp_path: Path) -> Path:
    """Return a copy of it to be changed."""
    for path in dumped.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def wiring(folder: Path) -> Fabric:
    return weft.read_fabric(folder / "ibdiagnet2.ibnetdiscover").fabric


def test_a_folder_says_the_same_whatever_its_files_are_called(folder: Path) -> None:
    fabric = wiring(folder)
    written = weft.export_ibdiagnet(fabric, weft.route(fabric, "ar_updn"), folder / "again")
    assert written.keeps_lids
    assert (folder / "again/ibdiagnet2.far").read_bytes() == (
        folder / "ibdiagnet2.far"
    ).read_bytes()
    read = weft.read_routes(fabric, folder)
    assert read.notes == []
    assert read.routing.form == "groups of ports"
    assert weft.prove(fabric, read.routing).deadlock_free
    (folder / "ibdiagnet2.far").rename(folder / "tables of groups.txt")
    (folder / "ibdiagnet2.fdbs").rename(folder / "ports.dat")
    renamed = weft.read_routes(fabric, folder)
    assert renamed.routing.leads_as(read.routing)
    alone = weft.read_routes(fabric, folder / "tables of groups.txt")
    assert alone.routing.leads_as(read.routing)


def test_routes_of_a_folder_are_proved_and_routed(folder: Path) -> None:
    wires = folder / "ibdiagnet2.ibnetdiscover"
    for routes in (folder, folder / "ibdiagnet2.far"):
        for command in ("prove", "route"):
            ended = done(command, wires, routes)
            assert ended.stderr == ""
            assert "16 hosts" in ended.stdout


def test_a_json_document_names_the_files(tree: Path, folder: Path) -> None:
    ended = done("export", "ibdiagnet", tree, "ar_updn", "-o", folder / "more", "--json")
    assert {path.rsplit(".", 1)[1] for path in ended.document["files"]} == {
        "far",
        "fdbs",
        "lst",
        "ibnetdiscover",
    }
    # The discovery has none.
    assert not ended.document["keeps_lids"]


def test_static_routes_come_back_as_forwarding_tables(tree: Path, tmp_path: Path) -> None:
    done("export", "ibdiagnet", tree, "min_hop", "-o", tmp_path)
    fabric = wiring(tmp_path)
    read = weft.read_routes(fabric, tmp_path)
    assert read.routing.form == "forwarding tables"
    (tmp_path / "ibdiagnet2.far").unlink()
    static = weft.read_routes(fabric, tmp_path)
    assert read.routing.leads_as(static.routing)
    assert weft.prove(fabric, read.routing).text == weft.prove(fabric, static.routing).text
    torus = tmp_path / "torus.ibnetdiscover"
    weft.write_fabric(weft.torus(6, 6), torus)
    by_pair = "adaptive:of=best:lanes=2"
    for routing in ("lash:lanes=8", "minimal_adaptive", "minimal_itb", by_pair):
        refused = run("export", "ibdiagnet", torus, routing, "-o", tmp_path / "none")
        assert "which ibdiagnet's files cannot tell" in refused.stderr
        assert not (tmp_path / "none").exists()


def test_what_does_not_fit_is_told_with_file_and_line(folder: Path) -> None:
    fabric = wiring(folder)
    far = folder / "ibdiagnet2.far"
    text = far.read_text()
    first, second = re.findall(r"(?m)^Switch (0x\w+)", text)[:2]
    far.write_text(text.replace(first, "0x00000000000000ff", 1))
    (folder / "ibdiagnet2.fdbs").unlink()
    told = [
        (note.line is not None, note.text, note.reason)
        for note in weft.read_routes(fabric, folder).notes
    ]
    assert told[0][:2] == (True, "ibdiagnet2.far: switch 0x00000000000000ff")
    assert told[1][1].startswith("ibdiagnet2.far: 1 switches without tables: ")
    ended = run("prove", folder / "ibdiagnet2.ibnetdiscover", folder)
    assert ended.code == 1
    assert "note: " in ended.stderr
    assert "ibdiagnet2.far: switch 0x00000000000000ff" in ended.stderr
    far.write_text(text.replace(second, first, 1))
    with pytest.raises(weft.FormatError, match=r"ibdiagnet2\.far:\d+:1: found switch 0x"):
        weft.read_routes(fabric, folder)
    far.write_text(text[: len(text) // 2].rpartition("\n")[0] + "\n")
    with pytest.raises(weft.FormatError, match="looks truncated"):
        weft.read_routes(fabric, folder)


def test_characters_that_steer_a_terminal_are_shown_as_escapes(folder: Path) -> None:
    far = folder / "ibdiagnet2.far"
    far.write_text(far.read_text().replace("pfrn_enabled: 0", "pfrn_enabled: 0, \x1b[31mred: 1", 1))
    ended = done("prove", folder / "ibdiagnet2.ibnetdiscover", folder)
    assert "\x1b" not in ended.stderr
    assert "[31mred: 1 (nothing that is known of a switch; passed over)" in ended.stderr


def test_files_of_other_arrangements_are_refused_by_their_ending(folder: Path) -> None:
    fabric = wiring(folder)
    for name, content in {
        "ibdiagnet2.plft": "Switch 0x1\nport one looks where it likes\n",
        "ibdiagnet2.vl2vl": "in out in other words\n",
        "ibdiagnet2.slvl": "lanes, lanes\n",
    }.items():
        (folder / name).write_text(content)
        with pytest.raises(weft.FormatError, match=rf"{name}:\d+:1: found “"):
            weft.read_routes(fabric, folder)
        (folder / name).write_text("# nothing\nFile version: 1\n")
        assert weft.read_routes(fabric, folder).notes == []
    (folder / "older.far").write_bytes((folder / "ibdiagnet2.far").read_bytes())
    with pytest.raises(weft.InputError, match="several files that tell the same"):
        weft.read_routes(fabric, folder)
