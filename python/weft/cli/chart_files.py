"""Charts as files where they are asked for: several drawn at a time, with progress."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft import plots
from weft._machine import usable_processors
from weft.cli.options import FOLDER, Options, option
from weft.cli.progress import shown_charts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from weft.results import Results

__all__ = ["ChartOptions"]

#: Charts are a dozen, and each process loads the libraries anew.
_MOST_PROCESSES = 8


class ChartOptions(Options):
    """Where charts are written."""

    charts: Path | None = option(
        "Also write every chart to this folder: SVG and PNG, and for papers SVG, PDF and CSV.",
        type=FOLDER,
    )

    def write(
        self,
        results: Results,
        *,
        jobs: int | None,
        undrawn: Callable[[str, Exception], None],
        load: float | None = None,
    ) -> list[Path]:
        """Write the charts of a study if asked to, so many at a time, and return the files."""
        if self.charts is None:
            return []
        if jobs is None:
            jobs = min(usable_processors(), _MOST_PROCESSES)
        with shown_charts() as progress:
            return plots.write_charts(
                results,
                self.charts,
                drawing_load=load,
                undrawn=undrawn,
                jobs=jobs,
                progress=progress,
            )
