"""What to do about a change: tables repaired, those of the plan, or new ones, all proved."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from weft._core import StandingTables, entries_of_management
from weft.errors import EnvironmentFailure, RoutingError, WeftError
from weft.opensm import MOST_LISTED, managed_tables
from weft.proof import prove
from weft.repair import Repair
from weft.routing import to_tables
from weft.transition import plan_transition
from weft.watch.parts import is_of, parts_of, without
from weft.watch.steadiness import listed
from weft.watch.taking_in import taken_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from weft.fabric import Fabric
    from weft.proof import Proof
    from weft.routing import Routing
    from weft.transition import TransitionPlan
    from weft.watch.parts import Part

__all__ = ["Decision", "Order", "Plan", "Standing", "Way", "decide", "plan_of", "prepared"]

#: How the entries of new tables may be set. ``any``: in any order, each switch when it will.
#: ``rounds``: in those of the repair or the transition. ``clear_first``: those that change are
#: cleared, and set when no packet of before is on its way. ``first``: none of ours stood before
Order = Literal["any", "rounds", "clear_first", "first"]

#: Entries of all switches up to which the way back is planned where it clears some
_MOST_PLANNED = 2**16


@dataclass(frozen=True, slots=True)
class Plan:
    """The tables that were made by an algorithm, from which others are repaired."""

    fabric: Fabric  #: The fabric they were made for
    routing: Routing  #: The tables
    specification: str  #: What they were made by, as on the command line
    prepared: StandingTables  #: The same, ready to be repaired


@dataclass(frozen=True, slots=True)
class Standing:
    """The tables that a fabric is routed by."""

    fabric: Fabric  #: What is routed
    routing: Routing  #: Its tables, proved
    plan: Plan  #: What they were repaired from
    prepared: StandingTables  #: The tables, ready to be repaired
    #: Entries of switches without hosts, by names of switch and destination, that no repair had a
    #: way for beside the packets of before
    unheld: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Way:
    """How new tables are brought in beside packets of those that stand."""

    order: Order  #: How the entries may be set
    transition: TransitionPlan | None = None  #: Its rounds
    #: Those of a repair: names of switch and destination, and the port
    rounds: list[list[tuple[str, str, int]]] = field(default_factory=list)
    #: Destinations of which entries are cleared in the first of these, and set in the last
    cleared: list[str] = field(default_factory=list)
    cleared_switches: int = 0  #: Packets of before then met at most so many switches
    #: Whether packets of before are to be gone before each of the rounds but the first
    waits: bool = False
    #: Packets that meet entries which change meet at most so many switches
    most_switches: int = 0
    #: Destinations that a plan without clearing would have hosts let go of service levels to, where
    #: entries are cleared instead
    drained: list[str] = field(default_factory=list)
    #: Entries of switches without hosts, by names of switch and destination, whose packets no round
    #: was proved with: those that stand are cleared first, the new ones are set last, when no
    #: packet of before is on its way
    early: list[tuple[str, str]] = field(default_factory=list)
    late: list[tuple[str, str]] = field(default_factory=list)
    is_repair: bool = False  #: Whether it answers a failure, for which nothing is waited before


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do about a change."""

    #: ``repair``: of the tables that stand. ``plan``: those of the plan, or repaired from these.
    #: ``taken_in``: with hosts and leaves that are new. ``anew``: by the algorithm. ``keep``:
    #: nothing that is proved can be had
    kind: Literal["repair", "plan", "taken_in", "anew", "keep"]
    standing: Standing | None = None  #: What shall stand; None where the old tables are kept
    proof: Proof | None = None  #: The proof of its tables
    repaired: Repair | None = None  #: The repair of the tables that stand, where it is one
    way: Way = field(default_factory=lambda: Way("first"))  #: How its tables are brought in
    reasons: list[str] = field(default_factory=list)  #: Why what comes before this was not possible


