"""The command ``weft`` and what hangs below it."""

from __future__ import annotations

import click

from weft.cli.advise import advise
from weft.cli.audit import audit
from weft.cli.bandwidth import bandwidth
from weft.cli.compare import compare
from weft.cli.errors import WeftGroup
from weft.cli.export import export
from weft.cli.fabric import fabric
from weft.cli.hardware import hardware
from weft.cli.proof import prove
from weft.cli.replay import collective, replay
from weft.cli.report import report
from weft.cli.reproduce import reproduce
from weft.cli.routing import route
from weft.cli.simulate import simulate
from weft.cli.study import study
from weft.cli.workload import workload

__all__ = ["main"]


def _print_version(context: click.Context, _: click.Parameter, is_asked: bool) -> None:
    """Print the version of Weft and what it was built from, and end."""
    if is_asked:
        from weft.results.machine import build_summary, weft_version

        click.echo(f"weft {weft_version()}\n{build_summary()}")
        context.exit()


@click.group(
    name="weft",
    cls=WeftGroup,
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

    Every command takes --json and then prints one JSON document. Data goes to stdout, everything
    else to stderr. Exit codes: 0 done; 1 done, but a required property does not hold (such as
    deadlock freedom); 2 bad input; 3 the machine refused (disk full, no permission); 70 a bug in
    Weft; 130 interrupted.
    """


for command in (
    compare,
    study,
    audit,
    advise,
    fabric,
    route,
    prove,
    simulate,
    replay,
    collective,
    bandwidth,
    report,
    export,
    hardware,
    workload,
    reproduce,
):
    main.add_command(command)
