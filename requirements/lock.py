"""Writes the lock files: what ``pyproject.toml`` asks for, resolved to exact versions.

Used by ``make lock``; its one argument is a folder for virtual environments.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
HEADER = "# Exact versions for {purpose}; written by `make lock`.\n"
#: What the lowest versions need besides: the oldest of these that still fit warn at every import.
LOWEST_FURTHER = ["pyparsing<3.3"]


def environment(path: Path) -> str:
    """Make an empty virtual environment and return its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(path)], check=True)
    return str(path / "bin/python")


def pip(python: str, *arguments: str) -> str:
    """Run pip in the environment and return what it prints."""
    command = [python, "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def lowest(requirement: str) -> str:
    """Return the lowest version of a range that names one: ``a>=1.2,<3`` gives ``a==1.2``."""
    found = re.fullmatch(r"([\w.-]+)>=([\d.]+)(,<[\d.]+)?", requirement)
    if found is None:
        message = (
            f"pyproject.toml: found {requirement}, expected NAME>=VERSION or NAME>=VERSION,<VERSION"
        )
        raise SystemExit(message)
    return f"{found[1]}=={found[2]}"


def without_own(requirements: list[str]) -> list[str]:
    """Leave out extras that bring one another."""
    return [text for text in requirements if not text.startswith("weft[")]


def main(folder: Path) -> None:
    """Install each purpose on top of the one before and freeze it, and two alone."""
    settings = tomllib.loads((HERE.parent / "pyproject.toml").read_text())
    project, groups = settings["project"], settings["dependency-groups"]
    extras = project["optional-dependencies"]
    of_extras = {extra: without_own(requirements) for extra, requirements in extras.items()}
    drawn = list(project["dependencies"])
    for extra in ("arrays", "bounds", "plots", "tables"):
        drawn += of_extras[extra]
    purposes = {
        "run": settings["build-system"]["requires"] + drawn,
        "dev": groups["test"],
        "docs": groups["docs"],
    }
    python = environment(folder / "newest")
    for purpose, requirements in purposes.items():
        pip(python, "install", "--quiet", *requirements)
        write(purpose, python)
    subprocess.run([python, str(HERE / "sbom.py")], check=True)
    taken = drawn + of_extras["dask"] + of_extras["networkx"]
    alone = {
        "wheels": settings["build-system"]["requires"] + groups["wheels"],
        "lowest": [*map(lowest, taken), *LOWEST_FURTHER],
    }
    for purpose, requirements in alone.items():
        python = environment(folder / purpose)
        pip(python, "install", "--quiet", *requirements)
        write(purpose, python)


def write(purpose: str, python: str) -> None:
    """Write what an environment holds as the lock of a purpose."""
    (HERE / f"{purpose}.lock").write_text(HEADER.format(purpose=purpose) + pip(python, "freeze"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
