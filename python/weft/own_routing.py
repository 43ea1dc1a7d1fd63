"""Routings of one's own, written in Python: paths by name, and algorithms that join the registry.

What is checked of them is what is checked of Weft's own: the proof, the load figures and the engine
take routes, and know nothing of how they were made.
"""

from __future__ import annotations

import json
import operator
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from weft import _core
from weft._nearest import nearest
from weft.errors import RoutingError, WeftError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weft._core import Routing
    from weft.algorithm import Algorithm
    from weft.fabric import Fabric

__all__ = ["Hop", "OwnAlgorithm", "PathFunction", "add_algorithm", "own_algorithms", "own_routes"]

#: The next node by its name, or the port that leads there.
Hop = str | int
#: Path from one endpoint to another: the hops behind the switch of the source up to that of the
#: destination, each alone or with its virtual lane.
PathFunction = Callable[[int, int], Sequence[Hop | tuple[Hop, int]]]

#: The last virtual lane there can be.
_LAST_LANE = 255

#: Packages name their algorithms under this group of entry points.
ENTRY_POINTS = "weft.algorithms"


@dataclass(frozen=True, slots=True)
class OwnAlgorithm:
    """A routing algorithm that is written in Python."""

    #: Its entry in the registry: name, guarantees, source, parameters with defaults
    algorithm: Algorithm
    #: Takes a fabric and the value of every parameter as text by name, and returns what
    #: :func:`own_routes` takes for ``path``. Raises `RoutingError` where it cannot route
    paths: Callable[[Fabric, Mapping[str, str]], PathFunction]
    #: Whether it makes one path per ordered pair of switches or of hosts
    per: Literal["switch", "host"] = "switch"


_added: dict[str, OwnAlgorithm] = {}
_is_searched = False


def add_algorithm(own: OwnAlgorithm) -> None:
    """Let an algorithm be known by its name wherever a routing is named in this process.

    Other processes know those that an installed package names as entry points of the group
    ``weft.algorithms``. A study file names Python files that call this (``own_routings``); they go
    with its points to Slurm and Dask.

    Parameters
    ----------
    own : OwnAlgorithm
        The algorithm; it replaces one of its name that was added before.

    Raises
    ------
    RoutingError
        When the name is that of one of Weft's own algorithms, or no name at all.
    """
    name = own.algorithm.name
    if not name.isidentifier():
        message = f"found algorithm name {name!r}, expected letters, digits and underscores"
        raise RoutingError(message)
    if any(entry["name"] == name for entry in _core.algorithms()):
        message = f"Weft has an algorithm {name} of its own; give yours another name"
        raise RoutingError(message)
    _added[name] = own


@contextmanager
def noted_algorithms() -> Iterator[dict[str, OwnAlgorithm]]:
    """Note which algorithms are added inside, by name; the dictionary is filled at the end."""
    before = dict(_added)
    noted: dict[str, OwnAlgorithm] = {}
    yield noted
    noted.update({name: own for name, own in _added.items() if before.get(name) is not own})


def own_algorithms() -> dict[str, OwnAlgorithm]:
    """List the algorithms that were added, or that installed packages name, by name.

    A package that names something that is no `OwnAlgorithm` is a `RoutingError`.
    """
    global _is_searched
    if not _is_searched:
        from importlib.metadata import entry_points

        for entry in entry_points(group=ENTRY_POINTS):
            found = entry.load()
            if not isinstance(found, OwnAlgorithm):
                message = (
                    f"entry point {entry.name} = {entry.value} of {ENTRY_POINTS} is "
                    f"{type(found).__name__}, expected weft.OwnAlgorithm"
                )
                raise RoutingError(message)
            if found.algorithm.name not in _added:
                add_algorithm(found)
        _is_searched = True
    return dict(_added)


def completed(own: OwnAlgorithm, given: Mapping[str, str]) -> dict[str, str]:
    """Return the value of every parameter, and refuse what the algorithm has not."""
    defaults = {entry.name: entry.default for entry in own.algorithm.parameters}
    for name in given:
        if name not in defaults:
            advice = nearest(name, defaults) if defaults else "it has none"
            message = f"{own.algorithm.name} has no parameter {name}; {advice}"
            raise RoutingError(message)
    return {name: given.get(name, default or "") for name, default in defaults.items()}


def route_by(own: OwnAlgorithm, fabric: Fabric, given: dict[str, str], label: str) -> Routing:
    """Route a fabric by an algorithm of one's own; parameters not given have their defaults."""
    values = completed(own, given)
    try:
        path = own.paths(fabric, values)
        return _routes(fabric, path, own.per, (own.algorithm.name, values, label))
    except WeftError:
        raise
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        at = next((frame for frame in frames if frame.filename != __file__), frames[-1])
        message = (
            f"{own.algorithm.name} failed on {fabric.name}: {type(error).__name__}: {error} "
            f"({at.filename}:{at.lineno})"
        )
        raise RoutingError(message) from error


