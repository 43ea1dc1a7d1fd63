"""What several tests use: a browser that needs no profile of its own, and the plugin of OpenSM."""

from __future__ import annotations

import subprocess
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from explore_pages import started
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the wheel, which takes longest, so that what runs beside it ends no later."""
    items.sort(key=lambda item: item.path.name != "test_wheel.py")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = started(playwright)
        yield found
        found.close()


@pytest.fixture(scope="session")
def plugin() -> Path:
    """Build the plugin of OpenSM and return its folder; of tests side by side one builds it."""
    folder = Path(__file__).resolve().parents[2] / "opensm-plugin"
    with (folder / "Makefile").open() as makefile:
        flock(makefile, LOCK_EX)
        subprocess.run(["make", "--directory", folder], check=True)
    assert (folder / "libweft.so").exists()
    return folder
