"""The command on a terminal: tables with rules, live progress; plain lines elsewhere."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from click import unstyle
from command import PROGRAM, done, environment, weft_program
from command import weft as weft_in_process

from weft.cli import progress, routing, transition
from weft.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable

    import weft


def weft_in_terminal(*arguments: object, folder: Path) -> tuple[int, str]:
    """Run the command with a terminal for stdout and stderr; return code and what it showed."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        cwd=folder,
        env={**environment(), "TERM": "xterm-256color", "COLUMNS": "140", "LINES": "50"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = bytearray()
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux says so when the last writer has gone.
            break
        if not part:
            break
        shown += part
    os.close(ours)
    return process.wait(), shown.decode()


def call(net: Path) -> tuple[object, ...]:
    return (
        "compare", net, "--routing", "updown", "--routing", "minimal", "--max-packets", 3000,
        "--loads", "0.05,0.1", "--no-report",
    )  # fmt: skip


def test_a_terminal_gets_rules_and_live_progress(net: Path, tmp_path: Path) -> None:
    code, shown = weft_in_terminal(*call(net), folder=tmp_path)
    assert code == 0, shown
    text = unstyle(shown)
    assert "───" in text
    assert "bytes/ns/switch" in text
    assert "routing and proving" in text
    assert "points finished" in text
    assert "Take updown" in text


def test_without_a_terminal_there_is_neither_colour_nor_rule(net: Path, tmp_path: Path) -> None:
    ended = weft_program(*call(net), folder=tmp_path)
    assert ended.code == 0, ended.stderr
    for text in (ended.stdout, ended.stderr):
        assert "\x1b" not in text
        assert "───" not in text
    assert re.search(r"^\[ +\d+\.\d s\] updown: deadlock-free", ended.stderr, re.MULTILINE)
    assert "error" not in ended.stderr


def test_no_color_is_heeded(net: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    _, shown = weft_in_terminal("simulate", net, "--routing", "updown", "--load", "0.05",
                                folder=tmp_path)  # fmt: skip
    assert re.findall(r"\x1b\[[0-9;]*3[0-9]m", shown) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("audit", "--against", "updown", "--count", 5),
        ("advise", "--lanes", 1, "--routing", "updown", "--count", 5, "--simulate", 0),
        ("route", "updown"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_terminal_is_shown_how_far_a_long_routing_is(
    arguments: tuple[object, ...],
    net: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    routed = progress.route

    def slow(
        fabric: weft.Fabric,
        specification: str,
        *,
        time_budget_s: float | None = None,
        progress: Callable[[int, float | None], None],
    ) -> weft.Routing:
        progress(2, 0.25)
        return routed(fabric, specification, time_budget_s=time_budget_s)

    for module in (progress, routing):
        monkeypatch.setattr(module, "route" if module is progress else "route_fabric", slow)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    verb, *rest = map(str, arguments)
    assert main([verb, str(net), *rest], standalone_mode=False) in {0, None}
    assert "routing by updown: step 2, 25 % of it done" in capsys.readouterr().err


def test_a_terminal_is_shown_how_far_the_plan_of_a_transition_is(
    net: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planned = transition.plan_transition

    def slow(
        before: weft.Fabric,
        old: weft.Routing,
        after: weft.Fabric,
        new: weft.Routing,
        *,
        direct: bool,
        progress: Callable[[int, float | None], None],
    ) -> weft.TransitionPlan:
        progress(2, 0.5)
        return planned(before, old, after, new, direct=direct)

    monkeypatch.setattr(transition, "plan_transition", slow)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    arguments = ["transition", str(net), "updown:selection=first", "best:lanes=2"]
    assert main(arguments, standalone_mode=False) in {0, None}
    assert "planning the transition: step 2, 50 % of it done" in capsys.readouterr().err


#: All control characters but tab and line end, and marks that turn text around.
STEERING = "".join(
    chr(code) for code in (*range(0x20), *range(0x7F, 0xA0), 0x202E, 0x2066) if code not in (9, 10)
)


@pytest.fixture
def steering(tmp_path: Path) -> Path:
    """Write a fabric whose names would steer a terminal: colours, its title, bells, C1 codes."""
    switches = [f"{name}{STEERING}\x1b[31m\x1b]0;title\x07" for name in "ab"]
    hosts = [f"host{number}{STEERING}" for number in range(4)]
    links = [[[switches[0], 1], [switches[1], 1]]]
    links += [[[host, 1], [switches[at % 2], 2 + at // 2]] for at, host in enumerate(hosts)]
    document = {
        "format": "weft-fabric",
        "version": 1,
        "name": f"net{STEERING}\x1b]0;title\x07",
        "switches": [{"name": name, "ports": 4} for name in switches],
        "hosts": [{"name": name} for name in hosts],
        "links": [{"ends": ends} for ends in links],
    }
    path = tmp_path / "steering.json"
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("fabric", "show"),
        ("fabric", "show", "--json"),
        ("prove", "minimal"),
        ("route", "updown"),
        ("simulate", "--routing", "updown", "--load", "0.1"),
    ],
    ids=" ".join,
)
def test_names_do_not_steer_the_terminal(
    steering: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    command, *rest = words
    call = (
        [command, rest.pop(0), steering, *rest]
        if command == "fabric"
        else [command, steering, *rest]
    )
    ended = weft_program(*call, folder=tmp_path)
    assert ended.code == 0, ended.stderr
    for shown in (ended.stdout, ended.stderr, unstyle(weft_in_terminal(*call, folder=tmp_path)[1])):
        assert not set(STEERING) - {"\r"} & set(shown), repr(shown)
    if "--json" in words:
        assert json.loads(ended.stdout)["name"].endswith("\x1b]0;title\x07")


def test_names_that_steer_terminals_are_compared_and_drawn(steering: Path, tmp_path: Path) -> None:
    ended = weft_program(
        "compare", steering, "--routing", "updown", "--max-packets", 3000, "--loads", "0.05,0.1",
        "--charts", "charts",
        folder=tmp_path,
    )  # fmt: skip
    assert ended.code == 0, ended.stderr
    assert "could not be drawn" not in ended.stderr
    drawn = sorted(tmp_path.rglob("fabric-updown.*"))
    assert sorted(path.suffix for path in drawn) == [".csv", ".pdf", ".png", ".svg", ".svg"]
    for path in tmp_path.rglob("*.svg"):
        ElementTree.parse(path)  # noqa: S314 - our own file
    assert "a\\x00\\x01" in next(path.read_text() for path in drawn if path.suffix == ".svg")
    done("audit", steering, "--no-others", "--count", 1, "--report", tmp_path / "audit.html")
    pages = sorted(tmp_path.rglob("*.html"))
    assert len(pages) == 2
    for page in pages:
        assert not set(STEERING) & set(page.read_bytes().decode()), page


_SAMPLES = Path(__file__).parents[2] / "crates/weft-fabric/tests/it/infiniband"


@pytest.mark.parametrize(
    "sample", sorted(path.name for path in _SAMPLES.glob("t*_*.*")), ids=lambda name: name
)
def test_names_in_files_of_every_format_do_not_steer_the_terminal(
    sample: str, tmp_path: Path
) -> None:
    def steering(name: re.Match[str]) -> str:
        # As long as before: some formats go by columns.
        codes = "\\u001b\\u009b" if sample.endswith(".json") else "\x1b\x9b"
        return f"{name[1]}{codes}{name[2]}"

    text = (_SAMPLES / sample).read_text()
    names = r"\b(no|le|spi|ho|s)(?:de|af|ne|st|w)([123])\b"
    changed, count = re.subn(names, steering, text)
    assert count > 3
    whole, path = tmp_path / "whole" / sample, tmp_path / sample
    whole.parent.mkdir()
    whole.write_text(text)
    path.write_text(changed)
    before = done("fabric", "show", whole, "--json").document["figures"]
    assert done("fabric", "show", path, "--json").document["figures"] == before
    for command in (("fabric", "show", path), ("audit", path, "--no-others", "--count", 1)):
        ended = weft_in_process(*command)
        assert ended.code in {0, 2}
        assert not set(STEERING) & set(ended.stdout + ended.stderr)


def test_an_error_that_shows_a_name_does_not_steer_the_terminal(
    steering: Path, tmp_path: Path
) -> None:
    document = json.loads(steering.read_text())
    document["links"][0]["ends"][0][0] += "\x1b]0;title\x07"
    steering.write_text(json.dumps(document))
    ended = weft_program("fabric", "show", steering, folder=tmp_path)
    assert ended.code == 2
    assert "no node is named" in ended.stderr
    assert not set(STEERING) & set(ended.stderr), repr(ended.stderr)
