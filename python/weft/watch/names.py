"""Nodes known by their GUIDs: one that calls itself otherwise is still the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from weft import _core

if TYPE_CHECKING:
    from weft.fabric import Fabric

__all__ = ["Replaced", "named_as", "replaced"]


class Replaced(NamedTuple):
    """A node in the place of another, as a switch that took the name and the cables of one."""

    part: str  #: Its kind and name
    was: str  #: GUID of the one before
    found: str  #: Its own

    def __str__(self) -> str:
        return f"{self.part} with GUID {self.found}"


def replaced(found: Fabric, known: Fabric) -> tuple[Replaced, ...]:
    """Return the nodes that have a name of those known and another GUID.

    OpenSM knows nodes by their GUIDs: tables that name the ones before are none of theirs.
    """
    if found == known:
        return ()
    was = _guids(known)
    both = [(part, was[part], guid) for part, guid in _guids(found).items() if part in was]
    return tuple(Replaced(*one) for one in both if one[1] != one[2])


def _guids(fabric: Fabric) -> dict[str, str]:
    switches = zip(fabric.switch_names, fabric.switch_guids, strict=True)
    hosts = zip(fabric.host_names, fabric.host_guids, strict=True)
    named = {"switch": switches, "host": hosts}
    return {
        f"{kind} {name}": f"0x{guid:016x}"
        for kind, nodes in named.items()
        for name, guid in nodes
        if guid is not None
    }


def named_as(found: Fabric, known: Fabric) -> Fabric:
    """Return a fabric whose nodes have the names that another has for their GUIDs.

    A computer that starts again describes its adapter by other words for a while. A name that
    another node has by now is left.
    """
    names = {*known.switch_names, *known.host_names}
    if names.issuperset(found.switch_names) and names.issuperset(found.host_names):
        return found
    document = json.loads(_core.fabric_text(found, "json"))
    by_guid = {
        node["guid"]: node["name"]
        for node in _nodes(json.loads(_core.fabric_text(known, "json")))
        if "guid" in node
    }
    strangers = [node for node in _nodes(document) if by_guid.get(node.get("guid")) is None]
    taken = {node["name"] for node in strangers}
    renamed = {}
    for node in _nodes(document):
        name = by_guid.get(node.get("guid"), node["name"])
        if name != node["name"] and name not in taken:
            renamed[node["name"]] = node["name"] = name
    if not renamed:
        return found
    for link in document["links"]:
        for end in link["ends"]:
            end[0] = renamed.get(end[0], end[0])
    content = json.dumps(document, ensure_ascii=False).encode()
    return _core.read_fabric(content, found.name, [])[0]


def _nodes(document: dict[str, Any]) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = [*document["switches"], *document["hosts"]]
    return nodes
