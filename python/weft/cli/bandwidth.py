"""``weft bandwidth``: data over the time until they are acknowledged, host by host."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from weft.bandwidth import bandwidth as measure
from weft.cli.networks import network_options, numbers, routed_networks
from weft.cli.options import make_hardware
from weft.cli.output import Column, emit_json, json_option, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["bandwidth"]


@click.command()
@network_options
@click.option(
    "--pattern",
    metavar="SPEC",
    default="bit_reversal",
    show_default=True,
    help="The destination of each host, a permutation: bit_reversal, transpose, complement, …",
)
@click.option(
    "--bytes",
    "sizes",
    type=click.IntRange(1),
    multiple=True,
    default=[1792],
    show_default=True,
    help="Length of a message; repeat for several.",
)
@click.option(
    "--messages",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="Messages that each host sends.",
)
@json_option
def bandwidth(
    fabrics: Sequence[Path],
    routings: Sequence[str],
    messaging: Sequence[str],
    hardware_name: str,
    changes: Sequence[str],
    pattern: str,
    sizes: Sequence[int],
    messages: int,
    as_json: bool,
) -> None:
    """Measure the bandwidth of hosts that all send at once.

    Each host writes messages to the memory of one other. Its bandwidth is B = D / T: its data over
    the time until the last of them was acknowledged. The table shows mean, minimum and maximum over
    the hosts that send. Packets must be acknowledged: with ack-wait (--messaging acknowledged=1) a
    message follows when the one before is acknowledged, with no-ack-wait (2) at once.

    \b
    Examples:
      weft bandwidth --hardware rhinet2 --fabric mesh.json --routing dimension_order
      weft bandwidth --hardware rhinet2 --fabric torus.json --routing updown --routing dfs \\
          --pattern transpose --bytes 512 --bytes 1792 --messaging acknowledged=2
    """
    hardware = make_hardware(hardware_name, changes)
    parameters = numbers("--messaging", messaging)
    documents = []
    for fabric, routing in routed_networks(fabrics, routings):
        for size in sizes:
            found = measure(
                fabric,
                routing,
                hardware,
                pattern,
                size_bytes=size,
                messages=messages,
                messaging=parameters,
            )
            documents.append(
                {
                    "fabric": fabric.name,
                    "routing": routing.label,
                    "bytes": size,
                    "mean_bytes_per_ns": found.mean_bytes_per_ns,
                    "min_bytes_per_ns": found.min_bytes_per_ns,
                    "max_bytes_per_ns": found.max_bytes_per_ns,
                    "host_bytes_per_ns": found.host_bytes_per_ns,
                }
            )
    if as_json:
        emit_json({"pattern": pattern, "messages": messages, "runs": documents})
        return
    columns = [
        Column("fabric", is_number=False),
        Column("routing", is_number=False),
        Column("message", "bytes"),
        *(Column(name, "MB/s") for name in ("mean", "minimum", "maximum")),
    ]
    shown = ("mean_bytes_per_ns", "min_bytes_per_ns", "max_bytes_per_ns")
    rows = [
        [
            str(entry["fabric"]),
            str(entry["routing"]),
            str(entry["bytes"]),
            *(f"{1000 * float(str(entry[name])):.2f}" for name in shown),
        ]
        for entry in documents
    ]
    print_table(columns, rows)
