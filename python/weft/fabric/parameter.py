"""What can be chosen of anything that has a name in a registry."""

from __future__ import annotations

from dataclasses import dataclass


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
