"""Workloads: what is sent, from where to where, when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from weft import _core

__all__ = ["Traffic"]


@dataclass(frozen=True, slots=True)
class Traffic:
    """Random traffic: every host sends packets to destinations drawn from a pattern.

    Attributes
    ----------
    pattern : {"uniform"}
        How destinations are drawn: ``"uniform"`` is every other host with the same probability.
    load : float
        Payload offered per host as a fraction of its link rate; more than 0. Headers come on top,
        so that a load near 1 exceeds the link.
    payload_bytes : int or dict of int to float
        Payload of every packet in bytes, or sizes with their shares of the packets; the shares
        are weights and need not add up to 1.
    arrivals : {"constant", "poisson"}
        How packets follow one another at a host: a constant interval with a random phase per
        host, or exponential intervals.
    seed : int
        Seed of all random streams; the same seed gives the same packets.

    Raises
    ------
    TrafficError
        When a value is unknown or out of range.

    Examples
    --------
    >>> import weft
    >>> weft.Traffic(load=0.2, payload_bytes={32: 1, 2048: 3}).mean_payload_bytes
    1544.0
    """

    pattern: Literal["uniform"] = "uniform"
    load: float = 0.2
    payload_bytes: int | dict[int, float] = 512
    arrivals: Literal["constant", "poisson"] = "constant"
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse values the core would refuse later."""
        _core.check_traffic(self)

    @property
    def sizes(self) -> dict[int, float]:
        """Payload sizes in bytes with their shares of the packets, as given."""
        if isinstance(self.payload_bytes, dict):
            return self.payload_bytes
        return {self.payload_bytes: 1.0}

    @property
    def mean_payload_bytes(self) -> float:
        """Mean payload of a packet in bytes."""
        sizes = self.sizes
        return sum(size * share for size, share in sizes.items()) / sum(sizes.values())
