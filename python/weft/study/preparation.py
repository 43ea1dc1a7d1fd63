"""What comes before simulating: the sweeps of every case, one case at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.results.store import ResultsStore
from weft.shares import bound_of_pattern, bound_of_rates, uniform_loads
from weft.study.router import Router
from weft.study.sweep import Sweep, payload_share

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weft.channel_loads import LoadFigures
    from weft.results.database import Database
    from weft.routing import Routing
    from weft.spec.study import StudySpec
    from weft.study.case import Case
    from weft.study.executors.interface import RoutedCase
    from weft.study.progress import Watcher
    from weft.study.stages import Stages

__all__ = ["OpenSweep", "Preparation"]

#: The pattern that the load figures of a routing are about.
UNIFORM = "uniform"

#: The routing whose loads stand for those of routings that let packets choose.
FIXED = "updown"


@dataclass(frozen=True, slots=True, eq=False)
class OpenSweep:
    """The sweep of a routing, and where its points go."""

    case_name: str
    sweep: Sweep
    routed: RoutedCase[StudySpec]  #: What is simulated: routes that other sweeps may share.
    #: Payload load at which the traffic is expected to saturate the busiest channel.
    ladder_bound: float
    store: ResultsStore

    @property
    def label(self) -> str:
        """The routing."""
        return self.sweep.label


class Preparation:
    """Routes and proves the cases of a study in order; the watcher is told of each routing."""

    def __init__(self, cases: Sequence[Case], stages: Stages, watcher: Watcher) -> None:
        self._cases = cases
        self._stages = stages
        self._router = Router(stages, watcher)
        self._stores: list[ResultsStore] = []

    def check(self) -> None:
        """Refuse, before any writing, too few hosts, undefined patterns, wrong routings."""
        for case in self._cases:
            case.spec.senders_on(case.fabric)
        self._router.check(self._cases)

    def sweeps(self, database: Database) -> Iterator[OpenSweep]:
        """Yield the sweeps of all routings that are deadlock-free, recording the others."""
        for case in self._cases:
            store = ResultsStore(database, case.fabric, case.spec, case.name, case.given)
            self._stores.append(store)
            yield from self._sweeps_of(case, store)

    def close(self, outcome: str) -> None:
        """End the sessions of all cases begun as ``finished``, ``interrupted`` or ``failed``."""
        for store in self._stores:
            store.close(outcome)

    def _sweeps_of(self, case: Case, store: ResultsStore) -> list[OpenSweep]:
        def bound(routing: Routing, load: LoadFigures | None) -> float:
            return self._ladder_bound(case, routing, load)

        all_ready = self._router.ready(case, store, bound)
        for routed in dict.fromkeys(ready.routed for ready in all_ready):
            self._stages.check(routed)
        return [
            OpenSweep(
                case.name,
                Sweep(case.spec, ready.label, ready.ladder_bound),
                ready.routed,
                ready.ladder_bound,
                store,
            )
            for ready in all_ready
        ]

    def _ladder_bound(self, case: Case, routing: Routing, load: LoadFigures | None) -> float:
        """Return the payload load that no channel's expected load forbids under the traffic.

        Where packets choose on their way, that of up*/down*: the steps are laid out by it, and go
        on beyond.
        """
        if load is None:
            fixed = self._stages.route(case.fabric, FIXED)
            return self._ladder_bound(case, fixed, self._stages.load_figures(case.fabric, fixed))
        traffic, machine = case.spec.traffic, case.spec.hardware
        if traffic.pattern == UNIFORM:
            bound = load.saturation_bound
            of_rates = bound_of_rates(case.fabric, uniform_loads(case.fabric, load), machine)
        else:
            expected = self._stages.expected_load(case.fabric, routing, traffic)
            bound = expected.saturation_bound
            of_rates = bound_of_pattern(case.fabric, traffic.pattern, expected, machine)
        bound = bound if of_rates is None else of_rates
        return bound * payload_share(case.spec, load.mean_hops_links)
