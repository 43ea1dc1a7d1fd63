"""What README and guide show is what Weft does; how, is told in docs/shown.py."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
import shown
from command import done

from weft.cli import main

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = {"console", "json", "pycon", "rust", "shell", "text", "toml"}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", shown.PAGES, ids=lambda page: page.stem)
def test_what_a_page_shows_is_what_happens(page: Path, tmp_path: Path) -> None:
    found = [
        f"{block.page}:{block.line}: {step.source[0]}\nprints\n{printed}"
        for block, step, printed in shown.differences(page, tmp_path)
    ]
    assert found == []


def test_pages_show_something_that_is_run() -> None:
    run = [
        step
        for page in shown.PAGES
        for block in shown.blocks(page)
        if block.language in shown.PROMPTS
        for step in block.steps
    ]
    assert len(run) >= 20


def test_every_block_says_what_it_is() -> None:
    pages = [*shown.PAGES, *sorted((ROOT / "docs/concepts").glob("*.md"))]
    found = [block for page in pages for block in shown.blocks(page)]
    assert [f"{b.page}:{b.line}" for b in found if b.language not in LANGUAGES] == []


def test_what_is_shown_and_not_run_is_no_command_of_weft() -> None:
    for page in shown.PAGES:
        for block in shown.blocks(page):
            if block.language == "shell":
                text = "\n".join(block.lines)
                assert not re.search(r"(?m)^\s*(\$ )?weft\b", text), f"{block.page}:{block.line}"


def test_links_between_pages_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        if "_build" in page.parts:
            continue
        prose = re.sub(r"(?ms)^```.*?^```$|`[^`\n]*`", "", page.read_text())
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", prose):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_comparison_of_outputs_notices_a_difference() -> None:
    assert shown.matches("took … s\nend", "took 1.25 s  \nend\n")
    assert not shown.matches("took … s\nend", "took 1.25 s\nthe end of it")
    assert not shown.matches("4.5714", "4.57143")


def test_a_page_is_renewed_where_it_is_wrong_and_only_there(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    lines = [
        "Text.",
        "```console",
        "$ cat <<END",
        "> one",
        "> END",
        "wrong",
        "$ echo taken 1.5 s",
        "taken … s",
        "$ (exit 3)",
        "$ echo $?",
        "```",
        "```pycon",
        ">>> for n in range(2):",
        "...     print(n)",
        "0",
        ">>> 1 + 1",
        "3",
        "```",
    ]
    page.write_text("\n".join(lines) + "\n")
    (tmp_path / "run").mkdir()
    renewed = shown.renewed(page, tmp_path / "run").splitlines()
    assert renewed[:8] == [*lines[:5], "one", *lines[6:8]]
    assert renewed[8:12] == ["$ (exit 3)", "$ echo $?", "3", "```"]
    assert renewed[12:] == [*lines[11:14], "0", "1", ">>> 1 + 1", "2", "```"]


def _inline_commands() -> list[tuple[str, str]]:
    """Every command in running text, with its page; placeholders are part of it."""
    found = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*/*.md"))]:
        prose = re.sub(r"(?ms)^```.*?^```$", "", page.read_text())
        found += [(page.name, text) for text in re.findall(r"`weft ([^`\n]+)`", prose)]
    return found


def _fault(text: str) -> str | None:
    """Say what of a command is none of Weft; it may be named without all that it needs."""
    words = [word for word in shlex.split(text) if word != "…"]
    command: click.Command = main
    # A command keeps the option of its help as the first context names it, for all that follow.
    context = click.Context(main, obj=list(words), **main.context_settings)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name = words.pop(0)
        if name == "NAME":  # Of a topology, any.
            return None
        found = command.get_command(context, name)
        if found is None:
            return f"no command {name}"
        command, context = found, click.Context(found, parent=context)
    if not words:
        return None
    try:
        command.make_context(command.name, list(words), parent=context.parent, obj=context.obj)
    except (click.exceptions.Exit, click.BadParameter):
        return None  # It lists something, or lacks what stands in capitals here.
    except click.BadOptionUsage as error:
        return None if error.option_name == words[-1] else str(error)
    except click.UsageError as error:
        return str(error)
    return None


@pytest.mark.parametrize(
    ("page", "text"), [pytest.param(*found, id="-".join(found)) for found in _inline_commands()]
)
def test_a_command_in_running_text_is_one_of_weft(page: str, text: str) -> None:
    assert _fault(text) is None, page


def test_a_command_that_is_none_is_noticed() -> None:
    for text in ("hardware infiniband_edr", "route --tablse x", "fabrik show", "study keyz"):
        assert _fault(text) is not None, text


def test_looking_at_commands_leaves_their_short_help() -> None:
    assert _fault("export opensm -h") is None
    assert done("export", "opensm", "-h") == done("export", "opensm", "--help")
