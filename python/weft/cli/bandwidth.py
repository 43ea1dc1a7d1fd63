"""``weft bandwidth``: data over the time until they are acknowledged, host by host."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from weft._ranges import MOST_OF_32_BITS
from weft.bandwidth import USUAL_PATTERN, acknowledging
from weft.bandwidth import bandwidth as measure
from weft.cli.machines import machine_pairs, once
from weft.cli.named_types import PATTERN
from weft.cli.networks import NetworkOptions
from weft.cli.options import Options, command, group, json_flag, option
from weft.cli.output import Column, emit_json, picked, print_pairs, print_table, words
from weft.cli.quantity_types import SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["bandwidth"]

#: What `acknowledged` of the messaging layer means.
_WAITS = {1: "ack-wait (acknowledged=1)", 2: "no-ack-wait (acknowledged=2)"}
_SHOWN = ("mean_bytes_per_ns", "min_bytes_per_ns", "max_bytes_per_ns")


class _Options(Options):
    networks: NetworkOptions = group(NetworkOptions)
    pattern: str = option(
        "The destination of each host, a permutation: bit_reversal, transpose, complement, …"
        " The default is one of all there are, drawn by its seed.",
        metavar="SPEC",
        type=PATTERN,
        default=USUAL_PATTERN,
    )
    sizes: Sequence[int] = option(
        "Length of a message, such as 512 or 64KiB; repeat for several.",
        "--bytes",
        type=SIZE,
        multiple=True,
        default=[1792],
    )
    messages: int = option(
        "Messages that each host sends.", type=click.IntRange(1, MOST_OF_32_BITS), default=50
    )
    as_json: bool = json_flag()


@command(_Options)
def bandwidth(options: _Options) -> None:
    """Measure the bandwidth of hosts that all send at once.

    Each host writes messages to the memory of one other. Its bandwidth is B = D / T: its data over
    the time until the last of them was acknowledged. The table shows mean, minimum and maximum over
    the hosts that send. Packets are acknowledged: with ack-wait (--messaging acknowledged=1) a
    message follows when the one before is acknowledged, with no-ack-wait (2) at once. Where the
    hardware's hosts acknowledge nothing in packets of its own, 2 is taken.

    \b
    Examples:
      weft bandwidth --hardware rhinet2 --fabric mesh.json --routing dimension_order
      weft bandwidth --hardware rhinet2 --fabric torus.json --routing updown --routing dfs \\
          --pattern transpose --bytes 512 --bytes 1792 --messaging acknowledged=2
    """
    given = options.networks.layer.parameters
    documents = []
    routed = options.networks.routed()
    for network in routed:
        parameters = acknowledging(network.machine, given)
        for size in options.sizes:
            found = measure(
                *network,
                options.pattern,
                size_bytes=size,
                messages=options.messages,
                messaging=parameters,
            )
            acknowledged = int(parameters["acknowledged"])
            head = {**network.document(), "bytes": size, "acknowledged": acknowledged}
            documents.append({**head, **picked(found, *_SHOWN, "host_bytes_per_ns")})
    if options.as_json:
        emit_json("bandwidth", {**picked(options, "pattern", "messages"), "runs": documents})
        return
    waits = {entry["fabric"]: _WAITS[entry["acknowledged"]] for entry in documents}
    print_pairs(
        {
            **machine_pairs([(network.fabric, network.machine) for network in routed]),
            "pattern": options.pattern,
            **once("acknowledgements", waits),
        }
    )
    columns = [
        *words("fabric", "routing"),
        Column("message", "bytes"),
        *(Column(name, "MB/s") for name in ("mean", "minimum", "maximum")),
    ]
    rows = [
        [
            *(str(entry[name]) for name in ("fabric", "routing", "bytes")),
            *(f"{1000 * float(str(entry[name])):.2f}" for name in _SHOWN),
        ]
        for entry in documents
    ]
    print_table(columns, rows)
