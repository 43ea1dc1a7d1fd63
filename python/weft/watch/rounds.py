"""In which rounds the tables of switches are exchanged, so that no packets wait for one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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


def rounds(
    way: Way,
    fabric: Fabric,
    before: Generation,
    after: LoadedTables,
    unsure: Sequence[LoadedTables] = (),
) -> list[Round]:
    """Return the tables that OpenSM is given one after the other, the last ones the new.

    The next round begins when every switch has the one before, and where it waits when all packets
    of before are gone. Entries to switches, which no transition tells of, are cleared from the
    first of several rounds to the last where they change. Packets that come to an entry that is
    cleared are dropped meanwhile.

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
    """
    if way.transition is not None:
        return _of_transition(way.transition, fabric, before.tables, after)
    if way.rounds:
        return _of_repair(way, fabric, before.tables, after)
    if way.order != "clear_first":
        return [Round(after, way.most_switches, waits=False)]
    common = after.common(before.tables)
    for tables in unsure:
        common = common.common(tables)
    most = max(before.most_switches, before.standing.prepared.most_switches())
    return [Round(common, most, waits=True), Round(after, most, waits=False)]


def _of_repair(way: Way, fabric: Fabric, before: LoadedTables, after: LoadedTables) -> list[Round]:
    """Return the rounds of a repair, or back from one.

    Of a repair switches that no packets come to any more may be set after all others: then those
    that are there still are to be gone.
    """
    places = {name: place for place, name in enumerate(fabric.switch_names)}
    tables = after.as_before(before, fabric)
    found: list[Round] = []
    for of_round in way.rounds[:-1]:
        addresses = sorted({to for _, to, _ in of_round})
        number = {to: place for place, to in enumerate(addresses)}
        writes = [(places[switch], number[to], port) for switch, to, port in of_round]
        tables = tables.written(fabric, [(to, 0) for to in addresses], writes)
        found.append(Round(tables, way.most_switches, waits=way.waits))
    if way.cleared and len(found) == 1:
        found[-1] = Round(tables, way.cleared_switches, waits=True)
    return [*found, Round(after, way.most_switches, waits=False)]


def _of_transition(
    plan: TransitionPlan, fabric: Fabric, before: LoadedTables, after: LoadedTables
) -> list[Round]:
    """Return the rounds of a transition, after each of whose phases packets are waited for."""
    addresses = [(address.destination, address.alias) for address in plan.addresses]
    tables = after.as_before(before, fabric)
    found: list[Round] = []
    for phase in plan.phases:
        writes = [step.writes.tolist() for step in phase.steps if step.kind == "write"]
        for number, of_round in enumerate(writes, 1):
            tables = tables.written(fabric, addresses, [tuple(write) for write in of_round])
            found.append(Round(tables, phase.most_switches, waits=number == len(writes)))
    # Phases that write nothing, as hosts are told something, take no round.
    if not found:
        return [Round(after, 0, waits=False)]
    return [*found[:-1], Round(after, found[-1].most_switches, waits=False)]
