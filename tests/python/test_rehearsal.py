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

    from weft.rehearsal import Event

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
    events: list[Event],
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
    events: list[Event] = [
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
    assert refused(events=[weft.Fails(1, "sw99")]).startswith(
        "FabricError: event 1: found switch “sw99”"
    )
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
        ('fails = "sw0:3"', 'fails = "swq:3"', "event 1: found switch “swq”, and the fabric"),
        ('fails = "sw0:3"', 'fails = "sw0:99"', "event 1: found link “sw0:99”; “sw0” has"),
        ('"20us"', '"-20us"', "event 1: at is '-20us', expected a time from 0 to 10,000 s"),
        ('fails = "sw0:3"', 'fails = "*"', "event 1: found switch “*”, and the fabric"),
        (
            'at = "60us"',
            'at = "60us"\neach_after = "1us"',
            "event 3: “each_after” does not go with returns",
        ),
        (
            'of = "damaged.json"',
            'of = "damaged.json"\nswitches = ["sw0", "swq"]',
            "event 2: found switch “swq”, and the fabric",
        ),
        ("count = 3", "count = -3", "retries: count is -3"),
        ('"5us"', '"0us"', "retries: timeout is '0us', expected more than 0"),
        ("[[event]]", "[[events]]", "found “events”"),
        (
            'returns = "sw0:3"',
            'returns = "sw0:4"',
            "event 3: “sw0:4” returns, which has not",
        ),
        ('returns = "sw0:3"', 'returns = "sw0"', "event 3: “sw0” returns, which has not failed"),
        ('at = "60us"', 'at = "19us"', "event 3: “sw0:3” returns, which has not failed by then"),
        (
            'returns = "sw0:3"',
            'fails = "sw0:3"',
            "event 3: “sw0:3” fails, which has failed and not returned by then; leave that out",
        ),
    ]:
        path.write_text(EVENTS.replace(old, new))
        with pytest.raises(weft.FormatError) as error:
            weft.read_events(path, fabric)
        assert told in str(error.value)
        assert str(path) in str(error.value)


def test_a_link_returns_by_either_end_and_a_part_that_did_not_fail_does_not() -> None:
    fabric, _ = torus()
    ((_, other),) = weft.degrade(fabric, links="sw0:3").failed_links
    assert other != "sw0:3"
    back = rehearsed([weft.Fails(20_000, "sw0:3"), weft.Returns(30_000, other)])
    assert back.end.lost_by_failure == 0
    for events in (
        [weft.Returns(20_000, "sw0:3")],
        [weft.Fails(20_000, "sw0"), weft.Returns(30_000, "sw0:3")],
        [weft.Fails(20_000, "sw0"), *[weft.Returns(at, "sw0") for at in (30_000, 40_000)]],
    ):
        part = events[-1].part
        told = f"event {len(events)}: “{part}” returns, which has not failed by then"
        with pytest.raises(weft.InputError, match=told):
            rehearsed(events)


def test_a_part_fails_once_until_it_returns() -> None:
    fabric, _ = torus()
    ((_, other),) = weft.degrade(fabric, links="sw0:3").failed_links
    with pytest.raises(weft.InputError, match=f"event 2: “{other}” fails, which has failed"):
        rehearsed([weft.Fails(20_000, "sw0:3"), weft.Fails(30_000, other)])
    back = weft.Returns(25_000, other)
    seen = rehearsed([weft.Fails(20_000, "sw0:3"), weft.Fails(30_000, other), back])
    assert seen.end.lost_by_failure > 0


def test_events_of_one_cycle_happen_by_their_time_however_they_are_listed() -> None:
    fails, returns = weft.Fails(20_000.1, "sw0:3"), weft.Returns(20_000.2, "sw0:3")
    seen = [rehearsed(events) for events in ([fails, returns], [returns, fails])]
    # What was on the link when it failed is lost, and no more.
    assert [one.end.lost_by_failure for one in seen] == [0, 0]
    assert seen[0].lost.tolist() == seen[1].lost.tolist()


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
    ended = command(*call, "--until", "30us")
    assert ended.code == 2
    assert "--until: it ends at 30.0 us, and something happens at 30.0 us" in ended.stderr


def test_tables_change_in_the_rounds_of_a_plan() -> None:
    fabric = weft.torus(4, 4, hosts_per_switch=2)
    old, new = (weft.route(fabric, f"down_preferred:root={root}") for root in (0, 10))
    plan = weft.plan_transition(fabric, old, fabric, new, direct=True)
    events = weft.in_rounds(plan, fabric, new, at_ns=20_000, each_after_ns=100, wait_ns=20_000)
    writes = [event for event in events if isinstance(event, weft.EntriesChange)]
    assert [len(event.writes) for event in writes] == [len(writes) for writes in plan.rounds]
    # The next round begins when the last switch has its entries, and phases a wait later.
    switches = len({switch for switch, *_ in writes[0].writes})
    assert writes[1].at_ns == pytest.approx(20_000 + switches * 100 + 20_000)

    def seen_with(others: list[Event]) -> weft.Rehearsed:
        return weft.rehearse(
            fabric,
            old,
            weft.hardware("infiniband_hdr"),
            weft.Traffic(load=0.1, payload_bytes=512),
            others,
            until_ns=200_000,
            window_ns=2_000,
        )

    in_rounds = seen_with(events)
    assert in_rounds.deadlock_ns is None
    # Packets to those that are drained find no entry until these are set.
    assert in_rounds.lost_without_entry.sum() > 0
    assert in_rounds.end.lost_without_entry == 0
    assert not in_rounds.lost[in_rounds.end_ns <= 20_000].any()
    # At the end all is as if the new tables had been given at once.
    at_once = seen_with([weft.TablesChange(20_000, new)])
    assert at_once.lost.sum() == 0
    assert in_rounds.end.mean_latency_ns == pytest.approx(at_once.end.mean_latency_ns, rel=0.02)


