"""Bandwidth between hosts: data over the time until they are acknowledged."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from weft import _core
from weft._ranges import MOST_OF_32_BITS, require_whole
from weft.replay import messaging_defaults
from weft.traces import MOST_MESSAGE_BYTES
from weft.workload import Traffic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft._core import Cancel, Fabric, Hardware, Routing

__all__ = ["USUAL_PATTERN", "Bandwidth", "acknowledging", "bandwidth"]

#: Defined for any number of hosts, from two on.
USUAL_PATTERN = "random_permutation"
#: As hosts write that wait for no acknowledgement, such as InfiniBand's over reliable connections.
_NO_ACK_WAIT = 2


@dataclass(frozen=True, slots=True, eq=False)
class Bandwidth:
    """What hosts get through to their destinations, all of them sending at once."""

    #: B = D / T of each sending host: its data over the time until the last of them was
    #: acknowledged; NaN of a host that sends nothing
    host_bytes_per_ns: NDArray[np.float64]
    mean_switches: float  #: Switches a packet traversed, acknowledgements included

    @property
    def mean_bytes_per_ns(self) -> float:
        """The mean over the sending hosts."""
        return fmean(self._sending())

    @property
    def min_bytes_per_ns(self) -> float:
        """What the slowest sending host gets through."""
        return min(self._sending())

    @property
    def max_bytes_per_ns(self) -> float:
        """What the fastest sending host gets through."""
        return max(self._sending())

    def _sending(self) -> list[float]:
        return [found for found in self.host_bytes_per_ns.tolist() if math.isfinite(found)]


def bandwidth(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    pattern: str | Sequence[int | None] = USUAL_PATTERN,
    *,
    size_bytes: int = 1792,
    messages: int = 50,
    messaging: Mapping[str, float] | None = None,
    cancel: Cancel | None = None,
) -> Bandwidth:
    """Let hosts write messages to the memory of others, and measure data over time.

    Every host sends its messages to the one destination that the pattern gives it, all hosts from
    the same moment on. With ack-wait (``acknowledged=1`` of the messaging layer) a message follows
    when the one before is acknowledged; with no-ack-wait (2) when its host has begun to send it.
    The second is taken for hardware whose hosts acknowledge nothing in packets of its own. Time
    ends for a host when the last of its messages is acknowledged.

    Parameters
    ----------
    fabric : Fabric
        The network.
    routing : Routing
        Its routes.
    hardware : Hardware
        The machine.
    pattern : str or sequence
        A permutation, such as ``bit_reversal``; or the destination of each host, None of one that
        sends nothing. One drawn evenly from all, which any number of hosts has, unless given.
    size_bytes : int
        Length of a message.
    messages : int
        Messages that each host sends.
    messaging : mapping of str to float, optional
        Parameters of the messaging layer that differ from those of the hardware's hosts.
    cancel : Cancel, optional
        Stops the run from another thread.

    Returns
    -------
    Bandwidth
        Depends on the arguments alone.

    Raises
    ------
    InputError
        When hosts have several destinations, packets are not acknowledged, or a number is out of
        range.
    HardwareError, RoutingError, TrafficError
        When the parts do not fit together.
    Cancelled
        When ``cancel`` was used.

    Examples
    --------
    >>> import weft
    >>> mesh = weft.mesh(4, 4, hosts_per_switch=4)
    >>> routing = weft.route(mesh, "dimension_order")
    >>> found = weft.bandwidth(mesh, routing, weft.hardware("rhinet2"), "bit_reversal")
    >>> found.min_bytes_per_ns <= found.mean_bytes_per_ns <= found.max_bytes_per_ns
    True
    """
    require_whole("size_bytes", size_bytes, 1, MOST_MESSAGE_BYTES)
    require_whole("messages", messages, 1, MOST_OF_32_BITS)
    found, mean_switches = _core.bandwidth(
        fabric,
        routing,
        hardware,
        targets=None if isinstance(pattern, str) else list(pattern),
        traffic=Traffic(pattern=pattern) if isinstance(pattern, str) else None,
        messages=messages,
        message_bytes=size_bytes,
        messaging=acknowledging(hardware, messaging or {}),
        cancel=cancel,
    )
    return Bandwidth(found, mean_switches)


def acknowledging(hardware: Hardware, messaging: Mapping[str, float]) -> dict[str, float]:
    """Return parameters of the messaging layer with what ``acknowledged`` is, given or not."""
    of_hosts = messaging_defaults(hardware.preset)["acknowledged"]
    return {"acknowledged": of_hosts or _NO_ACK_WAIT, **messaging}
