"""Which chassis and card a switch is inside of, by the names that directors give their chips."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Chassis", "chassis_of"]

_FORMS = (
    re.compile(r"(?P<chassis>.+)/(?P<card>[LS]\d+)(?:/U\d+)?"),
    re.compile(
        r"(?P<chassis>.*?)[ ,]*\b(?P<card>(?:leaf|line|spine|fabric) *\d+)[ ,]+chip.*", re.I
    ),
)


class Chassis(NamedTuple):
    """A director, and the card in it that a chip is on."""

    name: str
    card: str


def chassis_of(name: str) -> Chassis | None:
    """Return chassis and card of a switch: ``MF0;core1:CS7500/L11/U1`` is on L11 of core1."""
    for form in _FORMS:
        if found := form.fullmatch(name):
            return Chassis(found["chassis"], found["card"])
    return None
