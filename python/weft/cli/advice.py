"""``weft advise``: which routing a cluster should take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from weft import report as reports
from weft._numbers import in_percent
from weft.advice import advise as compare
from weft.advice.comparison import MOST_DRAWS
from weft.cli.audit import judgement_table
from weft.cli.certified_load import bound_option, bounded_at, refuse_unbounded, write_bound
from weft.cli.fabric_files import EndOptions, fabric_line, load_fabric
from weft.cli.named_types import ROUTING
from weft.cli.options import (
    FILE,
    WRITTEN,
    Options,
    argument,
    command,
    flag,
    group,
    json_flag,
    needs,
    option,
)
from weft.cli.output import Column, emit_json, picked, print_table, say, talk
from weft.cli.progress import routed_in_sight
from weft.cli.routing import load_routing
from weft.report.answers import is_known_to_opensm, loading

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.advice import Advice, Candidate
    from weft.prediction import Prediction

__all__ = ["advise"]

_MISSING = "–"


class _Options(Options):
    fabric: Path = argument(type=FILE)
    ends: EndOptions = group(EndOptions)
    lanes: int = option(
        "Lanes that switches and adapters have for data (VLCap).",
        type=click.IntRange(1, 15),
        required=True,
    )
    fail: Sequence[str] = option(
        "What fails, each by itself: a share of the links such as 2%, or one link; repeat for"
        " more.",
        metavar="SHARE|SWITCH:PORT",
        multiple=True,
    )
    draws: int = option(
        "How often a share is drawn; figures are means.",
        type=click.IntRange(1, MOST_DRAWS),
        default=3,
    )
    lmc: int = option(
        "At most 2 to this power LIDs for a host.", type=click.IntRange(0, 7), default=0
    )
    routings: Sequence[str] = option(
        "A routing to compare; repeat for more. Those worth it by default.",
        "--routing",
        metavar="SPEC",
        type=ROUTING,
        multiple=True,
    )
    adaptive: bool = flag(
        "Switches can choose among groups of ports (adaptive routing): compare such tables too."
    )
    today: str | None = option(
        "What the switches route by today: tables as `weft audit` takes them, or a routing by its"
        " name.",
        metavar="TABLES",
    )
    matrix: Path | None = option(
        "Judge what chooses beside static tables by this traffic matrix too: source,destination,"
        "amount on each line.",
        type=FILE,
        metavar="FILE.csv",
    )
    count: int = option(
        "Random halves that send to one another, per network.",
        type=click.IntRange(1, 2**32 - 1),
        default=200,
    )
    seed: int = option(
        "What shares and halves are drawn by.", type=click.IntRange(0, 2**63), default=1
    )
    simulate: int = option(
        "Simulate the N best by static load, in every case; 0 for none.",
        type=click.IntRange(0),
        metavar="N",
        default=6,
    )
    report: Path | None = option(
        "Write a page with all of it, to open or to mail.", type=WRITTEN, metavar="PAGE.html"
    )
    bound: Path | None = bound_option()
    as_json: bool = json_flag()


@command(_Options)
def advise(options: _Options) -> None:
    """Compare routings on a network as it is and as it fails, and say which to take.

    Each routing is made anew for what is left after a failure, and proved. Those that can deadlock,
    leave hosts unreached, or need more lanes or LIDs than there are, are out. The others are ranked
    by static load, which follows from routes and rates alone: what every host can send to all
    others in the last of the cases, several lanes counting 1.3 times, as packets on one wait behind
    each other; of those that give within 3 %, by what pairs get when random halves send to one
    another (the effective bisection). The best of them are then simulated, with the rates of the
    file and --lanes lanes: first comes the largest throughput when all hosts send to all. The
    windows are short; `weft compare` simulates curves. With --simulate 0 the advice says that its
    order is by loads alone. One lane is taken where it gives within 3 % of what more give, by these
    loads and, where it was simulated, by throughput too; the best on one lane is simulated in any
    case.

    With --adaptive those of ar_updn, ar_ftree and adaptive are among them, which are judged beside
    the best static tables on as many lanes: which service levels may choose, what that gains over
    these and over today's, and what to load.

    \b
    Examples:
      weft advise cluster.ibnetdiscover --lanes 4 --fail 2%
      weft advise cluster.ibnetdiscover --lanes 4 --report advice.html
      weft advise cluster.ibnetdiscover --lanes 4 --adaptive --today ibdiagnet2
      weft advise cluster.ibnetdiscover --lanes 8 --fail leaf01:17 --routing lash:lanes=8
    """
    needs("--fail with a share", any(what.endswith("%") for what in options.fail), "draws")
    network = load_fabric(options.fabric, options.ends).fabric
    refuse_unbounded(network, options.bound)
    found = compare(
        network,
        **picked(options, "lanes", "fail", "draws", "lmc", "count", "seed", "simulate"),
        **picked(options, "adaptive", "matrix"),
        today=None if options.today is None else load_routing(network, options.today),
        routings=options.routings or None,
        progress=lambda label: talk(f"judging {label}"),
        router=routed_in_sight,
        is_tight=options.bound is not None,
    )
    given = options.ends.on_command_line(options.fabric)
    if options.report is not None:
        reports.write_advice(found, options.report, given=given)
    if options.bound is not None:
        write_bound(network, found.load_bound, options.bound)
    if options.as_json:
        emit_json("advise", _document(found) | {"report": options.report})
        return
    say(fabric_line(network))
    say()
    print_table(*_table(found))
    say()
    if found.beside_static:
        say("groups used evenly beside static tables, as it is:")
        print_table(*judgement_table(found.beside_static))
        say()
    for candidate in found.ranked:
        if candidate.same_routes_as is not None:
            name, other = candidate.routing, candidate.same_routes_as
            say(f"{name}: the same routes as {other}, simulated once")
    for candidate in found.ranked:
        notes = (candidate.address_note, candidate.service_note, candidate.traffic_note)
        for note in (*notes, candidate.slow_hosts_note):
            if note is not None:
                say(f"{candidate.routing}: {note}")
    for line in found.reasons:
        say(line)
    if found.ranked:
        say()
        best = found.ranked[0]
        if not best.chooses:
            command = loading(network, given, best.routing)
            if is_known_to_opensm(network):
                say(f"to load it: {command}")
            else:
                say(f"its tables: {command} (no GUIDs by which OpenSM would know the ports)")
    if options.report is not None:
        say(f"report  {options.report}")
    if options.bound is not None:
        say(f"bound written to {options.bound}")


def _table(found: Advice) -> tuple[list[Column], list[list[str]]]:
    columns = [Column("routing", is_number=False), Column("lanes")]
    for scenario in found.scenarios:
        name = scenario.left_in_words
        columns += [Column(name, "bisection"), Column(name, "uniform")]
        if found.simulated is not None:
            columns += [Column("simulated", "throughput"), Column("latency", "ns")]
    rows = [_row(candidate, found) for candidate in found.ranked]
    rows += [
        [candidate.routing, _MISSING, *["out"] * (len(columns) - 2)] for candidate in found.others
    ]
    return columns, rows


def _row(candidate: Candidate, found: Advice) -> list[str]:
    figures = []
    for place in range(len(found.scenarios)):
        figures += [in_percent(candidate.bisection(place)), in_percent(candidate.uniform(place))]
        if candidate.predictions:
            prediction = candidate.predictions[place]
            figures += [in_percent(prediction.throughput_load), _latency(prediction)]
        elif found.simulated is not None:
            figures += [_MISSING, _MISSING]
    return [candidate.routing, str(candidate.lanes()), *figures]


def _latency(prediction: Prediction) -> str:
    return "saturated" if prediction.latency_ns is None else f"{prediction.latency_ns:.0f}"


def _document(found: Advice) -> dict[str, Any]:
    def entry(candidate: Candidate) -> dict[str, Any]:
        return {
            "routing": candidate.routing,
            "lanes": candidate.lanes(),
            "trouble": candidate.trouble,
            "same_routes_as": candidate.same_routes_as,
            "service_note": candidate.service_note,
            "traffic_note": candidate.traffic_note,
            "slow_hosts_note": candidate.slow_hosts_note,
            "cases": [
                {
                    "fails": scenario.name,
                    "cut_off_hosts": found.cut_off(place),
                    "bisection": candidate.bisection(place),
                    "uniform": candidate.uniform(place),
                    "simulated": candidate.predictions[place] if candidate.predictions else None,
                }
                for place, scenario in enumerate(found.scenarios)
            ],
        }

    return {
        "fabric": found.fabric.name,
        "lanes": found.lanes,
        "simulated": None
        if found.simulated is None
        else {
            "hardware": found.simulated.hardware.parameters,
            "window": found.simulated.window,
            "latency_load": found.simulated.load,
        },
        "ranked": [entry(candidate) for candidate in found.ranked],
        "out": [entry(candidate) for candidate in found.others],
        "load_bound": bounded_at(found.load_bound),
        "today": found.today,
        "beside_static": found.beside_static,
        "adaptive": found.adaptive,
        "reasons": found.reasons,
    }
