"""What comes before simulating: routes, proofs and load figures of every case, one case at a time.

Cases that follow one another on the same fabric, as under several kinds of traffic, share them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.errors import ResultsError, RoutingError, StudyError
from weft.results.store import ResultsStore
from weft.results.types import NOT_ROUTED
from weft.study.case import fabric_text, text_digest
from weft.study.executors.interface import RoutedCase
from weft.study.progress import RoutingReady
from weft.study.sweep import Sweep, payload_share
from weft.workload import sending_hosts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weft.fabric import Fabric
    from weft.proof import Proof
    from weft.results.database import Database
    from weft.results.store import StoredRouting
    from weft.routing import LoadFigures, Routing
    from weft.study.case import Case
    from weft.study.progress import Watcher
    from weft.study.stages import Stages

__all__ = ["OpenSweep", "Preparation"]

#: The pattern that the load figures of a routing are about.
UNIFORM = "uniform"

#: The routing whose loads stand for those of routings that let packets choose.
FIXED = "updown"


@dataclass(frozen=True, slots=True, eq=False)
class OpenSweep:
    """The sweep of a routing, and where its points go.

    Attributes
    ----------
    case_name : str
        Name of the case.
    sweep : Sweep
        Which points there are.
    routed : RoutedCase
        Fabric, routing and conditions.
    ladder_bound : float
        Payload load at which the traffic is expected to saturate the busiest channel.
    store : ResultsStore
        Where points go.
    """

    case_name: str
    sweep: Sweep
    routed: RoutedCase
    ladder_bound: float
    store: ResultsStore

    @property
    def label(self) -> str:
        """The routing."""
        return self.sweep.label


class Preparation:
    """Routes and proves the cases of a study in their order.

    Parameters
    ----------
    cases : sequence of Case
        The cases.
    stages : Stages
        What routes and proves.
    watcher : callable
        Is told of every routing.
    """

    def __init__(self, cases: Sequence[Case], stages: Stages, watcher: Watcher) -> None:
        self._cases = cases
        self._stages = stages
        self._watcher = watcher
        self._stores: list[ResultsStore] = []
        self._fabric: Fabric | None = None
        self._digest = ""
        self._routed: dict[str, Routing | RoutingError] = {}
        self._proved: dict[str, tuple[Proof, LoadFigures | None]] = {}

    def check(self) -> None:
        """Refuse what can be refused before anything is written.

        Raises
        ------
        StudyError
            When a fabric has fewer than two hosts.
        TrafficError
            When a pattern is not defined on a fabric.
        RoutingError
            When a routing does not exist, or none of the first case can route its fabric.
        """
        for case in self._cases:
            if case.fabric.host_count < 2:
                message = (
                    f"fabric {case.fabric.name} has {case.fabric.host_count} hosts; expected at "
                    "least 2 to talk to each other"
                )
                raise StudyError(message)
            sending_hosts(case.fabric, case.spec.traffic)
        first = self._cases[0]
        failures = [
            outcome
            for outcome in (self._route(first.fabric, name) for name in first.spec.routings)
            if isinstance(outcome, RoutingError)
        ]
        asked: dict[str, Fabric] = {}
        for case in self._cases:
            for name in case.spec.routings:
                asked.setdefault(name, case.fabric)
        for name, fabric in asked.items():
            if name not in self._routed and not self._stages.is_known(name):
                # A switch it names, as a root, may be one of its own fabric alone.
                self._stages.route(fabric, name)
        if len(failures) == len(first.spec.routings):
            raise failures[0]

    def sweeps(self, database: Database) -> Iterator[OpenSweep]:
        """Yield the sweeps of all routings that are deadlock-free, recording the others.

        Parameters
        ----------
        database : Database
            The results file.
        """
        for case in self._cases:
            store = ResultsStore(database, case.fabric, case.spec, case.name)
            self._stores.append(store)
            yield from self._sweeps_of(case, store)

    def close(self, outcome: str) -> None:
        """End the sessions of all cases begun.

        Parameters
        ----------
        outcome : str
            ``finished``, ``interrupted`` or ``failed``.
        """
        for store in self._stores:
            store.close(outcome)

    def _sweeps_of(self, case: Case, store: ResultsStore) -> list[OpenSweep]:
        """Route and prove everything of a case before its first point, so that all errors come."""
        sweeps: dict[str, OpenSweep] = {}
        for specification in case.spec.routings:
            routing = self._route(case.fabric, specification)
            if isinstance(routing, RoutingError):
                self._record_failure(case, store, specification, str(routing))
                continue
            if routing.label in sweeps:
                message = f"routing {specification} is {routing.label}; expected it once"
                raise StudyError(message)
            stored = self._prove(case, store, specification, routing)
            if stored.deadlock_free:
                routed = RoutedCase(case.fabric, self._digest, routing, specification, case.spec)
                sweep = Sweep(case.spec, routing.label, stored.ladder_bound)
                sweeps[routing.label] = OpenSweep(
                    case.name, sweep, routed, stored.ladder_bound, store
                )
        return list(sweeps.values())

    def _route(self, fabric: Fabric, specification: str) -> Routing | RoutingError:
        """Compute a routing, or say why the fabric has none; an unknown one is raised."""
        if fabric is not self._fabric:
            self._fabric, self._digest = fabric, text_digest(fabric_text(fabric))
            self._routed.clear()
            self._proved.clear()
        if specification not in self._routed:
            try:
                self._routed[specification] = self._stages.route(fabric, specification)
            except RoutingError as error:
                if not self._stages.is_known(specification):
                    raise
                self._routed[specification] = error
        return self._routed[specification]

    def _record_failure(
        self, case: Case, store: ResultsStore, specification: str, reason: str
    ) -> None:
        title = self._stages.title(specification)
        store.add_failed_routing(specification, title, reason)
        self._watcher(RoutingReady(specification, NOT_ROUTED, False, reason, case.name))

    def _prove(
        self, case: Case, store: ResultsStore, specification: str, routing: Routing
    ) -> StoredRouting:
        stored = store.routing(routing.label)
        if stored is None:
            proof, load = self._proof(case, specification, routing)
            title = self._stages.title(specification)
            bound = self._ladder_bound(case, routing, load)
            stored = store.add_routing(specification, routing, title, proof, load, bound)
        elif stored.parameters != routing.parameters:
            message = (
                f"{store.path}: {routing.label} has parameters {stored.parameters} there and "
                f"{routing.parameters} here; give this study another file"
            )
            raise ResultsError(message)
        self._watcher(
            RoutingReady(
                routing.label, stored.verdict, stored.deadlock_free, stored.text, case.name
            )
        )
        return stored

    def _proof(
        self, case: Case, specification: str, routing: Routing
    ) -> tuple[Proof, LoadFigures | None]:
        if specification not in self._proved:
            proof = self._stages.prove(case.fabric, routing)
            self._proved[specification] = proof, self._stages.load_figures(case.fabric, routing)
        return self._proved[specification]

    def _ladder_bound(self, case: Case, routing: Routing, load: LoadFigures | None) -> float:
        """Return the payload load that no channel's expected load forbids under the traffic.

        Where packets choose on their way, that of up*/down*: the steps are laid out by it, and go
        on beyond.
        """
        if load is None:
            fixed = self._stages.route(case.fabric, FIXED)
            return self._ladder_bound(case, fixed, self._stages.load_figures(case.fabric, fixed))
        bound = load.saturation_bound
        if case.spec.traffic.pattern != UNIFORM:
            expected = self._stages.expected_load(case.fabric, routing, case.spec.traffic)
            bound = expected.saturation_bound
        return bound * payload_share(case.spec, load.mean_hops_links)
