"""A case of a study: routings compared on one fabric, under one hardware and traffic."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from weft import _core
from weft._files import text_digest
from weft._machine import weft_version
from weft.own_routing import own_algorithms
from weft.routing import ALL_TO_ALL

if TYPE_CHECKING:
    from weft.fabric import Fabric
    from weft.routing import Routing
    from weft.spec.programs import ProgramSpec
    from weft.spec.study import StudySpec
    from weft.study.executors.interface import RoutedCase

__all__ = [
    "ROUTES",
    "Case",
    "fabric_text",
    "point_content",
    "recorded_parameters",
    "replay_content",
]

#: Where the digest of routes of one's own stands among the parameters that are recorded.
ROUTES = "routes_sha256"


@dataclass(frozen=True, slots=True)
class Case:
    """One fabric under one hardware and traffic, with the routings compared on it."""

    name: str  #: Name in the results file; unique in a study.
    fabric: Fabric
    spec: StudySpec
    #: What the study file says of this case, by key: ``{"fabrics.switches": 16, "fabrics.seed":
    #: 2}``.
    settings: dict[str, Any] = field(default_factory=dict)
    #: What commands name the fabric by, quoted for a shell; None where it comes from no file.
    given: str | None = None


def fabric_text(fabric: Fabric) -> str:
    """Return a fabric as the results file and the machines of a cluster are given it."""
    return str(_core.fabric_text(fabric, "json"))


def recorded_parameters(routing: Routing) -> dict[str, str]:
    """Return the parameters of a routing; with what stands for its routes where they are one's own.

    What an algorithm of Weft's makes of its parameters is known by the version, unless these name
    files of what hosts send. One's own may be changed meanwhile: its points, and what was proved of
    it, are those of its routes.
    """
    traffic = routing.parameters.get("traffic", ALL_TO_ALL)
    if routing.algorithm not in own_algorithms() and traffic == ALL_TO_ALL:
        return routing.parameters
    return {**routing.parameters, ROUTES: text_digest(routing.to_json())}


def point_content(routed: RoutedCase[StudySpec], load: float, seed: int) -> str:
    """Return what stands for everything that decides the figures of a point.

    Two points of equal content have the same figures, whatever study they belong to; the load is a
    fraction of the host link rate.
    """
    conditions = routed.spec.identity()
    traffic = {key: value for key, value in conditions["traffic"].items() if key != "seeds"}
    content = {
        **_common_content(routed),
        "hardware": conditions["hardware"],
        "traffic": {**traffic, "load": load, "seed": seed},
        "run": conditions["run"],
    }
    return text_digest(json.dumps(content, sort_keys=True))


def replay_content(routed: RoutedCase[ProgramSpec], hosts: list[int]) -> str:
    """Return what stands for all that decides how a program runs, rank i on host ``hosts[i]``."""
    content = {**_common_content(routed), **routed.spec.identity(), "hosts": hosts}
    return text_digest(json.dumps(content, sort_keys=True))


def _common_content(routed: RoutedCase[StudySpec] | RoutedCase[ProgramSpec]) -> dict[str, Any]:
    routing = routed.routing
    return {
        "weft": weft_version(),
        "fabric": routed.fabric_digest,
        "routing": [routing.label, routing.algorithm, routed.parameters],
    }
