"""Reading the results of a study."""

from __future__ import annotations

import json
import math
import zlib
from contextlib import closing, contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from weft import _core
from weft._without_numpy import read_numbers
from weft.channel_loads import LoadFigures
from weft.errors import ResultsError
from weft.proof import CycleStep
from weft.results.arrays import read_array, read_histogram
from weft.results.database import Database
from weft.results.fairness import Fairness, fairness_of
from weft.results.fields import read_point
from weft.results.knee import is_knee_beyond, knee
from weft.results.link_use import LinkUse, link_use
from weft.results.manifest import build_manifest
from weft.results.ranking import RankedRouting, rank, recommend
from weft.results.reading import Reading
from weft.results.replay_figures import ReplayFigures, read_replay
from weft.results.throughput import throughput
from weft.results.types import (
    ChannelFigures,
    LaneFigures,
    Point,
    PoolSeries,
    ProofSummary,
    RoutingResult,
)
from weft.spec.study import StudySpec
from weft.workload import sending_hosts

if TYPE_CHECKING:
    import os
    import sqlite3
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from weft.fabric import Fabric
    from weft.simulate import Histogram

__all__ = ["Results"]

_USUAL_READING = Reading()

_TOTALS = (
    "SELECT coalesce(sum(points), 0) AS points, coalesce(sum(wall_s), 0) AS wall_s,"
    " coalesce(sum(events), 0) AS events, coalesce(sum(packet_hops), 0) AS packet_hops,"
    " coalesce(sum(flit_hops), 0) AS flit_hops FROM"
    # A point of several routings that are the same routes was simulated once.
    " (SELECT count(*) AS points, wall_s, events, packet_hops, flit_hops FROM point"
    " WHERE study_id = ? GROUP BY content)"
)


