"""Results files that are refused: foreign, damaged, newer, of another study; full disks."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from synthetic import SyntheticStages, measurement

import weft
from weft.errors import EnvironmentFailure, ResultsError
from weft.results.database import Database
from weft.results.schema import APPLICATION_ID, FORMAT_VERSION
from weft.results.store import PointKey, ResultsStore
from weft.study import StudySpec, compare

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def finished(fabric: weft.Fabric, path: Path) -> Path:
    """Return a finished results file."""
    run_again(path)
    return path


def run_again(path: Path, fabric: weft.Fabric | None = None, **settings: object) -> None:
    fabric = fabric or weft.irregular(8, seed=1)
    compare(fabric, ["early"], results=path, stages=SyntheticStages(), **settings).close()


def assert_refused(path: Path, message: str) -> None:
    """Neither read nor gone on with."""
    for attempt in (weft.Results.open, run_again):
        with pytest.raises(ResultsError, match=message):
            attempt(path)


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"none\.sqlite: no such file"):
        weft.Results.open(tmp_path / "none.sqlite")


@pytest.mark.parametrize("content", [b"", b"load,accepted\n0.1,0.1\n", bytes(range(256)) * 40])
def test_a_file_that_is_no_database_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(ResultsError, match=r"r\.sqlite: not a results file"):
        weft.Results.open(path)
    if content:
        assert_refused(path, r"r\.sqlite: not a results file")
        assert path.read_bytes() == content


def test_another_program_s_database_is_refused_and_left_alone(path: Path) -> None:
    change(path, "CREATE TABLE point (x)")
    before = path.read_bytes()
    assert_refused(path, "not a results file of Weft")
    assert path.read_bytes() == before


def test_a_newer_format_is_refused(finished: Path) -> None:
    change(finished, f"PRAGMA user_version = {FORMAT_VERSION + 1}")
    assert_refused(finished, r"newer Weft .*update Weft")


@pytest.mark.parametrize("kept", [100, 4096, 10_000, 30_000])
def test_a_cut_off_file_is_refused(finished: Path, kept: int) -> None:
    assert finished.stat().st_size > kept
    os.truncate(finished, kept)
    assert_refused(finished, r"cut off|damaged")


def test_a_file_with_overwritten_pages_is_refused(finished: Path) -> None:
    content = bytearray(finished.read_bytes())
    content[4096 : 4096 * 3] = b"\xa5" * (4096 * 2)
    finished.write_bytes(content)
    with pytest.raises(ResultsError, match="damaged"):
        weft.Results.open(finished).ranking()


def test_another_fabric_is_refused_naming_the_difference(finished: Path) -> None:
    with pytest.raises(ResultsError) as refused:
        run_again(finished, weft.irregular(8, seed=2))
    text = str(refused.value)
    assert "another study" in text
    assert "fabric name is irregular-8-seed1 there and irregular-8-seed2 here" in text
    assert "another file or folder" in text


@pytest.mark.parametrize(
    ("settings", "difference"),
    [
        (
            {"hardware": weft.hardware("myrinet", routing_delay_ns=100)},
            "hardware routing_delay_ns is 150.0 there and 100.0 here",
        ),
        (
            {"traffic": weft.Traffic(payload_bytes=32)},
            "traffic payload_bytes is {'512': 1.0} there and {'32': 1.0} here",
        ),
        (
            {"traffic": weft.Traffic(arrivals="constant")},
            "traffic arrivals is poisson there and constant here",
        ),
        ({"seeds": [2]}, "traffic seeds is [1] there and [2] here"),
        ({"precision": 0.1}, "run precision is 0.05 there and 0.1 here"),
        ({"max_packets": 1000}, "run max_packets is"),
    ],
)
def test_other_conditions_are_refused_naming_the_difference(
    finished: Path, settings: dict[str, object], difference: str
) -> None:
    before = finished.read_bytes()
    with pytest.raises(ResultsError) as refused:
        run_again(finished, **settings)
    assert difference in str(refused.value)
    assert str(refused.value).count(" there and ") == 1
    assert finished.read_bytes() == before


def test_another_version_of_weft_is_refused(finished: Path) -> None:
    with closing(Database.open_for_writing(finished)) as database:
        database.update("study", {"study_id": 1}, {"weft_version": "0.0.1"})
    with pytest.raises(ResultsError, match=r"weft is 0\.0\.1 there and"):
        run_again(finished)


def test_a_full_disk_is_one_clear_error_and_keeps_finished_points(
    fabric: weft.Fabric, finished: Path
) -> None:
    with weft.Results.open(finished) as results:
        before = len(results.routing("early").points)
    database = Database.open_for_writing(finished)
    store = ResultsStore(
        database, fabric, StudySpec(("early",), weft.hardware(), weft.Traffic()).on(fabric)
    )
    pages = database.rows("PRAGMA page_count")[0][0]
    database.rows(f"PRAGMA max_page_count = {pages + 2}")

    def fill() -> None:
        for number in range(1000):
            key = PointKey("early", 0.5 + 1e-4 * number, 1)
            store.add_point(key, str(number), measurement(fabric, 0.5, 0.1), 0.0)

    with pytest.raises(EnvironmentFailure, match=r"database or disk is full.*make room"):
        fill()
    database.close()
    with weft.Results.open(finished) as results:
        assert before <= len(results.routing("early").points) < before + 10
        assert results.ranking()


LIMITED = """
import resource, sys
import weft, weft.study
from synthetic import SyntheticStages
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    weft.study.compare(weft.irregular(8, seed=1), ["early", "late"], results=sys.argv[1],
                       stages=SyntheticStages())
except weft.EnvironmentFailure as error:
    print(error)
    sys.exit(3)
"""


@pytest.mark.parametrize("limit_bytes", [0, 3000, 75_000, 100_000])
def test_a_file_that_may_not_grow_is_one_clear_error_and_resumes(
    compared: Callable[..., weft.Results], tmp_path: Path, limit_bytes: int
) -> None:
    path = tmp_path / "new" / "r.sqlite"
    ended = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path), str(limit_bytes)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 3, ended.stderr
    assert "r.sqlite: " in ended.stdout
    assert "Traceback" not in ended.stderr
    if limit_bytes < 10_000:
        assert not path.exists()
    else:
        with weft.Results.open(path) as results:
            assert all(point.load > 0 for point in results.routing("early").points)
    with compared("early", "late", results=path) as results:
        assert len(results.ranking()) == 2


def test_a_file_that_may_not_be_written_is_still_read(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = finished.parent
    finished.chmod(stat.S_IRUSR)
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    # The superuser may write anything; the answer of the system is put in its place.
    monkeypatch.setattr(os, "access", lambda *_: False)
    try:
        with weft.Results.open(finished) as results:
            assert results.ranking()[0].label == "early"
            with pytest.raises(EnvironmentFailure, match=r"readonly.*permissions"):
                results._database.execute("DELETE FROM point")
    finally:
        folder.chmod(stat.S_IRWXU)


def test_a_folder_that_is_a_file_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(EnvironmentFailure, match="cannot be opened"):
        run_again(tmp_path / "file" / "r.sqlite")


def test_the_file_is_marked_as_weft_s_own(finished: Path) -> None:
    header = finished.read_bytes()[:100]
    assert int.from_bytes(header[68:72], "big") == APPLICATION_ID
    assert header[68:72] == b"Weft"


def test_no_journal_stays_behind(finished: Path) -> None:
    assert list(finished.parent.iterdir()) == [finished]
