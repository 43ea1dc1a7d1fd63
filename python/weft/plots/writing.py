"""Charts as files: SVG and PNG for screens, SVG, PDF and CSV for papers; no browser is needed."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from weft._files import whole_file
from weft.errors import WeftError
from weft.plots import rows as study_rows
from weft.plots.channels import blocked_chart, hosts_chart, utilization_chart
from weft.plots.curves import accepted_chart, latency_chart, longest_chart
from weft.plots.drawing import fabric_chart
from weft.plots.lanes import buffers_chart, has_lanes, lanes_chart
from weft.plots.pools import has_series, pools_chart

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from weft.plots.chart import Chart
    from weft.results import Results

#: How the names of drawings of the fabric begin.
_DRAWING = "fabric"


def write_charts(
    results: Results,
    folder: str | os.PathLike[str],
    *,
    drawing_load: float | None = None,
    undrawn: Callable[[str, Exception], None] | None = None,
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
    """
    written: list[Path] = []
    for name, make in _charts(results, drawing_load).items():
        try:
            files = _files_of(name, make())
        except WeftError:
            raise
        except Exception as error:
            if undrawn is None:
                raise
            undrawn(name, error)
            continue
        for file, content in files.items():
            path = Path(folder) / file
            with whole_file(path) as begun:
                begun.write_bytes(content)
            written.append(path)
    return written


def _files_of(name: str, chart: Chart) -> dict[str, bytes]:
    """Return what a chart is on screens and in a paper, by the name of its file."""
    files = {f"{name}{end}": content for end, content in chart.shown().items()}
    return files | {f"print/{name}{end}": content for end, content in chart.printed().items()}


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
    return re.sub(r"[^A-Za-z0-9._-]+", "-", label).strip("-.") or "routing"
