"""``weft route --repairs``: tables after parts failed, repaired or made anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft.cli.output import picked
from weft.errors import NoRepairError, RoutingError
from weft.load_gap import largest_load
from weft.repair import is_time_to_route_anew, repair, route_anew, table_entries

if TYPE_CHECKING:
    from weft.fabric import Fabric
    from weft.repair import Repair
    from weft.routing import Routing

__all__ = ["Repaired", "repair_document", "repair_pairs", "repaired_or_anew"]


@dataclass(frozen=True)
class Repaired:
    """What became of tables after parts failed."""

    repair: Repair | None  # None where they were routed anew
    refusal: str | None  # why they were
    largest_load: int  # of the tables that are given
    entries_anew: int | None  # of tables routed anew; None where there are none
    largest_load_anew: int | None  # of these

    @property
    def is_time_to_route_anew(self) -> bool:
        """Whether new tables would load their busiest channel much less than repaired ones."""
        if self.largest_load_anew is None:
            return False
        return is_time_to_route_anew(self.largest_load, self.largest_load_anew)


def repaired_or_anew(whole: Fabric, routing: Routing, fabric: Fabric) -> tuple[Routing, Repaired]:
    """Repair tables, or route anew where no repair keeps clear of deadlock.

    A `RoutingError` says why neither can be.
    """
    made, refusal = None, None
    try:
        made = repair(whole, routing, fabric)
    except NoRepairError as error:
        refusal = error
    try:
        anew = route_anew(routing, fabric)
    except RoutingError:
        anew = None
    chosen = made.routing if made else anew
    if chosen is None:
        raise refusal or RoutingError
    most = largest_load(fabric, anew) if anew else None
    return chosen, Repaired(
        repair=made,
        refusal=str(refusal) if refusal else None,
        largest_load=largest_load(fabric, chosen),
        entries_anew=table_entries(fabric, anew) if anew else None,
        largest_load_anew=most,
    )


#: In which order the entries of repaired tables may be set.
_ORDERS = {
    "any": "in any order",
    "in_rounds": "round after round",
    "clear_first": "once all of them are cleared",
}


#: Where packets on old lanes and new entries are not among what is proved.
_RENEWS = " and no host keeps an old service level to those they are for"


def repair_pairs(repaired: Repaired | None) -> dict[str, str]:
    """Return what is said of repaired tables, and of new ones where those are much better."""
    if repaired is None:
        return {}
    made = repaired.repair
    if made is None:
        return {
            "routed anew": f"all {repaired.entries_anew:,} entries change, as {repaired.refusal}"
        }
    pairs = {
        "repaired": (
            f"{made.changed_entries} entries and the lanes of {made.changed_lanes} pairs"
            f" change; entries may be set {_ORDERS[made.order]}{_RENEWS if made.renews else ''}"
        )
    }
    if repaired.is_time_to_route_anew:
        pairs["routing anew"] = (
            f"it is time: the largest load would be {repaired.largest_load_anew:,} routes, and is"
            f" {repaired.largest_load:,}"
        )
    return pairs


def repair_document(repaired: Repaired | None) -> dict[str, Any]:
    """Return the members of a document that tell of repaired tables."""
    if repaired is None:
        return {"repair": None, "anew": None}
    made, anew = repaired.repair, None
    if repaired.largest_load_anew is not None:
        anew = {
            "refusal": repaired.refusal,
            "entries": repaired.entries_anew,
            "largest_load": repaired.largest_load_anew,
            "is_time": repaired.is_time_to_route_anew,
        }
    told = made and picked(made, "changed_entries", "changed_lanes", "order", "renews")
    return {"repair": told, "anew": anew}
