"""The report in a real browser: opened from disk, drawn, used by keyboard, off the network."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import sync_playwright
from report_samples import HOSTILE_NAME, SAMPLES

from weft.report import render_report, write_report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import BrowserContext, Page

    import weft

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CHARTS = ("latency", "accepted", "longest", "utilization", "blocked", "hosts", "fabric")
LOCAL = ("file:", "data:", "blob:")
MOST_TABS = 200

CLIPPED_TEXTS = """
() => [...document.querySelectorAll("svg.marks")].flatMap((drawing) => {
  const page = drawing.getBoundingClientRect();
  return [...drawing.querySelectorAll("text")].filter((text) => {
    const box = text.getBoundingClientRect();
    return text.textContent && box.width &&
      (box.left < page.left - 2 || box.right > page.right + 2 ||
       box.top < page.top - 2 || box.bottom > page.bottom + 2);
  }).map((text) => text.textContent);
})
"""
LEGENDS_OVER_DATA = """
() => [...document.querySelectorAll("svg.marks")].flatMap((drawing) => {
  const boxes = (selector) =>
    [...drawing.querySelectorAll(selector)].map((part) => part.getBoundingClientRect());
  const marks = boxes("g.weft:not(.of-legend) path, g.weft:not(.of-legend) use");
  return boxes("g.of-legend").filter((legend) => marks.some((mark) =>
    mark.left < legend.right && legend.left < mark.right &&
    mark.top < legend.bottom && legend.top < mark.bottom
  )).map(() => drawing.closest(".drawing").id);
})
"""
STROKES = """
() => [...document.querySelectorAll("#chart-fabric .of-utilization > path")].map((stroke) => {
  const style = getComputedStyle(stroke);
  return [style.stroke, parseFloat(style.strokeWidth).toFixed(2)];
})
"""
FOCUSED = """
() => {
  const at = document.activeElement;
  return at.dataset.signal || at.value || at.getAttribute("href") ||
    at.getAttribute("aria-label") || at.textContent.trim() || at.tagName;
}
"""


@dataclass
class Visit:
    """An opened report and everything the browser asked for or complained about."""

    page: Page
    results: weft.Results
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def marks(self, chart: str) -> int:
        """Count the drawn items of a chart that carry data."""
        shown = f"#chart-{chart} svg.marks g.weft:not([display=none], .of-legend)"
        return self.page.locator(f"{shown} > path, {shown} use").count()

    def text(self, chart: str) -> str:
        """Return all text in a chart."""
        texts = self.page.locator(f"#chart-{chart} svg.marks text").filter(visible=True)
        return " ".join(texts.all_text_contents())

    def tab_to(self, wanted: str) -> None:
        """Press Tab until an element has the focus."""
        for _ in range(MOST_TABS):
            self.page.keyboard.press("Tab")
            if self.page.evaluate(FOCUSED) == wanted:
                return
        pytest.fail(f"{wanted!r} was not reached by {MOST_TABS} presses of Tab")


#: Opens the report of a sample by its name.
Opener = Callable[[str], Visit]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """Start Debian's Chromium with an empty profile."""
    program = shutil.which("chromium")
    assert program, "found no chromium; tests/system/install.sh installs it"
    profile = tmp_path_factory.mktemp("profile")
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile,
            executable_path=program,
            headless=True,
            args=FLAGS,
            viewport={"width": 1240, "height": 900},
        )
        context.set_default_timeout(120_000)
        yield context
        context.close()


@pytest.fixture(scope="module")
def visit(browser: BrowserContext, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opener]:
    """Open the report of a sample; each is written once and opened anew for every test."""
    reports: dict[str, Any] = {}
    opened: list[Page] = []

    def open_sample(name: str) -> Visit:
        if name not in reports:
            folder = tmp_path_factory.mktemp(name)
            reports[name] = (SAMPLES[name](folder), folder / "report.html")
            write_report(*reports[name])
        results, path = reports[name]
        for page in opened:
            page.close()
        opened[:] = [browser.new_page()]
        found = Visit(opened[0], results)
        found.page.on("request", lambda request: found.requests.append(request.url))
        found.page.on("pageerror", lambda error: found.complaints.append(str(error)))
        found.page.on("dialog", lambda dialog: found.complaints.append(dialog.message))
        found.page.on(
            "console",
            lambda message: found.complaints.append(f"{message.type}: {message.text}"),
        )
        found.page.goto(path.as_uri())
        found.page.wait_for_selector("html[data-charts]")
        return found

    yield open_sample
    for page in opened:
        page.close()


@pytest.mark.parametrize("name", SAMPLES)
def test_every_chart_is_drawn_and_nothing_leaves_the_page(name: str, visit: Opener) -> None:
    opened = visit(name)
    is_simulated = any(routing.points for routing in opened.results.routings)
    drawn = CHARTS if is_simulated else ("fabric",)
    assert opened.page.locator("svg.marks").filter(visible=True).count() == len(drawn)
    for chart in drawn:
        assert opened.marks(chart) > 0, f"{chart} of {name} has no marks"
    points = sum(len({p.load for p in r.points}) for r in opened.results.routings)
    if is_simulated:
        told = opened.page.locator("#chart-latency g.weft > title").all_text_contents()
        assert len({text for text in told if "\nmean latency: " in text}) == points
    opened.page.wait_for_timeout(200)
    assert opened.requests
    assert [url for url in opened.requests if not url.startswith(LOCAL)] == []
    assert opened.complaints == []