def test_entries_and_answers_stand_in_files_of_events(tmp_path: Path) -> None:
    fabric, tables = torus()
    weft.write_routes(tables, tmp_path / "new.json")
    path = tmp_path / "rounds.toml"
    text = """
[[event]]
at = "20us"
writes = [["sw0", "host9", 0, 0], ["sw1", "host9", 0, 3]]
each_after = "1us"
[[event]]
at = "30us"
answers = "new.json"
"""
    path.write_text(text)
    events, _ = weft.read_events(path, fabric)
    writes = (("sw0", "host9", 0, 0), ("sw1", "host9", 0, 3))
    assert events[0] == weft.EntriesChange(20_000, writes, 1_000)
    assert isinstance(events[1], weft.Answers)
    seen = rehearsed(events)
    assert seen.end.lost_without_entry > 0
    for old, new, told in [
        ('"host9", 0, 0]', '"host9", 0]', "event 1: writes has ["),
        ('"host9", 0, 0]', '"host9", 0, 300]', "event 1: writes has ["),
        ('"sw1", "host9", 0, 3', '"sw99", "host9", 0, 3', "event 1: found switch “sw99”"),
        ('"sw1", "host9"', '"sw1", "hots9"', "event 1: the destination “hots9” is none: the"),
        ("0, 3]]", "0, 9]]", "event 1: entries of “sw1” are written for port 9; it has ports 1 to"),
        ('answers = "new.json"', "answers = 3", "event 2: answers is 3"),
        ('"new.json"', '"new.json"\nof = ["net.json"]', "event 2: of is ['net.json'], expected"),
        ('"new.json"', '"new.json"\npairs = [["sw0"]]', "event 2: pairs has ['sw0'], expected"),
        ('"new.json"', '"new.json"\npairs = []', "event 2: pairs is [], expected pairs"),
        ('"new.json"', '"new.json"\npairs = [["sw99", "host9"]]', "event 2: found switch “sw99”"),
        (
            '"new.json"',
            '"new.json"\npairs = [["sw0", "hots9"]]',
            "event 2: the destination “hots9” is none",
        ),
        ('each_after = "1us"', 'of = "net.json"', "event 1: “of” does not go with writes"),
    ]:
        path.write_text(text.replace(old, new))
        with pytest.raises(weft.FormatError) as error:
            weft.read_events(path, fabric)
        assert told in str(error.value)
        assert str(path) in str(error.value)
    for entry, told in [
        (("sw99", "host9", 0, 0), "event 1: found switch “sw99”"),
        (("sw0", "host99", 0, 0), "event 1: the destination “host99” is none"),
        (("sw0", "host9", 1, 0), "event 1: entries are written for address 1 of “host9”"),
    ]:
        with pytest.raises(weft.WeftError, match=told):
            rehearsed([weft.EntriesChange(20_000, (entry,))])


def test_hosts_of_some_switches_are_told_levels_to_some_destinations() -> None:
    fabric = weft.torus(4, 4, hosts_per_switch=2)
    specs = ("dfsssp:lanes=3", "dfsssp:lanes=4")
    old, new = (weft.to_tables(fabric, weft.route(fabric, spec), 0) for spec in specs)

    def seen(*pairs: tuple[tuple[str, str], ...] | None) -> list[float]:
        found = weft.rehearse(
            fabric,
            old,
            weft.hardware("infiniband_hdr"),
            weft.Traffic(load=0.6, payload_bytes=512),
            [weft.Answers(5_000, new, told) for told in pairs],
            until_ns=30_000,
            window_ns=1_000,
        )
        return found.mean_latency_ns.tolist()

    switches, hosts = fabric.switch_names, fabric.host_names
    parts = [
        tuple((at, to) for to in hosts for at in some) for some in (switches[:8], switches[8:])
    ]
    whole = seen(None)
    assert seen(*parts) == seen(*reversed(parts)) == seen(parts[0] + parts[1]) == whole
    assert whole != seen(parts[0]) != seen(parts[1]) != whole


