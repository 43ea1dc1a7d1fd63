"""Writes the bill of materials of the Python packages: the wheel carries it beside the crates'.

Used by ``make lock``, in an environment that holds what ``dev.lock`` says. It lists what
``pyproject.toml`` asks for and what that asks for in turn, in CycloneDX, each at the version that
the tests run with: ``required`` what the core needs, ``optional`` what extras bring.
"""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import metadata, requires
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
BILL = ROOT / "packaging/python.cyclonedx.json"
#: Licences as old packages name them, and their SPDX names.
SPDX = {"MIT License": "MIT", "Apache 2.0": "Apache-2.0"}


def plain(name: str) -> str:
    """Return a package's name as indices compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def locked() -> dict[str, str]:
    """Return the version of each package in the environment of the tests."""
    lines = (ROOT / "requirements/dev.lock").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if "==" in line)
    return {plain(name): version for name, version in pairs}


def needed(requirements: list[str]) -> dict[str, set[str]]:
    """Return what is needed, in turn: by package the packages that it asks for itself."""
    found: dict[str, set[str]] = {}
    todo = [Requirement(text) for text in requirements]
    while todo:
        asked = todo.pop()
        name = plain(asked.name)
        extras = asked.extras or {""}
        theirs = [Requirement(text) for text in requires(name) or ()]
        theirs = [
            entry
            for entry in theirs
            if entry.marker is None or any(entry.marker.evaluate({"extra": of}) for of in extras)
        ]
        new = {plain(entry.name) for entry in theirs} - found.get(name, set())
        if name not in found or new:
            found.setdefault(name, set()).update(new)
            todo += theirs
    return found


def licence(name: str) -> str:
    """Return the licence that a package names, in one line."""
    told = metadata(name)
    named = told.get("License-Expression") or (told.get("License") or "").strip()
    classified = [entry for entry in told.get_all("Classifier") or () if "License ::" in entry]
    if named and "\n" not in named and len(named) < 60:
        return SPDX.get(named, named)
    last = classified[0].rpartition(" :: ")[2] if classified else "not named"
    return SPDX.get(last, last)


def bill() -> dict[str, Any]:
    """Return the bill of materials."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    release = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    extras = project["optional-dependencies"]
    brought = [text for texts in extras.values() for text in texts if not text.startswith("weft[")]
    core = needed(project["dependencies"])
    graph = needed(project["dependencies"] + brought)
    versions = locked()
    reference = {name: f"pkg:pypi/{name}@{versions[name]}" for name in graph}
    own = f"pkg:pypi/weft@{release['workspace']['package']['version']}"
    direct = {plain(Requirement(text).name) for text in project["dependencies"] + brought}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": "weft",
                "version": release["workspace"]["package"]["version"],
                "licenses": [{"expression": project["license"]}],
                "purl": own,
            }
        },
        "components": [
            {
                "type": "library",
                "bom-ref": reference[name],
                "name": name,
                "version": versions[name],
                "scope": "required" if name in core else "optional",
                "licenses": [{"license": {"name": licence(name)}}],
                "purl": reference[name],
            }
            for name in sorted(graph)
        ],
        "dependencies": [
            {"ref": own, "dependsOn": sorted(reference[name] for name in direct)},
            *(
                {"ref": reference[name], "dependsOn": sorted(reference[to] for to in graph[name])}
                for name in sorted(graph)
            ),
        ],
    }


def text() -> str:
    """Return the bill of materials as it is written."""
    return json.dumps(bill(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    BILL.write_text(text(), encoding="utf-8")
