"""The page of advice on a routing: one HTML file, without a network request."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from weft._files import write_text
from weft._numbers import MISSING, percent, quantity
from weft.fabric import fabric_figures, inspect_fabric
from weft.report.answers import UNKNOWN, is_known_to_opensm, loading, of_advice
from weft.report.audit import judged_row
from weft.report.names import ShortNames
from weft.report.scripts import page_style, template
from weft.report.sections import fabric_rows

if TYPE_CHECKING:
    import os

    from weft.advice import Advice, Candidate

__all__ = ["render_advice", "write_advice"]


def write_advice(found: Advice, path: str | os.PathLike[str], *, given: str = UNKNOWN) -> None:
    """Write the page of advice as one self-contained HTML file.

    Commands of the page name the fabric as it is `given`: its file, quoted for a shell, with the
    options that tell its ends. An existing page is replaced. Where the machine does not let it be
    written, that is an `EnvironmentFailure`, and an existing one is left as it was.
    """
    write_text(path, render_advice(found, given=given))


def render_advice(found: Advice, *, given: str = UNKNOWN) -> str:
    """Return the page of advice as HTML; the same advice gives the same text."""
    suspicions = [suspicion.text for suspicion in inspect_fabric(found.fabric).suspicions]
    out = {_out(other) for other in found.others}
    is_simulated = found.simulated is not None
    named = ShortNames(found.fabric)
    context = {
        "style": page_style(),
        "fabric": found.fabric,
        "lanes": found.lanes,
        "answers": of_advice(found, given, suspicions, named),
        "cases": [scenario.in_words for scenario in found.scenarios],
        "columns": ["Bisection", "Uniform", *(["Simulated", "Latency, ns"] * is_simulated)],
        "rows": [_row(candidate, found) for candidate in found.ranked],
        "beside_static": [judged_row(judged) for judged in found.beside_static],
        "reasons": [line for line in found.reasons if line not in out],
        "others": found.others,
        "commands": _commands(found, given),
        "suspicions": suspicions,
        "figures": fabric_rows(fabric_figures(found.fabric)),
    }
    return template("advice.html").render(context)


def _out(other: Candidate) -> str:
    """Return the sentence of the advice that has a row of its own here."""
    return f"{other.routing} is out: {other.trouble}."


def _row(candidate: Candidate, found: Advice) -> dict[str, object]:
    told = (candidate.address_note, candidate.service_note, candidate.traffic_note)
    notes = [note for note in (*told, candidate.slow_hosts_note) if note]
    if candidate.same_routes_as is not None:
        notes.append(f"the same routes as {candidate.same_routes_as}, simulated once")
    cases = []
    for place in range(len(found.scenarios)):
        figures = [percent(candidate.bisection(place)), percent(candidate.uniform(place))]
        if candidate.predictions:
            prediction = candidate.predictions[place]
            latency = prediction.latency_ns
            figures.append(percent(prediction.throughput_load))
            figures.append("saturated" if latency is None else quantity(latency, 3))
        elif found.simulated is not None:
            figures += [MISSING, MISSING]
        cases.append(figures)
    return {
        "routing": candidate.routing,
        "note": "; ".join(notes),
        "lanes": candidate.lanes(),
        "cases": cases,
    }


def _commands(found: Advice, given: str) -> list[tuple[str, str]]:
    """Return what to type, each after what it does."""
    if not found.ranked:
        return []
    best = found.ranked[0].routing
    how = "; the README beside them says how to load them and to go back"
    written = (
        f"Write the tables of the best{how if is_known_to_opensm(found.fabric) else ''}:",
        loading(found.fabric, given, best),
    )
    return [
        *([] if found.ranked[0].chooses else [written]),
        ("Check the proof by itself:", f"weft prove {given} {shlex.quote(best)}"),
        (
            "Judge what the switches route by today, beside it:",
            f"weft audit {given} opensm-lfts.dump --against {shlex.quote(best)}",
        ),
        (
            "Simulate curves of latency over traffic:",
            f"weft compare {given} {shlex.join(_compared(found))}",
        ),
    ]


def _compared(found: Advice) -> list[str]:
    return [word for other in found.ranked[:3] for word in ("--routing", other.routing)]