class Results:
    """The results of one study, read from its file.

    Everything is read when it is first asked for and kept; open the file anew to see points that
    were added since.

    Examples
    --------
    >>> results = weft.Results.open("weft-results/torus/results.sqlite")  # doctest: +SKIP
    >>> results.ranking()[0].label  # doctest: +SKIP
    'ud_itb'
    """

    def __init__(self, database: Database, study: sqlite3.Row, reading: Reading) -> None:
        self._database = database
        self._study = study
        #: How its results are read where that is a choice.
        self.reading = reading

    def __repr__(self) -> str:
        """Name the study and its file."""
        return f"<Results of study {self.study} in {self.path}>"

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        study: str | None = None,
        *,
        reading: Reading = _USUAL_READING,
    ) -> Self:
        """Open a results file.

        Parameters
        ----------
        path : path-like
            The file, or the folder with a ``results.sqlite`` in it.
        study : str, optional
            Name of the study, for a file that holds many.
        reading : Reading
            How results are read where that is a choice, such as which knee.

        Raises
        ------
        ResultsError
            When it is no results file, damaged, of a newer format, or holds no such study.
        EnvironmentFailure
            When the machine does not let it be read.
        """
        path = _file_of(path)
        database = Database.open_for_reading(path)
        try:
            rows = database.rows("SELECT * FROM study ORDER BY study_id")
            return cls(database, _chosen(path, rows, study), reading)
        except BaseException:
            database.close()
            raise

    @classmethod
    @contextmanager
    def open_all(
        cls, path: str | os.PathLike[str], *, reading: Reading = _USUAL_READING
    ) -> Iterator[dict[str, Self]]:
        """Open every study of a file, by name in the order they were begun; closed at the end.

        Parameters
        ----------
        path : path-like
            The file, or the folder with a ``results.sqlite`` in it.
        reading : Reading
            How results are read where that is a choice.

        Yields
        ------
        dict of str to Results

        Raises
        ------
        ResultsError
            When it is no results file, damaged or of another format.
        EnvironmentFailure
            When the machine does not let it be read.
        """
        with closing(Database.open_for_reading(_file_of(path))) as database:
            rows = database.rows("SELECT * FROM study ORDER BY study_id")
            yield {row["name"]: cls(database, row, reading) for row in rows}

    @property
    def study(self) -> str:
        """Name of the study in its file."""
        return str(self._study["name"])

    @classmethod
    def study_names(cls, path: str | os.PathLike[str]) -> list[str]:
        """Return the names of the studies a file holds, in the order they were begun.

        Parameters
        ----------
        path : path-like
            The file, or the folder with a ``results.sqlite`` in it.
        """
        with cls.open_all(path) as opened:
            return list(opened)

    def close(self) -> None:
        """Close the file; what was read stays at hand."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """The file."""
        return self._database.path

    @cached_property
    def fabric(self) -> Fabric:
        """The network of the study."""
        text = self._study["fabric_json"].encode()
        fabric, *_ = _core.read_fabric(text, f"{self.path} (fabric)")
        return fabric

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """Versions, machine, parameters with units, seeds and times: see `build_manifest`."""
        sessions = self._rows("SELECT * FROM session WHERE study_id = ? ORDER BY session_id")
        totals = self._rows(_TOTALS)[0]
        return build_manifest(self._study, sessions, self._routing_rows, totals)

    @cached_property
    def given(self) -> str | None:
        """What commands name the fabric by, as the latest call that knew; None of no file."""
        sessions = reversed(self.manifest["sessions"])
        return next((s["request"]["fabric"] for s in sessions if "fabric" in s["request"]), None)

    @property
    def program(self) -> dict[str, Any] | None:
        """The program of the study by key of a study file, None where it has traffic instead."""
        program: dict[str, Any] | None = json.loads(self._study["identity_json"]).get("program")
        return program

    @cached_property
    def replays(self) -> dict[str, ReplayFigures]:
        """How the program of the study ran, by routing; empty where it has traffic instead."""
        rows = self._rows("SELECT * FROM replay WHERE study_id = ?")
        known = {row["routing"]: read_replay(dict(row)) for row in rows}
        labels = [row["label"] for row in self._routing_rows]
        return {label: known[label] for label in labels if label in known}

    @cached_property
    def spec(self) -> StudySpec:
        """The study: all routings of the file, and the loads of the latest call."""
        requests = self._rows(
            "SELECT request_json FROM session WHERE study_id = ? ORDER BY session_id DESC LIMIT 1"
        )
        loads = json.loads(requests[0]["request_json"])["loads"] if requests else None
        # A study whose routings all wait still has to the ones it was asked for.
        labels = tuple(row["specification"] for row in self._routing_rows) or tuple(
            json.loads(requests[0]["request_json"])["routings"]
        )
        identity = json.loads(self._study["identity_json"])
        return StudySpec.from_identity(identity, labels, None if loads is None else tuple(loads))

    @cached_property
    def routings(self) -> list[RoutingResult]:
        """What is known of each routing, in the order in which they were first asked for."""
        points: dict[str, list[Point]] = {row["label"]: [] for row in self._routing_rows}
        query = "SELECT * FROM point WHERE study_id = ? ORDER BY routing, load, seed"
        for row in self._rows(query):
            points[row["routing"]].append(Point(row["load"], row["seed"], read_point(dict(row))))
        return [
            _routing_result(row, points[row["label"]], self.reading.knee_factor)
            for row in self._routing_rows
        ]

    def routing(self, label: str) -> RoutingResult:
        """Return what is known of one routing.

        Parameters
        ----------
        label : str
            The routing.

        Raises
        ------
        ResultsError
            When the study has no such routing.
        """
        for routing in self.routings:
            if routing.label == label:
                return routing
        labels = _some([routing.label for routing in self.routings])
        message = f"{self.path}: no routing {label}; expected one of {labels}"
        raise ResultsError(message)

    def link_use(self) -> list[LinkUse]:
        """Tell how links between switches are used where all routings carry the same traffic.

        Returns
        -------
        list of LinkUse
            One for each simulated routing, interpolated between the loads either side of the
            traffic that the `Reading` names.
        """
        return link_use(self)

    def ranking(self) -> list[RankedRouting]:
        """Rank the routings by throughput; those without one come last."""
        return rank(self.routings)

    def recommendation(self) -> str:
        """Say in a sentence or two which routing to take."""
        return recommend(self.ranking(), self.reading.knee_factor)

    def array(self, routing_label: str, load: float, seed: int | None, name: str) -> NDArray[Any]:
        """Return a figure per channel, lane or host at one point.

        Parameters
        ----------
        routing_label : str
            The routing.
        load : float
            A simulated load (fraction of the host link rate).
        seed : int or None
            Seed of the traffic; the first one when None.
        name : str
            Name of the figure: one of those of ``Measurement.arrays``.

        Returns
        -------
        ndarray

        Raises
        ------
        ResultsError
            When there is no such point; the text names the nearest load.
        """
        row = self._stored(routing_label, load, seed, name)
        try:
            return read_array(row, name, self.fabric)
        except (ValueError, zlib.error) as error:
            message = f"{self.path}: {name} of {routing_label} at load {load:g} is damaged: {error}"
            raise ResultsError(message) from error

    def channel_figures(
        self, routing_label: str, load: float, seed: int | None = None
    ) -> ChannelFigures:
        """Return how each channel spent its time at one point.

        Parameters
        ----------
        routing_label : str
            The routing.
        load : float
            A simulated load (fraction of the host link rate).
        seed : int, optional
            Seed of the traffic; the first one when left out.

        Raises
        ------
        ResultsError
            When there is no such point; the text names the nearest load.
        """
        read = partial(self.array, routing_label, load, seed)
        return ChannelFigures(
            utilization=read("channel_utilization"),
            blocked=read("channel_blocked"),
            pool_mean_bytes=read("pool_mean_bytes"),
            pool_max_bytes=read("pool_max_bytes"),
            host_accepted_load=read("host_accepted_load"),
        )

    def lane_figures(self, routing_label: str, load: float, seed: int | None = None) -> LaneFigures:
        """Return how each lane of each channel was used at one point.

        Arguments and errors are those of `channel_figures`.

        Returns
        -------
        LaneFigures
            Without rows for hardware that has no lanes.
        """
        return LaneFigures.of(partial(self.array, routing_label, load, seed))

    def pool_series(self, routing_label: str, load: float, seed: int | None = None) -> PoolSeries:
        """Return what the in-transit pools held in time at one point.

        Arguments and errors are those of `channel_figures`.

        Returns
        -------
        PoolSeries
            Without rows where the study did not ask to follow them.
        """
        read = partial(self.array, routing_label, load, seed)
        point = self._point(routing_label, load, seed)
        return PoolSeries(
            interval_ns=point.measurement.pool_interval_ns,
            mean_bytes=read("pool_series_mean_bytes"),
            max_bytes=read("pool_series_max_bytes"),
        )

    def fairness(self, routing_label: str, load: float, seed: int | None = None) -> Fairness:
        """Return how alike the hosts that send are served at one point.

        Arguments and errors are those of `channel_figures`.
        """
        figures = self.channel_figures(routing_label, load, seed)
        return fairness_of(figures.host_accepted_load, self.sending_hosts)

    @cached_property
    def sending_hosts(self) -> int:
        """Number of hosts that send under the pattern of the study."""
        return sending_hosts(self.fabric, self.spec.traffic)

    def histogram(self, routing_label: str, load: float, seed: int | None = None) -> Histogram:
        """Return the distribution of the latency from generation at one point.

        Arguments and errors are those of `channel_figures`.
        """
        return read_histogram(self._stored(routing_label, load, seed, "*"))

    def _point(self, label: str, load: float, seed: int | None) -> Point:
        points = self.routing(label).points
        for point in points:
            if math.isclose(point.load, load, rel_tol=1e-9) and seed in (None, point.seed):
                return point
        message = f"{self.path}: {label} has no point at load {load:g}"
        if points:
            nearest = min(points, key=lambda point: abs(point.load - load))
            message += f"; the nearest is {nearest.load:g} with seed {nearest.seed}"
        raise ResultsError(message)

    def _stored(self, label: str, load: float, seed: int | None, column: str) -> sqlite3.Row:
        point = self._point(label, load, seed)
        # Names of columns are this package's own.
        query = (
            f"SELECT {column} FROM point_arrays"  # noqa: S608
            " WHERE study_id = ? AND routing = ? AND load = ? AND seed = ?"
        )
        return self._rows(query, label, point.load, point.seed)[0]

    @cached_property
    def _routing_rows(self) -> list[sqlite3.Row]:
        return self._rows("SELECT * FROM routing WHERE study_id = ? ORDER BY position")

    def _rows(self, query: str, *values: str | float) -> list[sqlite3.Row]:
        return self._database.rows(query, (self._study["study_id"], *values))


def _some(names: Sequence[str], most: int = 5) -> str:
    """List names, not too many of them."""
    listed = ", ".join(f"“{name}”" for name in names[:most])
    return listed if len(names) <= most else f"{listed}, … ({len(names) - most} more)"


def _file_of(path: str | os.PathLike[str]) -> Path:
    """Return the results file that a path names, itself or by its folder."""
    path = Path(path)
    return path / "results.sqlite" if path.is_dir() else path


def _chosen(path: Path, rows: Sequence[sqlite3.Row], name: str | None) -> sqlite3.Row:
    """Return the row of the study that is meant."""
    names = _some([row["name"] for row in rows])
    if not rows:
        message = f"{path}: holds no study yet; run the study again"
        raise ResultsError(message)
    if name is None:
        if len(rows) > 1:
            message = f"{path}: holds {len(rows)} studies; name one of them: {names}"
            raise ResultsError(message)
        return rows[0]
    for row in rows:
        if row["name"] == name:
            return row
    message = f"{path}: holds no study {name}; expected one of {names}"
    raise ResultsError(message)


def _load_figures(row: sqlite3.Row) -> LoadFigures | None:
    """Restore load figures from the row of a routing; None when it has no routes."""
    if row["load_figures_json"] is None:
        return None
    routes = read_numbers(row["routes_per_channel"], "uint64")
    return LoadFigures(routes_per_channel=routes, **json.loads(row["load_figures_json"]))


def _routing_result(row: sqlite3.Row, points: list[Point], knee_factor: float) -> RoutingResult:
    return RoutingResult(
        **{
            name: row[name] for name in ("label", "algorithm", "title", "failure", "same_routes_as")
        },
        parameters=json.loads(row["parameters_json"]),
        proof=ProofSummary(
            deadlock_free=bool(row["deadlock_free"]),
            verdict=row["verdict"],
            text=row["proof_text"],
            cycle=[CycleStep(**step) for step in json.loads(row["cycle_json"])],
        ),
        load=_load_figures(row),
        points=points,
        throughput=throughput(points),
        knee=knee(points, knee_factor),
        is_knee_beyond=is_knee_beyond(points, knee_factor),
    )
