"""Pages of ``weft explore`` in a real browser: served, opened, found one's way on."""

from __future__ import annotations

import contextlib
import json
import math
import shutil
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from test_report_browser import FLAGS

from weft import _core
from weft.explore import ExploreServer
from weft.explore.beside import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from playwright.sync_api import Browser, ColorScheme, ConsoleMessage, Page, Playwright

    from weft import Fabric
    from weft.explore.beside import Beside

#: WebGL is drawn without a graphics processor, as on any machine that tests run on.
WEBGL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")
WITHOUT_WEBGL = ("--disable-3d-apis",)

#: Seconds that a page may take, on a machine that has much else to do.
_PATIENCE_S = 60

#: Room around a drawing that is seen whole, and its least height where rows stand for levels.
_MARGIN, _LEAST_HEIGHT, _LARGEST_SCALE, _ROWS_APART = 44.0, 0.7, 4.0, 460.0


@contextlib.contextmanager
def served(fabric: Fabric, *routings: str, beside: Beside = NOTHING) -> Iterator[ExploreServer]:
    """Serve the page of a fabric meanwhile."""
    with ExploreServer(fabric, routings, beside=beside) as server:
        thread = threading.Thread(target=server.serve, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.stop()
            thread.join()


def started(playwright: Playwright, *flags: str) -> Browser:
    """Start Debian's Chromium, by default with WebGL."""
    program = shutil.which("chromium")
    assert program, "found no chromium; tests/system/install.sh installs it"
    usual = [flag for flag in FLAGS if flag != "--disable-gpu"]
    return playwright.chromium.launch(
        executable_path=program, headless=True, args=[*usual, *(flags or WEBGL)]
    )


@dataclass
class Visit:
    """An opened page, and what it asked for and complained about."""

    page: Page
    fabric: Fabric
    address: str
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.scene: Any = self.page.request.get(self.address + "scene.json").json()
        self.core = _core.Explorer(self.fabric)

    def ask(self, question: str, **more: Any) -> Any:  # noqa: ANN401 - any answer
        """Ask the core itself, in the state that the page begins with."""
        state = {"routing": self.scene["routings"][0]["name"], "hardware": self.scene["hardware"]}
        given = {"question": question, "state": {**state, **more.pop("state", {})}, **more}
        return json.loads(self.core.ask(json.dumps(given)))

    def until(self, holds: str, given: object = None) -> None:
        """Wait until an expression or function holds; the policy forbids the browser's own way."""
        end = time.monotonic() + _PATIENCE_S
        while not self.page.evaluate(holds, given):
            assert time.monotonic() < end, f"{holds} never held for {given!r}: {self.complaints}"
            self.page.wait_for_timeout(30)

    def view(self) -> dict[str, Any]:
        """Return what the address says is seen, where it differs from the first view."""
        text = self.page.evaluate("decodeURIComponent(location.hash.slice(1))")
        found: dict[str, Any] = json.loads(text or "{}")
        return found

    def status(self) -> str:
        """Return the line of what was found, once nothing in it is waited for."""
        self.until("!document.querySelector('.status').textContent.includes('…')")
        return self.page.locator(".status").inner_text()

    def place(self, switch: int, side: int = 0) -> tuple[float, float]:
        """Return where a switch is on the screen while all is seen."""
        box: Any = self.page.locator(".stage").nth(side).bounding_box()
        width, height = box["width"] - 2, box["height"] - 2
        switches, chassis = self.scene["switches"], self.scene["chassis"]
        across = [*switches["x"], *(one["x"] for one in chassis)]
        down = [*switches["y"], *(one["y"] for one in chassis)]
        wide, high = max(across) - min(across), max(down) - min(down)
        rows = len({level for level in switches["level"] if level is not None})
        steepest = math.inf
        if high and rows > 1:
            stretch = max(1.0, _LEAST_HEIGHT * wide / high)
            down, high = [stretch * y for y in down], stretch * high
            steepest = _ROWS_APART * (rows - 1) / high

        def room(length: float) -> float:
            return max(length - 2 * _MARGIN, length / 2)

        tall = room(height) / max(high, 1e-6)
        scale = min(
            room(width) / max(wide, 1e-6),
            math.inf if steepest <= tall else tall,
            _LARGEST_SCALE,
        )
        return (
            box["x"] + 1 + width / 2 + scale * (across[switch] - (max(across) + min(across)) / 2),
            box["y"]
            + 1
            + height / 2
            + min(scale, steepest) * (down[switch] - (max(down) + min(down)) / 2),
        )

    def between(self, one: int, other: int, way: float) -> tuple[float, float]:
        """Return a part of the way from a switch to another on the screen."""
        a, b = self.place(one), self.place(other)
        return a[0] + way * (b[0] - a[0]), a[1] + way * (b[1] - a[1])


def address_of(server: ExploreServer, view: Mapping[str, object] | None = None) -> str:
    """Return the address of a view."""
    fragment = "#" + quote(json.dumps(view)) if view else ""
    return server.address + fragment


def opened(
    browser: Browser,
    fabric: Fabric,
    address: str,
    size: tuple[int, int] = (1280, 900),
    scheme: ColorScheme = "light",
    scene_of: str | None = None,
    **more: Any,  # noqa: ANN401 - options of a context of the browser
) -> Visit:
    """Open a page and wait until its first answer is shown.

    A page in a file has its scene from a server of the same fabric.
    """
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, **more
    )
    context.set_default_timeout(60_000)
    page = context.new_page()
    visit = Visit(page, fabric, (scene_of or address).partition("#")[0])
    page.on("request", lambda request: visit.requests.append(request.url))
    page.on("pageerror", lambda error: visit.complaints.append(str(error)))

    def heard(message: ConsoleMessage) -> None:
        # Pictures that a test takes are read back from where they are drawn, which is slow.
        if "GPU stall due to ReadPixels" not in message.text:
            visit.complaints.append(message.text)

    page.on("console", heard)
    page.goto(address)
    page.locator("#verdict .verdict, #verdict .refused").first.wait_for()
    return visit
