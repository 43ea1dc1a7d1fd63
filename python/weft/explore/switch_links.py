"""The links between switches, which a page calls cables and knows by their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from weft.fabric import Fabric

__all__ = ["cable_ends", "is_cable"]


def is_cable(fabric: Fabric) -> NDArray[np.bool_]:
    """Return of each link whether it joins two switches, shape (links,)."""
    return fabric.is_switch_channel[::2]


def cable_ends(fabric: Fabric) -> list[list[int]]:
    """Return switch, port, switch and port of each cable."""
    ends: list[list[int]] = fabric.links()[is_cable(fabric)].tolist()
    return ends
