"""Routes over a fabric: made by an algorithm or read from a file, and how they load channels."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from numbers import Integral
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft import _core
from weft._core import Routing
from weft._extras import needed
from weft._files import read_bytes, write_text
from weft._late import late_module
from weft.algorithm import Algorithm
from weft.errors import InputError, RoutingError
from weft.fabric import ReadNote
from weft.own_routing import completed, own_algorithms, route_by
from weft.route_files import named_file, route_files

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.fabric import Fabric

__all__ = [
    "ALL_TO_ALL",
    "Algorithm",
    "LoadFigures",
    "RoutesFile",
    "Routing",
    "algorithms",
    "check_routing",
    "load_figures",
    "read_routes",
    "route",
    "route_for_weights",
    "routing_parts",
    "searched_route",
    "throughput_bound",
    "to_tables",
    "write_routes",
]

#: The traffic that routings are made for if nothing is said.
ALL_TO_ALL = "alltoall"

_MOST_LMC = 7
_MOST_WEIGHT = 2**16 - 1

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


def algorithms() -> list[Algorithm]:
    """List the routing algorithms: Weft's own, then those of :func:`add_algorithm` and packages."""
    known = Algorithm._all(_core.algorithms())
    return known + [own.algorithm for own in own_algorithms().values()]


def route(
    fabric: Fabric,
    algorithm: str,
    *,
    time_budget_s: float | None = None,
    progress: Callable[[int, float | None], None] | None = None,
    **parameters: str | int,
) -> Routing:
    """Route a fabric.

    Parameters
    ----------
    fabric : Fabric
        The network.
    algorithm : str
        Name of an algorithm, or name and parameters as on the command line:
        ``"updown:root=0,selection=random,seed=3"``.
    time_budget_s : float, optional
        With an algorithm that searches, such as ``best``: improve the routing until so many seconds
        are over, or Ctrl-C is pressed in the main thread, and return what there is then. 0 returns
        the first answer. How many starts that took is the parameter ``starts`` of the result, with
        which the same tables are made again.
    progress : callable, optional
        Is told, in the main thread and after the first second, how far the routing is: the steps
        begun, and what part of the last is done (0 to 1), None where nobody knows.
    **parameters : str or int
        Parameters of the algorithm by name; one that also stands in ``algorithm`` is refused.

    Returns
    -------
    Routing
        The routes with every parameter's value, defaults included.

    Raises
    ------
    RoutingError
        When the algorithm or a parameter is unknown (the nearest name is suggested), or when the
        algorithm cannot route this fabric.

    Examples
    --------
    >>> import weft
    >>> fabric = weft.torus(8, 8, hosts_per_switch=8)
    >>> weft.route(fabric, "updown", selection="random", seed=1).label
    'updown:seed=1,selection=random'
    """
    texts = {name: _text(name, value) for name, value in parameters.items()}
    name, given, label = _core.routing_choice(algorithm, texts)
    own = own_algorithms().get(name)
    if time_budget_s is not None or (
        own is None and given.get("traffic", ALL_TO_ALL) != ALL_TO_ALL
    ):
        return searched_route(fabric, name, given, time_budget_s)[0]
    if own is not None:
        return route_by(own, fabric, given, label)
    return _core.route(fabric, algorithm, texts, progress)


def routing_parts(algorithm: str) -> tuple[str, dict[str, str]]:
    """Take the text of a routing apart into its name and the parameters given."""
    name, given, _ = _core.routing_choice(algorithm, {})
    return name, given


def searched_route(
    fabric: Fabric, name: str, parameters: dict[str, str], time_budget_s: float | None
) -> tuple[Routing, bool]:
    """Route a fabric by an algorithm that searches; tell as well whether Ctrl-C ended it."""
    budget = _checked_budget(time_budget_s)
    traffic = parameters.get("traffic", ALL_TO_ALL)
    demands = []
    if traffic != ALL_TO_ALL:
        _core.check_routing(name, parameters)
        demands = late_module("weft.demand").host_demands(fabric, traffic)
    return _core.search(fabric, name, None, demands, parameters, budget)


