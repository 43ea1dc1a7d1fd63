"""Charts of reproduced experiments: curves, boxes, channels and pools; as files if asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from weft import plots
from weft.errors import WeftError
from weft.plots.loads import AT_THROUGHPUT
from weft.plots.writing import write_chart
from weft.reproduce.questions import condition_in_words, just_below
from weft.results import Results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from weft.plots.chart import Chart
    from weft.reproduce.definition import Experiment
    from weft.reproduce.run import Reproduced
    from weft.results import RoutingResult
    from weft.study import Case

__all__ = ["Picture", "pictures"]

#: Conditions of which charts are shown; of more, the first ones.
_MOST_CONDITIONS = 6

#: What topologies of the same condition differ in.
_TOPOLOGY = "fabrics.seed"

#: Unit of throughput.
_UNIT = "bytes/ns/switch"


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart of an experiment."""

    name: str  # of its files, unique within the experiment: ``latency-16-switches``
    title: str  # what it shows
    caption: str  # under what it was measured
    svg: str  # for a screen
    narrow: str  # for a telephone


@dataclass(frozen=True, slots=True)
class _Shown:
    """The curves of one chart, under the names they have in its legend."""

    routings: list[RoutingResult]


def pictures(
    made: Sequence[Reproduced],
    path: Path,
    undrawn: Callable[[str, Exception], None] | None = None,
    folder: Path | None = None,
) -> dict[str, list[Picture]]:
    """Draw the charts of experiments, and write them to a folder as `plots.write_charts` does.

    Without a folder there are no files. A chart that cannot be drawn is told to `undrawn`, by its
    name and what happened; without, what happened is raised.
    """
    swept = [entry for entry in made if entry.cases]
    drawn: dict[str, list[Picture]] = {}
    if not swept:
        return drawn
    with Results.open_all(path) as found:
        for entry in swept:
            own = drawn.setdefault(entry.experiment.name, [])
            for name, caption, make in _makers(entry, found):
                try:
                    chart = make()
                    own.append(Picture(name, chart.title, caption, chart.svg(), chart.narrow_svg()))
                    if folder is not None:
                        write_chart(chart, folder, f"{entry.experiment.name}-{name}")
                except WeftError:
                    raise
                except Exception as error:
                    if undrawn is None:
                        raise
                    undrawn(f"{entry.experiment.name}-{name}", error)
    return drawn


def _makers(
    entry: Reproduced, found: Mapping[str, Results]
) -> Iterator[tuple[str, str, Callable[[], Chart]]]:
    """Yield name, caption and maker of every chart of an experiment."""
    if entry.experiment.boxes:
        title, axis = "Throughput over topologies", f"throughput ({_UNIT})"
        yield (
            "boxes",
            "All topologies.",
            partial(plots.spread_chart, _spread(entry, found), title, axis),
        )
    for group in _conditions(entry)[:_MOST_CONDITIONS]:
        _, case = group[0]
        words = condition_in_words(case, without=entry.experiment.series)
        seed = case.settings.get(_TOPOLOGY)
        caption = f"{words}." if seed is None else f"{words}; the topology of seed {seed}."
        for name, make in _charts(entry.experiment, group, found):
            yield f"{name}-{_file_name(words)}", caption, make


def _charts(
    experiment: Experiment, group: list[tuple[str, Case]], found: Mapping[str, Results]
) -> Iterator[tuple[str, Callable[[], Chart]]]:
    """Yield what draws one condition."""
    shown = _shown(experiment, group, found)
    if not shown.routings:
        return
    what = experiment.series.partition(".")[2] or "routing"
    if experiment.curves:
        yield "latency", partial(plots.latency_chart, shown, what)
    if experiment.longest:
        yield "longest", partial(plots.longest_chart, shown, what)
    if experiment.accepted:
        yield "accepted", partial(plots.accepted_chart, shown, what)
    results = found[group[0][0]]
    if experiment.channels:
        yield "utilization", partial(plots.utilization_chart, results, AT_THROUGHPUT)
        yield "blocked", partial(plots.blocked_chart, results, AT_THROUGHPUT)
    if experiment.pools:
        (routing,) = shown.routings
        below = just_below(routing)
        if below is not None:
            yield "pools", partial(plots.pools_chart, results, below.load)
        yield "pools-saturated", partial(plots.pools_chart, results, routing.points[-1].load)


def _conditions(entry: Reproduced) -> list[list[tuple[str, Case]]]:
    """Gather the cases of the first topology of each condition, whatever study they are of."""
    groups: dict[str, list[tuple[str, Case]]] = {}
    apart = (_TOPOLOGY, entry.experiment.series)
    for name, case in entry.cases.items():
        settings = {key: value for key, value in case.settings.items() if key not in apart}
        groups.setdefault(repr(sorted(settings.items())), []).append((name, case))
    return [
        [
            (name, case)
            for name, case in group
            if case.settings.get(_TOPOLOGY) == group[0][1].settings.get(_TOPOLOGY)
        ]
        for group in groups.values()
    ]


def _shown(
    experiment: Experiment, group: list[tuple[str, Case]], found: Mapping[str, Results]
) -> _Shown:
    """Take the curves of one chart together: a routing that two studies share is one of them."""
    names = dict(experiment.names)
    kept: dict[str, RoutingResult] = {}
    for name, case in group:
        for routing in found[name].routings:
            if not routing.points or (names and routing.label not in names):
                continue
            label = names.get(routing.label, routing.label)
            if experiment.series:
                label = str(case.settings[experiment.series]).replace("_", " ")
            kept.setdefault(label, replace(routing, label=label))
    order = list(names.values())
    if order and not experiment.series:
        return _Shown([kept[label] for label in order if label in kept])
    return _Shown(list(kept.values()))


def _spread(entry: Reproduced, found: Mapping[str, Results]) -> list[tuple[str, str, float]]:
    """Return the throughput of every topology with its condition and routing."""
    names = dict(entry.experiment.names)
    spread = [
        (
            condition_in_words(case, entry.experiment.boxes),
            names.get(routing.label, routing.label),
            routing.throughput.accepted_bytes_per_ns_per_switch,
        )
        for name, case in entry.cases.items()
        for routing in found[name].routings
        if routing.throughput is not None and (not names or routing.label in names)
    ]
    order = list(names.values())
    return sorted(spread, key=lambda row: order.index(row[1])) if order else spread


def _file_name(words: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-.")
