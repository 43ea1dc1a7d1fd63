"""Bounds of loads that commands write as certificates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.bound_files import write_load_bound
from weft.cli.options import WRITTEN, option
from weft.errors import RoutingError
from weft.load_gap import are_links_alike

if TYPE_CHECKING:
    from pathlib import Path

    from weft._core import Fabric, LoadBound

__all__ = ["bound_option", "refuse_rates", "write_bound"]


def bound_option() -> Any:  # noqa: ANN401 - as `argument`
    """Describe ``--bound``."""
    return option(
        "Write the load that none is below to this file (JSON), with the weights of channels"
        " that show it, for `weft prove --check`; searched for up to a minute, not a second.",
        "--bound",
        type=WRITTEN,
    )


def refuse_rates(fabric: Fabric, path: Path | None) -> None:
    """Refuse to write what routings are compared with, where links have several rates.

    Raises
    ------
    RoutingError
        When a path is given and routes over a channel do not tell how full it is.
    """
    if path is not None and not are_links_alike(fabric):
        message = (
            f"{path}: links have several rates, so routings are not set beside a bound of routes;"
            " weft route --bound writes what there is of one"
        )
        raise RoutingError(message)


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
        message = f"{path}: no route leads from switch to switch, so there is no load to bound"
        raise RoutingError(message)
    write_load_bound(fabric, bound, path)
