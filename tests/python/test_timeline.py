"""Timelines: states of ranks and messages over whole runs, and the files of them."""

from __future__ import annotations

import dataclasses
import json
import tracemalloc
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command import done, refused
from command import weft as command
from timeline_files import read_tracks, wave

import weft

if TYPE_CHECKING:
    from pathlib import Path

TORUS = weft.torus(4, 4, hosts_per_switch=1)
UPDOWN = weft.route(TORUS, "updown")
HARDWARE = weft.hardware()
WHOLE = weft.TimelineDetail(resolution_ns=0, least_message_bytes=0)
PARTS = ("computing", "sending", "receiving", "waiting_acknowledgement", "waiting_packet")


def replayed(
    trace: weft.Trace, detail: weft.TimelineDetail, **messaging: float
) -> tuple[weft.Replay, weft.Timeline]:
    """Replay a program on the torus with a timeline."""
    found = weft.replay(TORUS, UPDOWN, HARDWARE, trace, messaging=messaging, timeline=detail)
    assert found.timeline is not None
    return found, found.timeline


def cycles(time_ns: float) -> int:
    """Return a time in cycles of Myrinet, of which it must be a whole number."""
    count = time_ns / 6.25
    assert count == round(count)
    return round(count)


@pytest.mark.parametrize("resolution_ns", [0, 100, 3000, 1e9])
@pytest.mark.parametrize("acknowledged", [0, 1])
def test_states_are_the_times_of_every_rank_at_any_resolution(
    resolution_ns: float, acknowledged: int, tmp_path: Path
) -> None:
    detail = weft.TimelineDetail(resolution_ns=resolution_ns)
    costs = {"send_message_ns": 500, "receive_byte_ns": 1, "acknowledged": acknowledged}
    found, timeline = replayed(wave(tmp_path, 5), detail, **costs)
    end = cycles(found.duration_ns)
    assert cycles(timeline.end_ns) == end
    for rank in range(16):
        spans = [span for span in timeline.states if span.rank == rank]
        ends = [0, *(cycles(span.end_ns) for span in spans)]
        assert [cycles(span.begin_ns) for span in spans] == ends[:-1]
        assert ends[-1] == end
        for part in PARTS:
            total = sum(cycles(getattr(span, f"{part}_ns")) for span in spans)
            assert total == cycles(float(getattr(found, f"{part}_ns")[rank])), part
        after = sum(cycles(span.finished_ns) for span in spans)
        assert after == end - cycles(float(found.finish_ns[rank]))
    assert (timeline.state_count == len(timeline.states)) is (resolution_ns < 3000)


def test_a_rank_waits_for_what_its_trace_says(tmp_path: Path) -> None:
    path = tmp_path / "two.ti"
    path.write_text(
        "0 compute 20000\n0 send 1 7 8 6\n0 barrier\n1 recv 0 7 8 6\n1 compute 500\n1 barrier\n"
    )
    _, timeline = replayed(weft.read_trace(path), WHOLE)
    first, second = ([span for span in timeline.states if span.rank == rank] for rank in (0, 1))
    assert [span.longest for span in first[:2]] == ["computing", "waiting_packet"]
    assert first[0].end_ns == 20_000
    assert first[0].task == weft.RankTask("compute", None, None, None, "compute", False, 1)
    barrier = weft.RankTask("receive", 1, None, None, "barrier", True, 3)
    assert first[1].task == barrier
    assert second[0].task == weft.RankTask("receive", 0, 7, None, "recv", False, 4)
    assert second[0].begin_ns == 0
    assert second[1].task == weft.RankTask("compute", None, None, None, "compute", False, 5)
    assert second[1].end_ns - second[1].begin_ns == 500
    assert second[1].begin_ns == second[0].end_ns > 20_000
    file = tmp_path / "two.json"
    weft.write_timeline(file, timeline)
    names = [
        (track.process, [slice_[2] for slice_ in track.slices])
        for track in read_tracks(file)
        if track.thread == "states"
    ]
    assert names[0][0] == "rank 0 (host host0)"
    assert names[0][1][:2] == ["computing", "waiting: barrier"]
    assert names[1][0] == "rank 1 (host host1)"
    assert names[1][1][:3] == ["waiting: receive from rank 0", "computing", "finished"]
    told = {message.collective: message.tag for message in timeline.messages}
    assert told == {None: 7, "barrier": None}


def test_ranks_that_wait_for_ever_in_a_collective_operation_have_its_name(tmp_path: Path) -> None:
    path = tmp_path / "stuck.ti"
    path.write_text("0 recv 1 3 8 6\n0 barrier\n1 barrier\n1 send 0 3 8 6\n")
    found, timeline = replayed(weft.read_trace(path), WHOLE)
    assert found.end == "blocked"
    assert [entry.waits for entry in found.blocked] == [
        "receiving from rank 1 (tag 3)",
        "receiving from rank 0 (barrier)",
    ]
    # Nobody is at an end: the timeline goes on to that of the simulation.
    assert timeline.end_ns == found.simulated_ns


