"""What the page of ``weft explore`` draws beyond the plain: chassis, runs, pages in a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from explore_pages import Visit, address_of, opened, served
from report_samples import fabric_of

import weft
from weft.explore import write_page

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

PLAYED = "(from) => Number(document.querySelector('#run input[type=range]').value) > from"


def directors() -> weft.Fabric:
    """Build two directors of four line chips and two spine chips, six leaves on each line."""
    switches, links = {}, []
    for number in range(2):
        lines = [f"MF0;core{number}:CS7500/L{card:02}/U1" for card in range(1, 5)]
        spines = [f"MF0;core{number}:CS7500/S{card:02}/U1" for card in (1, 2)]
        switches |= dict.fromkeys([*lines, *spines], 0)
        links += [(line, spine) for line in lines for spine in spines]
        for leaf in range(6):
            switches[f"leaf-{leaf}"] = 4
            links += [(f"leaf-{leaf}", line) for line in lines]
    return fabric_of("two directors", switches, links)


def test_a_chassis_opens_into_its_cards_at_a_click_and_closes_again(browser: Browser) -> None:
    fabric = directors()
    with served(fabric, "updown") as server:
        one = opened(browser, fabric, address_of(server))
        one.status()
        names = one.scene["switches"]["name"]
        chassis = [found["name"] for found in one.scene["chassis"]]
        assert len(chassis) == 2
        middle = one.place(len(names))
        one.page.mouse.move(*middle)
        one.until("document.querySelector('.hover').textContent.includes('click to open')")
        # Four cables join a leaf to a closed chassis: one line.
        leaf = names.index("leaf-0")
        one.page.mouse.move(*one.between(leaf, len(names), 0.3))
        one.until("document.querySelector('.hover').textContent.startsWith('4 cables like')")
        one.page.mouse.click(*middle)
        assert one.view()["opened"] == [0]
        card = names.index(f"{chassis[0]}/L02/U1")
        one.page.wait_for_timeout(300)
        one.page.mouse.click(*one.place(card))
        assert one.view()["picked"] == {"switch": card}
        assert chassis[0] in one.page.locator("#picked").inner_text()
        one.page.get_by_role("button", name="Close the chassis").click()
        assert "opened" not in one.view()
        assert one.complaints == []
        one.page.context.close()


def test_chassis_open_by_themselves_where_one_is_near(browser: Browser) -> None:
    fabric = directors()
    with served(fabric, "updown") as server:
        one = opened(browser, fabric, address_of(server))
        one.status()
        names = one.scene["switches"]["name"]
        at = one.place(len(names))
        one.page.mouse.move(*at)
        one.page.mouse.wheel(0, -900)
        one.until("location.hash.includes('camera')")
        one.page.mouse.move(at[0] + 2, at[1] + 2)
        one.page.mouse.move(*at)
        one.until("!document.querySelector('.hover').textContent.includes('click to open')")
        assert "opened" not in one.view()
        one.page.context.close()


def cycle_shown(visit: Visit) -> int:
    """Return the cycle that the timeline is at."""
    return int(visit.page.locator("#run input[type=range]").input_value())


def test_a_run_is_played_and_stopped_and_its_packets_are_counted(browser: Browser) -> None:
    cluster = weft.read_fabric("examples/cluster.ibnetdiscover").fabric
    asked = {"load": 0.3, "cycles": 6000, "seed": 5}
    with served(cluster, "updown") as server:
        one = opened(browser, cluster, address_of(server, {"run": asked}))
        slider = one.page.locator("#run input[type=range]")
        slider.wait_for()
        run = one.ask("run", **asked)
        assert "error" not in run
        assert int(slider.get_attribute("max") or 0) == run["cycles"]
        stage = one.page.locator(".stage canvas.above")
        still = stage.screenshot()
        slider.fill("3000")
        made = sum(packet["generated"] <= 3000 for packet in run["packets"])
        there = sum((packet["delivered"] or 1e9) <= 3000 for packet in run["packets"])
        told = f"{made:,} packets made, {there:,} delivered, {made - there:,} under way"
        one.page.locator("#run", has_text=told).wait_for()
        one.page.wait_for_timeout(200)
        assert stage.screenshot() != still, "packets are drawn"
        # At its usual speed it would be over in 0.4 s, and the second press begin it again.
        one.page.get_by_label("Speed").select_option("30")
        play = one.page.get_by_role("button", name="Play")
        play.click()
        one.until(PLAYED, 3001)
        play.click()
        # What was on its way when the button was pressed is drawn still.
        one.page.wait_for_timeout(300)
        stopped = cycle_shown(one)
        one.page.wait_for_timeout(300)
        assert cycle_shown(one) == stopped
        assert one.complaints == []
        one.page.context.close()


def test_trains_that_stop_and_go_are_played_on_hardware_that_is_picked(browser: Browser) -> None:
    torus = weft.torus(4, 4, hosts_per_switch=4)
    asked = {"load": 0.4, "cycles": 6000, "seed": 2}
    with served(torus, "ud_itb", "best:lanes=4") as server:
        one = opened(browser, torus, address_of(server, {"run": asked}))
        one.page.locator("#run input[type=range]").wait_for()
        run = one.ask("run", **asked)
        stretches = [hop["stretches"] for packet in run["packets"] for hop in packet["hops"]]
        assert sum(len(found) > 1 for found in stretches) > 100, "packets are stopped on their way"
        one.page.locator("#run input[type=range]").fill("5000")
        there = sum((packet["delivered"] or 1e9) <= 5000 for packet in run["packets"])
        one.page.locator("#run", has_text=f" {there:,} delivered").wait_for()
        # One lane is all that it has.
        one.page.get_by_label("Routing", exact=True).select_option("best:lanes=4")
        refusal = one.page.locator("#run .refused")
        refusal.wait_for()
        assert "lane" in refusal.inner_text()
        one.page.get_by_label("Hardware").select_option("infiniband_hdr")
        one.page.locator("#run input[type=range]").wait_for()
        state = {"routing": "best:lanes=4", "hardware": "infiniband_hdr"}
        cycles = one.ask("run", state=state, **asked)["cycles"]
        one.until(
            "end => document.querySelector('#run input[type=range]').max === end", str(cycles)
        )
        assert one.view()["state"]["hardware"] == "infiniband_hdr"
        assert one.complaints == []
        one.page.context.close()


def test_of_packets_that_choose_all_cables_are_told(browser: Browser) -> None:
    tree = weft.generate("xgft", m=(2, 4), w=(1, 2))
    view = {"picked": {"source": 0, "destination": 7}}
    with served(tree, "ar_ftree") as server:
        one = opened(browser, tree, address_of(server, view))
        told = one.page.locator("#picked", has_text="packets may take 4 cables")
        told.first.wait_for()
        assert told.first.inner_text().count("50.0 %") == 8
        # Myrinet's switches cannot choose; others can.
        assert "no latency: " in told.first.inner_text()
        one.page.get_by_label("Hardware").select_option("infiniband_hdr")
        one.page.locator("#picked", has_text="on the idle network").wait_for()
        one.page.locator("#cables tbody button").first.click()
        one.page.locator("#picked", has_text="Search the pairs that cross it").wait_for()
        one.page.locator("#picked ul.pairs").first.wait_for()
        assert one.complaints == []
        one.page.context.close()


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of the cluster of the examples into one file."""
    path = tmp_path_factory.mktemp("page") / "cluster.html"
    write_page(weft.read_fabric("examples/cluster.ibnetdiscover").fabric, path, ["updown"])
    return path


