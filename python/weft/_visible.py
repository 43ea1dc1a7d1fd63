"""Text from files made safe to show: what would steer a terminal stands as an escape."""

from __future__ import annotations

import re

__all__ = ["visible"]

#: Control characters but tab and line end, marks that turn the direction of text or break lines,
#: and what no text may hold.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def visible(text: str) -> str:
    r"""Write every character that is none to be seen, but tabs and line ends, as in ``\x1b``.

    JSON stays the JSON it was: the ones that may stand in it are written as it writes them.
    """
    return _UNSAFE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x20 else f"\\u{code:04x}"
