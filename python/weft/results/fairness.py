"""How alike the hosts of a network are served."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft.statistics import jain_index

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Fairness", "fairness_of", "served"]


@dataclass(frozen=True, slots=True)
class Fairness:
    """How alike the hosts that send are served."""

    #: Jain's index of what is accepted of them: 1 when all are served alike, 1/n when one of n is
    #: served alone; NaN when nothing was delivered.
    jain: float
    #: Accepted of the host served worst, then best, as fractions of the host link rate.
    least: float
    most: float
    hosts: int  #: Hosts that send.

    @property
    def least_over_most(self) -> float:
        """What the host served worst has, over what the one served best has; NaN for nothing."""
        return self.least / self.most if self.most else math.nan


def served(host_accepted_load: NDArray[Any], senders: int) -> list[float]:
    """Return the accepted loads of the hosts that send, descending: the rest have none."""
    return sorted(host_accepted_load.tolist(), reverse=True)[:senders]


def fairness_of(host_accepted_load: NDArray[Any], senders: int) -> Fairness:
    """Compute how alike hosts are served, of loads accepted as fractions of the host link rate.

    Examples
    --------
    >>> import numpy as np
    >>> fairness_of(np.array([0.25, 0.5, 0.0, 0.25]), senders=3).least_over_most
    0.5
    """
    found = served(host_accepted_load, senders)
    if not found:
        return Fairness(math.nan, math.nan, math.nan, 0)
    return Fairness(jain_index(found), found[-1], found[0], len(found))
