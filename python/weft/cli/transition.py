"""``weft transition``: from old tables to new while hosts go on sending."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from weft._numbers import MISSING, counted, quantity
from weft.cli.fabric_files import EndOptions, fabric_line, load_fabric
from weft.cli.named_types import ROUTING
from weft.cli.options import FILE, Options, argument, command, flag, group, json_flag, option
from weft.cli.output import Column, emit_json, print_pairs, print_table, say, words
from weft.cli.progress import shown_planning
from weft.cli.routing import load_routing
from weft.routing import to_tables
from weft.transition import (
    DEFAULT_LIFETIME,
    plan_transition,
    transition_methods,
    transition_obstructions,
)

if TYPE_CHECKING:
    from pathlib import Path

    from weft.fabric import Fabric
    from weft.routing import Routing
    from weft.transition import (
        BlockedWrite,
        TransitionMethod,
        TransitionObstruction,
        TransitionPhase,
        TransitionPlan,
        TransitionStep,
    )

__all__ = ["transition"]


class _Options(Options):
    fabric: Path = argument(type=FILE)
    ends: EndOptions = group(EndOptions)
    old: str = argument(metavar="OLD", type=ROUTING)
    new: str = argument(metavar="NEW", type=ROUTING)
    before: Path | None = option(
        "OLD routes this fabric, parts of which have failed, or come back, since.",
        metavar="WHOLE",
        type=FILE,
    )
    lifetime: int = option(
        "How long a packet stays in a switch at most: 4.096 µs times 2 to this power, OpenSM's"
        " packet_life_time.",
        type=click.IntRange(0, 19),
        default=DEFAULT_LIFETIME,
        metavar="POWER",
    )
    direct: bool = flag(
        "Each entry is old until it is new: destinations are drained rather than that packets go by"
        " a spanning tree meanwhile, which carries less.",
    )
    as_json: bool = json_flag()


@command(_Options)
def transition(options: _Options) -> None:
    """Plan the way from old tables to new, free of deadlock at every moment.

    OLD and NEW are routings, or files of their tables, as in `weft route`. Entries are written in
    rounds, each in any order and once the one before is done; between phases all packets of before
    leave the network. Where no order of old and new entries is found, packets go by spanning trees
    for a while, in which none wait in a circle; where that does not help either, or `--direct` is
    given, destinations are drained: cleared, and set when there is room. Each plan is checked by
    following every packet through every mixture of old and new. Where switches choose lanes by
    ports, packets meet old lane tables and new ones too while those are written. `meanwhile by`
    tells of the trees, and how many ordered pairs of hosts share a channel then.

    \b
    What is told of a phase:
      does       how many rounds of writes it has, at how many switches lane tables are
                 written, and what hosts are told
      entries    entries that are written or cleared
      blocks     blocks of 64 entries that a subnet manager sends for that, where LIDs are known
      wait       how long packets are on their way at most, before the next phase

    Where destinations are drained, what shows that no order of writes does without is searched and
    checked: writes of which none can be the first of them, or none the last, as each closes a
    circle of waiting packets. `shown impossible` tells how many destinations any plan by old and
    new entries alone drains.

    The methods that are known are told beside it, with the rounds, waits and lanes they take and
    the destinations that they drain, or packets to which may be lost.

    \b
    Examples:
      weft transition net.json updown:selection=first best:lanes=4
      weft transition cluster.ibnetdiscover opensm-lfts.dump tables.json
      weft transition damaged.json old.json new.json --before net.json
    """
    after = load_fabric(options.fabric, options.ends).fabric
    before = after
    if options.before is not None:
        before = load_fabric(options.before, options.ends).fabric
    old, new = _tables(before, options.old), _tables(after, options.new)
    with shown_planning() as progress:
        plan = plan_transition(before, old, after, new, direct=options.direct, progress=progress)
    methods = transition_methods(before, old, after, new)
    shown = None
    if plan.drained and plan.proved_throughout:
        shown = transition_obstructions(plan, before, old, after, new)
    if options.as_json:
        document = _document(after, (old, new), plan, methods, options.lifetime)
        emit_json("transition", document | {"obstructions": _obstructions(after, shown)})
        return
    say(fabric_line(after))
    print_pairs(_pairs(old, new, plan, shown, options.lifetime))
    if plan.phases:
        say()
        print_table(
            _PHASE_COLUMNS,
            [_row(place, phase, plan, options.lifetime) for place, phase in enumerate(plan.phases)],
        )
    say()
    print_table(_METHOD_COLUMNS, [_plan_row(plan, methods), *map(_method_row, methods)])


def _tables(fabric: Fabric, specification: str) -> Routing:
    routing = load_routing(fabric, specification)
    return routing if routing.form == "forwarding tables" else to_tables(fabric, routing, 0)


_LEVELS = {
    "none": "hosts keep what they were told",
    "at_any_time": "hosts may be told new ones at any time, and keep old ones",
    "last": "hosts are told new ones when all entries are written, and may keep old ones",
    "first": "hosts are told new ones first, and none may keep an old one",
    "in_turn": "hosts are told new ones little by little, and none may keep an old one",
}

_PHASE_COLUMNS = [
    Column("phase"),
    *words("does"),
    *(Column(title) for title in ("entries", "blocks", "wait")),
]
_METHOD_COLUMNS = [
    *words("method"),
    *(Column(title) for title in ("rounds", "waits", "drained", "lost", "lanes")),
    *words("deadlock"),
]


def _pairs(
    old: Routing,
    new: Routing,
    plan: TransitionPlan,
    shown: list[TransitionObstruction] | None,
    lifetime: int,
) -> dict[str, str]:
    rounds = counted(len(plan.rounds), "round")
    phases = counted(len(plan.phases), "phase")
    drained = plan.drained
    text = {
        "from": old.label,
        "to": new.label,
        "writes": f"{plan.changed_entries:,} entries in {rounds}, {phases}",
        "drained": _drained(plan, lifetime),
        **_by_trees(plan),
        "service levels": _LEVELS[plan.levels],
        "proved": (
            f"at every moment; {plan.dependencies:,} dependencies checked"
            if plan.proved_throughout
            else "once the first phase is over: the old tables can deadlock"
        ),
    }
    if shown is not None:
        text["shown impossible"] = _impossible(len(shown), len(drained))
    if plan.dropped:
        text["may be lost"] = f"packets to {len(plan.dropped):,} destinations on their way"
    return text


def _drained(plan: TransitionPlan, lifetime: int) -> str:
    """Say to whom packets are dropped, and for how long."""
    drained = plan.drained
    if not drained:
        return "none"
    first = ", ".join(drained[:3]) + (", …" if len(drained) > 3 else "")
    each_s = plan.drained_s(lifetime)
    least, most = (f"{quantity(of_them, 3)} s" for of_them in (min(each_s), max(each_s)))
    return f"{len(drained):,}: {first}; for {most if least == most else f'{least} to {most}'}"


def _by_trees(plan: TransitionPlan) -> dict[str, str]:
    if plan.by_trees is None:
        return {}
    trees = counted(plan.by_trees.count, "spanning tree")
    pairs = counted(plan.by_trees.most_pairs, "pair")
    level = f", service level {plan.by_trees.level}" if _tells_for_trees(plan) else ""
    return {"meanwhile by": f"{trees}, {pairs} of hosts over one channel{level}"}


def _tells_for_trees(plan: TransitionPlan) -> bool:
    steps = (step for phase in plan.phases for step in phase.steps)
    return any(step.kind == "renew_for_trees" for step in steps)


def _impossible(least: int, drained: int) -> str:
    if least == 0:
        return "nothing: an order without draining may exist, none was found"
    if least == drained:
        return f"to drain fewer than {drained:,}, in any order of old and new entries"
    return (
        f"to drain fewer than {least:,}, in any order of old and new entries;"
        f" not shown for {counted(drained - least, 'destination')} more"
    )


def _row(place: int, phase: TransitionPhase, plan: TransitionPlan, lifetime: int) -> list[str]:
    rounds = [step.writes for step in phase.steps if step.kind == "write"]
    sent = [plan.blocks(writes) for writes in rounds]
    does = [counted(len(rounds), "round")] if rounds else []
    kinds = {step.kind for step in phase.steps}
    relaned = sum(len(step.switches) for step in phase.steps if step.kind == "write_lanes")
    if relaned:
        does += [f"lane tables of {counted(relaned, 'switch')}"]
    does += ["new levels are told"] * bool(kinds & {"answer", "renew_each"})
    does += ["old levels end"] * bool(kinds & {"renew", "renew_each"})
    does += ["the trees' level is told"] * ("renew_for_trees" in kinds)
    blocks = MISSING
    if all(one is not None for one in sent):
        blocks = f"{sum(len(one) for one in sent if one is not None):,}"
    return [
        f"{place + 1}",
        ", ".join(does),
        f"{sum(len(writes) for writes in rounds):,}",
        blocks,
        f"{quantity(phase.wait_s(lifetime), 3)} s",
    ]


def _plan_row(plan: TransitionPlan, methods: list[TransitionMethod]) -> list[str]:
    lanes = min(method.lanes for method in methods)
    waits = max(len(plan.phases) - 1, 0)
    free = "none" if plan.proved_throughout else "until the first phase is over"
    figures = (len(plan.rounds), waits, len(plan.drained), len(plan.dropped), lanes)
    return ["this plan", *(f"{figure:,}" for figure in figures), free]


_METHODS = {
    "static": "all traffic stops",
    "double_scheme": "Double Scheme",
    "overlapping": "overlapping, by tokens",
    "opensm": "all at once, as OpenSM",
}


def _method_row(found: TransitionMethod) -> list[str]:
    figures = (found.rounds, found.waits, found.drained, found.lost, found.lanes)
    free = "none" if found.deadlock_free else "possible"
    return [_METHODS[found.method], *(f"{figure:,}" for figure in figures), free]


def _document(
    fabric: Fabric,
    routings: tuple[Routing, Routing],
    plan: TransitionPlan,
    methods: list[TransitionMethod],
    lifetime: int,
) -> dict[str, Any]:
    names = fabric.switch_names

    def step(one: TransitionStep) -> dict[str, Any]:
        blocks = plan.blocks(one.writes) if one.kind == "write" else None
        return {
            "kind": one.kind,
            "writes": [
                {"switch": names[switch], "address": address, "port": port}
                for switch, address, port in one.writes.tolist()
            ],
            "blocks": None
            if blocks is None
            else [{"switch": names[switch], "block": block} for switch, block in blocks.tolist()],
            "addresses": one.addresses.tolist(),
            "switches": [names[switch] for switch in one.switches.tolist()],
        }

    old, new = routings
    return {
        "fabric": fabric.name,
        "old": old.label,
        "new": new.label,
        "levels": plan.levels,
        "proved_throughout": plan.proved_throughout,
        "renews": plan.renews,
        "by_trees": None if plan.by_trees is None else asdict(plan.by_trees),
        "drained": plan.drained,
        "drained_s": plan.drained_s(lifetime),
        "dropped": plan.dropped,
        "addresses": plan.addresses,
        "phases": [
            {
                "proved": phase.proved,
                "most_switches": phase.most_switches,
                "wait_s": phase.wait_s(lifetime),
                "steps": [step(one) for one in phase.steps],
            }
            for phase in plan.phases
        ],
        "methods": methods,
    }


def _obstructions(
    fabric: Fabric, shown: list[TransitionObstruction] | None
) -> list[dict[str, Any]] | None:
    if shown is None:
        return None
    names = fabric.switch_names
    return [
        {
            "end": one.end,
            "destinations": one.destinations,
            "writes": [_blocked(fabric, write) for write in one.writes],
            "dead_ends": [
                {
                    "met": [
                        {
                            "switch": names[met.switch],
                            "address": met.address,
                            "change": met.change,
                        }
                        for met in of.met
                    ],
                    "writes": [_blocked(fabric, write) for write in of.writes],
                }
                for of in one.dead_ends
            ],
        }
        for one in shown
    ]


def _blocked(fabric: Fabric, write: BlockedWrite) -> dict[str, Any]:
    names = fabric.switch_names
    return {
        "switch": names[write.switch],
        "address": write.address,
        "change": write.change,
        "cycle": [
            {
                "channel": fabric.describe_channel(wait.channel),
                "lane": wait.lane,
                "address": wait.address,
                "sent_at": names[wait.sent_at],
                "by_write": wait.by_write,
            }
            for wait in write.cycle
        ],
        "dead_end": write.dead_end,
    }
