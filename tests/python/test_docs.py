"""What README and guide show is what Weft does; how, is told in docs/shown.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import shown

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = {"console", "json", "pycon", "rust", "shell", "text", "toml"}


@pytest.mark.timeout(300)
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
