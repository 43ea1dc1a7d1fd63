"""What is known of a routing algorithm."""

from __future__ import annotations

from dataclasses import dataclass

from weft.fabric.parameter import Entry

__all__ = ["Algorithm"]


@dataclass(frozen=True, slots=True)
class Algorithm(Entry):
    """A routing algorithm; its name is given to :func:`weft.route`.

    Guarantees are what holds for its routes on every fabric, refusals why it may refuse a fabric
    that has hosts, all of them joined. With an adaptive one packets choose on their way: it can be
    proved and simulated on hardware with lanes, but has no one route for a pair to be counted,
    listed or put into tables. Packets can deadlock on no fabric with one that is deadlock-free;
    else the proof decides it for each. On every fabric, one that needs one lane needs no more than
    one virtual lane, and one that makes tables has forwarding tables for routes. With one that
    needs stops, hosts must forward packets that stop at them; one that improves has better routes
    with more time.
    """

    guarantees: str
    refuses: list[str]
    is_adaptive: bool = False
    is_deadlock_free: bool = False
    needs_one_lane: bool = False
    needs_stops: bool = False
    makes_tables: bool = False
    improves: bool = False
