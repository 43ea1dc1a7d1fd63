"""What makes two studies the same, and what differs when they are not."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.fabric import Fabric
    from weft.spec.programs import ProgramSpec
    from weft.spec.study import StudySpec

__all__ = ["differences", "shown_identity", "study_identity"]

_PRESET = "preset"


def study_identity(fabric: Fabric, spec: StudySpec | ProgramSpec) -> dict[str, dict[str, Any]]:
    """Return everything that decides the figures of a study, but its routings and loads.

    Routings and loads may be added to a study later; anything here makes another study. Sections
    are ``fabric``, ``hardware``, then ``traffic`` and ``run`` or ``program``, each of plain values.
    """
    return {
        "fabric": {
            "name": fabric.name,
            "fingerprint": f"{fabric.fingerprint:016x}",
            "switches": fabric.switch_count,
            "hosts": fabric.host_count,
            "links": fabric.link_count,
        },
        **spec.identity(),
    }


def differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    """Name what differs between identities, the file's and the call's, in a clause each.

    Of hardware by another preset the preset alone is named: most of its parameters differ.
    """
    clauses = []
    for section in dict.fromkeys([*there, *here]):
        old, new = there.get(section, {}), here.get(section, {})
        keys = [key for key in dict.fromkeys([*old, *new]) if old.get(key) != new.get(key)]
        clauses += [
            f"{section} {key} is {_shown(old.get(key))} there and {_shown(new.get(key))} here"
            for key in ([_PRESET] if _PRESET in keys else keys)
        ]
    return clauses


def shown_identity(value: object) -> object:
    """Return a value of an identity as people are shown it: a file's text as its fingerprint."""
    if not isinstance(value, str) or "\n" not in value:
        return value
    digest = hashlib.sha256(value.encode()).hexdigest()
    return f"{len(value.splitlines())} lines, SHA-256 {digest[:16]}"


def _shown(value: object) -> str:
    return "not given" if value is None else str(shown_identity(value))
