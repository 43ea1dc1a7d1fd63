"""What a watch did, kept so that it can be rehearsed: each change with the tables before and after.

::

    FOLDER/changes/000012/
    ├── fabric.json, tables.json         where it began: the whole of what there was then or after
    ├── events.toml                      what happened, for ``weft rehearse --events``
    ├── before-fabric.json, …            what stood, where that is less than the whole
    └── after-fabric.json, …             what stands since
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from weft import _core
from weft.errors import RoutingError
from weft.event_files import events_text
from weft.event_lists import in_rounds, written_in_rounds
from weft.rehearsal import Event, Fails, Returns, TablesChange
from weft.watch.durable import told_as_environment, write_whole
from weft.watch.parts import is_of, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from weft.fabric import Fabric
    from weft.routing import Routing
    from weft.watch.decision import Standing, Way
    from weft.watch.parts import Part

__all__ = ["Changes"]

#: So many changes are kept.
_KEPT = 10
#: Traffic is simulated for some hundred microseconds, not for the seconds that discoveries and
#: waits take. So long passes before what happens, from that to the first round, and where packets
#: of before are waited for; and so long from one switch to the next. In ns
_STEP_NS, _EACH_AFTER_NS = 100_000.0, 1_000.0


class _Beginning(NamedTuple):
    """A fabric with all parts that were there before or are after, and tables of it."""

    fabric: Fabric
    routing: Routing
    is_before: bool  #: Whether these stood


class Changes:
    """The changes that a watch keeps in its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "changes"

    def keep(self, number: int, before: Standing, after: Standing, way: Way) -> Path | None:
        """Write what was done, and forget what was done long before.

        None, and nothing is written, where no rehearsal tells it: parts are new while others are
        gone that no plan has both of, or lane tables of switches change.

        Raises
        ------
        EnvironmentFailure
            When the machine refuses.
        """
        beginning = _beginning(before, after)
        if beginning is None:
            return None
        try:
            events = _events(beginning, before, after, way)
        except RoutingError:
            return None
        head = (
            f"# How generation {number} came about. What took seconds, as discoveries and waits do,"
            " takes 100 us here.\n"
        )
        told: dict[str, _Beginning | Standing] = {"": beginning, "after-": after}
        if not beginning.is_before:
            told["before-"] = before
        named = [
            (of.routing, f"{name}tables.json", f"{name}fabric.json") for name, of in told.items()
        ]
        folder = self.folder / f"{number:06}"
        partial = self.folder / f".{folder.name}.partial"
        with told_as_environment(folder):
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir(parents=True)
        for name, of in told.items():
            fabric = _core.fabric_text(of.fabric, "json").encode()
            write_whole(partial / f"{name}fabric.json", fabric, is_kept=False)
            tables = of.routing.to_json().encode()
            write_whole(partial / f"{name}tables.json", tables, is_kept=False)
        text = head + events_text(events, named)
        write_whole(partial / "events.toml", text.encode(), is_kept=False)
        with told_as_environment(folder):
            shutil.rmtree(folder, ignore_errors=True)
            os.replace(partial, folder)  # noqa: PTH105 - as in the files beside it
        self._forget()
        return folder

    def _forget(self) -> None:
        with suppress(OSError):
            kept = sorted(path for path in self.folder.iterdir() if path.name.isdecimal())
            unfinished = self.folder.glob(".*.partial")
            for path in [*kept[:-_KEPT], *unfinished]:
                shutil.rmtree(path, ignore_errors=True)


def _beginning(before: Standing, after: Standing) -> _Beginning | None:
    wanted = parts_of(before.fabric) | parts_of(after.fabric)
    if wanted <= parts_of(before.fabric):
        return _Beginning(before.fabric, before.routing, is_before=True)
    for plan in (before.plan, after.plan):
        if wanted <= parts_of(plan.fabric):
            return _Beginning(plan.fabric, plan.routing, is_before=False)
    return None


def _events(beginning: _Beginning, before: Standing, after: Standing, way: Way) -> list[Event]:
    """Return what happened, from the whole; a RoutingError where lane tables change."""
    was, is_now = parts_of(before.fabric), parts_of(after.fabric)
    missing = parts_of(beginning.fabric) - was
    events: list[Event] = [Fails(0.0, place) for place in _places(missing)]
    if not beginning.is_before:
        events.append(TablesChange(0.0, before.routing))
    events += [Fails(_STEP_NS, place) for place in _places(was - is_now)]
    # What is missing still is not back, though a part of what it was named with may be.
    stays = set(_places(parts_of(beginning.fabric) - is_now))
    back = [place for place in _places(missing) if place not in stays]
    events += [Returns(_STEP_NS, place) for place in back]
    now_ns = 2 * _STEP_NS
    if way.transition is not None:
        return events + in_rounds(
            way.transition,
            after.fabric,
            after.routing,
            at_ns=now_ns,
            each_after_ns=_EACH_AFTER_NS,
            wait_ns=_STEP_NS,
        )
    written, now_ns = written_in_rounds(
        way.rounds[:-1], at_ns=now_ns, each_after_ns=_EACH_AFTER_NS, wait_ns=_STEP_NS
    )
    events += written
    clears_first = way.order == "clear_first"
    events.append(TablesChange(now_ns, after.routing, None, _EACH_AFTER_NS, clears_first))
    return events


def _places(parts: Iterable[Part]) -> list[str]:
    """Return how a rehearsal names parts: switches, and links of other switches by their ports."""
    held = list(parts)
    switches = [name for _, name in is_of("switch", held)]

    def is_apart(*ends: str) -> bool:
        return not any(end.rpartition(":")[0] in switches for end in ends)

    cables = [part[1] for part in is_of("cable", held) if is_apart(*part[1:])]
    hosts = [part[2] for part in is_of("host", held) if is_apart(part[2])]
    return switches + cables + hosts
