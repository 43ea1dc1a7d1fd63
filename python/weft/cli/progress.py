"""Progress on stderr: a live line on a terminal; elsewhere timed lines of what takes long."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from weft._numbers import counted, in_percent
from weft._visible import visible
from weft.cli.output import talk, tell_how_to_go_on
from weft.routing import route
from weft.study.progress import (
    PointFinished,
    ReplayFinished,
    RoutingReady,
    RoutingUnderWay,
    SweepFinished,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from weft.fabric import Fabric
    from weft.routing import Routing
    from weft.study.progress import Progress, Watcher

__all__ = [
    "routed_in_sight",
    "shown_charts",
    "shown_failures",
    "shown_planning",
    "shown_progress",
    "shown_routing",
    "shown_simulated",
    "shown_tried",
]

_LINE_INTERVAL_S = 5.0  #: Seconds between two lines of progress where there is no terminal.


@contextmanager
def shown_progress(results: Path) -> Iterator[Watcher]:
    """Show what a study does that is handed what comes out of this; interrupted, how to go on."""
    try:
        with _watcher() as watcher:
            yield watcher
    except KeyboardInterrupt:
        tell_how_to_go_on(results)
        raise


@contextmanager
def shown_routing(specification: str) -> Iterator[Callable[[int, float | None], None] | None]:
    """Show on a terminal how far a routing is that is handed what comes out of this."""
    with _shown_steps(f"routing by {specification}") as progress:
        yield progress


@contextmanager
def shown_planning() -> Iterator[Callable[[int, float | None], None] | None]:
    """Show on a terminal how far a transition is that is planned with what comes out of this."""
    with _shown_steps("planning the transition") as progress:
        yield progress


@contextmanager
def _shown_steps(what: str) -> Iterator[Callable[[int, float | None], None] | None]:
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.status import Status

    with ExitStack() as shown:
        status = Status("", console=Console(stderr=True))
        is_shown = False

        def show(steps: int, share: float | None) -> None:
            nonlocal is_shown
            status.update(visible(_step(what, steps, share)))
            if not is_shown:
                shown.enter_context(status)
                is_shown = True

        yield show


def _step(what: str, steps: int, share: float | None) -> str:
    part = "" if share is None else f", {in_percent(share, 0)} of it done"
    return f"{what}: step {steps}{part}"


def routed_in_sight(fabric: Fabric, specification: str) -> Routing:
    """Route a fabric, and show on a terminal how far that is."""
    with shown_routing(specification) as progress:
        return route(fabric, specification, progress=progress)


@contextmanager
def shown_charts() -> Iterator[Callable[[int, int], None]]:
    """Show how many charts are written; what comes out of this is told so."""
    with _shown_counts("drawing charts", "charts drawn") as tell:
        yield tell


@contextmanager
def shown_failures() -> Iterator[Callable[[int, int], None]]:
    """Show how many failures have been looked at; what comes out of this is told so."""
    with _shown_counts("following routes", "failures looked at") as tell:
        yield tell


@contextmanager
def shown_simulated() -> Iterator[Callable[[int, int], None]]:
    """Show how many networks have been simulated; what comes out of this is told so."""
    with _shown_counts("simulating", "networks simulated") as tell:
        yield tell


@contextmanager
def shown_tried() -> Iterator[Callable[[int, int], None]]:
    """Show how many new cables have been tried; what comes out of this is told so."""
    with _shown_counts("trying", "new cables tried") as tell:
        yield tell


@contextmanager
def _shown_counts(before: str, what: str) -> Iterator[Callable[[int, int], None]]:
    if not sys.stderr.isatty():
        begun = printed = time.monotonic()

        def tell(done: int, count: int) -> None:
            nonlocal printed
            now = time.monotonic()
            if done == count or now - printed >= _LINE_INTERVAL_S:
                printed = now
                talk(f"[{now - begun:6.1f} s] {done:,} of {count:,} {what}")

        yield tell
        return
    from rich.console import Console

    with Console(stderr=True).status(before) as status:
        yield lambda done, count: status.update(f"{done:,} of {count:,} {what}")


@contextmanager
def _watcher() -> Iterator[Watcher]:
    if not sys.stderr.isatty():
        yield _LineProgress()
        return
    from rich.console import Console

    console = Console(stderr=True)
    with console.status("routing and proving") as status:

        def show(event: Progress) -> None:
            text = _shown(event)
            if isinstance(event, PointFinished | RoutingUnderWay):
                status.update(text)
            else:
                console.print(text, markup=False, highlight=False, soft_wrap=True)

        yield show


class _LineProgress:
    """Prints each routing's beginning and end, and a point now and then, with the time."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._printed = self._begun

    def __call__(self, event: Progress) -> None:
        if isinstance(event, RoutingUnderWay):
            return
        now = time.monotonic()
        is_due = now - self._printed >= _LINE_INTERVAL_S
        if isinstance(event, PointFinished) and not is_due:
            return
        self._printed = now
        talk(f"[{now - self._begun:6.1f} s] {_line(event)}")


def _shown(event: Progress) -> str:
    """Return the line for what writes to the terminal itself."""
    return visible(_line(event))


def _line(event: Progress) -> str:
    match event:
        case RoutingUnderWay(specification=specification, steps=steps, share=share):
            return _step(f"routing by {specification}", steps, share)
        case RoutingReady(label=label, verdict=verdict, reason=reason, deadlock_free=free):
            tail = "" if free else f" ({reason.splitlines()[0].rstrip(':')})"
            return f"{label}: {verdict}{tail}"
        case PointFinished():
            return (
                f"{event.finished_points} points finished, {event.open_points} under way; latest: "
                f"{event.label} at load {event.load:g} accepted {event.accepted_load:.4f} "
                f"({event.reason}{'' if event.is_new else ', from the results file'})"
            )
        case ReplayFinished(label=label, outcome=outcome):
            end = f" after {event.duration_ns / 1e6:.4f} ms" if outcome == "finished" else ""
            return f"{event.case}: {label} {outcome}{end}, {event.open_replays} under way"
        case SweepFinished(label=label, points=points):
            return f"{label}: sweep finished, {counted(points, 'point')}"
