"""Timelines in Perfetto's trace processor: every slice is there, where it was, on its track."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright
from timeline_files import read_tracks, wave
from trace_processor import TraceProcessor

import weft

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import BrowserContext

TORUS = weft.torus(4, 4, hosts_per_switch=1)
UPDOWN = weft.route(TORUS, "updown")
#: Every slice with its track.
SLICES = """
select slice.ts, slice.dur, slice.name, slice.depth, thread.name as thread, process.name as process
from slice
join thread_track on slice.track_id = thread_track.id
join thread using (utid)
join process using (upid)
order by process, thread, slice.ts, slice.dur
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """Start Debian's Chromium with an empty profile."""
    program = shutil.which("chromium")
    assert program, "found no chromium; tests/system/install.sh installs it"
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"),
            executable_path=program,
            headless=True,
            args=["--no-sandbox", "--disable-gpu", "--no-first-run"],
        )
        context.set_default_timeout(120_000)
        yield context
        context.close()


#: How many arrows there are, and between how many pairs of different ranks' states.
ARROWS = """
select count(*) as arrows, count(distinct a.upid || ' ' || b.upid) as ends from flow
join slice as x on flow.slice_out = x.id join thread_track as t on x.track_id = t.id
join thread as a on t.utid = a.utid and a.name = 'states'
join slice as y on flow.slice_in = y.id join thread_track as u on y.track_id = u.id
join thread as b on u.utid = b.utid and b.name = 'states' where a.upid != b.upid
"""


def check(browser: BrowserContext, path: Path) -> TraceProcessor:
    """Compare what trace processor reads with what the file says."""
    expected = sorted(
        (track.process, track.thread, begin, end - begin, name)
        for track in read_tracks(path)
        for begin, end, name, _ in track.slices
    )
    processor = TraceProcessor(browser, path.read_bytes())
    errors = processor.query("select name, value from stats where severity = 'error' and value > 0")
    assert errors == []
    rows = processor.query(SLICES)
    assert all(row["depth"] == 0 for row in rows)
    found = [tuple(row[key] for key in ("process", "thread", "ts", "dur", "name")) for row in rows]
    assert sorted(found) == expected
    return processor


def test_a_long_run_is_read_as_it_was(browser: BrowserContext, tmp_path: Path) -> None:
    detail = weft.TimelineDetail(resolution_ns=10_000)
    costs = {"send_message_ns": 500, "receive_message_ns": 300}
    found = weft.replay(
        TORUS,
        UPDOWN,
        weft.hardware(),
        wave(tmp_path, 150),
        messaging=costs,
        timeline=detail,
    )
    assert found.timeline is not None
    assert len(found.timeline.states) < found.timeline.state_count
    weft.write_timeline(tmp_path / "wave.json", found.timeline)
    processor = check(browser, tmp_path / "wave.json")
    [row] = processor.query(
        "select count(distinct process.pid) as ranks, sum(dur) as total, max(ts + dur) as last"
        " from slice join thread_track on slice.track_id = thread_track.id"
        " join thread using (utid) join process using (upid) where thread.name = 'states'"
    )
    end = round(found.duration_ns)
    assert row == {"ranks": 16, "total": 16 * end, "last": end}
    processor.close()


def test_overlapping_messages_and_states_shorter_than_ns_are_read(
    browser: BrowserContext, tmp_path: Path
) -> None:
    # All send to all at once; cycles of InfiniBand HDR are no whole ns.
    trace = weft.collective("alltoallv", 16, size_bytes=5000)
    found = weft.replay(
        TORUS,
        UPDOWN,
        weft.hardware("infiniband_hdr"),
        trace,
        timeline=weft.TimelineDetail(resolution_ns=0, least_message_bytes=0),
    )
    assert found.timeline is not None
    weft.write_timeline(tmp_path / "all.json", found.timeline)
    processor = check(browser, tmp_path / "all.json")
    [row] = processor.query(
        "select count(*) as messages from slice join thread_track on track_id = thread_track.id"
        " join thread using (utid) where thread.name like 'messages %'"
    )
    assert row == {"messages": 16 * 15}
    arrows = processor.query(ARROWS)
    assert arrows == [{"arrows": 16 * 15, "ends": 16 * 15}]
    waits = processor.query("select distinct name from slice where name like 'waiting: %'")
    assert waits == [{"name": "waiting: alltoallv"}]
    processor.close()


def test_a_slice_that_overlaps_would_be_noticed(browser: BrowserContext) -> None:
    events = [
        {"name": name, "ph": "X", "ts": at, "dur": 2, "pid": 0, "tid": 5}
        for at, name in enumerate("ab")
    ]
    processor = TraceProcessor(browser, json.dumps(events).encode())
    errors = processor.query("select name, value from stats where severity = 'error' and value > 0")
    assert errors == [{"name": "slice_drop_overlapping_complete_event", "value": 1}]
    processor.close()
