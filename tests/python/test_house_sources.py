"""Rules of the house for Rust's files: circles, twins among names, made-up values."""

from __future__ import annotations

import functools
import itertools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CRATES = sorted(path.parent.name for path in (ROOT / "crates").glob("*/Cargo.toml"))

#: Tests beside the code, to the end of their file.
UNIT_TESTS = re.compile(r"^#\[cfg\(test\)\]\s*mod tests \{.*", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"//.*")
USE = re.compile(r"\buse\s+([^;]+);")
HANDED_ON = re.compile(r"\bpub(?:\([^)]*\))?\s+use\s+([^;]+);")
RENAMED = re.compile(r"\s+as\s+\w+")
PATH = re.compile(r"\b(?:crate|super|self)(?:::\w+)+")

#: What is made up where a conversion fails: a value instead, or an early end as if all were well.
#: To take the lesser of a number and a bound is exact, and so is to say that it cannot be.
CONVERSION = r"\b(?:try_from|try_into|TryFrom|TryInto)\b[^;{}]{0,160}?"
MADE_UP = (
    rf"{CONVERSION}\.(?:unwrap_or\(|unwrap_or_default\(|"
    r"unwrap_or_else\((?!\s*\|\w*\|\s*(?:unreachable|panic)!)|"
    r"map_or\(\s*(\w+)\s*,(?!\s*\|\w+\|\s*\w+\.min\(\1\)))",
    rf"let Ok\([^)]*\) = [^;{{}}]{{0,160}}?{CONVERSION}\belse\s*\{{\s*"
    r"(?:break|continue|return(?!\s+(?:Err|None)\b))",
)


def sources(crate: str) -> dict[str, Path]:
    """Return the files of a crate by their module's path, such as ``form::lane``."""
    folder = ROOT / "crates" / crate / "src"
    modules = {}
    for path in sorted(folder.rglob("*.rs")):
        parts = path.relative_to(folder).with_suffix("").parts
        modules["::".join(parts[:-1] if parts[-1] in {"mod", "lib"} else parts)] = path
    return modules


@functools.cache
def code(path: Path) -> str:
    """Return what is compiled of a file: no comments, no tests beside the code."""
    return UNIT_TESTS.sub("", COMMENT.sub("", path.read_text()))


def used_paths(text: str) -> set[str]:
    """Return the paths that a file names, those of grouped imports one by one."""
    paths = set(PATH.findall(USE.sub("", text)))
    return paths.union(*(expanded(tree) for tree in USE.findall(text)))


def expanded(tree: str) -> list[str]:
    """Take an import apart: ``a::{b, c::d}`` is ``a::b`` and ``a::c::d``."""
    tree = re.sub(r"\s+", "", RENAMED.sub("", tree))
    stem, brace, rest = tree.partition("{")
    if not brace:
        return [tree]
    depth, branches = 0, [""]
    for letter in rest.rpartition("}")[0]:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            branches.append("")
        else:
            branches[-1] += letter
    return [stem + path for branch in branches if branch for path in expanded(branch)]


def absolute(path: str, module: str) -> tuple[str, ...] | None:
    """Resolve a path as a file of this module writes it, or return None for another crate's."""
    parts = path.split("::")
    here = module.split("::") if module else []
    if parts[0] == "crate":
        return tuple(parts[1:])
    if parts[0] == "self":
        return tuple(here + parts[1:])
    if parts[0] != "super":
        return None
    while parts and parts[0] == "super":
        here, parts = here[:-1], parts[1:]
    return tuple(here + parts)


def imports(crate: str) -> dict[str, set[str]]:
    """Return the files that each file imports, but for parents and children.

    What a module hands on (``pub use``) counts as the file where it stands.
    """
    modules = sources(crate)
    handed_on = {
        module: {
            name.rpartition("::")[2]: absolute(name, module) or absolute(f"self::{name}", module)
            for tree in HANDED_ON.findall(code(path))
            for name in expanded(tree)
        }
        for module, path in modules.items()
    }

    def owner(parts: tuple[str, ...], hops: int = 8) -> str:
        """Return the file that defines what a path names."""
        for length in range(len(parts), -1, -1):
            module = "::".join(parts[:length])
            if module in modules:
                break
        further = handed_on[module].get(parts[length]) if length < len(parts) else None
        if further and hops and further != parts[: length + 1]:
            return owner((*further, *parts[length + 1 :]), hops - 1)
        return module

    arrows: dict[str, set[str]] = {}
    for module, path in modules.items():
        named = (absolute(name, module) for name in used_paths(code(path)))
        targets = {owner(parts) for parts in named if parts}
        arrows[module] = {
            target
            for target in targets - {module}
            if not is_within(target, module) and not is_within(module, target)
        }
    return arrows


def is_within(inner: str, outer: str) -> bool:
    """Tell whether a module stands inside another."""
    return not outer or inner.startswith(f"{outer}::")


def circles(arrows: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of two or more that reach each other."""

    def reached(start: str) -> set[str]:
        found: set[str] = set()
        pending = list(arrows[start])
        while pending:
            if (name := pending.pop()) not in found:
                found.add(name)
                pending += arrows[name]
        return found

    onward = {name: reached(name) for name in arrows}
    groups = {
        tuple(sorted(other for other in onward[name] if name in onward[other]))
        for name in arrows
        if name in onward[name]
    }
    return sorted(map(list, groups))


def is_near(one: str, other: str) -> bool:
    """Tell whether two names differ by one letter, or as singular and plural do."""
    short, long = sorted((one, other), key=len)
    if len(short) < 4 or len(long) - len(short) > 2:
        return False
    if long in {f"{short}s", f"{short}es", f"{short[:-1]}ies"}:
        return True
    if len(short) == len(long):
        return sum(a != b for a, b in zip(short, long, strict=True)) == 1
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


def almost_alike(names: set[str]) -> list[tuple[str, str]]:
    """Return the pairs of names that one may take for each other."""
    pairs = itertools.combinations(sorted(names), 2)
    return [pair for pair in pairs if is_near(*pair)]


@pytest.mark.parametrize("crate", CRATES)
def test_no_files_of_a_crate_import_each_other_in_a_circle(crate: str) -> None:
    assert circles(imports(crate)) == []


@pytest.mark.parametrize("crate", CRATES)
def test_no_two_files_of_a_crate_have_names_that_are_almost_alike(crate: str) -> None:
    names = {module.rpartition("::")[2] for module in sources(crate) if module}
    assert almost_alike(names) == []


def test_no_two_modules_have_names_that_are_almost_alike() -> None:
    package = ROOT / "python" / "weft"
    folders = {path.parent.name for path in package.rglob("__init__.py")} - {package.name}
    assert almost_alike(folders | {path.stem for path in package.rglob("*.py")}) == []


@pytest.mark.parametrize("crate", CRATES)
def test_a_conversion_that_cannot_fail_ends_the_run_and_makes_up_no_value(crate: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{code(path)[: match.start()].count(chr(10)) + 1}"
        for path in sources(crate).values()
        for pattern in MADE_UP
        for match in re.finditer(pattern, code(path))
    ]
    assert found == []


def test_every_crate_has_one_binary_of_tests_made_of_its_own_files() -> None:
    for crate in CRATES:
        folder = ROOT / "crates" / crate / "tests"
        assert {path.name for path in folder.glob("*")} <= {"it"}, crate
        assert [str(p) for p in folder.rglob("*.rs") if "#[path" in p.read_text()] == []
