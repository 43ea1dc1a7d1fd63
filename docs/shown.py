"""What README and guide show is what Weft does: runs the blocks of a page, and renews them.

A ``console`` block holds commands (after ``$``, continued after ``>``) and what they print on
stdout; of a command that fails, stderr comes first. A ``pycon`` block is a Python session. The
blocks of a page run one after the other in an empty folder beside the examples. ``…`` stands for
any text, such as a time. ``shell`` blocks hold what cannot be run just so (installation, minutes of
work) and no command of Weft.

The tests compare (tests/python/test_docs.py). After a change that is meant::

    .venv/bin/python docs/shown.py

runs every page and writes into it what is printed now; what still matches stays as it is.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs/guide").glob("*.md"))]
COLUMNS = "100"

#: Per language: what begins a step, and what continues it.
PROMPTS = {"console": ("$ ", "> "), "pycon": (">>> ", "...")}


@dataclass
class Step:
    """A command or statement, and what it is said to print."""

    source: list[str]
    shown: list[str] = field(default_factory=list)


@dataclass
class Block:
    """A fenced block of a page; lines count from 1."""

    page: str
    line: int
    language: str
    lines: list[str] = field(default_factory=list)

    @property
    def steps(self) -> list[Step]:
        """The commands or statements of a block that can be run."""
        first, further = PROMPTS[self.language]
        steps: list[Step] = []
        for line in self.lines:
            if line.startswith(first):
                steps.append(Step([line.removeprefix(first)]))
            elif line.startswith(further) and not steps[-1].shown:
                steps[-1].source.append(line.removeprefix(further))
            else:
                steps[-1].shown.append(line)
        return steps


def blocks(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page, those of directives left out."""
    block: Block | None = None
    for number, line in enumerate(page.read_text().splitlines(), start=1):
        if block is None and line.startswith("```"):
            block = Block(page.name, number, line.removeprefix("```"))
        elif block is not None and line == "```":
            if not block.language.startswith("{"):
                yield block
            block = None
        elif block is not None:
            block.lines.append(line)
    if block is not None:
        message = f"{page.name}:{block.line}: found a block without an end, expected ```"
        raise ValueError(message)


class Runner:
    """Runs the steps of one page in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.status = 0
        self.names: dict[str, object] = {"__name__": "__main__"}
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self.environment = os.environ | {"PATH": path, "COLUMNS": COLUMNS, "NO_COLOR": "1"}
        (folder / "examples").symlink_to(ROOT / "examples")

    def run(self, language: str, step: Step) -> str:
        """Run a step and return what it prints."""
        if language == "console":
            return self._run_command("\n".join(step.source))
        # The continuation mark of a Python session is followed by a blank, or ends the line.
        return self._run_statement("\n".join(line.removeprefix(" ") for line in step.source))

    def _run_command(self, command: str) -> str:
        # The exit status of the command before is $? in this one.
        result = subprocess.run(
            ["bash", "-c", f"(exit {self.status})\n{command}"],  # noqa: S607
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        self.status = result.returncode
        return (result.stderr if result.returncode else "") + result.stdout

    def _run_statement(self, statement: str) -> str:
        printed = io.StringIO()
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(printed):
            try:
                exec(compile(statement + "\n", "<page>", "single"), self.names)  # noqa: S102
            except Exception as error:  # noqa: BLE001 - a page may show an error
                print("Traceback (most recent call last):\n  …")  # noqa: T201
                print("".join(traceback.format_exception_only(error)))  # noqa: T201
        return printed.getvalue()


def tidy(text: str) -> str:
    """Return a text without blanks at the ends of lines and without blank lines at its end."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def matches(shown: str, printed: str) -> bool:
    """Tell whether what is shown stands for what was printed."""
    pattern = ".*?".join(re.escape(part) for part in tidy(shown).split("…"))
    return re.fullmatch(pattern, tidy(printed), re.DOTALL) is not None


def differences(page: Path, folder: Path) -> Iterator[tuple[Block, Step, str]]:
    """Run a page; yield each step that prints something else than is shown, and what it prints."""
    runner = Runner(folder)
    for block in blocks(page):
        if block.language in PROMPTS:
            for step in block.steps:
                printed = runner.run(block.language, step)
                if not matches("\n".join(step.shown), printed):
                    yield block, step, tidy(printed)


def renewed(page: Path, folder: Path) -> str:
    """Return a page with what its blocks print now."""
    lines = page.read_text().splitlines()
    changed = [(block, step.source, printed) for block, step, printed in differences(page, folder)]
    # From the end, so that the lines before stay where they are.
    for block in reversed(list(blocks(page))):
        if block.language not in PROMPTS:
            continue
        first, further = PROMPTS[block.language]
        new: list[str] = []
        for step in block.steps:
            printed = [
                text
                for other, source, text in changed
                if (other.line, source) == (block.line, step.source)
            ]
            new += [first + step.source[0], *(further + line for line in step.source[1:])]
            new += printed[0].splitlines() if printed else step.shown
        lines[block.line : block.line + len(block.lines)] = new
    return "\n".join(lines) + "\n"


def main() -> None:
    """Renew every page."""
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            text = renewed(page, Path(folder))
        state = "unchanged" if text == page.read_text() else "renewed"
        page.write_text(text)
        print(f"{page.relative_to(ROOT)}: {state}")  # noqa: T201


if __name__ == "__main__":
    main()
