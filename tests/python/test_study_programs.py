"""Studies of programs: what they run, what they keep, what they refuse, their report."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from addresses import names_an_address
from command import done
from command import weft as command

import weft
from weft._files import write_text
from weft.errors import InputError, ResultsError, StudyError
from weft.spec.trace_files import trace_contents, written_trace
from weft.study import StudyFile, program_statuses, read_study, run_study
from weft.study.case import fabric_text
from weft.study.executors.interface import Finished, ReplayWork
from weft.study.executors.remote import replayed
from weft.study.executors.slurm_task import run_task
from weft.study.executors.wire import conditions_of, read_figures
from weft.study.run_programs import run_programs
from weft.study.stages import Stages

if TYPE_CHECKING:
    from weft.results.replay_figures import ReplayFigures

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


#: Writes and reads a study file.
Read = Callable[..., StudyFile]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def reader(text: str = STUDY, *, length: int = 5000) -> StudyFile:
        (tmp_path / "ring.ti").write_text(ring(length))
        path = tmp_path / "study.toml"
        path.write_text(text)
        return read_study(path)

    return reader


def test_every_program_runs_on_every_network_by_every_routing(read: Read, tmp_path: Path) -> None:
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


def test_what_has_run_is_not_run_again(read: Read, tmp_path: Path) -> None:
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


def test_a_study_tells_the_algorithms_and_messages_that_nobody_receives(
    read: Read, tmp_path: Path
) -> None:
    schedule = "num_ranks 2\nrank 0 {\na: send 8b to 1\nb: send 9b to 1\n}\nrank 1 {\n}\n"
    (tmp_path / "lost.goal").write_text(schedule)
    read(
        STUDY.replace('"ring.ti"\nacknowledged = [0, 1]', '"lost.goal"')
        .replace('["updown", "min_hop"]', '["updown"]')
        .replace('algorithms = "allreduce=ring"', "")
    )
    arguments = ("study", "run", tmp_path / "study.toml", "--out", tmp_path / "out")
    shown = done(*arguments).stdout
    lost = "2 messages are never received, the first of rank 0 to rank 1"
    file = tmp_path / "lost.goal"
    assert f"mesh-4x4, updown: {lost} ({file}:3)" in shown
    assert "bytes = 6400; allreduce by reduce_scatter_allgather\n" in shown
    runs = done(*arguments, "--json").document["runs"]
    assert [run["collectives"] for run in runs] == [
        "",
        "allreduce by reduce_scatter_allgather",
    ] * 2
    assert [run["waits"].split(" (")[0] for run in runs] == [lost, ""] * 2
    assert {run["outcome"] for run in runs} == {"finished"}


def test_another_trace_of_the_same_name_is_another_study(read: Read, tmp_path: Path) -> None:
    path = run_study(read(), tmp_path / "results.sqlite")
    with pytest.raises(ResultsError, match="holds another study: program content is"):
        run_study(read(length=5001), path)


def test_exchanges_are_as_skewed_as_asked_and_of_a_matrix(read: Read, tmp_path: Path) -> None:
    """Two ranks that exchange as much in both ways take as long by a rule as by a file."""
    head = 'routings = ["updown"]\n[[fabrics]]\ntopology = "mesh"\nextents = [2]\n'
    head += "hosts_per_switch = 1\n"
    lengths = {"even.csv": (5000, 5000), "odd.csv": (5000, 9000)}
    for name, (there, back) in lengths.items():
        (tmp_path / name).write_text(f"0,1,{there}\n1,0,{back}\n")

    def duration_ns(keys: str) -> float:
        text = f'{head}[[programs]]\noperation = "alltoallv"\n{keys}\n'
        path = run_study(read(text), tmp_path / f"{abs(hash(keys))}.sqlite")
        with weft.Results.open_all(path) as opened:
            [found] = opened.values()
            return found.replays["updown"].duration_ns

    even = duration_ns("bytes = 5000")
    assert duration_ns('matrix = "even.csv"') == even
    assert duration_ns("bytes = 5000\nzipf = 0") == even
    assert duration_ns("bytes = 5000\nskew = 1") == even
    assert duration_ns("bytes = 5000\nskew = 1.8") > even
    assert duration_ns("bytes = 5000\nzipf = 1.0\nseed = 3") > even
    assert duration_ns('matrix = "odd.csv"') > even
    for keys, problem in [
        ("zipf = 1.0\nskew = 1.5", "skew: does not go with zipf"),
        ('matrix = "even.csv"\nbytes = 4', "bytes: does not go with matrix"),
        ('matrix = "gone.csv"', "gone.csv"),
        ("skew = 2", "skew is 2.0; expected 1 to less than the 2 ranks"),
    ]:
        with pytest.raises(StudyError, match=re.escape(problem)):
            read(f'{head}[[programs]]\noperation = "alltoallv"\n{keys}\n')


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('trace = "ring.ti"', 'trace = "gone.ti"', 9, "gone.ti"),
        ('trace = "ring.ti"', 'trace = "ring.ti"\noperation = "bcast"', 9, "either trace or op"),
        ("bytes = 6400", "byte = 6400", 14, "unknown key “byte” of programs; did you mean bytes?"),
        ("bytes = 6400", 'bytes = "6 sacks"', 14, "bytes: found"),
        ("bytes = 6400", 'region = ".."', 14, "region: does not go with operation"),
        ("bytes = 6400", "skew = 2.5", 14, "skew: does not go with allreduce, which has equal"),
        ("bytes = 6400", 'matrix = "m.csv"', 14, "matrix: does not go with allreduce"),
        ('trace = "ring.ti"', 'trace = "ring.ti"\nzipf = 1.0', 10, "zipf: does not go with trace"),
        ('"allreduce=ring"', '"ring"', 15, "algorithms: found “ring”, expected OPERATION=NAME"),
        ('routings = ["updown", "min_hop"]', "loads = [0.1]", 1, "loads: does not go with program"),
        ("[[programs]]", "[[traffic]]", 8, "traffic: does not go with programs"),
    ],
)
def test_a_mistake_is_told_with_its_line(
    read: Read, old: str, new: str, line: int, message: str
) -> None:
    with pytest.raises(StudyError) as caught:
        read(STUDY.replace(old, new, 1))
    assert f"study.toml:{line}: " in str(caught.value)
    assert message in str(caught.value)


def test_programs_that_cannot_run_leave_nothing_behind(read: Read, tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    small = read(STUDY.replace("extents = [4, 4]", "extents = [2, 2]"))
    with pytest.raises(InputError, match="8 ranks on 4 hosts"):
        run_study(small, path)
    assert not path.exists()


class ElsewhereExecutor:
    """Another machine: it is given plain values and bytes, and gives bytes back."""

    slots = 2
    plans_ahead = False

    def __init__(self, compute: Callable[[ReplayWork], bytes]) -> None:
        self.compute = compute
        self.done: list[Finished] = []
        self.contents: list[str] = []

    def submit(self, work: ReplayWork) -> None:
        self.contents.append(work.content)
        self.done.append(Finished(work.content, *read_figures(self.compute(work))))

    def finished(self, timeout_s: float) -> list[Finished]:
        done, self.done = self.done, []
        return done

    def stop(self) -> list[Finished]:
        return []

    def close(self) -> None:
        """Nothing is held."""


def as_bytes(work: ReplayWork) -> bytes:
    """Replay as a worker of Dask does."""
    routed = work.routed
    conditions = json.loads(json.dumps(conditions_of(routed)))
    program = routed.spec.program
    trace = None if program.trace is None else trace_contents(program.trace)
    return replayed(fabric_text(routed.fabric), conditions, trace, work.hosts, work.content)


def as_files(folder: Path, work: ReplayWork) -> bytes:
    """Replay as a task of a job array does."""
    routed = work.routed
    write_text(folder / "fabrics" / routed.fabric_digest, fabric_text(routed.fabric))
    program = routed.spec.program
    if program.trace is not None:
        written_trace(trace_contents(program.trace), folder / "traces" / program.digest)
    entry = {"conditions": conditions_of(routed), "hosts": work.hosts, "content": work.content}
    write_text(folder / "tasks/0.json", json.dumps([entry]))
    run_task(folder, "0")
    return (folder / "points" / work.content).read_bytes()


#: When it ran and for how long, and the digest of a row, these included.
_OF_THE_RUN = ("finished_at", "wall_s", "digest")


def replays(path: Path) -> list[tuple[object, ...]]:
    """Return all replays of a file but for their times."""
    with closing(sqlite3.connect(path)) as connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(replay)")]
        wanted = ", ".join(name for name in names if name not in _OF_THE_RUN)
        query = f"SELECT {wanted} FROM replay ORDER BY study_id, routing"  # noqa: S608
        return connection.execute(query).fetchall()


def elsewhere(
    study: StudyFile, path: Path, compute: Callable[[ReplayWork], bytes] = as_bytes
) -> list[str]:
    """Run a study on another machine; return the contents of what it was given."""
    executor = ElsewhereExecutor(compute)
    run_programs(study.programs, path, executor=executor, stages=Stages(), watcher=lambda _: None)
    return executor.contents


def test_other_machines_replay_to_the_last_bit(read: Read, tmp_path: Path) -> None:
    study = read()
    here = replays(run_study(study, tmp_path / "here.sqlite"))
    for name, compute in (("bytes", as_bytes), ("files", partial(as_files, tmp_path / "array"))):
        path = tmp_path / f"{name}.sqlite"
        assert len(elsewhere(study, path, compute)) == 6
        assert replays(path) == here


def test_a_trace_in_several_files_reaches_another_machine(read: Read, tmp_path: Path) -> None:
    read()
    parts = tmp_path / "parts"
    parts.mkdir()
    names = []
    for rank, line in enumerate(ring(5000).splitlines()):
        (parts / f"{rank}.ti").write_text(f"{line}\n")
        names.append(f"parts/{rank}.ti")
    (tmp_path / "list.ti").write_text("\n".join(names))
    study = read(STUDY.replace("ring.ti", "list.ti"))
    here = run_study(read(), tmp_path / "here.sqlite")
    elsewhere(study, tmp_path / "there.sqlite")
    assert replays(tmp_path / "there.sqlite") == replays(here)
    digest = study.programs[0].spec.program.digest
    # It sends less, and its receive has room for what comes.
    (parts / "3.ti").write_text(ring(5000).splitlines()[3].replace("5000", "4999", 1))
    assert read(STUDY.replace("ring.ti", "list.ti")).programs[0].spec.program.digest != digest


def test_programs_of_equal_content_run_once(read: Read, tmp_path: Path) -> None:
    # The preset's own value, given and not given: two cases, the same machine.
    delay = weft.hardware().parameters["routing_delay_ns"]
    twice = f"[[hardware]]\nrouting_delay_ns = {delay}\n\n[[hardware]]\npreset = 'myrinet'\n"
    study = read(f"{STUDY}\n{twice}")
    path = tmp_path / "results.sqlite"
    contents = elsewhere(study, path)
    assert len(study.programs) == 12
    assert len(contents) == len(set(contents)) == 6
    assert len(replays(path)) == 12
    assert [status.missing_points for status in program_statuses(study.programs, path)] == [0] * 12


def test_a_file_of_hosts_is_known_by_its_content(read: Read, tmp_path: Path) -> None:
    text = STUDY.replace('trace = "ring.ti"', 'trace = "ring.ti"\nplacement = "hosts.txt"')
    hosts = tmp_path / "hosts.txt"
    with pytest.raises(StudyError, match=r"study\.toml:10: .*hosts\.txt: no such file"):
        read(text)
    hosts.write_text("\n".join(map(str, range(8))))
    path = run_study(read(text), tmp_path / "results.sqlite")
    hosts.write_text("\n".join(map(str, range(8, 16))))
    with pytest.raises(ResultsError, match="program placement_content is"):
        run_study(read(text), path)


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


def test_the_commands_run_it_and_write_its_report(read: Read, tmp_path: Path) -> None:
    study, folder = read(), tmp_path / "out"
    ran = done("study", "run", study.path, "--out", folder)
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
    assert not names_an_address(page)


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


def test_programs_run_once_by_routings_of_the_same_routes(read: Read, tmp_path: Path) -> None:
    study = read(
        'routings = ["minimal", "updown"]\n'
        '[[fabrics]]\ntopology = "mesh"\nextents = [8, 1]\nhosts_per_switch = 1\n'
        '[[programs]]\noperation = "allreduce"\nbytes = 6400\n'
    )
    replays: list[str] = []

    class Counting(Stages):
        def replay(self, work: ReplayWork, cancel: weft.Cancel) -> ReplayFigures:
            replays.append(work.routed.routing.label)
            return super().replay(work, cancel)

    path = run_study(study, tmp_path / "out" / "results.sqlite", stages=Counting())
    assert replays == ["minimal"]
    (case,) = study.programs
    with weft.Results.open(path, case.name) as results:
        minimal, updown = results.replays["minimal"], results.replays["updown"]
        assert minimal.to_dict() == updown.to_dict()
        assert np.array_equal(minimal.rank_times_ns, updown.rank_times_ns)
        assert [routing.same_routes_as for routing in results.routings] == [None, "minimal"]
    ended = done("study", "run", tmp_path / "study.toml", "--out", path.parent)
    assert "updown: the same routes as minimal, replayed once" in ended.stdout
