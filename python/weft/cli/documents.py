"""Documents that commands print with ``--json``: their kinds, and what is at the top of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft._machine import weft_version

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DOCUMENTS", "headed"]

#: Version of the form of each kind: the next one when a key goes, or holds something else. A key
#: more leaves it as it is.
DOCUMENTS = {
    "advise": 1,
    "audit": 1,
    "audit-subnets": 1,
    "bandwidth": 1,
    "collective": 1,
    "compare": 1,
    "completion": 1,
    "error": 1,
    "explore": 1,
    "export-ibdiagnet": 1,
    "export-opensm": 1,
    "export-results": 1,
    "fabric-convert": 1,
    "fabric-degrade": 1,
    "fabric-diff": 1,
    "fabric-formats": 1,
    "fabric-new": 1,
    "fabric-show": 1,
    "fabric-show-subnets": 1,
    "hardware": 1,
    "jobs": 1,
    "place": 2,
    "prove": 1,
    "prove-bound": 1,
    "prove-check": 1,
    "rehearse": 1,
    "replay": 2,
    "report": 1,
    "reproduce": 1,
    "reproduce-list": 1,
    "route": 3,
    "route-list": 1,
    "simulate": 1,
    "study-cancel": 1,
    "study-keys": 1,
    "study-plan": 1,
    "study-programs": 1,
    "study-run": 1,
    "study-status": 1,
    "survive": 1,
    "transition": 1,
    "version": 1,
    "watch": 1,
    "workload": 1,
}


def headed(kind: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document of a kind: the release of Weft, kind and version, and what it tells."""
    head = {"weft": weft_version(), "document": kind, "version": DOCUMENTS[kind]}
    if twice := head.keys() & content.keys():
        message = f"document {kind} has {', '.join(sorted(twice))} of its own"
        raise ValueError(message)
    return {**head, **content}
