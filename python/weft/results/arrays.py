"""Arrays of a point as the results file holds them.

Figures per channel or host are the bytes of their little-endian numbers. Those with a second side,
per lane or in time, are compressed by zlib (RFC 1950) besides: most lanes of most channels are
idle. The fabric tells their shape.
"""

from __future__ import annotations

import zlib
from math import prod
from typing import TYPE_CHECKING

from weft._without_numpy import content_of, packed, read_numbers
from weft.figure_table import ARRAYS, Histogram

if TYPE_CHECKING:
    import sqlite3
    from typing import Any

    from numpy.typing import NDArray

    from weft.fabric import Fabric
    from weft.measurement import Measurement

__all__ = ["ARRAY_COLUMNS", "read_array", "read_histogram", "stored_arrays"]

_EDGES, _COUNTS = "latency_lower_edges_ns", "latency_counts"
_BYTES = 4  # of a number of any
#: Arrays with a second side.
_WIDE = frozenset(name for name, figure in ARRAYS.items() if len(figure.axes) > 1)

#: Columns of the table of arrays, but its key.
ARRAY_COLUMNS: tuple[str, ...] = (*ARRAYS, _EDGES, _COUNTS)


def stored_arrays(measurement: Measurement) -> dict[str, bytes]:
    """Return the arrays of a measurement, its histogram included, by column."""
    stored = {
        name: content_of(values, ARRAYS[name].dtype)
        for name, values in measurement.arrays().items()
    }
    for name in _WIDE:
        stored[name] = zlib.compress(stored[name], 1)
    histogram = measurement.generation_histogram
    stored[_EDGES] = packed(histogram.lower_edges_ns, "float64")
    stored[_COUNTS] = packed(histogram.counts, "uint64")
    return stored


def read_array(row: sqlite3.Row, name: str, fabric: Fabric) -> NDArray[Any]:
    """Restore an array of a measurement; damaged bytes are a zlib.error or ValueError."""
    content, figure = row[name], ARRAYS[name]
    if name not in _WIDE:
        return read_numbers(content, figure.dtype)
    content = zlib.decompress(content)
    if not content:
        return read_numbers(content, figure.dtype, (0, 0))
    # Of one side, lanes or intervals, the fabric knows nothing.
    known = prod(getattr(fabric, axis, 1) for axis in figure.axes)
    rest = len(content) // (_BYTES * known)
    return read_numbers(
        content, figure.dtype, [getattr(fabric, axis, rest) for axis in figure.axes]
    )


def read_histogram(row: sqlite3.Row) -> Histogram:
    """Restore the distribution of the latency from a row of the file."""
    edges = read_numbers(row[_EDGES], "float64")
    counts = read_numbers(row[_COUNTS], "uint64")
    return Histogram(edges.tolist(), counts.tolist())
