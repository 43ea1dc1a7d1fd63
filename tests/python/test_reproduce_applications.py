"""Recorded applications of published experiments, and what one condition gains over another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from command import done, refused
from command import weft as command

import weft
from weft.reproduce import PAPERS, Row, reproduce
from weft.reproduce.definition import study_path
from weft.reproduce.gains import gain_rows
from weft.reproduce.measures import measured_rows
from weft.reproduce.page import notes
from weft.reproduce.program_file import Gain
from weft.reproduce.programs import read_programs

if TYPE_CHECKING:
    from pathlib import Path

RHINET = PAPERS["rhinet"]
BANDWIDTH, BARRIER = "bandwidth of a host, average, MB/s", "barrier, average, µs"


def test_a_gain_is_that_of_bandwidth_and_what_the_longer_time_has_over_the_shorter() -> None:
    rows = [
        Row("Mesh, UD, 96 bytes", BANDWIDTH, 10),
        Row("Mesh, DL, 96 bytes", BANDWIDTH, 12),
        Row("Mesh, SBP, 96 bytes", BANDWIDTH, 9),
        # Nothing to compare with.
        Row("Torus, DL, 96 bytes", BANDWIDTH, 90),
        Row("Mesh, DL, 96 bytes", "switches on a path, average", 3),
        Row("Mesh, UD, ro", BARRIER, 60, is_judged=False),
        Row("Mesh, DL, ro", BARRIER, 40, is_judged=False),
    ]
    made = gain_rows(Gain("best over UD", ["DL", "SBP"], "UD"), rows)
    assert [(row.quantity, row.value, row.count, row.remark) for row in made] == [
        ("bandwidth of a host, average: best over UD, average, %", pytest.approx(5), 2, ""),
        (
            "bandwidth of a host, average: best over UD, minimum, %",
            pytest.approx(-10),
            2,
            "Mesh, SBP, 96 bytes",
        ),
        (
            "bandwidth of a host, average: best over UD, maximum, %",
            pytest.approx(20),
            2,
            "Mesh, DL, 96 bytes",
        ),
        ("barrier, average: best over UD, average, %", pytest.approx(50), 1, ""),
    ]
    assert [row.is_judged for row in made] == [True] * 3 + [False]
    assert {row.condition for row in made} == {"all conditions"}


def test_a_name_is_compared_as_a_whole() -> None:
    rows = [
        Row("Mesh, UD, random", BANDWIDTH, 10),
        Row("Mesh, UD, random order", BANDWIDTH, 20),
        Row("Mesh, UD, first", BANDWIDTH, 5),
    ]
    made = gain_rows(Gain("random over first", ["random"], "first"), rows)
    assert [(row.value, row.count) for row in made] == [(pytest.approx(100), 1)]


STUDY = """
title = "small"
source = "RHINET"
measure = "{measure}"
[routings]
"DOR" = "dimension_order"
[[networks]]
name = "Mesh"
topology = "mesh"
extents = [2, 2]
hosts_per_switch = 1
[[hosts]]
send_message_ns = 1000
receive_message_ns = 500
[[applications]]
name = "Token"
trace = "token.ti"
region = "barrier..allreduce"
clock_ns = 100
compute_scale = 3
[[applications]]
name = "Other"
trace = "other.ti"
"""

#: Ranks 0 and 1 compute 1,000 ns, of which 100 are the clock's, before a message goes from 0 to 1.
TOKEN = "\n".join(
    line
    for rank in range(4)
    for line in (
        f"{rank} compute 9999",
        f"{rank} barrier",
        *([f"{rank} compute 1000"] if rank < 2 else []),
        *({0: ["0 send 1 0 100 6"], 1: ["1 recv 0 0 100 6"]}.get(rank, [])),
        f"{rank} allreduce 1 0",
    )
)


def test_time_of_an_application_and_its_parts(tmp_path: Path) -> None:
    (tmp_path / "token.ti").write_text(TOKEN + "\n")
    for measure in ("application", "parts"):
        (tmp_path / f"{measure}.toml").write_text(STUDY.format(measure=measure))
    file = read_programs(tmp_path / "parts.toml", traces=tmp_path)
    assert [entry.name for entry in file.applications] == ["Token"]
    assert file.missing == ["other.ti"]
    rows = measured_rows(file)
    assert {row.condition for row in rows} == {"Mesh, Token, DOR"}
    found = {row.quantity.removesuffix(", s"): row.value for row in rows}
    # Whole cycles of 10.67 ns.
    assert found["computing"] == pytest.approx(2 * 3 * 900e-9 / 4, rel=0.01)
    assert found["MPI and PM"] == pytest.approx(1500e-9 / 4, rel=0.02)
    assert found["waiting for a packet"] > 0
    waiting = found["waiting for a packet"] + found["waiting for an acknowledgement"]
    assert found["communication"] == pytest.approx(found["MPI and PM"] + waiting)
    time = found["time"]
    assert time > 3 * 900e-9 + 1500e-9
    rows = measured_rows(read_programs(tmp_path / "application.toml", traces=tmp_path))
    assert [(row.quantity, row.value) for row in rows] == [("time, s", time)]
    # The trace is looked for beside those of the package where no folder is named.
    assert read_programs(tmp_path / "parts.toml").missing == ["token.ti", "other.ti"]


def test_ranks_of_a_host_speak_past_the_network_at_a_share_of_the_overheads(tmp_path: Path) -> None:
    (tmp_path / "token.ti").write_text(TOKEN + "\n")
    path = tmp_path / "study.toml"
    text = STUDY.format(measure="parts").replace(
        "receive_message_ns = 500", "receive_message_ns = 500\ninner_overhead = 0.25"
    )
    path.write_text(text.replace("hosts_per_switch = 1", "hosts_per_switch = 1\nper_host = 2"))
    found = {row.quantity: row.value for row in measured_rows(read_programs(path, traces=tmp_path))}
    # Ranks 0 and 1 share a host.
    assert found["MPI and PM, s"] == pytest.approx(0.25 * 1500e-9 / 4, rel=0.05)
    assert found["time, s"] == pytest.approx(3 * 900e-9 + 0.25 * 1500e-9, rel=0.02)
    for wrong in ("0", '"two"', "true"):
        path.write_text(text.replace("hosts_per_switch = 1", f"per_host = {wrong}"))
        with pytest.raises(weft.errors.StudyError, match=r"study\.toml:\d+: per_host: found"):
            read_programs(path, traces=tmp_path)


def test_the_benchmark_that_the_package_brings_is_measured_and_others_are_asked_for(
    tmp_path: Path,
) -> None:
    (made,) = reproduce(RHINET, RHINET.chosen(["8"], []), tmp_path / "r.sqlite", traces=tmp_path)
    # Each benchmark is replayed where the paper did.
    assert {row.condition for row in made.rows} == {"Torus 4x4, IS.S.16, DL"}
    found = {row.quantity: row.value for row in made.rows}
    assert found["computing, s"] == pytest.approx(0.002, rel=0.06)
    assert found["communication, s"] == pytest.approx(0.016, rel=0.15)
    for name in ("cg.A.16", "mg.W23.16", "mg.A.16", "sp.S.16", "bt.S.16"):
        assert f"{name}.ti.zst" in made.missing
    *_, text = notes(made)
    assert text.startswith("Not measured, for their traces are not there: sp.S.16.ti.zst, ")
    assert "--traces" in text


def test_the_command_takes_a_folder_of_traces(tmp_path: Path) -> None:
    asked = ("reproduce", "rhinet", "--table", "8", "--quick", "--out", tmp_path / "out")
    ran = done(*asked, "--traces", tmp_path)
    assert "Not measured, for their traces are not there: sp.S.16.ti.zst" in ran.stdout
    assert "Not measured" in (tmp_path / "out/report.md").read_text()
    assert command(*asked, "--traces", tmp_path / "none").code == 2


def test_routings_differ_most_in_bandwidth_where_the_paper_says() -> None:
    rows = measured_rows(read_programs(study_path("rhinet", "bandwidth"), quick=True))
    (most,) = [row for row in rows if row.quantity.endswith("over Up*/Down*, maximum, %")]
    # Published is “up to 57 percent”.
    assert most.value == pytest.approx(57, rel=0.1)
    assert most.remark.startswith("Topology A, DL, complement")


def test_every_topology_of_the_paper_has_its_number_of_hosts() -> None:
    assert weft.generate("rhinet_tree", parents=2, children=4, levels=2, hosts_per_switch=2)
    for hosts in (64, 32, 16):
        for name in (f"topologies-{hosts}", f"orders-{hosts}", f"broadcast-{hosts}"):
            file = read_programs(study_path("rhinet", name), quick=True)
            assert {network.fabric.host_count for network in file.networks} == {hosts}
            assert len(file.networks) == 4


def test_traces_that_no_experiment_replays_are_refused(tmp_path: Path) -> None:
    for paper, table in (("rhinet", "3"), ("mvn", "1")):
        asked = ("reproduce", paper, "--table", table, "--quick", "--out", tmp_path / "out")
        message = "none of these experiments replays applications; leave it out"
        refused(message, *asked, "--traces", tmp_path)
        assert not (tmp_path / "out").exists()
