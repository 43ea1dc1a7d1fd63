"""The page as a whole: from results to one HTML file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft._files import write_text
from weft.explore.layers import measured_layers
from weft.fabric import fabric_figures
from weft.plots import loads as study_loads
from weft.plots import rows as study_rows
from weft.plots.theme import ROUTING_COLOURS
from weft.report import sections
from weft.report.answers import of_study
from weft.report.audit import judged_row
from weft.report.explore import explored
from weft.report.figures import choices, figures
from weft.report.glossary import TERMS
from weft.report.manifest import conditions, manifest_tables
from weft.report.names import ShortNames
from weft.report.scripts import (
    embedded_json,
    page_script,
    page_style,
    picture,
    template,
)
from weft.study.beside_static import beside_static

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from weft.results import Results
    from weft.study.beside_static import BesideStatic


def write_report(
    results: Results,
    path: str | os.PathLike[str],
    *,
    drawing_load: float | None = None,
    undrawn: Callable[[str, Exception], None] | None = None,
    beside: BesideStatic | None = None,
) -> None:
    """Write the report of a study as one self-contained HTML file.

    Parameters
    ----------
    results : Results
        The results of a study.
    path : path-like
        File to write; an existing one is replaced.
    drawing_load : float, optional
        Offered load (fraction of the host link rate) at which the channels are shown first; the
        nearest simulated one is taken.  By default the largest at which all routings still carry
        what is offered.
    undrawn : callable, optional
        Is told of every chart that cannot be drawn, by its name and what happened; the page says so
        in its place. Without, what happened is raised.
    beside : BesideStatic, optional
        What chooses among groups of ports, judged already; it is judged here when not given.

    Raises
    ------
    InputError
        When ``drawing_load`` is out of range.
    EnvironmentFailure
        When the machine does not let it be written; an existing file is left as it was.
    """
    page = render_report(results, drawing_load=drawing_load, undrawn=undrawn, beside=beside)
    write_text(path, page)


def render_report(
    results: Results,
    *,
    drawing_load: float | None = None,
    undrawn: Callable[[str, Exception], None] | None = None,
    beside: BesideStatic | None = None,
) -> str:
    """Return the report of `write_report` as HTML; the same results give the same text."""
    choosing = beside_static(results) if beside is None else beside
    context = {
        **_context(results, drawing_load, undrawn),
        "beside_static": [judged_row(judged) for judged in choosing.judged],
        "adaptive": choosing.words,
    }
    return template("template.html").render(context)


def choice_text(load: float) -> str:
    """Write a load as one of those a reader can choose."""
    if load == study_loads.AT_THROUGHPUT:
        return study_loads.where_text(load)
    return study_loads.load_text(load)


def _context(
    results: Results,
    drawing_load: float | None,
    undrawn: Callable[[str, Exception], None] | None,
) -> dict[str, Any]:
    """Gather everything the template shows, as texts and rows of texts."""
    chosen = choices(results, drawing_load)
    charts = figures(results, chosen, undrawn)
    labels = study_rows.routing_labels(results)
    script = page_script()
    named = ShortNames(results.fabric)
    return {
        "style": page_style(),
        "script": script,
        "pictures": {chart.name: picture(chart.svg) for chart in charts},
        "narrow": {chart.name: picture(chart.narrow) for chart in charts},
        "chart_notes": {chart.name: chart.notes for chart in charts},
        "members": embedded_json({chart.name: chart.members for chart in charts if chart.members}),
        "descriptions": {chart.name: chart.description for chart in charts},
        "fabric": results.fabric,
        "named": named,
        "answers": of_study(results, chosen.load, named),
        "conditions": conditions(results.manifest),
        "colours": {
            label: ROUTING_COLOURS[index % len(ROUTING_COLOURS)]
            for index, label in enumerate(labels)
        },
        "labels": chosen.labels,
        "routing_index": chosen.routing_index,
        "loads": [choice_text(load) for load in chosen.loads],
        "load_index": chosen.load_index,
        "by_load": " ".join(f"chart-{chart.name}" for chart in charts if chart.has_loads),
        "drawing_load": None if chosen.load is None else study_loads.where_text(chosen.load),
        "ranking": sections.ranking(results, chosen.load),
        "proofs": sections.proofs(results),
        "deadlocks": sections.deadlocks(results),
        "points": sections.points(results),
        "hot_channels": sections.hot_channels(results, chosen.load),
        "knee_factor": f"{results.reading.knee_factor:g}",
        "link_use": sections.link_use(results),
        "hosts_served": sections.hosts_served(results, chosen.load),
        "lanes_used": sections.lanes_used(results, chosen.load),
        "explore": explored(
            results.fabric, labels, lambda: measured_layers(results), scripts=[script]
        ),
        "fabric_figures": sections.fabric_rows(fabric_figures(results.fabric)),
        "manifest": manifest_tables(results.manifest),
        "rules": sections.throughput_rules(results),
        "terms": TERMS,
    }
