"""Charts as files: SVG and PNG for screens, SVG, PDF and CSV for papers; no browser is needed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from weft._files import whole_file
from weft.errors import InputError
from weft.plots import rows as study_rows
from weft.plots.channels import blocked_chart, hosts_chart, utilization_chart
from weft.plots.curves import accepted_chart, latency_chart, longest_chart
from weft.plots.drawing import fabric_chart
from weft.plots.lanes import buffers_chart, has_lanes, lanes_chart
from weft.plots.pools import has_series, pools_chart
from weft.plots.printing import printed
from weft.plots.theme import vega_lite_version

if TYPE_CHECKING:
    import os

    import altair as alt

    from weft.results import Results

#: How the names of drawings of the fabric begin.
_DRAWING = "fabric"

PNG_SCALE = 2.0
"""Pixels of a PNG to a CSS pixel."""


def write_charts(
    results: Results, folder: str | os.PathLike[str], *, drawing_load: float | None = None
) -> list[Path]:
    """Write every chart of a study for screens, and for a paper; return the files.

    They are ``latency``, ``longest``, ``accepted``, ``utilization``, ``blocked``, ``hosts``, where
    there are several lanes ``lanes`` and ``buffers``, where pools were followed ``pools``, and one
    ``fabric-<routing>`` per simulated routing, or ``fabric`` when none was simulated: each as SVG
    and PNG, and in the folder ``print`` as wide as a column of a paper, as SVG and PDF with its
    data beside as CSV.

    Channels are drawn at the simulated load nearest to `drawing_load` (fraction of the host link
    rate). The folder is made when it is missing, and files are written whole or not at all; where
    the machine does not let one be, that is an `EnvironmentFailure`.
    """
    from vl_convert import vegalite_to_svg

    written: list[Path] = []
    for name, chart in _charts(results, drawing_load).items():
        svg = vegalite_to_svg(chart.to_json(indent=None), vl_version=vega_lite_version())
        column = printed(chart, is_drawing=name.startswith(_DRAWING))
        files = {f"{name}.svg": svg.encode(), f"{name}.png": _png(svg)}
        files |= {f"print/{name}{suffix}": content for suffix, content in column.items()}
        for file, content in files.items():
            path = Path(folder) / file
            with whole_file(path) as partial:
                partial.write_bytes(content)
            written.append(path)
    return written


def write_chart(chart: alt.LayerChart, path: str | os.PathLike[str]) -> None:
    """Write one chart, whole or not at all: SVG or PNG, as the end of the file's name tells.

    Another end is an `InputError`, and an `EnvironmentFailure` where the machine does not let the
    file be written.
    """
    from vl_convert import vegalite_to_svg

    suffix = Path(path).suffix.lower()
    if suffix not in {".svg", ".png"}:
        message = f"found picture {Path(path).name!r}, expected a name that ends in .svg or .png"
        raise InputError(message)
    svg = vegalite_to_svg(chart.to_json(indent=None), vl_version=vega_lite_version())
    with whole_file(path) as partial:
        partial.write_bytes(_png(svg) if suffix == ".png" else svg.encode())


def _png(svg: str) -> bytes:
    from vl_convert import svg_to_png

    return svg_to_png(svg, scale=PNG_SCALE)


def _charts(results: Results, load: float | None) -> dict[str, alt.LayerChart]:
    """Return the charts by the name of their file; charts without any data are left out."""
    charts: dict[str, alt.LayerChart] = {}
    routings = study_rows.simulated(results)
    if routings:
        charts["latency"] = latency_chart(results)
        charts["longest"] = longest_chart(results)
        charts["accepted"] = accepted_chart(results)
        charts["utilization"] = utilization_chart(results, load)
        charts["blocked"] = blocked_chart(results, load)
        charts["hosts"] = hosts_chart(results, load)
        if has_lanes(results):
            charts["lanes"] = lanes_chart(results, load)
            charts["buffers"] = buffers_chart(results, load)
        if has_series(results):
            charts["pools"] = pools_chart(results, load)
    for routing in routings:
        name = f"{_DRAWING}-{file_name(routing.label)}"
        while name in charts:
            name += "-"
        charts[name] = fabric_chart(results, routing.label, load)
    if not routings:
        charts[_DRAWING] = fabric_chart(results)
    return charts


def file_name(label: str) -> str:
    """Turn a label into something every file system takes as part of a name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", label).strip("-.") or "routing"
