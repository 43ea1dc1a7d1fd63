"""Failures and new tables under traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from command import done
from command import weft as command

import weft

if TYPE_CHECKING:
    from pathlib import Path

EVENTS = """
retries = {timeout = "5us", count = 3}
[[event]]
at = "20us"
fails = "sw0:3"
[[event]]
at = "30us"
tables = "repaired.json"
of = "damaged.json"
each_after = "100ns"
[[event]]
at = "60us"
returns = "sw0:3"
"""


def torus() -> tuple[weft.Fabric, weft.Routing]:
    fabric = weft.torus(4, 4, hosts_per_switch=2)
    return fabric, weft.to_tables(fabric, weft.route(fabric, "best"), 0)


def rehearsed(
    events: list[weft.Fails | weft.Returns | weft.TablesChange],
    retries: weft.Retries | None = None,
    load: float = 0.2,
) -> weft.Rehearsed:
    fabric, tables = torus()
    return weft.rehearse(
        fabric,
        tables,
        weft.hardware("infiniband_hdr"),
        weft.Traffic(load=load, payload_bytes=512),
        events,
        until_ns=100_000,
        window_ns=1_000,
        retries=retries,
    )


def test_a_failure_that_nobody_repairs_loses_packets_to_the_end() -> None:
    seen = rehearsed([weft.Fails(20_000, "sw0:3")])
    assert seen.before.lost_by_failure == 0
    assert seen.end.lost_by_failure > 0
    assert seen.recovered_ns is None
    assert not seen.lost[seen.end_ns <= 20_000].any()
    assert seen.lost_without_entry.sum() == 0


def test_repaired_tables_end_the_loss_and_retries_bring_all_that_was_lost() -> None:
    fabric, tables = torus()
    events = weft.mended(fabric, tables, "sw0:3", at_ns=20_000, after_ns=10_000, each_after_ns=100)
    gone = rehearsed(events)
    again = rehearsed(events, weft.Retries(5_000, 7))
    for seen in (gone, again):
        assert seen.recovered_ns is not None
        assert 30_000 < seen.recovered_ns < 60_000
        assert seen.end.lost_by_failure == 0
        # The first switch has its tables at 30 us, the last 1.6 us later.
        assert not seen.lost[seen.begin_ns > 33_000].any()
    lost = int(gone.lost.sum())
    assert lost > 0
    missing = int(again.packets.sum()) + again.under_way_packets
    missing -= int(gone.packets.sum()) + gone.under_way_packets
    # Traffic is the same: what is lost for good in the one arrives in the other.
    assert missing == lost
    assert again.during.most_latency_ns > 5_000


def test_packets_without_entries_are_counted_by_themselves() -> None:
    fabric, tables = torus()
    left = weft.degrade(fabric, switches="sw5").fabric
    other = weft.repair(fabric, tables, left).routing
    seen = rehearsed([weft.TablesChange(20_000, other)])
    # Switch 5 works, but nobody has entries for its two hosts any more, nor does it have any.
    assert seen.lost_by_failure.sum() == 0
    assert seen.end.lost_without_entry > 0


def test_a_mapper_gives_hosts_routes_around_what_failed() -> None:
    fabric = weft.torus(4, 4, hosts_per_switch=2)
    routing = weft.route(fabric, "ud_itb")

    def seen_with(*others: weft.TablesChange) -> weft.Rehearsed:
        return weft.rehearse(
            fabric,
            routing,
            weft.hardware("myrinet"),
            weft.Traffic(load=0.05, payload_bytes=512),
            [weft.Fails(200_000, "sw5"), *others],
            until_ns=1_500_000,
            window_ns=10_000,
        )

    unmended = seen_with()
    assert unmended.end.lost_by_failure > 0
    assert unmended.end.lost_without_entry == 0
    events = weft.mended(
        fabric, routing, "sw5", at_ns=200_000, after_ns=200_000, each_after_ns=1_000, by="same"
    )
    assert isinstance(events[1], weft.TablesChange)
    assert events[1].routing.algorithm == "ud_itb"
    mended = seen_with(events[1])
    assert mended.end.lost_by_failure == 0
    # The mapper does not find the hosts of the switch, so nobody has a route to them.
    assert mended.end.lost_without_entry > 0
    assert not mended.lost_without_entry[mended.end_ns <= 400_000].any()


def test_a_part_that_returns_carries_traffic_again() -> None:
    events: list[weft.Fails | weft.Returns | weft.TablesChange] = [
        weft.Fails(20_000, "sw5"),
        weft.Returns(40_000, "sw5"),
    ]
    seen = rehearsed(events)
    assert seen.recovered_ns is not None
    assert seen.end.lost_by_failure == 0
    assert seen.lost[(seen.begin_ns >= 20_000) & (seen.end_ns <= 40_000)].all()
    assert np.isclose(seen.end.accepted_load, 0.2, rtol=0.1)


def test_what_does_not_fit_is_refused() -> None:
    fabric, tables = torus()
    hardware = weft.hardware("infiniband_hdr")

    def refused(**changed: object) -> str:
        given: dict[str, object] = {
            "fabric": fabric,
            "routing": tables,
            "hardware": hardware,
            "traffic": weft.Traffic(load=0.1),
            "events": [weft.Fails(1_000, "sw0:3")],
            "until_ns": 10_000.0,
            "window_ns": 1_000.0,
            **changed,
        }
        with pytest.raises(weft.WeftError) as error:
            weft.rehearse(**given)  # type: ignore[arg-type]
        return f"{type(error.value).__name__}: {error.value}"

    assert refused(events=[]).startswith("InputError: found no events")
    assert "expected 0 or more, before the end" in refused(events=[weft.Fails(10_000, "sw0:3")])
    assert "sw0:99" in refused(events=[weft.Fails(1, "sw0:99")])
    assert refused(events=[weft.Fails(1, "sw99")]).startswith("FabricError: found switch “sw99”")
    some = weft.TablesChange(1, weft.route(fabric, "updown"), ("sw0",))
    updown = weft.route(fabric, "updown")
    text = refused(routing=updown, hardware=weft.hardware("myrinet"), events=[some])
    assert text.startswith("InputError: packets of wormhole hardware carry their routes")
    choice = weft.TablesChange(1, weft.route(fabric, "minimal_adaptive"))
    text = refused(routing=updown, hardware=weft.hardware("myrinet"), events=[choice])
    assert text.startswith("RoutingError: packets of wormhole hardware carry their routes")
    assert "a window is 0 ns" in refused(window_ns=0.0)
    other = weft.route(weft.torus(5, 4, hosts_per_switch=2), "min_hop")
    text = refused(events=[weft.TablesChange(1, other)])
    assert text.startswith("RoutingError: tables are for a fabric with ")
    listed = weft.route(fabric, "updown")
    text = refused(routing=listed, events=[weft.TablesChange(1, tables)])
    assert text.startswith("RoutingError: only forwarding tables change")


def test_a_file_of_events_is_read_and_its_mistakes_are_told(tmp_path: Path) -> None:
    fabric, tables = torus()
    left = weft.degrade(fabric, links="sw0:3").fabric
    weft.write_fabric(fabric, tmp_path / "net.json")
    weft.write_fabric(left, tmp_path / "damaged.json")
    weft.write_routes(weft.repair(fabric, tables, left).routing, tmp_path / "repaired.json")
    path = tmp_path / "night.toml"
    path.write_text(EVENTS)
    events, retries = weft.read_events(path, fabric)
    assert [type(event).__name__ for event in events] == ["Fails", "TablesChange", "Returns"]
    assert retries == weft.Retries(5_000, 3)
    for old, new, told in [
        ('"20us"', '"20 parsecs"', "event 1: at: "),
        ('fails = "sw0:3"', 'falls = "sw0:3"', "event 1: found “falls”"),
        ('fails = "sw0:3"', "", "event 1: expected a time (at) and one of"),
        ('at = "60us"', 'at = "60us"\neach_after = "1us"', "event 3: “each_after” goes with"),
        ("count = 3", "count = -3", "retries: count is -3"),
        ("[[event]]", "[[events]]", "found “events”"),
    ]:
        path.write_text(EVENTS.replace(old, new))
        with pytest.raises(weft.FormatError) as error:
            weft.read_events(path, fabric)
        assert told in str(error.value)
        assert str(path) in str(error.value)


def test_the_command_tells_what_python_tells(tmp_path: Path) -> None:
    fabric, _ = torus()
    weft.write_fabric(fabric, tmp_path / "net.json")
    call = [
        "rehearse",
        str(tmp_path / "net.json"),
        "best",
        *("--fail", "sw0:3", "--load", "20%", "--hardware", "infiniband_hdr"),
        *("--at", "20us", "--after", "10us", "--each-after", "100ns", "--until", "100us"),
        *("--window", "1us", "--payload-bytes", "512"),
    ]
    told = done(*call, "--json").document
    _, tables = torus()
    events = weft.mended(fabric, tables, "sw0:3", at_ns=20_000, after_ns=10_000, each_after_ns=100)
    seen = rehearsed(events, weft.Retries(50_000, 7))
    assert told["windows"]["packets"] == seen.packets.tolist()
    assert told["recovered_ns"] == seen.recovered_ns
    assert told["phases"]["end"]["accepted_load"] == seen.end.accepted_load
    text = done(*call).stdout
    assert "until recovered" in text
    assert "after the first event" in text
    ended = command(*call, "--by", "nothing")
    assert ended.code == 1
    assert "never, up to the end" in ended.stdout
    ended = command(*call[:3], "--load", "20%")
    assert ended.code == 2
    assert "--fail PART" in ended.stderr
