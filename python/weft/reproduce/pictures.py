"""Charts of reproduced experiments: latency over traffic, and the links, the busiest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.reproduce.questions import condition
from weft.results import Results

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.reproduce.run import Reproduced

__all__ = ["pictures"]

#: Charts shown of an experiment: its first cases.
_MOST_CASES = 3


#: Unit of throughput.
_UNIT = "bytes/ns/switch"


def pictures(made: Sequence[Reproduced], path: Path) -> dict[str, list[tuple[str, str]]]:
    """Draw the charts of experiments.

    Parameters
    ----------
    made : sequence of Reproduced
        The experiments.
    path : Path
        Their results file.

    Returns
    -------
    dict
        By name of an experiment: captions with charts as SVG.
    """
    from vl_convert import vegalite_to_svg

    from weft.plots import blocked_chart, latency_chart, spread_chart, utilization_chart
    from weft.plots.theme import vega_lite_version

    drawn: dict[str, list[tuple[str, str]]] = {}
    swept = [entry for entry in made if entry.cases]
    if not swept:
        return drawn
    with Results.open_all(path) as found:
        for entry in swept:
            charts = []
            if entry.experiment.boxes:
                spread = _spread(entry, found)
                chart = spread_chart(spread, "Throughput over topologies", f"throughput ({_UNIT})")
                charts.append(("all topologies", chart))
            for name in list(entry.cases)[:_MOST_CASES]:
                if not any(routing.points for routing in found[name].routings):
                    continue
                if entry.experiment.curves:
                    charts.append((name, latency_chart(found[name])))
                if entry.experiment.channels:
                    charts.append((name, utilization_chart(found[name])))
                    charts.append((name, blocked_chart(found[name])))
            drawn[entry.experiment.name] = [
                (
                    caption,
                    vegalite_to_svg(chart.to_json(indent=None), vl_version=vega_lite_version()),
                )
                for caption, chart in charts
            ]
    return drawn


def _spread(entry: Reproduced, found: dict[str, Results]) -> list[tuple[str, str, float]]:
    """Return the throughput of every topology with its condition and routing."""
    return [
        (
            condition(case, entry.experiment.boxes),
            routing.label,
            routing.throughput.accepted_bytes_per_ns_per_switch,
        )
        for name, case in entry.cases.items()
        for routing in found[name].routings
        if routing.throughput is not None
    ]