def test_a_long_run_is_there_to_its_end_and_says_what_was_left_out(tmp_path: Path) -> None:
    costs = {"send_message_ns": 500, "receive_message_ns": 300}
    found, timeline = replayed(wave(tmp_path, 1300), weft.TimelineDetail(), **costs)
    assert timeline.end_ns == found.duration_ns
    assert 30_000 < len(timeline.states) < 100_000 < timeline.state_count
    assert timeline.resolution_ns > 0
    assert (timeline.one_in, timeline.message_count) == (2, 24 * 1300)
    assert len(timeline.messages) == 12 * 1300
    sent = np.array([message.sent_ns for message in timeline.messages])
    tenths = np.histogram(sent, bins=10, range=(0, found.duration_ns))[0]
    assert tenths.min() > 0.6 * tenths.max()
    path = tmp_path / "wave.json"
    weft.write_timeline(path, timeline)
    document = json.loads(path.read_text())
    assert document["otherData"]["resolution_ns"] == timeline.resolution_ns
    assert document["otherData"]["about"] == timeline.told()
    assert f"{timeline.state_count} states in {len(timeline.states)} spans" in timeline.told()
    assert f"{12 * 1300} of {24 * 1300} messages, 1 in 2" in timeline.told()
    states = [track for track in read_tracks(path) if track.thread == "states"]
    for track in states:
        assert track.slices[0][0] == 0
        assert track.slices[-1][1] == round(found.duration_ns)
        ends = [slice_[1] for slice_ in track.slices]
        assert [slice_[0] for slice_ in track.slices[1:]] == ends[:-1]
    merged = [slice_ for track in states for slice_ in track.slices if "states" in slice_[3]]
    assert merged
    for begin, end, name, arguments in merged:
        parts = {key: arguments.get(f"{key}_ns", 0) for key in (*PARTS, "finished")}
        assert sum(parts.values()) == pytest.approx(end - begin, abs=1)
        assert name == f"mostly {max(parts, key=lambda key: parts[key]).split('_')[0]}"


def test_a_timeline_of_all_states_is_written_without_holding_them(tmp_path: Path) -> None:
    _, timeline = replayed(wave(tmp_path, 400), WHOLE)
    assert len(timeline.states) == timeline.state_count > 12_000
    assert timeline == dataclasses.replace(timeline)
    tracemalloc.start()
    weft.write_timeline(tmp_path / "wave.json", timeline)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # As records they take ten times that, and as text once more.
    assert most < 1_500_000 < (tmp_path / "wave.json").stat().st_size


def test_long_messages_alone_are_kept_where_that_is_asked_for() -> None:
    trace = weft.collective("bcast", 16, size_bytes=100_000)
    found, timeline = replayed(trace, weft.TimelineDetail(least_message_bytes=10_000))
    sizes = [message.size_bytes for message in timeline.messages]
    assert len(sizes) == timeline.message_count < found.received_messages
    assert min(sizes) >= 10_000
    assert "messages of 10000 bytes and more" in timeline.told()
    with pytest.raises(weft.InputError, match="resolution_ns is -1; expected 0 to"):
        weft.TimelineDetail(resolution_ns=-1)
    with pytest.raises(weft.InputError, match="least_message_bytes is -5; expected a number"):
        weft.TimelineDetail(least_message_bytes=-5)


def test_the_command_writes_a_timeline_and_says_what_is_in_it(tmp_path: Path) -> None:
    network = tmp_path / "torus.json"
    weft.write_fabric(TORUS, network)
    wave(tmp_path, 3)
    path = tmp_path / "t.json"
    arguments = ("replay", tmp_path / "wave.ti", "--fabric", network, "--routing", "updown")
    shown = done(*arguments, "--timeline", path)
    states = [track for track in read_tracks(path) if track.thread == "states"]
    assert len(states) == 16
    assert f"{path}: 16 ranks to the end at " in shown.stdout
    assert "states; all 72 messages" in shown.stdout
    options = ("--timeline-resolution", "1ms", "--timeline-messages", "0.5KiB", "--json")
    document = command(*arguments, "--timeline", path, *options).document
    kept = document["timeline"]
    assert (kept["path"], kept["resolution_ns"]) == (str(path), 1e6)
    assert kept["spans"] == 16 < kept["states"]
    assert kept["kept_messages"] == kept["messages"] == 72
    assert (kept["one_in"], kept["least_message_bytes"]) == (1, 512)
    assert "timeline" not in command(*arguments, "--json").document
    message = "--timeline-resolution needs --timeline, which is not given"
    refused(message, *arguments, "--timeline-resolution", "1ms")
