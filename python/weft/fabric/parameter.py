"""What can be chosen of anything that has a name in a registry."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a topology, a routing algorithm, a traffic pattern or an arrival process.

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
    """

    name: str
    kind: str
    default: str | None
    summary: str
    example: str | None = None
