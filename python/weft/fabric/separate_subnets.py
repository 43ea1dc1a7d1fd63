"""Files that hold several networks: which, and one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft import _core
from weft.errors import InputError

if TYPE_CHECKING:
    from weft._core import Fabric

__all__ = ["numbered_subnet", "one_network", "subnets"]


def subnets(fabric: Fabric) -> list[Fabric]:
    """Return the networks that a fabric consists of, or the fabric alone where it is one.

    Every network has a manager of its own, which numbers its ports from 1: parts that no link
    joins and that share LIDs are two networks; parts with LIDs that share none are one of which a
    part was cut off. Where LIDs are not known, two parts are two networks if most computers with
    several ends have some in each.

    Parameters
    ----------
    fabric : Fabric
        What a file held.

    Examples
    --------
    >>> import weft
    >>> torus = weft.torus(2, 2)
    >>> weft.subnets(torus) == [torus]
    True
    """
    return _core.subnets(fabric)


def one_network(fabric: Fabric, path: object) -> Fabric:
    """Return a fabric that is one network.

    Raises
    ------
    InputError
        When the file at `path` that held it holds several.
    """
    each = subnets(fabric)
    if len(each) == 1:
        return fabric
    listed = "; ".join(
        f"{number}: {network.switch_count} switches ({network.switch_names[0]}, …),"
        f" {network.host_count} hosts"
        for number, network in enumerate(each, start=1)
    )
    message = (
        f"{path}: found {len(each)} networks that no link joins, expected one: {listed}; say which"
        " with --subnet, or subnet = in a study"
    )
    raise InputError(message)


def numbered_subnet(fabric: Fabric, number: int, path: object) -> Fabric:
    """Return one of the networks of a fabric, by its number from 1.

    Raises
    ------
    InputError
        When the file at `path` that held it holds fewer.
    """
    each = subnets(fabric)
    if 1 <= number <= len(each):
        return each[number - 1]
    held = "one network" if len(each) == 1 else f"{len(each)} networks"
    message = f"{path}: found subnet {number}, expected 1 to {len(each)}: the file holds {held}"
    raise InputError(message)
