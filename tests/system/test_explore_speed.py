"""How fast the page of ``weft explore`` opens, answers and follows the pointer, by software alone.

The figures are told, with what they are to be on a machine of one's own. Machines of tests are
slow and shared, and their core is built to be tested: what is asserted is that the page itself is
not out of proportion.
"""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING

import pytest
from explore_pages import address_of, opened, served
from report_samples import large_tree

import weft

if TYPE_CHECKING:
    from collections.abc import Callable

    from explore_pages import Visit
    from playwright.sync_api import Browser

pytestmark = pytest.mark.timeout(900)

#: A machine of tests may be so many times slower than one's own.
SLOWER = 12

FRAMES = """
() => {
  window.frames_seen = [];
  const step = (now) => {
    window.frames_seen.push(now);
    window.next_frame = requestAnimationFrame(step);
  };
  window.next_frame = requestAnimationFrame(step);
}
"""


def tree(children: tuple[int, ...], parents: tuple[int, ...]) -> weft.Fabric:
    """Build a tree of three levels."""
    return weft.generate("xgft", m=children, w=parents)


#: Told by the page, in ms: from the click until the pairs of a cable are painted.
CLICKED = """
() => {
  window.taken = null;
  addEventListener("click", ({ timeStamp }) => {
    const watcher = new MutationObserver(() => {
      if (!document.querySelector("#picked ul.pairs")) return;
      watcher.disconnect();
      requestAnimationFrame(() => setTimeout(() => (window.taken = performance.now() - timeStamp)));
    });
    watcher.observe(document.querySelector("#picked"), { childList: true, subtree: true });
  }, { capture: true, once: true });
}
"""

#: Networks, with how soon they are to be open and answer a click, in seconds, and frames a second.
NETWORKS: dict[str, tuple[Callable[[], weft.Fabric], float, float, float]] = {
    "196 switches": (large_tree, 2.0, 0.1, 60.0),
    "1,180 switches": (lambda: tree((4, 20, 36), (1, 10, 10)), 3.0, 0.15, 60.0),
    "5,076 switches": (lambda: tree((1, 36, 88), (1, 18, 18)), 6.0, 0.3, 30.0),
}


def panned(visit: Visit, seconds: float = 2.0) -> tuple[float, float]:
    """Move the drawing with the mouse; return frames a second and the longest frame in ms."""
    page = visit.page
    box = page.locator(".stage").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(FRAMES)
    begin, step = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds:
        step += 1
        page.mouse.move(x + step % 50 * 2, y + step % 30)
    frames = page.evaluate("cancelAnimationFrame(window.next_frame), window.frames_seen")
    page.mouse.up()
    gaps = [after - before for before, after in itertools.pairwise(frames)]
    return 1000 * len(gaps) / sum(gaps), max(gaps)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_opens_answers_and_follows_the_pointer(
    browser: Browser, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    make, open_s, click_s, frames_wanted = NETWORKS[name]
    fabric = make()
    with served(fabric, "updown") as server:
        begin = time.perf_counter()
        visit = opened(browser, fabric, address_of(server))
        open_taken = time.perf_counter() - begin
        visit.page.locator("#cables tbody button").first.wait_for()
        visit.page.wait_for_timeout(1000)
        visit.page.evaluate(CLICKED)
        visit.page.locator("#cables tbody button").nth(1).click()
        visit.until("window.taken !== null")
        click_taken = visit.page.evaluate("window.taken") / 1000
        visit.page.wait_for_timeout(1000)
        frames, longest = panned(visit)
        begin = time.perf_counter()
        visit.ask("routing")
        core_open = time.perf_counter() - begin
        # The first is asked ahead.
        visit.ask("cable", cable=0, search="", first=0, count=100)
        begin = time.perf_counter()
        visit.ask("cable", cable=1, search="", first=0, count=100)
        core_click = time.perf_counter() - begin
        assert visit.complaints == []
        visit.page.context.close()
    with capsys.disabled():
        print(  # noqa: T201 - figures are for who runs the tests
            f"\n{name} ({len(visit.scene['cables']['a']):,} cables):"
            f" open {open_taken:.2f} s (aim {open_s:g}), {core_open:.2f} s of it the core;"
            f" click {1000 * click_taken:.0f} ms (aim {1000 * click_s:.0f}),"
            f" {1000 * core_click:.0f} ms of it the core;"
            f" panning {frames:.0f} frames a second (aim {frames_wanted:g}),"
            f" the longest {longest:.0f} ms"
        )
    assert open_taken - core_open < SLOWER * open_s
    assert click_taken - core_click < SLOWER * click_s
    assert frames > frames_wanted / SLOWER
