"""Running the programs of a study: as studies of traffic, nothing lost and nothing twice.

One thread routes, proves and writes; an executor replays. A program that has run is written at
once, in a transaction.
"""

from __future__ import annotations

from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING

from weft.placement import place_ranks
from weft.results.replay_figures import ReplayFigures, ReplayStore
from weft.study.case import replay_content
from weft.study.executors.interface import ReplayWork
from weft.study.progress import ReplayFinished
from weft.study.router import Router
from weft.study.session import POLL_S, carry_out, opened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from weft.channel_loads import LoadFigures
    from weft.replay import Trace
    from weft.routing import Routing
    from weft.spec.programs import ProgramCase
    from weft.study.executors.interface import Executor, Finished
    from weft.study.progress import Watcher
    from weft.study.session import Session
    from weft.study.stages import Stages

__all__ = ["run_programs"]


def run_programs(
    cases: Sequence[ProgramCase],
    path: Path,
    *,
    executor: Executor,
    stages: Stages,
    watcher: Watcher,
) -> None:
    """Replay what a results file lacks of the programs of a study, and close the executor.

    A trace that cannot be read or has more ranks than a fabric hosts is refused before anything is
    written; else as `run_cases`.
    """
    with closing(executor):
        placed = []
        for case in cases:
            program = case.spec.program
            trace = program.read(case.fabric)
            seed = program.settings["seed"]
            hosts = place_ranks(case.fabric, trace.rank_count, program.placement, seed=seed)
            placed.append((case, trace, hosts))
        router = Router(stages, watcher)
        router.check(cases)
        with opened(path, executor, watcher) as session:
            carry_out(_ProgramRun(session, placed, router), executor)


def _no_ladder(_: Routing, load: LoadFigures | None) -> float:
    """Return the bound of uniform traffic: no ladder of loads climbs to it."""
    return load.saturation_bound if load else 1.0


class _ProgramRun:
    """One call that works on the programs of a study."""

    def __init__(
        self,
        session: Session,
        placed: Sequence[tuple[ProgramCase, Trace, list[int]]],
        router: Router,
    ) -> None:
        self._session = session
        self._placed = placed
        self._router = router
        self._stores: list[ReplayStore] = []
        #: Who waits for each program under way: more than one where cases share it.
        self._open: dict[str, list[tuple[ReplayStore, ProgramCase, str]]] = {}
        #: What has run, and which case of the file has it by which routing.
        self._known: dict[str, tuple[ReplayStore, str]] = {}

    def work(self) -> None:
        works = chain.from_iterable(self._works_of(*entry) for entry in self._placed)
        if self._session.executor.plans_ahead:
            planned = list(works)
            # Routings that are the same routes run once.
            first = {work.content: work for work, *_ in reversed(planned)}
            self._session.executor.plan(list(first.values()))
            works = chain(planned)
        for work, store, case, label in works:
            self._submit(work, store, case, label)
            if not self._session.executor.plans_ahead:
                self._record(timeout_s=0)
        while self._open:
            self._record(POLL_S)

    def keep(self, finished: Sequence[Finished]) -> None:
        for entry in finished:
            if not isinstance(entry.figures, ReplayFigures):
                continue
            waiting = self._open[entry.content]
            with self._session.database.transaction():
                for store, _, label in waiting:
                    store.add_replay(label, entry.figures, entry.wall_s)
            del self._open[entry.content]
            for store, case, label in waiting:
                store.computed_points += 1
                self._known[entry.content] = store, label
                self._tell(label, entry.figures, case)

    def close(self, outcome: str) -> None:
        for store in self._stores:
            store.close(outcome)

    def _works_of(
        self, case: ProgramCase, trace: Trace, hosts: list[int]
    ) -> Iterator[tuple[ReplayWork, ReplayStore, ProgramCase, str]]:
        """Route and prove a case, and yield what the file lacks of it."""
        store = ReplayStore(self._session.database, case.fabric, case.spec, case.name)
        self._stores.append(store)
        for ready in self._router.ready(case, store, _no_ladder):
            content = replay_content(ready.routed, hosts)
            if store.has_replay(ready.label):
                self._known[content] = store, ready.label
            else:
                work = ReplayWork(content, ready.routed, trace, hosts)
                yield work, store, case, ready.label

    def _submit(self, work: ReplayWork, store: ReplayStore, case: ProgramCase, label: str) -> None:
        """Have a program replayed, unless the file has it of the same routes or waits for it."""
        if work.content in self._known:
            figures = store.copy_replay(label, *self._known[work.content])
            self._tell(label, figures, case)
        elif work.content in self._open:
            self._open[work.content].append((store, case, label))
        else:
            self._open[work.content] = [(store, case, label)]
            self._session.executor.submit(work)

    def _record(self, timeout_s: float) -> None:
        """Write what has run."""
        finished = self._session.executor.finished(timeout_s)
        self.keep(finished)
        for entry in finished:
            if entry.error is not None:
                raise entry.error
        self._session.stop_if_asked()

    def _tell(self, label: str, figures: ReplayFigures, case: ProgramCase) -> None:
        self._session.watcher(
            ReplayFinished(label, figures.outcome, figures.duration_ns, len(self._open), case.name)
        )
