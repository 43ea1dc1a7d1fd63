"""What is drawn of a fabric: where its switches stand, what they are called, what joins them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft import _core
from weft.explore.beside import NOTHING
from weft.explore.bowed_rows import bowed
from weft.explore.switch_links import cable_ends, is_cable
from weft.fabric import fabric_levels
from weft.fabric.chassis import chassis_of
from weft.hardware import hardware_presets, suited_preset
from weft.plots.layout import layout
from weft.routing import algorithms
from weft.workload import patterns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.explore.beside import Beside
    from weft.fabric import Fabric
    from weft.routing import Routing

__all__ = ["is_answered", "offered_routings", "scene"]

#: Lanes of the routings that are offered where none are named.
_LANES = 8
#: What a page begins with: tables that are made at once and proved; by its top where it is a tree.
_FIRST_OF_TREES = "down_preferred:root=tops"
_FIRST = "down_preferred"
#: Digits of positions after the point.
_DIGITS = 2


def offered_routings(fabric: Fabric) -> list[str]:
    """Return the routings that can be picked where none are named, the one of the start first."""
    is_tree = bool((fabric_levels(fabric) >= 0).all())
    first = _FIRST_OF_TREES if is_tree else _FIRST
    sets = [_core.default_routings(name, _LANES) for name in ("advised", "audited", "compared")]
    offered = [first, *(routing for names in sets for routing in names)]
    return list(dict.fromkeys(offered))


def is_answered(routing: str) -> bool:
    """Return whether a name is that of a routing which the page makes by itself."""
    name = routing.partition(":")[0]
    return any(name == algorithm["name"] for algorithm in _core.algorithms())


def scene(
    fabric: Fabric, routings: Sequence[str | Routing] = (), beside: Beside = NOTHING
) -> dict[str, Any]:
    """Tell what is drawn of a fabric; the reference describes every member.

    Parameters
    ----------
    fabric : Fabric
        The network.
    routings : sequence of str or Routing
        The routings that can be picked, before those that are offered for any fabric: as on the
        command line, or routes that are given.
    beside : Beside
        What else is shown: what the drawing can be coloured by, what has failed, jobs that ran.

    Returns
    -------
    dict
        What JSON can hold: switches, hosts, cables and chassis as columns, a list a member.
        Positions are CSS pixels, y downwards. A cable is a link between switches; questions know
        switches, hosts and cables by their places in the columns.

    Examples
    --------
    >>> import weft
    >>> from weft.explore import scene
    >>> scene(weft.torus(3, 3))["cables"]["a"][:3]
    [0, 0, 1]
    """
    given = [one if isinstance(one, str) else one.label for one in routings]
    names = list(dict.fromkeys([*given, *offered_routings(fabric)]))
    drawn = layout(fabric)
    positions = drawn.positions
    if drawn.kind == "grid":
        joined = [(one, other) for one, _, other, _ in cable_ends(fabric)]
        positions = bowed(positions, joined, drawn.spacing)
    places = np.round(positions, _DIGITS)
    chassis = chassis_of(fabric)
    known = sorted({one.name for one in chassis if one is not None})
    number = {name: place for place, name in enumerate(known)}
    in_chassis = [None if one is None else number[one.name] for one in chassis]
    middles = [
        places[[place for place, own in enumerate(in_chassis) if own == one]].mean(axis=0)
        for one in range(len(known))
    ]
    hosts = np.bincount(fabric.host_switch, minlength=fabric.switch_count)
    return {
        "format": "weft-scene",
        "version": 1,
        "name": fabric.name,
        "kind": drawn.kind,
        "hardware": suited_preset(fabric),
        "switches": {
            "name": fabric.switch_names,
            "x": places[:, 0].tolist(),
            "y": places[:, 1].tolist(),
            "level": [None if one < 0 else one for one in fabric_levels(fabric).tolist()],
            "chassis": in_chassis,
            "hosts": hosts.tolist(),
        },
        "hosts": {
            "name": fabric.host_names,
            "switch": fabric.host_switch.tolist(),
            "service": [reason is not None for reason in fabric.host_service],
        },
        "cables": _cables(fabric),
        "chassis": [
            {"name": name, "x": round(float(x), _DIGITS), "y": round(float(y), _DIGITS)}
            for name, (x, y) in zip(known, middles, strict=True)
        ],
        "routings": [{"name": name, "words": _words(name)} for name in names],
        "patterns": [{"name": name, "words": words} for name, words in _patterns(beside)],
        "presets": [{"name": one.name, "words": one.summary} for one in hardware_presets()],
        "layers": [layer.columns() for layer in beside.layers],
        "start": {
            "failed_cables": list(beside.failed_cables),
            "failed_switches": list(beside.failed_switches),
        },
        "recording": None if beside.recording is None else beside.recording.columns(),
    }


def _patterns(beside: Beside) -> list[tuple[str, str]]:
    """Return the patterns that can be picked: those that are given, then all that read no file."""
    titles = {pattern.name: pattern.title for pattern in patterns()}
    given = [one.pattern for one in beside.patterns]
    plain = [
        pattern.name
        for pattern in patterns()
        if all(parameter.default is not None for parameter in pattern.parameters)
    ]
    names = dict.fromkeys([*given, *plain])
    return [(name, titles.get(name.partition(":")[0], name)) for name in names]


def _cables(fabric: Fabric) -> dict[str, list[Any]]:
    """Return the links between switches, in the fabric's order."""
    ends = cable_ends(fabric)
    rates = fabric.link_gbit_per_s()[is_cable(fabric)]
    return {
        "a": [one for one, *_ in ends],
        "b": [other for _, _, other, _ in ends],
        "port_a": [str(port) for _, port, *_ in ends],
        "port_b": [str(port) for *_, port in ends],
        "gbit_per_s": [None if np.isnan(rate) else float(rate) for rate in rates],
    }


def _words(routing: str) -> str:
    """Name a routing for people."""
    name, _, given = routing.partition(":")
    titles = {algorithm.name: algorithm.title for algorithm in algorithms()}
    title = titles.get(name, name)
    return f"{title} ({given})" if given else title
