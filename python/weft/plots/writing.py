"""Charts as files: SVG and PNG for screens, SVG, PDF and CSV for papers; no browser is needed.

Several are drawn at a time by processes of their own, which read the results from their file.
"""

from __future__ import annotations

import gc
import pickle
import signal
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from weft._files import as_file_name, whole_file
from weft.errors import EnvironmentFailure, WeftError
from weft.plots import rows as study_rows
from weft.plots.channels import blocked_chart, hosts_chart, utilization_chart
from weft.plots.curves import accepted_chart, latency_chart, longest_chart
from weft.plots.drawing import fabric_chart
from weft.plots.lanes import buffers_chart, has_lanes, lanes_chart
from weft.plots.pools import has_series, pools_chart
from weft.results import Reading, Results

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator

    from weft.plots.chart import Chart

#: How the names of drawings of the fabric begin.
_DRAWING = "fabric"


def write_charts(
    results: Results,
    folder: str | os.PathLike[str],
    *,
    drawing_load: float | None = None,
    undrawn: Callable[[str, Exception], None] | None = None,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> list[Path]:
    """Write every chart of a study for screens, and for a paper; return the files.

    They are ``latency``, ``longest``, ``accepted``, ``utilization``, ``blocked``, ``hosts``, where
    there are several lanes ``lanes`` and ``buffers``, where pools were followed ``pools``, and one
    ``fabric-<routing>`` per simulated routing, or ``fabric`` when none was simulated: each as SVG
    and PNG, and in the folder ``print`` as wide as a column of a paper, as SVG and PDF with its
    data beside as CSV.

    Channels are drawn at the simulated load nearest to `drawing_load` (fraction of the host link
    rate). The folder is made when it is missing, and files are written whole or not at all; where
    the machine does not let one be, that is an `EnvironmentFailure`. A chart that cannot be drawn
    is told to `undrawn`, by its name and what happened, and the others are written; without, what
    happened is raised.

    With `jobs` above 1 so many processes draw at a time, and a program that calls this has to be
    one that multiprocessing can begin anew (``if __name__ == "__main__"``). `progress` is told how
    many charts are done, and of how many.
    """
    charts = _charts(results, drawing_load)
    places = {name: place for place, name in enumerate(charts)}
    jobs = min(jobs, len(charts))
    if jobs > 1:
        asked = _Asked(results.path, results.study, results.reading, Path(folder), drawing_load)
        outcomes = _side_by_side(asked, charts, jobs)
    else:
        outcomes = ((name, _attempt(folder, name, make)) for name, make in charts.items())
    made: dict[str, list[Path] | Exception] = {}
    for name, outcome in outcomes:
        made[name] = outcome
        if isinstance(outcome, Exception) and undrawn is None:
            raise outcome
        progress(len(made), len(charts))
    written: list[Path] = []
    for name in sorted(made, key=places.__getitem__):
        outcome = made[name]
        if not isinstance(outcome, Exception):
            written += outcome
        elif undrawn is not None:
            undrawn(name, outcome)
    return written


def _attempt(
    folder: str | os.PathLike[str], name: str, make: Callable[[], Chart]
) -> list[Path] | Exception:
    """Write the files of a chart and return them, or why it cannot be drawn."""
    try:
        return write_chart(make(), folder, name)
    except WeftError:
        raise
    except Exception as error:  # noqa: BLE001 - a chart that fails costs no other
        return error


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a process that draws is told: whose charts, and where to."""

    path: Path
    study: str
    reading: Reading
    folder: Path
    load: float | None


def _side_by_side(
    asked: _Asked, names: Iterable[str], jobs: int
) -> Iterator[tuple[str, list[Path] | Exception]]:
    """Yield the outcome of each chart as it is there, drawn by so many processes at a time."""
    left = dict.fromkeys(names)
    with _pool(jobs) as pool:
        futures = {pool.submit(_attempt_apart, asked, name): name for name in left}
        try:
            for future in as_completed(futures):
                try:
                    outcome = future.result()
                except BrokenProcessPool:
                    continue
                del left[futures[future]]
                yield futures[future], outcome
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    # A process that the system ends takes its pool with it: what is left is drawn one by one.
    while left:
        with _pool(1) as pool:
            for name in list(left):
                del left[name]
                try:
                    yield name, pool.submit(_attempt_apart, asked, name).result()
                except BrokenProcessPool:
                    yield name, EnvironmentFailure("the system ended the process that drew it")
                    break


def _pool(jobs: int) -> ProcessPoolExecutor:
    # Forked, a process would have locks of threads that it has not.
    return ProcessPoolExecutor(jobs, get_context("spawn"), _begin)


def _begin() -> None:
    """Begin a process that draws: an interruption is its parent's to tell."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(50_000)


@cache
def _charts_of(asked: _Asked) -> dict[str, Callable[[], Chart]]:
    results = Results.open(asked.path, asked.study, reading=asked.reading)
    return _charts(results, asked.load)


def _attempt_apart(asked: _Asked, name: str) -> list[Path] | Exception:
    """Write a chart in a process of its own; what happened reaches another process."""
    outcome = _attempt(asked.folder, name, _charts_of(asked)[name])
    if isinstance(outcome, Exception):
        try:
            pickle.loads(pickle.dumps(outcome))  # noqa: S301 - what was pickled just now
        except Exception:  # noqa: BLE001 - whatever an exception of a library does
            return RuntimeError(f"{type(outcome).__name__}: {outcome}")
    return outcome


def write_chart(chart: Chart, folder: str | os.PathLike[str], name: str) -> list[Path]:
    """Write a chart for screens and for a paper under a name, and return the files."""
    files = {f"{name}{end}": content for end, content in chart.shown().items()}
    files |= {f"print/{name}{end}": content for end, content in chart.printed().items()}
    written = []
    for file, content in files.items():
        path = Path(folder) / file
        with whole_file(path) as begun:
            begun.write_bytes(content)
        written.append(path)
    return written


def _charts(results: Results, load: float | None) -> dict[str, Callable[[], Chart]]:
    """Return what makes the charts by the name of their file; without those without any data."""
    charts: dict[str, Callable[[], Chart]] = {}
    routings = study_rows.simulated(results)
    if routings:
        charts["latency"] = partial(latency_chart, results)
        charts["longest"] = partial(longest_chart, results)
        charts["accepted"] = partial(accepted_chart, results)
        charts["utilization"] = partial(utilization_chart, results, load)
        charts["blocked"] = partial(blocked_chart, results, load)
        charts["hosts"] = partial(hosts_chart, results, load)
        if has_lanes(results):
            charts["lanes"] = partial(lanes_chart, results, load)
            charts["buffers"] = partial(buffers_chart, results, load)
        if has_series(results):
            charts["pools"] = partial(pools_chart, results, load)
    for routing in routings:
        name = f"{_DRAWING}-{file_name(routing.label)}"
        while name in charts:
            name += "-"
        charts[name] = partial(fabric_chart, results, routing.label, load)
    if not routings:
        charts[_DRAWING] = partial(fabric_chart, results)
    return charts


def file_name(label: str) -> str:
    """Turn a label into something every file system takes as part of a name."""
    return as_file_name(label, "routing")
