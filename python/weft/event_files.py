"""Files of what happens to a network in a rehearsal, as TOML."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from weft import _core
from weft._toml import a_text, a_time, a_whole_number, document_of_tables, refuse, refuse_unknown
from weft.errors import InputError
from weft.fabric import read_fabric
from weft.rehearsal import (
    Answers,
    EntriesChange,
    Event,
    Fails,
    Retries,
    Returns,
    TablesChange,
    as_told,
)
from weft.route_reading import read_routes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft._core import Fabric, Routing

__all__ = ["events_text", "read_events"]

_Row = TypeVar("_Row")

#: How often a packet may be sent again.
_MOST_RETRIES = 2**32 - 1


#: Addresses that a destination may have, and the highest port.
_MOST_ADDRESSES, _MOST_PORT = 128, 254

#: What happens, and what may be told of it besides the time.
_KINDS = {
    "fails": (),
    "returns": (),
    "tables": ("of", "switches", "each_after", "clears_first"),
    "answers": ("of", "pairs"),
    "writes": ("each_after",),
}
_OPTIONS = frozenset(option for options in _KINDS.values() for option in options)


def read_events(path: str | os.PathLike[str], fabric: Fabric) -> tuple[list[Event], Retries | None]:
    """Read what happens to a network from a TOML file.

    Each table of ``[[event]]`` has a time, ``at = "100us"``, and one of ``fails`` and ``returns``
    (a switch, or a link by a switch and its port), ``tables`` (a file of routes, with ``of``, the
    file of the fabric it is for, where that is what is left of this one; ``switches``,
    ``each_after`` and ``clears_first`` as in :class:`TablesChange`), ``writes`` (entries as in
    :class:`EntriesChange`, ``[["leaf01", "host7", 0, 21]]``, with ``each_after``) and ``answers``
    (a file of routes by which hosts write headers from then on, with ``of``, and ``pairs`` as in
    :class:`Answers`, ``[["leaf01", "host7"]]``). Files are found from this one's folder.
    ``retries = {timeout = "50us", count = 7}`` may stand before.

    Parameters
    ----------
    path : path-like
        The file.
    fabric : Fabric
        The network at the beginning.

    Raises
    ------
    FormatError
        When the file is not as described.
    """
    name = os.fspath(path)
    document, listed = document_of_tables(path, "events", "event", ("retries",))
    folder = Path(path).parent
    events: list[Event] = [
        _event(event, f"{name}: event {place}", folder, fabric)
        for place, event in enumerate(listed, 1)
    ]
    try:
        _core.check_events(fabric, [as_told(event) for event in events])
    except InputError as error:
        refuse(f"{name}: {error}")
    told = document.get("retries")
    if told is None:
        return events, None
    if not isinstance(told, dict) or set(told) != {"timeout", "count"}:
        refuse(f'{name}: retries: expected {{timeout = "50us", count = 7}}')
    count = a_whole_number(told["count"], f"{name}: retries: count", 0, _MOST_RETRIES)
    timeout_ns = a_time(told["timeout"], f"{name}: retries: timeout")
    if timeout_ns == 0:
        refuse(f"{name}: retries: timeout is {told['timeout']!r}, expected more than 0")
    return events, Retries(timeout_ns, count)


def _event(event: dict[str, Any], where: str, folder: Path, fabric: Fabric) -> Event:
    refuse_unknown(event, {"at", *_KINDS, *_OPTIONS}, where)
    kinds = [kind for kind in _KINDS if kind in event]
    if "at" not in event or len(kinds) != 1:
        refuse(f"{where}: expected a time (at) and one of {', '.join(_KINDS)}")
    kind = kinds[0]
    if others := set(event) - {"at", kind, *_KINDS[kind]}:
        refuse(f"{where}: “{min(others)}” does not go with {kind}")
    at_ns = a_time(event["at"], f"{where}: at")
    each_after_ns = a_time(event.get("each_after", "0ns"), f"{where}: each_after")
    what = event[kind]
    if kind == "writes":
        return EntriesChange(at_ns, _writes(what, where), each_after_ns)
    what = a_text(what, f"{where}: {kind}")
    if kind in {"fails", "returns"}:
        return Fails(at_ns, what) if kind == "fails" else Returns(at_ns, what)
    of = fabric
    if "of" in event:
        of = read_fabric(folder / a_text(event["of"], f"{where}: of")).fabric
    routing = read_routes(of, folder / what).routing
    if kind == "answers":
        pairs = _pairs(event["pairs"], where) if "pairs" in event else None
        return Answers(at_ns, routing, pairs)
    switches = event.get("switches")
    if switches is not None and not (
        isinstance(switches, list) and all(isinstance(name, str) for name in switches)
    ):
        refuse(f"{where}: switches: expected a list of names")
    clears_first = event.get("clears_first", False)
    if not isinstance(clears_first, bool):
        refuse(f"{where}: clears_first is {clears_first!r}, expected true or false")
    order = None if switches is None else tuple(switches)
    return TablesChange(at_ns, routing, order, each_after_ns, clears_first)


def _pairs(told: object, where: str) -> tuple[tuple[str, str], ...]:
    """Return pairs of a switch and a destination that stand in a file."""

    def pair(row: object) -> tuple[str, str] | None:
        match row:
            case [str(switch), str(destination)]:
                return switch, destination
        return None

    expected = 'expected pairs [switch, destination]: ["leaf01", "host7"]'
    return _rows(told, f"{where}: pairs", expected, pair)


def _writes(told: object, where: str) -> tuple[tuple[str, str, int, int], ...]:
    """Return entries that stand in a file."""

    def entry(row: object) -> tuple[str, str, int, int] | None:
        match row:
            case [str(switch), str(destination), int(alias), int(port)] if (
                not isinstance(alias, bool)
                and not isinstance(port, bool)
                and 0 <= alias < _MOST_ADDRESSES
                and 0 <= port <= _MOST_PORT
            ):
                return switch, destination, alias, port
        return None

    expected = 'expected entries [switch, destination, address, port]: ["leaf01", "host7", 0, 21]'
    return _rows(told, f"{where}: writes", expected, entry)


def _rows(
    told: object, where: str, expected: str, read: Callable[[object], _Row | None]
) -> tuple[_Row, ...]:
    """Return the rows of a list that stands in a file."""
    if not isinstance(told, list) or not told:
        refuse(f"{where} is {told!r}, {expected}")
    rows = []
    for row in told:
        found = read(row)
        if found is None:
            refuse(f"{where} has {row!r}, {expected}")
        rows.append(found)
    return tuple(rows)


def events_text(events: Sequence[Event], files: Sequence[tuple[Routing, str, str]]) -> str:
    """Return what :func:`read_events` reads as these events.

    Parameters
    ----------
    events : sequence of Event
        What happens.
    files : sequence of (Routing, str, str)
        The routings that they tell of, each with the files of its routes and of its fabric.

    Raises
    ------
    KeyError
        When a routing is not among the files.
    """
    names = {id(routing): names for routing, *names in files}
    return "\n".join(_event_text(event, names) for event in events)


def _event_text(event: Event, names: dict[int, list[str]]) -> str:
    told: dict[str, object] = {"at": _time_text(event.at_ns)}
    match event:
        case Fails():
            told["fails"] = event.part
        case Returns():
            told["returns"] = event.part
        case EntriesChange():
            told["writes"] = event.writes
        case Answers():
            told["answers"], told["of"] = names[id(event.routing)]
            if event.pairs is not None:
                told["pairs"] = event.pairs
        case TablesChange():
            told["tables"], told["of"] = names[id(event.routing)]
            if event.switches is not None:
                told["switches"] = event.switches
            if event.clears_first:
                told["clears_first"] = True
    if isinstance(event, EntriesChange | TablesChange):
        told["each_after"] = _time_text(event.each_after_ns)
    # Strings, lists, whole numbers and truths are written alike in both, but for one character.
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in told.items()]
    return "[[event]]\n" + "".join(lines).replace("\x7f", "\\u007f")


def _time_text(time_ns: float) -> str:
    whole = int(time_ns)
    return f"{whole if whole == time_ns else time_ns}ns"
