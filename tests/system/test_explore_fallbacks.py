"""The page of ``weft explore`` where something is missing: WebGL, a server, data as they were."""

from __future__ import annotations

import base64
import gzip
import json
from importlib import resources
from typing import TYPE_CHECKING

import pytest
from explore_pages import WITHOUT_WEBGL, address_of, opened, served, started
from playwright.sync_api import sync_playwright
from report_samples import hostile

import weft
from weft.explore import scene

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = started(playwright, *WITHOUT_WEBGL)
        yield found
        found.close()


def test_without_webgl_the_network_is_drawn_in_svg_and_answers_clicks(browser: Browser) -> None:
    mesh = weft.generate("mesh", extents=[8, 8])
    with served(mesh) as server:
        one = opened(browser, mesh, address_of(server))
        assert one.page.evaluate("document.createElement('canvas').getContext('webgl2')") is None
        one.status()
        assert one.page.locator(".stage > canvas.base").count() == 0
        lines = one.page.locator(".stage > svg.base > polyline")
        assert lines.count() == len(one.scene["cables"]["a"])
        colours = lines.evaluate_all("all => all.map((at) => at.getAttribute('stroke'))")
        assert len(set(colours)) > 1
        one.page.mouse.click(*one.between(0, 1, 0.5))
        cable = one.view()["picked"]["cable"]
        ends = one.scene["cables"]
        assert {ends["a"][cable], ends["b"][cable]} == {0, 1}
        assert one.complaints == []
        one.page.context.close()


def test_without_webgl_a_large_network_is_told_as_text(browser: Browser) -> None:
    mesh = weft.generate("mesh", extents=[23, 23])
    with served(mesh, "updown") as server:
        one = opened(browser, mesh, address_of(server))
        one.status()
        told = one.page.locator(".undrawn").inner_text()
        assert "more than 500 switches are not drawn without" in told
        assert one.page.locator(".stage > svg.base > polyline").count() == 0
        assert one.page.locator("#cables tbody tr").count() > 10
        one.page.context.close()


def packed(content: bytes) -> str:
    """Return what stands in a page that needs no server."""
    return base64.b64encode(gzip.compress(content, mtime=0)).decode()


def page_with(folder: Path, **parts: str) -> str:
    """Write a page that holds its data itself; return its address."""
    text = (folder / "index.html").read_text()
    held = "".join(
        f'<script type="text/plain" id="weft-{name}">{content}</script>'
        for name, content in parts.items()
    )
    path = folder / "page.html"
    path.write_text(text.replace('<script type="module"', held + '<script type="module"'))
    return path.as_uri()


SCENE = json.dumps(scene(hostile())).encode()
WHOLE = packed(SCENE)
DAMAGES = {
    "cut short": (WHOLE[: len(WHOLE) // 2], "“weft-scene” of this page cannot be unpacked"),
    "no base64": ("§§§", "“weft-scene” of this page cannot be unpacked"),
    "a letter changed": (WHOLE[:80] + "AAAA" + WHOLE[84:], "damaged on its way"),
    "nothing": ("", "lacks its part “weft-scene”"),
    "no JSON": (packed(SCENE[:-5]), "not JSON"),
    "another format": (packed(b'{"format": "gif"}'), "“gif”"),
    "a switch too few": (
        packed(SCENE.replace(b'"x": [', b'"x": [0, ', 1)),
        "where 3 were",
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lay out the page as one file but for its style, with its script allowed as it stands."""
    found = tmp_path_factory.mktemp("page")
    parts = resources.files("weft.explore")
    text, script = (parts.joinpath(name).read_text() for name in ("index.html", "page.js"))
    text = text.replace("script-src 'self'", "script-src 'unsafe-inline'")
    linked = '<script type="module" src="page.js"></script>'
    assert linked in text
    (found / "index.html").write_text(
        text.replace(linked, f'<script type="module">{script}</script>')
    )
    (found / "page.css").write_bytes(parts.joinpath("page.css").read_bytes())
    return found


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_data_is_told_of_in_words(browser: Browser, folder: Path, damage: str) -> None:
    content, told = DAMAGES[damage]
    page = browser.new_page()
    try:
        page.goto(page_with(folder, scene=content, core=packed(b"\0asm"), fabric=packed(b"{}")))
        alert = page.get_by_role("alert")
        alert.wait_for()
        assert told in alert.inner_text()
        assert page.get_by_role("heading").inner_text() == "This page cannot be opened"
    finally:
        page.close()


def test_a_damaged_core_is_told_of_in_words(browser: Browser, folder: Path) -> None:
    page = browser.new_page()
    try:
        core = packed(b"\0asm\1\0\0\0damaged")
        given = {"routes": packed(b"[]"), "patterns": packed(b"[]")}
        parts = {"scene": WHOLE, "fabric": packed(b"{}"), "core": core, **given}
        page.goto(page_with(folder, **parts))
        page.get_by_role("alert").wait_for()
        assert "The core in this page is damaged." in page.get_by_role("alert").inner_text()
    finally:
        page.close()
