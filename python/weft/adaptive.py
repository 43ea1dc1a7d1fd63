"""Tables whose switches choose among groups of ports, judged: deadlock, loads, what is of note.

What a switch chooses depends on the moment. A proof therefore holds for all that packets may be
sent by; a load is a mean over even choices, one over draws of a hash, and what a channel carries
if all choose it that can.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from statistics import fmean
from typing import TYPE_CHECKING, Any

from weft import _core
from weft._numbers import in_ranges
from weft.errors import RoutingError
from weft.proof import CycleStep, Proof, proof_of, prove

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._core import Fabric, Routing

__all__ = [
    "GroupFindings",
    "GroupLoads",
    "GroupVerdict",
    "GroupsJudged",
    "LevelJudged",
    "Noted",
    "chooses_among_groups",
    "groups_in_words",
    "judge_groups",
    "mean_routes_by_groups",
]

_DRAWS = 16
_MOST_DRAWN_FLOWS = 10_000_000  #: Flows of all draws together, where nobody says how many draws.
_NAMED = 20
#: Verdicts on tables by which all packets arrive.
_OF_CHANNELS = ("deadlock-free", "deadlock")


@dataclass(frozen=True, slots=True)
class Noted:
    """So many groups or entries, of which the first is named."""

    count: int  #: How many there are
    first: str | None  #: The first: a group of a switch, or a switch, a host and a port to it


@dataclass(frozen=True, slots=True)
class GroupFindings:
    """What is of note of groups and entries for packets of one service level.

    Entries are what a switch knows of an address (LID) of a host elsewhere.
    """

    free_entries: int  #: Entries by which every packet may choose
    hashed_entries: int  #: Entries by which a hash of the flow decides
    static_entries: int  #: Entries that lead by one port
    switches_without_choice: int  #: Switches that choose for no packets of the level
    without_group: Noted  #: Entries that are told to choose but name no group with a port
    farther: Noted  #: Entries with a port that leads to a switch no nearer to the host
    lone: Noted  #: Entries with one port alone, behind which packets are lost if its link fails
    mixed: Noted  #: Groups with ports up and ports down, where the fabric has levels
    unequal: Noted  #: Groups whose links have several rates


@dataclass(frozen=True, slots=True)
class GroupLoads:
    """What channels between switches carry if all hosts send to all others, in routes of pairs."""

    largest: (
        float  #: The most of any, in the mean, where groups are used evenly or by their weights
    )
    mean: float  #: The mean over all channels
    most: int  #: The pairs that may be sent over one channel, the most of any
    flows: int  #: Flows of each pair where a hash decides
    draws: int  #: Draws of hashes; 0 where there are too many pairs to draw unasked
    #: The most of any channel where a hash decides, in the mean over the draws; None without any
    hashed: float | None
    hashed_worst: float | None  #: The same in the worst draw
    unreached_pairs: int  #: Pairs whose packets may be led nowhere, or round and round


@dataclass(frozen=True, slots=True)
class GroupVerdict:
    """Whether packets can deadlock, whatever their switches choose: a proof without its order."""

    verdict: str  #: ``"deadlock-free"``, ``"deadlock"``, ``"unreachable"`` or ``"loop"``
    #: What ascends the order: ``"every way"`` or ``"one way"``; None unless deadlock-free
    rests_on: str | None
    cycle: list[CycleStep]  #: A shortest cycle; empty unless the verdict is ``"deadlock"``
    text: str  #: The verdict in full, for people


@dataclass(frozen=True, slots=True)
class LevelJudged:
    """Packets of service levels that all switches treat alike."""

    levels: list[int]  #: The service levels
    verdict: GroupVerdict  #: Whether these packets alone can deadlock
    unreached: list[str]  #: Pairs that are not reached, the first ones: where and why
    route_loop: str | None  #: A way round that packets may go for ever
    loads: GroupLoads  #: What channels carry
    findings: GroupFindings  #: What is of note


@dataclass(frozen=True, slots=True)
class GroupsJudged:
    """Tables whose switches choose, judged by service level and all together."""

    levels: list[LevelJudged]  #: One for all levels that are treated alike
    together: GroupVerdict  #: Whether packets of all levels together can deadlock
    lane_count: int  #: Lanes that packets take: one more than the highest
    #: Levels whose packets may choose, all at once, while those of others take static ports, so
    #: that all arrive and none can deadlock; None where they can even if none choose
    may_choose: list[int] | None


def chooses_among_groups(routing: Routing) -> bool:
    """Tell whether switches choose among groups of ports, as `judge_groups` judges."""
    return routing.form == "groups of ports"


def judge_groups(
    fabric: Fabric,
    routing: Routing,
    *,
    hosts: Sequence[int] | None = None,
    flows: int = 1,
    draws: int | None = None,
    seed: int = 1,
    proof: Proof | None = None,
) -> GroupsJudged:
    """Judge tables whose switches choose among groups of ports.

    Parameters
    ----------
    fabric : Fabric
        The network.
    routing : Routing
        The tables, such as those of ``ar_updn`` or of ibdiagnet's folder.
    hosts : sequence of int, optional
        Numbers of the hosts that send to one another; all compute ends when not given.
    flows : int
        Flows of each pair where a hash decides, 1 or more.
    draws : int, optional
        Draws of hashes; 16 when not given, fewer on large fabrics, and none where hosts have more
        than 10 million flows.
    seed : int
        What they are drawn by.
    proof : Proof, optional
        What :func:`weft.prove` found of the same tables, which is not found anew then.

    Returns
    -------
    GroupsJudged
        A verdict, loads and what is of note for each class of service levels that switches treat
        alike, and the verdict on all together.

    Raises
    ------
    RoutingError
        When the routing is of another fabric, its switches do not choose among groups, there is no
        such host, or flows or draws are fewer than 1.

    Examples
    --------
    >>> import weft
    >>> tree = weft.generate("k_ary_n_tree", k=4, n=2)
    >>> judged = weft.judge_groups(tree, weft.route(tree, "ar_ftree"))
    >>> judged.together.rests_on, judged.levels[0].loads.largest
    ('every way', 12.0)
    """
    for name, value in (("flows", flows), ("draws", draws)):
        if value is not None and value < 1:
            message = f"found {name} {value}, expected 1 or more"
            raise RoutingError(message)
    classes = _core.service_level_classes(fabric, routing)
    computes = fabric.host_service.count(None) if hosts is None else len(hosts)
    if draws is None:
        of_a_draw = max(1, flows * computes * (computes - 1))
        draws = min(_DRAWS, _MOST_DRAWN_FLOWS // of_a_draw)
    numbers = None if hosts is None else list(hosts)
    between = fabric.is_switch_channel.tolist()
    judged = []
    # All packets together are those of the one class there is; what does not arrive is named below.
    is_known = len(classes) == 1 and proof is not None and proof.verdict in _OF_CHANNELS
    for levels in classes:
        level = levels[0]
        unreached: list[str] = []
        route_loop: str | None = None
        if is_known and proof is not None:
            verdict = _verdict_of(proof)
        else:
            found, unreached, route_loop = _core.group_verdict(fabric, routing, level, _NAMED)
            verdict = _verdict_of(proof_of(found))
        loads = _core.group_loads(fabric, routing, level, numbers)
        mean = list(compress(loads["mean"].tolist(), between))
        most = list(compress(loads["most"].tolist(), between))
        by_hash = _core.hashed_loads(fabric, routing, level, numbers, (flows, draws), seed)
        hashed = [max(compress(of_draw.tolist(), between), default=0.0) for of_draw in by_hash]
        judged.append(
            LevelJudged(
                levels=list(levels),
                verdict=verdict,
                unreached=unreached,
                route_loop=route_loop,
                loads=GroupLoads(
                    largest=max(mean, default=0.0),
                    mean=fmean(mean) if mean else 0.0,
                    most=max(most, default=0),
                    flows=flows,
                    draws=draws,
                    hashed=fmean(hashed) if hashed else None,
                    hashed_worst=max(hashed, default=None),
                    unreached_pairs=loads["unreached_pairs"],
                ),
                findings=_findings(_core.group_findings(fabric, routing, level)),
            )
        )
    if len(judged) == 1:
        together = judged[0].verdict
    else:
        together = _verdict_of(prove(fabric, routing) if proof is None else proof)
    is_free = together.verdict == "deadlock-free"
    if is_free and len(judged) == 1:
        may_choose: list[int] | None = judged[0].levels
    else:
        may_choose = _core.levels_that_may_choose(fabric, routing)
    return GroupsJudged(
        levels=judged, together=together, lane_count=routing.lane_count, may_choose=may_choose
    )


def _verdict_of(proof: Proof) -> GroupVerdict:
    return GroupVerdict(
        verdict=proof.verdict, rests_on=proof.rests_on, cycle=proof.cycle, text=proof.text
    )


def mean_routes_by_groups(
    fabric: Fabric, routing: Routing, hosts: Sequence[int] | None = None
) -> list[float]:
    """Return the routes of pairs over every channel where groups are used evenly.

    Packets have the service level that nobody tells otherwise; all compute ends send to one
    another, or the hosts given. An `RoutingError` says what `judge_groups` does.
    """
    level = _core.service_level_classes(fabric, routing)[0][0]
    loads = _core.group_loads(fabric, routing, level, None if hosts is None else list(hosts))
    mean: list[float] = loads["mean"].tolist()
    return mean


def _findings(found: dict[str, Any]) -> GroupFindings:
    named: dict[str, Any] = {
        name: Noted(*value) if isinstance(value, tuple) else value for name, value in found.items()
    }
    return GroupFindings(**named)


def groups_in_words(judged: GroupsJudged) -> list[str]:
    """Write what holds for packets of each service level, and for all together, one fact a line."""
    lines = [line for level in judged.levels for line in _of_level(level)]
    if len(judged.levels) > 1:
        lines.append(f"all service levels together: {_says(judged.together.verdict)}")
    return lines


def _says(verdict: str) -> str:
    return {
        "deadlock-free": "no packets can deadlock",
        "deadlock": "packets can deadlock",
        "unreachable": "some packets do not arrive",
        "loop": "some packets may go round for ever",
    }[verdict]


def _of_level(level: LevelJudged) -> list[str]:
    numbers = in_ranges(level.levels)
    several = "s" if len(level.levels) > 1 else ""
    loads = level.loads
    rests_on = {
        "every way": ", nor if ports are taken from their groups, as long as one is left",
        "one way": ", as one port that stays open to them leads on wherever they wait",
        None: "",
    }[level.verdict.rests_on]
    by_hash = ""
    if loads.hashed is not None:
        draws = "1 draw" if loads.draws == 1 else f"{loads.draws} draws"
        flows = "1 flow" if loads.flows == 1 else f"{loads.flows} flows"
        by_hash = (
            f" {loads.hashed:,.1f} by a hash of {flows} a pair ({loads.hashed_worst:,.1f} in the"
            f" worst of {draws}),"
        )
    lines = [
        f"service level{several} {numbers}: {_says(level.verdict.verdict)}{rests_on}",
        f"most routes over a channel: {loads.largest:,.1f} if groups are used evenly,{by_hash}"
        f" {loads.most:,} if all choose it that can; mean {loads.mean:,.1f}",
    ]
    if loads.unreached_pairs:
        lines.append(f"{loads.unreached_pairs:,} pairs may not arrive")
    return lines + _of_note(level.findings)


def _of_note(found: GroupFindings) -> list[str]:
    entries = found.free_entries + found.hashed_entries + found.static_entries
    choosing = found.free_entries + found.hashed_entries
    lines = [f"{choosing:,} of {entries:,} entries leave a choice"]
    if found.switches_without_choice:
        lines.append(f"{found.switches_without_choice:,} switches choose for none of these packets")
    told: list[tuple[Noted, str]] = [
        (found.without_group, "entries are told to choose but name no group with a port"),
        (found.farther, "entries have a port that leads no nearer"),
        (
            found.lone,
            "entries have one port alone; if its link fails packets are lost",
        ),
        (found.mixed, "groups have ports up and ports down"),
        (found.unequal, "groups have links of several rates"),
    ]
    for noted, text in told:
        if noted.count:
            lines.append(f"{noted.count:,} {text}, the first: {noted.first}")
    return lines
