"""Two fabrics compared: a plan and what was found, or a cluster before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from weft import _core

if TYPE_CHECKING:
    from weft._core import Fabric

__all__ = ["ComparedEnd", "FabricChange", "FabricDiff", "diff_fabrics"]


@dataclass(frozen=True, slots=True)
class ComparedEnd:
    """An end of a cable: a port of a node in the one fabric and in the other."""

    planned: str | None  #: Name of the node in the first fabric; None where that lacks it
    found: str | None  #: Name of the node in the second
    port: int  #: The port

    @property
    def text(self) -> str:
        """The end in words, as ``leaf1 port 7``, and both names where they differ."""
        name = self.planned if self.planned is not None else self.found
        other = "" if self.found in (None, name) else f" (found as {self.found})"
        return f"{name}{other} port {self.port}"


@dataclass(frozen=True, slots=True)
class FabricChange:
    """Something in which a fabric differs from another.

    Attributes
    ----------
    kind : str
        ``"missing_switch"``, ``"missing_host"``, ``"added_switch"``, ``"added_host"``: a node that
        one of the fabrics lacks, with all its cables. ``"missing"``: a cable that the second lacks.
        ``"swapped"``: two cables that have exchanged an end. ``"moved"``: a cable of which one end
        is where it was and the other elsewhere. ``"added"``: a cable that the first lacks.
        ``"slower"``, ``"faster"``: a cable of another rate.
    planned : list of tuple
        The cables as the first fabric has them, a :class:`ComparedEnd` for each end.
    found : list of tuple
        The cables as the second has them; of a moved one the end that stayed comes first.
    node : str or None
        The node that is missing or added.
    planned_rate, found_rate : str or None
        Rates, written as ``4xHDR``.
    """

    kind: Literal[
        "missing_switch",
        "missing_host",
        "added_switch",
        "added_host",
        "missing",
        "swapped",
        "moved",
        "added",
        "slower",
        "faster",
    ]
    planned: list[tuple[ComparedEnd, ComparedEnd]]
    found: list[tuple[ComparedEnd, ComparedEnd]]
    node: str | None = None
    planned_rate: str | None = None
    found_rate: str | None = None

    @property
    def text(self) -> str:
        """The change as a sentence to read out in the machine room."""
        match self.kind:
            case "missing":
                return f"missing: the cable from {_cable(self.planned[0])}"
            case "added":
                return f"added: a cable from {_cable(self.found[0])}"
            case "swapped":
                found = ", and the one from ".join(map(_cable, self.found))
                planned = " and ".join(map(_cable, self.planned))
                return f"swapped: the cable from {found}; planned from {planned}"
            case "moved":
                stayed, now = self.found[0]
                return (
                    f"moved: the cable in {stayed.text} leads to {now.text}, "
                    f"planned to {self.planned[0][1].text}"
                )
            case "slower" | "faster":
                return (
                    f"{self.kind}: the cable from {_cable(self.planned[0])} runs at "
                    f"{self.found_rate}, planned {self.planned_rate}"
                )
        what, kind = self.kind.split("_")
        cables = self.planned if what == "missing" else self.found
        text = f"{what}: {kind} {self.node}"
        if len(cables) == 1:
            return f"{text}, with the cable from {_cable(cables[0])}"
        return f"{text}, with {len(cables)} cables"


def _cable(ends: tuple[ComparedEnd, ComparedEnd]) -> str:
    return " to ".join(end.text for end in ends)


@dataclass(frozen=True, slots=True)
class FabricDiff:
    """How a fabric differs from another."""

    matched_by_guid: int  #: Nodes found to be the same by their GUID
    matched_by_name: int  #: Others by their name
    matched_by_shape: int  #: Others by their place between these, or in the whole
    #: Switches of the first taken for one of the second by their place alone, though fewer than
    #: half of their cables to switches agree: what is told of these may be another's
    uncertain: list[str]
    same_cables: int  #: Cables in both, at whatever rates
    #: Parts of switches, such as aggregation nodes, where one fabric lists some and the other none,
    #: as plans do: they are no changes
    unlisted_parts: int
    #: What differs: nodes; then cables missing, swapped, moved, added; then rates
    changes: list[FabricChange]


def diff_fabrics(planned: Fabric, found: Fabric) -> FabricDiff:
    """Tell how a fabric differs from a plan, cable by cable.

    Nodes of both are the same when they have the same GUID; else the same name; else when they
    stand in the same place between the others, by the numbers of the ports. Rates are compared
    where both are known.

    Parameters
    ----------
    planned : Fabric
        What is meant to be, or was.
    found : Fabric
        What is.

    Examples
    --------
    >>> import weft
    >>> plan = weft.generate("xgft", m=[18, 14], w=[1, 6])
    >>> found = weft.degrade(plan, links="sw3:19").fabric
    >>> for change in weft.diff_fabrics(plan, found).changes:
    ...     print(change.text)
    missing: the cable from sw3 port 19 to sw14 port 4
    """
    entry = _core.compare_fabrics(planned, found)
    changes = entry.pop("changes")
    for change in changes:
        for name in ("planned", "found"):
            change[name] = [(ComparedEnd(*one), ComparedEnd(*other)) for one, other in change[name]]
    return FabricDiff(**entry, changes=[FabricChange(**change) for change in changes])
