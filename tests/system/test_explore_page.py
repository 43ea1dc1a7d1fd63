"""The page of ``weft explore`` in a real browser: every question that one may touch it with."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from explore_pages import Visit, address_of, opened, served
from report_samples import HOSTILE_NAME, hostile
from test_pages_browser import CONTRASTS, LEAST, PAGE_WIDTH, SCREEN, TELEPHONE

import weft

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, ColorScheme

    from weft.explore import ExploreServer

PNG = b"\x89PNG\r\n\x1a\n"
SVG = "{http://www.w3.org/2000/svg}"
MOST_TABS = 200
COMPARED = "(text) => document.querySelector('#comparison').innerText.includes(text)"
OTHER_STATE = {
    "routing": "min_hop",
    "pattern": "uniform",
    "failed_cables": [3],
    "failed_switches": [1],
}
STATUS_BEGINS = "(text) => document.querySelector('.status').innerText.startsWith(text)"
STATUS_HAS = "(text) => document.querySelector('.status').innerText.includes(text)"


@pytest.fixture(scope="module")
def cluster() -> weft.Fabric:
    return weft.read_fabric("examples/cluster.ibnetdiscover").fabric


@pytest.fixture(scope="module")
def server(cluster: weft.Fabric) -> Iterator[ExploreServer]:
    with served(cluster, "ftree") as found:
        yield found


@pytest.fixture
def visit(
    browser: Browser, server: ExploreServer, cluster: weft.Fabric
) -> Iterator[Callable[..., Visit]]:
    visits: list[Visit] = []

    def open_view(view: dict[str, object] | None = None, **how: object) -> Visit:
        visits.append(opened(browser, cluster, address_of(server, view), **how))  # type: ignore[arg-type]
        return visits[-1]

    yield open_view
    for one in visits:
        assert one.complaints == []
        assert [url for url in one.requests if not url.startswith((server.address, "data:"))] == []
        one.page.context.close()


def switch_of(visit: Visit, name: str) -> int:
    """Return the number of a switch."""
    return int(visit.scene["switches"]["name"].index(name))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [SCREEN, TELEPHONE], ids=["screen", "telephone"])
@pytest.mark.parametrize(
    "view",
    [
        None,
        {"picked": {"cable": 5}},
        {"picked": {"source": 3, "destination": 200}},
        {"picked": {"switch": 2}},
        {"other": OTHER_STATE},
    ],
    ids=["first", "cable", "route", "switch", "compared"],
)
def test_all_is_read_without_sideways_scrolling_in_both_colours(
    visit: Callable[..., Visit], view: dict[str, object], size: tuple[int, int], scheme: ColorScheme
) -> None:
    one = visit(view, size=size, scheme=scheme)
    one.status()
    one.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert one.page.evaluate(PAGE_WIDTH) <= size[0]
    contrasts = one.page.evaluate(CONTRASTS)
    assert [found for found in contrasts if found[1] < LEAST] == []
    stage = one.page.locator(".stage").first
    box = stage.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] / 2 < size[1], "the drawing is in sight at first"
    assert int(stage.get_attribute("data-drawn") or 0) > 0


def test_the_busiest_cable_is_the_first_of_the_table_and_says_whose_traffic_it_is(
    visit: Callable[..., Visit],
) -> None:
    one = visit()
    loads = one.ask("routing")["loads"]
    busier = [max(both) for both in zip(loads["forward"], loads["back"], strict=True)]
    busiest = busier.index(max(busier))
    one.page.locator("#cables tbody button").first.click()
    assert one.view()["picked"] == {"cable": busiest}
    answer = one.ask("cable", cable=busiest, search="", first=0, count=100)
    status = one.status()
    assert f"load {answer['forward']['load']:,} there, {answer['back']['load']:,} back" in status
    names = one.scene["hosts"]["name"]
    for way, ends in ((0, answer["forward"]), (1, answer["back"])):
        shown = one.page.locator("#picked ul.pairs").nth(way).locator("li")
        assert shown.all_inner_texts() == [
            f"{names[pair['source']]} → {names[pair['destination']]}" for pair in ends["shown"]
        ]


def test_pairs_of_a_cable_are_searched_beyond_the_first_hundred(
    visit: Callable[..., Visit],
) -> None:
    one = visit({"picked": {"cable": 5}})
    ends = one.ask("cable", cable=5, search="", first=0, count=10_000)["forward"]
    assert ends["pairs"] > 100
    last = one.scene["hosts"]["name"][ends["shown"][-1]["source"]]
    one.page.get_by_label("Search the pairs that cross it").fill(last)
    found = one.ask("cable", cable=5, search=last, first=0, count=100)["forward"]
    assert 0 < found["matching"] < ends["pairs"]
    shown = one.page.locator("#picked ul.pairs").first.locator("li")
    one.until(
        "(count) => document.querySelector('#picked ul.pairs')?.children.length === count",
        min(found["matching"], 100),
    )
    assert all(last in text for text in shown.all_inner_texts())


def test_a_click_on_a_cable_picks_it_and_tells_what_happens_without_it(
    visit: Callable[..., Visit],
) -> None:
    one = visit()
    leaf, spine = switch_of(one, "leaf01"), switch_of(one, "spine1")
    one.page.mouse.click(*one.between(leaf, spine, 0.12))
    cable = one.view()["picked"]["cable"]
    cables = one.scene["cables"]
    assert {cables["a"][cable], cables["b"][cable]} == {leaf, spine}
    told = one.page.locator("#picked .without")
    told.locator(".verdict").wait_for()
    answer = one.ask("without", cable=cable)
    assert f"{answer['largest_load']:,}" in told.inner_text()
    assert f"{answer['changed_entries']:,} of {answer['entries']:,}" in told.inner_text()
    assert ("Safe." in told.inner_text()) == answer["free"]


def test_two_clicks_on_switches_show_the_route_between_them_both_ways(
    visit: Callable[..., Visit],
) -> None:
    one = visit()
    first, second = switch_of(one, "leaf02"), switch_of(one, "leaf09")
    one.page.mouse.click(*one.place(first))
    assert one.view()["picked"] == {"switch": first}
    one.page.mouse.click(*one.place(second))
    hosts = one.scene["hosts"]["switch"]
    pair = {"source": hosts.index(first), "destination": hosts.index(second)}
    assert one.view()["picked"] == pair
    answer = one.ask("pair", **pair)
    names = one.scene["hosts"]["name"]
    one.page.locator("#picked ol.route").nth(1).wait_for()
    for way, (start, end) in (("there", (0, 1)), ("back", (1, 0))):
        steps = one.page.locator("#picked ol.route").nth(start).locator("li").all_inner_texts()
        ends = [names[pair["source"]], names[pair["destination"]]]
        assert steps == [
            ends[start],
            *(
                f"{one.scene['switches']['name'][hop['switch']]}, out of port {hop['port']},"
                f" lane {hop['lane']}"
                for hop in answer[way]["hops"]
            ),
            ends[end],
        ]
    assert "on the idle network" in one.page.locator("#picked").inner_text()
    shares = one.page.locator("#picked ul.shares li")
    assert shares.count() == len(answer["shares"])


def test_ends_are_found_by_name_with_the_keyboard_alone(visit: Callable[..., Visit]) -> None:
    one = visit()
    names = one.scene["hosts"]["name"]
    for label, host in (("Route from", 17), ("to", 140)):
        field = one.page.get_by_label(label, exact=True)
        field.focus()
        one.page.keyboard.type(names[host])
        one.page.keyboard.press("Enter")
    assert one.view()["picked"] == {"source": 17, "destination": 140}


def test_another_routing_changes_verdict_and_loads_and_one_goes_back(
    visit: Callable[..., Visit],
) -> None:
    one = visit()
    first = one.status()
    one.page.get_by_label("Routing", exact=True).select_option("min_hop")
    one.until("document.querySelector('.status').textContent.startsWith('min_hop')")
    answer = one.ask("routing", state={"routing": "min_hop"})
    assert f"{answer['largest_load']:,}" in one.status()
    assert one.view()["state"]["routing"] == "min_hop"
    one.page.go_back()
    one.until(STATUS_BEGINS, first)
    one.page.go_forward()
    one.until("document.querySelector('.status').textContent.startsWith('min_hop')")


def test_what_is_no_routing_is_refused_in_words_and_the_page_goes_on(
    visit: Callable[..., Visit],
) -> None:
    one = visit()
    field = one.page.get_by_label("Routing, with parameters")
    field.fill("<img src=x onerror=alert(1)>")
    field.press("Enter")
    refusal = one.page.locator("#verdict .refused")
    refusal.wait_for()
    error = one.ask("routing", state={"routing": "<img src=x onerror=alert(1)>"})["error"]
    assert refusal.inner_text() == error["what"]
    assert one.page.locator("#page img").count() == 0
    field.fill("updown:root=0")
    field.press("Enter")
    one.page.locator("#verdict .verdict").wait_for()
    assert one.status().startswith("updown:root=0: safe")


def test_failures_change_the_loads_and_are_taken_back(visit: Callable[..., Visit]) -> None:
    one = visit({"picked": {"cable": 7}})
    before = one.status()
    one.page.locator("#picked").get_by_role("button", name="Let it fail").click()
    one.until(STATUS_HAS, "1 failure")
    answer = one.ask("routing", state={"failed_cables": [7]})
    assert f"largest load {answer['largest_load']:,}" in one.status()
    field = one.page.get_by_label("Fail a cable or switch")
    field.focus()
    one.page.keyboard.type("spine3")
    one.page.keyboard.press("Enter")
    spine = switch_of(one, "spine3")
    # The cables of the switch are named after it too; what is picked is the switch.
    one.until(STATUS_HAS, "2 failures")
    assert one.view()["state"]["failed_switches"] == [spine]
    for _ in range(2):
        one.page.locator(".failures").get_by_role("button", name="Restore").first.click()
    one.until("!document.querySelector('.status').textContent.includes('failure')")
    assert one.status().split(".")[0] == before.split(".")[0]


def test_two_states_stand_side_by_side_with_their_difference(visit: Callable[..., Visit]) -> None:
    one = visit()
    one.page.locator("#compare summary").first.click()
    one.page.get_by_role("button", name="Set another state beside this one").click()
    one.page.locator("#compare").get_by_label("Routing", exact=True).select_option("min_hop")
    table = one.page.locator("#comparison")
    table.wait_for()
    assert one.page.locator(".stage").count() == 2
    left = one.ask("routing")["largest_load"]
    right = one.ask("routing", state={"routing": "min_hop"})["largest_load"]
    one.until(
        "(text) => document.querySelector('#comparison').innerText.includes(text)", f"{right:,}"
    )
    row = table.locator("tr", has_text="Largest load").inner_text().split("\t")
    sign = "+" if right > left else "−"
    assert row == ["Largest load", f"{left:,}", f"{right:,}", f"{sign}{abs(right - left):,}"]
    legend = one.page.locator("canvas.legend").nth(1).get_attribute("aria-label")
    assert legend is not None
    assert "less over as before to" in legend
    one.page.get_by_role("button", name="Only one state").click()
    assert one.page.locator(".stage").count() == 1


def test_figures_are_what_is_seen(visit: Callable[..., Visit]) -> None:
    one = visit({"picked": {"source": 3, "destination": 200}})
    one.status()
    one.page.wait_for_timeout(300)
    with one.page.expect_download() as download:
        one.page.get_by_role("button", name="SVG").click()
    root = ElementTree.fromstring(download.value.path().read_text())  # noqa: S314 - just written
    assert root.tag == f"{SVG}svg"
    texts = {text.text for text in root.iter(f"{SVG}text")}
    assert {"leaf01", "spine6", "from", "to"} <= texts
    cables = one.scene["cables"]
    bundles = {tuple(sorted(ends)) for ends in zip(cables["a"], cables["b"], strict=True)}
    lines = list(root.iter(f"{SVG}polyline"))
    hops = one.ask("pair", source=3, destination=200)
    over = sum(hop["cable"] is not None for way in ("there", "back") for hop in hops[way]["hops"])
    assert len(lines) == len(bundles) + over
    with one.page.expect_download() as download:
        one.page.get_by_role("button", name="PNG").click()
    content = download.value.path().read_bytes()
    assert content.startswith(PNG)
    box = one.page.locator(".stage").bounding_box()
    assert box is not None
    assert int.from_bytes(content[16:20]) == 2 * round(box["width"] - 2)


def test_keys_move_the_drawing_and_the_address_follows(visit: Callable[..., Visit]) -> None:
    one = visit()
    stage = one.page.locator(".stage")
    for _ in range(MOST_TABS):
        one.page.keyboard.press("Tab")
        if stage.evaluate("(at) => at === document.activeElement"):
            break
    else:
        pytest.fail("the drawing was not reached by the keyboard")
    one.page.keyboard.press("+")
    one.page.keyboard.press("ArrowLeft")
    one.until("location.hash.includes('camera')")
    camera = one.view()["camera"]
    one.page.keyboard.press("ArrowRight")
    one.page.keyboard.press("ArrowDown")
    one.until("(old) => location.hash !== old", one.page.evaluate("location.hash"))
    after = one.view()["camera"]
    assert after["scale"] == camera["scale"]
    assert after["x"] > camera["x"]
    assert after["y"] > camera["y"]
    one.page.keyboard.press("0")
    one.until("!location.hash.includes('camera')")


def test_a_wheel_zooms_where_it_points_and_cables_come_apart(visit: Callable[..., Visit]) -> None:
    one = visit()
    leaf, spine = switch_of(one, "leaf03"), switch_of(one, "spine2")
    at = one.between(leaf, spine, 0.1)
    one.page.mouse.move(*at)
    hover = one.page.locator(".hover")
    assert "2 cables like" in hover.inner_text()
    one.page.mouse.wheel(0, -900)
    one.until("location.hash.includes('camera')")
    one.page.mouse.move(at[0] + 1, at[1])
    one.page.wait_for_timeout(200)
    one.page.mouse.move(*at)
    assert "cables like" not in hover.inner_text()
    scale = one.view()["camera"]["scale"]
    one.page.mouse.down()
    one.page.mouse.move(at[0] + 80, at[1] + 30, steps=4)
    one.page.mouse.up()
    assert "picked" not in one.view(), "a drag is no click"
    one.page.wait_for_timeout(600)
    assert one.view()["camera"]["scale"] == scale


def test_a_finger_taps_and_two_fingers_zoom(visit: Callable[..., Visit]) -> None:
    one = visit(size=TELEPHONE, has_touch=True, is_mobile=True)
    one.page.touchscreen.tap(*one.place(switch_of(one, "spine4")))
    assert one.view()["picked"] == {"switch": switch_of(one, "spine4")}
    stage = one.page.locator(".stage").bounding_box()
    assert stage is not None
    x, y = stage["x"] + stage["width"] / 2, stage["y"] + stage["height"] / 2
    session = one.page.context.new_cdp_session(one.page)

    def fingers(kind: str, apart: float) -> None:
        points = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
        session.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [] if kind == "touchEnd" else points},
        )

    fingers("touchStart", 30)
    for apart in (40, 60, 90):
        fingers("touchMove", apart)
    fingers("touchEnd", 90)
    one.until("location.hash.includes('camera')")
    assert one.view()["picked"] == {"switch": switch_of(one, "spine4")}


def test_an_address_for_another_network_is_told_of(visit: Callable[..., Visit]) -> None:
    one = visit({"picked": {"cable": 99_999}, "camera": {"x": 1}})
    complaint = one.page.get_by_role("alert").inner_text()
    assert "picked" in complaint
    assert "camera" in complaint


def test_a_deadlock_is_stepped_through_packet_by_packet(browser: Browser) -> None:
    torus = weft.torus(4, 4)
    with served(torus, "minimal") as server:
        one = opened(browser, torus, address_of(server))
        assert "not safe" in one.status()
        cycle = one.ask("routing")["verdict"]["cycle"]
        one.page.get_by_role("button", name="Show the deadlock, packet by packet").click()
        names = one.scene["hosts"]["name"]
        for step in [0, 1, 2]:
            text = one.page.locator("#deadlock .headline").inner_text()
            assert f"Packet {step + 1} of {len(cycle)}" in text
            assert names[cycle[step]["source"]] in text
            one.page.get_by_role("button", name="Next packet").click()
        assert one.view()["step"] == 3 % len(cycle)
        shown = one.page.locator("#deadlock ol li").all_inner_texts()
        assert shown == [re.sub(r"\s+", " ", found["words"]) for found in cycle]
        assert one.complaints == []
        one.page.context.close()


def test_hostile_names_are_text(browser: Browser) -> None:
    fabric = hostile()
    with served(fabric) as server:
        one = opened(browser, fabric, address_of(server, {"picked": {"cable": 0}}))
        one.status()
        for named in ("h1", "#picked h3"):
            assert HOSTILE_NAME in one.page.locator(named).inner_text()
        assert one.page.title() == "weft explore"
        assert one.page.locator("script").count() == 1
        assert one.complaints == []
        with one.page.expect_download() as download:
            one.page.get_by_role("button", name="SVG").click()
        written = download.value.path().read_text()
        found = ElementTree.fromstring(written)  # noqa: S314 - just written
        tags = {element.tag for element in found.iter()}
        assert tags <= {SVG + name for name in ("svg", "polygon", "polyline", "text", "circle")}
        one.page.context.close()


def test_what_the_page_is_allowed_is_little(visit: Callable[..., Visit]) -> None:
    one = visit()
    policy = one.page.request.get(one.address).headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "unsafe" not in policy
    blocked = one.page.evaluate(
        """() => new Promise((done) => {
          const tell = (event) => done(event.violatedDirective);
          document.addEventListener("securitypolicyviolation", tell);
          const script = document.createElement("script");
          script.textContent = "window.broken = true";
          document.body.append(script);
        })"""
    )
    assert blocked == "script-src-elem"
    assert one.page.evaluate("window.broken") is None
    one.complaints.clear()


def test_a_server_that_was_ended_is_told_of(browser: Browser, cluster: weft.Fabric) -> None:
    program = Path(sys.executable).with_name("weft")
    command = [str(program), "explore", "examples/cluster.ibnetdiscover", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        document = "".join(iter(server.stdout.readline, "}\n")) + "}"
        one = opened(browser, cluster, json.loads(document)["address"])
        one.status()
        server.terminate()
        server.wait(timeout=60)
    one.page.get_by_label("Routing", exact=True).select_option("min_hop")
    refusal = one.page.locator("#verdict .refused")
    refusal.wait_for()
    assert "is weft explore still running?" in refusal.inner_text()
    one.page.context.close()
