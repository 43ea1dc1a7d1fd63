"""From old forwarding tables to new while hosts go on sending, without deadlock at any moment."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from weft import _core
from weft._ranges import require_whole
from weft._without_numpy import packed, read_numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from weft._core import Fabric, Routing

__all__ = [
    "BlockedWrite",
    "MetChange",
    "PlannedAddress",
    "TransitionDeadEnd",
    "TransitionMethod",
    "TransitionObstruction",
    "TransitionPhase",
    "TransitionPlan",
    "TransitionStep",
    "TransitionTrees",
    "TransitionWait",
    "plan_transition",
    "transition_methods",
    "transition_obstructions",
]

#: What OpenSM sets as the longest life of a packet in a switch unless told otherwise.
DEFAULT_LIFETIME = 18
#: The longest that ends; above it packets live for ever.
LONGEST_LIFETIME = 19
#: The unit of lifetimes: InfiniBand Architecture Specification, volume 1, SwitchInfo.LifeTimeValue.
_LIFETIME_UNIT_S = 4.096e-6
#: Entries that a subnet manager writes at once.
_BLOCK = 64


@dataclass(frozen=True, slots=True)
class PlannedAddress:
    """An address that entries are for."""

    destination: str  #: Name of the host, or of the switch where tables are between switches
    alias: int  #: Which of the addresses of that it is
    lid: int | None  #: Its local identifier, where the source of the fabric gives one
    drained: bool  #: Whether it is cleared for a while, and packets to it are dropped


@dataclass(frozen=True, slots=True, eq=False)
class TransitionStep:
    """What is done at once, in any order; the next step begins when all of it is done."""

    #: ``write``: entries are written. ``write_lanes``: the new lane tables (SL to VL) of switches
    #: are. ``answer``: hosts may be told the new service levels and addresses from now on.
    #: ``renew``: at its end no host sends by an old one. ``renew_each``: hosts of `switches` are
    #: told the new service levels of `addresses`, place by place, and none of them keeps an old
    #: one. ``renew_for_trees``: the same, but for `TransitionTrees.level`
    kind: Literal["write", "write_lanes", "answer", "renew", "renew_each", "renew_for_trees"]
    #: The entries, shape (count, 3): number of the switch, place of the address in
    #: `TransitionPlan.addresses`, and port, where 0 clears the entry
    writes: NDArray[np.uint32]
    addresses: NDArray[np.uint32]  #: Places of the addresses that hosts are told of
    #: Numbers of the switches whose lane tables are written, or whose hosts are told
    switches: NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class TransitionPhase:
    """Steps, then a wait until all packets that were on their way have arrived or are dropped."""

    steps: list[TransitionStep]
    most_switches: int  #: Most switches that a packet meets
    #: Whether there is an order of the channels that all packets ascend, whatever they meet; not so
    #: where the old tables can deadlock and entries are cleared to end that
    proved: bool

    def wait_s(self, lifetime: int = DEFAULT_LIFETIME) -> float:
        """Return how long packets are on their way at most, s.

        That is as many switches as they meet, times 4.096 µs · 2^`lifetime`, which is how long a
        packet stays in a switch before it is dropped: OpenSM's ``packet_life_time``.
        """
        return longest_wait_s(self.most_switches, lifetime)


@dataclass(frozen=True, slots=True)
class TransitionTrees:
    """Spanning trees that packets go by for a while, where some would have to be dropped else.

    In a tree no packets wait in a circle. It carries less than other tables: all traffic between
    its two sides goes over one cable.
    """

    count: int  #: How many, one after the other
    #: Most ordered pairs of hosts of different switches whose way is over one channel of a tree
    most_pairs: int
    #: The service level by which hosts send while packets go by them, on the lane of that number
    level: int


@dataclass(frozen=True, slots=True, eq=False)
class TransitionPlan:
    """How to get from old tables to new; switches are those of the fabric that there is now."""

    addresses: list[PlannedAddress]
    #: When hosts are told new service levels and addresses. ``none``: there are none.
    #: ``at_any_time``: from the first step on, and they may keep old ones for ever. ``last``: when
    #: all entries are written, and they may keep old ones. ``first``: before the first entry is
    #: written, by when nobody keeps an old one. ``in_turn``: address by address, or switch by
    #: switch of an address, between the writes, after which nobody keeps an old one
    levels: Literal["none", "at_any_time", "last", "first", "in_turn"]
    phases: list[TransitionPhase]
    #: Destinations that are not drained, but packets to which entries of the plan may drop
    dropped: list[str]
    dependencies: int  #: What packets may wait for, as the check of the plan found it
    renews: bool  #: Whether hosts must let go of old service levels though nothing is dropped
    #: Spanning trees that packets go by in between; ``None`` where each entry is what the old
    #: tables say until it is what the new ones say
    by_trees: TransitionTrees | None

    @property
    def rounds(self) -> list[NDArray[np.uint32]]:
        """The writes of each step that writes, in order."""
        steps = (step for phase in self.phases for step in phase.steps)
        return [step.writes for step in steps if step.kind == "write"]

    @property
    def changed_entries(self) -> int:
        """Entries written, those that are cleared for a while twice."""
        return sum(len(writes) for writes in self.rounds)

    @property
    def relaned_switches(self) -> list[int]:
        """Numbers of the switches whose lane tables are written."""
        steps = (step for phase in self.phases for step in phase.steps)
        relaned = [step.switches for step in steps if step.kind == "write_lanes"]
        return [switch for switches in relaned for switch in switches.tolist()]

    @property
    def drained(self) -> list[str]:
        """Destinations that are cleared for a while."""
        return list(dict.fromkeys(of.destination for of in self.addresses if of.drained))

    def drained_s(self, lifetime: int = DEFAULT_LIFETIME) -> list[float]:
        """Return how long packets to each of `drained` are dropped at most, without the writes, s.

        That is from the phase on that clears the first entry to it, to that which sets the last.
        """
        cleared: dict[str, float] = {}
        ends: dict[str, float] = {}
        now_s = 0.0
        for phase in self.phases:
            for step in phase.steps:
                for _, place, port in step.writes.tolist():
                    destination = self.addresses[place].destination
                    if port == 0:
                        cleared.setdefault(destination, now_s)
                    ends[destination] = now_s
            now_s += phase.wait_s(lifetime)
        return [ends[destination] - cleared[destination] for destination in self.drained]

    @property
    def proved_throughout(self) -> bool:
        """Whether no packets can deadlock at any moment."""
        return all(phase.proved for phase in self.phases)

    def blocks(self, writes: NDArray[np.uint32]) -> NDArray[np.uint32] | None:
        """Return the blocks of 64 entries that a subnet manager sends for a round.

        A block is sent whole: its entries that are not of the round are as they stand then. Order
        within a round is free, so blocks may be sent together.

        Returns
        -------
        ndarray of uint32, shape (count, 2), or None
            Numbers of switch and block; None where LIDs are not known.
        """
        lids = [(switch, self.addresses[address].lid) for switch, address, _ in writes.tolist()]
        known = {(switch, lid // _BLOCK) for switch, lid in lids if lid is not None}
        if any(lid is None for _, lid in lids):
            return None
        numbers = chain.from_iterable(sorted(known))
        return read_numbers(packed(numbers, "uint32"), "uint32", (len(known), 2))


@dataclass(frozen=True, slots=True)
class TransitionMethod:
    """What a known method comes to between two tables."""

    #: ``static``: all traffic stops. ``double_scheme``: further addresses and lanes for the new
    #: tables. ``overlapping``: tokens follow the last old packets, which switches must know.
    #: ``opensm``: everything is written at once, as OpenSM does
    method: Literal["static", "double_scheme", "overlapping", "opensm"]
    rounds: int  #: Rounds of writes; of tokens, the channels that one passes after the other
    waits: int  #: Times at which nothing goes on until packets of before are gone
    drained: int  #: Destinations that nothing is sent to for a while
    lanes: int  #: Lanes of each channel that it takes
    deadlock_free: bool  #: At every moment
    #: Destinations to which packets may be lost, or go in a circle, of those not drained
    lost: int


@dataclass(frozen=True, slots=True)
class TransitionWait:
    """A packet that holds a channel and wants that of the next packet."""

    channel: int  #: Its number in the fabric that there is now
    lane: int
    address: int  #: Where it goes: the place in `TransitionPlan.addresses`
    sent_at: int  #: Number of the switch that it starts from
    #: Whether it meets the other entry of the write, or is sent by the other service level
    by_write: bool


@dataclass(frozen=True, slots=True)
class BlockedWrite:
    """A write, and the packets that wait in a circle when it is done before or after the others.

    The service level by which hosts of a switch send counts as one, from the first host that has
    the new one to the last, and so do those of all hosts for one address, which are told together.
    """

    switch: int  #: Number of the switch; of ``levels`` that of the destination
    address: int  #: The place in `TransitionPlan.addresses`
    #: Each waits for the next, the last one for the first; empty where a dead end is in the way
    cycle: list[TransitionWait]
    #: What changes: an entry, the service level of the hosts there, or those of all hosts
    change: Literal["entry", "level", "levels"]
    dead_end: int | None  #: That which it leads to, by its place in the obstruction


@dataclass(frozen=True, slots=True)
class MetChange:
    """A change that is done, or undone, on the way to a dead end."""

    switch: int  #: Number of the switch; of ``levels`` that of the destination
    address: int  #: The place in `TransitionPlan.addresses`
    change: Literal["entry", "level", "levels"]


@dataclass(frozen=True, slots=True)
class TransitionDeadEnd:
    """Writes of which none can be the next once others are met, so those others never all are.

    An order is gone through from its first end, where what is met is done, or from its last end
    back, where what is met is undone.
    """

    met: list[MetChange]
    writes: list[BlockedWrite]


@dataclass(frozen=True, slots=True)
class TransitionObstruction:
    """Writes that have no order in which packets cannot deadlock, unless some are dropped.

    One of them is the first of them to be done, or the last, whatever the order and however long is
    waited in between. For each a circle of packets says why it is not that one, or a dead end that
    it would lead to.
    """

    end: Literal["first", "last"]  #: Which of the writes none can be
    destinations: list[str]  #: Those whose packets are part of it: one at least is drained
    writes: list[BlockedWrite]
    dead_ends: list[TransitionDeadEnd]  #: Each leads to those before it alone


def longest_wait_s(switches: int, lifetime: int) -> float:
    """Return how long packets that meet so many switches are on their way at most, s."""
    require_whole("lifetime", lifetime, 0, LONGEST_LIFETIME)
    return float(switches * _LIFETIME_UNIT_S * 2**lifetime)


def plan_transition(
    before: Fabric,
    old: Routing,
    after: Fabric,
    new: Routing,
    *,
    direct: bool = False,
    progress: Callable[[int, float | None], None] | None = None,
) -> TransitionPlan:
    """Plan the way from old forwarding tables to new, and check it.

    Packets may meet old entries at some switches and new ones at others, on old service levels or
    new, and may have passed what failed since. What they may wait for is followed packet by packet,
    apart from the planner, and never closes a cycle. Where no order of old and new entries is found
    that does without draining, packets go by spanning trees for a while, if that does.

    Parameters
    ----------
    before : Fabric
        The network that the old tables were made for.
    old : Routing
        Forwarding tables.
    after : Fabric
        The network that there is: the same, what is left of it, or what it has become. Switches and
        hosts are known by their names, links by switch and port.
    new : Routing
        Forwarding tables for it, which are free of deadlock.
    direct : bool, default False
        Each entry is what the old tables say until it is what the new ones say, and destinations
        are drained where no order is found: a tree carries less than either tables.
    progress : callable, optional
        Is told, in the main thread and after the first second, how far the plan is, as by
        :func:`route`: the steps begun, and what part of the last is done.

    Raises
    ------
    RoutingError
        When the new tables do not lead somewhere or can deadlock, when a port has another cable
        than before, or when tables have more than 16 lanes, or switches that give packets more than
        64 pairs of a service level and a lane.

    Examples
    --------
    >>> import weft
    >>> net = weft.torus(4, 4)
    >>> old, new = (weft.route(net, f"down_preferred:root={root}") for root in (0, 10))
    >>> plan = weft.plan_transition(net, old, net, new)
    >>> plan.proved_throughout, plan.dropped
    (True, [])
    """
    addresses, levels, phases, dropped, dependencies, renews, by_trees = _core.plan_transition(
        before, old, after, new, direct, progress
    )
    planned = [PlannedAddress(*address) for address in addresses]
    return TransitionPlan(
        addresses=planned,
        levels=levels,
        phases=[
            TransitionPhase([TransitionStep(*step) for step in steps], most_switches, proved)
            for steps, most_switches, proved in phases
        ],
        dropped=list(dict.fromkeys(planned[place].destination for place in dropped)),
        dependencies=dependencies,
        renews=renews,
        by_trees=None if by_trees is None else TransitionTrees(*by_trees),
    )


def transition_methods(
    before: Fabric, old: Routing, after: Fabric, new: Routing
) -> list[TransitionMethod]:
    """Return what the known methods come to; parameters as of :func:`plan_transition`.

    That of Pinkston, Pang and Duato (Double Scheme) and that of Lysne et al. (simple, or
    overlapping, reconfiguration) are free of deadlock by what their authors show, where the tables
    are and where their needs are met; what everything at once comes to is computed.
    """
    return [TransitionMethod(*found) for found in _core.transition_methods(before, old, after, new)]


def transition_obstructions(
    plan: TransitionPlan, before: Fabric, old: Routing, after: Fabric, new: Routing
) -> list[TransitionObstruction]:
    """Return what shows that no order of writes does without draining, each obstruction checked.

    No two have a destination in common, so any plan drains at least as many destinations as there
    are obstructions: any in which each entry is as the old tables have it until it is written, and
    then as the new ones have it, and so each service level that hosts send by. None does not show
    that an order exists: whether one does is not decided by this. Where switches choose lanes, that
    of a packet counts as certain where old lane tables and new ones say the same.

    Parameters
    ----------
    plan : TransitionPlan
        The plan between the tables, whose addresses are meant.
    before, old, after, new
        As of :func:`plan_transition`.

    Raises
    ------
    RoutingError
        As :func:`plan_transition`.
    """
    found = _core.transition_obstructions(
        before, old, after, new, [(of.destination, of.alias) for of in plan.addresses]
    )
    return [
        TransitionObstruction(
            end,
            destinations,
            [_blocked(write) for write in writes],
            [
                TransitionDeadEnd(
                    [MetChange(*of) for of in met], [_blocked(write) for write in blocked]
                )
                for met, blocked in dead_ends
            ],
        )
        for end, destinations, writes, dead_ends in found
    ]


def _blocked(told: tuple[Any, ...]) -> BlockedWrite:
    switch, address, cycle, change, dead_end = told
    waits = [TransitionWait(*wait) for wait in cycle]
    return BlockedWrite(switch, address, waits, change, dead_end)
