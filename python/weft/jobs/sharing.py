"""What jobs bring onto the channels, and on which they may wait for each other."""

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

__all__ = ["JobLoad", "SharedCable", "job_load", "shared_cables"]


@dataclass(frozen=True, slots=True, eq=False)
class JobLoad:
    """What the messages of a job bring onto the channels, all repetitions together.

    Messages inside a computer use no channel.
    """

    channel_bytes: NDArray[np.float64]  #: Bytes of messages over each channel, shape (channels,)
    channel_ns: NDArray[np.float64]  #: The time that these take there, shape (channels,)
    #: What they take if ranks send in step: the first messages of all, then the second, and so on,
    #: each step as long as its busiest channel and its longest way take
    steps_ns: float


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


def job_load(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    job: Job,
    *,
    nodes: Sequence[int] | None = None,
) -> JobLoad:
    """Add up what the messages of a job bring onto the channels, without simulating it.

    Parameters
    ----------
    fabric, routing, hardware
        The network, its routes, the machine.
    job : Job
        The job, on its hosts.
    nodes : sequence of int, optional
        Number of the computer of each host; see :func:`computer_of_host`.

    Raises
    ------
    RoutingError
        Where packets choose on their way, so that nobody knows before which channels they take.
    """
    told = None if nodes is None else list(nodes)
    found = _core.job_load(fabric, routing, hardware, job.told(), list(job.hosts), told)
    return JobLoad(**found)


def shared_cables(
    fabric: Fabric, jobs: Sequence[Job], loads: Sequence[JobLoad], most: int
) -> list[list[SharedCable]]:
    """Name, for each job, the channels where it can wait longest for others, so many at most."""
    sent = [load.channel_bytes.tolist() for load in loads]
    times = [load.channel_ns.tolist() for load in loads]
    all_ns = [sum(here) for here in zip(*times, strict=True)]
    found = []
    for number, own in enumerate(times):
        waits = [min(ns, total - ns) for ns, total in zip(own, all_ns, strict=True)]
        shared = [channel for channel, wait in enumerate(waits) if wait > 0]
        shared.sort(key=lambda channel: -waits[channel])
        cables = []
        for channel in shared[:most]:
            here = [each[channel] for each in sent]
            cables.append(_cable(fabric, jobs, here, number, channel, waits[channel]))
        found.append(cables)
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
        most_wait_ns=wait_ns,
    )