def decide(
    standing: Standing | None,
    target: Fabric,
    specification: str,
    router: Callable[[Fabric, str], Routing],
    *,
    is_between: bool = False,
    reads_lanes: bool = False,
) -> Decision:
    """Decide by which tables a fabric shall be routed, none of which are not proved.

    Parameters
    ----------
    standing : Standing or None
        What is routed now, and how; None at first.
    target : Fabric
        The fabric to be routed.
    specification : str
        What tables are made by, as on the command line.
    router : callable
        Makes a routing as :func:`weft.route` does.
    is_between : bool
        Whether switches may have something between these tables and others.
    reads_lanes : bool
        Whether it is seen which lane tables switches have; without, these are not changed.

    Notes
    -----
    It depends on what is given alone, and changes nothing. Tables are repaired where parts are
    gone. Where parts are back, the tables of the plan are taken, repaired for what is still
    missing. Hosts and leaves that are new are taken in without a change of other entries. Where
    there is something else that is new, or none of these can be had, the fabric is routed anew,
    which is the plan then.
    """
    reasons: list[str] = []
    if standing is not None and standing.plan.specification == specification:
        plan = standing.plan
        attempts: list[tuple[Literal["repair", "plan"], StandingTables]] = [
            ("repair", standing.prepared),
            ("plan", plan.prepared),
        ]
        for kind, tables in attempts:
            try:
                left, told, late = tables.repaired(target)
                repaired = Repair(*told)
                proof = _proved(target, repaired.routing)
                managed, unheld = repaired.routing, []
                if late is None:
                    managed, more = managed_tables(target, managed, proof)
                    unheld = _named(target, more)
                # A repair of the plan's tables says nothing of packets by those that stand.
                of_standing = repaired if kind == "repair" else None
                made = Standing(target, managed, plan, left, unheld)
                way = _way(
                    standing,
                    made,
                    of_standing,
                    late or unheld,
                    is_between=is_between,
                    reads_lanes=reads_lanes,
                )
            except EnvironmentFailure:
                raise
            except WeftError as error:
                reasons.append(f"{_FAILED[kind]}: {error}")
                continue
            return Decision(kind, made, proof, of_standing, way, reasons)
        grown = _grown(standing, target, reasons, is_between=is_between, reads_lanes=reads_lanes)
        if grown is not None:
            return grown
    try:
        routing = to_tables(target, router(target, specification))
        proof = _proved(target, routing)
        routing, _ = managed_tables(target, routing, proof, most_listed=0)
        new = plan_of(target, routing, specification)
        first = Standing(target, routing, new, new.prepared)
        way = _way(standing, first, None, [], is_between=is_between, reads_lanes=reads_lanes)
    except EnvironmentFailure:
        raise
    except WeftError as error:
        reasons.append(f"{_FAILED['anew']}: {error}")
        return Decision("keep", reasons=reasons)
    return Decision("anew", first, proof, None, way, reasons)


def _named(fabric: Fabric, entries: list[tuple[int, str]] | None) -> list[tuple[str, str]]:
    """Return entries by the names of their switches."""
    names = fabric.switch_names
    return [(names[at], to) for at, to in entries or []]


def _management(standing: Standing) -> list[tuple[str, str]]:
    """Return the entries by which switches without hosts answer, and nobody else sends.

    Of too many there is none: these change with the others then.
    """
    fabric = standing.fabric
    return _named(fabric, entries_of_management(fabric, standing.routing, MOST_LISTED))


