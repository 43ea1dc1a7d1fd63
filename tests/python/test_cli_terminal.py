"""The command on a terminal: tables with rules, live progress; plain lines elsewhere."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click import unstyle
from command import PROGRAM, environment, weft_program

from weft.cli import progress, routing
from weft.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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
    assert "routing by updown: step 2, 25% of it done" in capsys.readouterr().err
