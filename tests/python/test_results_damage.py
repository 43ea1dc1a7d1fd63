"""A results file with changed bytes: no command crashes on it, and none shows other figures."""

from __future__ import annotations

import random
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from command import done, weft

from weft.errors import WeftError
from weft.results import Results
from weft.results.database import Database

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def study(net: Path, tmp_path: Path) -> Path:
    """Return a study file whose results are there."""
    file = tmp_path / "small.toml"
    file.write_text(
        'routings = ["updown", "minimal"]\nloads = [0.05, 0.1]\nmax_packets = 2000\n'
        f'[[fabrics]]\nfile = "{net}"\n'
    )
    done("study", "run", file, "--out", tmp_path)
    return file


def changed(content: bytes, draws: random.Random) -> bytes:
    """Change a bit, a byte, or a run of bytes."""
    made = bytearray(content)
    place = draws.randrange(len(made))
    match draws.randrange(3):
        case 0:
            made[place] ^= 1 << draws.randrange(8)
        case 1:
            made[place] = draws.randrange(256)
        case _:
            made[place : place + 40] = draws.randbytes(len(made[place : place + 40]))
    return bytes(made)


COMMANDS = [
    ("report", "RESULTS", "-o", "report.html", "--json"),
    ("study", "status", "STUDY", "--out", "FOLDER"),
    ("export", "RESULTS", "--csv", "-o", "tables"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_command_on_a_damaged_file_ends_with_a_message_or_with_the_right_figures(
    study: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    results = tmp_path / "results.sqlite"
    places = {
        "RESULTS": results,
        "STUDY": study,
        "FOLDER": tmp_path,
        "report.html": tmp_path / "report.html",
    }
    places["tables"] = tmp_path / "tables"
    call = [places.get(word, word) for word in words]
    whole = results.read_bytes()
    right = weft(*call)
    assert right.code == 0, right.stderr
    draws = random.Random(7)
    codes = set()
    for _ in range(40):
        results.write_bytes(changed(whole, draws))
        ended = weft(*call)
        codes.add(ended.code)
        assert "Traceback" not in ended.stderr
        if ended.code == 0:
            assert ended.stdout == right.stdout
        else:
            assert ended.code in (2, 3), ended.stderr
            assert str(results) in ended.stderr
        results.with_name("results.sqlite-journal").unlink(missing_ok=True)
    assert codes >= {0, 2}


def test_every_change_is_noticed_or_changes_nothing(study: Path, tmp_path: Path) -> None:
    del study
    results = tmp_path / "results.sqlite"
    whole = results.read_bytes()

    def content() -> list[list[tuple[object, ...]]]:
        with closing(Database.open_for_reading(results)) as database:
            tables = ("study", "session", "routing", "point", "point_arrays", "replay")
            return [list(map(tuple, database.rows(f"SELECT * FROM {name}"))) for name in tables]  # noqa: S608

    right = content()
    draws = random.Random(11)
    told = []
    for _ in range(400):
        results.write_bytes(changed(whole, draws))
        try:
            assert content() == right
        except WeftError as error:
            told.append(str(error))
    assert len(told) > 100
    assert all(message.startswith(f"{results}: ") for message in told)


def test_a_changed_figure_of_a_large_file_is_noticed_where_it_is_read(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del study
    results = tmp_path / "results.sqlite"
    monkeypatch.setattr("weft.results.database._CHECKED_BYTES", 0)
    with closing(Database.open_for_writing(results)) as database:
        database.execute("UPDATE point SET accepted_load = accepted_load * 2")
    with Results.open(results) as opened, pytest.raises(WeftError, match="damaged"):
        opened.ranking()
