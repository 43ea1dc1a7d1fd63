"""The sweep of one routing: rounds of loads, each with every seed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weft.results.throughput import is_saturated
from weft.study.ladder import Ladder, Rung

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.hardware import Hardware
    from weft.results.store import Outcome
    from weft.spec.study import StudySpec

__all__ = ["Sweep", "payload_share"]


class Sweep:
    """The points of one routing, round by round.

    A round is handed out whole by `begin_round` when all points of the one before are in; which
    loads it has depends on their figures, never on the order in which they came. At the payload
    load `ladder_bound` the traffic is expected to saturate the busiest channel.
    """

    def __init__(self, spec: StudySpec, label: str, ladder_bound: float) -> None:
        self.label = label
        self._seeds = spec.seeds
        self._outcomes: dict[float, dict[int, Outcome]] = {}
        self._round: list[float] = []
        self._fixed = None if spec.loads is None else sorted(spec.loads)
        self._ladder = Ladder(ladder_bound)

    @property
    def is_round_complete(self) -> bool:
        """Whether every point of the current round is in."""
        return all(len(self._outcomes[load]) == len(self._seeds) for load in self._round)

    @property
    def point_count(self) -> int:
        """Points handed out so far."""
        return len(self._outcomes) * len(self._seeds)

    def begin_round(self) -> list[tuple[float, int]]:
        """Hand out the (load, seed) of the next round; none when the sweep is finished."""
        if self._fixed is not None:
            self._round, self._fixed = self._fixed, []
        else:
            self._ladder.add([self._rung(load) for load in self._round])
            self._round = self._ladder.next_round()
        for load in self._round:
            self._outcomes[load] = {}
        return [(load, seed) for load in self._round for seed in self._seeds]

    def add(self, load: float, seed: int, outcome: Outcome) -> None:
        """Take in a finished point; the load is a fraction of the host link rate."""
        self._outcomes[load][seed] = outcome

    def _rung(self, load: float) -> Rung:
        outcomes = list(self._outcomes[load].values())
        offered = _mean([outcome.offered_load for outcome in outcomes])
        accepted = _mean([outcome.accepted_load for outcome in outcomes])
        stuck = sum(outcome.reason in ("saturated", "deadlocked") for outcome in outcomes)
        reason = "saturated" if 2 * stuck > len(outcomes) else "steady"
        latency_ns = _mean([outcome.latency_ns for outcome in outcomes])
        return Rung(load, accepted, is_saturated(offered, accepted, reason), latency_ns)


def payload_share(spec: StudySpec, mean_hops_links: float) -> float:
    """Estimate the share of a channel's traffic that is payload, a header byte per switch."""
    payload = spec.traffic.mean_payload_bytes
    return payload / (payload + _trailer_bytes(spec.hardware) + mean_hops_links + 1)


def _trailer_bytes(hardware: Hardware) -> float:
    values = hardware.parameters
    return float(values.get("type_bytes", 0)) + float(values.get("crc_bytes", 0))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
