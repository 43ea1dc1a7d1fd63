"""Whether lanes are worth what they ask of applications, as advice has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import pytest

import weft
from weft.advice.comparison import _by_loads, _to_simulate, _with_few_lanes_first

if TYPE_CHECKING:
    from weft.advice.records import Candidate


@dataclass
class _Known:
    """A candidate of which lanes and figures are known."""

    on: int
    known: tuple[float, float]
    held: float = 1.0  #: What a host with a slow link takes of all to all
    carried: float = 0.0

    def lanes(self) -> int:
        return self.on

    def loads(self, _: int) -> list[float]:
        return [*self.known]

    def simulated(self, _: int) -> float:
        return self.carried

    def bisection(self, _: int) -> float:
        return self.known[0]

    def uniform(self, _: int) -> float:
        return min(self.known[1], self.held)

    def without_slow_hosts(self, _: int) -> float:
        return self.known[1]


@pytest.mark.parametrize(
    ("one_lane", "carried", "is_taken"),
    [
        ((0.49, 0.8), 0.0, True),
        ((0.49, 0.7), 0.0, False),
        ((0.48, 0.8), 0.0, False),
        ((0.5 * 0.97, 0.8 * 0.97), 0.0, True),
        ((0.5 * 0.97, 0.8 * 0.9699), 0.0, False),
        # Where lanes are simulated and it is not, or less is carried than by any of several lanes.
        ((0.5, 0.8), None, False),
        ((0.49, 0.8), 0.7 * 0.97, True),
        ((0.49, 0.8), 0.7 * 0.9699, False),
        ((0.49, 0.7), 0.7 * 0.98, False),
        ((0.48, 0.8), 0.7 * 0.98, False),
    ],
)
def test_one_lane_is_taken_where_each_figure_is_within_3_percent(
    one_lane: tuple[float, float], carried: float | None, *, is_taken: bool
) -> None:
    of_lanes = 0.69 if carried != 0.0 else 0.0
    best = _Known(4, (0.5, 0.8), carried=of_lanes)
    other = _Known(2, (0.495, 0.8), carried=0.7 if carried != 0.0 else 0.0)
    one = _Known(1, one_lane, carried=carried or 0.0)
    ranked = cast("list[Candidate]", [best, other, one])
    found = _with_few_lanes_first(ranked, 0)
    assert [candidate.lanes() for candidate in found] == ([1, 4, 2] if is_taken else [4, 2, 1])


@pytest.mark.parametrize(("carried", "is_taken"), [(0.7, True), (0.69, False)])
def test_what_carries_most_is_taken_whatever_its_loads(carried: float, *, is_taken: bool) -> None:
    """By throughput, and among what carries hardly less by loads, one lane can be first."""
    one, on_lanes = _Known(1, (0.4, 0.6), carried=carried), _Known(4, (0.5, 0.8), carried=0.7)
    found = _with_few_lanes_first(cast("list[Candidate]", [one, on_lanes]), 0)
    assert found[0].lanes() == (1 if is_taken else 4)


def test_one_of_one_lane_is_simulated_beside_those_of_several() -> None:
    several = [_Known(lanes, (0.5, 0.8)) for lanes in (8, 4, 2)]
    ones = [_Known(1, (0.5, 0.7)), _Known(1, (0.5, 0.6))]
    ranked = cast("list[Candidate]", [*several, *ones])
    assert _to_simulate(ranked, 2) == [*ranked[:2], ranked[3]]
    assert _to_simulate(ranked, 4) == ranked[:4]
    assert _to_simulate(ranked[:3], 2) == ranked[:2]


def test_what_lanes_ask_is_said_with_the_choice() -> None:
    routings = ["best:lanes=1,starts=1", "best:lanes=4,starts=1"]
    tree = weft.generate("xgft", m=[4, 4], w=[1, 4])
    found = weft.advise(tree, 4, routings=routings, count=10, simulate=0)
    assert found.ranked[0].lanes() == 1, "both load the tree alike"
    halves, uniform = (f"{100 * load:.1f} %" for load in found.ranked[0].loads(0))
    given = f"{uniform} all to all and {halves} in random halves"
    says = f"by the loads of the routes: {routings[1]} gives {given} on 4, this {given}"
    assert any(line.startswith(f"One lane is enough, {says}") for line in found.reasons)
    found = weft.advise(tree, 4, routings=routings, count=10)
    assert found.ranked[0].lanes() == 4, "who waits on one lane keeps others waiting"
    says = f"By the loads of its routes {routings[0]} would be enough, with"
    [line] = [line for line in found.reasons if line.startswith(says)]
    carried = 100 * found.ranked[1].predictions[0].throughput_load
    assert f"simulated it carries {carried:.1f} %, as" in line
    random = weft.generate("irregular", switches=24, hosts_per_switch=4)
    found = weft.advise(random, 4, routings=routings, count=10)
    best = found.ranked[0]
    assert best.lanes() == 4
    says = f"Its {best.lanes()} lanes ask this of applications: every application has to ask the"
    assert any(line.startswith(says) for line in found.reasons)
    assert not any(line.startswith("By the loads") for line in found.reasons)


@pytest.mark.parametrize(
    ("one_lane", "is_taken"),
    # A torus of 6 by 6: random halves get more on one lane, but all to all a fifth less.
    [((0.566, 0.5), False), ((0.566, 0.63), True), ((0.54, 0.7), False)],
)
def test_by_loads_one_lane_gives_hardly_less_all_to_all_either(
    one_lane: tuple[float, float], *, is_taken: bool
) -> None:
    known = [_Known(1, one_lane), _Known(8, (0.562, 0.645))]
    known.sort(key=lambda candidate: candidate.known, reverse=True)
    found = _with_few_lanes_first(_by_loads(cast("list[Candidate]", known), 0), 0)
    assert found[0].lanes() == (1 if is_taken else 8)


def test_by_loads_all_to_all_comes_first_and_lanes_count() -> None:
    """A tree that lost cables: what all can send to all, and random halves where that is alike."""
    of_tree = [(0.601, 0.42), (0.6, 0.392), (0.617, 0.367), (0.609, 0.326)]
    on_one = [_Known(1, known) for known in of_tree]
    on_four = _Known(4, (0.601, 0.42))
    found = _by_loads(cast("list[Candidate]", [*reversed(on_one), on_four]), 0)
    assert found == [on_four, *on_one]
    # What all can send to all is alike, as a cut holds it: random halves tell.
    cut = [_Known(1, (0.597, 0.187)), _Known(1, (0.567, 0.187)), _Known(1, (0.393, 0.187))]
    assert _by_loads(cast("list[Candidate]", cut[::-1]), 0) == cut
    # Lanes do not make up for half of the load.
    poor = _Known(4, (0.3, 0.2))
    assert _by_loads(cast("list[Candidate]", [poor, on_one[0]]), 0) == [on_one[0], poor]


def test_by_loads_a_slow_host_makes_no_routing_as_good_as_another() -> None:
    """One host takes half; routes of the one leave half, of the other all, as on 160 switches."""
    known = [_Known(1, (0.762, 0.506), held=0.5), _Known(8, (0.746, 1.0), held=0.5)]
    found = _by_loads(cast("list[Candidate]", known), 0)
    assert [candidate.lanes() for candidate in found] == [8, 1]
