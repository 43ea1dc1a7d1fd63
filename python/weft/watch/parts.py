"""What a fabric is made of, so that two of them can be told apart part by part."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from weft import _core
from weft.fabric import degrade

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weft.fabric import Fabric

__all__ = ["Part", "count_of", "is_of", "named", "parts_of", "without"]

#: ``("switch", name)``, ``("host", name, switch:port)`` or ``("cable", switch:port, switch:port)``.
Part = tuple[str, ...]
#: Fabrics that were asked for last, as the same is asked for again and again.
_known: deque[tuple[Fabric, frozenset[Part]]] = deque(maxlen=4)


def parts_of(fabric: Fabric) -> frozenset[Part]:
    """Return the switches of a fabric, its hosts with where they are plugged in, and its cables."""
    for known, parts in _known:
        if known is fabric:
            return parts
    switches, hosts, cables = _core.fabric_parts(fabric)
    found: list[Part] = [("switch", name) for name in switches]
    found += [("host", name, place) for name, place in hosts]
    found += [("cable", *ends) for ends in cables]
    _known.append((fabric, frozenset(found)))
    return _known[-1][1]


def count_of(kind: str, parts: Iterable[Part]) -> int:
    """Count the parts of a kind."""
    return [part[0] for part in parts].count(kind)


def is_of(kind: str, parts: Iterable[Part]) -> list[Part]:
    """Return the parts of a kind, in the order of their names."""
    return sorted(part for part in parts if part[0] == kind)


def named(part: Part) -> str:
    """Name a part for people."""
    match part:
        case ("host", name, place):
            return f"host {name} at {place}"
        case ("cable", one, other):
            return f"cable {one} – {other}"
    return " ".join(part)


def without(fabric: Fabric, parts: Iterable[Part]) -> Fabric:
    """Return what a fabric is without some of its parts: of what is left, the part with most hosts.

    Raises
    ------
    FabricError
        When no switch would be left.
    """
    held = list(parts)
    left = degrade(
        fabric,
        links=[part[1] for part in is_of("cable", held)],
        switches=[part[1] for part in is_of("switch", held)],
        hosts=[part[1] for part in is_of("host", held)],
        keep_largest=True,
    ).fabric
    # Then its parts are known.
    return fabric if left == fabric else left
