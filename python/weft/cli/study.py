"""``weft study``: study files, planned, run, looked after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from weft import report as reports
from weft._numbers import counted
from weft.cli.options import (
    FILE,
    FOLDER,
    Options,
    argument,
    command,
    flag,
    group,
    json_flag,
    option,
)
from weft.cli.output import Column, emit_json, print_table, say, talk, words
from weft.cli.progress import shown_progress
from weft.cli.reading import ReadingOptions, print_link_uses
from weft.errors import ResultsError
from weft.results import Results
from weft.study import (
    CaseStatus,
    case_statuses,
    program_statuses,
    read_study,
    run_study,
    study_keys,
)
from weft.study.cancellation import cancel as stop
from weft.study.presence import worker_on

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from weft.study import StudyFile

__all__ = ["study"]


@click.group()
def study() -> None:
    """Plan and run study files (TOML): fabrics × hardware × traffic × routings × loads × seeds.

    The smallest one:

    \b
      [[fabrics]]
      topology = "irregular"
      switches = [16, 32]

    Everything else has a default; `weft study keys` lists all keys. Results go to one file, point
    by point, and are the same wherever the points are simulated.

    \b
    Examples:
      weft study plan sizes.toml
      weft study run sizes.toml
      weft study run sizes.toml --on dask:tcp://10.0.0.1:8786
      weft study run sizes.toml --on slurm
      weft study status sizes.toml
    """


class _FileOptions(Options):
    file: Path = argument(type=FILE)
    quick: bool = flag("Take what the table [quick] of the file says instead.")
    folder: Path | None = option(
        "Folder for the results; weft-results/<name of the study file> when left out.",
        "--out",
        "-o",
        type=FOLDER,
    )
    as_json: bool = json_flag()

    def read(self) -> tuple[StudyFile, Path]:
        """Read the study; its results file beside it."""
        read = read_study(self.file, quick=self.quick)
        folder = self.folder
        return read, read.default_results if folder is None else folder / "results.sqlite"


class PlaceOptions(Options):
    """Where a study is computed."""

    place: str = option(
        "Where points are simulated: threads of this process, a Dask scheduler, or a Slurm job"
        " array in a folder beside the results, which all nodes must share.",
        "--on",
        metavar="local|dask:ADDRESS|slurm",
        default="local",
    )
    jobs: int | None = option(
        "With --on local: simulations at a time; one per processor.", type=int
    )


class _RunOptions(Options):
    study: _FileOptions = group(_FileOptions)
    where: PlaceOptions = group(PlaceOptions)
    reading: ReadingOptions = group(ReadingOptions)


@command(_FileOptions, study, short_help="Say what would be run, and what it costs.")
def plan(options: _FileOptions) -> None:
    """Print the cases of a study, their points and their estimated cost; run nothing.

    A ladder's points depend on what is measured: their number is what is usual. The cost is
    seconds of one processor, and rough: a factor of two either way is common.

    \b
    Examples:
      weft study plan sizes.toml
      weft study plan sizes.toml --quick
    """
    _print_statuses("study-plan", *options.read(), as_json=options.as_json)


@command(_RunOptions, study, short_help="Run a study, or go on with it.")
def run(options: _RunOptions) -> None:
    """Run a study: compute every point that its results file lacks.

    After Ctrl-C, `weft study cancel` or a kill at any moment the same command goes on where it was;
    points in flight are all that is lost.

    \b
    Examples:
      weft study run sizes.toml --out sizes
      weft study run sizes.toml --on dask:tcp://10.0.0.1:8786
      SBATCH_PARTITION=long weft study run sizes.toml --on slurm
    """
    _run(options)


@command(_RunOptions, study, short_help="Go on with a study that was begun.")
def resume(options: _RunOptions) -> None:
    """Go on with a study that was begun: as `run`, but refused when there are no results yet.

    \b
    Examples:
      weft study resume sizes.toml --on slurm
    """
    _, path = options.study.read()
    if not path.exists():
        message = f"{path}: no such file; expected results to go on from (weft study run begins)"
        raise ResultsError(message)
    _run(options)


@command(_FileOptions, study, short_help="Say how far a study is.")
def status(options: _FileOptions) -> None:
    """Say how far a study is, and whether somebody works on it.

    \b
    Examples:
      weft study status sizes.toml
    """
    _print_statuses("study-status", *options.read(), as_json=options.as_json)


@command(_FileOptions, study, short_help="Stop a study that runs; finished points are kept.")
def cancel(options: _FileOptions) -> None:
    """Stop a study wherever it runs: the process that works on it, and its job array.

    Finished points are kept; `weft study resume` goes on.

    \b
    Examples:
      weft study cancel sizes.toml
    """
    _, path = options.read()
    stopped = stop(path)
    if options.as_json:
        emit_json("study-cancel", {"results": path, "stopped": stopped})
        return
    say("\n".join(stopped) or f"nothing works on {path}")


class _KeysOptions(Options):
    as_json: bool = json_flag()


@command(_KeysOptions, study, short_help="List every key of a study file.")
def keys(options: _KeysOptions) -> None:
    """List every key of a study file with type, unit, range, default and meaning.

    The parameters of a topology are keys of its table as well: see `weft fabric new --help`.

    \b
    Examples:
      weft study keys --json
    """
    found = study_keys()
    if options.as_json:
        emit_json("study-keys", {"keys": found})
        return
    columns = words("key", "type", "default", "meaning")
    rows = [
        [
            f"{key.section}.{key.name}" if key.section else key.name,
            f"{key.type}, {key.unit}" if key.unit else key.type,
            key.default or "–",
            f"{key.summary} ({key.range}; {key.source})",
        ]
        for key in found
    ]
    print_table(columns, rows)


def _print_statuses(kind: str, read: StudyFile, path: Path, *, as_json: bool) -> None:
    statuses = [*case_statuses(read.cases, path), *program_statuses(read.programs, path)]
    worker = worker_on(path)
    if as_json:
        head = {"title": read.title, "results": path}
        emit_json(kind, {**head, "worked_on_by": worker, "cases": statuses})
        return
    say(read.title)
    say()
    print_table(_COLUMNS, [*map(_row, statuses), _row(_total(statuses))])
    say()
    if worker is not None:
        say(f"process {worker.get('process')} on {worker.get('host')} works on it")
    say(f"results  {path}{'' if path.exists() else ' (none yet)'}")


_COLUMNS = (
    Column("case", is_number=False),
    Column("routings"),
    Column("finished"),
    Column("refused"),
    Column("points", "there"),
    Column("points", "to come"),
    Column("estimated", "s of a processor"),
)


#: What of cases adds up.
_COUNTED = ("routings", "finished", "refused", "points", "missing_points", "missing_cost_s")


def _row(status: CaseStatus) -> list[str]:
    return [
        status.name,
        *(str(getattr(status, name)) for name in _COUNTED[:4]),
        f"{'' if status.is_exact else 'about '}{status.missing_points}",
        _cost(status.missing_cost_s),
    ]


def _cost(seconds: float) -> str:
    return f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}"


def _total(statuses: Sequence[CaseStatus]) -> CaseStatus:
    return CaseStatus(
        counted(len(statuses), "case"),
        **{name: sum(getattr(status, name) for status in statuses) for name in _COUNTED},
        is_exact=all(status.is_exact for status in statuses),
    )


def _run(options: _RunOptions) -> None:
    read, path = options.study.read()
    as_json = options.study.as_json
    names = {case.name for case in read.cases} | {case.name for case in read.programs}
    reading = options.reading.made()
    talk(f"{read.title}: {counted(len(names), 'case')}")
    with shown_progress(path) as watcher:
        run_study(read, path, on=options.where.place, jobs=options.where.jobs, watcher=watcher)
    if read.programs:
        with Results.open_all(path) as opened:
            found = {name: each for name, each in opened.items() if name in names}
            _print_programs(read.title, found, path, as_json=as_json)
        return
    with Results.open_all(path, reading=reading) as opened:
        cases = {name: found for name, found in opened.items() if name in names}
        rankings = {name: found.ranking() for name, found in cases.items()}
        link_uses = {name: found.link_use() for name, found in cases.items()}
    if as_json:
        document = {"title": read.title, "results": path, "cases": rankings}
        emit_json("study-run", {**document, "link_use": link_uses})
        return
    rows = [
        [
            name,
            row.label if row.same_routes_as is None else f"{row.label} = {row.same_routes_as}",
            row.state
            if row.throughput_bytes_per_ns_per_switch is None
            else f"{row.throughput_bytes_per_ns_per_switch:.5f}",
            "–" if row.relative_to_best is None else f"{row.relative_to_best:.2f}",
            "–"
            if row.knee_bytes_per_ns_per_switch is None
            else f"{row.knee_bytes_per_ns_per_switch:.5f}",
            "–" if row.unloaded_latency_ns is None else f"{row.unloaded_latency_ns:.0f}",
        ]
        for name, ranking in rankings.items()
        for row in ranking
    ]
    columns = [
        *words("case", "routing"),
        Column("throughput", "bytes/ns/switch"),
        Column("of", "best"),
        Column("knee", "bytes/ns/switch"),
        Column("unloaded", "latency ns"),
    ]
    print_table(columns, rows)
    say()
    print_link_uses(link_uses)
    say(f"results  {path}")


def _print_programs(
    title: str, studies: Mapping[str, Results], path: Path, *, as_json: bool
) -> None:
    tables = reports.program_table(reports.program_rows(studies))
    if as_json:
        runs = [
            {
                "case": name,
                "routing": routing.label,
                "same_routes_as": routing.same_routes_as,
                **results.replays[routing.label].to_dict(),
            }
            for name, results in studies.items()
            for routing in results.routings
            if routing.label in results.replays
        ]
        emit_json("study-programs", {"title": title, "results": path, "runs": runs})
        return
    names = [name for _, name, _ in reports.PARTS]
    columns = [
        *words("fabric", "routing"),
        Column("time", "ms"),
        Column("against", "the first"),
        *(Column(name) for name in names),
    ]
    for table in tables:
        say(f"{table['program']}: {table['conditions']}\n")
        rows = [
            [
                row["fabric"],
                row["routing"],
                row["time"],
                row["relative"],
                *(row["shares"].get(name, "–") for name in names),
            ]
            for row in table["rows"]
        ]
        print_table(columns, rows)
        for row in table["rows"]:
            if row["note"]:
                say(f"{row['fabric']}, {row['routing']}: {row['note']}")
        say()
    say(f"results  {path}")
