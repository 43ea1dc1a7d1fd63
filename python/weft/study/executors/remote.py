"""What a process on another machine does with a point or a program: restore, route, simulate."""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from weft import _core
from weft.errors import ResultsError, RoutingError
from weft.simulate import Cancel
from weft.spec.routing_files import OwnRoutings, add_routings
from weft.spec.trace_files import written_trace
from weft.study.case import point_content, recorded_parameters, replay_content
from weft.study.executors.interface import ReplayWork, RoutedCase
from weft.study.executors.wire import program_spec_of, routings_of, spec_of, written_figures
from weft.study.stages import Stages

if TYPE_CHECKING:
    from weft.fabric import Fabric
    from weft.routing import Routing
    from weft.spec.programs import ProgramSpec
    from weft.spec.study import StudySpec

__all__ = ["replayed", "routed_program", "routed_sweep", "simulated"]

_KEPT = 16  #: Fabrics and routings that a process keeps for its next points.

#: Held while one's own routings are known by their names: two studies may have two of one name.
_names = Lock()


def routed_sweep(text: str, conditions: dict[str, Any]) -> RoutedCase[StudySpec]:
    """Restore fabric, routing and conditions of a sweep from `fabric_text` and `conditions_of`."""
    return RoutedCase(*_routed(text, conditions), spec_of(conditions))


def routed_program(text: str, conditions: dict[str, Any]) -> RoutedCase[ProgramSpec]:
    """Restore fabric, routing and conditions of a program, as `routed_sweep` those of a sweep."""
    return RoutedCase(*_routed(text, conditions), program_spec_of(conditions))


def _routed(
    text: str, conditions: dict[str, Any]
) -> tuple[Fabric, str, Routing, dict[str, str], str]:
    specification = conditions["routing"]
    routing, parameters = _routing(text, specification, routings_of(conditions))
    return _fabric(text), conditions["fabric"], routing, parameters, specification


def simulated(text: str, conditions: dict[str, Any], load: float, seed: int, content: str) -> bytes:
    """Simulate a point at a fraction of the link rate; return what `read_figures` reads.

    A ResultsError tells that this machine's Weft would not simulate a point of that content.
    """
    routed = routed_sweep(text, conditions)
    _check_content(point_content(routed, load, seed), content, f"{routed.specification} at {load}")
    begun = time.perf_counter()
    measurement = Stages().simulate(routed, load, seed, Cancel())
    return written_figures(measurement, time.perf_counter() - begun)


def replayed(
    text: str,
    conditions: dict[str, Any],
    trace: Path | list[bytes] | None,
    hosts: list[int],
    content: str,
) -> bytes:
    """Replay a program and return what `read_figures` reads.

    The trace is a file of this machine, or `trace_contents`, or None for an operation. A
    ResultsError tells that this machine's Weft would not replay a program of that content.
    """
    routed = routed_program(text, conditions)
    program, fabric = routed.spec.program, routed.fabric
    what = f"{program.name} by {routed.specification}"
    _check_content(replay_content(routed, hosts), content, what)
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(trace, list):
            trace = written_trace(trace, Path(folder))
        read = replace(program, trace=trace).read(fabric) if trace else program.read(fabric)
    begun = time.perf_counter()
    figures = Stages().replay(ReplayWork(content, routed, read, hosts), Cancel())
    return written_figures(figures, time.perf_counter() - begun)


def _check_content(here: str, there: str, what: str) -> None:
    if here != there:
        message = (
            f"{what} is something else on this machine than where the study was begun; install the "
            "same Weft everywhere, and make routings of one's own the same each time"
        )
        raise ResultsError(message)


@lru_cache(_KEPT)
def _fabric(text: str) -> Fabric:
    """Return the fabric of a text, the same object for the same text."""
    fabric, *_ = _core.read_fabric(text.encode(), "fabric of the study")
    return fabric


@lru_cache(_KEPT)
def _routing(
    text: str, specification: str, files: tuple[OwnRoutings, ...]
) -> tuple[Routing, dict[str, str]]:
    """Return a routing of the fabric of a text, and its parameters as they are recorded."""
    stages = Stages()
    with _names:
        add_routings(files)
        try:
            routing = stages.route(_fabric(text), specification)
        except RoutingError as error:
            if stages.is_known(specification):
                raise
            message = (
                f"{error} (on this machine; a study names the files of routings of one's own by "
                "own_routings)"
            )
            raise RoutingError(message) from error
        return routing, recorded_parameters(routing)
