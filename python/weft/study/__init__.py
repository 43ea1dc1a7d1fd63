"""Studies: routings compared by proof, load figures and load sweeps.

A study is a list of cases, read from a study file or one for one call of `compare`::

    file ── tables, keys, places      cases from TOML, every mistake with its line
    comparison                        one case from arguments
      └── run ──┬── preparation ── router     route, prove
                ├── sweep ── ladder           which loads, decided from what was measured
                ├── executors                 where points are simulated
                └── results.store             finished points, written at once
    programs, replays                 the same for programs instead of traffic
    status, estimate                  what is there, what is to come
"""

from __future__ import annotations

from weft.spec.keys import StudyKey, study_keys
from weft.spec.programs import ProgramCase, ProgramSpec
from weft.spec.study import DEFAULT_ROUTINGS, StudySpec
from weft.study.case import Case
from weft.study.comparison import compare, default_folder
from weft.study.execution import run_study
from weft.study.file import StudyFile, read_study
from weft.study.progress import (
    PointFinished,
    Progress,
    ReplayFinished,
    RoutingReady,
    RoutingUnderWay,
    SweepFinished,
    Watcher,
)
from weft.study.status import CaseStatus, case_statuses, program_statuses

__all__ = [
    "DEFAULT_ROUTINGS",
    "Case",
    "CaseStatus",
    "PointFinished",
    "ProgramCase",
    "ProgramSpec",
    "Progress",
    "ReplayFinished",
    "RoutingReady",
    "RoutingUnderWay",
    "StudyFile",
    "StudyKey",
    "StudySpec",
    "SweepFinished",
    "Watcher",
    "case_statuses",
    "compare",
    "default_folder",
    "program_statuses",
    "read_study",
    "run_study",
    "study_keys",
]
