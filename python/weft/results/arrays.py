"""Arrays of a point as the results file holds them.

Figures per channel or host are the bytes of their little-endian numbers. Those with a second side,
per lane or in time, are compressed by zlib (RFC 1950) besides: most lanes of most channels are
idle. The fabric tells their shape.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

from weft.figure_table import ARRAYS, Histogram

if TYPE_CHECKING:
    import sqlite3
    from typing import Any

    from numpy.typing import NDArray

    from weft.fabric import Fabric
    from weft.measurement import Measurement

__all__ = ["ARRAY_COLUMNS", "read_array", "read_histogram", "stored_arrays"]

_EDGES, _COUNTS = "latency_lower_edges_ns", "latency_counts"
#: Arrays with a second side.
_WIDE = frozenset(name for name, figure in ARRAYS.items() if len(figure.axes) > 1)

#: Columns of the table of arrays, but its key.
ARRAY_COLUMNS: tuple[str, ...] = (*ARRAYS, _EDGES, _COUNTS)


def stored_arrays(measurement: Measurement) -> dict[str, bytes]:
    """Return the arrays of a measurement, its histogram included, by column."""
    stored = {
        name: np.asarray(values, dtype=_little(ARRAYS[name].dtype)).tobytes()
        for name, values in measurement.arrays().items()
    }
    for name in _WIDE:
        stored[name] = zlib.compress(stored[name], 1)
    histogram = measurement.generation_histogram
    stored[_EDGES] = np.asarray(histogram.lower_edges_ns, dtype="<f8").tobytes()
    stored[_COUNTS] = np.asarray(histogram.counts, dtype="<u8").tobytes()
    return stored


def read_array(row: sqlite3.Row, name: str, fabric: Fabric) -> NDArray[Any]:
    """Restore an array of a measurement; damaged bytes are a zlib.error or ValueError."""
    content = row[name]
    if name not in _WIDE:
        return np.frombuffer(content, dtype=_little(ARRAYS[name].dtype))
    values = np.frombuffer(zlib.decompress(content), dtype=_little(ARRAYS[name].dtype))
    if not values.size:
        return values.reshape(0, 0)
    return values.reshape([getattr(fabric, axis, -1) for axis in ARRAYS[name].axes])


def read_histogram(row: sqlite3.Row) -> Histogram:
    """Restore the distribution of the latency from a row of the file."""
    edges = np.frombuffer(row[_EDGES], dtype="<f8")
    counts = np.frombuffer(row[_COUNTS], dtype="<u8")
    return Histogram(edges.tolist(), counts.tolist())


def _little(name: str) -> str:
    return {"float32": "<f4", "uint32": "<u4"}[name]
