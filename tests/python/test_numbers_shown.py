"""Numbers are written in one way: shares as 53.3 %, no exponents, thousands grouped."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import shown

from weft._numbers import in_percent, quantity
from weft.advice.records import Scenario

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "python/weft").rglob("*.py"))
OTHERWISE = re.compile(r"\d%|(?<![\w.])\d+(\.\d+)?[eE][+-]?\d+(?![\w-])")
#: Formats that write ``5%``, or an exponent for what has more digits than are asked for.
FORMATS = re.compile(r"\{[^{}\n]*:[<>^+,\d]*((\.\d+)?[%e]|\.\d+g)\}|format\([^)]*%['\"]\)")


def test_what_is_not_so_is_found() -> None:
    for text in ("53.3%", "7.053e+04", "1e-05", "2.5E+10 ns"):
        assert OTHERWISE.search(text), text
    for text in ("53.3 %", "70,530", "0x1e5", "1e5b3c", "3e-lab"):
        assert not OTHERWISE.search(text), text
    for text in ("{x:.1%}", "{x:6.0%}", "{x:.4g}", "{f(x):.2e}", "format(x, '.1%')"):
        assert FORMATS.search(text), text
    for text in ("{x:.1f} %", "{x:g}", "{made:name}", "{x} %"):
        assert not FORMATS.search(text), text


@pytest.mark.parametrize("page", shown.PAGES, ids=lambda page: page.stem)
def test_what_commands_print_has_no_other_numbers(page: Path) -> None:
    printed = [
        line
        for block in shown.blocks(page)
        if block.language == "console"
        for step in block.steps
        for line in step.shown
    ]
    # What is quoted or named was typed so.
    found = [line for line in printed if OTHERWISE.search(re.sub(r"“[^”]*”|--\S+ \S+", "", line))]
    assert found == []


def test_the_validation_has_no_other_numbers() -> None:
    pages = [*(ROOT / "docs/validation").rglob("*.md"), *(ROOT / "docs/validation").rglob("*.csv")]
    told = {
        page: re.findall(r"\d%[^\n]*", page.read_text(encoding="utf-8")) for page in sorted(pages)
    }
    assert pages
    assert {page: lines for page, lines in told.items() if lines} == {}
    tables = [page for page in pages if page.suffix == ".md"]
    cells = [line for page in tables for line in page.read_text().splitlines() if "|" in line]
    assert [line for line in cells if OTHERWISE.search(line)] == []


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_no_format_writes_numbers_otherwise(source: Path) -> None:
    lines = source.read_text(encoding="utf-8").splitlines()
    # What a browser or a parameter reads, and times scaled to below a thousand, have their own.
    allowed = {"chart.py": 1, "timeline.py": 2, "quantities.py": 1}.get(source.name, 0)
    assert len([line for line in lines if FORMATS.search(line)]) == allowed


def test_numbers_are_written_as_people_read_them() -> None:
    assert quantity(70_530.4) == "70,530"
    assert quantity(1e15) == "1,000,000,000,000,000"
    assert quantity(1.25e-7) == "0.000000125"
    assert quantity(0.05) == "0.05"
    assert (in_percent(0.5334), in_percent(1, 0)) == ("53.3 %", "100 %")


@pytest.mark.parametrize(
    ("name", "words", "left"),
    [
        ("nothing", "as it is", "as it is"),
        ("2%", "with 2 % of the links failed", "without 2 %"),
        ("2.5 %", "with 2.5 % of the links failed", "without 2.5 %"),
        ("leaf01:17", "without leaf01:17", "without leaf01:17"),
    ],
)
def test_what_fails_is_written_so_however_it_was_typed(name: str, words: str, left: str) -> None:
    scenario = Scenario(name, [])
    assert (scenario.name, scenario.in_words, scenario.left_in_words) == (name, words, left)
