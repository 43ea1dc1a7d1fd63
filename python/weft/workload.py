"""Workloads: what is sent, from where to where, when."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import TYPE_CHECKING, Literal

from weft import _core
from weft._files import read_text
from weft.errors import InputError, TrafficError
from weft.fabric.parameter import Entry
from weft.quantities import LOAD_EXPECTED, parse_size

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from weft._core import Fabric, Routing

__all__ = [
    "ArrivalProcess",
    "ExpectedLoad",
    "Traffic",
    "TrafficPattern",
    "arrival_processes",
    "destinations",
    "expected_load",
    "parse_sizes",
    "patterns",
    "sending_hosts",
]

#: What is expected of a file with a traffic matrix.
MATRIX_FILE = "a traffic matrix, a line for each pair of hosts"


@dataclass(frozen=True, slots=True)
class TrafficPattern(Entry):
    """A traffic pattern: how destinations are drawn; its name is given to :class:`Traffic`."""

    defined_on: str  #: Fabrics it is defined on


class ArrivalProcess(Entry):
    """How packets follow one another at a host; its name is given to :class:`Traffic`."""

    __slots__ = ()


def patterns() -> list[TrafficPattern]:
    """List the traffic patterns."""
    return TrafficPattern._all(_core.patterns())


def arrival_processes() -> list[ArrivalProcess]:
    """List the arrival processes."""
    return ArrivalProcess._all(_core.arrival_processes())


@dataclass(frozen=True, slots=True)
class Traffic:
    """Random traffic: hosts send packets to destinations drawn from a pattern.

    Attributes
    ----------
    pattern : str
        How destinations are drawn: the name of one of :func:`patterns`, with parameters after a
        colon where they differ from the defaults, as in ``"hotspot:share=5,hosts=host3"``.
    load : float
        Payload offered per sending host as a share of its link rate; above 0, at most 1. Headers
        come on top, so that a load near 1 exceeds the link. A host to which the pattern gives no
        destination sends nothing and does not count. By a matrix hosts offer in proportion to what
        they have for all others, and this is what the one offers whose link that fills most.
    payload_bytes : int or dict of int to float
        Payload of every packet in bytes, or sizes with their shares; the shares are weights and
        need not add up to 1.
    arrivals : str
        How packets follow one another at a host: the name of one of :func:`arrival_processes`,
        with parameters after a colon, as in ``"bursts:on_ns=20000,off_ns=60000"``.
    seed : int
        Seed of all random streams; the same seed gives the same packets.
    share_of : {"packets", "bytes"}
        What the shares of the sizes are shares of.
    pattern_text : str, optional
        What stands in the file that the pattern names; read from there when left out, and refused
        for a pattern without a file.

    Raises
    ------
    TrafficError
        When a value is unknown or out of range.
    InputError
        When the pattern names a file that is not there.

    Examples
    --------
    >>> import weft
    >>> weft.Traffic(load=0.2, payload_bytes={32: 1, 2048: 3}).mean_payload_bytes
    1544.0
    >>> fabric = weft.torus(4, 4, hosts_per_switch=1)
    >>> weft.destinations(fabric, weft.Traffic(pattern="bit_reversal"), 1)
    {8: 1.0}
    """

    pattern: str = "uniform"
    load: float = 0.2
    payload_bytes: int | dict[int, float] = 512
    arrivals: str = "poisson"
    seed: int = 1
    share_of: Literal["packets", "bytes"] = "packets"
    pattern_text: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Refuse values the core would refuse later, and read the pattern's file."""
        for name in ("payload_bytes", "seed"):
            value = getattr(self, name)
            # Those of NumPy, too, stand in a results file as whole numbers.
            if isinstance(value, Integral) and not isinstance(value, bool):
                object.__setattr__(self, name, int(value))
        if isinstance(self.load, Real) and not 0 < self.load <= 1:
            message = f"load is {self.load:g}; {LOAD_EXPECTED}"
            raise TrafficError(message)
        _core.check_traffic(self)
        file = _core.pattern_file(self.pattern)
        if file is None and self.pattern_text is not None:
            message = f"pattern_text is given and pattern {self.pattern} names no file"
            raise TrafficError(message)
        if file is not None and self.pattern_text is None:
            is_matrix = self.pattern.partition(":")[0] == "matrix"
            expected = MATRIX_FILE if is_matrix else "a permutation of the hosts"
            object.__setattr__(self, "pattern_text", read_text(file, expected))

    @property
    def sizes(self) -> dict[int, float]:
        """Payload sizes in bytes with their shares, as given."""
        if isinstance(self.payload_bytes, dict):
            return self.payload_bytes
        return {self.payload_bytes: 1.0}

    @property
    def mean_payload_bytes(self) -> float:
        """Mean payload of a packet in bytes."""
        by_bytes = self.share_of == "bytes"
        weights = {size: share / size if by_bytes else share for size, share in self.sizes.items()}
        return sum(size * weight for size, weight in weights.items()) / sum(weights.values())


