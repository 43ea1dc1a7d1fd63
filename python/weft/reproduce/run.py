"""Running experiments again: their studies, what is asked of them, the published figures beside."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from weft.errors import StudyError
from weft.reproduce.definition import study_path
from weft.reproduce.measures import measured_rows
from weft.reproduce.programs import read_programs
from weft.reproduce.published import Cell, beside, published_cells
from weft.results import Reading, Results
from weft.study import StudyFile, read_study, run_study

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from weft.reproduce.definition import Experiment, Paper, Row
    from weft.study import Case, Watcher
    from weft.study.stages import Stages

__all__ = ["Reproduced", "joined_study", "reproduce"]


@dataclass(frozen=True, slots=True)
class Reproduced:
    """An experiment with what came out."""

    experiment: Experiment
    rows: list[Row]  # measured figures, the published beside where they are known
    cases: dict[str, Case]  # by their name in the results file
    # files of traces that were not there, so that nothing was measured of them
    missing: list[str] = field(default_factory=list)
    # published figures with nothing of ours beside them
    alone: list[Cell] = field(default_factory=list)


def reproduce(
    paper: Paper,
    experiments: Sequence[Experiment],
    results: Path,
    *,
    quick: bool = False,
    on: str = "local",
    jobs: int | None = None,
    traces: Path | None = None,
    published: Path | None = None,
    reading: Reading | None = None,
    watcher: Watcher | None = None,
    stages: Stages | None = None,
) -> list[Reproduced]:
    """Run experiments of a paper again, or go on with them, and return them in their order.

    All go to one results file, so that experiments that share points share their work; there is
    none where all are programs. `quick` takes the studies as their tables ``quick`` say, `on` and
    `jobs` say where points are simulated and how many at a time, `traces` is the folder of the
    traces that the package does not have: a `StudyError` where no experiment replays any.
    `published` is a file of further published figures, as `weft.reproduce.published` says.
    `reading` says where the knee is. Other errors are those of `weft.study.run_study`.
    """
    cells = published_cells(paper, published)
    programs = {
        name: read_programs(study_path(paper.tag, name), quick=quick, traces=traces)
        for experiment in experiments
        for name in experiment.programs
    }
    if traces is not None and not any(
        file.applications or file.missing for file in programs.values()
    ):
        message = (
            f"found a folder of traces, {traces}, and none of these experiments replays"
            " applications; leave it out"
        )
        raise StudyError(message)
    study = joined_study(paper, experiments, quick=quick)
    if study.cases:
        run_study(study, results, on=on, jobs=jobs, watcher=watcher, stages=stages)
    made = []
    kept: AbstractContextManager[Mapping[str, Results]] = (
        Results.open_all(results, reading=reading or Reading()) if study.cases else nullcontext({})
    )
    with kept as found:
        for experiment in experiments:
            cases = _cases(paper, experiment, quick=quick)
            asked = [*experiment.question([(case, found[case.name]) for case in cases])]
            missing: list[str] = []
            for file in (programs[name] for name in experiment.programs):
                asked += measured_rows(file)
                missing += [trace for trace in file.missing if trace not in missing]
            rows = [*beside(experiment.name, asked, cells)]
            met = {(experiment.name, row.condition, row.quantity) for row in rows}
            alone = [
                cell
                for key, cell in cells.items()
                if cell.experiment == experiment.name and key not in met
            ]
            named = {case.name: case for case in cases}
            made.append(Reproduced(experiment, rows, named, missing, alone))
    return made


def joined_study(paper: Paper, experiments: Sequence[Experiment], *, quick: bool) -> StudyFile:
    """Return the study of several experiments as one, each case named after its own study."""
    cases = {
        case.name: case
        for experiment in experiments
        for case in _cases(paper, experiment, quick=quick)
    }
    folder = study_path(paper.tag, "")
    return StudyFile(folder, paper.tag, paper.citation, list(cases.values()))


def _cases(paper: Paper, experiment: Experiment, *, quick: bool) -> list[Case]:
    return [
        replace(case, name=f"{name}: {case.name}")
        for name in experiment.studies
        for case in read_study(study_path(paper.tag, name), quick=quick).cases
    ]
