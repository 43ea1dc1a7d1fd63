"""What stands beside a network on its page, in a browser; and the page inside reports."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from explore_pages import Visit, address_of, opened, served
from report_samples import SAMPLES

import weft
from weft.explore.beside import Beside, read_beside
from weft.explore.layers import error_layer
from weft.fabric import PortRecord
from weft.report import write_audit, write_report

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

JOBS = """
[[jobs]]
name = "one"
collective = "allreduce"
bytes = "1MiB"
ranks = 6
placement = "scattered"
[[jobs]]
name = "<b>other</b>"
collective = "alltoall"
bytes = "64KiB"
ranks = 6
start = "20us"
"""


@pytest.fixture(scope="module")
def torus() -> weft.Fabric:
    return weft.torus(4, 4, hosts_per_switch=1)


def closed(one: Visit) -> None:
    assert one.complaints == []
    one.page.context.close()


def test_cables_are_coloured_listed_and_told_by_their_errors(
    browser: Browser, torus: weft.Fabric
) -> None:
    end = torus.links()[torus.is_switch_channel[::2]].tolist()[5]
    record = PortRecord(torus.switch_names[end[0]], end[1], {"PortRcvErrors": 4321}, {})
    errors = error_layer(torus, [record])
    assert errors is not None
    with served(torus, beside=Beside([errors])) as server:
        one = opened(browser, torus, address_of(server))
        one.page.locator("#shades").select_option(label="errors")
        assert one.view() == {"layer": 0}
        assert one.page.locator("#loads h2").inner_text() == "Cables by errors"
        first = one.page.locator("#cables tbody tr").first
        assert re.sub(r"\s+", " ", first.inner_text()).endswith(" 0 4,321")
        legend = one.page.locator(".legend").get_attribute("aria-label")
        assert legend == "Colours from idle to 4321 errors"
        first.locator("button").click()
        assert one.view()["picked"] == {"cable": 5}
        assert "counts PortRcvErrors 4,321" in one.page.locator("#picked").inner_text()
        again = opened(browser, torus, one.page.url)
        assert again.page.locator("#loads h2").inner_text() == "Cables by errors"
        closed(again)
        closed(one)


def test_what_has_failed_has_failed_when_the_page_opens(
    browser: Browser, torus: weft.Fabric
) -> None:
    with served(torus, beside=Beside(failed_cables=[3])) as server:
        one = opened(browser, torus, address_of(server))
        assert one.view() == {}
        assert one.page.locator(".failures li").count() == 1
        state = {"failed_cables": [3]}
        expected = one.ask("routing", state=state)["largest_load"]
        assert f"{expected} pairs of hosts" in one.page.locator("#verdict").inner_text()
        one.page.locator(".failures button").click()
        assert one.page.locator(".failures").count() == 0
        closed(one)


@pytest.fixture(scope="module")
def playing(
    browser: Browser, torus: weft.Fabric, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Visit, Any]]:
    file = tmp_path_factory.mktemp("jobs") / "jobs.toml"
    file.write_text(JOBS)

    def runs_on() -> tuple[str, weft.Routing, weft.Hardware]:
        return "updown", weft.route(torus, "updown"), weft.hardware("infiniband_hdr")

    beside = read_beside(file, torus, runs_on)
    with served(torus, "updown", beside=beside) as server:
        one = opened(browser, torus, address_of(server))
        yield one, beside.recording
        closed(one)


def put(page: Page, share: float) -> None:
    """Put the moment of the jobs at a part of their time."""
    page.locator("#jobs input[type=range]").evaluate(
        "(input, share) => { input.value = String(share * Number(input.max));"
        " input.dispatchEvent(new Event('input', {bubbles: true})); }",
        share,
    )


def test_jobs_are_played_on_one_clock_with_their_timeline(playing: tuple[Visit, Any]) -> None:
    one, recording = playing
    page = one.page
    told = page.locator("#jobs").inner_text()
    assert "<b>other</b>, 6 ranks" in told
    for share in (0.0, 0.3, 0.6):
        put(page, share)
        sent, there = (np.array(recording.messages[name]) for name in ("sent_ns", "there_ns"))
        time = share * recording.end_ns
        under_way = int(((sent <= time) & (time < there)).sum())
        one.until(
            "(count) => document.querySelector('#jobs').textContent"
            ".includes(`${count} message${count === 1 ? '' : 's'} under way`)",
            under_way,
        )
        cursor = page.locator(".cursor").evaluate("(line) => parseFloat(line.style.left)")
        assert cursor == pytest.approx(100 * share, abs=0.1)
    letters = [row[int(0.6 * len(row))] for row in recording.activities]
    waiting = letters.count("w")
    text = page.locator("#jobs").inner_text()
    assert waiting == 0 or f"{waiting} rank{'s' * (waiting > 1)} wait for a packet" in text
    # A click on the timeline moves the same clock.
    box: Any = page.locator(".rows").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 4)
    value = page.locator("#jobs input[type=range]").evaluate("(one) => one.value / one.max")
    assert value == pytest.approx(0.5, abs=0.01)


def test_messages_are_drawn_along_their_routes(playing: tuple[Visit, Any]) -> None:
    one, recording = playing
    page = one.page
    put(page, 1.0)
    one.until("document.querySelector('#jobs').textContent.includes('0 messages under way')")
    page.wait_for_timeout(200)
    empty = page.locator(".stage").screenshot()
    put(page, 0.3)
    one.until("!document.querySelector('#jobs').textContent.includes('0 messages under way')")
    page.wait_for_timeout(200)
    assert page.locator(".stage").screenshot() != empty
    page.locator("#jobs .acts button").click()
    one.until(
        "(from) => Number(document.querySelector('#jobs input[type=range]').value) > from",
        0.3 * recording.end_ns,
    )
    page.locator("#jobs .acts button").click()


def test_tables_change_switch_by_switch(browser: Browser, torus: weft.Fabric) -> None:
    routing = "dfsssp:lanes=2"
    with served(torus, routing) as server:
        one = opened(browser, torus, address_of(server, {"picked": {"cable": 4}}))
        one.page.get_by_role("button", name="Watch the tables change").click()
        panel = one.page.locator("#change")
        panel.locator(".verdict").wait_for()
        answer = one.ask("transition", cable=4, state={"routing": routing})
        frames = [
            frame
            for step in answer["steps"]
            for frame in (
                zip(step["switches"], step["entries"], strict=True)
                if step["kind"] == "write"
                else [None]
            )
        ]
        first = next(at for at, frame in enumerate(frames) if frame is not None)
        assert f"0 of {len(frames)} step" in panel.inner_text()
        assert "Safe at every moment" in panel.inner_text()
        before = one.page.locator(".stage").screenshot()
        for _ in range(first + 1):
            panel.get_by_role("button", name="Next step").click()
        switch, entries = frames[first]
        said = panel.locator("[role=status]").inner_text()
        assert torus.switch_names[switch] in said
        assert said.startswith(f"{entries} entr")
        assert one.view()["change"] == {"cable": 4, "done": first + 1}
        panel.get_by_role("button", name="Play", exact=True).click()
        one.until(
            "(count) => document.querySelector('#change').textContent"
            ".includes(`${count} of ${count} step`)",
            len(frames),
        )
        one.page.wait_for_timeout(300)
        assert one.page.locator(".stage").screenshot() != before
        panel.get_by_role("button", name="Close").click()
        assert "change" not in one.view()
        closed(one)


def explored(browser: Browser, path: Path) -> tuple[Page, list[str], list[str]]:
    """Open the page in a report; return that, what was asked for and what was complained about."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(60_000)
    page = context.new_page()
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(path.as_uri())
    page.locator("#open-explore").click()
    return page, requests, complaints


