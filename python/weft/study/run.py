"""Running a study: all processors, nothing lost, the same points whatever the threads do.

The main thread proves, decides and writes; worker threads simulate, without the
interpreter's lock. A point is written as soon as it is in, in a transaction of its own.
"""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TYPE_CHECKING

from weft.errors import Cancelled, ResultsError, RoutingError, StudyError, WeftError
from weft.results.store import Outcome
from weft.results.types import NOT_ROUTED
from weft.study.progress import PointFinished, RoutingReady, SweepFinished
from weft.study.sweep import Sweep

if TYPE_CHECKING:
    from weft.fabric import Fabric
    from weft.results.store import ResultsStore, StoredRouting
    from weft.routing import Routing
    from weft.simulate import Measurement
    from weft.study.progress import Watcher
    from weft.study.spec import StudySpec
    from weft.study.stages import Stages

__all__ = ["StudyRun"]

#: How long the main thread waits before it looks at signals again.
_POLL_S = 0.2

#: The pattern that the load figures of a routing are about.
UNIFORM = "uniform"


class StudyRun:
    """One call that works on a study.

    Parameters
    ----------
    fabric : Fabric
        The network.
    spec : StudySpec
        The study.
    store : ResultsStore
        Where points are kept.
    stages : Stages
        The stages before.
    routed : dict
        Routings by specification, or why the fabric cannot be routed.
    jobs : int
        Simulations at a time.
    watcher : callable
        Is told what happened.
    """

    def __init__(
        self,
        fabric: Fabric,
        spec: StudySpec,
        store: ResultsStore,
        stages: Stages,
        *,
        routed: dict[str, Routing | RoutingError],
        jobs: int,
        watcher: Watcher,
    ) -> None:
        from weft.simulate import Cancel

        self._fabric = fabric
        self._spec = spec
        self._store = store
        self._stages = stages
        self._routed = routed
        self._watcher = watcher
        self._cancel = Cancel()
        self._pool = ThreadPoolExecutor(jobs, thread_name_prefix="weft-point")
        self._open: dict[Future[tuple[Measurement, float]], tuple[Sweep, float, int]] = {}
        self._finished = 0

    def run(self) -> None:
        """Compute what the results file lacks.

        Raises
        ------
        StudyError
            When two of the routings are the same.
        EnvironmentFailure
            When a point cannot be written.
        KeyboardInterrupt
            At Ctrl-C; finished points are kept.
        """
        try:
            for sweep in self._prepare():
                self._advance(sweep)
            while self._open:
                done, _ = wait(self._open, timeout=_POLL_S, return_when=FIRST_COMPLETED)
                for future in done:
                    self._record(future)
        except KeyboardInterrupt:
            self._stop()
            self._record_rest()
            raise
        except BaseException:
            self._stop()
            raise
        self._pool.shutdown()

    def _prepare(self) -> list[Sweep]:
        """Prove and record every routing; return the sweeps of those that are deadlock-free."""
        sweeps: dict[str, Sweep] = {}
        for specification, routing in self._routed.items():
            if isinstance(routing, RoutingError):
                self._record_failure(specification, str(routing))
                continue
            if routing.label in sweeps:
                message = f"routing {specification} is {routing.label}; expected it once"
                raise StudyError(message)
            stored = self._prove(specification, routing)
            if stored.deadlock_free:
                bound = self._bound(routing, stored)
                sweeps[routing.label] = Sweep(self._spec, routing, stored, bound)
        return list(sweeps.values())

    def _bound(self, routing: Routing, stored: StoredRouting) -> float:
        """Return the largest load that no channel's expected load forbids under the traffic."""
        if self._spec.traffic.pattern == UNIFORM:
            return stored.load.saturation_bound
        expected = self._stages.expected_load(self._fabric, routing, self._spec.traffic)
        return expected.saturation_bound

    def _record_failure(self, specification: str, reason: str) -> None:
        title = self._stages.title(specification)
        self._store.add_failed_routing(specification, title, reason)
        self._watcher(RoutingReady(specification, NOT_ROUTED, False, reason))

    def _prove(self, specification: str, routing: Routing) -> StoredRouting:
        stored = self._store.routing(routing.label)
        if stored is None:
            proof = self._stages.prove(self._fabric, routing)
            load = self._stages.load_figures(self._fabric, routing)
            title = self._stages.title(specification)
            stored = self._store.add_routing(specification, routing, title, proof, load)
        elif stored.parameters != routing.parameters:
            message = (
                f"{self._store.path}: {routing.label} has parameters {stored.parameters} there and "
                f"{routing.parameters} here; give this study another file"
            )
            raise ResultsError(message)
        self._watcher(
            RoutingReady(routing.label, stored.verdict, stored.deadlock_free, stored.text)
        )
        return stored

    def _advance(self, sweep: Sweep) -> None:
        """Look up or submit the points of the next rounds, until one has to be waited for."""
        while sweep.is_round_complete:
            points = sweep.begin_round()
            if not points:
                self._watcher(SweepFinished(sweep.label, sweep.point_count))
                return
            finished = self._store.outcomes(sweep.label)
            missing = [key for key in points if key not in finished]
            for load, seed in missing:
                future = self._pool.submit(self._simulate, sweep.routing, load, seed)
                self._open[future] = (sweep, load, seed)
            for load, seed in points:
                if (load, seed) in finished:
                    self._take_in(sweep, load, seed, finished[load, seed], is_new=False)

    def _simulate(self, routing: Routing, load: float, seed: int) -> tuple[Measurement, float]:
        """Simulate one point, in a worker thread; return it with the seconds it took."""
        spec = self._spec
        begun = time.perf_counter()
        measurement = self._stages.simulate(
            self._fabric,
            routing,
            spec.hardware,
            spec.traffic_at(load, seed),
            precision=spec.precision,
            max_packets=spec.max_packets,
            cancel=self._cancel,
        )
        return measurement, time.perf_counter() - begun

    def _record(self, future: Future[tuple[Measurement, float]]) -> None:
        sweep, load, seed = self._open[future]
        measurement, wall_s = future.result()
        self._store.add_point(sweep.label, load, seed, measurement, wall_s)
        # Only now: an interruption before this line leaves the point to `_record_rest`.
        del self._open[future]
        self._take_in(sweep, load, seed, Outcome.of(measurement), is_new=True)
        self._advance(sweep)

    def _take_in(
        self, sweep: Sweep, load: float, seed: int, outcome: Outcome, *, is_new: bool
    ) -> None:
        sweep.add(load, seed, outcome)
        self._finished += 1
        self._watcher(
            PointFinished(
                label=sweep.label,
                load=load,
                seed=seed,
                accepted_load=outcome.accepted_load,
                reason=outcome.reason,
                is_new=is_new,
                finished_points=self._finished,
                open_points=len(self._open),
            )
        )

    def _stop(self) -> None:
        """End the runs under way and drop those that wait."""
        self._cancel.cancel()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _record_rest(self) -> None:
        """Keep the points that were finished when the interruption came."""
        for future, (sweep, load, seed) in list(self._open.items()):
            if future.cancelled():
                continue
            # A run that was cancelled, or failed, has no point to keep; the interruption goes on.
            with suppress(Cancelled, WeftError):
                measurement, wall_s = future.result()
                self._store.add_point(sweep.label, load, seed, measurement, wall_s)
