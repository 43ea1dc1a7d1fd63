"""Switches that links join, and groups of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def joined(count: int, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each of `count` switches the smallest that it is joined to by pairs, or itself."""
    smallest = np.arange(count, dtype=np.int64)
    while True:
        left, right = smallest[pairs[:, 0]], smallest[pairs[:, 1]]
        apart = left != right
        if not apart.any():
            return smallest
        pairs, left, right = pairs[apart], left[apart], right[apart]
        np.minimum.at(smallest, np.maximum(left, right), np.minimum(left, right))
        while (smallest[smallest] != smallest).any():
            smallest = smallest[smallest]


def quotient(pairs: NDArray[np.int64], group_of: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the pairs of groups that pairs of switches join, the smaller first, ascending."""
    joining = np.sort(group_of[pairs], axis=1)
    joining = joining[joining[:, 0] != joining[:, 1]]
    count = int(group_of.max()) + 1
    keys = np.unique(joining[:, 0] * count + joining[:, 1])
    return np.column_stack([keys // count, keys % count])
