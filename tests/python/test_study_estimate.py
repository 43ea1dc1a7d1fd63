"""What a study is expected to cost: of the size of what runs take, and more where there is more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import weft
from weft.spec.programs import program_of
from weft.study import ProgramSpec, StudySpec
from weft.study.estimate import (
    expected_loads,
    expected_packets,
    plain_bound,
    point_cost_s,
    program_cost_s,
)

if TYPE_CHECKING:
    from pathlib import Path


def spec(hardware: str = "myrinet", **changes: object) -> StudySpec:
    values: dict[str, object] = {"precision": 0.05, **changes}
    return StudySpec(("updown",), weft.hardware(hardware), weft.Traffic(), **values)


def measured_packets(fabric: weft.Fabric, study: StudySpec, part: float) -> tuple[float, float]:
    """Return the packets expected and measured at a part of the load of the busiest channel."""
    routing = weft.route(fabric, "updown")
    bound = weft.load_figures(fabric, routing).saturation_bound
    load = part * bound
    found = weft.simulate(
        fabric,
        routing,
        study.hardware,
        study.traffic_at(load, 1),
        precision=study.precision,
        max_packets=study.max_packets,
    )
    return expected_packets(fabric, study, load, bound), found.delivered_packets


@pytest.mark.parametrize("hardware", ["myrinet", "infiniband_1x"])
@pytest.mark.parametrize("part", [0.1, 0.3, 0.57, 0.95])
def test_packets_are_about_what_a_run_takes(hardware: str, part: float) -> None:
    fabric = weft.irregular(16, seed=1)
    expected, taken = measured_packets(fabric, spec(hardware), part)
    # Saturation is where small causes have the largest effects.
    most = 3 if part > 0.5 else 2
    assert 1 / most < expected / taken < most


def test_a_finer_mean_needs_the_square_of_the_packets() -> None:
    fabric = weft.irregular(16, seed=1)
    packets = [
        expected_packets(fabric, spec(precision=precision), 0.05, 0.2)
        for precision in (0.004, 0.002)
    ]
    assert packets[0] > 50_000
    assert packets[1] == pytest.approx(4 * packets[0])
    assert (
        expected_packets(fabric, spec(precision=1e-4), 0.05, 0.2) == spec().on(fabric).max_packets
    )
    assert expected_packets(fabric, spec(max_packets=500), 0.05, 0.2) == 500


def test_a_point_costs_most_about_saturation_and_more_in_a_larger_network() -> None:
    small, large = weft.irregular(16, seed=1), weft.irregular(64, seed=1)
    costs = [point_cost_s(small, spec(), load, 0.2) for load in (0.01, 0.06, 0.09, 0.12, 0.18)]
    assert costs[0] <= costs[1] < costs[3] > costs[4] > costs[1]
    assert costs[3] == max(costs)
    assert all(
        point_cost_s(large, spec(), load, 0.2) > point_cost_s(small, spec(), load, 0.2)
        for load in (0.01, 0.12, 0.18)
    )
    assert 0 < plain_bound(large) < plain_bound(small) <= 1


def test_a_ladder_has_the_loads_about_saturation_and_a_list_its_own() -> None:
    loads = expected_loads(spec(), 0.2)
    assert 10 <= len(set(loads)) <= 16
    assert max(loads) > 0.6 * 0.2 > min(loads)
    assert expected_loads(spec(loads=(0.1, 0.3)), 0.2) == [0.1, 0.3]
    assert max(expected_loads(spec(), 1.0)) <= 1


def test_a_program_costs_what_its_packets_do(tmp_path: Path) -> None:
    fabric = weft.torus(4, 4, hosts_per_switch=1)

    def cost(**keys: object) -> float:
        program = program_of({"operation": "alltoall", **keys}, tmp_path)
        study = ProgramSpec(("updown",), weft.hardware(), program)
        return program_cost_s(fabric, study, program.read(fabric))

    nothing = cost(ranks=1)
    once = cost(bytes=1000) - nothing
    # Messages of 1,000 bytes are a packet, of 10,240 ten; an acknowledgement is another one.
    assert cost(bytes=10_240, packet_bytes=1024, algorithms="alltoall=pairwise") - nothing == (
        pytest.approx(10 * (cost(bytes=1000, algorithms="alltoall=pairwise") - nothing))
    )
    assert cost(bytes=1000, acknowledged=1) - nothing == pytest.approx(2 * once)
