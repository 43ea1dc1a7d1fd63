"""The examples run, and show what they promise."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import make_cluster
import make_quantum
import pytest
import training_step
from discovery_records import Node, records, wire

import weft
from weft.study import DEFAULT_ROUTINGS, read_study, run_study

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CLUSTER = EXAMPLES / "cluster.ibnetdiscover"


def run_example(name: str, folder: Path) -> str:
    """Run an example in an empty folder and return what it prints."""
    result = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / name)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def cluster() -> weft.Fabric:
    return weft.read_fabric(CLUSTER).fabric


def test_every_example_is_run_here() -> None:
    here = Path(__file__).read_text()
    for path in [*EXAMPLES.glob("*.py"), *EXAMPLES.glob("*.ipynb")]:
        assert path.name in here or path.stem in here, path


def test_the_notebook_runs_from_top_to_bottom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook = json.loads((EXAMPLES / "which_routing.ipynb").read_text())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    # Kept without output, so that a change of it is a change of the text.
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for cell in cells:
        exec("".join(cell["source"]), names)  # noqa: S102 - it is ours
    shown = capsys.readouterr().out
    assert "minimal       deadlock" in shown
    assert "Take " in shown
    assert (tmp_path / "torus.html").stat().st_size > 100_000


def test_compare_ranks_the_routings_and_writes_the_report(tmp_path: Path) -> None:
    lines = run_example("compare_in_ten_lines.py", tmp_path).splitlines()
    states = {line.split()[0]: line.split()[1] for line in lines[: len(DEFAULT_ROUTINGS)]}
    assert states.keys() == {*DEFAULT_ROUTINGS}
    assert states["minimal"] == "refused"
    assert (tmp_path / "compare/report.html").stat().st_size > 100_000


def test_the_ten_lines_are_ten() -> None:
    text = (EXAMPLES / "compare_in_ten_lines.py").read_text().split('"""')[2]
    assert len([line for line in text.splitlines() if line.strip()]) <= 10


def test_torus_choices_show_the_published_distances(tmp_path: Path) -> None:
    lines = run_example("torus_choices.py", tmp_path).splitlines()
    updown = [line for line in lines if line.startswith("updown ")]
    minimal = [line for line in lines if line.startswith("ud_itb ")]
    assert len(updown) == len(minimal) == 3
    assert all("distance 4.5714 links, 81.8% minimal" in line for line in updown)
    assert all("distance 4.0635 links, 100.0% minimal" in line for line in minimal)
    bounds = {float(line.split("bound ")[1]) for line in (*updown, *minimal)}
    assert len(bounds) == 6, "the choice among equal paths moves the bound"
    assert lines[7].startswith("not deadlock-free: ")


def test_one_point_is_simulated_to_the_end(tmp_path: Path) -> None:
    lines = run_example("simulate_one_point.py", tmp_path).splitlines()
    assert lines[0].startswith("steady: ")
    accepted, offered = (float(word) for word in lines[1].split() if word[0].isdigit())
    assert accepted == pytest.approx(offered, rel=0.05)
    assert len(lines) == 6


def test_the_cluster_file_is_read_without_a_doubt(cluster: weft.Fabric) -> None:
    read = weft.read_fabric(CLUSTER)
    assert read.format == "ibnetdiscover"
    assert read.notes == []
    figures = weft.fabric_figures(cluster)
    assert (figures.switches, figures.hosts, figures.switch_links) == (20, 300, 163)
    assert (figures.components, figures.diameter_links) == (1, 3)
    assert figures.rates == {"4xEDR": 463}


def test_the_cluster_file_is_the_wiring_of_its_script(cluster: weft.Fabric) -> None:
    nodes = make_cluster.build_cluster()
    wanted = {
        frozenset({(node.name, port), (peer.name, peer_port)})
        for node in nodes
        for port, (peer, peer_port) in node.wires.items()
    }
    names = [*cluster.switch_names, *cluster.host_names]
    found = {
        frozenset({(names[one], one_port), (names[other], other_port)})
        for one, one_port, other, other_port in cluster.links().tolist()
    }
    assert found == wanted


def test_records_of_three_nodes_are_read_as_they_were_wired(tmp_path: Path) -> None:
    leaf = Node("leaf", 0x10, 1, 0xD2F0, is_switch=True, port_count=36, system=0x10)
    spine = Node("spine", 0x20, 2, 0xD2F0, is_switch=True, port_count=36, system=0x20)
    host = Node("node HCA-1", 0x30, 3, 0x1017, is_switch=False, port_count=2, system=0x30)
    wire((leaf, 5), (spine, 7), "4xEDR")
    wire((leaf, 9), (host, 2), "4xFDR")
    path = tmp_path / "three.ibnetdiscover"
    path.write_text(records([leaf, spine, host]))
    fabric = weft.read_fabric(path).fabric
    assert (fabric.switch_names, fabric.host_names) == (["leaf", "spine"], ["node HCA-1"])
    assert sorted(fabric.links().tolist()) == [[0, 5, 1, 7], [0, 9, 2, 2]]
    assert weft.fabric_figures(fabric).rates == {"4xEDR": 1, "4xFDR": 1}


