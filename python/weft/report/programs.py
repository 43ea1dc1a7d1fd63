"""The page of programs: completion times side by side, and where the time went."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft._files import write_text
from weft._numbers import MISSING, count, percent, quantity
from weft.report.answers import of_programs
from weft.report.scripts import page_style, template
from weft.spec.programs import PROGRAM_KEYS

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from weft.results import Results
    from weft.results.replay_figures import ReplayFigures

__all__ = ["ProgramRow", "conditions_text", "program_rows", "program_table", "write_program_report"]

#: Where time goes: member of a replay, what it is called, its colour.
PARTS = (
    ("computing_ns", "computing", "#4a90cf"),
    ("sending_ns", "sending", "#b07a10"),
    ("receiving_ns", "receiving", "#8a6bbd"),
    ("waiting_packet_ns", "waiting: packet", "#7f8a95"),
    ("waiting_acknowledgement_ns", "waiting: ack", "#d0512f"),
)


@dataclass(frozen=True, slots=True, eq=False)
class ProgramRow:
    """A program on a network by a routing, and how it ran.

    Conditions are what else is not left at its default; rows that agree in program and conditions
    are compared with each other. The note says why it has not run, or not by itself.
    """

    program: str
    conditions: str
    fabric: str
    routing: str
    figures: ReplayFigures | None
    note: str


def program_rows(studies: Mapping[str, Results]) -> list[ProgramRow]:
    """Return the rows of all programs of `weft.Results.open_all`, in the order they were begun."""
    rows = []
    for results in studies.values():
        program = results.program
        if program is None:
            continue
        name, told = _named(program, results.manifest)
        for routing in results.routings:
            figures = results.replays.get(routing.label)
            note = ""
            if figures is None:
                note = routing.failure or routing.proof.text.splitlines()[0]
                note = "has not run yet; call again to go on" if _waits(routing) else note
            elif routing.same_routes_as is not None:
                note = f"the same routes as {routing.same_routes_as}, replayed once"
            rows.append(ProgramRow(name, told, results.fabric.name, routing.label, figures, note))
    return rows


def _waits(routing: Any) -> bool:  # noqa: ANN401 - a routing of results
    return routing.failure is None and routing.proof.deadlock_free


def _named(program: Mapping[str, Any], manifest: Mapping[str, Any]) -> tuple[str, str]:
    name = program.get("trace") or program.get("operation")
    defaults = {key: default for key, (_, default) in PROGRAM_KEYS.items()}
    told = {
        key: value
        for key, value in program.items()
        if key not in ("trace", "operation", "content") and value != defaults.get(key)
    }
    preset = next(entry["value"] for entry in manifest["hardware"] if entry["name"] == "preset")
    return f"{name} on {preset}", conditions_text(told)


def conditions_text(values: Mapping[str, object]) -> str:
    """Write named values on one line."""
    texts = {
        name: f"{value:g}" if isinstance(value, float) else str(value)
        for name, value in values.items()
    }
    return ", ".join(f"{name} = {text}" for name, text in texts.items())


def program_table(rows: Sequence[ProgramRow]) -> list[dict[str, Any]]:
    """Return the programs with their rows as texts.

    They are ``program``, ``conditions`` with the algorithms of collective operations, and ``rows``
    with ``fabric``, ``routing``, ``time``, ``duration_ns`` (a number, nan of what has not ended),
    ``relative`` (to the first that finished), ``shares`` by name, ``parts`` for the bar,
    ``messages``, ``packets``, ``latency`` and ``note``.
    """
    groups: dict[tuple[str, str], list[ProgramRow]] = {}
    for row in rows:
        groups.setdefault((row.program, row.conditions), []).append(row)
    return [
        {
            "program": program,
            "conditions": "; ".join(filter(None, [told, *_algorithms(group)])),
            "rows": [_row(row, _first_ns(group)) for row in group],
        }
        for (program, told), group in groups.items()
    ]


def _algorithms(group: Sequence[ProgramRow]) -> dict[str, None]:
    # Lengths and ranks decide: other numbers of hosts may take others.
    return dict.fromkeys(row.figures.collectives for row in group if row.figures is not None)


def _first_ns(group: Sequence[ProgramRow]) -> float:
    times = (row.figures.duration_ns for row in group if row.figures is not None)
    return next((time for time in times if math.isfinite(time) and time > 0), math.nan)


def _row(row: ProgramRow, first_ns: float) -> dict[str, Any]:
    found = row.figures
    texts: dict[str, Any] = {
        "fabric": row.fabric,
        "routing": row.routing,
        "note": row.note,
        "duration_ns": math.nan,
    }
    if found is None:
        missing = dict.fromkeys(("time", "relative", "messages", "packets", "latency"), MISSING)
        return {**texts, **missing, "shares": {}, "parts": [], "longest": 0.0}
    is_over = found.outcome == "finished"
    relative = found.duration_ns / first_ns - 1
    shares = found.shares()
    length = found.duration_ns / first_ns if math.isfinite(relative) else 1.0
    return {
        **texts,
        "note": found.waits or row.note,
        "duration_ns": found.duration_ns if is_over else math.nan,
        "time": f"{found.duration_ns / 1e6:.4f}" if is_over else found.outcome,
        "relative": f"{100 * relative:+.2f} %" if math.isfinite(relative) else MISSING,
        "shares": {title: percent(shares.get(name)) for name, title, _ in PARTS},
        "parts": [(colour, shares.get(name, 0.0), title) for name, title, colour in PARTS],
        "longest": length,
        "messages": count(found.received_messages),
        "packets": count(found.delivered_packets),
        "latency": quantity(found.mean_latency_ns),
    }


def write_program_report(
    rows: Sequence[ProgramRow], path: str | os.PathLike[str], *, title: str
) -> None:
    """Write how programs ran as one self-contained HTML file.

    An existing file is replaced. Where the machine does not let it be written, that is an
    `EnvironmentFailure`, and an existing file is left as it was.
    """
    tables = program_table(rows)
    longest = max((row["longest"] for table in tables for row in table["rows"]), default=1.0)
    text = template("programs.html").render(
        style=page_style(),
        title=title,
        answers=of_programs(tables),
        tables=tables,
        parts=PARTS,
        longest=longest or 1.0,
    )
    write_text(path, text)
