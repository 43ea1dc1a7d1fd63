"""What stands for the values of a row of a results file, to tell a damaged one by."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DIGEST", "row_digest"]

DIGEST = "digest"  #: Name of the column that holds it, in every table.


def row_digest(values: Mapping[str, Any]) -> str:
    """Return the digest of a row, by column; the digest itself is left out.

    It is the same before a row is written and after it was read: SQLite turns NaN and what is left
    out into NULL, and whole numbers of a column of reals into reals.
    """
    digest = hashlib.sha256()
    for name in sorted(values):
        content = _content(values[name])
        if name != DIGEST and content is not None:
            digest.update(b"%s=%d:%s" % (name.encode(), len(content), content))
    return digest.hexdigest()[:32]


def _content(value: Any) -> bytes | None:  # noqa: ANN401 - what SQLite holds
    if isinstance(value, bytes):
        return b"b" + value
    if isinstance(value, str):
        return b"s" + value.encode("utf-8", "surrogatepass")
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, float) and not value.is_integer():
        return b"f" + repr(value).encode()
    return b"i%d" % value
