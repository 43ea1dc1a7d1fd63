"""What a watch did, kept so that it can be rehearsed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from command import done
from watched import SPEC, Watched, discovered, torus

import weft
from weft.event_files import events_text, read_events
from weft.rehearsal import EntriesChange
from weft.watch import decide
from weft.watch.changes import Changes

if TYPE_CHECKING:
    from pathlib import Path

    from weft.rehearsal import Event

MACHINE = weft.hardware("infiniband_hdr")


def rehearsed(folder: Path, until_ns: float = 500e3) -> tuple[list[Event], weft.Rehearsed]:
    """Rehearse a change that was kept, and return its events, too."""
    fabric = weft.read_fabric(folder / "fabric.json").fabric
    routing = weft.read_routes(fabric, folder / "tables.json").routing
    events, retries = read_events(folder / "events.toml", fabric)
    assert retries is None
    traffic = weft.Traffic(load=0.1)
    seen = weft.rehearse(
        fabric, routing, MACHINE, traffic, events, until_ns=until_ns, window_ns=10e3
    )
    return events, seen


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[weft.Fabric, list[Path]]:
    """A cable is gone, a switch besides, the cable is back; the folders of these changes."""
    folder = tmp_path_factory.mktemp("watched")
    whole = discovered(weft.generate("k_ary_n_tree", k=4, n=2), folder)
    watched = Watched(folder / "watch")
    watched.sees(whole)
    assert not (folder / "watch" / "changes").exists(), "nothing stood before"
    for switches in ([], ["sw1"]):
        left = weft.degrade(whole, links="sw0:5", switches=switches).fabric
        watched.sees(left, left)
    without = weft.degrade(whole, switches="sw1").fabric
    watched.sees(without, without)
    return whole, sorted((folder / "watch" / "changes").iterdir())


def test_what_was_done_about_a_cable_is_what_a_rehearsal_of_it_does(
    kept: tuple[weft.Fabric, list[Path]],
) -> None:
    whole, folders = kept
    assert [folder.name for folder in folders] == ["000002", "000003", "000004"]
    events, seen = rehearsed(folders[0])
    assert [type(event).__name__ for event in events] == ["Fails", "TablesChange"]
    tables = weft.to_tables(whole, weft.route(whole, "best:lanes=1"), 0)
    expected = weft.mended(whole, tables, "sw0:5", at_ns=100e3, after_ns=100e3, each_after_ns=1e3)
    by_hand = weft.rehearse(
        whole,
        tables,
        MACHINE,
        weft.Traffic(load=0.1),
        expected,
        until_ns=500e3,
        window_ns=10e3,
    )
    assert by_hand.lost.sum() > 0
    for name in ("packets", "lost_by_failure", "lost_without_entry", "mean_latency_ns"):
        np.testing.assert_array_equal(getattr(seen, name), getattr(by_hand, name), name)


def test_what_is_missing_before_fails_at_the_beginning_and_what_is_back_returns(
    kept: tuple[weft.Fabric, list[Path]],
) -> None:
    whole, folders = kept
    events, seen = rehearsed(folders[1])
    # What stood before is the beginning itself.
    assert [event.part for event in events if isinstance(event, weft.Fails)] == ["sw1"]
    # Four hosts of 16 are gone with it, and whatever is sent to them.
    assert seen.end.accepted_load == pytest.approx(0.1 * (12 / 16) * (11 / 15), rel=0.1)
    events, seen = rehearsed(folders[2])
    whole_parts = weft.read_fabric(folders[2] / "fabric.json").fabric
    assert whole_parts.switch_count == whole.switch_count
    told = [(event.at_ns, type(event).__name__, getattr(event, "part", "")) for event in events]
    assert told[:2] == [(0.0, "Fails", "sw1"), (0.0, "Fails", "sw0:5")]
    assert told[2] == (0.0, "TablesChange", "")
    assert told[3] == (100e3, "Returns", "sw0:5")
    assert {kind for _, kind, _ in told[4:]} <= {"EntriesChange", "TablesChange"}
    assert seen.deadlock_ns is None
    assert seen.end.accepted_load == pytest.approx(0.1 * (12 / 16) * (11 / 15), rel=0.1)


def test_the_command_rehearses_it(kept: tuple[weft.Fabric, list[Path]]) -> None:
    folder = kept[1][0]
    files = [str(folder / name) for name in ("fabric.json", "tables.json")]
    told = done(
        "rehearse", *files, "--events", str(folder / "events.toml"), "--load", "0.1",
        "--hardware", "infiniband_hdr",
    )  # fmt: skip
    assert "recovered" in told.stdout


def test_the_last_ten_are_kept_and_what_no_rehearsal_tells_is_not(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    watched = Watched(tmp_path / "watch")
    watched.sees(whole)
    cut = weft.degrade(whole, links="sw0:3").fabric
    for left in (cut, whole) * 6:
        watched.sees(left, left)
    names = sorted(path.name for path in (tmp_path / "watch" / "changes").iterdir())
    assert len(names) == 10
    assert "000002" not in names
    # One lane of a torus takes rounds, there by a repair and back.
    there, back = (rehearsed(tmp_path / "watch" / "changes" / name, 700e3) for name in names[-2:])
    writes = [event.writes for event in there[0] if isinstance(event, EntriesChange)]
    repaired = weft.repair(whole, weft.to_tables(whole, weft.route(whole, SPEC), 0), cut)
    assert repaired.order == "clear_first"
    assert [len(of_round) for of_round in writes] == [len(of) for of in repaired.rounds[:-1]]
    for events, seen in (there, back):
        assert any(isinstance(event, EntriesChange) for event in events)
        assert seen.deadlock_ns is None
        assert seen.end.lost_by_failure + seen.end.lost_without_entry == 0
    # No fabric has the cables of both.
    changes = Changes(tmp_path / "other")
    other = weft.torus(4, 4, hosts_per_switch=2)
    one = weft.degrade(other, hosts="host5").fabric
    standings = [decide(None, net, "best:lanes=1", weft.route) for net in (one, other)]
    small, large = (decision.standing for decision in standings)
    assert small is not None
    assert large is not None
    swapped = weft.mesh(4, 4, hosts_per_switch=2)
    moved = decide(None, swapped, "best:lanes=1", weft.route).standing
    assert moved is not None
    way = standings[1].way
    assert changes.keep(1, small, large, way) is not None
    assert changes.keep(2, small, moved, way) is None
    assert sorted(path.name for path in changes.folder.iterdir()) == ["000001"]


def test_events_are_read_as_they_are_written(tmp_path: Path) -> None:
    whole = tmp_path / "fabric.json"
    weft.write_fabric(weft.torus(4, 4, hosts_per_switch=2), whole)
    names = {"sw1": r"sw\u007f1", "sw2": r"sw \"2\"", "host0": "höst", "host1": r"host\n1"}
    text = whole.read_text()
    for name, odd in names.items():
        text = text.replace(f'"{name}"', f'"{odd}"')
    whole.write_text(text)
    fabric = weft.read_fabric(whole).fabric
    tables = weft.to_tables(fabric, weft.route(fabric, "best"), 0)
    (tmp_path / "tables.json").write_text(tables.to_json())
    events: list[Event] = [
        weft.Fails(0.0, "sw\x7f1"),
        weft.Fails(0.0, 'sw "2":3'),
        weft.Returns(1e5, 'sw "2":3'),
        EntriesChange(1e5, (("sw\x7f1", "höst", 0, 3), ("sw3", "host\n1", 1, 0)), 12.5),
        weft.TablesChange(2e5, tables, ("sw3", "sw4"), 1e3, clears_first=True),
        weft.TablesChange(3e5, tables),
        weft.Answers(123456789.0, tables),
    ]
    path = tmp_path / "events.toml"
    path.write_text(events_text(events, [(tables, "tables.json", "fabric.json")]))
    read, _ = read_events(path, fabric)
    assert len(read) == len(events)
    for one, other in zip(read, events, strict=True):
        assert type(one) is type(other)
        for name in ("at_ns", "part", "writes", "switches", "each_after_ns", "clears_first"):
            assert getattr(one, name, None) == getattr(other, name, None)
