"""Proofs that routes cannot deadlock, or the shortest cycle by which they can.

The verifier looks at the routes alone, not at the algorithm that made them.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft import _core
from weft._core import Certificate
from weft._files import read_json, write_text
from weft.errors import FormatError

if TYPE_CHECKING:
    from typing import NoReturn

    from weft._core import Fabric, Routing

__all__ = [
    "Certificate",
    "CycleStep",
    "Proof",
    "RouteFindings",
    "certificate_of",
    "check_certificate",
    "free_between_compute_ends",
    "proof_of",
    "prove",
    "read_certificate",
    "refuse_file",
    "require_fabric",
    "route_findings",
    "write_certificate",
]

_MOST_LANES = 255
_MOST_RANK = 2**32 - 1


@dataclass(frozen=True, slots=True)
class CycleStep:
    """One dependency of a cycle: a packet may hold one channel and want the next."""

    held: str  #: Channel held, as ``sw0[3] → sw1[4]``
    wanted: str  #: Channel wanted, which the next step of the cycle holds
    source: str  #: Host whose route creates the dependency, the first of those that do
    destination: str  #: Host that this route leads to
    held_channel: int  #: Number of the channel that is held
    held_lane: int  #: Its virtual lane
    wanted_channel: int  #: Number of the channel that is wanted
    wanted_lane: int  #: Its virtual lane
    #: Where switches choose among groups and LIDs are known: that of the destination which its
    #: packets go to
    lid: int | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    """What the verifier found."""

    #: Whether every pair is reached, no route loops and no packets can wait for one another
    deadlock_free: bool
    verdict: str  #: ``"deadlock-free"``, ``"deadlock"``, ``"unreachable"`` or ``"loop"``
    #: An order of the channels that every route ascends; present when deadlock-free
    certificate: Certificate | None
    #: A shortest cycle of dependencies; empty unless the verdict is ``"deadlock"``
    cycle: list[CycleStep]
    text: str  #: The verdict in full, for people
    #: Where packets choose and cannot deadlock, what ascends the order: ``"every way"`` that they
    #: may take, so that ways may be taken from them as long as one is left, or ``"one way"``
    #: wherever they wait
    rests_on: str | None = None


def proof_of(found: dict[str, Any]) -> Proof:
    """Return what the core found as a proof."""
    return Proof(**{**found, "cycle": [CycleStep(**step) for step in found["cycle"]]})


def prove(fabric: Fabric, routing: Routing) -> Proof:
    """Prove routes deadlock-free, or find out why they are not.

    Parameters
    ----------
    fabric : Fabric
        The network the routing was made for.
    routing : Routing
        The routes.

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
    return proof_of(_core.prove(fabric, routing))


def free_between_compute_ends(fabric: Fabric, routing: Routing) -> bool:
    """Tell whether routes between compute ends alone all arrive and cannot deadlock.

    Where that is so and all routes together can, every cycle takes one from or to a service end.

    Parameters
    ----------
    fabric : Fabric
        The network the routing was made for.
    routing : Routing
        The routes; one for every pair.

    Raises
    ------
    RoutingError
        When the routing was made for another fabric, or packets choose on their way.
    """
    return _core.free_between_compute_ends(fabric, routing)


@dataclass(frozen=True, slots=True)
class RouteFindings:
    """Everything that is wrong with routes; a proof names the first kind of trouble alone."""

    host_pairs: int  #: Ordered pairs of distinct hosts
    #: Of them, pairs whose route ends before the destination; of a host with several addresses by
    #: the first
    unreached_pairs: int
    #: Of them, pairs whose route leads in a circle; of a host with several addresses by the first
    circling_pairs: int
    unreached: list[str]  #: Routes that end before the destination, the first ones: where and why
    route_loop: str | None  #: A route that meets a switch twice, after the fewest steps of all
    #: A shortest cycle of dependencies, which can deadlock; empty without any
    cycle: list[CycleStep]
    lane_count: int  #: Lanes of each channel, as many as the routes use

    @property
    def are_none(self) -> bool:
        """Whether nothing is wrong: every pair is reached and no packets can deadlock."""
        return not (self.unreached or self.route_loop or self.cycle)


def route_findings(fabric: Fabric, routing: Routing, *, most_named: int = 20) -> RouteFindings:
    """Find everything that is wrong with routes, such as those of a running cluster.

    Parameters
    ----------
    fabric : Fabric
        The network the routing was made for.
    routing : Routing
        The routes.
    most_named : int
        How many of the routes that do not arrive are named.

    Raises
    ------
    RoutingError
        When the routing was made for another fabric.

    Examples
    --------
    >>> import weft
    >>> torus = weft.torus(4, 4)
    >>> found = weft.route_findings(torus, weft.route(torus, "minimal"))
    >>> found.unreached_pairs, len(found.cycle)
    (0, 4)
    """
    found = _core.route_findings(fabric, routing, most_named)
    return RouteFindings(**{**found, "cycle": [CycleStep(**step) for step in found["cycle"]]})


