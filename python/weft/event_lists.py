"""Lists of what happens in a rehearsal: a failure that is mended, tables that change in rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft import _core
from weft.errors import RoutingError
from weft.fabric import degrade
from weft.rehearsal import Answers, EntriesChange, Event, Fails, TablesChange
from weft.repair import like, repair, route_anew
from weft.routing import route

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._core import Fabric, Routing
    from weft.transition import TransitionPlan, TransitionStep

__all__ = ["in_rounds", "left_without", "mended", "written_in_rounds"]


def mended(
    fabric: Fabric,
    routing: Routing,
    part: str,
    *,
    at_ns: float,
    after_ns: float,
    each_after_ns: float = 0.0,
    by: str = "repair",
) -> list[Event]:
    """Return the events of a part that fails, and of the tables that go round it.

    Parameters
    ----------
    fabric : Fabric
        The whole network.
    routing : Routing
        Its routing: forwarding tables where they are repaired.
    part : str
        What fails: ``leaf01:17`` or the name of a switch.
    at_ns : float
        When it fails.
    after_ns : float
        How long it takes from then until the first switch has other tables.
    each_after_ns : float
        How long it takes from one switch, or host, to the next.
    by : str
        ``repair`` sets the entries that :func:`weft.repair` changes, in its order; ``same`` makes
        all anew by the same routing, as Myrinet's mapper does, and a routing, such as ``best``,
        by that, switch after switch or host after host.

    Raises
    ------
    FabricError, RoutingError
        When the part is unknown, or there are no such tables.

    Examples
    --------
    >>> import weft
    >>> fabric = weft.torus(4, 4)
    >>> tables = weft.to_tables(fabric, weft.route(fabric, "best"), 0)
    >>> [type(event).__name__ for event in weft.mended(
    ...     fabric, tables, "sw0:3", at_ns=1_000, after_ns=5_000)]
    ['Fails', 'TablesChange']
    """
    left = left_without(fabric, part)
    fails = Fails(at_ns, part)
    now_ns, clears_first = at_ns + after_ns, False
    if by == "repair":
        made = repair(fabric, routing, left)
        tables = made.routing
        clears_first = made.order == "clear_first"
        if made.order == "in_rounds":
            written, now_ns = written_in_rounds(
                made.rounds, at_ns=now_ns, each_after_ns=each_after_ns
            )
            return [fails, *written, Answers(now_ns, tables)]
    else:
        tables = route_anew(routing, left) if by == "same" else like(routing, route(left, by), left)
    return [fails, TablesChange(now_ns, tables, None, each_after_ns, clears_first)]


def written_in_rounds(
    rounds: Sequence[Sequence[tuple[str, str, int]]],
    *,
    at_ns: float,
    each_after_ns: float,
    wait_ns: float = 0.0,
) -> tuple[list[EntriesChange], float]:
    """Return the events of the rounds of a repair, and when the next round would begin.

    Entries are names of switch and destination, and the port. Switches get theirs one after
    another; after each round `wait_ns` passes.
    """
    events = []
    for of_round in rounds:
        writes = tuple((switch, to, 0, port) for switch, to, port in of_round)
        events.append(EntriesChange(at_ns, writes, each_after_ns))
        at_ns += len({switch for switch, _, _ in of_round}) * each_after_ns + wait_ns
    return events, at_ns


def left_without(fabric: Fabric, part: str) -> Fabric:
    """Return what is left of a network when a part has failed, as :class:`Fails` names it."""
    is_switch = part in fabric.switch_names
    left = degrade(fabric, switches=part) if is_switch else degrade(fabric, links=part)
    return left.fabric


def in_rounds(
    plan: TransitionPlan,
    fabric: Fabric,
    new: Routing,
    *,
    at_ns: float,
    each_after_ns: float = 0.0,
    wait_ns: float,
) -> list[Event]:
    """Return the events of tables that change in the rounds of a plan.

    In a round the switches get their entries one after another, in the order of the fabric, and
    the next begins when the last has its own. Hosts write headers by the new tables from the round
    on after which the plan lets them to all destinations; where they are told in turn, by the new
    service levels as the plan tells them, and by that of spanning trees before.

    Parameters
    ----------
    plan : TransitionPlan
        What :func:`weft.plan_transition` made.
    fabric, new : Fabric, Routing
        The network that there is, and the new tables, as the plan was made for.
    at_ns : float
        When the first switch gets its entries.
    each_after_ns : float
        How long it takes from one switch to the next.
    wait_ns : float
        How long is waited between phases, for packets to leave the network. The plan is safe where
        that is at least :meth:`TransitionPhase.wait_s`; rehearsals tell what less would do.

    Raises
    ------
    RoutingError
        When the plan writes lane tables of switches.

    Examples
    --------
    >>> import weft
    >>> net = weft.torus(4, 4)
    >>> old, new = (weft.route(net, f"down_preferred:root={root}") for root in (0, 10))
    >>> plan = weft.plan_transition(net, old, net, new)
    >>> events = weft.in_rounds(plan, net, new, at_ns=1_000, each_after_ns=10, wait_ns=20_000)
    >>> len(events) == len(plan.rounds), sum(len(event.writes) for event in events)
    (True, 489)
    """
    if plan.relaned_switches:
        message = "the plan writes lane tables of switches, which no event tells of"
        raise RoutingError(message)
    names = fabric.switch_names
    steps = [step for phase in plan.phases for step in phase.steps]
    tells = [step for step in steps if step.kind in ("answer", "renew_each")]
    of_trees = None
    if plan.by_trees is not None:
        of_trees = _core.sent_by_level(fabric, new, plan.by_trees.level)
    events: list[Event] = []
    now_ns = at_ns
    for phase in plan.phases:
        for step in phase.steps:
            if step.kind == "write":
                writes = [
                    (switch, plan.addresses[address], port)
                    for switch, address, port in sorted(step.writes.tolist())
                ]
                named = tuple(
                    (names[switch], of.destination, of.alias, port) for switch, of, port in writes
                )
                events.append(EntriesChange(now_ns, named, each_after_ns))
                now_ns += len({switch for switch, _, _ in writes}) * each_after_ns
            elif step.kind == "renew_for_trees" and of_trees is not None:
                events.append(Answers(now_ns, of_trees, _told_by(plan, step, names)))
            elif step in tells[-1:]:
                events.append(Answers(now_ns, new))
            elif plan.levels == "in_turn" and step in tells:
                events.append(Answers(now_ns, new, _told_by(plan, step, names)))
        now_ns += wait_ns
    return events


def _told_by(
    plan: TransitionPlan, step: TransitionStep, names: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """Return the hosts of which switches are told levels to which destinations in a step."""
    to = [plan.addresses[place].destination for place in step.addresses.tolist()]
    if step.kind != "answer":
        told = [
            (names[switch], one) for switch, one in zip(step.switches.tolist(), to, strict=True)
        ]
    else:
        told = [(name, one) for one in to for name in names]
    return tuple(told)
