"""Studies of programs: what they run, what they keep, what they refuse, their report."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command import weft as command

import weft
from weft.errors import InputError, ResultsError, StudyError
from weft.study import program_statuses, read_study, run_study

if TYPE_CHECKING:
    from collections.abc import Callable

    from weft.study import StudyFile

STUDIES = Path(__file__).parents[2] / "studies/applications"

STUDY = """\
routings = ["updown", "min_hop"]

[[fabrics]]
topology = ["mesh", "torus"]
extents = [4, 4]
hosts_per_switch = 1

[[programs]]
trace = "ring.ti"
acknowledged = [0, 1]

[[programs]]
operation = "allreduce"
bytes = 6400
algorithms = "allreduce=ring"
"""


def ring(length: int) -> str:
    lines = [
        f"{rank} sendRecv {length} {(rank + 1) % 8} {length} {(rank - 1) % 8} 6 6"
        for rank in range(8)
    ]
    return "\n".join(lines) + "\n"


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., StudyFile]:
    def reader(text: str = STUDY, *, length: int = 5000) -> StudyFile:
        (tmp_path / "ring.ti").write_text(ring(length))
        path = tmp_path / "study.toml"
        path.write_text(text)
        return read_study(path)

    return reader


def test_every_program_runs_on_every_network_by_every_routing(
    read: Callable[..., StudyFile], tmp_path: Path
) -> None:
    study = read()
    assert [case.name for case in study.programs] == [
        f"{fabric}; {program}"
        for fabric in ("mesh-4x4", "torus-4x4")
        for program in (
            "ring.ti; acknowledged=0",
            "ring.ti; acknowledged=1",
            "allreduce; bytes=6400; algorithms=allreduce=ring",
        )
    ]
    results = run_study(study, tmp_path / "results.sqlite")
    torus = weft.torus(4, 4, hosts_per_switch=1)
    updown = weft.route(torus, "updown")
    direct = weft.replay(
        torus,
        updown,
        weft.hardware(),
        weft.read_trace(tmp_path / "ring.ti"),
        messaging={"acknowledged": 1},
    )
    with weft.Results.open_all(results) as opened:
        found = opened["torus-4x4; ring.ti; acknowledged=1"]
        # Minimal routes of a torus can deadlock: they are recorded and not replayed.
        assert list(found.replays) == ["updown"]
        assert found.routing("min_hop").proof.verdict == "deadlock"
        figures = found.replays["updown"]
        assert figures.duration_ns == direct.duration_ns
        assert (figures.sent_messages, figures.received_messages) == (8, 8)
        np.testing.assert_array_equal(figures.rank_times_ns[0], direct.finish_ns)
        np.testing.assert_array_equal(figures.channel_busy_ns, direct.channel_busy_ns)
        assert sum(figures.shares().values()) == pytest.approx(1)
        assert list(opened["mesh-4x4; ring.ti; acknowledged=0"].replays) == ["updown"]


def test_what_has_run_is_not_run_again(read: Callable[..., StudyFile], tmp_path: Path) -> None:
    study = read()
    path = tmp_path / "results.sqlite"
    before = program_statuses(study.programs, path)
    assert [status.missing_points for status in before] == [2] * 6
    told: list[str] = []
    run_study(study, path, watcher=lambda event: told.append(type(event).__name__))
    assert told.count("ReplayFinished") == 6
    after = program_statuses(study.programs, path)
    assert [(each.finished, each.refused, each.missing_points) for each in after] == [(1, 1, 0)] * 6
    told.clear()
    run_study(study, path, watcher=lambda event: told.append(type(event).__name__))
    assert told.count("ReplayFinished") == 0


def test_another_trace_of_the_same_name_is_another_study(
    read: Callable[..., StudyFile], tmp_path: Path
) -> None:
    path = run_study(read(), tmp_path / "results.sqlite")
    with pytest.raises(ResultsError, match="holds another study: program content is"):
        run_study(read(length=5001), path)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('trace = "ring.ti"', 'trace = "gone.ti"', 9, "gone.ti"),
        ('trace = "ring.ti"', 'trace = "ring.ti"\noperation = "bcast"', 9, "either trace or op"),
        ("bytes = 6400", "byte = 6400", 14, "unknown key “byte” of programs; did you mean bytes?"),
        ("bytes = 6400", 'bytes = "6400"', 14, "bytes: found '6400', expected whole number"),
        ("bytes = 6400", 'region = ".."', 14, "region: does not go with operation"),
        ('"allreduce=ring"', '"ring"', 15, "algorithms: found “ring”, expected OPERATION=NAME"),
        ('routings = ["updown", "min_hop"]', "loads = [0.1]", 1, "loads: does not go with program"),
        ("[[programs]]", "[[traffic]]", 8, "traffic: does not go with programs"),
    ],
)
def test_a_mistake_is_told_with_its_line(
    read: Callable[..., StudyFile], old: str, new: str, line: int, message: str
) -> None:
    with pytest.raises(StudyError) as caught:
        read(STUDY.replace(old, new, 1))
    assert f"study.toml:{line}: " in str(caught.value)
    assert message in str(caught.value)


def test_programs_that_cannot_run_leave_nothing_behind(
    read: Callable[..., StudyFile], tmp_path: Path
) -> None:
    path = tmp_path / "results.sqlite"
    small = read(STUDY.replace("extents = [4, 4]", "extents = [2, 2]"))
    with pytest.raises(InputError, match="8 ranks on 4 hosts"):
        run_study(small, path)
    with pytest.raises(StudyError, match="programs on slurm: expected local"):
        run_study(read(), path, on="slurm")
    assert not path.exists()


class _Tags(HTMLParser):
    """Checks that elements are closed in order, and collects the cells of tables."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("meta", "link"):
            self.open.append(tag)
        self.rows += tag == "tr"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_commands_run_it_and_write_its_report(
    read: Callable[..., StudyFile], tmp_path: Path
) -> None:
    study, folder = read(), tmp_path / "out"
    ran = command("study", "run", study.path, "--out", folder)
    assert ran.code == 0
    assert "allreduce on myrinet: bytes = 6400, algorithms = allreduce=ring" in ran.stdout
    told = json.loads(command("study", "run", study.path, "--out", folder, "--json").stdout)
    assert {run["outcome"] for run in told["runs"]} == {"finished"}
    assert command("study", "status", study.path, "--out", folder).code == 0
    assert command("report", folder).code == 0
    page = (folder / "report.html").read_text()
    tags = _Tags()
    tags.feed(page)
    assert tags.open == []
    # Three programs, each with a head and two routings on two fabrics.
    assert tags.rows == 3 * (1 + 4)
    for text in ("ring.ti on myrinet", "acknowledged = 1", "torus-4x4", "+0.00 %", "min_hop"):
        assert text in page
    assert "http" not in page.replace("http-equiv", "")


