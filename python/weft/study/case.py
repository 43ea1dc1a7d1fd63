"""A case of a study: routings compared on one fabric, under one hardware and traffic."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weft.fabric import Fabric
    from weft.routing import Routing
    from weft.study.spec import StudySpec

__all__ = ["Case", "fabric_text", "point_content", "text_digest"]

#: Hexadecimal digits of a digest that are kept: 128 bits, so that no two contents meet.
_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Case:
    """One fabric under one hardware and traffic, with the routings compared on it.

    Attributes
    ----------
    name : str
        Name in the results file; unique in a study.
    fabric : Fabric
        The network.
    spec : StudySpec
        What is compared, and under which conditions.
    settings : dict
        What the study file says of this case: value by key, such as
        ``{"fabrics.switches": 16, "fabrics.seed": 2}``.
    """

    name: str
    fabric: Fabric
    spec: StudySpec
    settings: dict[str, Any] = field(default_factory=dict)


def fabric_text(fabric: Fabric) -> str:
    """Return a fabric as the results file and the machines of a cluster are given it."""
    from weft import _core

    return str(_core.fabric_text(fabric, "json"))


def text_digest(text: str) -> str:
    """Return what stands for a text where two of them have to be told apart."""
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def point_content(
    fabric_digest: str, routing: Routing, spec: StudySpec, load: float, seed: int
) -> str:
    """Return what stands for everything that decides the figures of a point.

    Two points of equal content have the same figures, whatever study they belong to.

    Parameters
    ----------
    fabric_digest : str
        `text_digest` of the fabric's text.
    routing : Routing
        The routing.
    spec : StudySpec
        The study.
    load : float
        Offered load, fraction of the host link rate.
    seed : int
        Seed of the traffic.
    """
    from weft.results.machine import weft_version

    conditions = spec.identity()
    traffic = {key: value for key, value in conditions["traffic"].items() if key != "seeds"}
    content = {
        "weft": weft_version(),
        "fabric": fabric_digest,
        "routing": [routing.label, routing.algorithm, routing.parameters],
        "hardware": conditions["hardware"],
        "traffic": {**traffic, "load": load, "seed": seed},
        "run": conditions["run"],
    }
    return text_digest(json.dumps(content, sort_keys=True))
