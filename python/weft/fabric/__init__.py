"""Networks as wired: generators, files in and out, graph figures.

The type :class:`Fabric` is what every later stage starts from. It knows nothing of routing.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from weft import _core
from weft._core import Fabric
from weft._files import read_bytes, write_text
from weft.errors import FabricError
from weft.fabric.failures import DegradedFabric, degrade
from weft.fabric.graphs import from_networkx, to_networkx
from weft.fabric.inspection import (
    BisectionBounds,
    FabricInspection,
    LevelFigures,
    PortUse,
    Suspicion,
    fabric_levels,
    inspect_fabric,
)

__all__ = [
    "BisectionBounds",
    "DegradedFabric",
    "Fabric",
    "FabricFigures",
    "FabricFile",
    "FabricFormat",
    "FabricInspection",
    "LevelFigures",
    "PortUse",
    "ReadNote",
    "Suspicion",
    "Topology",
    "TopologyParameter",
    "degrade",
    "express_torus",
    "fabric_figures",
    "fabric_formats",
    "fabric_levels",
    "from_networkx",
    "generate",
    "inspect_fabric",
    "irregular",
    "mesh",
    "read_fabric",
    "to_networkx",
    "topologies",
    "torus",
    "write_fabric",
]


def mesh(columns: int, rows: int, hosts_per_switch: int = 1) -> Fabric:
    """Make a two-dimensional mesh.

    Parameters
    ----------
    columns, rows : int
        Switches along x and y, at least 1 each; switch numbers run row by row.
    hosts_per_switch : int
        Hosts on ports 1 to ``hosts_per_switch`` of every switch.

    Returns
    -------
    Fabric

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

    Returns
    -------
    Fabric

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

    Returns
    -------
    Fabric

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

    Returns
    -------
    Fabric

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


@dataclass(frozen=True, slots=True)
class TopologyParameter:
    """A parameter of a topology.

    Attributes
    ----------
    name : str
        Name, as given to :func:`generate`.
    kind : str
        What a value looks like.
    default : str or None
        Value used when none is given; None where one must be.
    example : str
        A value for examples.
    summary : str
        What it decides, in one sentence.
    """

    name: str
    kind: str
    default: str | None
    example: str
    summary: str


@dataclass(frozen=True, slots=True)
class Topology:
    """A topology that can be generated.

    Attributes
    ----------
    name : str
        Name, as given to :func:`generate`.
    title : str
        Name for people.
    summary : str
        What is joined to what.
    source : str
        Paper and section it comes from.
    parameters : list of TopologyParameter
        What can be chosen.
    """

    name: str
    title: str
    summary: str
    source: str
    parameters: list[TopologyParameter]


def topologies() -> list[Topology]:
    """List the topologies that can be generated.

    Returns
    -------
    list of Topology
    """
    return [
        Topology(**{**entry, "parameters": [TopologyParameter(**p) for p in entry["parameters"]]})
        for entry in _core.topologies()
    ]


