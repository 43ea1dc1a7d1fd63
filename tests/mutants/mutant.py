"""What a planted mistake is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """One mistake.

    Attributes
    ----------
    name : str
        What goes wrong, in a few words.
    file : str
        File below the model's folder.
    search : str
        Source text that must occur exactly once in the file.
    replace : str
        Text in its place.
    model : str
        Folder below ``crates/weft-engine/src``.
    """

    name: str
    file: str
    search: str
    replace: str
    model: str = "wormhole"