def test_a_page_in_one_file_answers_as_the_server_does_and_asks_no_network(
    browser: Browser, page_file: Path
) -> None:
    cluster = weft.read_fabric("examples/cluster.ibnetdiscover").fabric
    assert page_file.stat().st_size < 5_000_000
    with served(cluster, "updown") as server:
        here, there = (
            opened(browser, cluster, address, scene_of=server.address)
            for address in (page_file.as_uri(), server.address)
        )
        for one in (here, there):
            one.page.locator("#cables tbody button").first.click()
            one.page.locator("#picked .without .verdict").wait_for()
            one.until("!document.querySelector('#verdict').textContent.includes('…')")
        parts = (".status", "#picked", "#verdict", "#loads")
        same = [[one.page.locator(part).inner_text() for part in parts] for one in (here, there)]
        assert same[0] == same[1]
        told = here.page.locator(".panels").inner_text()
        assert "worked out by this page itself" in told
        allowed = ("file:", "blob:", "data:")
        assert [url for url in here.requests if not url.startswith(allowed)] == []
        assert here.complaints == there.complaints == []
        here.page.context.close()
        there.page.context.close()


def test_a_page_in_one_file_keeps_what_is_seen_in_its_address(
    browser: Browser, page_file: Path
) -> None:
    cluster = weft.read_fabric("examples/cluster.ibnetdiscover").fabric
    with served(cluster, "updown") as server:
        one = opened(browser, cluster, page_file.as_uri(), scene_of=server.address)
        one.page.locator("#cables tbody button").nth(2).click()
        address = one.page.url
        assert re.search(r"#.*picked", address)
        again = opened(browser, cluster, address, scene_of=server.address)
        assert again.view() == one.view()
        again.page.go_back()
        for visit in (one, again):
            visit.page.context.close()


def test_routes_that_are_given_travel_in_the_file(browser: Browser, tmp_path: Path) -> None:
    torus = weft.torus(4, 4)
    path = tmp_path / "torus.html"
    given = weft.route(torus, "updown:root=5")
    write_page(torus, path, [given])
    with served(torus, "updown:root=5") as server:
        one = opened(browser, torus, path.as_uri(), scene_of=server.address)
        assert one.status().startswith(f"{given.label}: safe, no deadlock")
        answer = one.ask("routing")
        assert f"largest load {answer['largest_load']:,}" in one.status()
        one.page.context.close()
