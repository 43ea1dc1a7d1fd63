"""A run of jobs as a page plays it: what ranks did, bin by bin, and which messages went when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.timeline import ACTIVITIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.jobs import Job
    from weft.replay import Replay
    from weft.timeline import Timeline

__all__ = ["Recording", "recorded"]

#: Bins of time, and most bins of all ranks together.
_MOST_BINS, _LEAST_BINS, _MOST_CELLS = 600, 60, 600_000
#: What a rank does for most of a bin, a letter an activity.
_LETTERS = dict(zip(ACTIVITIES, "csraw.", strict=True))


@dataclass(frozen=True)
class Recording:
    """Jobs that ran on a network."""

    routing: str  #: By which, as states of questions name it
    end_ns: float  #: How long it took
    jobs: list[str]  #: Their names
    rank_job: list[int]  #: Of each rank its job, by its place in ``jobs``
    rank_host: list[int]  #: And its host
    #: Of each rank a letter a bin of equal length: ``c`` computing, ``s`` sending, ``r`` receiving,
    #: ``a`` waiting to be acknowledged, ``w`` waiting for a packet, ``.`` at its end
    activities: list[str]
    messages: dict[
        str, list[int]
    ]  #: ``sent_ns``, ``there_ns``, ``source``, ``destination``, ``bytes``
    one_in: int  #: One in so many messages is kept

    def columns(self) -> dict[str, Any]:
        """Return it as the scene holds it."""
        return {
            "routing": self.routing,
            "end_ns": self.end_ns,
            "jobs": self.jobs,
            "ranks": {
                "job": self.rank_job,
                "host": self.rank_host,
                "activities": self.activities,
            },
            "messages": self.messages,
            "one_in": self.one_in,
        }


def recorded(routing: str, jobs: Sequence[Job], replay: Replay) -> Recording:
    """Make a recording of jobs that ran beside one another, with their timeline."""
    timeline = replay.timeline
    if timeline is None:
        message = "the run kept no timeline"
        raise ValueError(message)
    messages = list(timeline.messages)
    return Recording(
        routing=routing,
        end_ns=timeline.end_ns,
        jobs=[job.name for job in jobs],
        rank_job=[place for place, job in enumerate(jobs) for _ in job.hosts],
        rank_host=[host for job in jobs for host in job.hosts],
        activities=_activities(timeline),
        messages={
            "sent_ns": [int(one.sent_ns) for one in messages],
            "there_ns": [int(one.there_ns) for one in messages],
            "source": [one.source for one in messages],
            "destination": [one.destination for one in messages],
            "bytes": [one.size_bytes for one in messages],
        },
        one_in=timeline.one_in,
    )


def _activities(timeline: Timeline) -> list[str]:
    """Tell what each rank does for most of each bin.

    What a span of several states holds is taken to be spread evenly over it.
    """
    ranks = len(timeline.hosts)
    bins = max(_LEAST_BINS, min(_MOST_BINS, _MOST_CELLS // max(ranks, 1)))
    width = timeline.end_ns / bins
    spent = np.zeros((ranks, bins, len(ACTIVITIES)))
    for span in timeline.states:
        length = span.end_ns - span.begin_ns
        if not length > 0:
            continue
        times = np.array([getattr(span, f"{name}_ns") for name in ACTIVITIES])
        first = min(int(span.begin_ns / width), bins - 1)
        last = min(int(span.end_ns / width), bins - 1)
        edges = np.clip(np.arange(first, last + 2) * width, span.begin_ns, span.end_ns)
        shares = np.diff(edges) / length
        spent[span.rank, first : last + 1] += shares[:, None] * times
    letters = np.array([_LETTERS[name] for name in ACTIVITIES])
    most = letters[spent.argmax(axis=2)]
    most[spent.sum(axis=2) == 0] = _LETTERS["finished"]
    return ["".join(row) for row in most]
