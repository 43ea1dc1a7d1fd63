"""What the documents of `weft jobs` and `weft place` hold; see ``json_forms.py``."""

# Types are evaluated as they stand here.
# ruff: noqa: D101 - what a form holds is told where it is made
from typing import TypedDict

from weft.jobs import SharedCable

Machine = dict[str, str | int | float | bool]


class JobTold(TypedDict):
    name: str
    ranks: int
    hosts: list[int]
    repetitions: int
    start_ns: float
    duration_ns: float
    alone_ns: float
    slowdown: float
    lost_ns: float
    parts_ns: dict[str, float]
    alone_parts_ns: dict[str, float]
    lost_to_ns: dict[str, float]
    shared_cables: list[SharedCable]


class JobsRunTold(TypedDict):
    fabric: str
    routing: str
    hardware: Machine
    placement: str
    end: str
    end_ns: float
    out_of_order_share: float
    out_of_order_distance: int
    jobs: list[JobTold]


class JobsTold(TypedDict):
    jobs: str
    runs: list[JobsRunTold]


class PlacementTold(TypedDict):
    placement: str
    hosts: list[int]
    mean_ns: list[float]
    cost_ns: float
    spread: float
    runs_ns: list[list[float]]
    packets_as_one: int
    simulated_share: float


class PlaceTold(TypedDict):
    fabric: str
    routing: str
    hardware: Machine
    job: str
    nodelist: str
    placements: list[PlacementTold]