def test_one_replay_has_the_same_report(tmp_path: Path) -> None:
    (tmp_path / "<ring>.ti").write_text(ring(500))
    for fabric in (weft.mesh(4, 4, hosts_per_switch=1), weft.torus(4, 4, hosts_per_switch=1)):
        weft.write_fabric(fabric, tmp_path / f"{fabric.name}.json")
    page = tmp_path / "page.html"
    networks = [f"--fabric={tmp_path / name}-4x4.json" for name in ("mesh", "torus")]
    asked = (*networks, "--routing", "updown", "--report", page)
    assert command("replay", tmp_path / "<ring>.ti", *asked).code == 0
    text = page.read_text()
    assert text.count("<tr>") == 3
    assert "&lt;ring&gt;.ti on myrinet" in text
    assert "<ring>" not in text


@pytest.mark.parametrize("name", ["nas", "nas-rhinet2"])
def test_the_studies_of_applications_run_with_the_traces_at_hand(name: str, tmp_path: Path) -> None:
    study = read_study(STUDIES / f"{name}.toml", quick=True)
    with weft.Results.open_all(run_study(study, tmp_path / "results.sqlite")) as opened:
        times = {
            (results.fabric.name, label): figures.duration_ns
            for results in opened.values()
            for label, figures in results.replays.items()
        }
        assert {
            figures.outcome for each in opened.values() for figures in each.replays.values()
        } == {"finished"}
    assert len(times) == 4
    first = times["mesh-4x4", "updown"]
    assert max(abs(time / first - 1) for time in times.values()) < (
        0.01 if "rhinet2" in name else 1
    )
    # With traces that are not there, each is asked for by name.
    with pytest.raises(StudyError, match=r"is\.S\.32\.ti\.zst"):
        read_study(STUDIES / f"{name}.toml")
