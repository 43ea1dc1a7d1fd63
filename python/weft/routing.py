"""Routes over a fabric, made by an algorithm."""

from __future__ import annotations

import math
from numbers import Integral
from typing import TYPE_CHECKING, Any

from weft import _core
from weft._core import Routing
from weft._extras import needed
from weft._late import late_module
from weft.algorithm import Algorithm
from weft.errors import RoutingError
from weft.own_routing import completed, own_algorithms, route_by

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from weft.fabric import Fabric

__all__ = [
    "ALL_TO_ALL",
    "Algorithm",
    "Routing",
    "algorithms",
    "check_routing",
    "route",
    "route_for_weights",
    "routing_parts",
    "searched_route",
    "to_tables",
]

#: The traffic that routings are made for if nothing is said.
ALL_TO_ALL = "alltoall"

_MOST_LMC = 7
_MOST_WEIGHT = 2**16 - 1


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
