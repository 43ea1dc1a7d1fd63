"""Bounds of loads that commands write as certificates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.bound_files import write_load_bound
from weft.cli.options import WRITTEN, option
from weft.errors import RoutingError
from weft.load_gap import are_links_alike, leads_between_switches

if TYPE_CHECKING:
    from pathlib import Path

    from weft._core import Fabric, LoadBound

__all__ = ["bound_option", "bounded_at", "refuse_unbounded", "write_bound"]


def bound_option() -> Any:  # noqa: ANN401 - as `argument`
    """Describe ``--bound``."""
    return option(
        "Write the load that none is below to this file (JSON), with the weights of channels"
        " that show it, for `weft prove --check`; searched for up to a minute, not a second.",
        "--bound",
        type=WRITTEN,
    )


def refuse_unbounded(fabric: Fabric, path: Path | None) -> None:
    """Refuse to write what routings are compared with where there is nothing, before they are made.

    Raises
    ------
    RoutingError
        When a path is given and routes over a channel do not tell how full it is, as links have
        several rates, or no route leads from switch to switch.
    """
    if path is None:
        return
    if not are_links_alike(fabric):
        message = (
            f"{path}: links have several rates, so routings are not set beside a bound of routes;"
            " weft route --bound writes what there is of one"
        )
        raise RoutingError(message)
    if not leads_between_switches(fabric):
        raise RoutingError(_nothing_to_bound(path))


def _nothing_to_bound(path: Path) -> str:
    return f"{path}: no route leads from switch to switch, so there is no load to bound"


def bounded_at(bound: LoadBound | None) -> int | None:
    """Return the load that a document tells none is below; None without a bound."""
    return None if bound is None else bound.load


def write_bound(fabric: Fabric, bound: LoadBound | None, path: Path) -> None:
    """Write a bound of routes between switches, if there are any.

    Raises
    ------
    EnvironmentFailure
        When the machine does not let it be written.
    RoutingError
        When there is none.
    """
    if bound is None:
        raise RoutingError(_nothing_to_bound(path))
    write_load_bound(fabric, bound, path)
