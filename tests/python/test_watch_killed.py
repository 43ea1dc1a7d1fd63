"""A watch that is killed, or whose disk is full, at any of its steps on disk."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import time
from typing import TYPE_CHECKING, Any

from command import weft_process
from watched import SPEC, Given, Watched, torus

import weft
from weft.watch import Generations, decide

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

#: What changes anything on disk.
OPERATIONS = ("open", "write", "pwrite", "fsync", "replace", "symlink", "mkdir", "link")


class Killed(BaseException):
    """Stands for the end of the process: nothing that is there for errors sees to it."""


class Failing:
    """Lets the operation of a number fail, and counts them."""

    def __init__(self, patch: pytest.MonkeyPatch, failure: Callable[[], BaseException]) -> None:
        self.count, self.fails_at, self.lasts = 0, 0, False
        self._failure = failure
        for name in OPERATIONS:
            patch.setattr(os, name, self._wrapped(getattr(os, name)))

    def _wrapped(self, operation: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - as the operation
            if self.fails_at:
                self.count += 1
                if self.count == self.fails_at or (self.lasts and self.count > self.fails_at):
                    if operation.__name__ in {"write", "pwrite"}:
                        # A part of it comes to the disk.
                        operation(given[0], given[1][: len(given[1]) // 2], *given[2:])
                    raise self._failure()
            return operation(*given, **named)

        return counted


def read(folder: Path) -> weft.Fabric:
    """Return what is in force, which must be whole."""
    generation = Generations(folder, "planned").read()
    assert generation is not None
    standing = generation.standing
    assert weft.prove(standing.fabric, standing.routing).deadlock_free
    assert generation.tables.switch_count
    return standing.fabric


def test_killed_at_each_operation_it_goes_on_from_old_tables_or_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = torus(tmp_path)
    cut = weft.degrade(whole, links="sw0:3").fabric
    begun = tmp_path / "begun"
    Watched(begun).sees(whole)
    failing = Failing(monkeypatch, Killed)
    met = set()
    for step in range(1, 1000):
        folder = tmp_path / f"{step}"
        shutil.copytree(begun, folder, symlinks=True)
        watched = Watched(folder)
        watched.sees(cut)
        failing.count, failing.fails_at = 0, step
        try:
            watched.sees(cut)
        except Killed:
            failing.fails_at = 0
        else:
            break
        there = read(folder)
        assert there in (whole, cut), step
        met.add(there == cut)
        again = Watched(folder)
        again.sees(cut, cut)
        assert read(folder) == cut
        assert again.alarms == []
        lines = (folder / "events.jsonl").read_text().splitlines()
        whole_lines = [line for line in lines if line.endswith("}")]
        assert len(lines) - len(whole_lines) <= 1
        assert all(json.loads(line) for line in whole_lines)
    assert step > 30
    assert met == {False, True}


def test_a_disk_that_is_full_at_each_operation_leaves_old_tables_or_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = torus(tmp_path)
    cut = weft.degrade(whole, links="sw0:3").fabric
    begun = tmp_path / "begun"
    Watched(begun).sees(whole)
    failing = Failing(monkeypatch, lambda: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    for step in range(1, 1000):
        folder = tmp_path / f"{step}"
        shutil.copytree(begun, folder, symlinks=True)
        watched = Watched(folder)
        watched.sees(cut)
        failing.count, failing.fails_at, failing.lasts = 0, step, True
        watched.sees(cut)
        is_over = failing.count < step
        failing.fails_at = 0
        if is_over:
            break
        assert read(folder) in (whole, cut), step
        assert watched.alarms, step
        # There is room again: it goes on by itself, and nothing that was told is lost.
        watched.sees(cut, cut)
        assert read(folder) == cut
        assert watched.alarms == []
        lines = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
        told = [line["event"] for line in lines]
        assert told.count("decided") >= 2
        assert told.index("started") == 0
    assert step > 30


def test_killed_at_any_moment_a_process_goes_on(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    drop, folder = tmp_path / "drop", tmp_path / "watch"
    drop.mkdir()
    texts = []
    for fabric in (whole, weft.degrade(whole, links="sw0:3").fabric):
        path = tmp_path / "one.ibnetdiscover"
        weft.write_fabric(fabric, path)
        texts.append(path.read_text())
    draw = random.Random(1)
    options = ("-o", folder, "--settle", 0, "--hold", 0, "--every", 0.01)
    for number in range(12):
        partial = drop / ".next"
        partial.write_text(texts[number % 2])
        partial.rename(drop / f"{number}")
        process = weft_process("watch", drop, SPEC, *options, folder=tmp_path)
        assert process.stdout is not None
        assert "started" in process.stdout.readline()
        time.sleep(draw.uniform(0, 0.15))
        process.kill()
        process.communicate(timeout=60)
        if (folder / "planned").exists():
            assert read(folder).link_count in (whole.link_count, whole.link_count - 1)
    ended = weft_process("watch", drop, SPEC, *options, "--once", folder=tmp_path)
    stdout, stderr = ended.communicate(timeout=60)
    assert ended.returncode == 0, stdout + stderr
    assert read(folder).link_count == whole.link_count - 1
    # What those who were killed left behind is gone.
    assert len(list(folder.glob("generation-*"))) <= 2


def test_killed_while_a_spare_file_becomes_the_tables_others_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = torus(tmp_path)
    made = [decide(None, whole, spec, weft.route) for spec in (SPEC, "down_preferred", SPEC)]
    standings = [one.standing for one in made if one.standing is not None]
    texts = [
        weft.opensm_content(whole, one.standing.routing, one.proof, tmp_path)
        for one in made
        if one.standing is not None and one.proof is not None
    ]
    failing = Failing(monkeypatch, Killed)
    met = set()
    for step in range(1, 1000):
        folder = tmp_path / f"{step}"
        folder.mkdir()
        generations = Generations(folder, "current")
        for standing, (tables, content) in zip(standings[:2], texts, strict=False):
            generations.write(standing, tables, content, is_spare_read=False)
        spare = (folder / "spare.lfts").stat().st_ino
        failing.count, failing.fails_at = 0, step
        try:
            generations.write(standings[2], *texts[2], is_spare_read=False)
        except Killed:
            failing.fails_at = 0
        else:
            break
        again = Generations(folder, "current")
        again.clean()
        found = again.read()
        assert found is not None
        assert found.tables.text() == texts[found.number - 1][0].text()
        assert not (folder / "spare.lfts").exists()
        met.add(found.number)
    failing.fails_at = 0
    assert met == {2, 3}
    assert (folder / "current/weft.lfts").stat().st_ino == spare
    assert (folder / "current/weft.lfts").read_bytes() == texts[2][0].text()
    # Another manager may still read what was in force before: that file is let alone.
    with (folder / "spare.lfts").open("rb") as read_slowly:
        last = generations.write(standings[0], *texts[0])
        assert read_slowly.read() == texts[1][0].text()
    assert last.tables.text() == (folder / "current/weft.lfts").read_bytes()


def test_while_the_disk_is_full_what_was_decided_is_tried_again_and_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = torus(tmp_path)
    cut, other = (weft.degrade(whole, links=links).fabric for links in ("sw0:3", "sw9:4"))
    watched = Watched(tmp_path / "watch", source=Given(stands=True))
    watched.sees(whole)
    first = Watched(tmp_path / "first")
    failing = Failing(monkeypatch, lambda: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    failing.fails_at, failing.lasts = 1, True
    watched.sees(cut)
    told = len(watched.told)
    for _ in range(5):
        watched.watch.pass_once()
    assert [kind for kind in watched.told[told:] if kind != "alarm"] == ["changed", "decided"]
    assert "machine" in watched.alarms
    # With --once it ends so, also without any tables: nobody waits for room.
    first.sees(whole)
    assert "machine" in first.alarms
    assert not first.watch.is_waiting
    # What is there by now is decided anew.
    watched.source.next = [other]
    for _ in range(3):
        watched.watch.pass_once()
    assert watched.told.count("decided") == 3
    failing.fails_at = 0
    watched.watch.pass_once()
    assert watched.told.count("decided") == 3
    assert read(tmp_path / "watch") == other
    assert watched.alarms == []
