"""What is known of a routing algorithm."""

from __future__ import annotations

from dataclasses import dataclass

from weft.fabric.parameter import Entry

__all__ = ["Algorithm"]


@dataclass(frozen=True, slots=True)
class Algorithm(Entry):
    """A routing algorithm; its name is given to :func:`weft.route`."""

    guarantees: str  #: What holds for its routes on every fabric
    refuses: list[str]  #: Why it may refuse a fabric that has hosts, all of them joined
    #: Whether packets choose on their way: such a routing can be proved and simulated on hardware
    #: with lanes, but has no one route for a pair to be counted, listed or put into tables
    is_adaptive: bool = False
    #: Whether packets can deadlock on no fabric; else the proof decides it for each
    is_deadlock_free: bool = False
    #: Whether its routes need no more than one virtual lane on any fabric
    needs_one_lane: bool = False
    needs_stops: bool = False  #: Whether hosts must forward packets that stop at them
    makes_tables: bool = False  #: Whether its routes are forwarding tables on every fabric
    improves: bool = False  #: Whether more time makes its routes better
