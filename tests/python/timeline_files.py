"""Programs with timelines, and what the files of these hold."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import weft

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Track", "read_tracks", "wave"]


def wave(folder: Path, repeats: int) -> weft.Trace:
    """Return a wave from corner to corner of 4 x 4 ranks, each waiting for the two before it."""
    lines = []
    for rank in range(16):
        x, y = rank % 4, rank // 4
        for _ in range(repeats):
            lines.extend(f"{rank} recv {rank - d} 1 600 6" for d, has in ((1, x), (4, y)) if has)
            lines.append(f"{rank} compute {3000 + 100 * rank}")
            ahead = ((1, x < 3), (4, y < 3))
            lines.extend(f"{rank} send {rank + d} 1 600 6" for d, has in ahead if has)
    path = folder / "wave.ti"
    path.write_text("\n".join(lines))
    return weft.read_trace(path)


@dataclass(frozen=True)
class Track:
    """The slices of a thread, as (begin, end, name, arguments) in ns."""

    process: str
    thread: str
    slices: list[tuple[int, int, str, dict[str, Any]]]


def read_tracks(path: Path) -> list[Track]:
    """Read a timeline, and check what Chrome's trace event format asks for.

    Slices of one track come in order and do not overlap, every track and every process has a name,
    and no two tracks have the same number.
    """
    events = json.loads(path.read_text())["traceEvents"]
    processes: dict[int, str] = {}
    threads: dict[int, tuple[int, str]] = {}
    slices: dict[int, list[tuple[int, int, str, dict[str, Any]]]] = {}
    arrows: dict[int, dict[str, float]] = {}
    for event in events:
        if event["name"] == "process_name":
            assert event["pid"] not in processes
            processes[event["pid"]] = event["args"]["name"]
        elif event["name"] == "thread_name":
            assert event["tid"] not in threads
            assert event["tid"] not in processes, "it would be a main thread"
            threads[event["tid"]] = (event["pid"], event["args"]["name"])
        elif event["ph"] == "X":
            assert threads[event["tid"]][0] == event["pid"]
            begin, length = (round(event[key] * 1000) for key in ("ts", "dur"))
            assert length >= 0
            assert event["ts"] == begin / 1000
            track = slices.setdefault(event["tid"], [])
            assert not track or track[-1][1] <= begin, "slices overlap"
            track.append((begin, begin + length, event["name"], event["args"]))
        elif event["ph"] in "sf":
            assert threads[event["tid"]] == (event["pid"], "states")
            arrows.setdefault(event["id"], {})[event["ph"]] = event["ts"]
        else:
            assert event["name"] == "process_sort_index"
    # Each message has an arrow, forwards in time.
    messages = [key for key, (_, name) in threads.items() if name.startswith("messages ")]
    assert len(arrows) == sum(len(slices[key]) for key in messages)
    assert all(arrow["s"] <= arrow["f"] for arrow in arrows.values())
    return [
        Track(processes[process], name, slices[thread])
        for thread, (process, name) in threads.items()
    ]
