"""The browser of tests that need no profile of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from explore_pages import started
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = started(playwright)
        yield found
        found.close()
