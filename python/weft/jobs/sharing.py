"""What jobs bring onto the channels, and on which they may wait for each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft import _core
from weft.adaptive import chooses_among_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft._core import Fabric, Hardware, Routing
    from weft.jobs.job import Job

#: What traffic beside jobs is called among the others of a cable.
BACKGROUND = "background"
#: What failures and changes meanwhile are called among what costs a job time.
EVENTS = "events"
#: Names that no job may have, and what has them.
NOT_JOBS = {BACKGROUND: "traffic beside jobs", EVENTS: "what happens to the network meanwhile"}

__all__ = [
    "BACKGROUND",
    "EVENTS",
    "NOT_JOBS",
    "JobLoad",
    "SharedCable",
    "has_known_load",
    "job_load",
    "shared_cables",
]


@dataclass(frozen=True, slots=True, eq=False)
class JobLoad:
    """What the messages of a job bring onto the channels, all repetitions together.

    Messages inside a computer use no channel.
    """

    channel_bytes: NDArray[np.float64]  #: Bytes of messages over each channel, shape (channels,)
    channel_ns: NDArray[np.float64]  #: The time that these take there, shape (channels,)


@dataclass(frozen=True, slots=True)
class SharedCable:
    """A channel that a job and others take, or traffic beside them."""

    channel: int  #: Number of the channel
    name: str  #: Both ends, with ports
    own_bytes: float  #: What the job sends over it, all repetitions
    others_bytes: float  #: What the others do; traffic beside them in the time of the job
    others: tuple[str, ...]  #: The others, who sends most first; ``background`` is such traffic
    #: What the job can wait for the others here at most: the time that the smaller of both takes
    most_wait_ns: float


def has_known_load(routing: Routing) -> bool:
    """Tell whether what a job brings onto channels is known before it runs: see `job_load`."""
    return not routing.is_adaptive or chooses_among_groups(routing)


def job_load(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    job: Job,
    *,
    nodes: Sequence[int] | None = None,
) -> JobLoad:
    """Add up what the messages of a job bring onto the channels, without simulating it.

    Where switches choose among groups of ports, these are used evenly.

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
        Where packets choose otherwise on their way, so that nobody knows before which they take.
    """
    told = None if nodes is None else list(nodes)
    found = _core.job_load(fabric, routing, hardware, job.told(), list(job.hosts), told)
    return JobLoad(**found)


def shared_cables(
    fabric: Fabric,
    jobs: Sequence[Job],
    loads: Sequence[JobLoad],
    background_ns: Sequence[Sequence[float]],
    most: int,
) -> list[list[SharedCable]]:
    """Name, for each job, the channels where it can wait longest for others, so many at most.

    `background_ns` is, for each job, the time that traffic beside it takes on each channel
    meanwhile; nothing without such traffic.
    """
    sent = [load.channel_bytes.tolist() for load in loads]
    times = [load.channel_ns.tolist() for load in loads]
    all_ns = [sum(here) for here in zip(*times, strict=True)]
    found = []
    for number, own in enumerate(times):
        beside = background_ns[number] if background_ns else [0.0] * len(own)
        waits = [
            min(ns, total - ns + more) for ns, total, more in zip(own, all_ns, beside, strict=True)
        ]
        shared = [channel for channel, wait in enumerate(waits) if wait > 0]
        shared.sort(key=lambda channel: -waits[channel])
        cables = []
        for channel in shared[:most]:
            by_name = {
                job.name: each[channel]
                for other, (job, each) in enumerate(zip(jobs, sent, strict=True))
                if other != number and each[channel] > 0
            }
            here = sent[number][channel]
            if beside[channel] > 0:
                by_name[BACKGROUND] = beside[channel] * here / own[channel]
            cables.append(
                SharedCable(
                    channel=channel,
                    name=fabric.describe_channel(channel),
                    own_bytes=here,
                    others_bytes=sum(by_name.values()),
                    others=tuple(sorted(by_name, key=lambda name: -by_name[name])),
                    most_wait_ns=waits[channel],
                )
            )
        found.append(cables)
    return found
