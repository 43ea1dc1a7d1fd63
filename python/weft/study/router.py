"""Routes and proofs of cases, one case at a time.

Cases that follow one another on the same fabric, as under several kinds of traffic, share them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft._files import text_digest
from weft.errors import ResultsError, RoutingError, StudyError
from weft.results.types import NOT_ROUTED
from weft.study.case import ROUTES, fabric_text, recorded_parameters
from weft.study.executors.interface import RoutedCase
from weft.study.progress import RoutingReady, RoutingUnderWay
from weft.traffic_gap import traffic_note

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.channel_loads import LoadFigures
    from weft.fabric import Fabric
    from weft.proof import Proof
    from weft.results.store import ResultsStore
    from weft.routing import Routing
    from weft.spec.programs import ProgramCase
    from weft.study.case import Case
    from weft.study.progress import Watcher
    from weft.study.stages import Stages

__all__ = ["ReadyRouting", "Router"]


@dataclass(frozen=True, slots=True, eq=False)
class ReadyRouting:
    """A routing of a case, proved deadlock-free."""

    label: str
    #: What is simulated for it: where an earlier routing of the case came out as the same routes,
    #: that one, so that each point is simulated once.
    routed: RoutedCase[Any]
    #: Payload load at which the traffic is expected to saturate the busiest channel.
    ladder_bound: float


class Router:
    """Routes and proves, and tells the watcher of every routing."""

    def __init__(self, stages: Stages, watcher: Watcher) -> None:
        self.stages = stages
        #: What stands for the text of the fabric that was routed last.
        self._fabric_digest = ""
        self._watcher = watcher
        self._fabric: Fabric | None = None
        self._routed: dict[str, Routing | RoutingError] = {}
        self._proved: dict[str, tuple[Proof, LoadFigures | None]] = {}

    def check(self, cases: Sequence[Case] | Sequence[ProgramCase]) -> None:
        """Refuse unknown routings, and a first case that none can route, before any writing."""
        first = cases[0]
        outcomes = [self.route(first.fabric, name) for name in first.spec.routings]
        asked: dict[str, Fabric] = {}
        for case in cases:
            for name in case.spec.routings:
                asked.setdefault(name, case.fabric)
        for name, fabric in asked.items():
            if name not in self._routed and not self.stages.is_known(name):
                # A switch it names, as a root, may be one of its own fabric alone.
                self.stages.route(fabric, name)
        failures = [outcome for outcome in outcomes if isinstance(outcome, RoutingError)]
        if len(failures) == len(outcomes):
            raise failures[0]

    def ready(
        self,
        case: Case | ProgramCase,
        store: ResultsStore,
        ladder_bound: Callable[[Routing, LoadFigures | None], float],
    ) -> list[ReadyRouting]:
        """Route and prove everything of a case, so that all errors come before its first point.

        What the store has is taken from there. A ladder's bound is made of a routing and its load
        figures. Routings that come out as the same routes are proved once.
        """
        found: list[ReadyRouting] = []
        labels: set[str] = set()
        distinct: list[RoutedCase[Any]] = []
        for specification in case.spec.routings:
            routing = self.route(case.fabric, specification)
            if isinstance(routing, RoutingError):
                self._record_failure(case, store, specification, str(routing))
                continue
            if routing.label in labels:
                message = f"routing {specification} is {routing.label}; expected it once"
                raise StudyError(message)
            labels.add(routing.label)
            parameters = recorded_parameters(routing)
            known: tuple[Any, ...] = (routing, parameters, specification, case.spec)
            routed = RoutedCase(case.fabric, self._fabric_digest, *known)
            first = next((other for other in distinct if other.routing.leads_as(routing)), routed)
            if first is routed:
                distinct.append(routed)
            stored = store.routing(routing.label)
            if stored is None:
                proof, load = self._proof(case.fabric, first.specification, first.routing)
                title = self.stages.title(specification)
                bound = ladder_bound(first.routing, load)
                same = None if first is routed else first.routing.label
                stored = store.add_routing(
                    specification, routing, parameters, title, proof, load, bound, same
                )
            else:
                _same_routing(store, routing.label, stored.parameters, parameters)
            self._watcher(
                RoutingReady(
                    routing.label,
                    stored.verdict,
                    stored.deadlock_free,
                    stored.text,
                    case.name,
                    routing.service_note,
                    traffic_note(case.fabric, routing),
                )
            )
            if stored.deadlock_free:
                found.append(ReadyRouting(routing.label, first, stored.ladder_bound))
        return found

    def route(self, fabric: Fabric, specification: str) -> Routing | RoutingError:
        """Compute a routing, or say why the fabric has none; an unknown one is raised."""
        if fabric is not self._fabric:
            self._fabric, self._fabric_digest = fabric, text_digest(fabric_text(fabric))
            self._routed.clear()
            self._proved.clear()
        if specification not in self._routed:

            def tell(steps: int, share: float | None) -> None:
                self._watcher(RoutingUnderWay(specification, steps, share))

            try:
                self._routed[specification] = self.stages.route(
                    fabric, specification, progress=tell
                )
            except RoutingError as error:
                if not self.stages.is_known(specification):
                    raise
                self._routed[specification] = error
        return self._routed[specification]

    def _record_failure(
        self, case: Case | ProgramCase, store: ResultsStore, specification: str, reason: str
    ) -> None:
        if store.routing(specification) is not None:
            message = f"{store.path}: has points of {specification}, which fails here: {reason}"
            raise ResultsError(message)
        title = self.stages.title(specification)
        store.add_failed_routing(specification, title, reason)
        self._watcher(RoutingReady(specification, NOT_ROUTED, False, reason, case.name))

    def _proof(
        self, fabric: Fabric, specification: str, routing: Routing
    ) -> tuple[Proof, LoadFigures | None]:
        if specification not in self._proved:
            proof = self.stages.prove(fabric, routing)
            self._proved[specification] = proof, self.stages.load_figures(fabric, routing)
        return self._proved[specification]


def _same_routing(
    store: ResultsStore, label: str, there: dict[str, str], here: dict[str, str]
) -> None:
    """Refuse to go on with a routing that is another than the file's of its name."""
    if there == here:
        return
    message = f"{store.path}: {label} has parameters {there} there and {here} here"
    if {**there, ROUTES: ""} == {**here, ROUTES: ""}:
        message = f"{store.path}: {label} has other routes there: its algorithm was changed since"
    message = f"{message}; give this study another file"
    raise ResultsError(message)
