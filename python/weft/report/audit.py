"""The page of an audit: one HTML file, without a network request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft._extras import needed
from weft._files import write_text
from weft._numbers import MISSING, count, percent
from weft.adaptive import groups_in_words
from weft.adaptive_gains import gains_of_today
from weft.fabric import fabric_figures
from weft.report.answers import UNKNOWN, of_audit
from weft.report.explore import explored
from weft.report.names import ShortNames
from weft.report.scripts import page_style, template
from weft.report.sections import fabric_rows

if TYPE_CHECKING:
    import os

    from weft.audit import Audit, Judgement
    from weft.explore.layers import Layer
    from weft.routing import Routing

__all__ = ["judged_row", "render_audit", "write_audit"]


def write_audit(
    found: Audit,
    path: str | os.PathLike[str],
    *,
    given: str = UNKNOWN,
    in_use: Routing | None = None,
) -> None:
    """Write the page of an audit as one self-contained HTML file.

    Commands of the page name the fabric as it is `given`: its file, quoted for a shell, with the
    options that tell its ends. Routes that are `in_use` can be asked in the page. An existing file
    is replaced. Where the machine does not let it be written, that is an `EnvironmentFailure`, and
    an existing file is left as it was.
    """
    write_text(path, render_audit(found, given=given, in_use=in_use))


def render_audit(found: Audit, *, given: str = UNKNOWN, in_use: Routing | None = None) -> str:
    """Return the page of an audit as HTML; the same audit gives the same text."""
    today = found.today
    judgements = [*([] if today is None else [today]), *found.alternatives]
    named = ShortNames(found.fabric)
    context = {
        "style": page_style(),
        "fabric": found.fabric,
        "named": named,
        "answers": of_audit(found, given, named),
        "today": today,
        "trouble": [] if today is None else _trouble(today),
        "groups": ([] if today is None or today.groups is None else groups_in_words(today.groups)),
        "rows": [judged_row(judged) for judged in judgements],
        "adaptive": gains_of_today(found),
        "possible": found.possible[:1].upper() + found.possible[1:],
        "rails": found.rails,
        "rail_rows": [_rail_row(judged) for judged in judgements if judged.rail_shares],
        "suspicions": [suspicion.text for suspicion in found.suspicions],
        "notes": found.notes,
        "faulty": [port for port in found.ports if port.errors],
        "explore": explored(found.fabric, [in_use] if in_use else [], lambda: _layers(found)),
        "figures": fabric_rows(fabric_figures(found.fabric)),
        "hosts": len(found.hosts),
    }
    return template("audit.html").render(context)


def _layers(found: Audit) -> list[Layer]:
    """Return what the page to play with can be coloured by besides loads."""
    errors = needed("weft.explore.layers").error_layer(found.fabric, found.ports)
    return [] if errors is None else [errors]


def _rail_row(judged: Judgement) -> dict[str, Any]:
    shares = [*judged.rail_shares, judged.rails_at_once_share]
    return {"routing": judged.routing, "shares": [percent(share) for share in shares]}


def _trouble(today: Judgement) -> list[str]:
    findings = today.findings
    if findings is None:
        return []
    lines = [f"Not reached: {text}" for text in findings.unreached]
    if findings.route_loop is not None:
        lines.append(f"In a circle: {findings.route_loop}")
    return lines


def judged_row(judged: Judgement) -> dict[str, Any]:
    """Return the figures of a routing as the table of routings shows them."""
    findings = judged.findings
    if findings is None:
        return {"routing": judged.routing, "refusal": judged.refusal, "matrix": ""}
    shifts, bisection = judged.shifts, judged.bisection
    return {
        "routing": judged.routing,
        "refusal": None,
        "is_free": not findings.cycle,
        "lost": count(findings.unreached_pairs + findings.circling_pairs),
        "lanes": count(findings.lane_count),
        "routes": f"{judged.max_routes:,} / {judged.mean_routes:,.0f}",
        "uniform": percent(judged.uniform_share),
        "bisection": MISSING if bisection is None else percent(bisection.mean),
        "shifts": MISSING if shifts is None else percent(shifts.mean),
        "worst": MISSING if shifts is None else percent(shifts.least_mean),
        "matrix": "" if judged.matrix_share is None else percent(judged.matrix_share),
    }
