"""Which Python module takes what from which, and when."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from command import environment

import weft

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(weft.__file__).parent
#: What takes a while to import and no help needs.
HEAVY = {"jinja2", "matplotlib", "networkx", "numpy", "pandas", "pyarrow", "rich"}
HELP = "from weft.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
#: The stages up to the simulation, which commands load one or a few of: they start quickly as well.
STAGES = """
import weft
for name in set(weft.__all__) - {"Reading", "Results", "compare", "write_report"}:
    getattr(weft, name)
"""


@dataclass(frozen=True)
class Import:
    """A name that a module takes from another: at its top, for types alone, or in a function."""

    module: str
    name: str
    line: int
    is_in_function: bool
    is_for_types: bool

    @property
    def library(self) -> str:
        return self.module.partition(".")[0]


def _module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(
    node: ast.AST, *, is_in_function: bool = False, is_for_types: bool = False
) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            home = child.module or "" if isinstance(child, ast.ImportFrom) else None
            for alias in child.names:
                module, name = (alias.name, "") if home is None else (home, alias.name)
                yield Import(module, name, child.lineno, is_in_function, is_for_types)
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        is_for = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
        yield from _imports(
            child,
            is_in_function=is_in_function or is_function,
            is_for_types=is_for_types or is_for,
        )


FILES = {_module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
IMPORTS = {name: list(_imports(ast.parse(path.read_text()))) for name, path in FILES.items()}


def _home(module: str, name: str) -> str:
    """Return the module in which a name is defined, past the packages that hand it on."""
    if f"{module}.{name}" in {*FILES, "weft._core"}:
        return f"{module}.{name}"
    handed_on = [entry for entry in IMPORTS.get(module, []) if entry.name == name]
    if FILES.get(module, PACKAGE).name == "__init__.py" and handed_on:
        return _home(handed_on[0].module, name)
    return module


def test_no_two_modules_import_each_other() -> None:
    graph = {
        module: {_home(entry.module, entry.name) for entry in entries} & (FILES.keys() - {module})
        for module, entries in IMPORTS.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = " ← ".join(error.args[1])
        message = f"these import each other, inside functions or for types alone as well: {circle}"
        raise AssertionError(message) from error


def test_results_and_specifications_stand_below_the_study() -> None:
    for module, entries in IMPORTS.items():
        if module.startswith(("weft.results", "weft.spec")):
            taken = {entry.module for entry in entries}
            above = ("weft.study", "weft.report", "weft.plots", "weft.cli", "weft.reproduce")
            assert not {name for name in taken if name.startswith(above)}, module


def test_only_what_takes_a_while_is_imported_in_functions() -> None:
    early = _loaded_by(f"{STAGES}\n{HELP}")
    entries = [(module, entry) for module in FILES for entry in IMPORTS[module]]
    at_the_top = {
        entry.library
        for module, entry in entries
        if not entry.is_in_function and module not in early and not entry.is_for_types
    }

    def delays_the_start(module: str, entry: Import) -> bool:
        return module in early and entry.module not in early

    wrong = [
        f"{FILES[module]}:{entry.line}: {entry.module}"
        for module, entry in entries
        if entry.is_in_function
        and not delays_the_start(module, entry)
        and (entry.library in {"weft", *sys.stdlib_module_names} or entry.library in at_the_top)
    ]
    assert wrong == [], "imported in functions, expected at the top"
    own = [
        f"{FILES[module]}:{entry.line}: {entry.module}"
        for module, entry in entries
        if entry.is_in_function and entry.library == "weft"
    ]
    assert own == [], "imported in functions, expected at the top or by a package that is late"


def test_weft_alone_imports_no_stage() -> None:
    loaded = {name for name in _loaded_by("import weft") if name.startswith("weft")}
    assert loaded == {"weft", "weft._core", "weft._late", "weft._homes"}


def test_a_function_is_found_where_its_module_was_imported_first() -> None:
    program = "import weft.audit\nfrom weft.replay import Trace\nassert callable(weft.audit)"
    _loaded_by(f"{program}\nassert callable(weft.replay)\nassert weft.proof.prove is weft.prove")


def test_names_of_the_package_are_those_it_lists() -> None:
    assert [name for name in weft.__all__ if not hasattr(weft, name)] == []
    with pytest.raises(AttributeError, match="module 'weft' has no attribute 'updown'"):
        _ = weft.updown


def test_the_stages_import_no_library() -> None:
    libraries = {name.partition(".")[0] for name in _loaded_by(STAGES)}
    taken = {entry.library for entries in IMPORTS.values() for entry in entries}
    assert taken & libraries - {"weft", *sys.stdlib_module_names} == set()


def test_help_imports_no_command_and_nothing_heavy() -> None:
    loaded = _loaded_by(HELP)
    assert "click" in loaded
    assert loaded & HEAVY == set()
    assert {name for name in loaded if name.startswith("weft.cli.")} == {
        "weft.cli.documents",
        "weft.cli.errors",
        "weft.cli.main",
        "weft.cli.output",
    }


def _loaded_by(program: str) -> set[str]:
    """Return the modules that a program of its own has loaded at its end."""
    ended = subprocess.run(
        [sys.executable, "-c", f"import sys\n{program}\nprint(*sys.modules, file=sys.stderr)"],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return set(ended.stderr.split())
