"""Bad input, refusals of the machine, bugs: exit codes and one clear message each."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import click
import pytest
from command import PROGRAM, environment, refused, weft, weft_process, weft_program
from results_files import content, point_count

import weft as library

if TYPE_CHECKING:
    from pathlib import Path


BAD_INPUT: dict[str, tuple[tuple[str, ...], str]] = {
    "unknown command": (("compair",), "Did you mean 'compare'"),
    "unknown option": (("compare", "NET", "--rooting", "updown"), "Did you mean '--routing'"),
    "unknown routing": (("route", "NET", "updwon"), "updown"),
    "unknown routing of a study": (("compare", "NET", "--routing", "ud_tib"), "ud_itb"),
    "unknown parameter": (("prove", "NET", "updown:rot=0"), "root"),
    "unknown parameter of a study": (
        ("compare", "NET", "--routing", "updown:selektion=first"),
        "selection",
    ),
    "bad value": (("route", "NET", "updown:selection=frist"), "first"),
    "bad value of a study": (("compare", "NET", "--routing", "updown:root=9999"), "9999"),
    "unknown preset": (("hardware", "--hardware", "myrinett"), "myrinet"),
    "unknown hardware parameter": (
        ("simulate", "NET", "--routing", "updown", "--load", "0.1", "--set", "rooting_delay_ns=1"),
        "routing_delay_ns",
    ),
    "change without value": (("hardware", "--set", "routing_delay_ns"), "KEY=VALUE"),
    "buffer too small": (("hardware", "--set", "buffer_bytes=60"), "72"),
    "zero load": (("simulate", "NET", "--routing", "updown", "--load", "0"), "more than 0"),
    "negative load": (("simulate", "NET", "--routing", "updown", "--load", "-0.1"), "more than 0"),
    "zero load of a study": (("compare", "NET", "--loads", "0,0.1"), "load 0: expected more than"),
    "negative load of a study": (("compare", "NET", "--loads", "-0.1"), "load -0.1: expected more"),
    "load that is no number": (("compare", "NET", "--loads", "0.1,much"), "found “much”"),
    "unknown pattern": (("compare", "NET", "--pattern", "unifrom"), "uniform"),
    "share above all": (("compare", "NET", "--pattern", "hotspot:share=101"), "at most 100"),
    "radius of nothing": (("compare", "NET", "--pattern", "local:radius=0"), "1 or more"),
    "pattern not for the fabric": (
        ("compare", "NET", "--pattern", "permutation:file=none.csv"),
        "none.csv: no such file or directory; expected a permutation of the hosts",
    ),
    "no matrix": (
        ("route", "NET", "updown", "--pattern", "matrix:file=none.csv"),
        "none.csv: no such file or directory; expected a traffic matrix, a line for each pair",
    ),
    "unknown hotspot": (("compare", "NET", "--pattern", "hotspot:hosts=hots1"), "host1"),
    "unknown share": (("compare", "NET", "--share-of", "flits"), "packets, bytes"),
    "unknown arrivals": (("compare", "NET", "--arrivals", "poison"), "poisson"),
    "bad size": (("compare", "NET", "--payload-bytes", "big"), "512"),
    "size given twice": (("compare", "NET", "--payload-bytes", "32:1,32:2"), "given twice"),
    "zero size": (("compare", "NET", "--payload-bytes", "0"), "payload"),
    "missing file": (("compare", "none.json"), "none.json"),
    "missing results": (("report", "none"), "no such file"),
    "missing argument": (("prove", "NET"), "SPEC"),
    "unknown host": (("route", "NET", "updown", "--pair", "host0", "hots1"), "host1"),
    "unknown table": (("reproduce", "boost", "--table", "7"), "boost has no table-7"),
    "unknown paper": (("reproduce", "bost"), "did you mean boost"),
    "no such place": (
        ("reproduce", "boost", "--quick", "--on", "cloud"),
        "on cloud: expected local",
    ),
    "rounds that are not asked for": (("route", "NET", "updown", "--count", "5"), "needs --rounds"),
    "hosts of no rounds": (
        ("route", "NET", "updown", "--hosts", "host0,host1"),
        "--hosts needs --rounds or --hottest",
    ),
    "addresses of no tables": (("route", "NET", "updown", "--lmc", "2"), "--lmc needs --tables"),
    "lanes of no tables": (("audit", "NET", "--sl2vl", "sl2vl.dump"), "--sl2vl needs TABLES"),
    "others and none": (("audit", "NET", "--no-others", "--against", "lash"), "give one of them"),
    "misspelt alternative": (("audit", "NET", "--against", "lush"), "did you mean “lash”"),
    "misspelt tables": (("audit", "NET", "lfts"), "lfts: no such file or folder"),
    "missing file of hosts": (("audit", "NET", "--hosts", "job"), "job: no such file; fabric"),
    "a host alone": (("audit", "NET", "--hosts", "host3"), "expected two or more"),
    "misspelt candidate": (
        ("advise", "NET", "--lanes", "4", "--routing", "lash:lane=4"),
        "did you mean “lanes”",
    ),
    "nothing fails": (("fabric", "degrade", "NET"), "nothing fails"),
    "order of nothing": (
        ("collective", "barrier", "--fabric", "NET", "--routing", "updown", "--halving"),
        "--halving needs --order",
    ),
    "lanes where there are none": (("hardware", "--set", "lanes=4"), "which myrinet does not have"),
    "a fabric as a trace": (
        ("replay", "NET", "--fabric", "NET", "--routing", "updown"),
        "expected a line of a trace",
    ),
    "missing trace": (
        ("replay", "none.ti", "--fabric", "NET", "--routing", "updown"),
        "none.ti: no such file or directory; expected a trace",
    ),
    "no jobs": (("compare", "NET", "--jobs", "0"), "jobs 0"),
    "written over what is read": (
        ("prove", "NET", "updown", "--certificate", "NET"),
        "--certificate would write over net.json, which is FABRIC too; give another name",
    ),
    "two files as one": (
        (
            "replay",
            "a.ti",
            "--fabric",
            "NET",
            "--routing",
            "updown",
            "--timeline",
            "seen",
            "--report",
            "seen",
        ),
        "--timeline would write over seen, which is --report too",
    ),
    "a file without a name": (
        ("route", "NET", "updown", "-o", ""),
        "found an empty name; expected that of a file or folder",
    ),
    "a watch in a folder without a name": (
        ("watch", "ibnetdiscover", "updown", "-o", ""),
        "found an empty name; expected that of a file or folder",
    ),
    "a watch of nothing": (("watch", "", "best", "-o", "watch"), "found an empty command"),
    "a time that is no number": (
        ("watch", "ibnetdiscover", "best", "-o", "watch", "--hold", "nan"),
        "--hold is nan; expected a number from 0 to 1e+09",
    ),
    "less than no share": (
        ("watch", "ibnetdiscover", "best", "-o", "watch", "--most-lost", "-1"),
        "--most-lost is -1.0; expected a number from 0 to 1",
    ),
    "impossible mesh": (
        ("fabric", "new", "mesh", "--extents", "0x3"),
        "found “0x3” for parameter extents of topology mesh",
    ),
}


@pytest.mark.parametrize("case", BAD_INPUT, ids=lambda case: case.replace(" ", "-"))
def test_bad_input_is_one_clear_error_and_leaves_nothing(
    net: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments, expected = BAD_INPUT[case]
    given = [str(net) if argument == "NET" else argument for argument in arguments]
    ended = weft(*given)
    assert ended.code == 2, ended.stdout + ended.stderr
    assert ended.stdout == ""
    assert ended.stderr.count("error: ") == 1
    assert expected in ended.stderr
    assert "Traceback" not in ended.stderr
    assert list(tmp_path.iterdir()) == []
    as_json = weft(*given, "--json")
    assert as_json.code == 2
    if "--json" not in as_json.stderr:
        error = as_json.document["error"]
        assert error["exit_code"] == 2
        assert expected in error["message"]


@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02\xff" * 400, b'{"name": "net", "swi'])
def test_a_file_that_is_no_fabric_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "net.json"
    path.write_bytes(content)
    refused("net.json", "compare", path, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_fabric_in_two_parts_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "parts.json"
    one = library.mesh(1, 1, hosts_per_switch=2)
    library.write_fabric(one, path)
    document = json.loads(path.read_text())
    text = path.read_text()
    assert document
    twice = text.replace("sw0", "sw1").replace("host0", "host2").replace("host1", "host3")
    merged = json.loads(text)
    for key, value in json.loads(twice).items():
        if isinstance(value, list):
            merged[key] = merged[key] + value
    path.write_text(json.dumps(merged))
    for call in (
        ("route", path, "updown"),
        ("compare", path, "--out", tmp_path / "out", "--no-report"),
    ):
        refused("parts", *call)
    assert not (tmp_path / "out").exists()


def test_the_results_of_another_study_are_refused(net: Path, tmp_path: Path) -> None:
    call = (
        "compare", net, "--routing", "updown", "--loads", "0.05", "--max-packets", 2000,
        "--out", tmp_path, "--no-report",
    )  # fmt: skip
    assert weft(*call).code == 0
    before = (tmp_path / "results.sqlite").read_bytes()
    message = "hardware routing_delay_ns is 150.0 there and 100.0 here"
    refused(message, *call, "--set", "routing_delay_ns=100")
    assert (tmp_path / "results.sqlite").read_bytes() == before


def test_a_file_where_a_folder_should_be_ends_with_3(net: Path) -> None:
    ended = weft("route", net, "updown", "-o", net / "routes.json")
    assert ended.code == 3
    assert f"cannot be written: {net} is a file, not a folder" in ended.stderr


def test_a_scheduler_that_never_answers_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sbatch", "squeue", "scancel"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/bin/sh\necho no controller >&2\nexit 1\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    study = tmp_path / "study.toml"
    study.write_text('loads = [0.05]\n[[fabrics]]\ntopology = "ring"\nswitches = 4\n')
    began = time.monotonic()
    ended = weft("study", "run", study, "--on", "slurm", "--out", tmp_path / "out")
    assert ended.code == 3
    assert "no controller" in ended.stderr
    assert time.monotonic() - began < 60


def test_a_full_disk_ends_with_3(net: Path, tmp_path: Path) -> None:
    prelude = (
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (110_000, resource.RLIM_INFINITY))\n"
    )
    ended = weft_program(
        "compare", net, "--routing", "updown", "--max-packets", 2000, "--out", "out",
        "--no-report", folder=tmp_path, prelude=prelude,
    )  # fmt: skip
    assert ended.code == 3, ended.stderr
    assert "results.sqlite: " in ended.stderr
    assert "finished points are kept" in ended.stderr
    assert "Traceback" not in ended.stderr
    with library.Results.open(tmp_path / "out") as results:
        assert results.routing("updown").points


def test_a_place_that_cannot_be_written_ends_with_3(net: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for call in (
        ("fabric", "convert", net, tmp_path / "file" / "out.json"),
        ("compare", net, "--out", tmp_path / "file" / "out"),
        ("prove", net, "updown", "--certificate", tmp_path / "file" / "c.json"),
    ):
        ended = weft(*call)
        assert ended.code == 3, ended.stderr
        assert str(tmp_path / "file") in ended.stderr


def test_ctrl_c_ends_with_130_tells_how_to_go_on_and_loses_nothing(
    net: Path, tmp_path: Path
) -> None:
    call = ("compare", net, "--routing", "updown", "--routing", "ud_itb", "--no-report")
    path = tmp_path / "weft-results" / "irregular-8-seed3" / "results.sqlite"
    process = weft_process(*call, folder=tmp_path)
    deadline = time.monotonic() + 30
    while point_count(path) < 2 and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 130, stderr
    assert "finished points are kept" in stderr
    assert "to go on: weft compare " in stderr
    assert "Traceback" not in stderr
    assert point_count(path) >= 2
    assert weft_program(*call, folder=tmp_path).code == 0
    whole = tmp_path / "whole"
    whole.mkdir()
    assert weft_program(*call, folder=whole).code == 0
    assert content(path) == content(whole / path.relative_to(tmp_path))


@pytest.mark.parametrize(
    ("file", "error", "code"),
    [("net.json", "", 3), ("none.json", "error: none.json: no such file", 2)],
    ids=["no bug", "still told"],
)
def test_a_pipe_that_nobody_reads(net: Path, file: str, error: str, code: int) -> None:
    call = ("route", file, "updown", "--json")
    with weft_process(*call, folder=net.parent) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        told = process.stderr.read()
        assert told.startswith(error) if error else told == ""
        assert process.wait(timeout=120) == code


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_full_disk_behind_stdout_ends_with_3(net: Path, more: list[str]) -> None:
    call = [sys.executable, "-c", PROGRAM, "route", str(net), "updown"]
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        ended = subprocess.run(
            [*call, *more],
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.stderr == "error: no space left on device\n"
    assert ended.returncode == 3


def test_a_bug_ends_with_70_and_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(*_: object) -> None:
        message = "unforeseen"
        raise RuntimeError(message)

    monkeypatch.setattr("weft.cli.machines.hardware", stumble)
    ended = weft("hardware", "--json")
    assert ended.code == 70
    assert "Traceback" in ended.stderr
    assert "a bug in Weft: RuntimeError: unforeseen" in ended.stderr
    assert ended.document["error"]["exit_code"] == 70


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (library.RoutingError("x"), 2),
        (library.ResultsError("x"), 2),
        (library.EnvironmentFailure("x"), 3),
        (PermissionError(13, "Permission denied", "f"), 3),
        (MemoryError(), 3),
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
        (click.UsageError("x"), 2),
        (AssertionError("x"), 70),
        (sqlite3.ProgrammingError("x"), 70),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value),
)
def test_every_family_of_errors_has_its_code(error: BaseException, code: int) -> None:
    from weft.cli.errors import report

    assert report(error, as_json=False) == code
