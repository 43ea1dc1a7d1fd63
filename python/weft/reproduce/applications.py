"""How long recorded applications take on networks, and where their time goes, as rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weft.placement import place_ranks
from weft.replay import read_trace, replay
from weft.reproduce.definition import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weft.replay import Replay
    from weft.reproduce.program_file import Measured, Network, ProgramFile

__all__ = ["application_rows"]


def application_rows(file: ProgramFile, network: Network, machine: Measured) -> Iterator[Row]:
    """Replay the applications of a file whose traces are there, on a network of a machine.

    A row has the time until the last rank is at its end; where parts are measured, there is one for
    each part, its mean over the ranks.
    """
    for application in file.applications:
        if application.only and network.name not in application.only:
            continue
        trace = read_trace(application.trace, clock_ns=application.clock_ns)
        if application.is_evened:
            trace = trace.evened()
        hosts = place_ranks(
            network.fabric, trace.rank_count, application.placement, per_host=network.per_host
        )
        chosen = set(application.only) & set(network.routings) or network.routings
        for name, routing in network.routings.items():
            if name not in chosen:
                continue
            found = replay(
                network.fabric,
                routing,
                machine.hardware,
                trace,
                region=application.region,
                algorithms=application.algorithms,
                messaging={**machine.messaging, "compute_scale": application.compute_scale},
                hosts=hosts,
            )
            told = (network.name, application.name, name, machine.name)
            under = ", ".join(part for part in told if part)
            for quantity, value in _figures(found, with_parts=file.measure == "parts"):
                yield Row(under, quantity, value, remark=network.remark)


def _figures(found: Replay, *, with_parts: bool) -> Iterator[tuple[str, float]]:
    is_finished = found.end == "finished"
    yield "time, s", found.duration_ns / 1e9 if is_finished else math.nan
    if not with_parts:
        return
    overhead = found.sending_ns + found.receiving_ns
    waiting = found.waiting_packet_ns + found.waiting_acknowledgement_ns
    for part, of_ranks in (
        ("computing", found.computing_ns),
        ("communication", overhead + waiting),
        ("MPI and PM", overhead),
        ("waiting for a packet", found.waiting_packet_ns),
        ("waiting for an acknowledgement", found.waiting_acknowledgement_ns),
    ):
        yield f"{part}, s", float(of_ranks.mean()) / 1e9
