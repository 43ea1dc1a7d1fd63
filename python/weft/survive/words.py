"""Failures in words: how many parts fail, in which order entries are set, what is carried."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft._numbers import MISSING, in_percent, with_half_width

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.prediction import CarriedLoad
    from weft.survive.records import (
        Addition,
        FailureParts,
        LoadOfTables,
        Survival,
        Survivals,
        Toll,
    )

__all__ = [
    "addition_text",
    "cable_text",
    "counts_text",
    "order_text",
    "percent_carried",
    "share_texts",
    "toll_texts",
]

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


def share_texts(load: LoadOfTables, *, is_silent: bool) -> list[str]:
    """Write the uniform load and the bisection; missing where nobody is left to send."""
    shares = load.saturation_bound, load.effective_bisection
    return [in_percent(None if is_silent else share) for share in shares]


def cable_text(one: Addition, found: Survivals) -> str:
    """Write a new cable by the ports that it goes into."""
    return " – ".join(found.short_end(end) for end in one.ends)


def toll_texts(toll: Toll) -> list[str]:
    """Write what failures come to together: cut off, not repaired, loads and bisection."""
    return [
        f"{toll.stranded_hosts:,}",
        f"{toll.refused:,}",
        f"{toll.largest_load:,}",
        f"{toll.mean_largest_load:,.1f}",
        in_percent(toll.least_bisection),
    ]


def addition_text(found: Survivals) -> str:
    """Say which new cable to add, and how many were tried of how many there could be."""
    additions = found.additions
    if additions is None or not additions.candidates:
        return "a cable more: none can be added, as no two switches to be joined have free ports"
    tried = f"{len(additions.tried):,} of {additions.candidates:,} tried"
    if not additions.helpful:
        return f"a cable more: none of those tried helps ({tried})"
    best, before = additions.helpful[0], additions.toll
    changes = []
    if best.toll.stranded_hosts < before.stranded_hosts:
        most, least = before.stranded_hosts, best.toll.stranded_hosts
        changes.append(f"cut off over all failures {least:,} hosts for {most:,}")
    if best.toll.refused < before.refused:
        changes.append(f"{best.toll.refused:,} failures without a repair for {before.refused:,}")
    if best.toll.largest_load < before.largest_load:
        changes.append(
            f"largest load after any failure {best.toll.largest_load:,} for {before.largest_load:,}"
        )
    if not changes:
        means = best.toll.mean_largest_load, before.mean_largest_load
        changes.append(f"mean of the largest loads {means[0]:,.1f} for {means[1]:,.1f}")
    missing = ", which looks missing" if best.is_missing else ""
    return f"a cable more: {cable_text(best, found)}{missing}: {'; '.join(changes)} ({tried})"
