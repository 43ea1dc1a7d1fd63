"""``weft audit``: today's routing of a cluster judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weft import report as reports
from weft._files import read_text
from weft._numbers import in_percent
from weft.adaptive import groups_in_words
from weft.adaptive_gains import gains_of_today
from weft.audit import ALTERNATIVES
from weft.audit import audit as judge_cluster
from weft.cli.certified_load import bound_option, bounded_at, refuse_unbounded, write_bound
from weft.cli.errors import PROPERTY_DOES_NOT_HOLD
from weft.cli.fabric_files import EndOptions, fabric_line, load_file, note_text, print_port_errors
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
    refuse_idle,
)
from weft.cli.output import Column, emit_json, picked, print_pairs, print_table, say, talk
from weft.cli.progress import routed_in_sight
from weft.cli.proof import cycle_lines
from weft.cli.rails import rail_label
from weft.cli.routing import host_number, load_routing
from weft.cli.several_networks import networks_at_once, print_at_once, print_networks
from weft.cli.suspicions import print_suspicions
from weft.errors import RoutingError
from weft.fabric import find_computers, one_network, subnets
from weft.route_reading import read_routes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.audit import Audit, Judgement
    from weft.fabric import Fabric, FabricFile, Rail, ReadNote
    from weft.routing import Routing
    from weft.shares import Shares

__all__ = ["audit", "judgement_table"]

_SHOWN_CABLES = 5
_SHOWN_NOTES = 10
_SHOWN_UNREACHED = 5
_SHOWN_CYCLE = 20
_MISSING = "–"
_LEAST_HOSTS = 2  #: Hosts that can send to one another.


class _Options(Options):
    fabric: Path = argument(type=FILE)
    ends: EndOptions = group(EndOptions)
    tables: str | None = argument(required=False)
    service_levels: Path | None = option(
        "The service level of each pair: opensm-path-records.dump, or a path-SL file of ibdmchk.",
        type=FILE,
    )
    lane_maps: Path | None = option(
        "The lane of each service level: opensm-sl2vl.dump; without, that of its number.",
        "--sl2vl",
        type=FILE,
    )
    alternatives: Sequence[str] = option(
        "A routing to compare with; repeat for more. Some of today's by default.",
        "--against",
        metavar="SPEC",
        type=ROUTING,
        multiple=True,
    )
    no_others: bool = flag("Compare with no other routing.")
    hosts: str | None = option(
        "The hosts that send to one another, such as those of a job: names, or a file with one a"
        " line; all by default.",
        metavar="HOST,HOST,…|FILE",
    )
    count: int = option(
        "Random halves that send to one another.", type=click.IntRange(1, 2**32 - 1), default=1000
    )
    seed: int = option("What they are drawn by.", type=click.IntRange(0, 2**64 - 1), default=1)
    matrix: Path | None = option(
        "Judge by this traffic matrix too: source,destination,amount on each line, hosts by name or"
        " number. Told is what the host gets of its rate that sends most.",
        type=FILE,
        metavar="FILE.csv",
    )
    flows: int = option(
        "Flows of each pair where a hash decides among groups of ports.",
        type=click.IntRange(1, 2**31 - 1),
        default=1,
    )
    report: Path | None = option(
        "Write a page with all of it, to open or to mail.", type=WRITTEN, metavar="PAGE.html"
    )
    bound: Path | None = bound_option()
    as_json: bool = json_flag()


@command(_Options)
def audit(options: _Options) -> None:
    """Judge the routing a cluster has today, and say what others would give.

    FABRIC is a discovery of the cluster (ibnetdiscover). TABLES is what its switches route by:
    opensm-lfts.dump, opensm.fdbs, the output of dump_fts, or a folder of OpenSM's dumps, in which
    service levels and their lanes are found too. Without, the wiring and other routings are judged,
    network by network where FABRIC holds several.

    \b
    What is judged:
      pairs         which hosts no route joins, or a route that leads in a circle
      credit loops  whether packets can wait for one another for ever: the shortest cycle
      uniform       what part of its rate every host can send if all send to all others alike;
                    where hosts with slow links hold it, they are named below
      bisection     what pairs get if random halves of the hosts send to one another
      shifts        what pairs get if every host sends to the k-th after it, for all k
      cables        which channels most routes take, and whose
      wiring        switches cut off, slow links, missing and swapped cables
      rails         uniform within each, where the names of ends tell which adapters are alike
      adaptive      where switches choose among groups of ports: which service levels may, and
                    what that gains over the best static tables on as many lanes

    Loads are static, by routes and rates alone: real networks saturate earlier. Exit code 1: a pair
    is not reached, or packets can deadlock.

    \b
    Examples:
      weft audit cluster.ibnetdiscover opensm-lfts.dump
      weft audit cluster.ibnetdiscover dumps --report audit.html
      weft audit cluster.ibnetdiscover now.lfts --against lash:lanes=8 --hosts job.txt
    """
    needs("TABLES", options.tables is not None, "service_levels", "lane_maps")
    if options.no_others and options.alternatives:
        message = "--no-others compares with nothing and --against with a routing; give one of them"
        raise click.UsageError(message, click.get_current_context())
    if options.hosts is not None:
        refuse_idle("of some of the hosts; leave out --hosts", "bound")
    read = load_file(options.fabric, options.ends)
    networks = subnets(read.fabric)
    of_one = (options.tables, options.report, options.bound)
    if len(networks) > 1 and any(each is not None for each in of_one):
        one_network(read.fabric, options.fabric)
    refuse_unbounded(read.fabric, options.bound)
    in_use = [_in_use(fabric, options) for fabric in networks]
    audits = [
        _judged(read.of_network(fabric), options, *used)
        for fabric, used in zip(networks, in_use, strict=True)
    ]
    if options.report is not None:
        given = options.ends.on_command_line(options.fabric)
        reports.write_audit(audits[0], options.report, given=given, in_use=in_use[0][0])
    if options.bound is not None:
        write_bound(audits[0].fabric, audits[0].load_bound, options.bound)
    if options.as_json:
        documents = [_document(found, options.report) for found in audits]
        if len(documents) == 1:
            emit_json("audit", documents[0])
        else:
            computers = find_computers(read.fabric)
            together = networks_at_once(audits)
            emit_json(
                "audit-subnets",
                {"computers": computers, "subnets": documents, "together": together},
            )
    else:
        if len(networks) > 1:
            print_networks(read.fabric, networks)
            say()
        for number, found in enumerate(audits):
            if number:
                say()
            _print(found)
        if len(networks) > 1:
            say()
            print_at_once(audits)
        _print_notes(audits[-1].notes)
        if options.report is not None:
            say(f"report  {options.report}")
        if options.bound is not None:
            say(f"bound written to {options.bound}")
    if any(found.today is not None and not found.today.is_sound for found in audits):
        click.get_current_context().exit(PROPERTY_DOES_NOT_HOLD)


def _judged(
    read: FabricFile, options: _Options, routing: Routing | None, notes: list[ReadNote]
) -> Audit:
    """Judge one network, and its rails if it has any."""
    return judge_cluster(
        read.fabric,
        routing,
        alternatives=[] if options.no_others else list(options.alternatives or ALTERNATIVES),
        hosts=None if options.hosts is None else _chosen(read.fabric, options.hosts),
        count=options.count,
        seed=options.seed,
        matrix=options.matrix,
        flows=options.flows,
        notes=[*read.notes, *notes],
        ports=read.ports,
        progress=lambda label: talk(f"judging {label}"),
        router=routed_in_sight,
        is_tight=options.bound is not None,
    )


def _in_use(fabric: Fabric, options: _Options) -> tuple[Routing | None, list[ReadNote]]:
    """Read the routing in use, and what of its files was passed over."""
    tables, levels, lanes = options.tables, options.service_levels, options.lane_maps
    if tables is None:
        return None, []
    if levels is None and lanes is None and not Path(tables).exists():
        try:
            return load_routing(fabric, tables), []
        except RoutingError as error:
            message = f"{tables}: no such file or folder; {error}"
            raise RoutingError(message) from error
    read = read_routes(fabric, tables, service_levels=levels, lane_maps=lanes)
    return read.routing, read.notes


def _chosen(fabric: Fabric, text: str) -> list[int]:
    """Return the hosts that are named, or stand in a file, one a line."""
    path = Path(text)
    is_file = path.is_file()
    lines = read_text(path, "names of hosts, one a line").splitlines() if is_file else []
    names = [name.strip() for name in (lines if is_file else text.split(","))]
    place = f"{path}: " if is_file else ""
    try:
        chosen = [host_number(fabric, name) for name in names if name]
    except RoutingError as error:
        place = place or f"{path}: no such file; "
        message = f"{place}{error}"
        raise RoutingError(message) from error
    if len(chosen) < _LEAST_HOSTS:
        message = f"{place}found {len(chosen)} hosts that send to one another, expected two or more"
        raise RoutingError(message)
    return chosen


def _print(found: Audit) -> None:
    say(fabric_line(found.fabric))
    if found.today is not None:
        say(found.verdict)
        print_pairs(_pairs(found.today))
        if found.today.groups is not None:
            for line in groups_in_words(found.today.groups):
                say(line)
        for line in _trouble(found.today):
            say(line)
        say()
        say("channels that most routes take:")
        for hot in (found.today.hottest or [])[:_SHOWN_CABLES]:
            rate = "" if hot.gbit_per_s is None else f", {hot.gbit_per_s:g} Gbit/s"
            say(f"  {hot.routes:8d}  {hot.name}{rate}")
            pairs = ", ".join(f"{source} to {destination}" for source, destination in hot.pairs)
            more = ", …" if len(hot.pairs) < hot.routes else ""
            if pairs:
                say(f"            {pairs}{more}")
    judgements = [*([] if found.today is None else [found.today]), *found.alternatives]
    if found.alternatives:
        say()
        columns, rows = judgement_table(judgements)
        print_table(columns, rows)
    elif found.possible:
        say()
    if found.possible:
        say(found.possible)
    if found.alternatives:
        for judgement in judgements:
            if judgement.refusal is not None:
                say(f"{judgement.routing}: {judgement.refusal}")
    for line in gains_of_today(found):
        say(line)
    for judgement in judgements:
        notes = (judgement.address_note, judgement.service_note, judgement.traffic_note)
        for note in (*notes, judgement.slow_hosts_note):
            if note is not None:
                say(f"{judgement.routing}: {note}")
    if found.rails:
        say()
        say("uniform within rails, of a host's rate:")
        print_table(*_rail_table(found.rails, judgements))
    say()
    print_suspicions(found.suspicions)
    if not found.suspicions:
        say("suspect: nothing in the wiring")
    print_port_errors(found.ports)


def _print_notes(notes: list[ReadNote]) -> None:
    for note in notes[:_SHOWN_NOTES]:
        say(f"of note: {note_text(note)}")
    if len(notes) > _SHOWN_NOTES:
        say(f"of note: {len(notes) - _SHOWN_NOTES} more, see --json")


def _pairs(today: Judgement) -> dict[str, str]:
    """Write the judgement of the routing in use as names and values."""
    findings = today.findings
    if findings is None:
        return {"routing": today.routing}
    reached = findings.host_pairs - findings.unreached_pairs - findings.circling_pairs
    pairs = {"routing": today.routing, "pairs reached": f"{reached:,} of {findings.host_pairs:,}"}
    if findings.circling_pairs:
        pairs["in a circle"] = f"{findings.circling_pairs:,} pairs"
    cycle = f"yes, the shortest of {len(findings.cycle)} channels" if findings.cycle else "none"
    pairs |= {
        "credit loops": cycle,
        "lanes": str(findings.lane_count),
        "routes per channel": (
            f"at most {today.max_routes:,}, mean {today.mean_routes:,.1f} between switches"
        ),
        "uniform": f"{in_percent(today.uniform_share)} of a host's rate, all sending to all",
        "bisection": _share_text(today.bisection),
        "shifts": _share_text(today.shifts),
    }
    return pairs


def _trouble(today: Judgement) -> list[str]:
    """Write what is wrong, by names."""
    findings = today.findings
    if findings is None:
        return []
    lines = [f"not reached: {text}" for text in findings.unreached[:_SHOWN_UNREACHED]]
    if len(findings.unreached) > _SHOWN_UNREACHED:
        lines.append("not reached: … more, see --json")
    if findings.route_loop is not None:
        lines.append(f"in a circle: {findings.route_loop}")
    lines += [f"credit loop: {line}" for line in cycle_lines(findings.cycle, _SHOWN_CYCLE)]
    return lines


def judgement_table(judgements: list[Judgement]) -> tuple[list[Column], list[list[str]]]:
    """Return columns and rows that compare routings."""
    columns = [
        Column("routing", is_number=False),
        Column("deadlock-", "free", is_number=False),
        Column("pairs not", "reached"),
        Column("lanes"),
        Column("routes/channel", "max / mean"),
        Column("uniform", "of a host's rate"),
        Column("bisection", "mean share"),
        Column("shifts", "mean share"),
        Column("shifts", "worst shift"),
    ]
    by_matrix = any(judged.matrix_share is not None for judged in judgements)
    if by_matrix:
        columns.append(Column("matrix", "of a host's rate"))
    rows = []
    for judged in judgements:
        findings = judged.findings
        if findings is None:
            rows.append([judged.routing, "refused", *[_MISSING] * (len(columns) - 2)])
            continue
        lost = findings.unreached_pairs + findings.circling_pairs
        rows.append(
            [
                judged.routing,
                "no" if findings.cycle else "yes",
                f"{lost:,}",
                str(findings.lane_count),
                f"{judged.max_routes:,} / {judged.mean_routes:,.0f}",
                in_percent(judged.uniform_share),
                in_percent(None if judged.bisection is None else judged.bisection.mean),
                in_percent(None if judged.shifts is None else judged.shifts.mean),
                in_percent(None if judged.shifts is None else judged.shifts.least_mean),
                *([in_percent(judged.matrix_share)] if by_matrix else []),
            ]
        )
    return columns, rows


def _rail_table(
    rails: list[Rail], judgements: list[Judgement]
) -> tuple[list[Column], list[list[str]]]:
    """Return columns and rows of what the ends of each rail can send one another."""
    columns = [
        Column("routing", is_number=False),
        *(Column(f"rail {number}", rail_label(rail)) for number, rail in enumerate(rails, start=1)),
        Column("all rails", "at once"),
    ]
    rows = [
        [
            judged.routing,
            *map(in_percent, judged.rail_shares),
            in_percent(judged.rails_at_once_share),
        ]
        for judged in judgements
        if judged.findings is not None
    ]
    return columns, rows


def _share_text(shares: Shares | None) -> str:
    if shares is None:
        return "no two hosts"
    return (
        f"pairs get {in_percent(shares.mean)} of the rate, {in_percent(shares.least_mean)} in the "
        f"worst of {shares.rounds:,} rounds, {in_percent(shares.least)} at least"
    )


def _document(found: Audit, report: Path | None) -> dict[str, Any]:
    return {
        "fabric": found.fabric.name,
        **picked(found, "verdict", "hosts", "rails", "today", "alternatives"),
        "load_bound": bounded_at(found.load_bound),
        "adaptive": gains_of_today(found),
        "suspicions": [picked(suspicion, "kind", "text") for suspicion in found.suspicions],
        "notes": found.notes,
        "ports": found.ports,
        "report": report,
    }
