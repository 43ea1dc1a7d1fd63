"""How long jobs take beside one another, estimated from what they bring onto the channels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.jobs.sharing import JobLoad

__all__ = ["estimate_times"]


def estimate_times(loads: Sequence[JobLoad], starts_ns: Sequence[float]) -> list[float]:
    """Estimate the time of each job, without simulating any.

    By itself a job takes what its steps take, or its busiest channel. Beside others each goes on
    at a pace: as fast as by itself, or as the channels it shares allow, which those that use one
    share evenly (max-min fairness: all paces rise together, and who meets a full channel stays).
    Paces change when one starts or is at its end.

    Parameters
    ----------
    loads : sequence of JobLoad
        What each job brings onto the channels.
    starts_ns : sequence of float
        When each starts.

    Returns
    -------
    list of float
        From the start of each to its end, in ns.
    """
    times = [load.channel_ns.tolist() for load in loads]
    alone = [max(load.steps_ns, *own, 1e-9) for load, own in zip(loads, times, strict=True)]
    # A job by itself never fills a channel: those that one alone uses hold up nobody.
    shared = [
        channel for channel, here in enumerate(zip(*times, strict=True)) if sum(map(bool, here)) > 1
    ]
    uses = [
        [own[channel] / time for channel in shared] for own, time in zip(times, alone, strict=True)
    ]
    left = list(alone)
    ends = [math.nan] * len(loads)
    waiting = sorted(range(len(loads)), key=lambda job: starts_ns[job])
    running: list[int] = []
    now = 0.0
    while waiting or running:
        if not running:
            now = max(now, starts_ns[waiting[0]])
        while waiting and starts_ns[waiting[0]] <= now:
            running.append(waiting.pop(0))
        paces = _paces([uses[job] for job in running])
        until = min(now + left[job] / pace for job, pace in zip(running, paces, strict=True))
        if waiting:
            until = min(until, starts_ns[waiting[0]])
        for job, pace in zip(running, paces, strict=True):
            left[job] -= (until - now) * pace
        now = until
        for job in [job for job in running if left[job] <= 1e-9 * alone[job]]:
            running.remove(job)
            ends[job] = now
    return [end - start for end, start in zip(ends, starts_ns, strict=True)]


def _paces(uses: Sequence[Sequence[float]]) -> list[float]:
    """Share channels fairly: of each job the part of its own speed, at most 1.

    `uses` are the shares of time that each job at its own speed keeps each channel busy.
    """
    paces = [0.0] * len(uses)
    rising = set(range(len(uses)))
    channels = list(zip(*uses, strict=True))
    while rising:
        step = min(1.0 - paces[job] for job in rising)
        for here in channels:
            slope = sum(here[job] for job in rising)
            if slope > 0:
                step = min(step, max(_room(here, paces), 0.0) / slope)
        for job in rising:
            paces[job] += step
        full = [here for here in channels if _room(here, paces) <= 1e-9]
        stays = {
            job for job in rising if paces[job] >= 1.0 - 1e-9 or any(here[job] > 0 for here in full)
        }
        if not stays:
            break
        rising -= stays
    return [max(pace, 1e-6) for pace in paces]


def _room(here: Sequence[float], paces: Sequence[float]) -> float:
    """Return the share of a channel that is left."""
    return 1.0 - sum(use * pace for use, pace in zip(here, paces, strict=True))
