"""How the watch is, as a page and a JSON file."""

from __future__ import annotations

import html
import json
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from weft._visible import visible
from weft.repair import is_time_to_route_anew
from weft.watch.durable import write_whole

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.watch.log import Event

__all__ = ["Health", "write_health"]

_REFRESH_S = 10


@dataclass(slots=True)
class Health:
    """How the watch is at a moment."""

    #: ``alarm``, where one stands; ``starting``, before the first tables
    status: Literal["starting", "well", "alarm"] = "starting"
    applies: bool = False  #: Whether tables are given to OpenSM, or only told what would be
    source: str = ""  #: Where discoveries come from
    specification: str = ""  #: What tables are made by
    pid: int = 0  #: The process
    time: str = ""  #: When this was written, UTC
    last_discovery: str | None = None  #: When the last one came that could be read, UTC
    generation: int | None = None  #: The number of the tables in force
    #: Whether switches have these tables, as they were read back; None where nobody has looked
    is_loaded: bool | None = None
    last_read_back: str | None = None  #: When switches were read last, UTC
    switches: int | None = None  #: Switches that are routed
    hosts: int | None = None  #: Hosts that are routed
    cables: int | None = None  #: Cables between switches that are routed
    missing: list[str] = field(default_factory=list)  #: Parts of the plan that are gone
    #: Most routes over a channel between switches, by the tables in force; None where these are
    #: those of the plan, and as long as they are not compared with new ones
    largest_load: int | None = None
    largest_load_anew: int | None = None  #: The same by tables routed anew
    waiting: list[str] = field(default_factory=list)  #: What is waited for before it counts
    alarms: list[str] = field(default_factory=list)  #: Alarms that stand


def moment(time: float) -> str:
    """Write a time, s since 1970, as ISO 8601 has it, in UTC."""
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="seconds")


def write_health(folder: Path, health: Health, events: Sequence[Event]) -> None:
    """Write ``health.json`` and ``health.html``, each whole.

    Raises
    ------
    EnvironmentFailure
        When the machine refuses.
    """
    text = json.dumps(asdict(health), ensure_ascii=False, indent=1)
    write_whole(folder / "health.json", f"{text}\n".encode(), is_kept=False)
    write_whole(folder / "health.html", _page(health, events).encode(), is_kept=False)


def _load(health: Health) -> str:
    if health.largest_load is None or health.largest_load_anew is None:
        return "not compared" if health.missing else "as planned"
    told = f"{health.largest_load:,} routes; routed anew {health.largest_load_anew:,}"
    is_time = is_time_to_route_anew(health.largest_load, health.largest_load_anew)
    return f"{told}: it is time to" if is_time else told


def _page(health: Health, events: Sequence[Event]) -> str:
    def escape(text: str) -> str:
        return html.escape(visible(text))

    alarms = "".join(f"<li>{escape(text)}</li>" for text in health.alarms)
    loaded = {None: "not read back", True: "yes", False: "no"}[health.is_loaded]
    rows = {
        "tables": "none yet" if health.generation is None else f"generation {health.generation}",
        "in the switches": loaded if health.applies else "not asked: nothing is applied",
        "routed": "nothing yet"
        if health.switches is None
        else f"{health.switches:,} switches, {health.hosts:,} hosts, {health.cables:,} cables",
        "missing": ", ".join(health.missing) or "nothing",
        "largest load": _load(health),
        "waiting for": "; ".join(health.waiting) or "nothing",
        "last discovery": health.last_discovery or "none yet",
        "last read back": health.last_read_back or "never",
        "source": health.source,
        "routing": health.specification,
        "mode": "applies" if health.applies else "dry run: says what it would do",
        "process": str(health.pid),
        "written": health.time,
    }
    table = "".join(
        f"<tr><th>{name}</th><td>{escape(text)}</td></tr>" for name, text in rows.items()
    )
    told = "".join(
        f'<tr class="{event.kind}"><td>{event.stamp}</td><td>{escape(event.text)}</td></tr>'
        for event in reversed(events)
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="{_REFRESH_S}">
<title>weft watch: {health.status}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: auto; padding: 1rem; }}
h1 {{ border-left: .5rem solid; padding-left: .7rem; }}
h1.well {{ border-color: #2a8a3e; }}
h1.alarm {{ border-color: #c62828; }}
h1.starting {{ border-color: #8a6d00; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; }}
th, td:first-child {{ white-space: nowrap; }}
td {{ overflow-wrap: anywhere; }}
tr.alarm td {{ font-weight: bold; }}
</style></head><body>
<h1 class="{health.status}">{_HEADINGS[health.status]}</h1>
{f'<ul role="alert">{alarms}</ul>' if alarms else ""}
<table>{table}</table>
<h2>What happened</h2>
<table>{told}</table>
</body></html>
"""


_HEADINGS = {
    "well": "All is well",
    "alarm": "Somebody has to look",
    "starting": "Waiting for the first discovery",
}
