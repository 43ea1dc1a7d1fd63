"""Arrays of a point as the results file holds them.

Figures per channel or host are the bytes of their little-endian numbers. Those with a second side,
per lane or in time, are compressed by zlib (RFC 1950) besides: most lanes of most channels are
idle. The fabric tells their shape.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from weft.simulate import ARRAY_TYPES, WIDE_ARRAYS

if TYPE_CHECKING:
    import sqlite3
    from typing import Any

    from numpy.typing import NDArray

    from weft.fabric import Fabric
    from weft.simulate import Histogram, Measurement

__all__ = ["ARRAY_COLUMNS", "read_array", "read_histogram", "stored_arrays"]

_EDGES, _COUNTS = "latency_lower_edges_ns", "latency_counts"
#: Rows of these are intervals of time and columns hosts; rows of other wide ones are channels.
_IN_TIME = ("pool_series_mean_bytes", "pool_series_max_bytes")

#: Columns of the table of arrays, but its key.
ARRAY_COLUMNS: tuple[str, ...] = (*ARRAY_TYPES, _EDGES, _COUNTS)


def stored_arrays(measurement: Measurement) -> dict[str, bytes]:
    """Return the arrays of a measurement, its histogram included, by column.

    Parameters
    ----------
    measurement : Measurement
        What a simulation measured.
    """
    import numpy as np

    stored = {
        name: np.asarray(values, dtype=_little(ARRAY_TYPES[name])).tobytes()
        for name, values in measurement.arrays().items()
    }
    for name in WIDE_ARRAYS:
        stored[name] = zlib.compress(stored[name], 1)
    histogram = measurement.generation_histogram
    stored[_EDGES] = np.asarray(histogram.lower_edges_ns, dtype="<f8").tobytes()
    stored[_COUNTS] = np.asarray(histogram.counts, dtype="<u8").tobytes()
    return stored


def read_array(row: sqlite3.Row, name: str, fabric: Fabric) -> NDArray[Any]:
    """Restore an array of a measurement from a row of the file.

    Parameters
    ----------
    row : sqlite3.Row
        Bytes by column.
    name : str
        Name of the array.
    fabric : Fabric
        The network of the study.

    Raises
    ------
    zlib.error, ValueError
        When the bytes are damaged.
    """
    import numpy as np

    content = row[name]
    if name not in WIDE_ARRAYS:
        return np.frombuffer(content, dtype=_little(ARRAY_TYPES[name]))
    values = np.frombuffer(zlib.decompress(content), dtype=_little(ARRAY_TYPES[name]))
    if not values.size:
        return values.reshape(0, 0)
    if name in _IN_TIME:
        return values.reshape(-1, fabric.host_count)
    return values.reshape(fabric.channel_count, -1)


def read_histogram(row: sqlite3.Row) -> Histogram:
    """Restore the distribution of the latency from a row of the file.

    Parameters
    ----------
    row : sqlite3.Row
        Bytes by column.
    """
    import numpy as np

    from weft.simulate import Histogram

    edges = np.frombuffer(row[_EDGES], dtype="<f8")
    counts = np.frombuffer(row[_COUNTS], dtype="<u8")
    return Histogram(edges.tolist(), counts.tolist())


def _little(name: str) -> str:
    return {"float32": "<f4", "uint32": "<u4"}[name]
