"""Runs the command ``weft`` for tests: in this process, or in one of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from json_schema import complaints

from weft._machine import weft_version
from weft.cli import main
from weft.cli.documents import DOCUMENTS

SCHEMAS = Path(__file__).resolve().parents[2] / "docs/reference/schemas"
PROGRAM = "from weft.cli import main; main()"


@cache
def schema_of(kind: str) -> Any:  # noqa: ANN401 - any JSON
    """Return the schema of a kind of document, as the reference has it."""
    return json.loads((SCHEMAS / f"{kind}.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def document(self) -> Any:  # noqa: ANN401 - any JSON
        """What stdout holds as JSON; an error when it is not one document as its schema says."""
        document = json.loads(self.stdout)
        head = {"weft": weft_version(), "document": document["document"]}
        head["version"] = DOCUMENTS[document["document"]]
        assert list(document.items())[: len(head)] == list(head.items())
        assert list(complaints(document, schema_of(document["document"]))) == []
        return document


def weft(*arguments: object) -> Ended:
    """Run the command in this process."""
    ended = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return Ended(ended.exit_code, ended.stdout, ended.stderr)


def done(*arguments: object) -> Ended:
    """Run the command in this process; it ends well."""
    ended = weft(*arguments)
    assert ended.code == 0, ended.stderr
    return ended


def refused(text: str, *arguments: object) -> Ended:
    """Run the command in this process; its input is bad, and the error says a text."""
    ended = weft(*arguments)
    assert ended.code == 2, ended.stdout + ended.stderr
    assert text in ended.stderr
    return ended


def environment() -> dict[str, str]:
    """Return an environment in which a new interpreter finds what this one does."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def weft_process(*arguments: object, folder: Path, prelude: str = "") -> subprocess.Popen[str]:
    """Start the command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", prelude + PROGRAM, *map(str, arguments)],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def weft_program(*arguments: object, folder: Path, prelude: str = "") -> Ended:
    """Run the command in a process of its own to its end."""
    process = weft_process(*arguments, folder=folder, prelude=prelude)
    stdout, stderr = process.communicate(timeout=300)
    return Ended(process.returncode, stdout, stderr)
