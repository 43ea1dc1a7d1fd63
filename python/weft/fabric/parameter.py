"""What can be chosen of anything that has a name in a registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of anything that is chosen by name, from topologies to hardware.

    Its name is written as in ``updown:root=0``; the kind is what a value looks like, the type that
    in one word: ``"number"``, ``"count"``, ``"choice"``, ``"list"`` or ``"text"``. The default is
    the value used when none is given, None where one must be, and the source is where it comes
    from, empty where the source of what it belongs to says it. The summary is what it decides, in
    one sentence; the example is a value where there is one, and the unit that of a value, empty
    where there is none.
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
