"""Topologies by name: what the registry says, what it makes, what it refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command import done, refused
from command import weft as command

import weft

if TYPE_CHECKING:
    from pathlib import Path

TOPOLOGIES = weft.topologies()


@pytest.mark.parametrize("topology", TOPOLOGIES, ids=lambda topology: topology.name)
def test_every_topology_makes_its_example_in_python_and_on_the_command_line(
    topology: weft.Topology, tmp_path: Path
) -> None:
    given = {p.name: p.example for p in topology.parameters if p.default is None}
    fabric = weft.generate(topology.name, **given)
    if topology.name in {"mesh", "torus", "express_torus"}:
        assert fabric.layout_extents == [4, 4, 2]
    options = [part for name, value in given.items() for part in (option(name), value)]
    path = tmp_path / "made.json"
    ended = command("fabric", "new", topology.name.replace("_", "-"), *options, "-o", path)
    assert (ended.code, ended.stderr) == (0, "")
    assert weft.read_fabric(path).fabric == fabric


def option(name: str) -> str:
    return "--" + name.replace("_", "-")


def test_parameters_are_numbers_texts_or_lists() -> None:
    assert weft.generate("k_ary_n_tree", k=4, n=3) == weft.generate("k_ary_n_tree", k="4", n="3")
    assert weft.generate("ring", switches=np.int64(5)) == weft.generate("ring", switches=5)
    tree = weft.generate("xgft", m=[18, 14], w=(1, 6))
    assert tree == weft.generate("xgft", m="18x14", w="1,6")
    assert (tree.switch_count, tree.host_count) == (20, 252)


def test_the_named_functions_and_the_registry_make_the_same() -> None:
    for name in ("mesh", "torus", "express_torus"):
        function = getattr(weft, name)
        assert function(5, 3, 2) == weft.generate(name, extents=[5, 3], hosts_per_switch=2)
    for links in ("every_port", "random_count"):
        by_name = weft.generate("irregular", switches=16, links=links, seed=3)
        assert weft.irregular(16, links=links, seed=3) == by_name


@pytest.mark.parametrize(
    ("name", "parameters", "text"),
    [
        ("k_ary_tree", {}, "did you mean “k_ary_n_tree”?"),
        ("ring", {"switch": 8}, "did you mean “switches”?"),
        ("ring", {}, "topology ring needs a value for parameter switches; expected a whole number"),
        ("ring", {"switches": 2}, "switches of topology ring, expected a whole number, 3 or more"),
        ("ring", {"switches": -1}, "found “-1” for parameter switches of topology ring"),
        ("ring", {"switches": 2**32}, "expected a whole number, 3 or more, 4294967295 at most"),
        ("ring", {"switches": True}, "switches is True; expected a text, a whole number or a list"),
        ("ring", {"switches": 8.0}, "switches is 8.0; expected a text, a whole number or a list"),
        ("hyperx", {"extents": [4, 4.5]}, "extents is 4.5; expected"),
        ("xgft", {"m": [4, 4], "w": [2, 2]}, "w is 2x2; expected 1 as the first number"),
        ("slim_fly", {"q": 6}, "q is 6; expected the power of an odd prime"),
    ],
)
def test_what_cannot_be_made_is_refused(name: str, parameters: dict[str, int], text: str) -> None:
    with pytest.raises(weft.FabricError) as caught:
        weft.generate(name, **parameters)
    assert text in str(caught.value)


def test_the_command_line_refuses_as_python_does() -> None:
    refused("q is 6; expected the power of an odd prime", "fabric", "new", "slim-fly", "--q", "6")
    refused("Missing option '--a'", "fabric", "new", "dragonfly", "--p", "2")


def test_grids_of_any_dimension_are_made_from_their_extents(tmp_path: Path) -> None:
    path = tmp_path / "cube.json"
    ended = done("fabric", "new", "torus", "--extents", "3x3x3", "-o", path, "--json")
    document = json.loads(ended.stdout)
    assert (document["name"], document["figures"]["switch_links"]) == ("torus-3x3x3", 81)
    assert "Missing option '--extents'" in command("fabric", "new", "torus").stderr


def test_help_tells_summary_source_and_default() -> None:
    text = " ".join(command("fabric", "new", "jellyfish", "--help").stdout.split())
    assert "A random regular network" in text
    assert "Source: Singla" in text
    assert "--seed VALUE" in text
    assert "[default: 1]" in text