def test_the_command_rehearses_new_tables_in_rounds(tmp_path: Path) -> None:
    fabric, _ = torus()
    weft.write_fabric(fabric, tmp_path / "net.json")
    net = str(tmp_path / "net.json")
    options = ("--load", "10%", "--hardware", "infiniband_hdr", "--at", "20us", "--window", "5us")
    roots = ("down_preferred:root=0", "--to", "down_preferred:root=10")
    rounds = ("--in-rounds", "--wait", "10us")
    told = done("rehearse", net, *roots, *options, *rounds, "--json").document
    assert sum(told["windows"]["lost_without_entry"]) == 0
    assert told["deadlock_ns"] is None
    # Some are drained where packets go by no tree meanwhile.
    drains = done("rehearse", net, *roots, *options, *rounds, "--direct", "--json").document
    assert sum(drains["windows"]["lost_without_entry"]) > 0
    assert "give --in-rounds" in command("rehearse", net, *roots, *options, "--direct").stderr
    at_once = done("rehearse", net, *roots, *options, "--json").document
    assert sum(at_once["windows"]["lost_without_entry"]) == 0
    fails = ("best", "--fail", "sw0:3", "--by", "best", "--after", "10us", "--in-rounds")
    assert "until recovered" in done("rehearse", net, *fails, *options).stdout
    ended = command("rehearse", net, "best", "--fail", "sw0:3", *options, "--in-rounds")
    assert ended.code == 2
    assert "rounds are planned for forwarding tables that are new" in ended.stderr
    ended = command("rehearse", net, "best", "--fail", "sw0:3", "--to", "min_hop", *options)
    assert ended.code == 2
    assert "one of --fail PART, --to SPEC and --events" in ended.stderr


def test_the_command_repairs_round_after_round_where_it_takes_that(tmp_path: Path) -> None:
    whole = weft.irregular(16, seed=1)
    tables = weft.route(whole, "down_preferred")
    made = weft.repair(whole, tables, weft.degrade(whole, switches="sw1").fabric)
    assert made.order == "in_rounds"
    weft.write_fabric(whole, tmp_path / "net.json")
    options = ("--load", "5%", "--hardware", "infiniband_hdr", "--until", "60us", "--window", "5us")
    call = ("rehearse", tmp_path / "net.json", "down_preferred", "--fail", "sw1", *options)
    told = command(*map(str, call), "--at", "10us", "--after", "5us", "--json").document
    assert sum(told["windows"]["lost_without_entry"]) + sum(told["windows"]["lost_by_failure"]) > 0


def test_a_program_waits_for_what_a_failure_took_until_its_source_sends_again() -> None:
    fabric, tables = torus()
    machine = weft.hardware("infiniband_hdr")
    program = weft.collective("allreduce", 32, size_bytes=65_536)
    undisturbed = weft.replay(fabric, tables, machine, program)
    assert undisturbed.end == "finished"
    begins = 0.3 * undisturbed.simulated_ns
    events: list[Event] = [weft.Fails(begins, "sw5"), weft.Returns(begins + 2_000, "sw5")]
    blocked = weft.replay(fabric, tables, machine, program, events=events)
    # Nobody sends again: those that wait for what was lost wait for ever.
    assert blocked.end == "blocked"
    assert blocked.lost_packets > 0
    assert blocked.blocked
    again = weft.replay(
        fabric, tables, machine, program, events=events, retries=weft.Retries(5_000, 7)
    )
    assert again.end == "finished"
    assert again.lost_packets > 0
    assert max(again.finish_ns) > max(undisturbed.finish_ns)
    assert again.received_messages == undisturbed.received_messages
    # On Myrinet, too, with routes that a mapper finds.
    routing, myrinet = weft.route(fabric, "ud_itb"), weft.hardware("myrinet")
    before = weft.replay(fabric, routing, myrinet, program)
    begins = 0.3 * before.simulated_ns
    left = weft.route(weft.degrade(fabric, links="sw0:3").fabric, "ud_itb")
    events = [weft.Fails(begins, "sw0:3"), weft.TablesChange(begins + 50_000, left)]
    mapped = weft.replay(
        fabric, routing, myrinet, program, events=events, retries=weft.Retries(20_000, 7)
    )
    assert mapped.end == "finished"
    assert mapped.lost_packets > 0


def test_a_collective_operation_waits_for_what_failed(tmp_path: Path) -> None:
    fabric, _ = torus()
    weft.write_fabric(fabric, tmp_path / "net.json")
    night = tmp_path / "night.toml"
    happens = '[[event]]\nat = "10us"\nfails = "sw0:3"\n[[event]]\nat = "60us"\nreturns = "sw0:3"\n'
    night.write_text('retries = {timeout = "5us", count = 50}\n' + happens)
    call = ("collective", "alltoall", "--bytes", "16KiB", "--fabric", tmp_path / "net.json")
    options = ("--routing", "best", "--hardware", "infiniband_hdr", "--json")
    quiet = done(*call, *options).document["runs"][0]
    told = done(*call, *options, "--events", night).document["runs"][0]
    assert 10_000 < quiet["last_ns"] < told["last_ns"]
    assert told["last_ns"] > 60_000, "what was lost is there when the cable is"
    night.write_text(happens)
    ended = command(*call, *options[:-1], "--events", night)
    assert ended.code == 2
    assert "is blocked; what fails takes packets with it, expected retries" in ended.stderr
