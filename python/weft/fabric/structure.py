"""What the switches of a fabric form beyond levels: groups, or a projective plane."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from weft import _core

if TYPE_CHECKING:
    from weft._core import Fabric

__all__ = ["Structure", "fabric_structure"]


@dataclass(frozen=True, slots=True)
class Structure:
    """What the switches of a fabric form beyond levels.

    A dragonfly+ has groups of leaves and spines, most of which are joined by links of their spines.
    The switches of a PolarFly are the points of a projective plane: every two reach each other by
    one way of two links or less.
    """

    kind: Literal["dragonfly_plus", "polar_fly"]  #: What it is, by the name of the topology
    #: Names of the switches of each group: leaves, then spines; of a PolarFly that lacks no link
    #: those with a link less than others, then the clusters around the neighbours of the first of
    #: these, each from its centre on
    groups: list[list[str]]
    spines: list[int] = field(default_factory=list)  #: Spines of each group; of a dragonfly+
    joined_pairs: int | None = None  #: Pairs of groups that links join; of a dragonfly+
    #: The fewest and the most links of such a pair; of a dragonfly+
    links_of_pair: tuple[int, int] | None = None
    order: int | None = None  #: q, of q² + q + 1 switches; of a PolarFly
    missing_links: int | None = None  #: Links that are not there; of a PolarFly

    @property
    def text(self) -> str:
        """The structure in words."""
        if self.kind == "polar_fly":
            order, missing = self.order or 0, self.missing_links or 0
            lacks = f", {missing} {'link' if missing == 1 else 'links'} missing" if missing else ""
            return (
                f"PolarFly of order {order}: {order * order + order + 1} switches of"
                f" {order} or {order + 1} links{lacks}"
            )
        leaves = [
            len(group) - spines for group, spines in zip(self.groups, self.spines, strict=True)
        ]
        count = len(self.groups)
        pairs, joined = count * (count - 1) // 2, self.joined_pairs or 0
        which = "every two groups" if joined == pairs else f"{joined} of {pairs} pairs of groups"
        links = _between(*(self.links_of_pair or (0, 0)))
        joins = "link joins" if links == "1" else "links join"
        return (
            f"dragonfly+: {count} groups of {_between(min(leaves), max(leaves))} leaves and"
            f" {_between(min(self.spines), max(self.spines))} spines; {links} {joins} {which}"
        )


def _between(fewest: int, most: int) -> str:
    return str(fewest) if fewest == most else f"{fewest} to {most}"


def fabric_structure(fabric: Fabric) -> Structure | None:
    """Tell what the switches of a fabric form beyond levels: a dragonfly+ or a PolarFly.

    Some links may be missing: of a dragonfly+ those of a quarter of the pairs of groups, of a
    PolarFly one in twenty.

    Parameters
    ----------
    fabric : Fabric
        The network.

    Examples
    --------
    >>> import weft
    >>> print(weft.fabric.fabric_structure(weft.generate("polar_fly", q=5)).text)
    PolarFly of order 5: 31 switches of 5 or 6 links
    """
    found = _core.fabric_structure(fabric)
    if found is None:
        return None
    names = fabric.switch_names
    groups = [[names[switch] for switch in group] for group in found.pop("groups")]
    return Structure(groups=groups, **found)
