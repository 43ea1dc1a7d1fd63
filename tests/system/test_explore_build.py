"""The page of ``weft explore`` as it is built: from its lock file, byte by byte, and tested.

Users need no Node: what it builds travels with the package.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "page"
BUILT = ROOT / "python/weft/explore"
PARTS = ("index.html", "page.css", "page.js")
#: Page, core and data of a usual cluster are to be below 5 MB; this is the page's part.
MOST_BYTES = 300_000
REGISTRY = "https://registry.npmjs.org/"
#: What is written by a tool or brings names onto the page as anything but text.
NEVER = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function")

pytestmark = pytest.mark.timeout(900)


def run(*command: str, folder: Path) -> str:
    """Run a program; return what it writes."""
    ended = subprocess.run(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-6000:]
    return ended.stdout


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the sources and bring what the lock file names, none of whose scripts is run."""
    folder = tmp_path_factory.mktemp("page") / "page"
    shutil.copytree(PAGE, folder, ignore=shutil.ignore_patterns("node_modules", "build"))
    options = ("--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
    run("npm", "ci", *options, folder=folder)
    return folder


def test_what_travels_with_the_package_is_what_the_sources_build(sources: Path) -> None:
    run("node", "build.mjs", "out", folder=sources)
    for part in PARTS:
        built = (sources / "out" / part).read_bytes()
        message = f"{part} is not what page/ builds; build it: cd page && npm ci && npm run build"
        assert built == (BUILT / part).read_bytes(), message


def test_types_hold_in_the_strict_form(sources: Path) -> None:
    settings = json.loads((sources / "tsconfig.json").read_text())["compilerOptions"]
    assert settings["strict"] is True
    run("node_modules/.bin/tsc", "--noEmit", folder=sources)


def test_the_pure_parts_do_what_they_say(sources: Path) -> None:
    told = run("npm", "test", folder=sources)
    assert "# fail 0" in told
    assert int(told.split("# pass ")[1].split()[0]) >= 40


def test_the_page_is_small_and_writes_names_as_text_alone() -> None:
    assert sum((BUILT / part).stat().st_size for part in PARTS) < MOST_BYTES
    for path in (PAGE / "src").rglob("*.ts*"):
        found = [word for word in NEVER if word in path.read_text()]
        assert found == [], path
    script = (BUILT / "page.js").read_text()
    assert [word for word in ("eval(", "new Function", "document.write") if word in script] == []
    for name in ("Preact", "twgl.js"):
        assert f"{name}:\n" in script, "licences of what it is built of stand in it"


def test_every_part_that_is_brought_is_pinned_by_its_content() -> None:
    locked = json.loads((PAGE / "package-lock.json").read_text())["packages"]
    own = locked.pop("")
    wanted = {**own["dependencies"], **own["devDependencies"]}
    assert all(version[0].isdecimal() for version in wanted.values()), wanted
    for name, package in locked.items():
        assert package.get("resolved", REGISTRY).startswith(REGISTRY), name
        assert package["integrity"].startswith("sha512-"), name
