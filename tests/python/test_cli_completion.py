"""What a shell completes: the script, and the words it asks Weft for."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.shell_completion import ShellComplete
from command import done, environment, refused

import weft
from weft.cli import main

if TYPE_CHECKING:
    from pathlib import Path


def offered(*words: str) -> list[str]:
    """Return what may stand for the last of some words behind ``weft``."""
    items = ShellComplete(main, {}, "weft", "_WEFT_COMPLETE").get_completions(
        list(words[:-1]), words[-1]
    )
    return [item.value for item in items if item.type == "plain"]


@pytest.mark.parametrize(
    "words",
    [
        ["prove", "net.json", ""],
        ["route", "net.json", ""],
        ["export", "opensm", "net.json", ""],
        ["compare", "net.json", "--routing", ""],
        ["simulate", "net.json", "--routing", ""],
        ["replay", "app.ti", "--routing", ""],
        ["advise", "net.json", "--routing", ""],
        ["audit", "net.json", "--against", ""],
    ],
    ids=" ".join,
)
def test_every_routing_is_offered_where_a_routing_stands(words: list[str]) -> None:
    assert offered(*words) == [algorithm.name for algorithm in weft.algorithms()]


def test_names_are_offered_by_their_beginning() -> None:
    assert offered("prove", "net.json", "updown_") == []
    assert {"updn", "updown"} <= set(offered("prove", "net.json", "up"))
    assert "infiniband_edr" in offered("simulate", "net.json", "--hardware", "infiniband_e")
    assert offered("hardware", "--set", "cycle") == ["cycle_ns="]
    assert "bit_reversal" in offered("simulate", "net.json", "--pattern", "bit")
    assert offered("simulate", "net.json", "--arrivals", "poi") == ["poisson"]
    assert offered("collective", "allr") == ["allreduce"]
    assert offered("reproduce", "bo") == ["boost"]
    assert "irregular" in offered("fabric", "new", "irr")
    assert offered("fabric", "new", "torus", "--ext") == ["--extents"]
    assert offered("comp") == ["compare", "completion"]


def test_a_list_that_was_asked_for_ends_no_completion() -> None:
    assert "min_hop" in offered("route", "--list", "net.json", "min_")
    assert offered("--version", "rout") == ["route"]


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        (["fabric", "show", "clu"], {"file"}),
        (["simulate", "clu"], {"file"}),
        (["simulate", "net.json", "--routing", "./tab"], {"file"}),
        (["simulate", "net.json", "--hardware", "infini"], {"plain"}),
    ],
    ids=str,
)
def test_files_are_left_to_the_shell(words: list[str], kinds: set[str]) -> None:
    items = ShellComplete(main, {}, "weft", "_WEFT_COMPLETE").get_completions(words[:-1], words[-1])
    assert {item.type for item in items} == kinds


def test_bash_completes_by_the_script(tmp_path: Path) -> None:
    made = done("completion", "bash")
    program = tmp_path / "weft"
    program.write_text(f"#!{sys.executable}\nfrom weft.cli import main\nmain(prog_name='weft')\n")
    program.chmod(0o755)
    script = (
        f"complete() {{ :; }}\n{made.stdout}\n"
        "COMP_WORDS=(weft prove net.json updo); COMP_CWORD=3\n"
        '_weft_completion weft; printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    found = subprocess.run(
        ["bash", "-c", script],
        env={**environment(), "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "updown" in found.stdout.split()


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_their_script(shell: str) -> None:
    assert f"_WEFT_COMPLETE={shell}_complete" in done("completion", shell).stdout
    document = done("completion", shell, "--json").document
    assert document["script"] + "\n" == done("completion", shell).stdout


def test_an_unknown_shell_is_refused_with_those_there_are() -> None:
    refused("'bash', 'zsh', 'fish'", "completion", "csh")
