"""A fabric without some of its links, switches and hosts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft import _core
from weft.errors import FabricError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._core import Fabric

__all__ = ["DegradedFabric", "degrade"]

_HIGHEST_SEED = 2**64 - 1


@dataclass(frozen=True, slots=True)
class DegradedFabric:
    """A fabric after failures, with names and ports as they were, and the record of what failed.

    Failed are links (both ends as ``switch:port``), switches and hosts that were to fail; links of
    failed switches and hosts are not listed. Hosts were cut off when their link or switch failed.
    What was sound and not kept, because it lies outside the largest part, was left out.
    """

    fabric: Fabric
    failed_links: list[tuple[str, str]]
    failed_switches: list[str]
    failed_hosts: list[str]
    cut_off_hosts: list[str]
    left_out_switches: list[str]
    left_out_hosts: list[str]


def degrade(
    fabric: Fabric,
    *,
    links: str | Sequence[str] = (),
    switches: str | Sequence[str] = (),
    hosts: str | Sequence[str] = (),
    seed: int = 1,
    keep_largest: bool = False,
) -> DegradedFabric:
    """Take links, switches and hosts away, and with them what cannot stand without.

    Parts are chosen by name, or as a share of all such as ``"2%"``, drawn by the seed; both may be
    given. A link is named by a switch and a port as ``"leaf01:17"``; a share of links is one of
    those between switches. A switch takes its links and hosts along. Under one seed the parts drawn
    for a smaller share are among those drawn for a larger one.

    When the fabric falls into parts, all stay, and routing refuses a fabric with hosts in several;
    `keep_largest` keeps the part with most hosts. A part that is not there (the nearest name is
    suggested), or no switch left, is a `FabricError`.

    Examples
    --------
    >>> import weft
    >>> torus = weft.torus(8, 8)
    >>> [len(weft.degrade(torus, links=f"{n}%").failed_links) for n in (1, 2, 5)]
    [1, 3, 6]
    >>> weft.degrade(torus, switches=["sw9"]).cut_off_hosts
    ['host9']
    """
    if not 0 <= seed <= _HIGHEST_SEED:
        message = f"seed is {seed}; expected a whole number from 0 to {_HIGHEST_SEED}"
        raise FabricError(message)
    record = _core.degrade_fabric(
        fabric, _texts(links), _texts(switches), _texts(hosts), seed, keep_largest
    )
    return DegradedFabric(**record)


def _texts(chosen: str | Sequence[str]) -> list[str]:
    return [chosen] if isinstance(chosen, str) else list(chosen)
