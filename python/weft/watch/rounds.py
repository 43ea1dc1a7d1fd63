"""In which rounds the tables of switches are exchanged, so that no packets wait for one another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from weft.errors import RoutingError
from weft.watch.lane_tables import LANES_OF_PLUGIN, LaneRows, lanes_between, ports_in_use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._core import LoadedTables
    from weft.fabric import Fabric
    from weft.transition import TransitionPlan
    from weft.watch.decision import Way
    from weft.watch.generations import Generation

__all__ = ["Round", "rounds"]


@dataclass(frozen=True, slots=True)
class Round:
    """What OpenSM is given at once; it sets switches in an order of its own."""

    tables: LoadedTables  #: What it loads
    #: Packets on their way then meet at most so many switches
    most_switches: int
    #: Whether all of these are to be gone before the next round
    waits: bool
    lanes: bytes | None = None  #: What the plugin loads, where it is not what it had before


def rounds(
    way: Way,
    fabric: Fabric,
    before: Generation,
    after: LoadedTables,
    unsure: Sequence[LoadedTables] = (),
    lanes: bytes | None = None,
) -> list[Round]:
    """Return the tables that OpenSM is given one after the other, the last ones the new.

    The next round begins when every switch has the one before, and where it waits when all packets
    of before are gone. Entries to switches, which no transition tells of, are cleared from the
    first of several rounds to the last where they change. Packets that come to an entry that is
    cleared are dropped meanwhile. Entries of switches without hosts that had no way beside the
    packets of before are set in a last round, once these are gone.

    Parameters
    ----------
    way : Way
        How the entries may be set.
    fabric : Fabric
        What shall be routed.
    before : Generation
        What stands.
    after : LoadedTables
        The new tables, as OpenSM loads them.
    unsure : sequence of LoadedTables
        What switches may have that were not seen to have what stands.
    lanes : bytes, optional
        What the plugin is to load beside the new tables, where switches choose lanes.

    Raises
    ------
    RoutingError
        When lane tables change which OpenSM cannot change beside traffic that goes on.
    """
    if way.early or way.late:
        return _without_management(way, fabric, before, after, unsure, lanes)
    given = before.opensm.get(LANES_OF_PLUGIN)
    if way.transition is not None:
        return _of_transition(way.transition, fabric, before, after, lanes)
    if given is not None and lanes is not None and way.order == "clear_first":
        _refuse_other_lanes(fabric, before, LaneRows.of_plugin(given), LaneRows.of_plugin(lanes))
    if way.rounds:
        return _of_repair(way, fabric, before.tables, after)
    if way.order != "clear_first":
        return [Round(after, way.most_switches, waits=False)]
    common = after.common(before.tables)
    for tables in unsure:
        common = common.common(tables)
    most = max(before.most_switches, before.standing.prepared.most_switches())
    return [Round(common, most, waits=True), Round(after, most, waits=False)]


def _without_management(
    way: Way,
    fabric: Fabric,
    before: Generation,
    after: LoadedTables,
    unsure: Sequence[LoadedTables],
    lanes: bytes | None,
) -> list[Round]:
    """Return the rounds of routes, before which entries of management go, and come after them."""
    routes = replace(way, early=[], late=[])
    stood = _cleared(before.tables, fabric, way.early)
    goes = _cleared(after, fabric, way.late)
    given = rounds(routes, fabric, replace(before, tables=stood), goes, unsure, lanes)
    if way.early and not way.is_repair:
        given.insert(0, Round(goes.as_before(stood, fabric), way.most_switches, waits=True))
    if way.late:
        given[-1] = replace(given[-1], waits=True)
        given.append(Round(after, way.most_switches, waits=False))
    return given


def _cleared(
    tables: LoadedTables, fabric: Fabric, entries: Sequence[tuple[str, str]]
) -> LoadedTables:
    """Return tables without some entries, by names of switch and destination.

    Switches that are not there any more are left out.
    """
    known = set(fabric.switch_names)
    return _written(tables, fabric, [(at, to, 0) for at, to in entries if at in known])


def _written(
    tables: LoadedTables, fabric: Fabric, entries: Sequence[tuple[str, str, int]]
) -> LoadedTables:
    """Return tables with some entries written, by names of switch and destination, and the port."""
    places = {name: place for place, name in enumerate(fabric.switch_names)}
    destinations = sorted({to for _, to, _ in entries})
    number = {to: place for place, to in enumerate(destinations)}
    writes = [(places[at], number[to], port) for at, to, port in entries]
    return tables.written(fabric, [(to, 0) for to in destinations], writes)


def _of_repair(way: Way, fabric: Fabric, before: LoadedTables, after: LoadedTables) -> list[Round]:
    """Return the rounds of a repair, or back from one.

    Of a repair switches that no packets come to any more may be set after all others: then those
    that are there still are to be gone.
    """
    tables = after.as_before(before, fabric)
    found: list[Round] = []
    for of_round in way.rounds[:-1]:
        tables = _written(tables, fabric, of_round)
        found.append(Round(tables, way.most_switches, waits=way.waits))
    if way.cleared and len(found) == 1:
        found[-1] = Round(tables, way.cleared_switches, waits=True)
    return [*found, Round(after, way.most_switches, waits=False)]


def _of_transition(
    plan: TransitionPlan,
    fabric: Fabric,
    before: Generation,
    after: LoadedTables,
    lanes: bytes | None,
) -> list[Round]:
    """Return the rounds of a transition, after each of whose phases packets are waited for.

    Lane tables are written in rounds of their own: within one OpenSM writes entries first.
    """
    addresses = [(address.destination, address.alias) for address in plan.addresses]
    tables = after.as_before(before.tables, fabric)
    relaned: list[int] = []
    between: bytes | None = None
    found: list[Round] = []
    of_plugin = _Lanes.of(before, fabric, lanes) if plan.relaned_switches else None
    if of_plugin is not None:
        # Ports that had no cable have their lanes before packets come there.
        between = of_plugin.between(relaned)
        kinds = (step.kind for phase in plan.phases for step in phase.steps)
        given, fresh = (LaneRows.of_plugin(of) for of in (of_plugin.given, between))
        if next(kinds) != "write_lanes" and fresh != given:
            found.append(Round(tables, 0, waits=False, lanes=between))
    for phase in plan.phases:
        steps = [step for step in phase.steps if step.kind in ("write", "write_lanes")]
        for number, step in enumerate(steps, 1):
            if step.kind == "write":
                writes = [tuple(write) for write in step.writes.tolist()]
                tables = tables.written(fabric, addresses, writes)
            elif of_plugin is not None:
                relaned += step.switches.tolist()
                between = of_plugin.between(relaned)
            waits = number == len(steps)
            found.append(Round(tables, phase.most_switches, waits, between))
    # Phases that write nothing, as hosts are told something, take no round.
    if not found:
        return [Round(after, 0, waits=False)]
    return [*found[:-1], Round(after, found[-1].most_switches, waits=False)]


@dataclass(frozen=True, slots=True)
class _Lanes:
    """Lane tables of the plugin before and after, and which ports have a cable only now."""

    given: bytes
    last: bytes
    fresh: dict[int, set[int]]  #: By the GUID of the switch

    @classmethod
    def of(cls, before: Generation, fabric: Fabric, last: bytes | None) -> _Lanes:
        """Read both; a RoutingError where OpenSM loads lane tables before alone, or after."""
        given = before.opensm.get(LANES_OF_PLUGIN)
        if given is None or last is None:
            message = (
                "switches would choose lanes by ports that did not, or the other way round, for"
                " which OpenSM is started anew: stop the traffic, and watch in another folder"
            )
            raise RoutingError(message)
        stood = ports_in_use(before.standing.fabric, LaneRows.of_plugin(given))
        used = ports_in_use(fabric, LaneRows.of_plugin(last))
        fresh = {switch: ports - stood.get(switch, set()) for switch, ports in used.items()}
        return cls(given, last, fresh)

    def between(self, relaned: list[int]) -> bytes:
        """Return what the plugin loads once some switches have new ones; errors as of `of`."""
        lanes = lanes_between(self.given, self.last, relaned, self.fresh)
        if lanes is None:
            message = (
                "hosts would send on another lane by a service level that they use: stop the"
                " traffic, and watch in another folder"
            )
            raise RoutingError(message)
        return lanes


def _refuse_other_lanes(fabric: Fabric, before: Generation, old: LaneRows, new: LaneRows) -> None:
    """Raise a RoutingError where ports that stay have other lanes than before."""
    used = ports_in_use(fabric, new)
    stood = ports_in_use(before.standing.fabric, old)
    both = {switch: ports & stood.get(switch, set()) for switch, ports in used.items()}
    if count := old.differing(new, both):
        message = (
            f"the lane tables of switches would change between {count:,} pairs of ports, though it"
            " is not known what packets are on their way, or hosts would have to let go of service"
            " levels: stop the traffic, and watch in another folder"
        )
        raise RoutingError(message)
