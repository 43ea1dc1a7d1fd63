"""The stages a study calls, gathered in one object so that a study can be tested without them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from weft import _core
from weft.errors import RoutingError
from weft.fabric import generate, mesh
from weft.own_routing import own_algorithms
from weft.proof import prove
from weft.replay import replay
from weft.results.replays import figures_of
from weft.routing import algorithms, load_figures, route
from weft.simulate import simulate
from weft.workload import expected_load

if TYPE_CHECKING:
    from weft.fabric import Fabric
    from weft.hardware import Hardware
    from weft.proof import Proof
    from weft.replay import Trace
    from weft.results.replays import ReplayFigures
    from weft.routing import LoadFigures, Routing
    from weft.simulate import Cancel, Measurement
    from weft.spec.programs import StudyProgram
    from weft.workload import ExpectedLoad, Traffic

__all__ = ["NativeStages", "Stages"]


class Stages(Protocol):
    """What a study needs of the stages before it."""

    def title(self, specification: str) -> str:
        """Return the name of a routing's algorithm in words."""

    def route(self, fabric: Fabric, specification: str) -> Routing:
        """Compute a routing."""

    def is_known(self, specification: str) -> bool:
        """Return whether algorithm, parameters and their values exist."""

    def prove(self, fabric: Fabric, routing: Routing) -> Proof:
        """Prove a routing deadlock-free, or not."""

    def load_figures(self, fabric: Fabric, routing: Routing) -> LoadFigures | None:
        """Compute the load figures of a routing; None where packets choose on their way."""

    def expected_load(self, fabric: Fabric, routing: Routing, traffic: Traffic) -> ExpectedLoad:
        """Compute how traffic is expected to load the channels."""

    def simulate(
        self,
        fabric: Fabric,
        routing: Routing,
        hardware: Hardware,
        traffic: Traffic,
        *,
        precision: float,
        max_packets: int | None,
        pool_interval_ns: float | None,
        cancel: Cancel,
    ) -> Measurement:
        """Simulate one point; called from several threads at once."""

    def replay(
        self,
        fabric: Fabric,
        routing: Routing,
        hardware: Hardware,
        program: StudyProgram,
        trace: Trace,
        hosts: list[int],
        *,
        cancel: Cancel,
    ) -> ReplayFigures:
        """Replay one program; called from several threads at once."""


def _smallest_fabrics() -> list[Fabric]:
    """Return a grid, and a tree for algorithms that want spines without hosts."""
    return [mesh(2, 1, hosts_per_switch=1), generate("k_ary_n_tree", k=2, n=2)]


class NativeStages:
    """The stages of Weft itself."""

    def title(self, specification: str) -> str:
        """Return the name of a routing's algorithm in words; empty for an unknown one."""
        name = specification.partition(":")[0]
        return next((entry.title for entry in algorithms() if entry.name == name), "")

    def route(self, fabric: Fabric, specification: str) -> Routing:
        """Compute a routing."""
        return route(fabric, specification)

    def is_known(self, specification: str) -> bool:
        """Return whether algorithm, parameters and their values exist.

        What fails even on the smallest grid and on the smallest tree is the specification's fault;
        one's own algorithms may want other fabrics, and are known by the names they give.
        """
        with suppress(RoutingError):
            name, given, _ = _core.routing_choice(specification, {})
            own = own_algorithms().get(name)
            if own is not None:
                return given.keys() <= {entry.name for entry in own.algorithm.parameters}
        return any(self._can_route(fabric, specification) for fabric in _smallest_fabrics())

    def _can_route(self, fabric: Fabric, specification: str) -> bool:
        try:
            self.route(fabric, specification)
        except RoutingError:
            return False
        return True

    def prove(self, fabric: Fabric, routing: Routing) -> Proof:
        """Prove a routing deadlock-free, or not."""
        return prove(fabric, routing)

    def load_figures(self, fabric: Fabric, routing: Routing) -> LoadFigures | None:
        """Compute the load figures of a routing; None where packets choose on their way."""
        return None if routing.is_adaptive else load_figures(fabric, routing)

    def expected_load(self, fabric: Fabric, routing: Routing, traffic: Traffic) -> ExpectedLoad:
        """Compute how traffic is expected to load the channels."""
        return expected_load(fabric, routing, traffic)

    def simulate(
        self,
        fabric: Fabric,
        routing: Routing,
        hardware: Hardware,
        traffic: Traffic,
        *,
        precision: float,
        max_packets: int | None,
        pool_interval_ns: float | None,
        cancel: Cancel,
    ) -> Measurement:
        """Simulate one point; called from several threads at once."""
        return simulate(
            fabric,
            routing,
            hardware,
            traffic,
            precision=precision,
            max_packets=max_packets,
            pool_interval_ns=pool_interval_ns,
            cancel=cancel,
        )

    def replay(
        self,
        fabric: Fabric,
        routing: Routing,
        hardware: Hardware,
        program: StudyProgram,
        trace: Trace,
        hosts: list[int],
        *,
        cancel: Cancel,
    ) -> ReplayFigures:
        """Replay one program; called from several threads at once."""
        found = replay(
            fabric,
            routing,
            hardware,
            trace,
            region=program.settings["region"],
            algorithms=program.algorithms,
            messaging=program.messaging,
            hosts=hosts,
            cancel=cancel,
        )
        return figures_of(found)