def generate(topology: str, **parameters: str | int | Sequence[int]) -> Fabric:
    """Make a network of any topology.

    Parameters
    ----------
    topology : str
        Name of a topology; :func:`topologies` lists them.
    **parameters : str, int or sequence of int
        Parameters of the topology by name; a list as ``[4, 4, 2]`` or ``"4x4x2"``.

    Returns
    -------
    Fabric

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
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, Sequence):
        return "x".join(_text(name, entry) for entry in value)
    message = f"{name} is {value!r}; expected a text, a whole number or a list of them"
    raise FabricError(message)


@dataclass(frozen=True, slots=True)
class ReadNote:
    """A line of a file that was read past.

    Attributes
    ----------
    line : int or None
        Number of the line, counted from 1; None where the format has no lines.
    text : str
        The line.
    reason : str
        Why it was read past.
    """

    line: int | None
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class FabricFile:
    """What a file contained.

    Attributes
    ----------
    fabric : Fabric
        The network.
    format : str
        Name of the format found; :func:`fabric_formats` lists them.
    notes : list of ReadNote
        Lines that were read past, in the order of the file.
    """

    fabric: Fabric
    format: str
    notes: list[ReadNote]


def read_fabric(path: str | os.PathLike[str]) -> FabricFile:
    """Read a fabric from a file; the format is found from the content.

    Parameters
    ----------
    path : path-like
        A file in any of the formats that :func:`fabric_formats` lists as read.

    Returns
    -------
    FabricFile

    Raises
    ------
    FormatError
        When the content cannot be read; the text names file, line and column.
    InputError
        When there is no such file.
    EnvironmentFailure
        When the machine does not let the file be read.
    """
    content = read_bytes(path, "a fabric file")
    fabric, format_name, notes = _core.read_fabric(content, os.fspath(path))
    return FabricFile(fabric, format_name, [ReadNote(*note) for note in notes])


def write_fabric(fabric: Fabric, path: str | os.PathLike[str], format: str | None = None) -> str:
    """Write a fabric to a file, whole or not at all.

    Parameters
    ----------
    fabric : Fabric
        The network.
    path : path-like
        File to write; an existing one is replaced.
    format : str or None
        Name of the format; :func:`fabric_formats` lists them and what of a fabric each keeps. When
        None, the end of the path tells: ``.json`` is Weft's own, which keeps everything.

    Returns
    -------
    str
        Name of the format written.

    Raises
    ------
    FormatError
        When the format is unknown (the nearest name is suggested) or cannot hold this fabric.
    EnvironmentFailure
        When the machine does not let the file be written; an existing one is left as it was.
    """
    name = format if format is not None else _core.format_of_path(os.fspath(path))
    write_text(path, _core.fabric_text(fabric, name))
    return name


@dataclass(frozen=True, slots=True)
class FabricFormat:
    """A format of fabric files.

    Attributes
    ----------
    name : str
        Name, as given to :func:`write_fabric`.
    title : str
        Name for people.
    summary : str
        What it is and where such files come from.
    keeps : str
        What of a fabric comes back from a file written in it.
    extensions : list of str
        Ends of the names of its files, without the dot, the usual one first.
    reads, writes : bool
        Whether fabrics are read from it and written in it.
    """

    name: str
    title: str
    summary: str
    keeps: str
    extensions: list[str]
    reads: bool
    writes: bool


def fabric_formats() -> list[FabricFormat]:
    """List the formats of fabric files.

    Returns
    -------
    list of FabricFormat

    Examples
    --------
    >>> import weft
    >>> [entry.name for entry in weft.fabric_formats() if "json" in entry.extensions]
    ['json']
    """
    return [FabricFormat(**entry) for entry in _core.fabric_formats()]


@dataclass(frozen=True, slots=True)
class FabricFigures:
    """Figures of a fabric as a graph.

    Distances count links between switches. The papers on irregular networks count the switches of
    a path instead, over all ordered pairs, a switch and itself included. Both are None where some
    switch cannot reach another.

    Attributes
    ----------
    switches, hosts, links : int
        Counts; links include those of hosts.
    switch_links : int
        Links with a switch at both ends, cables back to the same switch included.
    host_links : int
        Links of hosts.
    self_links : int
        Links whose ends are two ports of the same switch.
    parallel_links : int
        Links beyond the first between the same two switches.
    components : int
        Parts the switches fall into; 1 when each can reach each.
    diameter_links : int or None
        Largest distance between two switches, in links.
    mean_distance_links : float or None
        Mean distance over ordered pairs of distinct switches, in links; None for one switch.
    mean_path_switches : float or None
        Mean switches on a shortest path, over all ordered pairs of switches.
    max_path_switches : int or None
        Most switches on a shortest path.
    radix_max : int
        Ports of the largest switch, wired or not.
    hosts_per_switch_min, hosts_per_switch_max : int
        Hosts on the switch with fewest and with most.
    hosts_per_switch_mean : float
        Hosts per switch on average.
    rates : dict of str to int
        Links by rate, written as ``4xHDR``; links of unknown rate are left out.
    """

    switches: int
    hosts: int
    links: int
    switch_links: int
    host_links: int
    self_links: int
    parallel_links: int
    components: int
    diameter_links: int | None
    mean_distance_links: float | None
    mean_path_switches: float | None
    max_path_switches: int | None
    radix_max: int
    hosts_per_switch_min: int
    hosts_per_switch_max: int
    hosts_per_switch_mean: float
    rates: dict[str, int]


def fabric_figures(fabric: Fabric) -> FabricFigures:
    """Compute the figures of a fabric.

    Parameters
    ----------
    fabric : Fabric
        The network.

    Returns
    -------
    FabricFigures
    """
    return FabricFigures(**_core.fabric_figures(fabric))
