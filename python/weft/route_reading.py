"""Files of routes: read with what lies beside them, and written."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from weft import _core
from weft._files import read_bytes, write_text
from weft.errors import InputError
from weft.fabric import ReadNote
from weft.route_files import named_file, route_files

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft._core import Routing
    from weft.fabric import Fabric

__all__ = ["RoutesFile", "read_routes", "write_routes"]

#: Names that OpenSM, ibdiagnet and the export for OpenSM give their files.
_TABLE_FILES = (
    "opensm-lfts.dump",
    "weft.lfts",
    "opensm.fdbs",
    "ibdiagnet2.fdbs",
    "ibdiagnet.fdbs",
    "routes.fdbs",
)
_SERVICE_LEVEL_FILES = ("opensm-path-records.dump", "ibdiagnet.psl", "paths.csv", "path-sl.txt")
_LANE_MAP_FILES = ("opensm-sl2vl.dump", "sl2vl.dump")
#: What is read together with groups of ports.
_OF_GROUPS = {"groups", "private_tables"}
#: What is looked at of a file to find what it is.
_HEAD_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class RoutesFile:
    """What a file of routes contained."""

    routing: Routing  #: The routes
    notes: list[ReadNote]  #: What was passed over


def read_routes(
    fabric: Fabric,
    path: str | os.PathLike[str],
    *,
    service_levels: str | os.PathLike[str] | None = None,
    lane_maps: str | os.PathLike[str] | None = None,
) -> RoutesFile:
    """Read the routes of a fabric from a file, or from a folder of OpenSM's or ibdiagnet's dumps.

    Parameters
    ----------
    fabric : Fabric
        The network the routes are of. Tables of OpenSM know switches and hosts by GUID or LID, so
        it must have them.
    path : path-like
        The file: Weft's own format (:func:`write_routes`), tables as OpenSM dumps them
        (``opensm-lfts.dump``, ``dump_fts``) or its ``opensm.fdbs``, or groups of ports that
        switches choose among (ibdiagnet's ``.far``); found from the content. In a folder they are
        looked for by name, then by content, and with them service levels
        (``opensm-path-records.dump``) and lanes (``opensm-sl2vl.dump``, ``.slvl``). Groups are read
        together with ibdiagnet's private tables (``.plft``), the service levels that go by lanes
        (``.vl2vl``), and the static ports (``.fdbs``) of switches that choose nothing.
    service_levels : path-like, optional
        The service level of each pair of ports: ``opensm-path-records.dump``, lines of source GUID,
        destination LID and service level, or the ``paths.csv`` of an export.
    lane_maps : path-like, optional
        The lane of each service level: ``opensm-sl2vl.dump``. Without, it is that of its number.

    Raises
    ------
    FormatError
        When the file is damaged, of another kind or of another fabric; names the line.
    RoutingError
        When there are service levels or lanes but the routes are no tables of OpenSM.
    InputError
        When there is no such file, or several of a folder tell the same.
    """
    label = os.fspath(path)
    files: dict[str, Path] = {}
    if Path(path).is_dir():
        folder = Path(path)
        files = dict(route_files(folder))
        service_levels = service_levels or _first_of(folder, _SERVICE_LEVEL_FILES)
        lane_maps = lane_maps or _first_of(folder, _LANE_MAP_FILES) or files.pop("lane_maps", None)
        tables = _first_of(folder, _TABLE_FILES) or files.get("static")
        if tables is None and not files:
            message = (
                f"{label}: found no tables in this folder; expected ibdiagnet's .far, or one of "
                f"{', '.join(_TABLE_FILES)}"
            )
            raise InputError(message)
        if files.keys() & _OF_GROUPS:
            return _of_groups(fabric, label, files, service_levels, lane_maps)
        if tables is None:
            message = f"{label}: found {_listed(files)} in this folder, and no tables beside"
            raise InputError(message)
        path = tables
    content = read_bytes(path, "a file of routes")
    if (
        lane_maps is not None
        and service_levels is None
        and _core.routes_file_kind(content[:_HEAD_BYTES]) == "groups"
    ):
        return _of_groups(fabric, label, {"groups": Path(path)}, None, lane_maps)
    routing, notes = _core.read_routes(fabric, content, os.fspath(path))
    if service_levels is not None or lane_maps is not None:
        routing, further = _core.routes_on_lanes(
            fabric,
            routing,
            _named(service_levels, "a file of service levels"),
            _named(lane_maps, "a file of lanes of service levels"),
        )
        notes += further
    return RoutesFile(routing, [ReadNote(*note) for note in notes])


def _of_groups(
    fabric: Fabric,
    label: str,
    files: Mapping[str, Path],
    service_levels: str | os.PathLike[str] | None,
    lane_maps: str | os.PathLike[str] | None,
) -> RoutesFile:
    """Read tables of groups and what lies beside them."""
    read = {kind: named_file(path, "a file of ibdiagnet") for kind, path in files.items()}
    maps = _named(lane_maps, "a file of lanes of service levels")
    if maps is not None:
        read["lane_maps"] = maps
    routing, found = _core.read_group_tables(fabric, label, read)
    notes = [ReadNote(*note) for note in found]
    if service_levels is not None and routing.is_adaptive:
        reason = "packets of every service level are judged, whatever sources use; passed over"
        notes.append(ReadNote(None, Path(service_levels).name, reason))
    elif service_levels is not None:
        levels = _named(service_levels, "a file of service levels")
        routing, further = _core.routes_on_lanes(fabric, routing, levels, maps)
        notes += [ReadNote(*note) for note in further]
    return RoutesFile(routing, notes)


def _listed(files: Mapping[str, Path]) -> str:
    return ", ".join(path.name for path in files.values())


def _first_of(folder: Path, names: tuple[str, ...]) -> Path | None:
    """Return the first of some files that a folder has."""
    return next((folder / name for name in names if (folder / name).is_file()), None)


def _named(path: str | os.PathLike[str] | None, expected: str) -> tuple[bytes, str] | None:
    """Read a file, and return its content and its name."""
    return None if path is None else named_file(path, expected)


def write_routes(routing: Routing, path: str | os.PathLike[str]) -> None:
    """Write routes to a file in Weft's own format (JSON), whole or not at all.

    Parameters
    ----------
    routing : Routing
        The routes.
    path : path-like
        File to write; an existing one is replaced.

    Raises
    ------
    EnvironmentFailure
        When the machine does not let it be written.
    """
    write_text(path, routing.to_json())
