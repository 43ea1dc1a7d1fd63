"""What a written page would ask the network for."""

from __future__ import annotations

import re

__all__ = ["names_an_address"]

#: Data that the page unpacks itself: letters of base64, which by chance spell anything.
_PACKED = re.compile(r'(<script type="text/plain"[^>]*>)[^<]*')


def names_an_address(page: str) -> bool:
    """Return whether an address on the network stands in a page, its packed data left out."""
    return "http" in _PACKED.sub(r"\1", page).replace("http-equiv", "")
