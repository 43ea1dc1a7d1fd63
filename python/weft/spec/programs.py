"""Programs of a study: recorded applications and collective operations instead of traffic."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from weft import _core
from weft._files import read_text, text_digest
from weft.errors import InputError, StudyError
from weft.exchanges import exchange, read_lengths, skewed_lengths
from weft.fabric import mesh
from weft.placement import PLACEMENTS
from weft.replay import collective, read_trace, replay
from weft.routing import route
from weft.spec.trace_files import trace_digest
from weft.traces import chosen_algorithms

if TYPE_CHECKING:
    from pathlib import Path

    from weft.fabric import Fabric
    from weft.hardware import Hardware
    from weft.replay import Trace
    from weft.spec.routing_files import OwnRoutings

__all__ = ["PROGRAM_KEYS", "ProgramCase", "ProgramSpec", "StudyProgram", "program_of"]

#: Keys of a table of programs that are no parameters of the messaging layer: types, default.
PROGRAM_KEYS: dict[str, tuple[tuple[type, ...], Any]] = {
    "trace": ((str,), None),
    "operation": ((str,), None),
    "bytes": ((int,), 8),
    "ranks": ((int,), None),
    "region": ((str,), ".."),
    "flops_per_s": ((int, float), 1e9),
    "clock_ns": ((int, float), 0.0),
    "placement": ((str,), "linear"),
    "seed": ((int,), 1),
    "algorithms": ((str,), ""),
    "matrix": ((str,), None),
    "zipf": ((int, float), None),
    "skew": ((int, float), None),
}
_OF_TRACES = ("region", "flops_per_s", "clock_ns")
#: Of an exchange of any lengths: where they come from.
_OF_LENGTHS = ("matrix", "zipf", "skew")
_OF_OPERATIONS = ("bytes", "ranks", *_OF_LENGTHS)
#: Traces that a process keeps for the next programs.
_KEPT_TRACES = 8


@dataclass(frozen=True, slots=True)
class StudyProgram:
    """What ranks do, and what stands between them and the network."""

    #: Value by key of a table of programs, defaults included; None where a key says nothing.
    settings: dict[str, Any]
    #: Parameters of the messaging layer that are not left at their defaults.
    messaging: dict[str, float]
    trace: Path | None
    digest: str  #: What stands for the content of its files; empty for an operation.
    placement: str  #: Where ranks are placed, as `weft.place_ranks` takes it.
    #: What stands for the content of a file of hosts; empty where there is none.
    placement_digest: str = ""
    matrix: Path | None = None  #: The file of an exchange's lengths.
    matrix_digest: str = ""  #: What stands for its content; empty where there is none.

    @property
    def name(self) -> str:
        """The trace's file or the operation."""
        return str(self.settings["operation"]) if self.trace is None else self.trace.name

    @property
    def algorithms(self) -> dict[str, str]:
        """Algorithm by collective operation."""
        try:
            return chosen_algorithms(self.settings["algorithms"])
        except InputError as error:
            message = f"algorithms: {error}"
            raise StudyError(message) from error

    def read(self, fabric: Fabric) -> Trace:
        """Return what the ranks do; an operation has one a host where it does not say."""
        if self.trace is None:
            ranks = self.settings["ranks"]
            ranks = fabric.host_count if ranks is None else ranks
            if self.matrix is not None:
                return exchange(read_lengths(self.matrix, ranks))
            zipf, skew = self.settings["zipf"], self.settings["skew"]
            if (zipf, skew) != (None, None):
                size, seed = self.settings["bytes"], self.settings["seed"]
                return exchange(
                    skewed_lengths(ranks, size_bytes=size, zipf=zipf, skew=skew, seed=seed)
                )
            return collective(self.name, ranks, size_bytes=self.settings["bytes"])
        # A value as usual is as good as none.
        given = (self._unusual("flops_per_s"), self._unusual("clock_ns"))
        return _read_trace(self.trace, self.digest, *given)

    def _unusual(self, name: str) -> float | None:
        value: float = self.settings[name]  # as it was written, for errors
        return None if value == PROGRAM_KEYS[name][1] else value

    def check(self, fabric: Fabric, hardware: Hardware) -> None:
        """Refuse what can be refused without replaying it: files, names, numbers."""
        # A barrier of one is over at once; what stands in its way is what is asked for.
        single = mesh(1, 1, hosts_per_switch=1)
        replay(
            single,
            route(single, "updown"),
            hardware,
            collective("barrier", 1),
            algorithms=self.algorithms,
            messaging=self.messaging,
        )
        _core.trace_packets(self.read(fabric), self.settings["region"], self.algorithms, 1)

    def identity(self) -> dict[str, Any]:
        """Return what decides the figures, as plain values."""
        other = _OF_OPERATIONS if self.trace is not None else _OF_TRACES
        own = {
            key: value
            for key, value in self.settings.items()
            if value is not None and value != "" and key not in other
        }
        digests = {
            "content": self.digest,
            "placement_content": self.placement_digest,
            "matrix_content": self.matrix_digest,
        }
        contents = {name: digest for name, digest in digests.items() if digest}
        return {**own, **contents, **self.messaging}


