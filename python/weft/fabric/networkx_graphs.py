"""Fabrics as graphs of networkx, and back."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

from weft import _core
from weft._extras import needed

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    import networkx

    from weft._core import Fabric

__all__ = ["from_networkx", "to_networkx"]

_NODE_LINK = "node-link"


def to_networkx(fabric: Fabric) -> networkx.MultiGraph:
    """Give a fabric as a graph of networkx; nothing is lost.

    Parameters
    ----------
    fabric : Fabric
        The network.

    Returns
    -------
    networkx.MultiGraph
        Nodes are named as in the fabric and have the attributes ``kind`` (``"switch"`` or
        ``"host"``), ``ports`` (of switches), ``guid``, ``system_guid``, ``adapter_guid``, ``lid``
        and ``lmc`` where they are known. The key of an edge is the number of its link; its
        attributes are ``link``, ``from``, ``from_port``, ``to``, ``to_port`` and ``rate``. The
        graph has ``name`` and, of a grid, ``grid`` such as ``"4x4"``.

    Raises
    ------
    EnvironmentFailure
        When networkx is not installed.

    Examples
    --------
    >>> import weft
    >>> graph = weft.to_networkx(weft.torus(4, 4, hosts_per_switch=1))
    >>> graph.nodes["sw0"]
    {'kind': 'switch', 'ports': 5}
    >>> graph.edges["sw0", "sw1", 16]["from_port"]
    2
    """
    graphs = _networkx()
    data = json.loads(_core.fabric_text(fabric, _NODE_LINK))
    return graphs.node_link_graph(data, edges="edges")


def from_networkx(graph: networkx.Graph | networkx.MultiGraph) -> Fabric:
    """Make a fabric of an undirected graph of networkx.

    A graph of :func:`to_networkx` comes back as the fabric it was, without what was taken away from
    it meanwhile. In any other, nodes without ``kind`` are switches, and an end without a port takes
    the lowest one that is free, links of hosts first.

    Parameters
    ----------
    graph : networkx.Graph or networkx.MultiGraph
        The graph, with the attributes that :func:`to_networkx` gives, or some of them.

    Raises
    ------
    FormatError
        When the graph is directed or makes no fabric; the text shows the node or edge.

    Warns
    -----
    UserWarning
        When no node says its kind, and for attributes a fabric has no place for.

    Examples
    --------
    >>> import weft
    >>> fabric = weft.torus(4, 4, hosts_per_switch=1)
    >>> graph = weft.to_networkx(fabric)
    >>> weft.from_networkx(graph) == fabric
    True
    >>> graph.remove_edge("sw0", "sw1")
    >>> weft.from_networkx(graph).link_count
    47
    """
    edges: Iterable[tuple[Any, Any, Mapping[Any, object]]] = graph.edges(data=True)
    nodes = [_entry(data, id=_identity(node)) for node, data in graph.nodes(data=True)]
    links = [
        _entry(data, source=_identity(source), target=_identity(target))
        for source, target, data in edges
    ]
    parts = ",\n".join(
        (
            f'"directed": {json.dumps(graph.is_directed())}',
            f'"graph": {_entry(graph.graph)}',
            f'"nodes": [\n{_lines(nodes)}\n]',
            f'"edges": [\n{_lines(links)}\n]',
        )
    )
    content = f"{{{parts}}}".encode()
    fabric, _, notes, _ = _core.read_fabric(content, "graph")
    for _, text, reason in notes:
        warnings.warn(f"{text}: {reason}", stacklevel=2)
    return fabric


def _networkx() -> Any:  # noqa: ANN401 - networkx has no types
    """Import networkx, which is installed only for those who want it."""
    return needed("networkx")


def _identity(node: Hashable) -> object:
    """Return what a node is called in JSON; tuples, as in grids, stay lists."""
    if isinstance(node, tuple):
        return [_plain(part) for part in node]
    return _plain(node)


def _plain(value: object) -> object:
    """Return a value as JSON has it; numbers of numpy and others stand as their text."""
    is_json = value is None or (isinstance(value, (str, int)) and not isinstance(value, bool))
    return value if is_json else str(value)


def _entry(attributes: Mapping[Any, object], **more: object) -> str:
    """Write a node, an edge or the graph as an object of JSON."""
    members = {str(name): _plain(value) for name, value in attributes.items()}
    return json.dumps(members | more)


def _lines(entries: list[str]) -> str:
    """Write entries one a line, so that an error shows the one it is about."""
    return ",\n".join(entries)