def check_routing(algorithm: str) -> None:
    """Refuse a routing that no fabric could have, before anything is computed.

    A `RoutingError` says which algorithm or parameter is unknown, or which value cannot be.

    Examples
    --------
    >>> from weft.routing import check_routing
    >>> check_routing("lash:lanes=8")
    """
    name, given, _ = _core.routing_choice(algorithm, {})
    own = own_algorithms().get(name)
    if own is not None:
        completed(own, given)
    else:
        _core.check_routing(name, given)


def _checked_budget(time_budget_s: float | None) -> float | None:
    """Return a time budget, or say what is wrong with it."""
    if time_budget_s is not None and not 0 <= time_budget_s < math.inf:
        message = f"found a time budget of {time_budget_s} s, expected 0 or more seconds"
        raise RoutingError(message)
    return time_budget_s


def route_for_weights(
    fabric: Fabric,
    weights: NDArray[np.integer[Any]],
    *,
    time_budget_s: float | None = None,
    **parameters: str | int,
) -> Routing:
    """Route a fabric by ``best`` for traffic that is not the same between all hosts.

    Parameters
    ----------
    fabric : Fabric
        The network.
    weights : ndarray of int, shape (host_count, host_count)
        What each host (row) sends to each (column), whole numbers from 0 to 65535 in parts of any
        size. Their largest sum over a channel is what is kept low; pairs of weight 0 have routes
        as well. :func:`weft.load_bound` tells what no routing keeps it below.
    time_budget_s : float, optional
        As for :func:`route`.
    **parameters : str or int
        Parameters of ``best`` by name.

    Returns
    -------
    Routing
        Forwarding tables free of deadlock.

    Raises
    ------
    RoutingError
        When weights or parameters are not as expected, or as for :func:`route`.

    Examples
    --------
    >>> import numpy as np
    >>> import weft
    >>> fabric = weft.torus(4, 4)
    >>> weights = np.ones((16, 16), dtype=int)
    >>> weights[:, 5] = 30
    >>> weft.route_for_weights(fabric, weights, lanes=4).form
    'forwarding tables'
    """
    texts = {name: _text(name, value) for name, value in parameters.items()}
    budget = _checked_budget(time_budget_s)
    whole = whole_weights(fabric, weights)
    return _core.search(fabric, "best", whole, [], texts, budget)[0]


def whole_weights(fabric: Fabric, weights: NDArray[np.integer[Any]]) -> NDArray[np.uint16]:
    """Check weights of pairs of hosts: whole numbers from 0 to 65535, sources by row.

    A `RoutingError` says what else was found.
    """
    numpy = needed("numpy")
    expected = (fabric.host_count, fabric.host_count)
    found = numpy.asarray(weights)
    if found.shape != expected or found.dtype.kind not in "iu":
        message = (
            f"weights has shape {found.shape} and type {found.dtype}; expected whole numbers of"
            f" shape {expected}"
        )
        raise RoutingError(message)
    if found.size and (found.min() < 0 or found.max() > _MOST_WEIGHT):
        message = f"weights has {found.min()} to {found.max()}; expected 0 to {_MOST_WEIGHT}"
        raise RoutingError(message)
    whole: NDArray[np.uint16] = found.astype(numpy.uint16)
    return whole


def _text(name: str, value: object) -> str:
    """Write a parameter's value as it stands on the command line."""
    if isinstance(value, (str, Integral)) and not isinstance(value, bool):
        return str(value)
    message = f"parameter {name} is {value!r}; expected a text or a whole number"
    raise RoutingError(message)


