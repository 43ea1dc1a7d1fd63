"""All pages in a real browser: on a telephone and a screen, light and dark, at first sight."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import sync_playwright
from report_samples import HOSTILE_NAME, SAMPLES, fabric_of, hostile, study
from test_report_browser import FLAGS, LOCAL

import weft
from weft.replay import place_ranks, read_trace, replay
from weft.report import (
    ProgramRow,
    write_advice,
    write_audit,
    write_program_report,
    write_report,
    write_survival,
)
from weft.results.replay_figures import figures_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, ColorScheme, Page

#: A screen and a telephone, in CSS pixels.
SCREEN, TELEPHONE = (1280, 900), (390, 844)

#: Least contrast of text and of the colours of charts by WCAG 2, level AA.
LEAST, LEAST_DRAWN = 4.5, 3.0
#: Least height of letters in charts, in CSS pixels.
LEAST_LETTERS = 9.0

PAGE_WIDTH = "() => document.scrollingElement.scrollWidth"
OPEN_ALL = "() => { for (const part of document.querySelectorAll('details')) part.open = true; }"
#: Tables that reach beyond what holds them, and on a telephone charts and anything else.
WIDER = """
(isAll) => [...document.querySelectorAll(isAll ? "body *" : ".scroll")]
  .filter((box) => box.clientWidth && (isAll || box.querySelector("table")) &&
    ["auto", "scroll"].includes(getComputedStyle(box).overflowX) &&
    box.scrollWidth > box.clientWidth + 1)
  .map((box) => box.getAttribute("aria-label") || box.outerHTML.slice(0, 80))
"""
#: Texts in charts with the height of their letters as shown.
LETTERS = """
() => [...document.querySelectorAll("svg.marks text")]
  .filter((text) => text.getBoundingClientRect().width)
  .map((text) => {
    const { a, b } = text.getScreenCTM();
    return [text.textContent, Math.hypot(a, b) * parseFloat(getComputedStyle(text).fontSize)];
  })
