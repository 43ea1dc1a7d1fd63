"""Linear programs by HiGHS, and the routings that need them."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command import weft_process

import weft
from weft._linear import solve

if TYPE_CHECKING:
    from pathlib import Path


def bounds(*pairs: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    least, most = zip(*pairs, strict=True)
    return np.array(least, dtype=np.float64), np.array(most, dtype=np.float64)


def test_a_program_worked_by_hand_has_its_optimum() -> None:
    # The least 3x + 2y with x + y = 4 and x - y of at least -2: the corner x = 1, y = 3.
    solution = solve(
        np.array([3.0, 2.0]),
        bounds((0, np.inf), (0, np.inf)),
        bounds((4, 4), (-2, np.inf)),
        (
            np.array([0, 2, 4], dtype=np.uint32),
            np.array([0, 1, 0, 1], dtype=np.uint32),
            np.array([1.0, 1.0, 1.0, -1.0]),
        ),
    )
    assert solution == pytest.approx([1.0, 3.0])


def test_a_program_that_nothing_satisfies_is_an_error() -> None:
    columns = (np.array([0, 1], dtype=np.uint32), np.array([0], dtype=np.uint32), np.array([1.0]))
    with pytest.raises(RuntimeError, match="Infeasible"):
        solve(np.array([1.0]), bounds((0, 1)), bounds((2, 3)), columns)


def largest_switch_load(fabric: weft.Fabric, routing: weft.Routing) -> int:
    routes = weft.load_figures(fabric, routing).routes_per_channel
    return int(routes[fabric.is_switch_channel].max())


@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_the_published_comparison_holds(seed: int) -> None:
    fabric = weft.irregular(32, seed=seed)
    names = ["balanced", "smart", "dfs:selection=least_loaded", "updown:selection=least_loaded"]
    routings = [weft.route(fabric, name) for name in names]
    balanced, smart, depth_first, up_down = (
        largest_switch_load(fabric, routing) for routing in routings
    )
    assert balanced <= smart < depth_first < up_down
    assert weft.prove(fabric, routings[1]).verdict == "deadlock-free"
    assert weft.prove(fabric, routings[0]).verdict == "deadlock"
    cut = weft.route(fabric, "balanced_itb")
    assert weft.prove(fabric, cut).verdict == "deadlock-free"
    assert largest_switch_load(fabric, cut) == balanced
    bound = weft.throughput_bound(fabric)
    for routing in routings:
        assert weft.load_figures(fabric, routing).saturation_bound <= bound + 1e-9


def test_the_same_seed_gives_the_same_routes() -> None:
    fabric = weft.irregular(16, seed=3)
    one, other = (
        weft.load_figures(fabric, weft.route(fabric, "smart")).routes_per_channel for _ in range(2)
    )
    assert np.array_equal(one, other)


def test_the_bound_of_a_torus_is_that_of_its_middle() -> None:
    # 16,384 routes of 8·8 host pairs on 256 channels: 4,096 each, and a host sends 511.
    fabric = weft.torus(8, 8, hosts_per_switch=8)
    assert weft.throughput_bound(fabric) == pytest.approx(511 / 4096, abs=1e-6)


def test_what_highs_says_of_a_failure_reaches_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("Iteration limit reached")

    monkeypatch.setattr("weft._linear.solve", fail)
    with pytest.raises(weft.RoutingError, match=r"without a solution.*Iteration limit reached"):
        weft.route(weft.torus(4, 4), "balanced")


#: The solver that never comes to an end, and says when it begins.
ENDLESS = """
import sys, time
import weft._linear

def solve(*_):
    print("solving", file=sys.stderr, flush=True)
    time.sleep(3600)

weft._linear.solve = solve
"""


def test_ctrl_c_ends_a_routing_amid_a_program(tmp_path: Path) -> None:
    weft.write_fabric(weft.torus(4, 4), tmp_path / "net.json")
    process = weft_process("route", "net.json", "smart", folder=tmp_path, prelude=ENDLESS)
    assert process.stderr is not None
    assert process.stderr.readline() == "solving\n"
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    assert time.monotonic() - begun < 60
    assert process.returncode == 130