def check_certificate(fabric: Fabric, routing: Routing, certificate: Certificate) -> None:
    """Check in one pass that every route ascends a certificate's order of the channels.

    Parameters
    ----------
    fabric : Fabric
        The network the routing was made for.
    routing : Routing
        The routes.
    certificate : Certificate
        The order to check, from :func:`prove` or :func:`read_certificate`.

    Raises
    ------
    RoutingError
        Names the first route that does not ascend.
    """
    _core.check_certificate(fabric, routing, certificate)


def write_certificate(
    fabric: Fabric, routing: Routing, certificate: Certificate, path: str | os.PathLike[str]
) -> None:
    """Write a certificate to a file (JSON), whole or not at all.

    Parameters
    ----------
    fabric : Fabric
        The network.
    routing : Routing
        The routes it is of; their label is written for people.
    certificate : Certificate
        The order of the channels.
    path : path-like
        File to write; an existing one is replaced.

    Raises
    ------
    EnvironmentFailure
        When the machine does not let it be written.
    """
    places = [
        (rank, channel, lane)
        for channel, of_lanes in enumerate(certificate.ranks.tolist())
        for lane, rank in enumerate(of_lanes)
    ]
    names = [fabric.describe_channel(channel) for channel in range(fabric.channel_count)]
    document = {
        "fabric": fabric.name,
        "fingerprint": f"{fabric.fingerprint:016x}",
        "routing": routing.label,
        "channels": [
            {"rank": rank, "channel": channel, "lane": lane, "name": names[channel]}
            for rank, channel, lane in sorted(places)
        ],
    }
    write_text(path, json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def read_certificate(fabric: Fabric, path: str | os.PathLike[str]) -> Certificate:
    """Read a certificate from a file that :func:`write_certificate` or ``weft prove`` wrote.

    Parameters
    ----------
    fabric : Fabric
        The network it is of.
    path : path-like
        The file.

    Returns
    -------
    Certificate
        The order; whether routes ascend it, :func:`check_certificate` tells.

    Raises
    ------
    FormatError
        When the file is damaged, of another kind or of another fabric.
    InputError
        When there is no such file.
    """
    return certificate_of(fabric, read_json(path, "a certificate"), path)


def certificate_of(
    fabric: Fabric,
    document: Any,  # noqa: ANN401 - any JSON
    path: str | os.PathLike[str],
) -> Certificate:
    """Return the certificate that a file holds; errors are those of `read_certificate`."""
    if not isinstance(document, dict) or not isinstance(document.get("channels"), list):
        refuse_file(path, "no “channels”", "a certificate as weft prove --certificate writes it")
    require_fabric(fabric, document, path, "a certificate", "prove the routes of this fabric anew")
    ranks: dict[tuple[int, int], int] = {}
    for number, entry in enumerate(document["channels"]):
        place = _place(entry)
        if place is None:
            text = json.dumps(entry, ensure_ascii=False)
            refuse_file(
                path, f"{text} as entry {number}", "whole numbers “rank”, “channel” and “lane”"
            )
        channel, lane, rank = place
        if channel >= fabric.channel_count:
            refuse_file(
                path, f"channel {channel}", f"0 to {fabric.channel_count - 1}, as {fabric.name} has"
            )
        if (channel, lane) in ranks:
            refuse_file(path, f"channel {channel}, lane {lane} twice", "each once")
        ranks[channel, lane] = rank
    lanes = 1 + max((lane for _, lane in ranks), default=0)
    if len(ranks) != lanes * fabric.channel_count:
        refuse_file(
            path,
            f"{len(ranks)} ranks",
            f"one for each of {fabric.channel_count} channels on each of {lanes} lanes; copy the "
            "file in full",
        )
    channels = range(fabric.channel_count)
    return Certificate([[ranks[channel, lane] for lane in range(lanes)] for channel in channels])


def refuse_file(path: str | os.PathLike[str], found: str, expected: str) -> NoReturn:
    """Raise a `FormatError` that names a file, what it holds and what it should."""
    message = f"{os.fspath(path)}: found {found}, expected {expected}"
    raise FormatError(message)


def require_fabric(
    fabric: Fabric, document: dict[str, Any], path: str | os.PathLike[str], what: str, cure: str
) -> None:
    """Refuse what is of another fabric than the one it is to be used with."""
    fingerprint = f"{fabric.fingerprint:016x}"
    if document.get("fingerprint") != fingerprint:
        refuse_file(
            path,
            f"{what} of fabric {document.get('fabric')} with fingerprint "
            f"{document.get('fingerprint')}",
            f"one of {fabric.name} with {fingerprint}; {cure}",
        )


def _place(entry: Any) -> tuple[int, int, int] | None:  # noqa: ANN401 - whatever the file holds
    """Take channel, lane and rank from an entry; None when it is none."""
    if not isinstance(entry, dict):
        return None
    numbers: list[int] = []
    for name, most in (("channel", _MOST_RANK), ("lane", _MOST_LANES - 1), ("rank", _MOST_RANK)):
        value = entry.get(name)
        if type(value) is not int or not 0 <= value <= most:
            return None
        numbers.append(value)
    channel, lane, rank = numbers
    return channel, lane, rank