@pytest.mark.parametrize("name", SAMPLES)
def test_no_text_is_cut_off_and_no_legend_covers_data(name: str, visit: Opener) -> None:
    opened = visit(name)
    assert opened.page.evaluate(CLIPPED_TEXTS) == []
    assert opened.page.evaluate(LEGENDS_OVER_DATA) == []


def test_names_are_text_wherever_they_appear(visit: Opener) -> None:
    opened = visit("hostile")
    page = opened.page
    assert page.title() == f"{opened.results.fabric.name}: routings compared"
    assert page.locator("h1").inner_text() == f"fabric {HOSTILE_NAME}"
    assert page.locator("script").count() == 4
    told = page.locator("#chart-fabric .of-switches-circle title").first
    assert f"{HOSTILE_NAME}0" in str(told.text_content())
    assert page.locator("#chart-fabric script").count() == 0
    assert opened.complaints == []


def test_the_keyboard_reaches_everything_that_can_be_used(visit: Opener) -> None:
    opened = visit("torus")
    reached = []
    for _ in range(MOST_TABS):
        opened.page.keyboard.press("Tab")
        reached.append(opened.page.evaluate(FOCUSED))
        if reached.count("#ranking") == 3:  # the skip link, the navigation, and the skip link again
            break
    assert reached[0] == "#ranking"
    wanted = {f"#{section}" for section in ("ranking", "proofs", "curves", "channels", "fabric")}
    wanted |= {"updown", "simple_routes", "ud_mitb", "ud_itb"}
    wanted |= {"load_index", "routing_index", "All points in numbers", "Hardware"}
    wanted |= {"Ranking, scrollable", "Hottest channels, scrollable"}
    assert wanted <= set(reached)
    assert reached.count("load_index") == 2
    assert reached.count("Save this chart") == len(CHARTS)


def test_a_routing_is_hidden_and_shown_by_the_keyboard(visit: Opener) -> None:
    opened = visit("torus")
    before = opened.marks("latency")
    sorted_before = opened.marks("utilization")
    opened.tab_to("ud_mitb")
    opened.page.keyboard.press("Space")
    opened.page.wait_for_timeout(300)
    assert opened.marks("latency") < before
    assert opened.marks("utilization") < sorted_before
    opened.page.keyboard.press("Space")
    opened.page.wait_for_timeout(300)
    assert opened.marks("latency") == before


def test_load_and_routing_of_the_drawing_are_chosen_by_the_keyboard(visit: Opener) -> None:
    opened = visit("torus")
    loads = opened.page.locator("#channel-load option").all_text_contents()
    at = int(opened.page.locator("#channel-load select").input_value())
    assert f", at {loads[at]} load" in opened.text("utilization")
    opened.tab_to("load_index")
    opened.page.keyboard.press("ArrowUp")
    opened.page.wait_for_timeout(300)
    for chart in ("utilization", "blocked"):
        assert f", at {loads[at - 1]} load" in opened.text(chart)
    twin = opened.page.locator("#drawn-routing select[data-signal=load_index]")
    assert twin.input_value() == str(at - 1)
    colours = """() => [...document.querySelectorAll("#chart-fabric .of-utilization > path")]
        .map((stroke) => [getComputedStyle(stroke).stroke, stroke.textContent])"""
    before = opened.page.evaluate(colours)
    assert all("utilization" in text for _, text in before)
    opened.tab_to("routing_index")
    assert "ud_itb at" in opened.text("fabric")
    opened.page.keyboard.press("ArrowUp")
    opened.page.wait_for_timeout(300)
    assert "ud_mitb at" in opened.text("fabric")
    assert opened.page.evaluate(colours) != before
    assert opened.complaints == []


@pytest.mark.parametrize("name", ["torus", "blocks"])
def test_the_page_paints_strokes_as_the_file_has_them(name: str, visit: Opener) -> None:
    opened = visit(name)
    painted = opened.page.evaluate(STROKES)
    assert len(painted) > 20
    plain = opened.page.context.new_page()
    try:
        plain.set_content(render_report(opened.results).replace("<script>", "<script type=none>"))
        assert plain.evaluate(STROKES) == painted
    finally:
        plain.close()


def test_a_chart_is_saved_as_it_is_shown(visit: Opener) -> None:
    opened = visit("torus")
    with opened.page.expect_download() as waited:
        opened.page.locator("button.save[data-chart=utilization]").click()
    assert waited.value.suggested_filename == "utilization.svg"
    root = ElementTree.parse(waited.value.path()).getroot()  # noqa: S314 - our own
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "none" not in {part.get("display") for part in root.iter()}
    assert opened.complaints == []


@pytest.mark.parametrize("name", ["torus", "hostile", "twelve"])
def test_a_narrow_window_scrolls_inside_the_page_only(name: str, visit: Opener) -> None:
    opened = visit(name)
    opened.page.set_viewport_size({"width": 390, "height": 800})
    try:
        opened.page.wait_for_timeout(100)
        width = opened.page.evaluate("() => document.documentElement.scrollWidth")
        assert width <= 391
    finally:
        opened.page.set_viewport_size({"width": 1240, "height": 900})


def test_printing_opens_all_parts_and_leaves_the_controls_out(visit: Opener) -> None:
    opened = visit("deadlocked")
    assert len(opened.page.pdf(format="A4")) > 20_000
    opened.page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    assert opened.page.locator("#manifest details:not([open])").count() == 0
    opened.page.emulate_media(media="print")
    assert opened.page.locator("nav").is_hidden()
    assert opened.page.locator("#shown-routings").is_hidden()
    assert opened.page.locator("#chart-latency svg.marks").is_visible()
