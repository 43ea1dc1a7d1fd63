"""The page of every failure before it happens: one HTML file, without a network request."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from weft._files import write_text
from weft._numbers import MISSING, count
from weft.fabric import fabric_figures
from weft.report.answers import UNKNOWN, of_survival
from weft.report.names import ShortNames
from weft.report.scripts import page_style, template
from weft.report.sections import fabric_rows
from weft.survive.words import (
    addition_text,
    cable_text,
    counts_text,
    order_text,
    percent_carried,
    share_texts,
    toll_texts,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from weft.survive import Survival, Survivals

__all__ = ["render_survival", "write_survival"]

#: Failures at most that a table of the page has.
_MOST_ROWS = 50
#: Hosts cut off that a row names.
_MOST_NAMED = 3

#: What each column is of, beside the failure, the hosts cut off and the order of setting entries.
_COLUMNS = ("Entries changed", "Largest load", "Uniform", "Bisection")


def write_survival(
    found: Survivals,
    path: str | os.PathLike[str],
    *,
    given: str = UNKNOWN,
    routing: str = "",
    machine: str = "",
) -> None:
    """Write the page of all failures as one self-contained HTML file.

    Commands of the page name the fabric as it is `given`: its file, quoted for a shell, with the
    options that tell its ends; and the routing as it was given, by its label otherwise. `machine`
    names the hardware that was simulated, where something was. An existing
    page is replaced. Where the machine does not let it be written, that is an
    `EnvironmentFailure`, and an existing one is left as it was.
    """
    write_text(path, render_survival(found, given=given, routing=routing, machine=machine))


def render_survival(
    found: Survivals, *, given: str = UNKNOWN, routing: str = "", machine: str = ""
) -> str:
    """Return the page of all failures as HTML; the same failures give the same text."""
    named = ShortNames(found.fabric)
    is_simulated = found.whole_throughput is not None
    mild = [one for one in found.failures if not one.cut_off_hosts and one.figures is not None]
    mild.sort(key=lambda one: one.figures.effective_bisection if one.figures else 0.0)
    context = {
        "style": page_style(),
        "fabric": found.fabric,
        "machine": machine if is_simulated else "",
        "routing": found.routing.label,
        "looked": f"{counts_text(found.counts)}; {count(len(found.failures))} failures",
        "answers": of_survival(found, routing or found.routing.label),
        "columns": [*_COLUMNS, *["Simulated"] * is_simulated],
        "whole": _figures(found, None),
        "worst": _rows(found, found.failures),
        "mild": _rows(found, mild),
        "cutting": [_cutting(one, found, named) for one in found.cutting_off[:_MOST_ROWS]],
        "compared": [_compared(one, found) for one in found.compared],
        "additions": _additions(found),
        "left_out": {
            "worst": _left_out(found.failures),
            "mild": _left_out(mild),
            "cutting": _left_out(found.cutting_off),
        },
        "commands": _commands(found, given, routing or found.routing.label),
        "figures": fabric_rows(fabric_figures(found.fabric)),
    }
    return template("survival.html").render(context)


def _left_out(failures: list[Survival]) -> str:
    rest = len(failures) - _MOST_ROWS
    return f"{count(rest)} milder ones are left out; --json has all." if rest > 0 else ""


def _rows(found: Survivals, failures: list[Survival]) -> list[dict[str, Any]]:
    return [
        {
            **_name(one, found),
            "cut_off": count(len(one.cut_off_hosts)),
            "figures": _figures(found, one),
            "order": order_text(one),
        }
        for one in failures[:_MOST_ROWS]
    ]


def _name(one: Survival, found: Survivals) -> dict[str, str]:
    return {"failure": found.short_name(one.failure), "whole_name": one.failure.name}


def _figures(found: Survivals, one: Survival | None) -> list[str]:
    """Return the figures of a failure, or of the whole network, by the columns."""
    load = found.whole if one is None else one.figures
    throughput = found.whole_throughput if one is None else one.throughput
    simulated = [percent_carried(throughput)] * (found.whole_throughput is not None)
    if load is None:
        return [*[MISSING] * len(_COLUMNS), *simulated]
    return [
        MISSING if one is None else count(one.entries_to_set),
        count(load.largest_load),
        *share_texts(load, is_silent=one is not None and found.is_silent(one)),
        *simulated,
    ]


def _cutting(one: Survival, found: Survivals, named: ShortNames) -> dict[str, str]:
    return {
        **_name(one, found),
        "stranded": count(one.stranded_hosts),
        "hosts": _listed(named.text(name) for name in one.cut_off_hosts),
    }


def _listed(names: Iterable[str]) -> str:
    whole = list(names)
    shown = ", ".join(whole[:_MOST_NAMED])
    rest = len(whole) - _MOST_NAMED
    return f"{shown} and {count(rest)} more" if rest > 0 else shown


def _compared(one: Survival, found: Survivals) -> dict[str, str]:
    return {
        **_name(one, found),
        "repaired": MISSING if one.load is None else count(one.load.largest_load),
        "anew": MISSING if one.anew is None else count(one.anew.load.largest_load),
        "verdict": _verdict(one),
    }


def _additions(found: Survivals) -> dict[str, Any] | None:
    """Return what one more cable would do, where cables were tried."""
    additions = found.additions
    if additions is None:
        return None
    none = {"cable": "none", "whole_name": "none", "figures": toll_texts(additions.toll)}
    rows = [{**none, "tables": "as they are"}]
    for one in additions.tried:
        tables = "routed anew" if one.is_routed_anew else "as they are"
        names = {"cable": cable_text(one, found), "whole_name": " – ".join(one.ends)}
        rows.append({**names, "figures": toll_texts(one.toll), "tables": tables})
    columns = ("Hosts cut off", "Not repaired", "Largest load", "Mean", "Bisection")
    text = addition_text(found)
    return {"text": text[0].upper() + text[1:], "columns": columns, "rows": rows}


def _verdict(one: Survival) -> str:
    if one.load is None:
        return "no repair keeps clear of deadlock: route anew, with traffic stopped"
    return "time to route anew" if one.is_time_to_route_anew else "the repair will do"


def _commands(found: Survivals, given: str, routing: str) -> list[tuple[str, str]]:
    """Return what to type, each after what it does."""
    quoted = shlex.quote(routing)
    commands = [
        (
            "When parts have failed, write what is left of the fabric (--links takes SWITCH:PORT):",
            f"weft fabric degrade {given} --switches NAME -o left.json",
        ),
        (
            "Repair the tables for it, or route anew where no repair can be:",
            f"weft route left.json {quoted} --repairs {given} -o repaired.json",
        ),
    ]
    if found.additions is None:
        commands.append(
            (
                "Try new cables between free ports, and see which helps most:",
                f"weft survive {given} {quoted} --add 6 -o survival.html",
            )
        )
    if found.whole_throughput is None:
        commands.append(
            (
                "Simulate what is carried after the worst twenty, and route anew for as many:",
                f"weft survive {given} {quoted} --simulate 20 --anew 20 -o survival.html",
            )
        )
    return commands
