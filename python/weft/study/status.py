"""How far a study is: what its results file holds, and what is still to come."""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.results import Results
from weft.results.database import Database
from weft.results.store import Outcome
from weft.study.estimate import expected_loads, plain_bound, point_cost_s, program_cost_s
from weft.study.sweep import Sweep

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from pathlib import Path

    from weft.spec.programs import ProgramCase
    from weft.study.case import Case

    Outcomes = dict[str, dict[tuple[float, int], Outcome]]

__all__ = ["CaseStatus", "case_statuses", "program_statuses"]


@dataclass(frozen=True, slots=True)
class CaseStatus:
    """How far one case is."""

    name: str
    routings: int
    finished: int  #: Routings all of whose points are there.
    #: Routings not simulated: they cannot route the fabric or are not proved deadlock-free.
    refused: int
    points: int
    missing_points: int  #: Points still to be simulated; of a ladder, as many as are usual.
    is_exact: bool  #: Whether ``missing_points`` is exact: no ladder is open.
    missing_cost_s: float  #: Estimated seconds of one processor for them.


def case_statuses(cases: Sequence[Case], path: Path) -> list[CaseStatus]:
    """Return how far every case of a study is; nothing is simulated or written.

    There may be no results file yet; one that is damaged or of another format is a ResultsError.
    """
    if not path.exists():
        return [_status(case, [], {}) for case in cases]
    with closing(Database.open_for_reading(path)) as database:
        studies = dict(map(tuple, database.rows("SELECT name, study_id FROM study")))
        return [_status(case, *_rows(database, studies.get(case.name))) for case in cases]


def program_statuses(cases: Sequence[ProgramCase], path: Path) -> list[CaseStatus]:
    """Return the same of a study of programs, where a point is a program by a routing."""
    if not path.exists():
        return [_program_status(case, None) for case in cases]
    with Results.open_all(path) as opened:
        return [_program_status(case, opened.get(case.name)) for case in cases]


def _program_status(case: ProgramCase, found: Results | None) -> CaseStatus:
    asked = len(case.spec.routings)
    finished = 0 if found is None else len(found.replays)
    known = [] if found is None else found.routings
    refused = sum(not routing.proof.deadlock_free for routing in known)
    missing = asked - finished - refused
    cost_s = 0.0
    if missing:
        trace = case.spec.program.read(case.fabric)
        cost_s = missing * program_cost_s(case.fabric, case.spec, trace)
    return CaseStatus(case.name, asked, finished, refused, finished, missing, True, cost_s)


def _rows(database: Database, study: int | None) -> tuple[list[sqlite3.Row], Outcomes]:
    outcomes: Outcomes = {}
    if study is None:
        return [], outcomes
    # Names of columns are this package's own.
    columns = ", ".join(("routing", "load", "seed", *Outcome.COLUMNS))
    query = f"SELECT {columns} FROM point WHERE study_id = ?"  # noqa: S608
    for label, load, seed, *rest in database.rows(query, (study,)):
        outcomes.setdefault(label, {})[load, seed] = Outcome.stored(*rest)
    query = "SELECT label, specification, ladder_bound, deadlock_free FROM routing"
    return database.rows(f"{query} WHERE study_id = ?", (study,)), outcomes


def _status(case: Case, rows: list[sqlite3.Row], outcomes: Outcomes) -> CaseStatus:
    known = {row["specification"]: row for row in rows}
    finished = refused = missing = 0
    cost_s = 0.0
    for specification in case.spec.routings:
        row = known.get(specification)
        if row is not None and not row["deadlock_free"]:
            refused += 1
            continue
        found = {} if row is None else outcomes.get(row["label"], {})
        if row is not None and _is_finished(case, row, found):
            finished += 1
            continue
        bound = plain_bound(case.fabric) if row is None else row["ladder_bound"]
        costs = [
            point_cost_s(case.fabric, case.spec, load, bound)
            for load in expected_loads(case.spec, bound)
            for seed in case.spec.seeds
            if case.spec.loads is None or (load, seed) not in found
        ]
        points = len(costs)
        if case.spec.loads is None:
            # Which loads are to come, only its own course tells.
            points = max(points - len(found), len(case.spec.seeds))
        missing += points
        cost_s += points * math.fsum(costs) / len(costs)
    return CaseStatus(
        case.name,
        len(case.spec.routings),
        finished,
        refused,
        sum(map(len, outcomes.values())),
        missing,
        case.spec.loads is not None or finished + refused == len(case.spec.routings),
        missing_cost_s=cost_s,
    )


def _is_finished(case: Case, row: sqlite3.Row, found: dict[tuple[float, int], Outcome]) -> bool:
    """Run the sweep again over what is there, and see whether it comes to its end."""
    sweep = Sweep(case.spec, row["label"], row["ladder_bound"])
    while points := sweep.begin_round():
        for load, seed in points:
            if (load, seed) not in found:
                return False
            sweep.add(load, seed, found[load, seed])
    return True
