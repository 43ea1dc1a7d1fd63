"""Documents of ``--json``: every command prints one, with release, kind and version at its top."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from command import done, weft
from test_cli_help import ALL, name

import weft as library
from weft._machine import weft_version
from weft.cli.documents import DOCUMENTS, headed

ROOT = Path(__file__).resolve().parents[2]

#: Options by which a command tells something and ends, whatever else is missing.
TELLING = [
    (path, option.opts[0])
    for path, command in ALL
    for option in command.params
    if isinstance(option, click.Option) and option.is_eager and option.opts[0] != "--help"
]


def test_a_document_begins_with_release_kind_and_version() -> None:
    head = {"weft": weft_version(), "document": "report", "version": DOCUMENTS["report"]}
    assert list(headed("report", {"charts": []}).items()) == [*head.items(), ("charts", [])]
    with pytest.raises(ValueError, match="document report has version, weft of its own"):
        headed("report", {"version": 1, "weft": 2})
    with pytest.raises(KeyError):
        headed("reports", {})


def test_every_kind_is_printed_by_a_command() -> None:
    sources = [path.read_text() for path in (ROOT / "python/weft/cli").glob("*.py")]
    texts = [text for text in sources if "DOCUMENTS = {" not in text]
    assert [kind for kind in DOCUMENTS if not any(f'"{kind}"' in text for text in texts)] == []
    assert not any(re.search(r"\bjson\.dumps?\(", text) for text in texts if "def emit" not in text)


@pytest.mark.parametrize(("path", "option"), TELLING, ids=name)
def test_what_an_option_tells_is_a_document_too(path: tuple[str, ...], option: str) -> None:
    told = [done(*path, option, "--json"), done(*path, "--json", option)]
    assert told[0].stdout == told[1].stdout
    assert told[0].stderr == ""
    assert told[0].document


def test_lists_have_every_entry() -> None:
    assert sorted({option for _, option in TELLING}) == ["--list", "--version"]
    listed = done("route", "--list", "--json").document
    assert listed["document"] == "route-list"
    assert [entry["name"] for entry in listed["algorithms"]] == [
        entry.name for entry in library.algorithms()
    ]
    formats = done("fabric", "convert", "--list", "--json").document["formats"]
    assert [entry["name"] for entry in formats] == [
        entry.name for entry in library.fabric_formats()
    ]
    boost = done("reproduce", "boost", "--list", "--json").document
    assert (boost["document"], boost["paper"]) == ("reproduce-list", "boost")
    assert {"kind": "table", "number": "1"}.items() <= boost["experiments"][0].items()
    keys = done("study", "keys", "--json").document["keys"]
    assert "payload_bytes" in [key["name"] for key in keys]


def test_the_version_tells_what_it_was_built_from() -> None:
    document = done("--version", "--json").document
    line = done("--version").stdout.splitlines()[1]
    assert document["target"] in line
    assert line.endswith(f"; Python {document['python']}")


@pytest.mark.parametrize("words", [("--json",), ("--json", "workload")])
def test_json_before_a_command_is_told_where_it_goes(words: tuple[str, ...]) -> None:
    ended = weft(*words)
    assert ended.code == 2
    assert ended.document["document"] == "error"
    assert "weft workload --json" in ended.document["error"]["message"]