"""
#: Words, their contrast and what they are in: of all text that is shown. In charts the filter of
#: dark pages is worked out, as its definition has it.
CONTRASTS = """
() => {
  const parsed = (text) => {
    const parts = (text.match(/[\\d.]+/g) || []).map(Number);
    return { rgb: parts.slice(0, 3), alpha: parts.length > 3 ? parts[3] : 1 };
  };
  const filtered = ([r, g, b]) => {
    const [x, y, z] = [255 - r, 255 - g, 255 - b];
    return [-0.574 * x + 1.43 * y + 0.144 * z, 0.426 * x + 0.43 * y + 0.144 * z,
      0.426 * x + 1.43 * y - 0.856 * z].map((part) => Math.min(1.2 * Math.max(part, 0), 255));
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const isFiltered = (at) => {
    for (; at; at = at.parentElement) if (getComputedStyle(at).filter !== "none") return true;
    return false;
  };
  const behind = (at) => {
    for (; at; at = at.parentElement) {
      const { rgb, alpha } = parsed(getComputedStyle(at).backgroundColor);
      if (alpha > 0) return rgb;
    }
    return [255, 255, 255];
  };
  const seen = (at) => {
    const box = at.getBoundingClientRect();
    return box.width > 0 && box.height > 0;
  };
  const texts = [...document.querySelectorAll("body *")].filter((at) => seen(at) &&
    !["SCRIPT", "STYLE", "TITLE", "title", "OPTION"].includes(at.tagName) &&
    [...at.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()));
  const found = texts.map((at) => {
    const style = getComputedStyle(at);
    const isDrawn = at.namespaceURI.endsWith("svg");
    const own = parsed(isDrawn ? style.fill : style.color).rgb;
    const drawn = isFiltered(at) ? filtered(own) : own;
    return [at.textContent.trim().slice(0, 40), ratio(drawn, behind(at)), at.tagName];
  });
  const marks = [...document.querySelectorAll(".swatch")].filter(seen).map((at) => {
    const own = parsed(getComputedStyle(at).backgroundColor).rgb;
    return ["", ratio(isFiltered(at) ? filtered(own) : own, behind(at.parentElement)), "swatch"];
  });
  return [...found, ...marks];
}
"""


def _names_of_a_real_cluster() -> weft.Fabric:
    leaves = {f"MF0;ib-cluster-edge-{at:02d}:SX6036/U1 of rack {at // 2}": 3 for at in range(6)}
    spines = {f"Voltaire 4036 - 36 QDR ports switch 0x0008f1050065{at:04x}": 0 for at in (7, 9)}
    links = [(leaf, spine) for leaf in leaves for spine in spines]
    return fabric_of("a cluster of long names", {**leaves, **spines}, links, host_prefix="node-")


def _long_study(folder: Path) -> None:
    loads = {"updown": 0.3, "ud_itb": 0.4, "down_preferred:root=tops": 0.35, "minimal": None}
    write_report(study(folder, _names_of_a_real_cluster(), loads), folder / "page.html")


def _sample(name: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        write_report(SAMPLES[name](folder), folder / "page.html")

    return make


def _audit(folder: Path) -> None:
    torus = weft.torus(4, 4)
    write_audit(weft.audit(torus, weft.route(torus, "minimal"), count=5), folder / "page.html")


def _audit_of_long_names(folder: Path) -> None:
    fabric = _names_of_a_real_cluster()
    write_audit(weft.audit(fabric, weft.route(fabric, "min_hop"), count=5), folder / "page.html")


def _advice(folder: Path) -> None:
    fabric, routings = _names_of_a_real_cluster(), ["min_hop", "best:lanes=1", "lash:lanes=4"]
    found = weft.advise(fabric, 1, fail=["10%"], draws=1, routings=routings, count=5, simulate=1)
    write_advice(found, folder / "page.html", given="'weft-results/a cluster.ibnetdiscover'")


def _hostile_advice(folder: Path) -> None:
    found = weft.advise(hostile(), 1, routings=["down_preferred"], count=5, simulate=0)
    write_advice(found, folder / "page.html", given=HOSTILE_NAME)


def _survival(folder: Path) -> None:
    fabric = _names_of_a_real_cluster()
    found = weft.survive(fabric, weft.route(fabric, "best:lanes=2"), anew=2)
    simulated = weft.simulate_worst(found, weft.hardware("infiniband_edr"), 1)
    write_survival(simulated, folder / "page.html", given="'weft-results/a cluster.ibnetdiscover'")


def _hostile_survival(folder: Path) -> None:
    fabric = hostile()
    found = weft.survive(fabric, weft.route(fabric, "down_preferred"))
    write_survival(found, folder / "page.html", given=HOSTILE_NAME)


def _programs(folder: Path) -> None:
    torus, trace = weft.torus(4, 4), folder / "ring.ti"
    lines = [f"{rank} {what}" for rank in range(4) for what in ("init", "barrier", "finalize")]
    trace.write_text("\n".join(lines) + "\n", encoding="utf-8")
    recorded = read_trace(trace)
    rows = [
        ProgramRow(
            f"{trace.name} on myrinet", "placement = linear", torus.name, label,
            figures_of(replay(torus, weft.route(torus, label), weft.hardware("myrinet"), recorded,
                              hosts=place_ranks(torus, 4, "linear"))), "",
        )
        for label in ("updown", "ud_itb")
    ]  # fmt: skip
    write_program_report(rows, folder / "page.html", title="programs")


PAGES: dict[str, Callable[[Path], None]] = {
    "study": _sample("torus"),
    "study of long names": _long_study,
    "study of hostile names": _sample("hostile"),
    "study, all refused": _sample("refused"),
    "study, deadlocked": _sample("deadlocked"),
    "audit": _audit,
    "audit of long names": _audit_of_long_names,
    "advice": _advice,
    "advice on hostile names": _hostile_advice,
    "failures": _survival,
    "failures of hostile names": _hostile_survival,
    "programs": _programs,
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium")
    assert program, "found no chromium; tests/system/install.sh installs it"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, headless=True, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="module", params=list(PAGES))
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    PAGES[request.param](folder)
    return folder / "page.html"


def _opened(
    browser: Browser, path: Path, size: tuple[int, int], scheme: ColorScheme
) -> tuple[Page, list[str]]:
    """Open a page; what it complains about and asks for is in the list."""
    told: list[str] = []
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    page.on("request", lambda request: told.append(request.url))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("console", lambda message: told.append(message.text))
    page.goto(path.as_uri())
    return page, [text for text in told if not text.startswith(LOCAL)]


def _unclear(page: Page) -> list[tuple[str, float, str]]:
    contrasts: list[tuple[str, float, str]] = page.evaluate(CONTRASTS)
    assert contrasts
    return [
        (text, contrast, kind)
        for text, contrast, kind in contrasts
        if contrast < (LEAST_DRAWN if kind == "swatch" else LEAST)
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [SCREEN, TELEPHONE], ids=["screen", "telephone"])
def test_a_page_answers_at_first_sight_and_is_read_without_sideways_scrolling(
    browser: Browser, path: Path, size: tuple[int, int], scheme: ColorScheme
) -> None:
    page, complaints = _opened(browser, path, size, scheme)
    try:
        assert page.evaluate(PAGE_WIDTH) <= size[0]
        if size == TELEPHONE:
            assert page.evaluate(WIDER, True) == []
            letters: list[tuple[str, float]] = page.evaluate(LETTERS)
            assert [text for text, height in letters if height < LEAST_LETTERS - 0.01] == []
        answers = page.locator(".answers")
        box: Any = answers.bounding_box()
        assert box["y"] + box["height"] <= size[1]
        assert {"Safe?"} <= set(answers.locator("dt").all_text_contents())
        page.evaluate(OPEN_ALL)
        assert page.evaluate(PAGE_WIDTH) <= size[0]
        assert _unclear(page) == []
        assert complaints == []
        background = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert (background == "rgb(255, 255, 255)") == (scheme == "light")
    finally:
        page.close()


def test_tables_of_a_screen_are_not_cut_at_1200_pixels(browser: Browser, path: Path) -> None:
    page, _ = _opened(browser, path, (1200, 900), "light")
    try:
        page.evaluate(OPEN_ALL)
        assert page.evaluate(WIDER, False) == []
    finally:
        page.close()


def test_charts_have_a_narrow_form_whose_routings_and_loads_are_chosen(
    browser: Browser, tmp_path: Path
) -> None:
    PAGES["study"](tmp_path)
    page, complaints = _opened(browser, tmp_path / "page.html", TELEPHONE, "light")
    try:
        for chart in ("latency", "longest", "accepted", "utilization", "hosts", "fabric"):
            assert page.locator(f"#figure-{chart} .narrow svg.marks").is_visible()
            assert page.locator(f"#chart-{chart}").is_hidden()
        shown = "#figure-latency .narrow g.weft:not([display=none]) use"
        before = page.locator(shown).count()
        page.locator("#shown-routings input").first.uncheck()
        assert 0 < page.locator(shown).count() < before
        # The drawing follows what is chosen, its strokes as thin as its scale has them.
        stroke = "#figure-fabric .narrow .of-utilization > path"
        drawn = "all => all.map((at) => at.style.stroke)"
        colours = page.locator(stroke).evaluate_all(drawn)
        loads = page.locator("#channel-load option").count()
        page.locator("#channel-load select").select_option(index=loads - 1)
        assert page.locator(stroke).evaluate_all(drawn) != colours
        both = [
            page.locator(f"#figure-fabric {form} .of-utilization > path").evaluate_all(
                "all => all.map((at) => parseFloat(at.style.strokeWidth))"
            )
            for form in (".wide", ".narrow")
        ]
        assert len(both[0]) == len(both[1]) > 0
        scales = {round(narrow / wide, 3) for wide, narrow in zip(*both, strict=True)}
        assert len(scales) == 1
        assert scales.pop() < 1
        assert complaints == []
    finally:
        page.close()
