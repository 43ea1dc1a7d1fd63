"""The bill of materials of the Python packages says what the project asks for."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "requirements"))
import sbom  # noqa: E402 - it stands beside the locks that it is made of

BILL = json.loads(sbom.BILL.read_text(encoding="utf-8"))
COMPONENTS = {one["name"]: one for one in BILL["components"]}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_it_is_up_to_date() -> None:
    assert sbom.BILL.read_text(encoding="utf-8") == sbom.text(), "run requirements/sbom.py"


def test_all_that_is_asked_for_is_in_it_at_the_versions_of_the_tests() -> None:
    extras = PROJECT["optional-dependencies"]
    texts = [text for of_extra in extras.values() for text in of_extra]
    brought = [text for text in texts if not text.startswith("weft[")]
    scopes = [(text, "required") for text in PROJECT["dependencies"]]
    scopes += [(text, "optional") for text in brought]
    for text, scope in scopes:
        asked = Requirement(text)
        found = COMPONENTS[sbom.plain(asked.name)]
        assert found["scope"] == scope
        assert asked.specifier.contains(found["version"]), text
    assert {one["name"]: one["version"] for one in BILL["components"]}.items() <= (
        sbom.locked().items()
    )
    # What these bring along, and nothing that only tests, builds or documentation need.
    assert {"markupsafe", "mdurl", "kiwisolver", "dask", "tornado"} <= set(COMPONENTS)
    assert not {"pytest", "maturin", "sphinx", "ruff"} & set(COMPONENTS)


def test_all_that_is_needed_is_told_and_there() -> None:
    references = {one["bom-ref"] for one in BILL["components"]}
    assert len(references) == len(BILL["components"])
    own = BILL["metadata"]["component"]["bom-ref"]
    needed = {entry["ref"]: set(entry["dependsOn"]) for entry in BILL["dependencies"]}
    assert set(needed) == references | {own}
    reached, todo = set(), [own]
    while todo:
        reference = todo.pop()
        if reference not in reached:
            reached.add(reference)
            todo += needed[reference]
    assert reached == references | {own}
    # What the core needs asks for nothing that is optional.
    core = {one["bom-ref"] for one in BILL["components"] if one["scope"] == "required"}
    assert all(needed[reference] <= core for reference in core)


@pytest.mark.parametrize("name", sorted(COMPONENTS))
def test_every_package_names_its_licence(name: str) -> None:
    [entry] = COMPONENTS[name]["licenses"]
    assert entry["license"]["name"] not in {"", "not named", "UNKNOWN"}
