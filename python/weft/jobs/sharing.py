"""Which cables jobs share, and how long each may wait for the others there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft import _core

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft._core import Fabric, Hardware, Routing
    from weft.jobs.job import Job

__all__ = ["SharedCable", "job_loads", "shared_cables"]


@dataclass(frozen=True, slots=True)
class SharedCable:
    """A channel that the routes of a job and of others take."""

    channel: int  #: Number of the channel
    name: str  #: Both ends, with ports
    own_bytes: float  #: What the job sends over it, all repetitions
    others_bytes: float  #: What the others do
    others: tuple[str, ...]  #: The others, who sends most first
    #: What the job can wait for the others here at most: the time that the smaller of both takes
    most_wait_ns: float


def job_loads(
    fabric: Fabric, routing: Routing, jobs: Sequence[Job], nodes: Sequence[int] | None
) -> list[NDArray[np.float64]]:
    """Add up the bytes that the messages of each job bring onto every channel.

    Returns
    -------
    list of numpy.ndarray of float, shape (channels,)
        By job, all repetitions; messages inside a node use no channel.
    """
    told = None if nodes is None else list(nodes)
    return [_core.job_loads(fabric, routing, job.told(), list(job.hosts), told) for job in jobs]


def channel_rates(fabric: Fabric, hardware: Hardware) -> NDArray[np.float64]:
    """Return what each channel carries, in bytes/ns: the fastest what the hardware says."""
    rates: NDArray[np.float64] = fabric.link_gbit_per_s().repeat(2)
    is_known = rates > 0
    # Links of unknown rate are as fast as any.
    rates[~is_known] = rates[is_known].max() if is_known.any() else 1.0
    rates *= hardware.link_rate_bytes_per_ns / rates.max()
    return rates


def shared_cables(
    fabric: Fabric,
    hardware: Hardware,
    jobs: Sequence[Job],
    loads: Sequence[NDArray[np.float64]],
    most: int,
) -> list[list[SharedCable]]:
    """Name, for each job, the channels where it can wait longest for others.

    Parameters
    ----------
    fabric, hardware, jobs
        As of a run.
    loads : sequence of numpy.ndarray of float, shape (channels,)
        Bytes by job, as `job_loads` adds them up.
    most : int
        How many are named for each job.
    """
    rates = channel_rates(fabric, hardware)
    found = []
    for number, own in enumerate(loads):
        waits = own.clip(max=sum(loads) - own) / rates
        order = (-waits).argsort(kind="stable")[:most]
        shared = [int(channel) for channel in order if waits[channel] > 0]
        found.append(
            [
                _cable(fabric, jobs, [float(load[at]) for load in loads], number, at, waits[at])
                for at in shared
            ]
        )
    return found


def _cable(
    fabric: Fabric,
    jobs: Sequence[Job],
    here: Sequence[float],
    own: int,
    channel: int,
    wait_ns: float,
) -> SharedCable:
    others = [number for number in range(len(jobs)) if number != own and here[number] > 0]
    others.sort(key=lambda number: -here[number])
    return SharedCable(
        channel=channel,
        name=fabric.describe_channel(channel),
        own_bytes=here[own],
        others_bytes=sum(here) - here[own],
        others=tuple(jobs[number].name for number in others),
        most_wait_ns=float(wait_ns),
    )
