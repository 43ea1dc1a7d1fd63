"""Running a study: nothing lost, nothing twice, the same points wherever they are simulated.

One thread proves, decides and writes; an executor simulates. Finished points are written at once,
in a transaction::

    cases ── prepare ── sweeps ── submit ──► executor
                          ▲                     │
                          └──── take in ◄── write (one transaction)
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from weft.errors import EnvironmentFailure
from weft.results.store import Outcome, PointKey
from weft.simulate import Measurement
from weft.study.case import point_content
from weft.study.executors.interface import PointWork, SweepUnit
from weft.study.preparation import Preparation
from weft.study.progress import PointFinished, SweepFinished
from weft.study.session import POLL_S, carry_out, opened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from weft.spec.study import StudySpec
    from weft.study.case import Case
    from weft.study.executors.interface import Executor, Finished, RoutedCase
    from weft.study.preparation import OpenSweep
    from weft.study.progress import Watcher
    from weft.study.session import Session
    from weft.study.stages import Stages

__all__ = ["run_cases"]

_POINTS_AHEAD = 4  #: Cases are prepared ahead until so many points wait for each that is under way.


def run_cases(
    cases: Sequence[Case], path: Path, *, executor: Executor, stages: Stages, watcher: Watcher
) -> None:
    """Compute what a results file lacks of the cases of a study; the executor is closed at the end.

    What does not exist is refused before anything is written; a file that holds another study, or
    on which another process works, is a ResultsError. After an EnvironmentFailure or a
    KeyboardInterrupt (Ctrl-C, `weft study cancel`) finished points are kept.
    """
    preparation = Preparation(cases, stages, watcher)
    with closing(executor):
        # Before the file is made: a misspelt name leaves nothing behind.
        preparation.check()
        with opened(path, executor, watcher) as session:
            carry_out(_StudyRun(session, preparation), executor)


class _StudyRun:
    """One call that works on a study."""

    def __init__(self, session: Session, preparation: Preparation) -> None:
        self._session = session
        self._preparation = preparation
        #: Who waits for each point under way: more than one where studies or routings share it.
        self._open: dict[str, list[tuple[OpenSweep, PointKey]]] = {}
        self._finished = 0

    def close(self, outcome: str) -> None:
        self._preparation.close(outcome)

    def work(self) -> None:
        sweeps = self._sweeps()
        exhausted = False
        while self._open or not exhausted:
            while not exhausted and len(self._open) < _POINTS_AHEAD * self._session.executor.slots:
                sweep = next(sweeps, None)
                if sweep is None:
                    exhausted = True
                else:
                    self._advance(sweep)
            if self._open:
                self._record(self._session.executor.finished(POLL_S))
            self._session.stop_if_asked()

    def _sweeps(self) -> Iterator[OpenSweep]:
        """Yield the sweeps of all cases; all at once where the executor plans ahead."""
        if not self._session.executor.plans_ahead:
            yield from self._preparation.sweeps(self._session.database)
            return
        sweeps = list(self._preparation.sweeps(self._session.database))
        units: dict[RoutedCase[StudySpec], SweepUnit] = {}
        for sweep in sweeps:
            known = sweep.store.outcomes(sweep.label)
            unit = units.setdefault(
                sweep.routed, SweepUnit(sweep.routed, sweep.ladder_bound, known)
            )
            unit.known.update(known)
        self._session.executor.plan(list(units.values()))
        yield from sweeps

    def _advance(self, sweep: OpenSweep) -> None:
        """Look up or submit the points of the next rounds, until one has to be waited for."""
        while sweep.sweep.is_round_complete:
            points = sweep.sweep.begin_round()
            if not points:
                self._session.watcher(
                    SweepFinished(sweep.label, sweep.sweep.point_count, sweep.case_name)
                )
                return
            finished = sweep.store.outcomes(sweep.label)
            found = []
            for load, seed in points:
                key = PointKey(sweep.label, load, seed)
                outcome = finished.get((load, seed))
                if outcome is None:
                    outcome = self._shared_or_submitted(sweep, key)
                if outcome is not None:
                    found.append((key, outcome))
            for key, outcome in found:
                self._take_in(sweep, key, outcome, is_new=False)

    def _shared_or_submitted(self, sweep: OpenSweep, key: PointKey) -> Outcome | None:
        """Take a point that the file has of the same routes, or have it simulated."""
        routed = sweep.routed
        content = point_content(routed, key.load, key.seed)
        waiting = self._open.get(content)
        if waiting is not None:
            waiting.append((sweep, key))
            return None
        outcome = sweep.store.copy_point(key, content)
        if outcome is None:
            self._open[content] = [(sweep, key)]
            self._session.executor.submit(PointWork(content, routed, key.load, key.seed))
        return outcome

    def _record(self, finished: Sequence[Finished]) -> None:
        """Write what is finished, and go on with the sweeps that waited for it."""
        if not finished:
            return
        failed = [entry.error for entry in finished if entry.error is not None]
        written = self.keep(finished)
        if failed:
            raise failed[0]
        for sweep, key, outcome in written:
            self._take_in(sweep, key, outcome, is_new=True)
        for sweep in dict.fromkeys(sweep for sweep, _, _ in written):
            self._advance(sweep)

    def keep(self, finished: Sequence[Finished]) -> list[tuple[OpenSweep, PointKey, Outcome]]:
        """Write finished points, together where that goes; return who waited for them."""
        try:
            return self._write(finished)
        except EnvironmentFailure:
            # A disk that is too full for all of them may have room for some.
            return [found for entry in finished for found in self._write([entry])]

    def _write(self, finished: Sequence[Finished]) -> list[tuple[OpenSweep, PointKey, Outcome]]:
        """Write points in one transaction."""
        written = []
        added = []
        with self._session.database.transaction():
            for entry in finished:
                if not isinstance(entry.figures, Measurement):
                    continue
                outcome = Outcome.of(entry.figures)
                for sweep, key in self._open.get(entry.content, []):
                    if sweep.store.add_point(key, entry.content, entry.figures, entry.wall_s):
                        added.append(sweep.store)
                    written.append((sweep, key, outcome))
        for store in added:
            store.computed_points += 1
        # Only now: an interruption before this line leaves the points to the last call.
        for entry in finished:
            self._open.pop(entry.content, None)
        return written

    def _take_in(self, sweep: OpenSweep, key: PointKey, outcome: Outcome, *, is_new: bool) -> None:
        sweep.sweep.add(key.load, key.seed, outcome)
        self._finished += 1
        self._session.watcher(
            PointFinished(
                label=key.label,
                load=key.load,
                seed=key.seed,
                accepted_load=outcome.accepted_load,
                reason=outcome.reason,
                is_new=is_new,
                finished_points=self._finished,
                open_points=len(self._open),
                case=sweep.case_name,
            )
        )
