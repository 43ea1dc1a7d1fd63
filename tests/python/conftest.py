"""What all tests share."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from synthetic import SyntheticStages

import weft
from weft.study import compare

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# The same examples on every run and every machine, and no folder left behind.
settings.register_profile("weft", derandomize=True, database=None, deadline=None, max_examples=50)
settings.load_profile("weft")

# What a shell starts in the background ignores Ctrl-C, and so does all that this starts: tests that
# press it would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


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
