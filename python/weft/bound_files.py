"""Bounds of loads as files: a certificate that others can check."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from weft import _core
from weft._core import LoadBound
from weft._files import read_json, write_text
from weft.errors import FormatError, RoutingError
from weft.proof import refuse_file, require_fabric

if TYPE_CHECKING:
    from weft._core import Fabric

__all__ = [
    "check_load_bound",
    "is_load_bound",
    "load_bound_of",
    "read_load_bound",
    "write_load_bound",
]

_FORMAT = "weft-load-bound"
_MOST_WEIGHT = 2**32 - 1


def check_load_bound(fabric: Fabric, bound: LoadBound) -> None:
    """Check in one pass that the weights of a bound show its load, by a program of its own.

    A route is as long as the weights of its channels. What all routes are together at least as long
    as, over the sum of all weights, is a load that some channel carries.

    Parameters
    ----------
    fabric : Fabric
        The network.
    bound : LoadBound
        A bound for one route between every two hosts, from :func:`load_bound` or
        :func:`read_load_bound`.

    Raises
    ------
    RoutingError
        Says what the weights show instead.
    """
    _core.check_load_bound(fabric, bound)


def write_load_bound(fabric: Fabric, bound: LoadBound, path: str | os.PathLike[str]) -> None:
    """Write a bound to a file (JSON), whole or not at all.

    Parameters
    ----------
    fabric : Fabric
        The network.
    bound : LoadBound
        The bound, for one route between every two hosts.
    path : path-like
        File to write; an existing one is replaced.

    Raises
    ------
    EnvironmentFailure
        When the machine does not let it be written.
    RoutingError
        When the weights do not show the load, as those of a bound for other weights of pairs.
    """
    check_load_bound(fabric, bound)
    weights = enumerate(bound.weights.tolist())
    document: dict[str, Any] = {
        "format": _FORMAT,
        "fabric": fabric.name,
        "fingerprint": f"{fabric.fingerprint:016x}",
        "routes": bound.routes,
        "load": bound.load,
        "channels": [
            {"channel": channel, "weight": weight, "name": fabric.describe_channel(channel)}
            for channel, weight in weights
            if weight
        ],
    }
    if bound.one_lane is not None:
        stop_cost, circles = bound.one_lane
        document["one_lane"] = {
            "stop_cost": stop_cost,
            "circles": [{"channels": channels, "price": price} for channels, price in circles],
        }
    write_text(path, json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def is_load_bound(document: Any) -> bool:  # noqa: ANN401 - any JSON
    """Tell whether a JSON document is said to be a bound."""
    return isinstance(document, dict) and document.get("format") == _FORMAT


def read_load_bound(fabric: Fabric, path: str | os.PathLike[str]) -> LoadBound:
    """Read a bound from a file that :func:`write_load_bound` or ``weft route`` wrote.

    Parameters
    ----------
    fabric : Fabric
        The network it is of.
    path : path-like
        The file.

    Returns
    -------
    LoadBound
        The bound; whether it holds, :func:`check_load_bound` tells.

    Raises
    ------
    FormatError
        When the file is damaged, of another kind or of another fabric.
    InputError
        When there is no such file.
    """
    return load_bound_of(fabric, read_json(path, "a bound of loads"), path)


def load_bound_of(
    fabric: Fabric,
    document: Any,  # noqa: ANN401 - any JSON
    path: str | os.PathLike[str],
) -> LoadBound:
    """Return the bound that a file holds; errors are those of `read_load_bound`."""
    if not is_load_bound(document):
        expected = "a bound as weft route --bound writes it"
        refuse_file(path, f"no “format” {_FORMAT}", expected)
    require_fabric(fabric, document, path, "a bound", "find that of this fabric anew")
    load = document.get("load")
    if not _is_whole(load, 2**64 - 1):
        refuse_file(path, f"{_short(load)} for “load”", "a whole number of routes")
    entries = document.get("channels")
    if not isinstance(entries, list):
        refuse_file(path, "no “channels”", "a list of channels with their weights")
    weights = [0] * fabric.channel_count
    seen: set[int] = set()
    for number, entry in enumerate(entries):
        taken = entry if isinstance(entry, dict) else {}
        channel: Any = taken.get("channel")
        weight: Any = taken.get("weight")
        if not (_is_whole(channel, fabric.channel_count - 1) and _is_whole(weight, _MOST_WEIGHT)):
            refuse_file(
                path,
                f"{_short(entry)} as entry {number}",
                f"“channel” from 0 to {fabric.channel_count - 1} and “weight”, whole numbers",
            )
        if channel in seen:
            refuse_file(path, f"channel {channel} twice", "each once")
        seen.add(channel)
        weights[channel] = weight
    one_lane = _one_lane_of(fabric, document.get("one_lane"), path)
    try:
        return LoadBound(str(document.get("routes")), load, weights, one_lane)
    except RoutingError as error:
        message = f"{os.fspath(path)}: {error}"
        raise FormatError(message) from error


def _one_lane_of(
    fabric: Fabric,
    found: Any,  # noqa: ANN401 - any JSON
    path: str | os.PathLike[str],
) -> tuple[int | None, list[tuple[list[int], int]]] | None:
    """Return what a file shows more of one lane; None where it tells nothing of it."""
    if found is None:
        return None
    taken = found if isinstance(found, dict) else {}
    stop_cost: Any = taken.get("stop_cost")
    entries = taken.get("circles")
    is_cost = stop_cost is None or _is_whole(stop_cost, _MOST_WEIGHT)
    if not is_cost or not isinstance(entries, list):
        expected = "“stop_cost”, a whole number or null, and “circles”, a list"
        refuse_file(path, f"{_short(found)} for “one_lane”", expected)
    circles: list[tuple[list[int], int]] = []
    for number, entry in enumerate(entries):
        taken = entry if isinstance(entry, dict) else {}
        channels: Any = taken.get("channels")
        price: Any = taken.get("price")
        are_known = isinstance(channels, list) and all(
            _is_whole(channel, fabric.channel_count - 1) for channel in channels
        )
        if not (are_known and _is_whole(price, 2**64 - 1)):
            refuse_file(
                path,
                f"{_short(entry)} as circle {number}",
                f"“channels” from 0 to {fabric.channel_count - 1} and “price”, whole numbers",
            )
        circles.append((channels, price))
    return stop_cost, circles


def _is_whole(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _short(value: object) -> str:
    """Return a value of the file as JSON, its first characters."""
    return json.dumps(value, ensure_ascii=False)[:60]
