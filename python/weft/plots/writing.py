"""Charts as files: SVG and PNG for screens, SVG, PDF and CSV for papers; no browser is needed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from weft._files import whole_file
from weft.errors import InputError
from weft.plots import rows as study_rows
from weft.plots.channels import BLOCKED, HOSTS, UTILIZATION, sorted_figures
from weft.plots.conversion import converted
from weft.plots.curves import accepted, latency, longest
from weft.plots.drawing import utilized, wiring
from weft.plots.lanes import BUFFERS, LANES, has_lanes, lanes_drawn
from weft.plots.loads import drawing_loads
from weft.plots.pools import has_series, pools
from weft.plots.printing import printed
from weft.plots.svg import draw

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from weft.fabric import Fabric
    from weft.plots.theme import Spec
    from weft.results import Results

__all__ = ["file_name", "write_charts", "write_files", "write_printed", "write_wiring"]

#: How the names of drawings of the fabric begin.
_DRAWING = "fabric"


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
    the machine does not let one be, that is an `EnvironmentFailure`. Where no PNG and PDF can be
    made it is a `DrawingFailure`; what needs neither is written then.
    """
    files: dict[str, str] = {}
    sources: dict[str, str] = {}
    for name, chart in _charts(results, drawing_load).items():
        column = printed(chart, is_drawing=name.startswith(_DRAWING))
        files[f"{name}.svg"] = sources[f"{name}.png"] = draw(chart)
        files |= {f"print/{name}.svg": column.svg, f"print/{name}.csv": column.csv}
        sources[f"print/{name}.pdf"] = column.svg_for_pdf
    return write_files(Path(folder), files, sources)


def write_printed(charts: Mapping[str, Spec], folder: Path) -> list[Path]:
    """Write charts as wide as a column of a paper, as SVG and PDF, with their data as CSV.

    Errors are those of `write_charts`.
    """
    columns = {name: printed(chart) for name, chart in charts.items()}
    files = {f"{name}.svg": column.svg for name, column in columns.items()}
    files |= {f"{name}.csv": column.csv for name, column in columns.items()}
    sources = {f"{name}.pdf": column.svg_for_pdf for name, column in columns.items()}
    return write_files(folder, files, sources)


def write_wiring(fabric: Fabric, path: str | os.PathLike[str]) -> None:
    """Draw a fabric as it is wired: as SVG or PNG, as the end of the file's name tells.

    Another end is an `InputError`; further errors are those of `write_charts`.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in {".svg", ".png"}:
        message = f"found picture {target.name!r}, expected a name that ends in .svg or .png"
        raise InputError(message)
    svg = draw(wiring(fabric))
    content = svg.encode() if suffix == ".svg" else converted([(suffix, svg)])[0]
    with whole_file(target) as partial:
        partial.write_bytes(content)


def write_files(folder: Path, files: Mapping[str, str], sources: Mapping[str, str]) -> list[Path]:
    """Write texts, and then the pictures of other formats that come of SVG, by their names."""
    contents = {name: text.encode() for name, text in files.items()}
    _write(folder, contents)
    made = converted([(Path(name).suffix, svg) for name, svg in sources.items()])
    pictures = dict(zip(sources, made, strict=True))
    _write(folder, pictures)
    return [folder / name for name in sorted({*contents, *pictures})]


def _write(folder: Path, contents: Mapping[str, bytes]) -> None:
    for name, content in contents.items():
        with whole_file(folder / name) as partial:
            partial.write_bytes(content)


def _charts(results: Results, load: float | None) -> dict[str, Spec]:
    """Return the charts by the name of their file; charts without any data are left out."""
    charts: dict[str, Spec] = {}
    routings = study_rows.simulated(results)
    if routings:
        loads = drawing_loads(results, load)
        charts["latency"] = latency(results)
        charts["longest"] = longest(results)
        charts["accepted"] = accepted(results)
        charts["utilization"] = sorted_figures(results, UTILIZATION, loads)
        charts["blocked"] = sorted_figures(results, BLOCKED, loads)
        charts["hosts"] = sorted_figures(results, HOSTS, loads)
        if has_lanes(results):
            charts["lanes"] = lanes_drawn(results, LANES, loads)
            charts["buffers"] = lanes_drawn(results, BUFFERS, loads)
        if has_series(results):
            charts["pools"] = pools(results, load)
    for routing in routings:
        name = f"{_DRAWING}-{file_name(routing.label)}"
        while name in charts:
            name += "-"
        charts[name] = utilized(results, routing.label, load)
    if not routings:
        charts[_DRAWING] = utilized(results)
    return charts


def file_name(label: str) -> str:
    """Turn a label into something every file system takes as part of a name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", label).strip("-.") or "routing"
