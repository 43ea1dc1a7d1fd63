"""The stages a study calls, gathered in one object so that a study can be tested without them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from weft import _core
from weft.channel_loads import load_figures
from weft.errors import Cancelled, RoutingError
from weft.fabric import generate, mesh
from weft.own_routing import own_algorithms
from weft.proof import prove
from weft.replay import replay
from weft.results.replay_figures import figures_of
from weft.routing import algorithms, route
from weft.simulate import simulate
from weft.workload import expected_load

if TYPE_CHECKING:
    from weft.channel_loads import LoadFigures
    from weft.fabric import Fabric
    from weft.results.replay_figures import ReplayFigures
    from weft.routing import Routing
    from weft.simulate import Cancel, Measurement
    from weft.spec.study import StudySpec
    from weft.study.executors.interface import ReplayWork, RoutedCase

__all__ = ["Stages"]


class Stages:
    """Weft's own stages; what a study needs of any that take their place.

    Points are simulated, and programs replayed, by several threads at once.
    """

    route = staticmethod(route)
    prove = staticmethod(prove)
    expected_load = staticmethod(expected_load)

    def title(self, specification: str) -> str:
        """Return the name of a routing's algorithm in words; empty for an unknown one."""
        name = specification.partition(":")[0]
        return next((entry.title for entry in algorithms() if entry.name == name), "")

    def is_known(self, specification: str) -> bool:
        """Return whether algorithm, parameters and their values exist.

        What fails even on the smallest grid, on the smallest tree (for algorithms that want spines
        without hosts) and on the smallest dragonfly+ is the specification's fault; one's own
        algorithms may want other fabrics, and are known by the names they give.
        """
        with suppress(RoutingError):
            name, given, _ = _core.routing_choice(specification, {})
            own = own_algorithms().get(name)
            if own is not None:
                return given.keys() <= {entry.name for entry in own.algorithm.parameters}
        fabrics = (
            mesh(2, 1, hosts_per_switch=1),
            generate("k_ary_n_tree", k=2, n=2),
            generate("dragonfly_plus", groups=2, leaves=1, spines=1, hosts=1, links=1),
        )
        for fabric in fabrics:
            with suppress(RoutingError):
                self.route(fabric, specification)
                return True
        return False

    def load_figures(self, fabric: Fabric, routing: Routing) -> LoadFigures | None:
        """Compute the load figures of a routing; None where packets choose on their way."""
        return None if routing.is_adaptive else load_figures(fabric, routing)

    def check(self, routed: RoutedCase[StudySpec]) -> None:
        """Refuse hardware that cannot carry the routes, as a simulation of them would at once.

        Raises
        ------
        RoutingError
            When it cannot; the routing is named.
        """
        cancel = _core.Cancel()
        cancel.cancel()
        routing, spec = routed.routing, routed.spec
        try:
            simulate(routed.fabric, routing, spec.hardware, spec.traffic, cancel=cancel, threads=1)
        except RoutingError as error:
            message = f"{routing.label}: {error}"
            raise RoutingError(message) from error
        except Cancelled:
            pass

    def simulate(
        self,
        routed: RoutedCase[StudySpec],
        load: float,
        seed: int,
        cancel: Cancel,
        threads: int = 1,
    ) -> Measurement:
        """Simulate a point, its load a fraction of the host link rate; threads at most."""
        spec = routed.spec
        return simulate(
            routed.fabric,
            routed.routing,
            spec.hardware,
            spec.traffic_at(load, seed),
            precision=spec.precision,
            max_packets=spec.max_packets,
            pool_interval_ns=spec.pool_interval_ns,
            threads=threads,
            cancel=cancel,
        )

    def replay(self, work: ReplayWork, cancel: Cancel) -> ReplayFigures:
        """Replay a program."""
        routed, program = work.routed, work.routed.spec.program
        found = replay(
            routed.fabric,
            routed.routing,
            routed.spec.hardware,
            work.trace,
            region=program.settings["region"],
            algorithms=program.algorithms,
            messaging=program.messaging,
            hosts=work.hosts,
            cancel=cancel,
        )
        return figures_of(found)
