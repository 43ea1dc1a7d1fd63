"""The wheel: which systems take it, with the lowest versions of what it needs, and alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from core_commands import COMMANDS, REFUSED, lay_files

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ROOT / "requirements"
#: What runs the tests beside the lowest versions; none of it needs any of them.
RUNNERS = ("pytest", "pytest-xdist", "pytest-timeout", "hypothesis")
#: Of the documentation and the sources, or by a machine of WebAssembly; what runs is in the others.
#: And what takes long, and asks nothing of a library that others do not ask.
NOT_OF_THE_WHEEL = (
    *("docs", "house", "house_sources", "modules", "docstrings", "validation_page"),
    *("bill_of_materials", "explore", "explore_beside", "explore_core"),
    *("reproduce", "judge_groups", "watch_killed", "watch_rounds", "compare_defaults"),
    *("simulate_queues", "survive", "study_interruption", "cli_errors", "charts_that_fail"),
    *("traffic_of_routings", "adaptive_gains", "lanes_by_port", "load_bounds"),
    *("results_damage", "surveys", "study_programs", "packed_files", "additions"),
    *("core", "inspection", "advice", "watch_lanes", "lanes_needed", "layers"),
)
#: The core, with all that it needs and what pip compiles of it.
MOST_MEGABYTES_OF_THE_CORE = 60

pytestmark = pytest.mark.timeout(1500)


def run(*command: object, folder: Path = ROOT, expected: int = 0) -> str:
    """Run a program that finds nothing of this environment; return what it writes."""
    keep = {
        name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))
    }
    ended = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**keep, "PYTHONPATH": "", "VIRTUAL_ENV": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert ended.returncode == expected, ended.stdout[-6000:]
    return ended.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel as `make wheel` does, of what the tests have compiled as far as it goes."""
    folder = tmp_path_factory.mktemp("dist")
    run("make", "wheel", "PROFILE=dev", f"DIST={folder}")
    (found,) = folder.glob("*.whl")
    return found


def environment(folder: Path, *installed: object) -> Path:
    """Make a virtual environment with some requirements and return its folder of programs."""
    run(sys.executable, "-m", "venv", folder)
    pip = (folder / "bin/python", "-m", "pip", "--quiet", "--disable-pip-version-check")
    run(*pip, "install", *installed)
    return folder / "bin"


def linked_crates() -> set[tuple[str, str]]:
    """Return name and version of each crate that the extension is linked of."""
    tree = ("cargo", "tree", "--locked", "--edges", "normal", "--prefix", "none")
    told = run(*tree, "--package", "weft-python")
    return {(name, version) for name, version in re.findall(r"^(\S+) v(\S+)", told, re.MULTILINE)}


def pinned(lock: str, *names: str) -> list[str]:
    """Return the lines of a lock file that are of some packages."""
    lines = (LOCKS / f"{lock}.lock").read_text().splitlines()
    return [line for line in lines if line.partition("==")[0].lower() in names]


def test_old_systems_take_it_and_it_holds_what_it_should(wheel: Path) -> None:
    found = re.search(r"manylinux_(\d+)_(\d+)_x86_64\.whl$", wheel.name)
    assert found is not None, wheel.name
    assert (int(found[1]), int(found[2])) <= (2, 28)
    names = zipfile.ZipFile(wheel).namelist()
    bills = [name for name in names if name.endswith(".cyclonedx.json")]
    assert sorted(Path(name).name for name in bills) == [
        "python.cyclonedx.json",
        "weft-python.cyclonedx.json",
    ]
    held = {Path(name).name: json.loads(zipfile.ZipFile(wheel).read(name)) for name in bills}
    crates = {
        (one["name"], one["version"]) for one in held["weft-python.cyclonedx.json"]["components"]
    }
    assert {crate for crate in linked_crates() if not crate[0].startswith("weft")} <= crates
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    assert crates <= {(one["name"], one["version"]) for one in locked}
    assert held["python.cyclonedx.json"] == json.loads(
        (ROOT / "packaging/python.cyclonedx.json").read_text()
    )
    assert any(name.endswith("man1/weft-fabric-new-torus.1") for name in names)
    assert not any(name.endswith(".gitignore") for name in names)


def test_all_tests_pass_with_the_lowest_versions(wheel: Path, tmp_path: Path) -> None:
    runners = pinned("dev", *RUNNERS)
    assert len(runners) == len(RUNNERS)
    lock = LOCKS / "lowest.lock"
    programs = environment(tmp_path / "lowest", "-r", lock, *runners, wheel)
    run(programs / "python", "-m", "pip", "check")
    # Old releases warn of one another.
    options = ("-o", "filterwarnings=default", "-o", "cache_dir=" + str(tmp_path / "cache"))
    ignored = [f"--ignore=tests/python/test_{name}.py" for name in NOT_OF_THE_WHEEL]
    run(
        *(programs / "python", "-m", "pytest", "tests/python", "-q", "-n", "2"),
        *options,
        *ignored,
    )


def test_the_core_is_small_and_names_what_it_lacks(wheel: Path, tmp_path: Path) -> None:
    programs = environment(tmp_path / "core", "-c", LOCKS / "run.lock", wheel)
    packages = {
        path.name: sum(one.stat().st_size for one in path.rglob("*") if one.is_file()) / 1e6
        for path in next((tmp_path / "core").glob("lib/python*/site-packages")).iterdir()
        if not path.name.startswith(("pip", "setuptools", "_distutils_hack"))
    }
    for brought in ("numpy", "highspy", "matplotlib", "pyarrow", "distributed", "networkx"):
        assert brought not in packages
    assert 10 < sum(packages.values()) < MOST_MEGABYTES_OF_THE_CORE, packages

    work = tmp_path / "work"
    work.mkdir()
    lay_files(work)

    def weft(arguments: str, expected: int = 0) -> str:
        return run(programs / "weft", *arguments.split(), folder=work, expected=expected)

    for command in COMMANDS:
        weft(command)
    for command, library, extra in REFUSED:
        said = weft(command, expected=3)
        assert f"needs {library}, which is not installed" in said
        assert re.search(rf"pip install '{library}[<>=.,\d]+', or with Weft's wheel", said), said
        assert f"weft-….whl[{extra}]" in said

    said = weft("compare cluster.ibnetdiscover --loads 2% --out of-cluster")
    assert "Take " in said
    assert "a chart or a report needs matplotlib, which is not installed" in said
    weft("audit cluster.ibnetdiscover --report audit.html")


def test_every_command_has_a_page_of_the_manual(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as content:
        pages = [name for name in content.namelist() if "/man1/" in name]
        content.extractall(tmp_path, pages)
    paths = [tmp_path / name for name in pages]
    assert len(paths) > 40
    run("mandoc", "-T", "lint", "-W", "error", *paths)
    page = next(path for path in paths if path.name == "weft-route.1")
    shown = re.sub(".\b", "", run("mandoc", "-T", "utf8", page))
    assert "weft route [OPTIONS] FABRIC SPEC" in shown
    assert "  weft route net.json updown --rounds bisections --hottest 5" in shown


def test_citation_and_recipes_name_what_there_is() -> None:
    version = re.search(r'^version = "(.+)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    assert version is not None
    assert f"\nversion: {version[1]}\n" in (ROOT / "CITATION.cff").read_text()
    for recipe in ("weft.def", "Containerfile"):
        text = (ROOT / "packaging" / recipe).read_text()
        assert "dist/weft-*.whl" in text
        assert "[all]" in text
