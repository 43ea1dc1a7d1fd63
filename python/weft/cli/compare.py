"""``weft compare``: routings on a fabric, from file to report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weft import _core, report
from weft._extras import lacking
from weft._numbers import in_percent
from weft.cli.audit import judgement_table
from weft.cli.certified_load import bound_option, bounded_at, refuse_unbounded, write_bound
from weft.cli.chart_files import ChartOptions
from weft.cli.errors import PROPERTY_DOES_NOT_HOLD
from weft.cli.fabric_files import EndOptions, fabric_line, load_fabric
from weft.cli.machines import HardwareOptions, machine_text
from weft.cli.named_types import ROUTING
from weft.cli.options import (
    FILE,
    FOLDER,
    Options,
    RunOptions,
    TrafficOptions,
    argument,
    command,
    flag,
    group,
    json_flag,
    option,
    parse_loads,
)
from weft.cli.output import Column, emit_json, picked, print_table, say, talk, tell_undrawn
from weft.cli.progress import shown_progress
from weft.cli.proof import cycle_lines
from weft.cli.reading import ReadingOptions, print_link_use
from weft.errors import RoutingError, StudyError
from weft.fabric import fabric_figures
from weft.load_gap import comparable_bound, loads_between_switches, possible
from weft.routing import check_routing
from weft.shares import slow_hosts_bound
from weft.spec.study import DEFAULT_ROUTINGS
from weft.study import compare as run
from weft.study import default_folder
from weft.study.beside_static import BesideStatic, beside_static
from weft.study.progress import RoutingReady

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._core import LoadBound
    from weft.results import RankedRouting, Results
    from weft.study.progress import Progress

__all__ = ["compare"]

_ON_LANES = _core.default_routings("advised", 8)


class _Options(Options):
    fabric: Path = argument(type=FILE)
    ends: EndOptions = group(EndOptions)
    routings: Sequence[str] = option(
        "A routing to compare; repeat for more. When left out:"
        f" {', '.join(DEFAULT_ROUTINGS)}; on hardware with lanes those of `weft advise`,"
        f" {', '.join(_ON_LANES)} with as many lanes as it has, up to 8.",
        "--routing",
        metavar="SPEC",
        type=ROUTING,
        multiple=True,
    )
    hardware: HardwareOptions = group(HardwareOptions)
    traffic: TrafficOptions = group(TrafficOptions)
    loads: str | None = option(
        "Loads to simulate, instead of a ladder that climbs to saturation.", metavar="A,B,C"
    )
    seeds: Sequence[int] = option(
        "Seed of the traffic; repeat it to simulate every load with each.",
        "--seed",
        type=int,
        multiple=True,
        default=(1,),
    )
    run: RunOptions = group(RunOptions)
    reading: ReadingOptions = group(ReadingOptions)
    jobs: int | None = option(
        "Simulations, then charts, at a time; one per processor when left out.", type=int
    )
    folder: Path | None = option(
        "Folder for results and report; weft-results/<fabric> when left out.",
        "--out",
        "-o",
        type=FOLDER,
    )
    no_report: bool = flag("Write the results only, no report.")
    bound: Path | None = bound_option()
    files: ChartOptions = group(ChartOptions)
    as_json: bool = json_flag()


@command(_Options)
def compare(options: _Options) -> None:
    """Compare routings on a fabric: proof, balance, throughput, latency.

    For each routing: its routes; the proof that they cannot deadlock, or the cycle by which they
    can (such a routing is not simulated); how the routes load the channels; and a sweep over
    offered load. The ladder of loads climbs until the network is beyond saturation and refines
    itself around the maximum of accepted traffic, which is the routing's throughput.

    A load is the payload each host offers, as a fraction of its link rate: 0.1 on Myrinet links
    (0.16 bytes/ns) is 0.016 bytes/ns per host. Headers come on top. Hosts to which the pattern
    gives no destination do not count.

    Routings whose switches choose among groups of ports (ar_updn) are judged beside the best static
    tables on as many lanes too, with what they gain and which service levels may choose.

    Results go to one file, point by point. After Ctrl-C, or a kill, the same command goes on where
    it was; with another --routing it adds that one.

    \b
    Examples:
      weft compare cluster.ibnetdiscover
      weft compare net.json --routing updown --routing ud_itb:seed=7 --seed 1 --seed 2
      weft compare net.json --payload-bytes 32:0.2,2048:0.8 --arrivals poisson --out mixed
      weft compare net.json --pattern hotspot:share=5,hosts=host3 --out hotspot
      weft compare net.json --loads 0.02,0.05,0.1 --set routing_delay_ns=100 --out faster
      weft compare net.json --charts figures
    """
    # What is cheap to check comes before what takes time.
    for specification in options.routings:
        _refuse_file(specification)
    options.hardware.check()
    traffic = options.traffic.made()
    loads = parse_loads(options.loads)
    reading = options.reading.made()
    read = load_fabric(options.fabric, options.ends)
    network = read.fabric
    hardware = options.hardware.on(network)
    refuse_unbounded(network, options.bound)
    is_told = options.hardware.name is not None or fabric_figures(network).rates
    if not is_told and read.format not in _DRAWN:
        machine = machine_text(hardware)
        hint = f"the file tells no rates, so the hardware is {machine}; --hardware names another"
        talk(f"note: {options.fabric}: {hint}")
    target = options.folder or default_folder(network)
    service_notes: dict[str, str] = {}
    traffic_notes: dict[str, str] = {}
    with shown_progress(target / "results.sqlite") as watcher:

        def noting(event: Progress) -> None:
            if isinstance(event, RoutingReady) and event.service_note is not None:
                service_notes[event.label] = event.service_note
            if isinstance(event, RoutingReady) and event.traffic_note is not None:
                traffic_notes[event.label] = event.traffic_note
            watcher(event)

        results = run(
            network,
            options.routings or None,
            hardware,
            traffic,
            loads=loads,
            seeds=options.seeds,
            **vars(options.run),
            jobs=options.jobs,
            results=target / "results.sqlite",
            reading=reading,
            watcher=noting,
            given=options.ends.on_command_line(options.fabric),
        )
    with results:
        ranking = _written(results, target, options, service_notes, traffic_notes)
    if not any(row.deadlock_free for row in ranking):
        click.get_current_context().exit(PROPERTY_DOES_NOT_HOLD)


def _written(
    results: Results,
    target: Path,
    options: _Options,
    service_notes: dict[str, str],
    traffic_notes: dict[str, str],
) -> Sequence[RankedRouting]:
    """Write report and charts, print what came out, and return the ranking."""
    files = {"results": results.path}
    choosing = beside_static(results)
    undrawn = tell_undrawn()
    if not options.no_report and (missing := lacking("matplotlib")) is not None:
        talk(f"note: no report is written: {missing}; then: weft report {results.path}")
    elif not options.no_report:
        talk("writing the report")
        files["report"] = target / "report.html"
        report.write_report(results, files["report"], undrawn=undrawn, beside=choosing)
    if options.files.charts is not None:
        options.files.write(results, jobs=options.jobs, undrawn=undrawn)
        files["charts"] = options.files.charts
    ranking = results.ranking()
    bound = comparable_bound(results.fabric, "any", is_tight=options.bound is not None)
    if options.bound is not None:
        write_bound(results.fabric, bound, options.bound)
        files["bound"] = options.bound
    if options.as_json:
        document = _document(results, ranking, files)
        document["load_bound"] = bounded_at(bound)
        notes = {"service_notes": service_notes, "traffic_notes": traffic_notes}
        adaptive = {"beside_static": choosing.judged, "adaptive": choosing.words}
        emit_json("compare", document | notes | adaptive)
    else:
        notes_told = [*service_notes.items(), *traffic_notes.items()]
        slow = slow_hosts_bound(results.fabric)
        if slow is not None and options.traffic.made().pattern == "uniform":
            notes_told.append(("slow ends", slow))
        _print(results, ranking, files, notes_told, choosing, bound)
    return ranking


def _loads(results: Results) -> list[tuple[str, int]]:
    """Return the largest load between switches of each routing that cannot deadlock.

    Not of those with several addresses of a host, which can be below what one route for each pair
    cannot.
    """
    return [
        (one.label, max(loads_between_switches(results.fabric, one.load), default=0))
        for one in results.routings
        if one.load is not None
        and one.proof.deadlock_free
        and one.parameters.get("lmc", "0") == "0"
    ]


def _refuse_file(specification: str) -> None:
    """Say what to do with a file of routes; a study has algorithms, which make routes anew."""
    try:
        check_routing(specification)
    except RoutingError as error:
        if not Path(specification).is_file():
            raise
        message = (
            f"{specification}: found a file, expected a routing by its name, for a study makes the"
            f" routes itself; weft simulate --routing {specification} takes those of a file"
        )
        raise StudyError(message) from error


def _document(
    results: Results, ranking: Sequence[RankedRouting], files: dict[str, Path]
) -> dict[str, Any]:
    return {
        "fabric": results.manifest["fabric"],
        "ranking": ranking,
        "link_use": results.link_use(),
        "routings": [
            {
                **picked(
                    routing,
                    "label",
                    "parameters",
                    "failure",
                    "proof",
                    "throughput",
                    "knee",
                    "same_routes_as",
                ),
                "points": len(routing.points),
            }
            for routing in results.routings
        ],
        "recommendation": results.recommendation(),
        "files": files,
    }


def _print(
    results: Results,
    ranking: Sequence[RankedRouting],
    files: dict[str, Path],
    notes: Sequence[tuple[str, str]],
    choosing: BesideStatic,
    bound: LoadBound | None,
) -> None:
    say(fabric_line(results.fabric))
    say()
    print_table(_COLUMNS, [_row(row) for row in ranking])
    told = possible(bound, _loads(results))
    if told:
        say(told)
    say()
    _print_refusals(results)
    _print_same_routes(results)
    for label, note in notes:
        say(f"{label}: {note}")
    if notes:
        say()
    if choosing.judged:
        say("groups used evenly beside static tables, by routes alone:")
        print_table(*judgement_table(choosing.judged))
        for line in choosing.words:
            say(line)
        say()
    print_link_use(results.link_use())
    _print_rules(results)
    say(results.recommendation())
    say()
    for name, path in files.items():
        say(f"{name:8} {path}")


#: Formats of networks that need not be any machine's.
_DRAWN = frozenset({"json", "node-link", "graphml", "anynet", "caminos"})

_COLUMNS = (
    Column("routing", is_number=False),
    Column("deadlock-", "free", is_number=False),
    Column("throughput", "bytes/ns/switch"),
    Column("of link", "rate"),
    Column("of", "best"),
    Column("knee", "bytes/ns/switch"),
    Column("unloaded", "latency ns"),
    Column("routes/channel", "max / mean"),
    Column("in-transit", "stops"),
    Column("minimal", "routes"),
)


def _row(row: RankedRouting) -> list[str]:
    def shown(value: float | None, form: str) -> str:
        return "–" if value is None else format(value, form)

    balance = "–"
    if row.max_routes_per_channel is not None and row.mean_routes_per_channel is not None:
        balance = f"{row.max_routes_per_channel} / {row.mean_routes_per_channel:.0f}"
    return [
        row.label,
        "–" if row.state == "not routed" else "yes" if row.deadlock_free else "NO",
        row.state
        if row.throughput_bytes_per_ns_per_switch is None
        else f"{row.throughput_bytes_per_ns_per_switch:.5f}",
        "–" if row.throughput_load is None else in_percent(row.throughput_load),
        shown(row.relative_to_best, ".2f"),
        shown(row.knee_bytes_per_ns_per_switch, ".5f"),
        shown(row.unloaded_latency_ns, ".0f"),
        balance,
        shown(row.mean_in_transit_stops, ".3f"),
        "–" if row.minimal_share is None else in_percent(row.minimal_share),
    ]


def _print_refusals(results: Results) -> None:
    """Say why routings were not simulated."""
    is_any = False
    for routing in results.routings:
        if routing.failure is not None:
            say(f"{routing.label} cannot route this fabric: {routing.failure}")
        elif not routing.proof.deadlock_free:
            first = routing.proof.text.splitlines()[0]
            say(f"{routing.label} is not simulated: {first}")
            for line in cycle_lines(routing.proof.cycle):
                say(f"  {line}")
        else:
            continue
        is_any = True
    if is_any:
        say()


def _print_same_routes(results: Results) -> None:
    """Say which routings came out as the same routes."""
    same = [routing for routing in results.routings if routing.same_routes_as is not None]
    for routing in same:
        say(f"{routing.label}: the same routes as {routing.same_routes_as}, simulated once")
    if same:
        say()


def _print_rules(results: Results) -> None:
    """Say how each throughput and knee was found."""
    for routing in results.routings:
        if routing.throughput is not None:
            say(f"{routing.label}: {routing.throughput.rule}")
        if routing.knee is not None:
            say(f"{routing.label}, knee: {routing.knee.rule}")
    say()
