"""What Weft writes is taken by ibsim, and what the real tools print of it is read by Weft."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import weft

if TYPE_CHECKING:
    from types import ModuleType

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

#: Every command whose output is read, with the format it is in.
COMMANDS = {
    ("ibnetdiscover",): "ibnetdiscover",
    ("ibnetdiscover", "-p"): "ibnetdiscover-p",
    ("iblinkinfo", "-l"): "iblinkinfo",
    ("iblinkinfo",): "iblinkinfo",
}


def load_make_cluster() -> ModuleType:
    """Import the script of the examples, which knows how to run ibsim."""
    spec = importlib.util.spec_from_file_location("make_cluster", EXAMPLES / "make_cluster.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


make_cluster = load_make_cluster()


def cables(fabric: weft.Fabric) -> set[frozenset[tuple[str, int]]]:
    """Return every cable as its two ends, each a node's name and a port."""
    names = fabric.switch_names + fabric.host_names
    rows = fabric.links().tolist()
    return {frozenset({(names[a], port), (names[b], other)}) for a, port, b, other in rows}


FABRICS = {
    "torus": lambda: weft.torus(3, 3, hosts_per_switch=2),
    "tree": lambda: weft.generate("k_ary_n_tree", k=3, n=3),
    "cluster": lambda: weft.read_fabric(EXAMPLES / "cluster.ibnetdiscover").fabric,
}


@pytest.mark.parametrize("name", FABRICS)
def test_the_real_tools_find_the_fabric_that_was_written(name: str, tmp_path: Path) -> None:
    fabric = FABRICS[name]()
    path = tmp_path / "fabric.net"
    assert weft.write_fabric(fabric, path) == "ibnetdiscover"
    text = path.read_text(encoding="utf-8")
    start = re.search(r'"(H-[0-9a-f]{16})"', text)
    assert start is not None
    with make_cluster.simulator(text, tmp_path) as environment:
        for command, format_name in COMMANDS.items():
            program = make_cluster.program(command[0])
            printed = tmp_path / "-".join(command)
            with printed.open("w", encoding="utf-8") as output:
                subprocess.run(
                    [program, *command[1:]],
                    cwd=tmp_path,
                    env=environment | {"SIM_HOST": start[1]},
                    stdout=output,
                    check=True,
                )
            read = weft.read_fabric(printed)
            assert (read.format, read.notes) == (format_name, []), command
            assert cables(read.fabric) == cables(fabric), command
            if name == "cluster":
                rates = weft.fabric_figures(fabric).rates
                assert weft.fabric_figures(read.fabric).rates == rates, command
