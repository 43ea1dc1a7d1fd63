"""Every example in a docstring shows what it promises."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from typing import TYPE_CHECKING

import pytest

import weft

if TYPE_CHECKING:
    from pathlib import Path

MODULES = ["weft", *(module.name for module in pkgutil.walk_packages(weft.__path__, "weft."))]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0


def test_the_stages_have_examples() -> None:
    finder = doctest.DocTestFinder()
    for stage in ("hardware", "proof", "routing", "simulate", "workload"):
        module = importlib.import_module(f"weft.{stage}")
        assert any(example.examples for example in finder.find(module)), stage
