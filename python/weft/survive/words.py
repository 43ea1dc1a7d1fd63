"""Failures in words: how many parts fail, in which order entries are set, what is carried."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft._numbers import MISSING, with_half_width

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.prediction import CarriedLoad
    from weft.survive.records import FailureParts, Survival

__all__ = ["counts_text", "order_text", "percent_carried"]

_SINGLE = {"cables": "cable", "switches": "switch", "cards": "card", "chassis": "chassis"}


def counts_text(counts: Mapping[FailureParts, int]) -> str:
    """Write how many parts of each kind may fail: ``12 cables, 2 cards and 1 chassis``."""
    words = [f"{count:,} {kind if count > 1 else _SINGLE[kind]}" for kind, count in counts.items()]
    return " and ".join([*[", ".join(words[:-1])][: len(words) - 1], words[-1]])


def order_text(one: Survival) -> str:
    """Write in which order entries are set after a failure."""
    if one.load is None:
        return "routed anew" if one.anew else "no repair"
    if one.cleared_destinations:
        return f"{one.cleared_destinations:,} cleared first"
    return f"{one.last_destinations:,} last" if one.last_destinations else "any"


def percent_carried(carried: CarriedLoad | None) -> str:
    """Write what is carried, in percent of the hosts' rate, with its interval."""
    if carried is None:
        return MISSING
    return f"{with_half_width(100 * carried.load, 100 * carried.half_width)} %"
