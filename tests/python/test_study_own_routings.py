"""Routings of one's own in study files: known by their routes, alike on every machine."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import weft
from weft import own_routing
from weft._files import text_digest
from weft.errors import ResultsError, RoutingError, StudyError
from weft.study import StudyFile, read_study, run_study
from weft.study.case import ROUTES, fabric_text, point_content, recorded_parameters
from weft.study.executors import remote
from weft.study.executors.interface import RoutedCase
from weft.study.executors.wire import conditions_of, read_figures
from weft.study.router import Router
from weft.study.stages import Stages

if TYPE_CHECKING:
    from collections.abc import Iterator


TREE = (Path(__file__).parents[2] / "examples/spanning_tree.py").read_text()

STUDY = """\
own_routings = ["tree.py"]
routings = ["updown", "spanning_tree:root=sw3"]
loads = [0.02]
precision = 0.3
max_packets = 2000

[[fabrics]]
topology = "irregular"
switches = 8
"""


@pytest.fixture(autouse=True)
def _no_algorithms_left() -> Iterator[None]:
    before = dict(own_routing._added)
    yield
    own_routing._added.clear()
    own_routing._added.update(before)


#: Writes and reads a study file.
Read = Callable[..., StudyFile]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def reader(tree: str | None = TREE, *, text: str = STUDY) -> StudyFile:
        if tree is not None:
            (tmp_path / "tree.py").write_text(tree)
        path = tmp_path / "own.toml"
        path.write_text(text)
        return read_study(path)

    return reader


def points(path: Path) -> dict[str, str]:
    """Return the content of every point by its routing."""
    with closing(sqlite3.connect(path)) as connection:
        return dict(connection.execute("SELECT routing, content FROM point"))


def test_a_study_brings_its_routings(read: Read, tmp_path: Path) -> None:
    path = run_study(read(), tmp_path / "results.sqlite")
    with weft.Results.open(path) as results:
        own, known = results.routing("spanning_tree:root=sw3"), results.routing("updown")
        routes = weft.route(weft.irregular(8, seed=1), "spanning_tree:root=sw3").to_json()
    assert own.parameters == {"root": "sw3", ROUTES: text_digest(routes)}
    assert own.title == "spanning tree"
    assert len(own.points) == 1
    # What Weft's own algorithms make is known by the version.
    assert ROUTES not in known.parameters


def test_the_same_routes_are_the_same_points_and_others_are_refused(
    read: Read, tmp_path: Path
) -> None:
    path = run_study(read(), tmp_path / "results.sqlite")
    before = points(path)
    told: list[object] = []
    run_study(read(f"# The same, said otherwise.\n{TREE}"), path, watcher=told.append)
    assert [event.is_new for event in told if hasattr(event, "is_new")] == [False, False]
    assert points(path) == before
    # Breadth first from the other end of every list of neighbours: another tree.
    other = TREE.replace("in neighbours[switch]", "in neighbours[switch][::-1]")
    assert other != TREE
    study = read(other)
    with pytest.raises(ResultsError, match="spanning_tree:root=sw3 has other routes there"):
        run_study(study, path)
    elsewhere = points(run_study(study, tmp_path / "other.sqlite"))
    assert elsewhere["updown"] == before["updown"]
    assert elsewhere["spanning_tree:root=sw3"] != before["spanning_tree:root=sw3"]


def test_a_routing_that_failed_may_be_mended(read: Read, tmp_path: Path) -> None:
    broken = TREE.replace("= {names.index(root): None}", "= {names.find(root): None}")
    path = run_study(read(broken), tmp_path / "results.sqlite")
    assert points(path).keys() == {"updown"}
    with weft.Results.open(path) as results:
        text = results.routing("spanning_tree:root=sw3").proof.text
    assert text.startswith("spanning_tree failed on irregular-8-seed1: AttributeError: 'list'")
    assert text.endswith("(tree.py:23)")
    run_study(read(), path)
    assert points(path).keys() == {"updown", "spanning_tree:root=sw3"}
    with weft.Results.open(path) as results:
        assert [entry.label for entry in results.routings] == ["updown", "spanning_tree:root=sw3"]
        assert all(entry.proof.deadlock_free for entry in results.routings)
    # And one that worked may not fail silently.
    with pytest.raises(ResultsError, match="has points of spanning_tree:root=sw3, which fails"):
        run_study(read(broken), path)


@pytest.mark.parametrize(
    ("tree", "text", "message"),
    [
        (None, STUDY, "own.toml:1: own_routings: .*tree.py: no such file or directory; expected"),
        ("x = 1\n", STUDY, "own.toml:1: own_routings: tree.py:1: adds no routing; expected a call"),
        ("x = 1\ny = (\n", STUDY, r"own.toml:1: own_routings: tree.py:2: SyntaxError: '\(' was"),
        ("\n1 / 0\n", STUDY, "own_routings: tree.py:2: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", STUDY, "own_routings: tree.py:1: SystemExit: 3"),
        ("import nothing_here", STUDY, "own_routings: tree.py:1: ModuleNotFoundError: No module"),
        (
            TREE.replace('name="spanning_tree"', 'name="updown"'),
            STUDY,
            r"own_routings: tree.py:\d+: Weft has an algorithm updown of its own",
        ),
        (TREE, STUDY.replace('["tree.py"]', "[1]"), r"own_routings: found \[1\], expected a list"),
        (TREE, STUDY.replace('["tree.py"]', '"tree.py"'), "own_routings: found 'tree.py', expect"),
        (TREE, STUDY.replace("own_rou", "own_ruo"), "own.toml:1: unknown key “own_ruotings”; did"),
    ],
)
def test_a_mistake_is_told_with_file_key_and_line(
    read: Read, tree: str | None, text: str, message: str
) -> None:
    with pytest.raises(StudyError, match=message):
        read(tree, text=text)


def test_a_parameter_that_is_not_known_is_refused_with_its_line(read: Read) -> None:
    with pytest.raises(StudyError, match=r"toml:2: .* has no parameter rot; did you mean root\?"):
        read(text=STUDY.replace("root=sw3", "rot=sw3"))


def work(study: StudyFile) -> tuple[str, dict[str, object], str]:
    """Return what is sent to another machine for the own routing of a study: text, conditions."""
    case = study.cases[0]
    router = Router(Stages(), lambda _: None)
    router.check(study.cases)
    digest = text_digest(fabric_text(case.fabric))
    specification = "spanning_tree:root=sw3"
    routing = router.route(case.fabric, specification)
    routed = RoutedCase(
        case.fabric, digest, routing, recorded_parameters(routing), specification, case.spec
    )
    conditions = json.loads(json.dumps(conditions_of(routed)))
    return fabric_text(case.fabric), conditions, point_content(routed, 0.02, 1)


def test_a_process_that_knows_nothing_of_it_simulates_the_same(read: Read, tmp_path: Path) -> None:
    text, conditions, content = work(read())
    here, _ = read_figures(remote.simulated(text, conditions, 0.02, 1, content))
    (tmp_path / "work.json").write_text(json.dumps([text, conditions, 0.02, 1, content]))
    script = (
        "import json, sys; from weft.study.executors.remote import simulated;"
        "sys.stdout.buffer.write(simulated(*json.load(open('work.json'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, check=True
    )
    there, _ = read_figures(done.stdout)
    assert repr(there.to_dict()) == repr(here.to_dict())


def test_one_process_serves_two_studies_with_routings_of_one_name(read: Read) -> None:
    mine = work(read())
    other = work(read(TREE.replace("in neighbours[switch]", "in neighbours[switch][::-1]")))
    assert mine[2] != other[2]
    for text, conditions, content in (mine, other, mine):
        remote._routing.cache_clear()
        assert remote.simulated(text, conditions, 0.02, 1, content)
    with pytest.raises(ResultsError, match=r"at 0\.02 is something else on this machine"):
        remote.simulated(*mine[:2], 0.02, 1, other[2])


def test_a_routing_that_no_file_brings_is_explained(read: Read) -> None:
    text, conditions, content = work(read())
    own_routing._added.clear()
    remote._routing.cache_clear()
    with pytest.raises(RoutingError, match=r"a study names the files .* by own_routings"):
        remote.simulated(text, {**conditions, "own_routings": []}, 0.02, 1, content)
