"""What all tests share."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from synthetic import SyntheticStages

import weft
from weft.results import database
from weft.study import compare

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator
    from pathlib import Path

# The same examples on every run and every machine, and no folder left behind.
settings.register_profile("weft", derandomize=True, database=None, deadline=None, max_examples=50)
settings.load_profile("weft")

# What a shell starts in the background ignores Ctrl-C, and so does all that this starts: tests that
# press it would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _results_are_not_waited_for() -> Iterator[None]:
    """Let the system write results to disk when it will: none of the tests takes its power away."""
    connect = database._connect

    def connect_at_ease(path: Path, mode: str) -> sqlite3.Connection:
        connection = connect(path, mode)
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "_connect", connect_at_ease)
        yield


@pytest.fixture
def fabric() -> weft.Fabric:
    return weft.irregular(8, seed=1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where results go."""
    return tmp_path / "r.sqlite"


@pytest.fixture
def compared(fabric: weft.Fabric, path: Path) -> Callable[..., weft.Results]:
    """Return what compares routings in a synthetic study of the fabric."""

    def run(*routings: str, **changes: object) -> weft.Results:
        given = {"results": path, "stages": SyntheticStages(), **changes}
        return compare(fabric, routings, **given)

    return run


@pytest.fixture(scope="session")
def net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a network for the command."""
    file = tmp_path_factory.mktemp("fabric") / "net.json"
    weft.write_fabric(weft.irregular(8, seed=3), file)
    return file