def parse_sizes(text: str) -> int | dict[int, float]:
    """Return the payload sizes that a text stands for, as `Traffic` takes them.

    The text is a size in bytes such as ``512``, or sizes with their shares: ``32:0.2,2048:0.8``.
    Anything else is a `TrafficError`; what the sizes may be is for `Traffic` to say.

    Examples
    --------
    >>> from weft.workload import parse_sizes
    >>> parse_sizes("32:0.2,2048:0.8")
    {32: 0.2, 2048: 0.8}
    """
    try:
        if ":" not in text:
            return parse_size(text)
        parts = [part.split(":") for part in text.split(",")]
        sizes = [(parse_size(size), float(share)) for size, share in parts]
    except (ValueError, InputError) as error:
        message = f"payload_bytes {text}: expected a size such as 512, or 32:0.2,2048:0.8"
        raise TrafficError(message) from error
    if len(dict(sizes)) < len(sizes):
        message = f"payload_bytes {text}: a size is given twice; expected each once"
        raise TrafficError(message)
    return dict(sizes)


def destinations(fabric: Fabric, traffic: Traffic, host: int) -> dict[int, float]:
    """Return the exact distribution of a host's destinations.

    Parameters
    ----------
    fabric : Fabric
        The network.
    traffic : Traffic
        The traffic.
    host : int
        Number of the host.

    Returns
    -------
    dict of int to float
        Probability by number of the destination, in ascending order; empty for a host that sends
        nothing.

    Raises
    ------
    TrafficError
        When the pattern is not defined on the fabric; the text says why.
    IndexError
        When there is no such host.
    """
    return dict(_core.destinations(fabric, traffic, host))


def sending_hosts(fabric: Fabric, traffic: Traffic) -> int:
    """Count the hosts that send under a pattern.

    Parameters
    ----------
    fabric : Fabric
        The network.
    traffic : Traffic
        The traffic.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    TrafficError
        When the pattern is not defined on the fabric; the text says why.
    """
    return _core.sending_hosts(fabric, traffic)


@dataclass(frozen=True, slots=True)
class ExpectedLoad:
    """How traffic is expected to load the channels over given routes."""

    #: Payload over each channel as a multiple of what a sending host injects, by a matrix the one
    #: that sends most; a stop in transit counts at both channels of its host
    load_per_channel: NDArray[np.float64] = field(repr=False)
    max_load: float  #: The largest of them
    sending_hosts: int  #: Hosts that send
    mean_hops_links: float  #: Mean links between switches of a packet's route
    mean_in_transit_stops: float  #: Mean in-transit stops of a packet's route
    #: Largest offered load, as a fraction of the link rate, that no channel's expected load
    #: forbids; at most 1
    saturation_bound: float


def expected_load(fabric: Fabric, routing: Routing, traffic: Traffic) -> ExpectedLoad:
    """Compute how a pattern is expected to load the channels of a fabric.

    Nothing is drawn: the distribution of every host's destinations is known. Load, sizes, arrivals
    and seed of the traffic do not matter.

    Parameters
    ----------
    fabric : Fabric
        The network the routing was made for.
    routing : Routing
        The routes.
    traffic : Traffic
        The traffic.

    Raises
    ------
    RoutingError
        When the routing was made for another fabric.
    TrafficError
        When the pattern is not defined on the fabric; the text says why.

    Examples
    --------
    >>> import weft
    >>> fabric = weft.mesh(2, 1, hosts_per_switch=4)
    >>> routing = weft.route(fabric, "updown")
    >>> weft.expected_load(fabric, routing, weft.Traffic(pattern="complement")).saturation_bound
    0.25
    """
    return ExpectedLoad(**_core.expected_load(fabric, routing, traffic))
