"""Writes the lock files: what ``pyproject.toml`` asks for, resolved to exact versions.

Used by ``make lock``; its one argument is the interpreter of an empty virtual environment.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
HEADER = "# Exact versions for {purpose}; written by `make lock`.\n"


def pip(python: str, *arguments: str) -> str:
    """Run pip in the environment and return what it prints."""
    command = [python, "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main(python: str) -> None:
    """Install each purpose on top of the one before and freeze it."""
    settings = tomllib.loads((HERE.parent / "pyproject.toml").read_text())
    project = settings["project"]
    extras = project["optional-dependencies"]
    purposes = {
        "run": settings["build-system"]["requires"] + project["dependencies"],
        "dev": extras["dev"],
        "docs": extras["docs"],
    }
    for purpose, requirements in purposes.items():
        pip(python, "install", "--quiet", *requirements)
        (HERE / f"{purpose}.lock").write_text(
            HEADER.format(purpose=purpose) + pip(python, "freeze")
        )


if __name__ == "__main__":
    main(sys.argv[1])
