"""Rows of a grid drawn as bows, where cables lead over others of the same row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["bowed"]

#: How far the middle of a bow is from its chord, as a part of the distance of two rows.
_DEPTH = 0.36


def bowed(
    places: NDArray[np.float64], cables: Sequence[tuple[int, int]], spacing: float
) -> NDArray[np.float64]:
    """Bend rows and columns that a cable leads along over switches which it does not join.

    On a torus a cable from the end of a row to its beginning would lie on all others of the row.
    As a chord of the bow that the row is drawn as, it is seen, and can be pointed at.

    Parameters
    ----------
    places : numpy.ndarray
        Shape (switches, 2): where they stand on a grid.
    cables : sequence of tuple of int
        The switches that each joins.
    spacing : float
        Distance of neighbouring rows.

    Returns
    -------
    numpy.ndarray
        Shape (switches, 2): where they stand, then.
    """
    found = places.copy()
    for along in (0, 1):
        across = 1 - along
        lines = np.round(places[:, across] / spacing, 3)
        spans: dict[float, list[tuple[float, float]]] = {}
        for one, other in cables:
            if lines[one] == lines[other]:
                first, last = sorted((float(places[one, along]), float(places[other, along])))
                spans.setdefault(float(lines[one]), []).append((first, last))
        for line, ends in spans.items():
            here = lines == line
            stands = places[here, along]
            for first, last in _merged(ends, stands):
                within = here & (places[:, along] >= first) & (places[:, along] <= last)
                share = (places[within, along] - first) / (last - first)
                found[within, across] += _DEPTH * spacing * 4 * share * (1 - share)
    return found


def _merged(
    spans: Sequence[tuple[float, float]], stands: NDArray[np.float64]
) -> list[tuple[float, float]]:
    """Return the stretches of a line that cables lead over without ending at all its switches."""
    long = sorted({span for span in spans if _leads_over(span, stands)})
    merged: list[tuple[float, float]] = []
    for first, last in long:
        if merged and first < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _leads_over(span: tuple[float, float], stands: NDArray[np.float64]) -> bool:
    first, last = span
    return bool(((stands > first) & (stands < last)).any())
