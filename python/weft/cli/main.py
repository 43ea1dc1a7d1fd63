"""The command ``weft`` and what hangs below it."""

from __future__ import annotations

import gc
import importlib

import click

from weft._extras import reraise
from weft._machine import build, build_summary, weft_version
from weft.cli.errors import WeftGroup
from weft.cli.output import emit_json, is_json_asked, say

__all__ = ["main"]

#: Commands by name: the module that has one under its name, and what it does in a line. A module is
#: imported when its command is asked for, so that help comes at once.
_COMMANDS = {
    "advise": ("weft.cli.advice", "Say which routing a cluster should take."),
    "audit": ("weft.cli.audit", "Judge the routing a cluster has today."),
    "bandwidth": ("weft.cli.bandwidth", "Measure what hosts get through to one another."),
    "collective": ("weft.cli.collective", "Time a collective operation."),
    "compare": ("weft.cli.compare", "Compare routings on a fabric, from proof to report."),
    "completion": ("weft.cli.completion", "Print what a shell completes commands by."),
    "explore": ("weft.cli.explore", "Draw a fabric on a page that answers questions."),
    "export": ("weft.cli.export", "Write results as tables, or routes for OpenSM."),
    "fabric": ("weft.cli.fabric", "Make, look at and convert networks."),
    "hardware": ("weft.cli.hardware", "Show the parameters of the hardware."),
    "jobs": ("weft.cli.jobs", "Run several jobs at once."),
    "place": ("weft.cli.free_hosts", "Choose free hosts for a job."),
    "prove": ("weft.cli.proof", "Prove routes deadlock-free, or show the cycle."),
    "rehearse": ("weft.cli.rehearsal", "Rehearse a failure and its repair under traffic."),
    "replay": ("weft.cli.replay", "Replay a recorded application."),
    "report": ("weft.cli.report", "Write the report of a study (HTML)."),
    "reproduce": ("weft.cli.reproduce", "Run published experiments again."),
    "route": ("weft.cli.routing", "Show how routes load the channels."),
    "simulate": ("weft.cli.simulate", "Simulate one load until its figures are steady."),
    "study": ("weft.cli.study", "Run study files: many fabrics, loads, seeds."),
    "survive": ("weft.cli.survival", "Say what each failure of a part would cost."),
    "transition": ("weft.cli.transition", "Plan the way from old tables to new."),
    "watch": ("weft.cli.watch", "Watch a fabric beside OpenSM, and repair its tables."),
    "workload": ("weft.cli.workload", "List traffic patterns and arrival processes."),
}


class _LateCommands(WeftGroup):
    """A group whose commands are imported one by one, when they are asked for."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name, None where there is none of it."""
        if cmd_name not in _COMMANDS:
            return None
        module, summary = _COMMANDS[cmd_name]
        try:
            command: click.Command = getattr(importlib.import_module(module), cmd_name)
        except ModuleNotFoundError as error:
            reraise(error)
        command.short_help = summary
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with what each does."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in _COMMANDS.items()])


def _print_version(context: click.Context, _: click.Parameter, is_asked: bool) -> None:
    """Print the version of Weft and what it was built from, and end."""
    if not is_asked or context.resilient_parsing:
        return
    if is_json_asked(context):
        emit_json("version", build())
    else:
        say(f"weft {weft_version()}\n{build_summary()}")
    context.exit()


def _refuse_json(context: click.Context, _: click.Parameter, is_asked: bool) -> None:
    """Say where ``--json`` goes, which alone means nothing."""
    if is_asked:
        message = "--json goes behind a command: weft workload --json; or behind --version"
        raise click.UsageError(message, context)


@click.group(
    name="weft",
    cls=_LateCommands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 96},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version, and what it was built from, and end.",
)
@click.option(
    "--json",
    is_flag=True,
    expose_value=False,
    callback=_refuse_json,
    help="With --version: print one JSON document instead of text.",
)
def main() -> None:
    """Compare routings of interconnection networks.

    Give it a fabric (a file from a real cluster, or one of the generators), and it says which
    routings are deadlock-free there, how they balance, and how much traffic each carries at what
    latency.

    \b
    Begin here:
      weft compare cluster.ibnetdiscover       everything, with a report to open
      weft fabric new irregular --switches 16 -o net.json
      weft compare net.json --routing updown --routing ud_itb
      weft study run sizes.toml                many fabrics, loads, seeds, on a cluster too

    \b
    A cluster of InfiniBand:
      weft audit cluster.ibnetdiscover opensm-lfts.dump     its routing of today, judged
      weft advise cluster.ibnetdiscover --lanes 4 --fail 2%
      weft export opensm cluster.ibnetdiscover lash:lanes=8 -o weft-opensm

    \b
    One stage at a time:
      weft fabric show net.json                what the network looks like
      weft route net.json ud_itb               how its routes load the channels
      weft prove net.json minimal              whether they can deadlock, and how
      weft simulate net.json --routing updown --load 0.1
      weft replay cg.ti --fabric net.json --routing updown

    Every command takes --json and then prints one JSON document, lists and errors too; at its top
    are the release, its kind and the version of its form. Data goes to stdout, everything else to
    stderr. Exit codes: 0 done; 1 done, but a required property does not hold (such as
    deadlock freedom); 2 bad input; 3 the machine refused (disk full, no permission); 70 a bug in
    Weft; 130 interrupted.
    """
    # Charts are a hundred thousand objects, nearly all of them needed to the end of each.
    gc.set_threshold(50_000)


for name, (_, summary) in _COMMANDS.items():
    main.add_command(click.Command(name, short_help=summary))
