"""Where a watch has its discoveries from: a folder, a command, and how it ends without any."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from command import done
from command import weft as command
from watched import SPEC, torus

import weft
from weft.watch import Ends, FolderSource, Unusable, source_of

if TYPE_CHECKING:
    from pathlib import Path


def test_a_folder_gives_each_file_once_and_waits_for_those_that_are_written(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    folder = tmp_path / "drop"
    folder.mkdir()
    source = FolderSource(folder, Ends())
    (none,) = source.take(0)
    assert none == Unusable(str(folder), 0, "holds no discovery")
    text = (tmp_path / "discovered.ibnetdiscover").read_text()
    (folder / ".a").write_text(text)
    (folder / "a.partial").write_text(text)
    assert source.take(1) == []
    (folder / "a").write_text(text)
    found = source.take(2)
    shapes = [one.fabric.wiring_fingerprint for one in found if not isinstance(one, Unusable)]
    assert shapes == [whole.wiring_fingerprint]
    assert source.take(3) == []
    (folder / "b").write_text(text[: len(text) // 2])
    (cut,) = source.take(4)
    assert isinstance(cut, Unusable)
    assert "truncated" in cut.reason
    (folder / "b").write_text(text)
    assert len(source.take(5)) == 1
    # Where there are many at first, the newest counts.
    assert len(FolderSource(folder, Ends()).take(6)) == 1


def test_a_discovery_cut_off_between_two_records_is_doubtful(tmp_path: Path) -> None:
    torus(tmp_path)
    text = (tmp_path / "discovered.ibnetdiscover").read_text()
    folder = tmp_path / "drop"
    folder.mkdir()
    (folder / "cut").write_text(text[: text.rfind("vendid")])
    (found,) = FolderSource(folder, Ends()).take(0)
    assert not isinstance(found, Unusable)
    assert "may have been cut" in found.doubts[0]


def test_commands_that_fail_or_complain(tmp_path: Path) -> None:
    torus(tmp_path)
    path = tmp_path / "discovered.ibnetdiscover"
    (found,) = source_of(f"cat {path}", Ends()).take(0)
    assert not isinstance(found, Unusable)
    assert found.doubts == []
    (found,) = source_of(f"sh -c 'cat {path}; echo timed out >&2'", Ends()).take(0)
    assert not isinstance(found, Unusable)
    assert found.doubts == ["it complained: timed out"]
    (found,) = source_of(f"sh -c 'cat {path}; echo no port >&2; exit 3'", Ends()).take(0)
    assert isinstance(found, Unusable)
    assert found.reason == "ended with status 3: no port"
    (found,) = source_of("no-such-command-here", Ends()).take(0)
    assert isinstance(found, Unusable)
    assert "cannot be run" in found.reason
    with pytest.raises(weft.InputError, match="found a file"):
        source_of(str(path), Ends())
    with pytest.raises(weft.InputError, match="no command line"):
        source_of("cat 'unfinished", Ends())


def test_once_ends_with_an_alarm_where_there_is_no_discovery(tmp_path: Path) -> None:
    torus(tmp_path)
    drop, folder = tmp_path / "drop", tmp_path / "watch"
    drop.mkdir()
    (drop / "half.partial").touch()
    once = ("-o", folder, "--once", "--every", 0, "--settle", 0)
    ended = command("watch", drop, SPEC, *once)
    assert ended.code == 1
    alarm = f"ALARM: the fabric is not seen, the tables stay: {drop}: holds no discovery"
    assert ended.stdout.count(alarm) == 1
    found = tmp_path / "discovered.ibnetdiscover"
    (drop / "a").write_bytes(found.read_bytes())
    done("watch", drop, SPEC, *once)
    # Tables that stand are no reason to say that all is well, as nothing was seen of the fabric.
    (drop / "a").unlink()
    for unseen in (drop, "false"):
        ended = command("watch", unseen, SPEC, *once)
        assert ended.code == 1
        assert "going on from generation 1" in ended.stdout
        assert "ALARM: the fabric is not seen" in ended.stdout
    # A command that fails the first time alone is asked again.
    again = tmp_path / "again"
    script = f"if [ -e {again} ]; then cat {found}; else touch {again}; exit 3; fi"
    ended = done("watch", f"sh -c '{script}'", SPEC, *once)
    assert "not a discovery, the tables stay" in ended.stdout
