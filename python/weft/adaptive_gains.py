"""What adaptive tables gain over static ones, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft._numbers import in_percent, in_ranges
from weft.audit import best_static_name
from weft.shares import uses_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weft.adaptive import GroupsJudged
    from weft.audit import Audit, Judgement

__all__ = [
    "Carried",
    "best_static",
    "gains_in_words",
    "gains_of_today",
    "levels_in_words",
    "static_names",
]

_EQUAL_WITHIN = 0.03  #: Figures closer than this are called equal.
#: Engines of subnet managers that make such groups themselves.
_ENGINES = ("ar_updn", "ar_ftree")


@dataclass(frozen=True, slots=True)
class Carried:
    """What adaptive tables carry by simulation, beside static ones."""

    load: float  #: The largest throughput, as a share of the rate of hosts
    #: The same of the static tables; None where these were not simulated
    static_load: float | None = None
    out_of_order_share: float | None = None  #: Packets that arrive out of order; None if not told


def static_names(lanes: Iterable[int], judged: Iterable[str]) -> list[str]:
    """Name the best static tables on each of several numbers of lanes that are not judged yet."""
    there = set(judged)
    names = (best_static_name(taken) for taken in sorted(set(lanes)))
    return [name for name in names if name not in there]


def best_static(judged: Iterable[Judgement], lanes: int) -> Judgement | None:
    """Return the sound static tables on no more than so many lanes that carry most all to all.

    Among equals those by which pairs get most in random halves; None without any.
    """

    def carried(one: Judgement) -> tuple[float, float]:
        return one.uniform_share or 0.0, one.bisection.mean if one.bisection else 0.0

    static = (
        one
        for one in judged
        if one.groups is None
        and one.is_sound
        and one.findings is not None
        and one.findings.lane_count <= lanes
    )
    return max(static, key=carried, default=None)


def levels_in_words(groups: GroupsJudged) -> str:
    """Say which service levels may be adaptive, in a sentence."""
    may_choose = groups.may_choose
    if may_choose is None:
        return "No service level may be adaptive: packets can deadlock even if none choose."
    if not may_choose:
        return "No service level may be adaptive: packets that choose can deadlock."
    numbers = in_ranges(may_choose)
    levels = f"Service level{'s' if len(may_choose) > 1 else ''} {numbers} may be adaptive"
    others = sorted({level for one in groups.levels for level in one.levels} - set(may_choose))
    if not others:
        return f"{levels}: whatever packets choose, none can deadlock."
    return (
        f"{levels}, {in_ranges(others)} not: if packets of these choose too, some can deadlock or"
        " do not arrive."
    )


def gains_in_words(
    adaptive: Judgement,
    static: Judgement | None,
    today: Judgement | None = None,
    carried: Carried | None = None,
) -> list[str]:
    """Say what sound adaptive tables gain over static ones, and what to load, a fact a line.

    Parameters
    ----------
    adaptive : Judgement
        Tables whose switches choose among groups.
    static : Judgement or None
        The best static tables on as many lanes; None where none were judged.
    today : Judgement, optional
        The tables in use, where they are neither of the two.
    carried : Carried, optional
        What they carry by simulation.
    """
    groups = adaptive.groups
    if groups is None:
        return []
    lines = [levels_in_words(groups)]
    if not adaptive.is_sound:
        return lines
    if static is not None:
        named = f"{static.routing}, the best static tables on as many lanes"
        lines.append(_beside(adaptive, static, named))
    if today is not None and today.findings is not None:
        lines.append(_beside(adaptive, today, "those of today"))
    if adaptive.by_use:
        lines.append(uses_in_words(adaptive.by_use))
    if carried is not None:
        lines.append(_simulated(adaptive, static, carried))
    if static is not None:
        lines.append(_what_to_load(adaptive, groups, static))
    return lines


def gains_of_today(found: Audit) -> list[str]:
    """Say what of the routing in use may choose, what that gains, and what to load, a fact a line.

    Empty where its switches do not choose among groups of ports.
    """
    today = found.today
    if today is None or today.groups is None:
        return []
    return gains_in_words(today, best_static(found.alternatives, today.groups.lane_count))


def _figures(judged: Judgement) -> list[tuple[str, float | None]]:
    """Return what hosts get under each kind of traffic, as a share of their rate."""
    return [
        ("all to all", judged.uniform_share),
        ("in random halves", judged.bisection.mean if judged.bisection else None),
        ("in shifts", judged.shifts.mean if judged.shifts else None),
        ("by the matrix", judged.matrix_share),
    ]


def _both(adaptive: Judgement, other: Judgement) -> list[tuple[str, float, float]]:
    """Return the figures that both have, those of the second above 0."""
    pairs = zip(_figures(adaptive), _figures(other), strict=True)
    return [(what, one, two) for (what, one), (_, two) in pairs if one is not None and two]


def _beside(adaptive: Judgement, other: Judgement, named: str) -> str:
    both = _both(adaptive, other)
    gives = ", ".join(f"{in_percent(one)} {what}" for what, one, _ in both)
    instead = ", ".join(in_percent(two) for _, _, two in both)
    times = ", ".join(f"{one / two:.2f}" for _, one, two in both)
    return (
        f"If its groups are used evenly {adaptive.routing} gives hosts {gives} of their rate;"
        f" {named}, {instead}: {times} times as much."
    )


def _simulated(adaptive: Judgement, static: Judgement | None, carried: Carried) -> str:
    gain = order = ""
    if static is not None and carried.static_load:
        times = carried.load / carried.static_load
        gain = f", {times:.2f} times what {static.routing} carries"
    if carried.out_of_order_share is not None:
        share = in_percent(carried.out_of_order_share)
        order = f"; {share} of its packets arrive out of order"
    return f"Simulated, {adaptive.routing} carries {in_percent(carried.load)}{gain}{order}."


def _what_to_load(adaptive: Judgement, groups: GroupsJudged, static: Judgement) -> str:
    both = _both(adaptive, static)
    more = [what for what, one, two in both if one > (1 + _EQUAL_WITHIN) * two]
    less = [what for what, one, two in both if one < (1 - _EQUAL_WITHIN) * two]
    load = _loading(adaptive.routing, groups)
    if more and not less:
        return f"Load the groups: {load}."
    if more:
        return (
            f"For traffic {_listed(more)} load the groups: {load}; {_listed(less)}"
            f" {static.routing} gives more, and keeps packets in order."
        )
    if less:
        return f"Load {static.routing}: it gives more, and keeps packets in order."
    return f"Load {static.routing}: groups give no more, and packets overtake one another."


def _loading(label: str, groups: GroupsJudged) -> str:
    """Say how groups come into switches."""
    mask = sum(1 << level for level in groups.may_choose or [])
    engine, _, parameters = label.partition(":")
    if engine in _ENGINES:
        line = f"routing_engine {engine} and ar_sl_mask 0x{mask:04x} in the manager's configuration"
        return f"{line} ({parameters})" if parameters else line
    if engine == "adaptive":
        return "no manager makes them itself"
    return f"they are in use, with ar_sl_mask 0x{mask:04x} in the manager's configuration"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