def own_routes(
    fabric: Fabric,
    path: PathFunction,
    *,
    per: Literal["switch", "host"] = "switch",
    label: str = "own",
) -> Routing:
    """Make a routing of paths.

    Parameters
    ----------
    fabric : Fabric
        The network.
    path : callable
        Takes the numbers of two distinct endpoints and returns the hops of their path: the nodes
        behind the switch of the source up to that of the destination, by name or by the port that
        leads there. Of several links to a node a name takes the lowest port. A host on the way is
        an in-transit stop. A hop may be a pair with its virtual lane. Called for every ordered pair
        of hosts, also at the same switch, or of switches that both have hosts.
    per : {"switch", "host"}
        Whether endpoints are switches, whose hosts share the path, or hosts.
    label : str
        What the routing is called.

    Returns
    -------
    Routing
        For :func:`weft.prove`, :func:`weft.load_figures`, :func:`weft.simulate` and all the others.

    Raises
    ------
    RoutingError
        When a hop leads nowhere or a path ends elsewhere; the pair and the hop are named.

    Examples
    --------
    >>> import weft
    >>> ring = weft.generate("ring", switches=4, hosts_per_switch=1)
    >>> def clockwise(source: int, destination: int) -> list[str]:
    ...     steps = (destination - source) % 4
    ...     return [f"sw{(source + step) % 4}" for step in range(1, steps + 1)]
    >>> routing = weft.own_routes(ring, clockwise, label="clockwise")
    >>> weft.prove(ring, routing).verdict
    'deadlock'
    """
    return _routes(fabric, path, per, (label, {}, label))


def _routes(
    fabric: Fabric,
    path: PathFunction,
    per: Literal["switch", "host"],
    made_by: tuple[str, dict[str, str], str],
) -> Routing:
    wiring = _Wiring(fabric)
    algorithm, parameters, label = made_by
    switches = list(range(fabric.switch_count)) if per == "switch" else fabric.host_switch.tolist()
    with_hosts = set(fabric.host_switch.tolist())
    ports: list[list[list[int]]] = []
    lanes: list[list[list[int]]] = []
    for source, start in enumerate(switches):
        ports.append([])
        lanes.append([])
        for destination, end in enumerate(switches):
            is_used = source != destination and {start, end} <= with_hosts
            steps = wiring.steps(path(source, destination), start, end) if is_used else []
            ports[-1].append([port for port, _ in steps])
            lanes[-1].append([lane for _, lane in steps])
    document = {
        "format": "weft-routes",
        "version": 1,
        "fabric": fabric.name,
        "fingerprint": f"0x{fabric.fingerprint:016x}",
        "algorithm": algorithm,
        "parameters": parameters,
        "per": per,
        "routes": ports,
        "lanes": lanes,
    }
    routing, _ = _core.read_routes(fabric, json.dumps(document).encode(), label)
    return routing


def _whole(value: object) -> int | None:
    """Return a whole number, also one of numpy's, as Python's own; None of anything else."""
    try:
        return None if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


class _Wiring:
    """What is plugged into each port of each switch."""

    def __init__(self, fabric: Fabric) -> None:
        self._names = [*fabric.switch_names, *fabric.host_names]
        self._switch_count = fabric.switch_count
        self._most_hops = fabric.channel_count
        self._ends: list[dict[int, int]] = [{} for _ in range(fabric.switch_count)]
        for a, port_a, b, port_b in fabric.links().tolist():
            for node, port, other in ((a, port_a, b), (b, port_b, a)):
                if node < self._switch_count:
                    self._ends[node][port] = other
        self._ports: list[dict[str, int]] = [
            {self._names[ends[port]]: port for port in sorted(ends, reverse=True)}
            for ends in self._ends
        ]

    def steps(
        self, path: Sequence[Hop | tuple[Hop, int]], start: int, end: int
    ) -> list[tuple[int, int]]:
        """Return port and lane of each hop of a path from one switch to another."""
        if isinstance(path, (str, bytes)) or not isinstance(path, Iterable):
            message = (
                f"the path {self._between(start, end)} is {path!r:.80}, expected its hops in a list"
            )
            raise RoutingError(message)
        at = start
        steps: list[tuple[int, int]] = []
        for number, entry in enumerate(path, start=1):
            where = f"hop {number} of the path {self._between(start, end)}"
            if number > self._most_hops:
                message = (
                    f"{where}: there are {self._most_hops} channels, and a path that takes none "
                    "twice has no more hops; expected one that ends"
                )
                raise RoutingError(message)
            hop, lane = self._hop(entry, where)
            port = self._ports[at].get(hop) if isinstance(hop, str) else hop
            node = None if port is None else self._ends[at].get(port)
            if port is None or node is None:
                message = (
                    f"{where} is {hop!r:.80}, expected a "
                    f"neighbour of {self._names[at]} ({self._some(self._ports[at])}) or one of its "
                    f"wired ports ({self._some(self._ends[at])})"
                )
                raise RoutingError(message)
            steps.append((port, lane))
            if node < self._switch_count:
                at = node
        if at != end:
            message = (
                f"the path {self._between(start, end)} ends at {self._names[at]}; expected hops up "
                f"to {self._names[end]}"
            )
            raise RoutingError(message)
        return steps

    @staticmethod
    def _hop(entry: Hop | tuple[Hop, int], where: str) -> tuple[Hop, int]:
        """Return a hop, by name or port, and its lane."""
        hop, lane = entry if isinstance(entry, tuple) and len(entry) == 2 else (entry, 0)
        whole = _whole(lane)
        if whole is None or not 0 <= whole <= _LAST_LANE:
            message = f"{where} is on lane {lane!r:.80}, expected a whole number, 0 to {_LAST_LANE}"
            raise RoutingError(message)
        port = hop if isinstance(hop, str) else _whole(hop)
        if port is None:
            message = (
                f"{where} is {entry!r:.80}, expected the name of a node or the number of a port, "
                "or a pair of one with its lane"
            )
            raise RoutingError(message)
        return port, whole

    def _between(self, start: int, end: int) -> str:
        return f"from {self._names[start]} to {self._names[end]}"

    @staticmethod
    def _some(known: Mapping[str, int] | Mapping[int, int]) -> str:
        """Return the first few of what could have been said."""
        shown = [str(entry) for entry in sorted(known)][:6]
        return ", ".join(shown) + (", …" if len(known) > len(shown) else "")