def test_the_quantum_file_is_what_its_script_makes_and_all_its_faults_are_named() -> None:
    made = make_quantum.discovered(make_quantum.build_cluster())
    path = EXAMPLES / "quantum.ibnetdiscover"
    assert path.read_text() == made
    fabric = weft.read_fabric(path).fabric
    told = dict(zip(fabric.host_names, fabric.host_service, strict=True))
    assert told["ufm01 mlx5_0"] == "place"
    assert sum(reason == "description" for reason in told.values()) == 12
    assert sum(reason is None for reason in told.values()) == 192
    slow, missing, swapped = weft.inspect_fabric(fabric).suspicions
    assert slow.kind.startswith("slow")
    assert len(slow.cables) == 6
    assert missing.text == "a cable is missing: leaf3[35] – spine2[17]"
    assert "leaf7[30] – spine4[37] and leaf7[43] – spine1[42]" in swapped.text
    for routing in ("updown:root=tops", "ftree", "min_hop"):
        assert weft.prove(fabric, weft.route(fabric, routing)).deadlock_free


def test_two_trunks_and_one_uplink_of_the_cluster_are_missing(cluster: weft.Fabric) -> None:
    names = [*cluster.switch_names, *cluster.host_names]
    trunks: dict[tuple[str, str], int] = {}
    for one, _, other, _ in cluster.links().tolist():
        leaf, spine = sorted((names[one], names[other]))
        if leaf.startswith("leaf") and spine.startswith("spine"):
            trunks[leaf, spine] = trunks.get((leaf, spine), 0) + 1
    every = {(f"leaf{leaf:02d}", f"spine{s}") for leaf in range(1, 15) for s in range(1, 7)}
    assert every - trunks.keys() == {("leaf05", "spine2"), ("leaf11", "spine6")}
    assert {trunk: cables for trunk, cables in trunks.items() if cables != 2} == {
        ("leaf08", "spine4"): 1
    }


def test_a_training_step_moves_what_its_rings_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rings of 16 ranks send 30 parts of a sixteenth each: gradients of 2 bytes a parameter.

    A layer's wait for those of the layer before, so that one more layer takes at least its
    gradients' time on a link of 400 Gbit/s; what is between GPUs of a computer uses no network.
    """
    monkeypatch.setattr(training_step, "HIDDEN", 640)
    durations = []
    for layers in (1, 2):
        monkeypatch.setattr("sys.argv", ["training_step.py", str(layers)])
        training_step.main()
        first, second, third = capsys.readouterr().out.splitlines()
        assert first.startswith(f"{layers} layers, 128 GPUs, ")
        assert first.endswith(": finished")
        gradients = 12 * 640**2 // 8 * 2
        sent = layers * 128 * 30 * gradients / 16
        # Announcements, and calls for what is announced, are of some bytes each.
        moved = float(third.split()[0]) * 1e9
        assert sent - 5e7 <= moved <= 1.001 * sent + 5e7
        durations.append(float(second.split()[0]) * 1e6)
    assert durations[1] - durations[0] >= 30 * gradients / 16 / 50


def test_the_nic_test_bed_shows_the_published_costs(tmp_path: Path) -> None:
    heading, *rows, last = run_example("nic_test_bed.py", tmp_path).splitlines()
    assert heading.startswith("bytes  original us  modified us")
    figures = [[float(word) for word in row.split()] for row in rows]
    assert [int(row[0]) for row in figures] == [2**power for power in range(13)]
    for _, original, modified, with_stop, packet_ns, stop_ns in figures:
        assert original < modified < with_stop
        assert 0 < packet_ns <= 300
        assert 1250 <= stop_ns <= 1350
    mean = float(last.split()[4])
    assert 115 <= mean <= 135


def test_a_study_runs_a_routing_of_its_own(tmp_path: Path) -> None:
    # Its algorithm is spanning_tree.py, beside it.
    study = read_study(EXAMPLES / "own_tree.toml")
    with weft.Results.open_all(run_study(study, tmp_path / "results.sqlite")) as opened:
        for results in opened.values():
            found = {entry.label: entry.proof.deadlock_free for entry in results.routings}
            assert found == {
                "updown": True,
                "spanning_tree": True,
                "spanning_tree:root=sw5": True,
            }
            # Of one tree's links, its root's are the busiest by far.
            assert results.ranking()[0].label == "updown"
