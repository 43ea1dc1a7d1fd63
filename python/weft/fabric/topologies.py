"""Networks made by rule: every topology with its parameters, and the usual ones by name."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING

from weft import _core
from weft.errors import FabricError
from weft.fabric.parameter import Entry

if TYPE_CHECKING:
    from weft._core import Fabric


def mesh(columns: int, rows: int, hosts_per_switch: int = 1) -> Fabric:
    """Make a two-dimensional mesh.

    Parameters
    ----------
    columns, rows : int
        Switches along x and y, at least 1 each; switch numbers run row by row.
    hosts_per_switch : int
        Hosts on ports 1 to ``hosts_per_switch`` of every switch.

    Raises
    ------
    FabricError
        When a number is out of range or a switch would need more than 254 ports.
    """
    return _grid("mesh", columns, rows, hosts_per_switch)


def torus(columns: int, rows: int, hosts_per_switch: int = 1) -> Fabric:
    """Make a two-dimensional torus.

    A dimension of extent 2 has one link per pair of switches, a dimension of extent 1 none.

    Parameters
    ----------
    columns, rows : int
        Switches along x and y, at least 1 each; switch numbers run row by row.
    hosts_per_switch : int
        Hosts on ports 1 to ``hosts_per_switch`` of every switch.

    Raises
    ------
    FabricError
        When a number is out of range or a switch would need more than 254 ports.
    """
    return _grid("torus", columns, rows, hosts_per_switch)


def express_torus(columns: int, rows: int, hosts_per_switch: int = 1) -> Fabric:
    """Make a two-dimensional torus with express channels to the switches two steps away.

    Parameters
    ----------
    columns, rows : int
        Switches along x and y; switch numbers run row by row.
    hosts_per_switch : int
        Hosts on ports 1 to ``hosts_per_switch`` of every switch.

    Raises
    ------
    FabricError
        When a number is out of range or a switch would need more than 254 ports.
    """
    return _grid("express_torus", columns, rows, hosts_per_switch)


def _grid(topology: str, columns: int, rows: int, hosts_per_switch: int) -> Fabric:
    """Make a grid of two dimensions, and call a side that cannot be by its own name."""
    for name, extent in (("columns", columns), ("rows", rows)):
        if extent < 1:
            message = f"{name} is {extent}; expected 1 or more"
            raise FabricError(message)
    return generate(topology, extents=[columns, rows], hosts_per_switch=hosts_per_switch)


def irregular(
    switches: int,
    *,
    hosts_per_switch: int = 4,
    ports_per_switch: int = 8,
    links: str = "every_port",
    seed: int = 1,
) -> Fabric:
    """Make a random irregular network: connected, with single links.

    Parameters
    ----------
    switches : int
        Number of switches.
    hosts_per_switch : int
        Hosts on every switch.
    ports_per_switch : int
        Ports of every switch; those without a host are wired to other switches.
    links : str
        ``"every_port"``: every port is wired that can be; ``"random_count"``: as many as are
        drawn, evenly between a tree's links and all.
    seed : int
        The same seed gives the same network, on every machine.

    Raises
    ------
    FabricError
        When no such network exists; the text says why.
    """
    return generate(
        "irregular",
        switches=switches,
        hosts_per_switch=hosts_per_switch,
        ports_per_switch=ports_per_switch,
        links=links,
        seed=seed,
    )


class Topology(Entry):
    """A topology that can be generated; its name is given to :func:`generate`."""

    __slots__ = ()


def topologies() -> list[Topology]:
    """List the topologies that can be generated."""
    return Topology._all(_core.topologies())


def generate(topology: str, **parameters: str | int | Sequence[int]) -> Fabric:
    """Make a network of any topology.

    Parameters
    ----------
    topology : str
        Name of a topology; :func:`topologies` lists them.
    **parameters : str, int or sequence of int
        Parameters of the topology by name; a list as ``[4, 4, 2]`` or ``"4x4x2"``.

    Raises
    ------
    FabricError
        When the topology or a parameter is unknown (the nearest name is suggested), or when no
        such network exists.

    Examples
    --------
    >>> import weft
    >>> weft.generate("k_ary_n_tree", k=4, n=3).host_count
    64
    >>> weft.generate("torus", extents=[4, 4, 4], hosts_per_switch=1).switch_count
    64
    """
    texts = {name: _text(name, value) for name, value in parameters.items()}
    return _core.generate(topology, texts)


def _text(name: str, value: object) -> str:
    """Write a parameter's value as it stands on the command line."""
    if isinstance(value, (str, Integral)) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, Sequence):
        return "x".join(_text(name, entry) for entry in value)
    message = f"{name} is {value!r}; expected a text, a whole number or a list of them"
    raise FabricError(message)
