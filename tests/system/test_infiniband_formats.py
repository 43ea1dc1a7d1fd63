"""What Weft writes is taken by ibsim, and what the real tools print of it is read by Weft."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import make_cluster
import pytest

import weft

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

#: Every command whose output is read, with the format it is in.
COMMANDS = {
    ("ibnetdiscover",): "ibnetdiscover",
    ("ibnetdiscover", "-p"): "ibnetdiscover-p",
    ("iblinkinfo", "-l"): "iblinkinfo",
    ("iblinkinfo",): "iblinkinfo",
}


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