def _way(
    standing: Standing | None,
    made: Standing,
    repaired: Repair | None,
    late: list[tuple[str, str]],
    *,
    is_between: bool,
    reads_lanes: bool,
) -> Way:
    """Return how tables are brought in beside what stands.

    Entries that come `late` are those of switches without hosts that a repair has no way for beside
    packets of before, or that are new. On one lane rounds are proved with what all switches send;
    on several those of a repair and back are with what switches without hosts do.
    """
    if standing is None:
        return Way("first")
    if is_between:
        return Way("clear_first")
    way, written = _way_of_routes(standing, made, repaired, reads_lanes=reads_lanes)
    if way.order == "clear_first":
        return way
    if repaired is not None:
        return replace(way, early=standing.unheld, late=late, is_repair=True)
    if standing.routing.lane_count == made.routing.lane_count == 1:
        return way
    if way.transition is None and made.prepared.counts_management:
        return way
    destinations = {to for _, to in written}
    late = [entry for entry in _management(made) if entry[1] in destinations]
    # What others come to pass by an entry that stays as it is finds it there.
    changes = {*late, *written}
    stood = [entry for entry in _management(standing) if entry[1] in destinations]
    early = [entry for entry in stood if entry in changes]
    return replace(way, early=early, late=late)


def _written(plan: TransitionPlan, fabric: Fabric) -> set[tuple[str, str]]:
    """Return the entries that a plan writes, by names of switch and destination."""
    names = fabric.switch_names
    steps = [step for phase in plan.phases for step in phase.steps]
    writes = [write for step in steps for write in step.writes.tolist()]
    return {(names[at], plan.addresses[place].destination) for at, place, _ in writes}


def _way_of_routes(
    standing: Standing, made: Standing, repaired: Repair | None, *, reads_lanes: bool
) -> tuple[Way, set[tuple[str, str]]]:
    """Return the same by the routes between hosts alone, and what it writes without a repair."""
    if repaired is not None and repaired.order == "any":
        return Way("any", most_switches=repaired.most_switches), set()
    if repaired is not None and not repaired.renews:
        way = Way(
            "rounds",
            rounds=repaired.rounds,
            cleared=repaired.cleared,
            cleared_switches=repaired.cleared_switches,
            waits=True,
            most_switches=repaired.most_switches,
        )
        return way, set()
    if (led := made.prepared.led_from(standing.prepared)) is not None:
        rounds, cleared, cleared_switches, most = led
        entries = made.fabric.switch_count * made.fabric.host_count
        # A plan may clear fewer, which takes long to find in large networks.
        if not cleared or entries > _MOST_PLANNED:
            written = {(at, to) for of_round in rounds for at, to, _ in of_round}
            way = Way(
                "rounds" if len(rounds) > 1 else "any",
                rounds=rounds if len(rounds) > 1 else [],
                cleared=cleared,
                cleared_switches=cleared_switches,
                waits=bool(cleared),
                most_switches=most,
            )
            return way, written
    try:
        plan = plan_transition(
            standing.fabric, standing.routing, made.fabric, made.routing, direct=True
        )
    except RoutingError:
        # A port that has another cable than before, or tables of a form that no plan is made for.
        return Way("clear_first"), set()
    clears = not plan.proved_throughout or plan.renews
    drained = _destinations(plan) if clears else []
    if plan.relaned_switches and (clears or not reads_lanes):
        raise RoutingError(_lanes_refused(len(plan.relaned_switches), drained))
    if clears:
        # Hosts have to let go of service levels: they do where nothing arrives for so long.
        return Way("clear_first", drained=drained), set()
    most = max((phase.most_switches for phase in plan.phases), default=0)
    several = len(plan.rounds) > 1 or len(plan.phases) > 1
    way = Way("rounds" if several else "any", plan, most_switches=most)
    return way, _written(plan, made.fabric)


def _destinations(plan: TransitionPlan) -> list[str]:
    """Return all to whom a plan changes entries, or has hosts told something."""
    steps = [step for phase in plan.phases for step in phase.steps]
    places = {place for step in steps for _, place, _ in step.writes.tolist()}
    places.update(place for step in steps for place in step.addresses.tolist())
    return sorted({plan.addresses[place].destination for place in places})


