"""Proofs that routes cannot deadlock, or the shortest cycle by which they can.

The verifier looks at the routes alone, not at the algorithm that made them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft import _core
from weft._core import Certificate

if TYPE_CHECKING:
    from weft._core import Fabric, Routing

__all__ = ["Certificate", "CycleStep", "Proof", "check_certificate", "prove"]


@dataclass(frozen=True, slots=True)
class CycleStep:
    """One dependency of a cycle: a packet may hold one channel and want the next.

    Attributes
    ----------
    held : str
        Channel held, as ``sw0[3] → sw1[4]``.
    wanted : str
        Channel wanted, which the next step of the cycle holds.
    source, destination : str
        Hosts whose route creates the dependency, the first of those that do.
    held_channel, wanted_channel : int
        Numbers of the two channels.
    held_lane, wanted_lane : int
        Their virtual lanes.
    """

    held: str
    wanted: str
    source: str
    destination: str
    held_channel: int
    held_lane: int
    wanted_channel: int
    wanted_lane: int


@dataclass(frozen=True, slots=True)
class Proof:
    """What the verifier found.

    Attributes
    ----------
    deadlock_free : bool
        Whether every pair is reached, no route loops and no packets can wait for one another.
    verdict : str
        ``"deadlock-free"``, ``"deadlock"``, ``"unreachable"`` or ``"loop"``.
    certificate : Certificate or None
        An order of the channels that every route ascends; present when deadlock-free.
    cycle : list of CycleStep
        A shortest cycle of dependencies; empty unless the verdict is ``"deadlock"``.
    text : str
        The verdict in full, for people.
    """

    deadlock_free: bool
    verdict: str
    certificate: Certificate | None
    cycle: list[CycleStep]
    text: str


def prove(fabric: Fabric, routing: Routing) -> Proof:
    """Prove routes deadlock-free, or find out why they are not.

    Parameters
    ----------
    fabric : Fabric
        The network the routing was made for.
    routing : Routing
        The routes.

    Returns
    -------
    Proof

    Raises
    ------
    RoutingError
        When the routing was made for another fabric.

    Examples
    --------
    >>> import weft
    >>> fabric = weft.torus(4, 4)
    >>> weft.prove(fabric, weft.route(fabric, "minimal")).verdict
    'deadlock'
    """
    found = _core.prove(fabric, routing)
    return Proof(**{**found, "cycle": [CycleStep(**step) for step in found["cycle"]]})


def check_certificate(fabric: Fabric, routing: Routing, certificate: Certificate) -> None:
    """Check in one pass that every route ascends a certificate's order of the channels.

    Parameters
    ----------
    fabric : Fabric
        The network the routing was made for.
    routing : Routing
        The routes.
    certificate : Certificate
        The order to check, from :func:`prove` or :meth:`Certificate.from_ranks`.

    Raises
    ------
    RoutingError
        Names the first route that does not ascend.
    """
    _core.check_certificate(fabric, routing, certificate)
