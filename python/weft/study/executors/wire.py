"""Points, programs and what came of them as bytes, exact to the last bit, for other machines.

JSON throughout: a double comes back from its shortest decimal form as the same double, arrays are
the bytes of their little-endian numbers.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft._machine import weft_version
from weft._without_numpy import content_of, read_numbers
from weft.errors import ResultsError
from weft.hardware import hardware
from weft.results.replay_figures import REPLAY_ARRAYS, ReplayFigures
from weft.simulate import Measurement
from weft.spec.programs import ProgramSpec, StudyProgram
from weft.spec.routing_files import OwnRoutings
from weft.spec.study import StudySpec

if TYPE_CHECKING:
    from weft.study.executors.interface import Figures, RoutedCase

__all__ = [
    "conditions_of",
    "program_spec_of",
    "read_figures",
    "routings_of",
    "spec_of",
    "written_figures",
]


def conditions_of(routed: RoutedCase[StudySpec] | RoutedCase[ProgramSpec]) -> dict[str, Any]:
    """Return what decides the figures of a sweep or program, but its fabric and trace."""
    spec = routed.spec
    conditions = {
        "weft": weft_version(),
        "fabric": routed.fabric_digest,
        "routing": routed.specification,
        "own_routings": [[file.name, file.text] for file in spec.own_routings],
        "identity": spec.identity(),
    }
    if isinstance(spec, StudySpec):
        loads = None if spec.loads is None else list(spec.loads)
        return {**conditions, "loads": loads}
    program = spec.program
    trace = None if program.trace is None else str(program.trace)
    return {**conditions, "program": {**asdict(program), "trace": trace}}


def routings_of(conditions: dict[str, Any]) -> tuple[OwnRoutings, ...]:
    """Restore the files that add routings; refused when another version of Weft wrote them."""
    if conditions["weft"] != weft_version():
        message = (
            f"this machine has Weft {weft_version()} and the study was begun by "
            f"{conditions['weft']}; install the same version everywhere"
        )
        raise ResultsError(message)
    return tuple(OwnRoutings(name, text) for name, text in conditions["own_routings"])


def spec_of(conditions: dict[str, Any]) -> StudySpec:
    """Restore the spec of a sweep; a ResultsError when it comes from another version of Weft."""
    files = routings_of(conditions)
    loads = conditions["loads"]
    spec = StudySpec.from_identity(
        conditions["identity"], (conditions["routing"],), None if loads is None else tuple(loads)
    )
    return replace(spec, own_routings=files)


def program_spec_of(conditions: dict[str, Any]) -> ProgramSpec:
    """Restore the spec of a program, its trace where it was where the study was begun."""
    files = routings_of(conditions)
    changes = dict(conditions["identity"]["hardware"])
    program = dict(conditions["program"])
    trace = program.pop("trace")
    return ProgramSpec(
        (conditions["routing"],),
        hardware(str(changes.pop("preset")), **changes),
        StudyProgram(**program, trace=None if trace is None else Path(trace)),
        files,
    )


def written_figures(figures: Figures, wall_s: float) -> bytes:
    """Write what was measured and the seconds it took."""
    if isinstance(figures, ReplayFigures):
        kind, scalars = "replay", figures.scalars()
        arrays = {name: getattr(figures, name) for name in REPLAY_ARRAYS}
    else:
        kind, scalars, arrays = "point", figures.to_dict(), figures.arrays()
    texts = {
        name: [
            str(array.dtype),
            list(array.shape),
            b64encode(content_of(array, str(array.dtype))).decode(),
        ]
        for name, array in arrays.items()
    }
    document = {"kind": kind, "wall_s": wall_s, "figures": scalars, "arrays": texts}
    return json.dumps(document).encode()


def read_figures(content: bytes) -> tuple[Figures, float]:
    """Read what `written_figures` wrote: what was measured, and the seconds it took."""
    document = json.loads(content)
    arrays = {
        name: read_numbers(b64decode(text), dtype, shape)
        for name, (dtype, shape, text) in document["arrays"].items()
    }
    if document["kind"] == "replay":
        values: dict[str, Any] = {**document["figures"], **arrays}
        return ReplayFigures(**values), document["wall_s"]
    return Measurement.from_dict(document["figures"], arrays), document["wall_s"]
