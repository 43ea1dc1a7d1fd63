"""What the first screen of a page answers: is it safe, how much, which one, and what first."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft._numbers import count, percent, quantity
from weft.fabric import inspect_fabric
from weft.plots import loads as study_loads
from weft.plots.tables import hottest_channels
from weft.results.ranking import EQUAL_WITHIN, best_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.advice import Advice
    from weft.audit import Audit, Judgement
    from weft.fabric import Fabric
    from weft.report.names import ShortNames
    from weft.results import RankedRouting, Results
    from weft.survive import LoadOfTables, Survivals

__all__ = [
    "UNKNOWN",
    "Answer",
    "loading",
    "of_advice",
    "of_audit",
    "of_programs",
    "of_study",
    "of_survival",
]

SAFE, HOW_MUCH, WHICH, FIRST = "Safe?", "How much?", "Which one?", "What first?"

#: What stands for a fabric in a command where its file is not known.
UNKNOWN = "FABRIC"

#: Names that a sentence lists; of more, how many more there are.
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """A question and its answer, in a sentence or two."""

    question: str
    text: str
    mark: str = ""  # a word before it: yes, no
    is_bad: bool = False
    command: str = ""  # what to type
    whole: str = ""  # the text with all names whole, where some are shortened


def of_study(results: Results, load: float | None, names: ShortNames) -> list[Answer]:
    """Answer for a study whose channels are shown at a load (fraction of the host link rate)."""
    ranking = results.ranking()
    best = best_of(ranking)
    answers = [_safe(ranking)]
    if best is not None:
        answers.append(Answer(HOW_MUCH, _how_much(best, results.reading.knee_factor)))
    answers.append(Answer(WHICH, results.recommendation(), is_bad=best is None))
    found = inspect_fabric(results.fabric).suspicions
    first = _suspicion([suspicion.text for suspicion in found])
    hardware = {entry["name"]: entry["value"] for entry in results.manifest["hardware"]}
    command = ""
    if best is not None:
        if not first:
            first = _limit(results, best, load)
        is_infiniband = str(hardware.get("preset", "")).startswith("infiniband")
        if is_infiniband and not best.mean_in_transit_stops:
            first = _then(first, f"{_verb(results.fabric)} its tables:")
            command = loading(results.fabric, results.given or UNKNOWN, best.label)
    if first:
        answers.append(_first(first, command, names))
    return answers


def is_known_to_opensm(fabric: Fabric) -> bool:
    """Tell whether all ends have the GUIDs by which OpenSM knows ports."""
    return None not in fabric.host_guids


def loading(fabric: Fabric, given: str, routing: str) -> str:
    """Return the command that writes the tables of a routing, for OpenSM if it knows the ports."""
    routing = shlex.quote(routing)
    if not is_known_to_opensm(fabric):
        return f"weft route {given} {routing} --tables -o tables.json"
    return f"weft export opensm {given} {routing} -o FOLDER"


def _verb(fabric: Fabric) -> str:
    return "load" if is_known_to_opensm(fabric) else "write"


def _then(first: str | None, what: str) -> str:
    """Say what is to be done after what comes first, if anything does."""
    return f"{first} Then {what}" if first else what.capitalize()


def _first(text: str, command: str, names: ShortNames) -> Answer:
    short = names.prose(text)
    return Answer(FIRST, short, command=command, whole="" if short == text else text)


def _safe(ranking: Sequence[RankedRouting]) -> Answer:
    stuck = [row.label for row in ranking if row.state == "deadlocked"]
    refused = [row.label for row in ranking if row.state == "refused"]
    lost = [row.label for row in ranking if row.state == "not routed"]
    free = len(ranking) - len(refused) - len(lost)
    parts = []
    if stuck:
        parts.append(f"{_listed(stuck)} deadlocked in the simulation: do not use.")
    if refused:
        parts.append(f"{_listed(refused)} can deadlock or leave hosts unreached: not simulated.")
    if lost:
        parts.append(f"{_listed(lost)}: no routes on this network.")
    if not parts:
        some = "The routing is" if free == 1 else f"All {free} routings are"
        return Answer(SAFE, f"{some} proved free of deadlock, and reach every host.", "✓ Yes.")
    if not free:
        return Answer(SAFE, " ".join(parts), "✗ No.", is_bad=True)
    mark = "✗ Not all." if stuck else "✓ Those ranked."
    proved = f"{free} of {len(ranking)} routings {'is' if free == 1 else 'are'} proved free."
    return Answer(SAFE, " ".join([proved, *parts]), mark, is_bad=bool(stuck))


def _how_much(best: RankedRouting, knee_factor: float) -> str:
    most = (
        f"{best.label} carries {percent(best.throughput_load)} of what the hosts' links could, "
        f"{quantity(best.throughput_bytes_per_ns_per_switch)} bytes/ns/switch"
    )
    if best.knee_load is None or best.unloaded_latency_ns is None:
        return f"{most}."
    return (
        f"{most}; {percent(best.knee_load)} until its latency is {knee_factor:g} times the "
        f"{quantity(best.unloaded_latency_ns)} ns of an idle network."
    )


def _limit(results: Results, best: RankedRouting, load: float | None) -> str:
    """Say which channel limits a routing."""
    near = study_loads.AT_THROUGHPUT if load is None else load
    hot = hottest_channels(results, results.routing(best.label), near, 1)
    if not hot or not hot[0].utilization > 0:
        return ""
    return (
        f"{hot[0].name} is its busiest channel, {percent(hot[0].utilization)} of the "
        f"time {study_loads.where_text(near)}: look there for more."
    )


def of_audit(found: Audit, given: str, names: ShortNames) -> list[Answer]:
    """Answer for an audit of the network that commands name as given."""
    today = found.today
    others = [
        (judged.share_without_slow_hosts, -number, judged)
        for number, judged in enumerate(found.alternatives)
        if judged.is_sound and judged.share_without_slow_hosts is not None
    ]
    answers = [Answer(SAFE, found.safety)]
    if today is not None and today.findings is not None:
        mark = "✓ Yes." if today.is_sound else "✗ No."
        answers = [Answer(SAFE, found.safety, mark, is_bad=not today.is_sound)]
        answers.append(Answer(HOW_MUCH, f"Today {_shares(today)}."))
    command = ""
    if others:
        _, _, best = max(others, key=lambda entry: entry[:2])
        lanes = best.findings.lane_count if best.findings is not None else 1
        answers.append(Answer(WHICH, f"{best.routing}, on {_lanes(lanes)}: {_shares(best)}."))
        is_more = today is None or not today.is_sound or _gives_more(best, today)
        if not is_more:
            answers[-1] = Answer(WHICH, "The one in use: none of those compared gives more.")
        command = loading(found.fabric, given, best.routing) if is_more else ""
    first = _suspicion([suspicion.text for suspicion in found.suspicions])
    if command:
        first = _then(first or "The wiring shows no fault.", f"{_verb(found.fabric)} tables:")
    if first:
        answers.append(_first(first, command, names))
    return answers


def _gives_more(best: Judgement, today: Judgement) -> bool:
    most, now = (one.share_without_slow_hosts or 0.0 for one in (best, today))
    return most > (1 + EQUAL_WITHIN) * now


def _shares(judged: Any) -> str:  # noqa: ANN401 - a judgement, whose shares may be missing
    parts = [f"hosts can send {percent(judged.uniform_share)} of their rate, all to all"]
    if judged.bisection is not None:
        parts.append(f"pairs get {percent(judged.bisection.mean)} in random halves")
    return ", and ".join(parts)


def of_advice(
    found: Advice, given: str, suspicions: Sequence[str], names: ShortNames
) -> list[Answer]:
    """Answer for advice on a network, by what of its wiring looks like a fault."""
    if not found.ranked:
        first, *_ = found.reasons
        return [Answer(SAFE, first, "✗ No.", is_bad=True)]
    best = found.ranked[0]
    cases = len(found.scenarios)
    where = "on the network as it is" if cases == 1 else f"in all {cases} cases"
    safe = f"{best.routing} is proved free of deadlock {where}, on {_lanes(best.lanes())}"
    out = f"; {_listed([other.routing for other in found.others])} cannot be taken"
    answers = [Answer(SAFE, f"{safe}{out if found.others else ''}.", "✓ Yes.")]
    halves = [
        f"{percent(best.bisection(place))} {scenario.in_words}"
        for place, scenario in enumerate(found.scenarios)
    ]
    text = f"In random halves pairs get {', '.join(halves)}."
    if best.predictions:
        carried = [
            f"{percent(prediction.throughput_load)} {scenario.in_words}"
            for scenario, prediction in zip(found.scenarios, best.predictions, strict=True)
        ]
        sent = ", ".join(carried)
        text = f"Simulated all to all, hosts send this share of their rate: {sent}. {text}"
    answers.append(Answer(HOW_MUCH, f"{text} {found.left_out}".rstrip()))
    answers.append(Answer(WHICH, found.reasons[0]))
    first = _suspicion(suspicions)
    if best.chooses:
        *_, text = found.adaptive
        return [*answers, _first(f"{first} Then: {text}" if first else text, "", names)]
    command = loading(found.fabric, given, best.routing)
    text = _then(first, f"{_verb(found.fabric)} its tables:")
    return [*answers, _first(text, command, names)]


def of_survival(found: Survivals, routing: str) -> list[Answer]:
    """Answer for all failures of a network that is routed as commands name it."""
    cutting, refused = found.cutting_off, found.refused
    parts = []
    if cutting:
        most = max(one.stranded_hosts for one in cutting)
        parts.append(
            f"{count(len(cutting))} of {count(len(found.failures))} failures cut off hosts whose"
            f" switch runs, {count(most)} at most."
        )
    if refused:
        parts.append(
            f"After {count(len(refused))} the tables cannot be repaired with traffic going on."
        )
    if not parts:
        safe = "No failure cuts off hosts whose switch runs, and each can be repaired"
        answers = [Answer(SAFE, f"{safe} with traffic going on.", "✓ Yes.")]
    else:
        answers = [Answer(SAFE, " ".join(parts), "✗ No.", is_bad=True)]
    answers.append(Answer(HOW_MUCH, f"With nothing failed {_load_text(found.whole)}."))
    if found.failures:
        worst = found.failures[0]
        lost = f"cuts off {count(len(worst.cut_off_hosts))} hosts" if worst.cut_off_hosts else ""
        left = "" if worst.figures is None else f"after it {_load_text(worst.figures)}"
        told = ", ".join(part for part in (lost, left) if part) or "leaves no tables"
        name = found.short_name(worst.failure)
        whole = "" if name == worst.failure.name else f"{worst.failure.name}: {told}."
        answers.append(Answer(WHICH, f"{name} hurts most: {told}.", whole=whole))
    if cutting:
        first = found.short_name(cutting[0].failure)
        hosts = count(cutting[0].stranded_hosts)
        text = f"Give the {hosts} hosts that {first} alone keeps joined a second way."
        tried = found.additions
        if tried is not None and (best := tried.best_joining) is not None:
            cable = " – ".join(map(found.short_end, best.ends))
            left = count(best.toll.stranded_hosts)
            text = f"Add a cable {cable}: {left} hosts are cut off then, over all failures."
        answers.append(Answer(FIRST, text))
    elif due := [one for one in found.compared if one.is_time_to_route_anew]:
        name = found.short_name(due[0].failure)
        command = f"weft route left.json {shlex.quote(routing)}"
        text = f"Route anew after {name}, as a repair leaves much more on one channel. Then:"
        answers.append(Answer(FIRST, text, command=command))
    elif refused:
        name = found.short_name(refused[0].failure)
        text = f"Plan to stop traffic and route anew after {name}, or route on more lanes."
        answers.append(Answer(FIRST, text))
    return answers


def _load_text(load: LoadOfTables) -> str:
    return (
        f"hosts can send {percent(load.saturation_bound)} of their rate, all to all, and pairs get"
        f" {percent(load.effective_bisection)} in random halves"
    )


def of_programs(tables: Sequence[dict[str, Any]]) -> list[Answer]:
    """Answer for programs by the tables of `weft.report.program_table`."""
    rows = [row for table in tables for row in table["rows"]]
    over = [row for row in rows if math.isfinite(row["duration_ns"])]
    if not over:
        return [Answer(SAFE, "No program came to its end.", "✗ No.", is_bad=True)]
    lost = len(rows) - len(over)
    text = (
        f"{lost} of {len(rows)} did not come to an end" if lost else "Every program came to its end"
    )
    answers = [Answer(SAFE, f"{text}.", "✗ No." if lost else "✓ Yes.", is_bad=bool(lost))]
    fastest = [
        (table, min(own, key=lambda row: row["duration_ns"]))
        for table in tables
        if (own := [row for row in table["rows"] if math.isfinite(row["duration_ns"])])
    ]
    shown = fastest[:_MOST_NAMED]
    times = [f"{table['program']}: {row['time']} ms" for table, row in shown]
    answers.append(Answer(HOW_MUCH, f"{'; '.join(times)}."))
    by = [
        f"{row['fabric']} by {row['routing']}, {_times(table['rows'], row)}" for table, row in shown
    ]
    answers.append(Answer(WHICH, f"{'; '.join(by)}."))
    _, first = fastest[0]
    computing, *_ = first["parts"]
    _, share, name = most = max(first["parts"], key=lambda part: part[1])
    what = "the network can save the rest at most" if most == computing else "look at the network"
    text = f"There {percent(share)} of the ranks' time is {name}: {what}."
    answers.append(Answer(FIRST, text))
    return answers


def _times(rows: Sequence[dict[str, Any]], best: dict[str, Any]) -> str:
    slowest = max(row["duration_ns"] for row in rows if math.isfinite(row["duration_ns"]))
    if slowest <= best["duration_ns"]:
        return "the only one" if len(rows) == 1 else "as fast as any"
    return f"{slowest / best['duration_ns']:.2f} times as fast as the slowest"


def _suspicion(found: Sequence[str]) -> str:
    if not found:
        return ""
    more = f" ({count(len(found) - 1)} more suspicions)" if len(found) > 1 else ""
    return f"Look at the wiring: {found[0]}{more}."


def _lanes(number: int) -> str:
    return "1 lane" if number == 1 else f"{number} lanes"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    return shown if len(names) <= _MOST_NAMED else f"{shown} and {len(names) - _MOST_NAMED} more"