def to_tables(fabric: Fabric, routing: Routing, lmc: int = _MOST_LMC) -> Routing:
    """Put routes into forwarding tables, unchanged.

    Where routes to one destination part at a switch, the destination gets a further address
    (destination renaming), and the sources know which to send to.

    Parameters
    ----------
    fabric : Fabric
        The network the routing was made for.
    routing : Routing
        The routes: without in-transit stops, each on one lane.
    lmc : int
        A destination has at most 2 to this power addresses, as InfiniBand's LID mask control has
        it; 0 to 7.

    Returns
    -------
    Routing
        The same routes in tables.

    Raises
    ------
    RoutingError
        When a destination needs more addresses (it is named), or a route cannot stand in tables.

    Examples
    --------
    >>> import weft
    >>> fabric = weft.torus(4, 4)
    >>> weft.to_tables(fabric, weft.route(fabric, "updown"), lmc=2).form
    'forwarding tables'
    """
    if type(lmc) is not int or not 0 <= lmc <= _MOST_LMC:
        message = f"lmc is {lmc!r}; expected a whole number from 0 to {_MOST_LMC}"
        raise RoutingError(message)
    return _core.to_tables(fabric, routing, lmc)


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


@dataclass(frozen=True, slots=True)
class LoadFigures:
    """How the routes of a routing load the channels.

    Loads count every ordered pair of distinct hosts once, also where hosts share a route. Means
    *over switch pairs* are over ordered pairs of distinct switches that have hosts.
    """

    #: Routes of host pairs over each channel, injection and ejection channels included; a stop in
    #: transit counts at both channels of its host
    routes_per_channel: NDArray[np.uint64] = field(repr=False)
    max_routes_per_channel: int  #: Most routes over one channel
    mean_routes_per_channel: float  #: Mean over the channels between switches; 0 without any
    mean_distance_links: float  #: Mean links between switches of a route, over switch pairs
    mean_hops_links: float  #: Mean links between switches of a route, over pairs of distinct hosts
    max_hops_links: int  #: Most links between switches of a route
    #: Share of the routes that are as short as the fabric allows, 0 to 1, over switch pairs
    minimal_share: float
    mean_in_transit_stops: float  #: Mean in-transit stops of a route, over switch pairs
    max_in_transit_stops: int  #: Most in-transit stops of a route
    #: Largest offered load, as a fraction of the link rate, that no channel's routes forbid when
    #: every host sends to all others alike; at most 1
    saturation_bound: float


def load_figures(
    fabric: Fabric, routing: Routing, *, hosts: Sequence[int] | None = None
) -> LoadFigures:
    """Compute how a routing loads the channels of its fabric.

    Parameters
    ----------
    fabric : Fabric
        The network the routing was made for.
    routing : Routing
        The routes.
    hosts : sequence of int, optional
        Numbers of the hosts that send to one another; all compute ends when not given.

    Raises
    ------
    RoutingError
        When the routing was made for another fabric, or lets packets choose on their way, or there
        is no such host.
    """
    return LoadFigures(**_core.load_figures(fabric, routing, host_numbers(hosts)))


def host_numbers(hosts: Sequence[int] | None) -> list[int] | None:
    """Return numbers of hosts, if any are given.

    Raises
    ------
    RoutingError
        When they are no whole numbers.
    """
    if hosts is None:
        return None
    try:
        return [index(host) for host in hosts]
    except TypeError as error:
        message = f"hosts is {hosts!r}; expected a sequence of whole numbers"
        raise RoutingError(message) from error


def throughput_bound(fabric: Fabric) -> float:
    """Compute the largest load that any routing of a fabric can bear.

    Every host sends to all others alike. Traffic may split over all paths of any length, and
    deadlock is left aside, so the ``saturation_bound`` of no routing is above it.

    Parameters
    ----------
    fabric : Fabric
        The network.

    Returns
    -------
    float
        Offered load as a fraction of the link rate, at most 1.

    Raises
    ------
    RoutingError
        When the fabric has no host or is disconnected.
    EnvironmentFailure
        When HiGHS, of the extra ``bounds``, is not installed.

    Notes
    -----
    A linear program of as many columns as switches times channels: seconds at 64 switches.

    Examples
    --------
    Half the routes of an 8×8 torus cross its middle, over 32 of its channels:

    >>> import weft
    >>> round(weft.throughput_bound(weft.torus(8, 8, hosts_per_switch=8)), 3)
    0.125
    """
    return _core.throughput_bound(fabric)
