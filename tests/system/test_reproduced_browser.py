"""A reproduced paper in a real browser: from disk, narrow and wide, in the dark, by keyboard."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright
from test_report_browser import CLIPPED_TEXTS, FLAGS, LOCAL

from weft.reproduce import PAPERS, reproduce
from weft.reproduce.page import to_html
from weft.reproduce.pictures import pictures

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import ColorScheme

#: Curves of three sizes, and pools below and beyond the throughput.
EXPERIMENTS = ("figure-10", "figure-11")
CHARTS = 3 + 2

WIDER_THAN_SCREEN = "() => document.documentElement.scrollWidth - window.innerWidth"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reproduce two figures of BOOST, small."""
    folder = tmp_path_factory.mktemp("boost")
    boost = PAPERS["boost"]
    chosen = [entry for entry in boost.experiments if entry.name in EXPERIMENTS]
    made = reproduce(boost, chosen, folder / "results.sqlite", quick=True)
    path = folder / "report.html"
    drawn = pictures(made, folder / "results.sqlite")
    path.write_text(to_html(boost, made, "1.2.3", drawn), encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [400, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_reproduced_paper_is_whole_at_any_width(
    report: Path, width: int, scheme: ColorScheme
) -> None:
    program = shutil.which("chromium")
    assert program, "found no chromium; tests/system/install.sh installs it"
    requests: list[str] = []
    complaints: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, headless=True, args=FLAGS)
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.on("request", lambda request: requests.append(request.url))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(report.as_uri())
        shown = page.locator("figure svg.marks").filter(visible=True)
        assert shown.count() == CHARTS
        assert page.evaluate(CLIPPED_TEXTS) == []
        assert page.evaluate(WIDER_THAN_SCREEN) <= 0
        # Text stays legible: a chart is not squeezed into a narrow screen but has another form.
        drawn_wide = shown.first.bounding_box()["width"]  # type: ignore[index]
        assert drawn_wide > 640 if width > 640 else 336 <= drawn_wide <= width
        # The first screen says what agrees.
        head = page.locator(".answers").bounding_box()
        assert head is not None
        assert head["y"] + head["height"] <= 900
        assert "Does it agree?" in page.locator(".answers dt").all_text_contents()
        # The keyboard reaches pictures where they scroll, and tables, in their order.
        regions = page.locator("[role=region]").filter(visible=True)
        regions.first.focus()
        names = []
        for _ in range(regions.count()):
            names.append(page.locator(":focus").get_attribute("aria-label"))
            page.keyboard.press("Tab")
        assert names == [region.get_attribute("aria-label") for region in regions.all()]
        assert any("Figure 10" in (name or "") for name in names)
        text = page.locator("p").first.evaluate("at => getComputedStyle(at).color")
        is_light_text = all(int(part) > 128 for part in text.strip("rgb()").split(",")[:3])
        assert is_light_text == (scheme == "dark")
        browser.close()
    assert [url for url in requests if not url.startswith(LOCAL)] == []
    assert complaints == []
