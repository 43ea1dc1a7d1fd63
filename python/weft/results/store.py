"""Writing to a results file: one transaction per finished point, nothing half-written."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from weft import _core
from weft._machine import machine, utc_now, weft_version
from weft._without_numpy import content_of
from weft.errors import ResultsError
from weft.results.arrays import stored_arrays
from weft.results.fields import POINT_FIELDS, point_values
from weft.results.identity import differences, study_identity
from weft.results.types import NOT_ROUTED

if TYPE_CHECKING:
    from pathlib import Path

    from weft.channel_loads import LoadFigures
    from weft.fabric import Fabric
    from weft.proof import Proof
    from weft.results.database import Database
    from weft.routing import Routing
    from weft.simulate import Measurement
    from weft.spec.programs import ProgramSpec
    from weft.spec.study import StudySpec

__all__ = ["MAIN_STUDY", "Outcome", "PointKey", "ResultsStore", "StoredRouting"]

#: Name of the study in a file that holds one comparison.
MAIN_STUDY = "main"


@dataclass(frozen=True, slots=True)
class StoredRouting:
    """What a file has of a routing that could be computed."""

    parameters: dict[str, str]  #: Every parameter of the algorithm with the value used.
    deadlock_free: bool
    verdict: str  #: What the proof said, in a word and in full.
    text: str
    #: Payload load at which the traffic is expected to saturate the busiest channel: the size of
    #: the steps of the ladder.
    ladder_bound: float


class PointKey(NamedTuple):
    """What a point is in its study: routing, load as a fraction of the host link rate, seed."""

    label: str
    load: float
    seed: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a sweep needs to know of a finished point: loads, and why the run ended."""

    offered_load: float
    accepted_load: float
    reason: str
    latency_ns: float  #: Mean latency from generation, NaN where nothing was delivered.

    #: The columns of a point that hold it, in its order.
    COLUMNS: ClassVar = ("offered_load", "accepted_load", "reason", "generation_latency_mean_ns")

    @classmethod
    def stored(
        cls, offered_load: float, accepted_load: float, reason: str, latency_ns: float | None
    ) -> Outcome:
        """Take the outcome from its columns."""
        known_ns = math.nan if latency_ns is None else latency_ns
        return cls(offered_load, accepted_load, reason, known_ns)

    @classmethod
    def of(cls, measurement: Measurement) -> Outcome:
        """Take the outcome from a measurement."""
        return cls(
            measurement.offered_load,
            measurement.accepted_load,
            measurement.reason,
            measurement.generation_latency_ns.mean,
        )


