"""What the comparison with OpenSM makes of the figures it is told, without OpenSM."""

from __future__ import annotations

from dataclasses import replace

import pytest
from benches.opensm import theirs
from benches.opensm.engines import ENGINES
from benches.opensm.fabrics import Named
from benches.opensm.ours import routed
from benches.opensm.table import Compared, Row, largest_loads, on_one_lane, ratios

import weft


def row(routing: str, cpu_s: float, mb: float, load: int, verdict: str = "proved") -> Row:
    return Row(routing, cpu_s, mb, 2 * mb, 1.5, 3, load / 2, load, 1, verdict)


#: OpenSM's least load can deadlock, so its best is the second.
COMPARED = Compared(
    "random regular 256",
    256,
    [
        (row("OpenSM sssp", 0.5, 60.0, 100, "can deadlock"), row("Weft sssp", 0.1, 5.0, 90)),
        (row("OpenSM lash", 9.0, 30.0, 400), row("Weft lash:lanes=8", 1.0, 10.0, 400)),
        (Row("OpenSM dfsssp", 20.0, 80.0, 99.0), Row("Weft dfsssp:lanes=8", 0.5, 8.0, 9.0)),
    ],
    [row(f"Weft best:lanes={lanes}", 1.0, 1.0, 200 - lanes) for lanes in (1, 2, 4, 8)],
)


def test_costs_are_told_in_seconds_and_millions_of_bytes() -> None:
    assert theirs.costs("0.250000 1000 5000\n") == {
        "cpu_s": 0.25,
        "more_mb": pytest.approx(1.024),
        "most_mb": pytest.approx(5.12),
    }


def test_lanes_are_those_of_levels_that_some_pair_has() -> None:
    whole = " ".join(str(level) for level in range(16))
    text = f'Switch 0x2, base LID 2, "sw0"\n0   1   : {whole} \n1   1   : {"2 3 " * 8}\n'
    assert theirs.lanes("0\n1\n", text) == 4
    assert theirs.lanes("5\n", text) == 6
    assert theirs.lanes("0\n", text.replace("2 3", "0 1")) == 1


def test_a_row_leaves_out_what_was_not_measured() -> None:
    assert str(COMPARED.pairs[0][0]) == (
        "| OpenSM sssp | 0.5000 | 60.0 | 120 | 1.50 / 3 | 100 / 50 | 1 | can deadlock |"
    )
    assert str(COMPARED.pairs[2][0]) == "| OpenSM dfsssp | 20.0000 | 80.0 | 99 |  |  |  | refused |"


def test_only_proved_engines_are_compared_with_best() -> None:
    best = COMPARED.best_of_opensm()
    assert best is not None
    assert best.routing == "OpenSM lash"
    *_, last = largest_loads([COMPARED])
    assert last == "| random regular 256 | lash | 400 | 192 | 196 | 198 | 199 |"
    # On one lane an engine on two is none to compare with.
    nue = replace(COMPARED.pairs[1][0], routing="OpenSM nue, lanes 2", lanes=2, most_load=300)
    more = replace(COMPARED, pairs=[*COMPARED.pairs, (nue, COMPARED.pairs[1][1])])
    *_, last = largest_loads([more])
    assert last == "| random regular 256 | nue, lanes 2 | 300 | 192 | 196 | 198 | 199 |"
    *_, last = on_one_lane([more])
    assert last == "| random regular 256 | lash | 400 | 199 |"


def test_ratios_are_told_of_large_fabrics_alone() -> None:
    assert list(ratios([COMPARED], 256))[2:] == [
        "| random regular 256 | sssp | 5.0 | 12.0 | 12.0 |",
        "| random regular 256 | lash | 9.0 | 3.0 | 3.0 |",
    ]
    assert len(list(ratios([COMPARED], 257))) == 2


def test_roots_are_the_tops_of_a_tree_and_else_the_most_central_switch() -> None:
    tree = Named("tree", weft.generate("k_ary_n_tree", k=2, n=3))
    assert tree.roots() == [8, 9, 10, 11]
    # The middle of a line of five.
    line = Named("line", weft.generate("mesh", extents="5x1", hosts_per_switch=1))
    assert line.roots() == [2]
    updn = next(engine for engine in ENGINES if engine.name == "updn")
    assert updn.ours_for(tree) == "down_preferred:per=host,root=tops"
    assert updn.ours_for(line) == "down_preferred:per=host"


def test_a_torus_is_told_by_its_extents_and_both_ways_along_each_axis() -> None:
    torus = Named("torus", weft.torus(3, 4, hosts_per_switch=1))
    extents = torus.fabric.layout_extents
    assert extents is not None
    assert torus.torus_file(list(range(16, 28))).splitlines() == [
        f"torus {extents[0]} {extents[1]} 1",
        "portgroup_max_ports 64",
        "xp_link 0x10 0x11",
        f"xm_link 0x10 0x{16 + extents[0] - 1:x}",
        f"yp_link 0x10 0x{16 + extents[0]:x}",
        f"ym_link 0x10 0x{16 + extents[0] * (extents[1] - 1):x}",
    ]
    ends = {tuple(sorted(pair)) for pair in torus.fabric.links()[:, [0, 2]].tolist()}
    assert {(0, 1), (0, extents[0])} <= ends


def test_a_routing_of_ours_is_measured_and_proved() -> None:
    found = routed(weft.irregular(16, seed=1, hosts_per_switch=4), "min_hop")
    assert found["verdict"] == "can deadlock"
    assert float(found["cpu_s"]) > 0
    refused = routed(weft.irregular(16, seed=1, hosts_per_switch=4), "ftree")
    assert "verdict" not in refused