def test_an_audit_s_page_answers_inside_it_without_a_network(
    browser: Browser, torus: weft.Fabric, tmp_path: Path
) -> None:
    routing = weft.route(torus, "minimal")
    write_audit(
        weft.audit(torus, routing, alternatives=["lash"], count=10),
        tmp_path / "audit.html",
        in_use=routing,
    )
    page, requests, complaints = explored(browser, tmp_path / "audit.html")
    inside = page.frame_locator("#explore-place iframe")
    verdict = inside.locator("#verdict .verdict")
    verdict.wait_for()
    assert "packets may deadlock" in verdict.inner_text()
    inside.locator("#cables tbody button").first.click()
    inside.locator("#picked .without .verdict, #picked .without .refused").first.wait_for()
    assert "worked out by this page itself" in inside.locator(".panels").inner_text()
    allowed = ("file:", "blob:", "data:")
    assert [url for url in requests if not url.startswith(allowed)] == []
    assert complaints == []
    with page.context.expect_page() as alone:
        page.locator("#explore-alone").click()
    alone.value.locator("#verdict .verdict").wait_for()
    page.context.close()


def test_a_report_s_page_is_coloured_by_what_was_measured(browser: Browser, tmp_path: Path) -> None:
    results = SAMPLES["one_load"](tmp_path)
    write_report(results, tmp_path / "report.html")
    results.close()
    page, _, complaints = explored(browser, tmp_path / "report.html")
    inside = page.frame_locator("#explore-place iframe")
    inside.locator("#verdict .verdict, #verdict .refused").first.wait_for()
    choices = inside.locator("#shades option").all_inner_texts()
    assert choices[:2] == ["load", "nothing"]
    assert choices[2].startswith("measured: ")
    inside.locator("#shades").select_option(label=choices[2])
    assert "in % of time" in inside.locator("#cables caption").inner_text()
    assert complaints == []
    page.context.close()


def test_a_report_whose_page_was_damaged_says_so_and_stays(
    browser: Browser, torus: weft.Fabric, tmp_path: Path
) -> None:
    write_audit(weft.audit(torus, None, alternatives=["lash"], count=10), tmp_path / "audit.html")
    text = (tmp_path / "audit.html").read_text()
    found = re.search(r'id="explore-page">([^<]*)<', text)
    assert found is not None
    (tmp_path / "audit.html").write_text(text.replace(found[1], found[1][: len(found[1]) // 2]))
    page, _, _ = explored(browser, tmp_path / "audit.html")
    page.locator("#explore-trouble").wait_for()
    assert "was damaged on its way" in page.locator("#explore-trouble").inner_text()
    assert page.locator("#routings").is_visible()
    page.context.close()
