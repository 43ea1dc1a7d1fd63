"""Grids divided into blocks of neighbouring switches."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_BLOCKS = 800
"""Blocks of a drawing at most."""

MOST_ALONG = 40
"""Blocks at most along the first two extents, which lie across and down the page."""


def block_extents(extents: tuple[int, ...], most: int = MOST_BLOCKS) -> tuple[int, ...]:
    """Choose how many blocks there are along each extent, no more than `most` in all.

    Blocks are as small as there is room for, about as long along all extents, and those of one
    extent differ by one switch at most. Where blocks up to twice as long divide all extents without
    a rest, the smallest of these are taken.
    """
    edge = 1
    while not _fits(_divided(extents, edge), most):
        edge += 1
    even = [
        longer
        for longer in range(edge, 2 * edge + 1)
        if all(extent % min(longer, extent) == 0 for extent in extents)
    ]
    return _divided(extents, even[0] if even else edge)


def _divided(extents: tuple[int, ...], edge: int) -> tuple[int, ...]:
    return tuple(-(-extent // edge) for extent in extents)


def _fits(blocks: tuple[int, ...], most: int) -> bool:
    planes = int(np.prod(blocks[2:]))
    # Planes stand beside and below one another.
    along = MOST_ALONG if planes == 1 else MOST_ALONG // int(np.ceil(np.sqrt(planes)))
    return int(np.prod(blocks)) <= most and max(blocks[:2]) <= along


def block_of(extents: tuple[int, ...], blocks: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the block of every switch, the first extent counting fastest."""
    numbers = np.arange(int(np.prod(extents)))
    found = np.zeros(len(numbers), dtype=np.int64)
    unit = 1
    for extent, count in zip(extents, blocks, strict=True):
        found += numbers % extent * count // extent * unit
        numbers = numbers // extent
        unit *= count
    return found


def block_names(extents: tuple[int, ...], blocks: tuple[int, ...]) -> list[str]:
    """Name the blocks by their coordinates in the grid: ``0–4, 10–14``."""
    ranges = [
        [
            _range(-(-at * extent // count), -(-(at + 1) * extent // count) - 1)
            for at in range(count)
        ]
        for extent, count in zip(extents, blocks, strict=True)
    ]
    return [", ".join(reversed(along)) for along in product(*reversed(ranges))]


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"
