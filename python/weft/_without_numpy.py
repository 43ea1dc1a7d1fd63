"""Many numbers at once: arrays of numpy, and what there is in their stead without it."""

from __future__ import annotations

import struct
from importlib.util import find_spec
from math import prod
from typing import TYPE_CHECKING, Any

from weft._extras import needed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["Numbers", "array_of", "content_of", "packed", "read_numbers"]

#: Of each type of number, by numpy's name: what `struct` calls it.
_CODES = {"bool": "?", "float32": "f", "float64": "d", "int64": "q", "uint32": "I", "uint64": "Q"}


class Numbers:
    """Numbers in a shape where numpy is not installed.

    They can be counted, listed and written; whatever else is asked of an array is an
    `EnvironmentFailure` that says how to get numpy.

    Parameters
    ----------
    content : bytes
        The numbers, lowest byte first, the last axis first to advance.
    dtype : str
        Their type, as numpy calls it.
    shape : sequence of int
        Extents of the axes, one or more; others than the content has are a `ValueError`.
    """

    __slots__ = ("_content", "dtype", "shape")

    def __init__(self, content: bytes, dtype: str, shape: Sequence[int]) -> None:
        self._content, self.dtype, self.shape = content, dtype, tuple(shape)
        if len(content) != self.size * struct.calcsize(f"<{_CODES[dtype]}"):
            message = f"found {len(content)} bytes, expected {dtype} of shape {self.shape}"
            raise ValueError(message)

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return prod(self.shape)

    def tolist(self) -> list[Any]:
        """Return them as numbers in lists, one in another for each axis."""
        return _nested(
            struct.unpack(f"<{self.size}{_CODES[self.dtype]}", self._content), self.shape
        )

    def tobytes(self) -> bytes:
        """Return their bytes, the lowest of each first."""
        return self._content

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __repr__(self) -> str:
        return f"<Numbers: {self.dtype} of shape {self.shape}>"

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 - whatever an array takes and gives
        return self._array()[place]

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever an array has
        if name.startswith("__"):  # asked by the interpreter and by libraries, to find out
            raise AttributeError(name)
        return getattr(self._array(), name)

    def _array(self) -> NDArray[Any]:
        array: NDArray[Any] = needed("numpy").array(self.tolist(), dtype=self.dtype)
        return array.reshape(self.shape)


def _nested(numbers: Sequence[Any], shape: Sequence[int]) -> list[Any]:
    if len(shape) == 1:
        return list(numbers)
    step = prod(shape[1:])
    parts = (numbers[place * step : (place + 1) * step] for place in range(shape[0]))
    return [_nested(part, shape[1:]) for part in parts]


def read_numbers(content: bytes, dtype: str, shape: Sequence[int] | None = None) -> NDArray[Any]:
    """Return numbers of which there are the bytes, the lowest first; in a row without a shape.

    Another number of bytes than the shape needs is a ValueError.
    """
    if find_spec("numpy"):
        import numpy as np

        values: NDArray[Any] = np.frombuffer(content, dtype=np.dtype(dtype).newbyteorder("<"))
        return values if shape is None else values.reshape(shape)
    row = (len(content) // struct.calcsize(f"<{_CODES[dtype]}"),)
    stead: Any = Numbers(content, dtype, row if shape is None else shape)
    return stead  # type: ignore[no-any-return]


def array_of(values: Any, dtype: str) -> NDArray[Any]:  # noqa: ANN401 - whatever numpy takes
    """Return an array as it is, anything else as an array."""
    if isinstance(values, Numbers):
        stead: Any = values
        return stead  # type: ignore[no-any-return]
    array: NDArray[Any] = needed("numpy").asarray(values, dtype=dtype)
    return array


def content_of(values: NDArray[Any], dtype: str) -> bytes:
    """Return the bytes of the numbers of an array, the lowest of each first."""
    if isinstance(values, Numbers):
        return values.tobytes()
    numpy = needed("numpy")
    little = numpy.asarray(values, dtype=numpy.dtype(dtype).newbyteorder("<"))
    return bytes(little.tobytes())


def packed(numbers: Iterable[float], dtype: str) -> bytes:
    """Return the bytes of numbers, the lowest of each first."""
    listed = list(numbers)
    return struct.pack(f"<{len(listed)}{_CODES[dtype]}", *listed)
