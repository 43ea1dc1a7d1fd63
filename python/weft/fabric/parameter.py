"""What can be chosen of anything that has a name in a registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of anything that is chosen by name, from topologies to hardware.

    Attributes
    ----------
    name : str
        Name, as written in ``updown:root=0``.
    kind : str
        What a value looks like.
    default : str or None
        Value used when none is given; None where one must be.
    summary : str
        What it decides, in one sentence.
    example : str or None
        A value for examples, where there is one.
    type : str
        The kind in one word: ``"number"``, ``"count"``, ``"choice"``, ``"list"`` or ``"text"``.
    unit : str
        Unit of a value; empty where there is none.
    source : str
        Where the default comes from; empty where the source of what it belongs to says it.
    """

    name: str
    kind: str
    default: str | None
    summary: str
    example: str | None = None
    type: str = "text"
    unit: str = ""
    source: str = ""

    @property
    def range(self) -> str:
        """Values allowed, as ``kind``."""
        return self.kind


@dataclass(frozen=True, slots=True)
class Entry:
    """Anything that is chosen by name and has parameters.

    Attributes
    ----------
    name : str
        Name, as on the command line.
    title : str
        Name for people.
    summary : str
        What it is, in a sentence or two.
    source : str
        Paper and section it comes from.
    parameters : list of Parameter
        What can be chosen.
    """

    name: str
    title: str
    summary: str
    source: str
    parameters: list[Parameter]

    @classmethod
    def _all(cls, records: Iterable[Mapping[str, Any]]) -> list[Self]:
        """Make the entries of a registry from what the core knows of each."""
        return [
            cls(**{**record, "parameters": [Parameter(**known) for known in record["parameters"]]})
            for record in records
        ]
