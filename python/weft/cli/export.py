"""``weft export``: results of a study as tables, routes for OpenSM or as ibdiagnet dumps them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from weft.cli.errors import PROPERTY_DOES_NOT_HOLD
from weft.cli.fabric_files import EndOptions, fabric_line, load_fabric
from weft.cli.named_types import ROUTING
from weft.cli.options import (
    FILE,
    FOLDER,
    Options,
    argument,
    command,
    flag,
    group,
    json_flag,
    option,
)
from weft.cli.output import emit_json, picked, say, talk
from weft.cli.reading import ReadingOptions
from weft.cli.routing import load_routing
from weft.export import export_results
from weft.ibdiagnet import export_ibdiagnet
from weft.opensm import export_opensm
from weft.proof import prove
from weft.results import Results

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.opensm import OpensmExport

__all__ = ["export"]

#: What is told of files for OpenSM in a JSON document.
_TOLD = (
    "lmc",
    "keeps_lids",
    "engine",
    "level_count",
    "lane_count",
    "policy_rules",
    "needs_chosen_lids",
    "unfit_for_managers",
    "unordered_switch_pairs",
)


class _ResultsFirst(click.Group):
    """A group whose first word may be left out: then it is ``results``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the word in where the first is neither a command nor a cry for help."""
        if args and args[0] not in {*self.commands, *ctx.help_option_names}:
            args = ["results", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_ResultsFirst)
def export() -> None:
    """Write the results of a study as tables, or routes as files of InfiniBand.

    `weft export RESULTS -o FOLDER` is short for `weft export results RESULTS -o FOLDER`.

    \b
    Examples:
      weft export weft-results/net --csv -o tables
      weft export opensm cluster.ibnetdiscover updown:root=tops -o weft-opensm
      weft export ibdiagnet cluster.ibnetdiscover ar_updn -o ibdiagnet2
    """


class _ResultsOptions(Options):
    results: Path = argument(type=FILE)
    form: str = option(
        "Write CSV (the default).", "--csv", flag_value="csv", default=True, show_default=None
    )
    #: The same option by another name.
    parquet: None = option("Write Parquet.", "--parquet", "form", flag_value="parquet")
    folder: Path = option(
        "Folder to write to; made when missing.", "-o", "--output", type=FOLDER, required=True
    )
    study: str | None = option("Name of one case, for a file that holds many.")
    every: bool = flag(
        "Write all cases, told apart by a first column study (the default of a folder).", "--all"
    )
    reading: ReadingOptions = group(ReadingOptions)
    as_json: bool = json_flag()


@command(_ResultsOptions, export, short_help="Write results as CSV or Parquet.")
def results(options: _ResultsOptions) -> None:
    """Write the results of a study as tables for other tools.

    \b
    RESULTS is the results file of a study (results.sqlite), or the folder it lies in. Of a folder
    all cases are written, of a file the one that it holds or that --study names. The tables:
      routings   proof, parameters, load figures, throughput: one row per routing
      points     every figure of every simulation: one row per routing, load, seed
      channels   utilization and blocked time: one row per routing, load, seed, channel
      hosts      what each host sent and received: one row per routing, load, seed, host
      link_use   links where all routings carry the same traffic (--at): one row per routing

    Units are part of the column names; loads are fractions of the host link rate. Parquet files
    also carry a description of each column.

    \b
    Examples:
      weft export results weft-results/net --csv -o tables
      weft export results weft-results/net/results.sqlite --parquet -o tables
      weft export weft-results/sweep/results.sqlite --all -o tables
    """
    if options.every and options.study is not None:
        message = "--all writes every case, and --study names one; leave one of them out"
        raise click.UsageError(message)
    reading = options.reading.made()
    if options.every or (options.study is None and options.results.is_dir()):
        with Results.open_all(options.results, reading=reading) as cases:
            written = export_results(cases, options.folder, options.form)
    else:
        with Results.open(options.results, options.study, reading=reading) as opened:
            written = export_results(opened, options.folder, options.form)
    if options.as_json:
        emit_json("export-results", {"files": written})
        return
    for path, rows in written.items():
        say(f"{path}  {rows} rows")


class _OpensmOptions(Options):
    fabric: Path = argument(type=FILE)
    ends: EndOptions = group(EndOptions)
    specification: str = argument(metavar="SPEC", type=ROUTING)
    folder: Path = option(
        "Folder to write to; made when missing. OpenSM's options name it by its absolute path.",
        "-o",
        "--output",
        type=FOLDER,
        required=True,
    )
    lmc: int = option(
        "At most 2 to this power LIDs for a host.", type=click.IntRange(0, 7), default=7
    )
    engine: str | None = option(
        "The engine of OpenSM that shall load them: its own, or the plugin; its own wherever it"
        " can when left out.",
        type=click.Choice(["file", "weft"]),
    )
    unproved: bool = flag("Export routes that are not proved, too.")
    as_json: bool = json_flag()


@command(_OpensmOptions, export, short_help="Write routes as files that OpenSM loads.")
def opensm(options: _OpensmOptions) -> None:
    """Write the files with which OpenSM routes FABRIC as SPEC says.

    FABRIC comes from a discovery (ibnetdiscover), as OpenSM knows ports by GUID. SPEC is a routing
    such as updown:root=tops, or a file of routes. The routes are proved first; those that fail are
    refused, with exit code 1, unless --unproved is given.

    \b
    The folder:
      weft.lfts         the tables, for OpenSM's own `file` engine
      qos-policy.conf   the service level of each pair of ports, where there are several lanes
      weft.lfts.lanes   the same, and lanes by input and output port, for the plugin
      opensm.conf       the options that load them
      guid2lid          the LIDs of the tables, for those who want to keep them
      subnet.lst, routes.fdbs, path-sl.txt, sl2vl.dump   what ibdmchk checks, without OpenSM
      README.md         how to load, verify, and go back

    Routes that change lanes on the way need the plugin (`make opensm-plugin`), as OpenSM's own
    engine gives every service level one lane.

    \b
    Examples:
      weft export opensm cluster.ibnetdiscover updown:root=tops -o weft-opensm
      weft export opensm cluster.ibnetdiscover lash:lanes=8 -o weft-opensm
      weft export opensm torus.ibnetdiscover dimension_order -o weft-opensm
    """
    network = load_fabric(options.fabric, options.ends).fabric
    routing = load_routing(network, options.specification)
    if not options.unproved:
        proof = prove(network, routing)
        if not proof.deadlock_free:
            talk(f"{routing.label} is not exported, as it is not proved: {proof.text}")
            talk("hint: choose another routing, or give --unproved")
            if options.as_json:
                refusal = {"files": [], "verdict": proof.verdict, "text": proof.text}
                emit_json("export-opensm", refusal)
            click.get_current_context().exit(PROPERTY_DOES_NOT_HOLD)
    made = export_opensm(
        network,
        routing,
        options.folder,
        fabric_file=str(options.fabric),
        **picked(options, "engine", "lmc", "unproved"),
    )
    if options.as_json:
        head = {"files": made.files, "verdict": made.proof.verdict, "text": made.proof.text}
        emit_json("export-opensm", {**head, **picked(made, *_TOLD)})
        return
    say(fabric_line(network))
    say(f"{routing.label}: {made.proof.text}")
    for line in _summary(made):
        say(line)


class _IbdiagnetOptions(Options):
    fabric: Path = argument(type=FILE)
    ends: EndOptions = group(EndOptions)
    specification: str = argument(metavar="SPEC", type=ROUTING)
    folder: Path = option(
        "Folder to write to; made when missing.", "-o", "--output", type=FOLDER, required=True
    )
    as_json: bool = json_flag()


@command(_IbdiagnetOptions, export, short_help="Write routes as ibdiagnet dumps them.")
def ibdiagnet(options: _IbdiagnetOptions) -> None:
    """Write FABRIC and the routes of SPEC as ibdiagnet would dump them from running switches.

    FABRIC comes from a discovery (ibnetdiscover), as the files know switches by GUID. SPEC is a
    routing whose switches choose among groups of ports, such as ar_updn, forwarding tables on one
    service level, or a file of either. Nothing is proved; `weft prove` does, of the folder too.

    \b
    The folder:
      ibdiagnet2.ibnetdiscover, ibdiagnet2.lst   the wiring, with the LIDs of the tables
      ibdiagnet2.far      groups of ports, and by LID who chooses among them
      ibdiagnet2.fdbs     static ports
      ibdiagnet2.plft     which of several tables, where a switch has several
      ibdiagnet2.slvl     lanes by service level, where switches choose lanes
      ibdiagnet2.vl2vl    service levels that go by the lane they came on

    \b
    Examples:
      weft export ibdiagnet cluster.ibnetdiscover ar_updn -o ibdiagnet2
      weft prove ibdiagnet2/ibdiagnet2.ibnetdiscover ibdiagnet2
    """
    network = load_fabric(options.fabric, options.ends).fabric
    routing = load_routing(network, options.specification)
    made = export_ibdiagnet(network, routing, options.folder)
    if options.as_json:
        emit_json("export-ibdiagnet", {"files": made.files, "keeps_lids": made.keeps_lids})
        return
    say(fabric_line(network))
    say(f"LIDs: {'as the fabric has them' if made.keeps_lids else 'made, see the .ibnetdiscover'}")
    for path in made.files:
        say(str(path))


def _summary(made: OpensmExport) -> Sequence[str]:
    lines = [
        f"LIDs of a host: {2**made.lmc}, "
        + ("as the fabric has them" if made.keeps_lids else "see guid2lid"),
        f"service levels: {made.level_count}"
        + (f", {made.policy_rules} rules in the policy" if made.policy_rules else ""),
    ]
    if made.engine == "weft":
        lines.append(f"lanes: {made.lane_count}, told to switches by the plugin, engine weft")
    if made.needs_chosen_lids:
        lines.append("each source has a LID of its own to send to, for every host: see paths.csv")
    if made.unfit_for_managers:
        count = len(made.unfit_for_managers)
        lines.append(f"hosts that no subnet manager should run on: {count}, see README.md")
    return [*lines, *(str(path) for path in made.files)]