def _lanes_refused(count: int, drained: list[str]) -> str:
    """Say why lane tables are not changed, and what to do."""
    text = f"the lane tables (SL to VL) of {count} switches would change while traffic goes on"
    if drained:
        return (
            f"{text}, and hosts have to let go of service levels to {listed(drained)} before: stop"
            " the traffic to these, and watch in another folder, or change tables as"
            " `weft transition` tells"
        )
    return f"{text}: tell by --read-lanes how they are read, as it has to be seen when they are set"


def _grown(
    standing: Standing,
    target: Fabric,
    reasons: list[str],
    *,
    is_between: bool,
    reads_lanes: bool,
) -> Decision | None:
    """Take hosts and leaves in that the plan does not know, if these are all that is new."""
    plan = standing.plan
    planned, wanted = parts_of(plan.fabric), parts_of(target)
    unplanned = wanted - planned
    for tables, is_repair in ((standing.prepared, True), (plan.prepared, False)):
        new = wanted - parts_of(standing.fabric) if is_repair else unplanned
        # What the plan knows has a place there.
        if not new <= unplanned or not _are_leaves(new):
            continue
        try:
            known = without(target, new)
            _, told, lost = tables.repaired(known)
            repaired = Repair(*told)
            taken = taken_in(known, repaired.routing, target)
            proof = _proved(target, taken)
            taken, more = managed_tables(target, taken, proof)
            unheld = _named(target, more)
            ready = prepared(target, taken)
            is_whole = planned <= wanted
            then = Plan(target, taken, plan.specification, ready) if is_whole else plan
            made = Standing(target, taken, then, ready, unheld if lost is None else [])
            of_standing = replace(repaired, routing=taken) if is_repair else None
            late = [*(lost or []), *unheld]
            if repaired.changed_entries:
                late += _further(known, target)
            way = _way(
                standing,
                made,
                of_standing,
                late,
                is_between=is_between,
                reads_lanes=reads_lanes,
            )
        except EnvironmentFailure:
            raise
        except WeftError as error:
            reasons.append(f"{_FAILED['taken_in']}: {error}")
            continue
        return Decision("taken_in", made, proof, of_standing, way, reasons)
    return None


def _are_leaves(new: frozenset[Part]) -> bool:
    """Tell whether all that is new is hosts and switches with such, each with its cables."""
    switches = {part[1] for part in is_of("switch", new)}
    leaves = {part[2].rpartition(":")[0] for part in is_of("host", new)}
    cables = is_of("cable", new)
    of_leaves = (any(end.rpartition(":")[0] in switches for end in part[1:]) for part in cables)
    return bool(new) and switches <= leaves and all(of_leaves)


def _further(known: Fabric, target: Fabric) -> list[tuple[str, str]]:
    """Return the entries to hosts that are new and of switches that are, by their names.

    Once nothing else changes any more, packets that meet these meet no tables but the new ones,
    which are proved.
    """
    hosts = set(known.host_names)
    switches = set(known.switch_names)
    new = [to for to in target.host_names if to not in hosts]
    every = [(at, to) for at in target.switch_names for to in new]
    leaves = [at for at in target.switch_names if at not in switches]
    return [*every, *((at, to) for at in leaves for to in target.host_names if to in hosts)]


def plan_of(fabric: Fabric, routing: Routing, specification: str) -> Plan:
    """Make tables ready to be repaired.

    Raises
    ------
    RoutingError
        When they have a form that is not repaired, or can deadlock.
    """
    return Plan(fabric, routing, specification, prepared(fabric, routing))


def prepared(fabric: Fabric, routing: Routing) -> StandingTables:
    """Return tables ready to be repaired; errors are those of `plan_of`."""
    return StandingTables(fabric, routing, 0, 0)


def _proved(fabric: Fabric, routing: Routing) -> Proof:
    """Prove tables; a RoutingError says why they are not."""
    proof = prove(fabric, routing)
    if not proof.deadlock_free:
        message = proof.text.splitlines()[0]
        raise RoutingError(message)
    return proof


_FAILED = {
    "repair": "no repair",
    "plan": "not as planned",
    "taken_in": "not taken in",
    "anew": "not routed anew",
}
