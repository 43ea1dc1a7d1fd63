"""What the documents of `weft audit` and `weft advise` hold; see ``json_forms.py``."""

# Types are evaluated as they stand here.
# ruff: noqa: D101 - what a form holds is told where it is made
from typing import TypedDict

from weft.audit import Judgement
from weft.cli.several_networks import AtOnce
from weft.fabric.computers import Computers, Rail
from weft.fabric.formats import PortRecord, ReadNote
from weft.prediction import Prediction, Window

#: Values by the names of parameters, which a registry has.
Parameters = dict[str, str | int | float | bool]


class SuspicionTold(TypedDict):
    kind: str
    text: str


class Audited(TypedDict):
    fabric: str
    hosts: list[str]
    rails: list[Rail]
    verdict: str
    today: Judgement | None
    alternatives: list[Judgement]
    load_bound: int | None
    adaptive: list[str]
    suspicions: list[SuspicionTold]
    notes: list[ReadNote]
    ports: list[PortRecord]
    report: str | None


class AuditedSubnets(TypedDict):
    computers: Computers
    subnets: list[Audited]
    together: list[AtOnce]


class AdvisedCase(TypedDict):
    fails: str
    cut_off_hosts: list[int]
    bisection: float | None
    uniform: float | None
    simulated: Prediction | None


class AdvisedRouting(TypedDict):
    routing: str
    lanes: int | None
    trouble: str | None
    same_routes_as: str | None
    service_note: str | None
    traffic_note: str | None
    slow_hosts_note: str | None
    cases: list[AdvisedCase]


class SimulatedBy(TypedDict):
    hardware: Parameters
    window: Window
    latency_load: float


class Advised(TypedDict):
    fabric: str
    lanes: int
    simulated: SimulatedBy | None
    ranked: list[AdvisedRouting]
    out: list[AdvisedRouting]
    load_bound: int | None
    today: Judgement | None
    beside_static: list[Judgement]
    adaptive: list[str]
    reasons: list[str]
    report: str | None
