"""Running the programs of a study: as studies of traffic, nothing lost and nothing twice.

One thread routes, proves and writes; threads of this process replay. A program that has run is
written at once, in a transaction.
"""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from weft.errors import RoutingError, StudyError
from weft.results.database import Database
from weft.results.replays import ReplayFigures, ReplayStore, figures_of
from weft.results.types import NOT_ROUTED
from weft.study.presence import Presence
from weft.study.progress import ReplayFinished, RoutingReady
from weft.study.stages import NativeStages

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.replay import Trace
    from weft.routing import Routing
    from weft.simulate import Cancel
    from weft.study.programs import ProgramCase
    from weft.study.progress import Watcher

__all__ = ["run_programs"]

#: How long the thread waits before it looks at signals again.
_POLL_S = 0.2


def run_programs(cases: Sequence[ProgramCase], path: Path, jobs: int, watcher: Watcher) -> None:
    """Replay what a results file lacks of the programs of a study.

    Parameters
    ----------
    cases : sequence of ProgramCase
        The cases, each with a name of its own.
    path : Path
        The results file; made when missing.
    jobs : int
        Replays at a time.
    watcher : callable
        Is told what happened.

    Raises
    ------
    FormatError, InputError, RoutingError
        When a trace cannot be read, has more ranks than a fabric hosts, or a routing does not
        exist; nothing is written then.
    StudyError, ResultsError, EnvironmentFailure, KeyboardInterrupt
        As `run_cases` does; programs that have run are kept.
    """
    from weft.replay import place_ranks
    from weft.simulate import Cancel

    traces = [_trace(case) for case in cases]
    placed = [
        place_ranks(
            case.fabric,
            trace.rank_count,
            case.spec.program.placement,
            seed=case.spec.program.settings["seed"],
        )
        for case, trace in zip(cases, traces, strict=True)
    ]
    stages = NativeStages()
    for specification in dict.fromkeys(name for case in cases for name in case.spec.routings):
        if not stages.is_known(specification):
            stages.route(cases[0].fabric, specification)
    with Presence(path) as presence:
        database = Database.open_for_writing(path)
        cancel = Cancel()
        pool = ThreadPoolExecutor(jobs, thread_name_prefix="weft-replay")
        run = _ProgramRun(database, pool, cancel, presence, watcher)
        try:
            for case, trace, hosts in zip(cases, traces, placed, strict=True):
                run.begin(case, trace, hosts)
            run.drain()
            run.close("finished")
        except KeyboardInterrupt:
            cancel.cancel()
            run.close("interrupted")
            raise
        except BaseException:
            cancel.cancel()
            run.close("failed")
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            database.close()


def _trace(case: ProgramCase) -> Trace:
    return case.spec.program.read(case.fabric)


class _ProgramRun:
    """One call that works on the programs of a study."""

    def __init__(
        self,
        database: Database,
        pool: ThreadPoolExecutor,
        cancel: Cancel,
        presence: Presence,
        watcher: Watcher,
    ) -> None:
        self._database = database
        self._pool = pool
        self._cancel = cancel
        self._presence = presence
        self._watcher = watcher
        self._stages = NativeStages()
        self._stores: list[ReplayStore] = []
        self._open: dict[
            Future[tuple[ReplayFigures, float]], tuple[ReplayStore, ProgramCase, str]
        ] = {}

    def begin(self, case: ProgramCase, trace: Trace, hosts: list[int]) -> None:
        """Route and prove a case, and have replayed what the file lacks of it."""
        store = ReplayStore(self._database, case.fabric, case.spec, case.name)
        self._stores.append(store)
        seen: set[str] = set()
        for specification in case.spec.routings:
            routing = self._routed(case, store, specification)
            if routing is None:
                continue
            if routing.label in seen:
                message = f"routing {specification} is {routing.label}; expected it once"
                raise StudyError(message)
            seen.add(routing.label)
            if store.has_replay(routing.label):
                continue
            future = self._pool.submit(self._replay, case, routing, trace, hosts)
            self._open[future] = store, case, routing.label
        self._record(timeout_s=0)

    def drain(self) -> None:
        """Wait for everything under way, and write it."""
        while self._open:
            self._record(_POLL_S)

    def close(self, outcome: str) -> None:
        """End the sessions."""
        for store in self._stores:
            store.close(outcome)

    def _record(self, timeout_s: float) -> None:
        done, _ = wait(self._open, timeout=timeout_s, return_when=FIRST_COMPLETED)
        for future in done:
            store, case, label = self._open.pop(future)
            figures, wall_s = future.result()
            store.add_replay(label, figures, wall_s)
            self._watcher(
                ReplayFinished(
                    label, figures.outcome, figures.duration_ns, len(self._open), case.name
                )
            )
        if self._presence.is_cancelled():
            raise KeyboardInterrupt

    def _routed(self, case: ProgramCase, store: ReplayStore, specification: str) -> Routing | None:
        """Return a routing that is proved deadlock-free, recording whatever is not."""
        title = self._stages.title(specification)
        try:
            routing = self._stages.route(case.fabric, specification)
        except RoutingError as error:
            store.add_failed_routing(specification, title, str(error))
            self._watcher(RoutingReady(specification, NOT_ROUTED, False, str(error), case.name))
            return None
        stored = store.routing(routing.label)
        if stored is None:
            proof = self._stages.prove(case.fabric, routing)
            load = self._stages.load_figures(case.fabric, routing)
            # No ladder of loads climbs to it here; packets that choose have none.
            bound = load.saturation_bound if load else 1.0
            stored = store.add_routing(specification, routing, title, proof, load, bound)
        self._watcher(
            RoutingReady(
                routing.label, stored.verdict, stored.deadlock_free, stored.text, case.name
            )
        )
        return routing if stored.deadlock_free else None

    def _replay(
        self, case: ProgramCase, routing: Routing, trace: Trace, hosts: list[int]
    ) -> tuple[ReplayFigures, float]:
        from weft.replay import replay

        program = case.spec.program
        begun = time.perf_counter()
        found = replay(
            case.fabric,
            routing,
            case.spec.hardware,
            trace,
            region=program.settings["region"],
            algorithms=program.algorithms,
            messaging=program.messaging,
            hosts=hosts,
            cancel=self._cancel,
        )
        return figures_of(found), time.perf_counter() - begun
