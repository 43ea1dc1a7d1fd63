"""What a drawing can be coloured by besides loads: what was counted, measured, sent by jobs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._numbers import in_percent
from weft.explore.switch_links import cable_ends, is_cable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.fabric import Fabric, PortRecord
    from weft.jobs import Job, JobLoad
    from weft.replay import Replay
    from weft.results import Results
    from weft.survive.survey import Numbers, Told

__all__ = ["Layer", "error_layer", "job_layers", "measured_layers", "survey_layers"]

#: Significant digits of what is shown.
_DIGITS = 4


@dataclass(frozen=True)
class Layer:
    """A figure of every channel between switches, by cable."""

    name: str  #: Unique on the page
    words: str  #: What it is, in a sentence
    unit: str  #: What the figures are, in the plural
    forward: NDArray[np.float64]  #: From the first end of each cable to the second; NaN: not known
    back: NDArray[np.float64]  #: And on the way back
    notes: dict[int, str]  #: What else there is to say of a cable
    #: Whether figures are so far apart that colours go by their logarithms
    is_steep: bool = False
    #: A figure of every switch as well, where there are such; NaN: not known
    switches: NDArray[np.float64] | None = None
    #: What else there is to say of a switch
    switch_notes: dict[int, str] = field(default_factory=dict)

    def columns(self) -> dict[str, Any]:
        """Return it as the scene holds it."""
        return {
            "name": self.name,
            "words": self.words,
            "unit": self.unit,
            "forward": _figures(self.forward),
            "back": _figures(self.back),
            "notes": {str(cable): text for cable, text in sorted(self.notes.items())},
            "steep": self.is_steep,
            "switches": None if self.switches is None else _figures(self.switches),
            "switch_notes": {str(at): text for at, text in sorted(self.switch_notes.items())},
        }


def error_layer(fabric: Fabric, ports: Sequence[PortRecord]) -> Layer | None:
    """Return the errors that the ports of cables have counted, or None where none is known of.

    A port counts what goes wrong with what arrives there, so its errors are those of the channel
    towards it.
    """
    at = {(record.node, record.port): record for record in ports if record.errors}
    if not at:
        return None
    ends = cable_ends(fabric)
    names = fabric.switch_names
    counted = np.zeros((2, len(ends)))
    notes: dict[int, str] = {}
    for cable, (one, one_port, other, other_port) in enumerate(ends):
        texts = []
        for way, (switch, port) in enumerate([(other, other_port), (one, one_port)]):
            record = at.get((names[switch], port))
            if record is None:
                continue
            counted[way, cable] = sum(record.errors.values())
            errors = ", ".join(f"{name} {count:,}" for name, count in record.errors.items())
            texts.append(f"{names[switch]} port {port} counts {errors}")
        if texts:
            notes[cable] = "; ".join(texts)
    return Layer(
        name="errors",
        words="Errors that ports have counted, each at the end of the channel that it is of.",
        unit="errors",
        forward=counted[0],
        back=counted[1],
        notes=notes,
        is_steep=True,
    )


def measured_layers(results: Results) -> list[Layer]:
    """Return how busy each channel was in a study: a layer a routing and load, of the first seed.

    Of each routing that was simulated, the load of its throughput and those below it.
    """
    cables = results.fabric.is_switch_channel
    found = []
    for routing in results.routings:
        if routing.throughput is None:
            continue
        loads = sorted({point.load for point in routing.points})
        for load in (one for one in loads if one <= routing.throughput.at_load):
            busy = 100 * results.channel_figures(routing.label, load).utilization[cables]
            words = (
                f"Share of time that channels carried flits, simulated under {routing.label} at"
                f" {in_percent(load)} of the hosts' link rate."
            )
            name = f"measured: {routing.label}, {in_percent(load)}"
            found.append(_of_channels(name, words, "% of time", busy))
    return found


def job_layers(
    fabric: Fabric, jobs: Sequence[Job], loads: Sequence[JobLoad], replay: Replay
) -> list[Layer]:
    """Return what each job sends over each channel, and how long all of them kept it busy."""
    cables = fabric.is_switch_channel
    found = []
    if replay.simulated_ns > 0:
        busy = 100 * replay.channel_busy_ns[cables] / replay.simulated_ns
        words = "Share of time that channels carried flits while the jobs ran."
        found.append(_of_channels("jobs: busy", words, "% of time", busy))
    for job, load in zip(jobs, loads, strict=False):
        words = f"Bytes that the messages of {job.name} bring onto channels, all repetitions."
        sent = load.channel_bytes[cables]
        found.append(_of_channels(f"job: {job.name}", words, "bytes", sent))
    return found


def survey_layers(fabric: Fabric, survey: Sequence[tuple[Numbers, Told]]) -> list[Layer]:
    """Return what the failure of each cable and switch comes to, of a survey that looked at some.

    The failure of a cable is told of by both directions alike.
    """
    place = np.full(fabric.link_count, -1)
    cables = int(is_cable(fabric).sum())
    place[is_cable(fabric)] = np.arange(cables)
    # Of cables, then of switches.
    count = cables + fabric.switch_count
    largest = np.full(count, np.nan)
    cut = largest.copy()
    notes: dict[int, str] = {}
    for (links, switches), (cut_off, refusal, repaired) in survey:
        if len(links) + len(switches) != 1:
            continue
        part = int(place[links[0]]) if len(links) else cables + int(switches[0])
        cut[part] = len(cut_off)
        told = f"{len(cut_off)} hosts cut off" if cut_off else "nobody cut off"
        if repaired is None:
            notes[part] = f"if it fails: {told}; no repair without stopping traffic: {refusal}"
            continue
        entries, *_, figures = repaired
        largest[part] = figures[0]
        notes[part] = f"if it fails: {told}; {entries:,} entries change"
    if not notes:
        return []
    has_switches = any(part >= cables for part in notes)

    def layer(name: str, words: str, unit: str, figures: NDArray[np.float64]) -> Layer:
        return Layer(
            name=name,
            words=words,
            unit=unit,
            forward=figures[:cables],
            back=figures[:cables],
            notes={part: text for part, text in notes.items() if part < cables},
            switches=figures[cables:] if has_switches else None,
            switch_notes={part - cables: text for part, text in notes.items() if part >= cables},
        )

    return [
        layer(
            "failures: largest load",
            "Most routes over one channel once a cable or switch has failed and tables are mended.",
            "routes",
            largest,
        ),
        layer(
            "failures: hosts cut off",
            "Hosts that nothing joins any more to most others once a cable or switch has failed.",
            "hosts",
            cut,
        ),
    ]


def _of_channels(name: str, words: str, unit: str, values: NDArray[Any]) -> Layer:
    """Return a layer of figures of channels between switches, both ways of a cable in turn."""
    figures = values.astype(np.float64)
    return Layer(name, words, unit, forward=figures[::2], back=figures[1::2], notes={})


def _figures(values: NDArray[np.float64]) -> list[float | None]:
    """Round to what is shown; counts stay as they are."""
    return [None if np.isnan(one) else _figure(float(one)) for one in values]


def _figure(value: float) -> float:
    return value if value.is_integer() else float(f"{value:.{_DIGITS}g}")
