"""Which chassis and card a switch is inside of, by system GUIDs and the names of chips."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from weft._core import Fabric

__all__ = ["Chassis", "chassis_of", "named_chassis"]

_FORMS = (
    re.compile(r"(?P<chassis>.+)/(?P<card>[LS]\d+)(?:/U\d+)?"),
    re.compile(
        r"(?P<chassis>.*?)[ ,]*\b(?P<card>(?:leaf|line|spine|fabric) *\d+)[ ,]+chip.*", re.I
    ),
)


class Chassis(NamedTuple):
    """A director, and the card in it that a chip is on."""

    name: str
    card: str  #: Empty where nothing tells it


def chassis_of(fabric: Fabric) -> list[Chassis | None]:
    """Return chassis and card of every switch; None for switches that are one by themselves.

    Switches are of one chassis where their system GUID is one, and where there is none, by name.
    Cards are known by name alone.
    """
    named = [named_chassis(name) for name in fabric.switch_names]
    systems = fabric.system_guids
    sizes = Counter(systems)
    shared = [system if sizes[system] > 1 else None for system in systems]
    names = _names_of_systems(named, shared)
    return [
        own if system is None else Chassis(names[system], own.card if own else "")
        for own, system in zip(named, shared, strict=True)
    ]


def named_chassis(name: str) -> Chassis | None:
    """Return chassis and card of a switch: ``MF0;core1:CS7500/L11/U1`` is on L11 of core1."""
    for form in _FORMS:
        if found := form.fullmatch(name):
            return Chassis(found["chassis"], found["card"])
    return None


def _names_of_systems(
    named: list[Chassis | None], shared: list[int | None]
) -> dict[int | None, str]:
    """Return what each system is called: what most of its chips say, with its GUID if others do."""
    told: dict[int | None, Counter[str]] = {}
    alone = set()
    for own, system in zip(named, shared, strict=True):
        if system is not None:
            told.setdefault(system, Counter()).update([own.name] if own else [])
        elif own is not None:
            alone.add(own.name)
    names = {system: max(each, key=each.__getitem__, default="") for system, each in told.items()}
    uses = Counter([*names.values(), *alone, ""])
    return {
        system: name if name and uses[name] == 1 else f"{name} {system:#018x}".strip()
        for system, name in names.items()
    }
