"""Exchanges of all ranks with all, of lengths from a file or as skewed as with experts."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

from weft import _core
from weft._files import read_text
from weft._ranges import MOST_OF_64_BITS, number_below, require_whole
from weft.errors import InputError
from weft.traces import MOST_MESSAGE_BYTES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from weft._core import Trace

__all__ = ["exchange", "read_lengths", "skewed_lengths"]

_MOST_RANKS = 2**20
#: What tables often begin with.
_COLUMNS = (["from", "to", "bytes"], ["source", "destination", "amount"])
#: Steps of a bisection, more than a number has bits.
_STEPS = 200


def exchange(lengths: ArrayLike) -> Trace:
    """Make the trace of one exchange of all ranks with all, an alltoallv of MPI.

    Parameters
    ----------
    lengths : array_like of int
        Bytes of rank i for rank j, shape (ranks, ranks), at most 2^34 each.

    Raises
    ------
    InputError
        When it is no square of such numbers.

    Examples
    --------
    >>> import weft
    >>> weft.exchange([[0, 8], [4096, 0]])
    <Trace of 2 ranks>
    """
    import numpy as np

    found = np.asarray(lengths)
    if found.ndim != 2 or found.shape[0] != found.shape[1] or not found.size:
        message = f"lengths of shape {found.shape}; expected (ranks, ranks)"
        raise InputError(message)
    if not np.issubdtype(found.dtype, np.integer):
        message = f"lengths of type {found.dtype}; expected whole numbers of bytes"
        raise InputError(message)
    if found.min() < 0 or found.max() > MOST_MESSAGE_BYTES:
        message = f"lengths from {found.min()} to {found.max()}; expected 0 to {MOST_MESSAGE_BYTES}"
        raise InputError(message)
    return _core.exchange_trace(found.tolist())


def skewed_lengths(
    ranks: int,
    *,
    size_bytes: int,
    zipf: float | None = None,
    skew: float | None = None,
    seed: int = 1,
) -> NDArray[np.int64]:
    """Draw the lengths of an exchange in which some ranks get more than others.

    So tokens go to the experts of a mixture of them: each rank has as much to give as each other,
    and gives the same share of it to a rank as all others do. What ranks get differs, in an order
    that is drawn.

    Parameters
    ----------
    ranks : int
        Ranks, 2 or more.
    size_bytes : int
        Data of a rank for another one on average.
    zipf : float, optional
        Exponent of Zipf's law: the k-th rank in the drawn order gets a share of k to the minus
        this.
    skew : float, optional
        Largest share over the mean, 1 to less than ``ranks``: shares are drawn as the
        exponentials of normal numbers, times what makes this exact. 2.56 to 5.09 were measured in
        training (DeepSpeed).
    seed : int
        What is drawn by.

    Returns
    -------
    NDArray of int64
        Bytes of rank i for rank j, shape (ranks, ranks); 0 for the own rank.

    Raises
    ------
    InputError
        When a number is out of range, or not exactly one of ``zipf`` and ``skew`` is given.

    Examples
    --------
    >>> import weft
    >>> lengths = weft.skewed_lengths(16, size_bytes=1_000_000, skew=2.56)
    >>> got = lengths.sum(axis=0)
    >>> round(float(got.max() / got.mean()), 3)
    2.56
    """
    import numpy as np

    require_whole("ranks", ranks, 2, _MOST_RANKS)
    require_whole("size_bytes", size_bytes, 0, MOST_MESSAGE_BYTES)
    require_whole("seed", seed, 0, MOST_OF_64_BITS)
    generator = np.random.Generator(np.random.PCG64(seed))
    if (zipf is None) == (skew is None):
        message = "expected one of zipf and skew"
        raise InputError(message)
    if zipf is not None:
        if not (math.isfinite(zipf) and 0 <= zipf <= 100):
            message = f"zipf is {zipf}; expected 0 to 100"
            raise InputError(message)
        shares = np.arange(1, ranks + 1, dtype=float) ** -zipf
        shares = generator.permutation(shares)
    else:
        shares = _shares(generator.standard_normal(ranks), float(skew or 0), ranks)
    shares *= ranks / shares.sum()
    lengths = np.rint(np.tile(size_bytes * shares, (ranks, 1))).astype(np.int64)
    np.fill_diagonal(lengths, 0)
    return lengths


def _shares(drawn: NDArray[np.float64], skew: float, ranks: int) -> NDArray[np.float64]:
    """Return shares whose largest over the mean is as asked: it grows with the spread."""
    import numpy as np

    if not 1 <= skew < ranks:
        message = f"skew is {skew}; expected 1 to less than the {ranks} ranks"
        raise InputError(message)

    def of(spread: float) -> NDArray[np.float64]:
        shares: NDArray[np.float64] = np.exp(spread * (drawn - drawn.max()))
        return shares

    low, high = 0.0, 1.0
    while 1 / of(high).mean() < skew and high < 2**60:
        high *= 2
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if 1 / of(middle).mean() < skew:
            low = middle
        else:
            high = middle
    return of(high)


def read_lengths(path: str | os.PathLike[str], ranks: int) -> NDArray[np.int64]:
    """Read the lengths of an exchange: a line for each pair, ``from,to,bytes``, ranks by number.

    Pairs that are not there exchange nothing; empty lines, lines that begin with # and a first one
    that names the three columns are passed over.

    Parameters
    ----------
    path : path-like
        The file.
    ranks : int
        Ranks of the exchange.

    Returns
    -------
    NDArray of int64
        Bytes of rank i for rank j, shape (ranks, ranks).

    Raises
    ------
    InputError
        When the file cannot be read, a line not be understood, or there is none.
    """
    import numpy as np

    require_whole("ranks", ranks, 1, _MOST_RANKS)
    name = os.fspath(path)
    lengths = np.zeros((ranks, ranks), dtype=np.int64)
    seen: dict[tuple[int, int], int] = {}
    is_begun = False
    text = read_text(name, "a matrix, a line for each pair with from,to,bytes")
    for line, content in enumerate(text.splitlines(), start=1):
        entry = content.strip()
        if not entry or entry.startswith("#"):
            continue
        parts = [part.strip() for part in entry.split(",")]
        is_first, is_begun = not is_begun, True
        if is_first and parts in _COLUMNS:
            continue
        limits = (ranks, ranks, MOST_MESSAGE_BYTES + 1)
        numbers = [number_below(limit, part) for limit, part in zip(limits, parts, strict=False)]
        if len(parts) != len(limits) or None in numbers:
            message = (
                f"{name}:{line}: found “{entry}”, expected from,to,bytes with ranks 0 to"
                f" {ranks - 1} and 0 to {MOST_MESSAGE_BYTES} bytes"
            )
            raise InputError(message)
        source, destination, size = (number or 0 for number in numbers)
        pair = (source, destination)
        if pair in seen:
            message = (
                f"{name}:{line}: rank {source} has a length for {destination} on line {seen[pair]};"
                " expected each pair once"
            )
            raise InputError(message)
        seen[pair] = line
        lengths[pair] = size
    if not seen:
        message = f"{name}: found no lengths, expected a line for each pair with from,to,bytes"
        raise InputError(message)
    return lengths