@dataclass(frozen=True, slots=True)
class ProgramSpec:
    """A program on hardware, by several routings: what `StudySpec` is for traffic."""

    routings: tuple[str, ...]
    hardware: Hardware
    program: StudyProgram
    own_routings: tuple[OwnRoutings, ...] = ()

    @property
    def loads(self) -> None:
        """None: a program has no load."""
        return

    def identity(self) -> dict[str, dict[str, Any]]:
        """Return what decides the figures, as plain values by section."""
        return {
            "hardware": {"preset": self.hardware.preset, **self.hardware.parameters},
            "program": self.program.identity(),
        }


@dataclass(frozen=True, slots=True)
class ProgramCase:
    """One fabric, hardware and program, with the routings compared on it: as `weft.study.Case`."""

    name: str
    fabric: Fabric
    spec: ProgramSpec
    settings: dict[str, Any] = field(default_factory=dict)


@lru_cache(_KEPT_TRACES)
def _read_trace(
    trace: Path, _digest: str, flops_per_s: float | None, clock_ns: float | None
) -> Trace:
    """Read a trace, once where its content is the same."""
    return read_trace(trace, flops_per_s=flops_per_s, clock_ns=clock_ns)


def program_of(keys: dict[str, Any], folder: Path) -> StudyProgram:
    """Return the program of a variant; refuse a wrong type, or keys that do not go together."""
    if ("trace" in keys) == ("operation" in keys):
        message = f"{next(iter(keys), 'trace')}: expected either trace or operation"
        raise StudyError(message)
    others = _OF_OPERATIONS if "trace" in keys else _OF_TRACES
    for name, value in keys.items():
        types, _ = PROGRAM_KEYS.get(name, ((int, float), None))
        if isinstance(value, bool) or not isinstance(value, types):
            expected = {str: "text", int: "whole number"}.get(types[-1], "number")
            message = f"{name}: found {value!r}, expected {expected}"
            raise StudyError(message)
        if name in others:
            kind = "trace" if "trace" in keys else "operation"
            message = f"{name}: does not go with {kind}"
            raise StudyError(message)
    settings = {name: keys.get(name, default) for name, (_, default) in PROGRAM_KEYS.items()}
    messaging = {name: float(value) for name, value in keys.items() if name not in PROGRAM_KEYS}
    trace = None if settings["trace"] is None else folder / settings["trace"]
    _refuse_other_lengths(keys)
    placement, hosts = settings["placement"], ""
    if placement not in PLACEMENTS:
        placement = str(folder / placement)
        hosts = text_digest(read_text(placement, f"placement: {', '.join(PLACEMENTS)}, or a file"))
    matrix = None if settings["matrix"] is None else folder / settings["matrix"]
    lengths = "" if matrix is None else text_digest(read_text(matrix, "matrix: a file"))
    program = StudyProgram(
        settings,
        messaging,
        trace,
        "" if trace is None else trace_digest(trace),
        placement,
        hosts,
        matrix,
        lengths,
    )
    # A mistake is told before anything runs.
    _ = program.algorithms
    return program


def _refuse_other_lengths(keys: dict[str, Any]) -> None:
    """Refuse lengths of what is no exchange of any lengths, and several rules for them."""
    given = [name for name in _OF_LENGTHS if name in keys]
    if given and keys.get("operation") != "alltoallv":
        message = f"{given[0]}: does not go with {keys['operation']}, which has equal lengths"
        raise StudyError(message)
    if given == ["matrix"] and "bytes" in keys:
        given.append("bytes")
    if len(given) > 1:
        message = f"{given[1]}: does not go with {given[0]}; expected one of the two"
        raise StudyError(message)