class ResultsStore:
    """One study of a results file, opened to add to it; whoever opened the file closes it.

    A file holds one study of the default name, or many of other names. What commands name the
    fabric by is recorded as it was `given`, and is no part of what a study is. A ResultsError says
    what differs where the file holds another study.
    """

    def __init__(
        self,
        database: Database,
        fabric: Fabric,
        spec: StudySpec | ProgramSpec,
        name: str = MAIN_STUDY,
        given: str | None = None,
    ) -> None:
        self._database = database
        with database.transaction():
            self._study_id = self._find_or_add_study(fabric, spec, name)
            self._session_id = self._begin_session(spec, given)
        self.computed_points = 0  #: Points of this session that were simulated and are in the file.

    def close(self, outcome: str) -> None:
        """End the session as ``finished``, ``interrupted`` or ``failed``."""
        values = {"outcome": outcome, "computed_points": self.computed_points}
        with self._database.transaction():
            self._database.update(
                "session", {"session_id": self._session_id}, {"ended_at": utc_now(), **values}
            )

    @property
    def path(self) -> Path:
        """The file."""
        return self._database.path

    def routing(self, label: str) -> StoredRouting | None:
        """Return what the file has of a routing, None when it has nothing."""
        query = "SELECT * FROM routing WHERE study_id = ? AND label = ?"
        rows = self._database.rows(query, (self._study_id, label))
        if not rows or rows[0]["ladder_bound"] is None:
            return None
        row = rows[0]
        return StoredRouting(
            json.loads(row["parameters_json"]),
            bool(row["deadlock_free"]),
            row["verdict"],
            row["proof_text"],
            row["ladder_bound"],
        )

    def add_routing(
        self,
        specification: str,
        routing: Routing,
        parameters: dict[str, str],
        title: str,
        proof: Proof,
        load: LoadFigures | None,
        ladder_bound: float,
        same_routes_as: str | None,
    ) -> StoredRouting:
        """Record a routing with its proof and load figures, and return what was recorded.

        Title is its algorithm in words; there are no load figures where packets choose on their
        way. Where it came out as the same routes as another of the study, that one is named.
        """
        figures = load and {
            field.name: getattr(load, field.name)
            for field in fields(load)
            if field.name != "routes_per_channel"
        }
        self._insert_routing(
            {
                "label": routing.label,
                "specification": specification,
                "algorithm": routing.algorithm,
                "title": title,
                "parameters_json": _json(parameters),
                "deadlock_free": int(proof.deadlock_free),
                "verdict": proof.verdict,
                "proof_text": proof.text,
                "cycle_json": _json([asdict(step) for step in proof.cycle]),
                "load_figures_json": figures and _json(figures),
                "routes_per_channel": load and content_of(load.routes_per_channel, "uint64"),
                "ladder_bound": ladder_bound,
                "same_routes_as": same_routes_as,
            }
        )
        return StoredRouting(
            parameters, proof.deadlock_free, proof.verdict, proof.text, ladder_bound
        )

    def add_failed_routing(self, specification: str, title: str, reason: str) -> None:
        """Record why a routing could not be computed; its specification serves as its label."""
        self._insert_routing(
            {
                "label": specification,
                "specification": specification,
                "algorithm": specification.partition(":")[0],
                "title": title,
                "parameters_json": "{}",
                "failure": reason,
                "deadlock_free": 0,
                "verdict": NOT_ROUTED,
                "proof_text": reason,
                "cycle_json": "[]",
            }
        )

    def outcomes(self, label: str) -> dict[tuple[float, int], Outcome]:
        """Return what came out of the finished points of a routing, by (load, seed)."""
        # Names of columns are this package's own.
        columns = ", ".join(("load", "seed", *Outcome.COLUMNS))
        query = f"SELECT {columns} FROM point WHERE study_id = ? AND routing = ?"  # noqa: S608
        rows = self._database.rows(query, (self._study_id, label))
        return {(load, seed): Outcome.stored(*rest) for load, seed, *rest in rows}

    def add_point(
        self, key: PointKey, content: str, measurement: Measurement, wall_s: float
    ) -> bool:
        """Record a finished point, whole or not at all; false when the file has it already."""
        columns = [field.column for field in POINT_FIELDS]
        figures = dict(zip(columns, point_values(measurement), strict=True))
        with self._database.transaction():
            # Another process may have computed the same point meanwhile: its figures are the same.
            if self._has(key):
                return False
            row = self._key(key)
            times = {"finished_at": utc_now(), "wall_s": wall_s}
            self._database.insert("point", {**row, "content": content, **figures, **times})
            self._database.insert("point_arrays", {**row, **stored_arrays(measurement)})
        return True

    def copy_point(self, key: PointKey, content: str) -> Outcome | None:
        """Record a point that the file has already, by its content; None if it has not."""
        found = self._database.rows("SELECT * FROM point WHERE content = ? LIMIT 1", (content,))
        if not found:
            return None
        point = dict(found[0])
        where = (point["study_id"], point["routing"], point["load"], point["seed"])
        arrays = self._database.rows(
            "SELECT * FROM point_arrays"
            " WHERE study_id = ? AND routing = ? AND load = ? AND seed = ?",
            where,
        )
        with self._database.transaction():
            self._database.insert("point", {**point, **self._key(key)})
            self._database.insert("point_arrays", {**dict(arrays[0]), **self._key(key)})
        return Outcome.stored(*(point[name] for name in Outcome.COLUMNS))

    def _key(self, key: PointKey) -> dict[str, Any]:
        return {
            "study_id": self._study_id,
            "routing": key.label,
            "load": key.load,
            "seed": key.seed,
        }

    def _has(self, key: PointKey) -> bool:
        query = "SELECT 1 FROM point WHERE study_id = ? AND routing = ? AND load = ? AND seed = ?"
        return bool(self._database.rows(query, (self._study_id, key.label, key.load, key.seed)))

    def _insert_routing(self, values: dict[str, Any]) -> None:
        with self._database.transaction():
            query = "SELECT label, position, ladder_bound FROM routing WHERE study_id = ?"
            known = {row["label"]: row for row in self._database.rows(query, (self._study_id,))}
            position = len(known)
            if values["label"] in known:
                there = known[values["label"]]
                if there["ladder_bound"] is not None:
                    return
                # An algorithm of one's own may have been mended since it failed.
                position = there["position"]
                delete = "DELETE FROM routing WHERE study_id = ? AND label = ?"
                self._database.execute(delete, (self._study_id, values["label"]))
            self._database.insert(
                "routing", {"study_id": self._study_id, "position": position, **values}
            )

    def _find_or_add_study(self, fabric: Fabric, spec: StudySpec | ProgramSpec, name: str) -> int:
        path = self._database.path
        identity = study_identity(fabric, spec)
        studies = {
            row["name"]: row
            for row in self._database.rows(
                "SELECT study_id, name, weft_version, identity_json FROM study ORDER BY study_id"
            )
        }
        if studies and (name == MAIN_STUDY) != (MAIN_STUDY in studies):
            held = "one comparison" if MAIN_STUDY in studies else f"{len(studies)} studies by name"
            message = f"{path}: holds {held}; expected another file for this study"
            raise ResultsError(message)
        if name in studies:
            return _same_study(path, studies[name], identity)
        row = {
            "study_id": self._database.next_number("study", "study_id"),
            "name": name,
            "weft_version": weft_version(),
            "created_at": utc_now(),
            "fabric_json": _core.fabric_text(fabric, "json"),
            "identity_json": _json(identity),
        }
        return int(self._database.insert("study", row) or 0)

    def _begin_session(self, spec: StudySpec | ProgramSpec, given: str | None) -> int:
        request: dict[str, Any] = {"routings": spec.routings, "loads": spec.loads}
        if given is not None:
            request["fabric"] = given
        row = {
            "session_id": self._database.next_number("session", "session_id"),
            "study_id": self._study_id,
            "started_at": utc_now(),
            "outcome": "running or killed",
            "computed_points": 0,
            "request_json": _json(request),
            "machine_json": _json(machine()),
        }
        return int(self._database.insert("session", row) or 0)


def _same_study(path: object, row: Any, identity: dict[str, Any]) -> int:  # noqa: ANN401 - a row
    """Return the number of a study of the file, or refuse it."""
    differing = differences(json.loads(row["identity_json"]), json.loads(_json(identity)))
    if row["weft_version"] != weft_version():
        differing.insert(0, f"weft is {row['weft_version']} there and {weft_version()} here")
    if differing:
        message = (
            f"{path}: holds another study: {'; '.join(differing)}. Give this study another file or "
            "folder, or delete that file"
        )
        raise ResultsError(message)
    return int(row["study_id"])


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
