"""What hosts send, as a routing is made for it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from weft import _core
from weft._files import read_text
from weft._late import late_module
from weft._nearest import nearest
from weft.errors import TrafficError
from weft.routing import ALL_TO_ALL
from weft.traces import collective, collective_algorithms
from weft.workload import MATRIX_FILE, Traffic, patterns

if TYPE_CHECKING:
    from weft._core import Fabric, HostDemand

__all__ = ["SHIFTS", "host_demands", "traffic_parts"]

#: Every host sends to the k-th after it, for every k.
SHIFTS = "shifts"

#: Data of each rank, where a collective operation is named: its algorithm is the default one.
_COLLECTIVE_BYTES = 2**20


def host_demands(fabric: Fabric, traffic: str) -> list[HostDemand]:
    """Read what hosts send; several are joined by ``+``. Nothing for shifts, which are no demand.

    Errors are those of `traffic_gaps`.
    """
    if traffic.strip() == SHIFTS:
        return []
    return [_demand(fabric, one) for one in traffic_parts(traffic)]


def traffic_parts(traffic: str) -> list[str]:
    """Take several kinds of traffic apart."""
    return [one.strip() for one in traffic.split("+")]


def _demand(fabric: Fabric, traffic: str) -> HostDemand:
    if traffic == SHIFTS:
        message = "found shifts beside other traffic, expected them alone"
        raise TrafficError(message)
    name = traffic.partition(":")[0]
    if name == ALL_TO_ALL:
        traffic = name = "uniform"
    of_patterns = {pattern.name for pattern in patterns()}
    if name in of_patterns:
        return _core.HostDemand.of_pattern(fabric, Traffic(pattern=traffic))
    operations = collective_algorithms()
    if traffic in operations:
        hosts = [host for host, why in enumerate(fabric.host_service) if why is None]
        program = collective(traffic, len(hosts), size_bytes=_COLLECTIVE_BYTES)
        return _core.HostDemand.of_jobs(fabric, [((program, "..", {}, 1, 1), hosts)], traffic)
    if traffic.endswith(".toml"):
        jobs = late_module("weft.jobs").read_jobs(traffic, fabric).jobs
        told = [(job.told(), list(job.hosts)) for job in jobs]
        return _core.HostDemand.of_jobs(fabric, told, traffic)
    if os.path.exists(traffic) or any(mark in traffic for mark in "/.\\"):  # noqa: PTH110 - a name
        text = read_text(traffic, MATRIX_FILE)
        return _core.HostDemand.of_matrix(fabric, traffic, text)
    known = {ALL_TO_ALL, SHIFTS, *of_patterns, *operations}
    message = f"found traffic “{traffic}”, {nearest(name, known)}; files have a dot in their names"
    raise TrafficError(message)
