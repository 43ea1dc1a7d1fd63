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
    """A fabric after failures, and the record of what failed."""

    fabric: Fabric  #: What is left, with names and ports as they were
    #: Links that were to fail, both ends as ``switch:port``; those of failed switches and hosts are
    #: not listed
    failed_links: list[tuple[str, str]]
    failed_switches: list[str]  #: Switches that were to fail
    failed_hosts: list[str]  #: Hosts that were to fail
    cut_off_hosts: list[str]  #: Other hosts that went because their link or switch failed
    left_out_switches: list[str]  #: Sound switches outside the largest part, not kept
    left_out_hosts: list[str]  #: Sound hosts outside the largest part, not kept


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
    given. Under one seed the parts drawn for a smaller share are among those drawn for a larger
    one.

    Parameters
    ----------
    fabric : Fabric
        The network as it was.
    links : str or sequence of str
        Links: named by a switch and a port as ``"leaf01:17"``, or a share of the links between
        switches.
    switches, hosts : str or sequence of str
        Switches and hosts: named, or a share of all. A switch takes its links and hosts along.
    seed : int
        Selects which parts a share means.
    keep_largest : bool
        Keep the part with most hosts when the fabric falls into parts. Without, all parts stay,
        and routing refuses a fabric with hosts in several.

    Raises
    ------
    FabricError
        When there is no such part (the nearest name is suggested) or no switch would be left.

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
