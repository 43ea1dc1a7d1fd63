"""The ladder of loads on curves known in advance."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic import falling, flat

from weft.study.ladder import Ladder, Rung, round_step

if TYPE_CHECKING:
    from collections.abc import Callable


def climb(
    curve: Callable[[float], float], bound: float, **settings: float
) -> tuple[list[Rung], int]:
    """Run a ladder over a curve; return its rungs and the number of rounds."""
    ladder = Ladder(bound, **settings)
    rounds = 0
    while loads := ladder.next_round():
        rounds += 1
        assert rounds < 100
        assert loads == sorted(set(loads))
        ladder.add([measured(curve, load) for load in reversed(loads)])
    return ladder.rungs, rounds


def measured(curve: Callable[[float], float], load: float) -> Rung:
    accepted = curve(load)
    return Rung(load, accepted, accepted < 0.95 * load)


def best_of(rungs: list[Rung]) -> int:
    return max(range(len(rungs)), key=lambda index: rungs[index].accepted)


def gaps(rungs: list[Rung]) -> list[float]:
    """Return the distances of the loads either side of the maximum, relative to it."""
    best = best_of(rungs)
    around = [rungs[index].load for index in (best - 1, best + 1) if 0 <= index < len(rungs)]
    return [abs(load - rungs[best].load) / rungs[best].load for load in around]


@pytest.mark.parametrize("saturation", [0.013, 0.06, 0.11, 0.2, 0.29, 0.5])
@pytest.mark.parametrize("bound", [0.05, 0.3, 0.97])
def test_a_peak_is_found_and_bracketed_within_three_per_cent(
    saturation: float, bound: float
) -> None:
    rungs, _ = climb(falling(saturation), bound)
    best = rungs[best_of(rungs)]
    assert best.accepted <= saturation
    assert best.accepted >= 0.97 * saturation
    assert len(gaps(rungs)) == 2
    assert max(gaps(rungs)) <= 0.03


def test_the_ladder_is_short_from_an_empty_network_to_a_little_beyond_saturation() -> None:
    rungs, rounds = climb(falling(0.2), 0.3)
    assert len(rungs) <= 16
    assert rounds <= 7
    assert rungs[0].load <= 0.05 * 0.2 + 0.01
    assert not rungs[0].saturated
    assert sum(rung.saturated for rung in rungs) >= 2
    assert rungs[-1].load <= 0.2 * 1.6


def test_a_network_that_never_saturates_is_climbed_to_the_highest_load() -> None:
    rungs, _ = climb(lambda load: load, 0.9)
    assert rungs[-1].load == 1.0
    assert best_of(rungs) == len(rungs) - 1
    assert not any(rung.saturated for rung in rungs)


def test_a_plateau_ends_the_climb_even_if_it_rises_slowly() -> None:
    rungs, _ = climb(flat(0.17), 0.3)
    assert rungs[best_of(rungs)].accepted == pytest.approx(0.17)
    assert rungs[-1].load < 0.4
    rungs, _ = climb(lambda load: load if load < 0.1 else 0.1 + 0.01 * (load - 0.1), 0.3)
    assert rungs[-1].load <= 0.3


def test_a_ladder_that_begins_saturated_goes_down_first() -> None:
    rungs, _ = climb(falling(0.001), 0.9)
    assert not rungs[0].saturated
    assert rungs[best_of(rungs)].accepted >= 0.97 * 0.001


def test_a_network_that_carries_nothing_ends_the_ladder() -> None:
    rungs, rounds = climb(lambda load: 0.0, 0.3)
    assert rounds < 12
    assert all(rung.saturated for rung in rungs)


@given(
    saturation=st.floats(0.01, 0.9),
    bound=st.floats(0.01, 1.0),
    slope=st.floats(0.0, 0.8),
    noise=st.floats(0.0, 0.02),
    seed=st.integers(0, 1 << 30),
)
def test_noise_neither_keeps_the_ladder_going_nor_hides_the_maximum(
    saturation: float, bound: float, slope: float, noise: float, seed: int
) -> None:
    stream = random.Random(seed)

    def noisy(load: float) -> float:
        ideal = load if load <= saturation else max(saturation - slope * (load - saturation), 0)
        return ideal * (1 + noise * stream.uniform(-1, 1))

    rungs, rounds = climb(noisy, bound)
    assert rounds < 60
    assert rungs[best_of(rungs)].accepted >= (1 - noise) * 0.94 * saturation


@given(order=st.permutations(range(4)))
def test_the_order_of_arrival_does_not_matter(order: list[int]) -> None:
    curve = falling(0.07)
    ladder, shuffled = Ladder(0.3), Ladder(0.3)
    first = [measured(curve, load) for load in ladder.next_round()]
    shuffled.next_round()
    ladder.add(first)
    shuffled.add([first[index] for index in order])
    assert shuffled.next_round() == ladder.next_round()


def test_no_load_exceeds_the_highest() -> None:
    rungs, _ = climb(lambda load: load, 0.4, highest=0.33)
    assert rungs[-1].load == 0.33


@pytest.mark.parametrize(
    ("largest", "step"),
    [(0.05, 0.05), (0.0499, 0.025), (0.06, 0.05), (0.1, 0.1), (0.0024, 0.002), (0.00017, 0.0001)],
)
def test_steps_are_round_numbers(largest: float, step: float) -> None:
    assert round_step(largest) == step


def test_the_ladder_closes_in_on_the_knee_as_well() -> None:
    ladder = Ladder(0.3)
    while loads := ladder.next_round():
        # 1,000 ns, and twice that at half of saturation.
        ladder.add(
            [
                Rung(load, min(load, 0.25), load > 0.27, 1000 / max(1 - load / 0.25, 1e-3))
                for load in loads
            ]
        )
    limit_ns = 2 * ladder.rungs[0].latency_ns
    below = max(rung.load for rung in ladder.rungs if rung.latency_ns < limit_ns)
    above = min(rung.load for rung in ladder.rungs if rung.latency_ns >= limit_ns)
    assert 0.1 < below < above < 0.15
    assert above - below <= 0.1 * above


def test_no_maximum_is_looked_for_between_saturated_loads_that_accept_as_much() -> None:
    ladder = Ladder(0.3)
    rounds = 0
    while loads := ladder.next_round():
        rounds += 1
        # Beyond 0.1 it accepts 0.1, and by chance a hair more the more is offered.
        ladder.add([Rung(at, min(at, 0.1 + at * 1e-4), at > 0.106) for at in loads])
    loads = [rung.load for rung in ladder.rungs]
    assert rounds <= 6, loads


def test_one_saturated_load_does_not_end_the_climb() -> None:
    ladder = Ladder(0.3)
    # By chance 0.15 is accepted badly: what lies beyond is looked at all the same.
    ladder.add([measured(lambda at: 0.09 if at == 0.15 else at, at) for at in ladder.next_round()])
    assert ladder.next_round() == [0.2]
    ladder.add([Rung(0.2, 0.2, saturated=False)])
    assert ladder.next_round() == [0.25, 0.3]


def test_a_climb_goes_on_where_a_few_hosts_alone_are_saturated() -> None:
    # One host's link is full at 0.02, and the others get through what they send, but for that.
    rungs, _ = climb(lambda load: min(load, 0.02 + 0.78 * max(0.0, load - 0.02)), 0.02)
    assert rungs[-1].load == 1.0
    assert rungs[best_of(rungs)].accepted == pytest.approx(0.7844)
    assert len(rungs) <= 32
    # Under a permutation pairs get through a fifth of what is offered beyond, relative to what they
    # have; where it is a twentieth, the climb ends.
    rungs, _ = climb(lambda load: load if load < 0.1 else 0.1 * (load / 0.1) ** 0.2, 0.3)
    assert rungs[-1].load == 1.0
    assert rungs[best_of(rungs)].accepted == pytest.approx(0.1 * 10**0.2)
    rungs, _ = climb(lambda load: load if load < 0.1 else 0.1 * (load / 0.1) ** 0.05, 0.3)
    assert rungs[-1].load <= 0.3
