"""What can be chosen of anything that has a name in a registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of anything that is chosen by name, from topologies to hardware."""

    name: str  #: Name, as written in ``updown:root=0``
    kind: str  #: What a value looks like
    default: str | None  #: Value used when none is given; None where one must be
    summary: str  #: What it decides, in one sentence
    example: str | None = None  #: A value for examples, where there is one
    #: The kind in one word: ``"number"``, ``"count"``, ``"choice"``, ``"list"`` or ``"text"``
    type: str = "text"
    unit: str = ""  #: Unit of a value; empty where there is none
    #: Where the default comes from; empty where the source of what it belongs to says it
    source: str = ""

    @property
    def range(self) -> str:
        """Values allowed, as ``kind``."""
        return self.kind


@dataclass(frozen=True, slots=True)
class Entry:
    """Anything that is chosen by name, as on the command line, and has parameters.

    The title is its name for people, the summary what it is, in a sentence or two, and the source
    the paper and section it comes from.
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
