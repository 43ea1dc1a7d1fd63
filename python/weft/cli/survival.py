"""``weft survive``: what each failure of a cable, switch, card or chassis would cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import click

from weft import report as reports
from weft._numbers import MISSING, in_percent
from weft._ranges import MOST_OF_64_BITS
from weft.cli.fabric_files import EndOptions, fabric_line, load_fabric
from weft.cli.machines import HardwareOptions, machine_document, machine_pairs, machine_text
from weft.cli.named_types import ROUTING
from weft.cli.options import (
    FILE,
    FOLDER,
    WRITTEN,
    Options,
    argument,
    command,
    group,
    json_flag,
    needs,
    option,
)
from weft.cli.output import Column, emit_json, picked, print_pairs, print_table, say, words
from weft.cli.progress import shown_failures, shown_simulated, shown_tried
from weft.cli.routing import load_routing
from weft.routing import to_tables
from weft.survey_runs import run_survey
from weft.survive import MOST_FAILURES, MOST_TRIED, FailureParts, simulate_worst, try_cables
from weft.survive import survive as look_ahead
from weft.survive.words import (
    addition_text,
    cable_text,
    counts_text,
    order_text,
    percent_carried,
    share_texts,
    toll_texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.hardware import Hardware
    from weft.prediction import CarriedLoad
    from weft.survive import Additions, LoadOfTables, Survival, Survivals

__all__ = ["survive"]


class _Options(Options):
    fabric: Path = argument(type=FILE)
    ends: EndOptions = group(EndOptions)
    specification: str = argument(metavar="SPEC", type=ROUTING)
    parts: Sequence[FailureParts] = option(
        "What fails; repeat for several. All by default: cables and switches, and of directors"
        " cards and whole chassis.",
        type=click.Choice(get_args(FailureParts)),
        multiple=True,
        default=get_args(FailureParts),
    )
    at_once: int = option(
        "Parts that fail together.", type=click.IntRange(1, 1_000), default=1, metavar="COUNT"
    )
    sample: int | None = option(
        "So many failures, drawn at random, instead of all.",
        type=click.IntRange(1, MOST_FAILURES),
        metavar="COUNT",
    )
    anew: int = option(
        "Route anew, too, for so many failures: those that cannot be repaired, then those whose"
        " repair leaves the largest load.",
        type=click.IntRange(0, MOST_FAILURES),
        default=5,
        metavar="COUNT",
    )
    seed: int = option(
        "What failures and halves of the hosts are drawn by.",
        type=click.IntRange(0, MOST_OF_64_BITS),
        default=1,
    )
    simulate: int = option(
        "Simulate the network as it is and after so many of the worst failures.",
        type=click.IntRange(0),
        default=0,
        metavar="COUNT",
    )
    add: int = option(
        "Try so many new cables between free ports, and tell which helps most.",
        type=click.IntRange(0, MOST_TRIED),
        default=0,
        metavar="COUNT",
    )
    results: Path | None = option(
        "Keep what is found in this folder as it is found: the same call goes on where it was.",
        type=FOLDER,
        metavar="FOLDER",
    )
    place: str = option(
        "Where failures are looked at, with --results: this machine, a Dask scheduler, or a Slurm"
        " job array.",
        "--on",
        metavar="local|dask:ADDRESS|slurm",
        default="local",
    )
    hardware: HardwareOptions = group(HardwareOptions)
    worst: int = option(
        "Show so many of the worst failures.", type=click.IntRange(1), default=20, metavar="COUNT"
    )
    output: Path | None = option(
        "Write a page with all of it, to open or to mail.",
        "-o",
        "--output",
        type=WRITTEN,
        metavar="PAGE.html",
    )
    as_json: bool = json_flag()


@command(_Options)
def survive(options: _Options) -> None:
    """Say what every failure of a cable, switch or card would cost, before it happens.

    SPEC is a routing, or a file of its tables, as in `weft route`. For each failure the tables are
    repaired as `weft route --repairs` does, and proved with the way from the old entries to the
    new; the worst failures are shown first.

    \b
    What is told of a failure:
      cut off      hosts that fail with it, or that nothing joins any more to most others
      entries      entries of tables that the repair changes
      largest      most routes over one channel between switches afterwards
      uniform      what part of its rate every host can send if all send to all others alike
      bisection    what pairs get if random halves of the hosts send to one another
      simulated    with --simulate: the most that is carried if all send to all alike
      order        how entries are set so that no packets can deadlock on the way: in any order;
                   those of switches that no packets come to any more last; or with those to some
                   hosts cleared everywhere first; “routed anew” where no repair keeps clear of
                   deadlock: traffic is stopped, all entries change

    Where a repair leaves a largest load of more than 1.1 times that of tables routed anew, a line
    below says so: it is time to route anew.

    With --add, new cables are tried one at a time between free ports: those that would join what
    failures cut off, those that look missing, those where failures load most. For each all failures
    are looked at again; “cut off” are then hosts whose switch runs, over all failures, “largest” is
    the largest load after any, “mean” that over all, “bisection” the least.

    Loads are static, by routes alone: real networks saturate earlier.

    \b
    Examples:
      weft survive cluster.ibnetdiscover best:lanes=4
      weft survive cluster.ibnetdiscover opensm-lfts.dump --parts switches
      weft survive cluster.ibnetdiscover best:lanes=4 --simulate 20 --anew 20 -o page.html
      weft survive net.json tables.json --at-once 2 --sample 10000
      weft survive cluster.ibnetdiscover best:lanes=4 --add 6
      weft survive large.json best --results survey --on slurm -o page.html
    """
    needs("--simulate", options.simulate > 0, "name", "changes")
    options.hardware.check()
    network = load_fabric(options.fabric, options.ends).fabric
    routing = load_routing(network, options.specification)
    if routing.form != "forwarding tables":
        routing = to_tables(network, routing, 0)
    asked = picked(options, "parts", "at_once", "sample", "anew", "seed")
    if options.place != "local" and options.results is None:
        message = f"--on {options.place}: give the folder that all machines share, --results FOLDER"
        raise click.UsageError(message)
    with shown_failures() as progress:
        if options.results is None:
            found = look_ahead(network, routing, **asked, progress=progress)
        else:
            found = run_survey(
                network, routing, options.results, on=options.place, **asked, progress=progress
            )
    machine = None
    if options.simulate:
        machine = options.hardware.on(network)
        with shown_simulated() as progress:
            found = simulate_worst(
                found, machine, options.simulate, seed=options.seed, progress=progress
            )
    if options.add:
        with shown_tried() as progress:
            found = try_cables(found, options.add, seed=options.seed, progress=progress)
    if options.output is not None:
        given = options.ends.on_command_line(options.fabric)
        reports.write_survival(
            found,
            options.output,
            given=given,
            routing=options.specification,
            machine=machine_text(machine) if machine else "",
        )
    if options.as_json:
        emit_json("survive", _document(found, machine))
        return
    say(fabric_line(network))
    print_pairs(_pairs(found, options) | (machine_pairs([(network, machine)]) if machine else {}))
    say()
    worst = found.failures[: options.worst]
    is_simulated = found.whole_throughput is not None
    columns = [*_COLUMNS[:-1], *[Column("simulated")] * is_simulated, _COLUMNS[-1]]
    print_table(columns, [_row(one, found) for one in worst])
    rest = len(found.failures) - len(worst)
    if rest > 0:
        say(f"… {rest:,} milder ones; --worst shows more, --json all")
    for refused in found.refused[:1]:
        say(f"{found.short_name(refused.failure)}: {refused.refusal}")
    for due in [one for one in found.compared if one.is_time_to_route_anew][:_SHOWN_DUE]:
        say(f"{found.short_name(due.failure)}: {_due_text(due)}")
    if found.additions is not None:
        say()
        _print_additions(found, found.additions)
    if options.output is not None:
        say(f"written to {options.output}")


#: Failures at most after which it is time to route anew that have a line of their own.
_SHOWN_DUE = 5

_COLUMNS = [
    *words("failure"),
    *(Column(title) for title in ("cut off", "entries", "largest", "uniform", "bisection")),
    *words("order"),
]


def _print_additions(found: Survivals, additions: Additions) -> None:
    """Tell what one more cable would do."""
    say(addition_text(found))
    if not additions.tried:
        return
    say()
    columns = [
        *words("cable added"),
        *(Column(title) for title in ("cut off", "no repair", "largest", "mean", "bisection")),
        *words("tables"),
    ]
    rows = [["none", *toll_texts(additions.toll), "as they are"]]
    for one in additions.tried:
        tables = "routed anew" if one.is_routed_anew else "as they are"
        rows.append([cable_text(one, found), *toll_texts(one.toll), tables])
    print_table(columns, rows)


def _pairs(found: Survivals, options: _Options) -> dict[str, str]:
    whole, count = found.whole, len(found.failures)
    looked = counts_text(found.counts)
    if options.at_once > 1 or count < sum(found.counts.values()):
        drawn = "drawn " if options.sample is not None and options.sample <= count else ""
        looked = f"{count:,} {drawn}of {looked}"
    together = "each alone" if options.at_once == 1 else f"{options.at_once} at once"
    most = max((one.changed_entries for one in found.failures), default=0)
    return {
        "routing": found.routing.label,
        "nothing fails": _load_text(whole) + _simulated_text(found.whole_throughput),
        "failures": f"{looked}, {together}; at most {most:,} entries change",
        "cut hosts off": _cut_text(found),
        "cannot be repaired": _count_text(len(found.refused), "of them", "with traffic going on"),
        **_compared_pairs(found),
    }


def _compared_pairs(found: Survivals) -> dict[str, str]:
    """Say of how many repaired failures routing anew would be much better."""
    compared = [one for one in found.compared if one.load is not None]
    if not compared:
        return {}
    due = sum(one.is_time_to_route_anew for one in compared)
    text = f"after {due:,} of the {len(compared):,} compared" if due else "after none"
    heaviest = "" if due else f" of the {len(compared):,} that leave the largest load"
    return {"better routed anew": f"{text}{heaviest}"}


def _due_text(due: Survival) -> str:
    if due.load is None or due.anew is None:
        return ""
    return (
        f"time to route anew, which leaves a largest load of {due.anew.load.largest_load:,}"
        f" where the repair leaves {due.load.largest_load:,}"
    )


def _simulated_text(throughput: CarriedLoad | None) -> str:
    return "" if throughput is None else f", simulated {percent_carried(throughput)} of the hosts'"


def _cut_text(found: Survivals) -> str:
    """Say how many failures cut off hosts whose switch runs: those that fail take theirs along."""
    if not found.cutting_off and any(one.cut_off_hosts for one in found.failures):
        return "none whose switch runs"
    return _count_text(len(found.cutting_off), "of them", "whose switch runs")


def _count_text(count: int, what: str, how: str) -> str:
    return f"{count:,} {what} {how}" if count else "none"


def _load_text(load: LoadOfTables) -> str:
    busiest = "" if load.busiest is None else f" ({load.busiest})"
    return (
        f"largest load {load.largest_load:,} routes{busiest};"
        f" uniform {in_percent(load.saturation_bound)},"
        f" bisection {in_percent(load.effective_bisection)} of the link rate"
    )


def _row(one: Survival, found: Survivals) -> list[str]:
    load = one.figures
    figures = [MISSING] * 4
    if load is not None:
        figures = [
            f"{one.entries_to_set:,}",
            f"{load.largest_load:,}",
            *share_texts(load, is_silent=found.is_silent(one)),
        ]
    simulated = [percent_carried(one.throughput)] * (found.whole_throughput is not None)
    name, cut_off = found.short_name(one.failure), f"{len(one.cut_off_hosts):,}"
    return [name, cut_off, *figures, *simulated, order_text(one)]


def _document(found: Survivals, machine: Hardware | None) -> dict[str, Any]:
    return {
        "fabric": found.fabric.name,
        "routing": found.routing.label,
        "whole": found.whole,
        "counts": found.counts,
        "hardware": machine and machine_document(machine),
        "whole_throughput": found.whole_throughput,
        "failures": found.failures,
        "additions": found.additions,
    }
