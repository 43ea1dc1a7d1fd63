"""``weft hardware``: the machine's parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from weft.cli.options import hardware_options, make_hardware
from weft.cli.output import emit_json, json_option
from weft.hardware import hardware_parameters

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["hardware"]


@click.command()
@hardware_options
@json_option
def hardware(hardware_name: str, changes: Sequence[str], as_json: bool) -> None:
    """Show the hardware's parameters as a TOML file to start from.

    \b
    Examples:
      weft hardware                              the preset myrinet, each parameter explained
      weft hardware --set routing_delay_ns=100 > faster.toml
      weft hardware --hardware infiniband_hdr    today's InfiniBand, with virtual lanes
      weft compare net.json --hardware faster.toml
    """
    made = make_hardware(hardware_name, changes)
    if as_json:
        values = made.parameters
        emit_json(
            {
                "preset": made.preset,
                "switching": made.switching,
                "parameters": [
                    {
                        "name": entry.name,
                        "value": values[entry.name],
                        "type": entry.type,
                        "unit": entry.unit,
                        "range": entry.range,
                        "default": entry.default,
                        "summary": entry.summary,
                        "source": entry.source,
                    }
                    for entry in hardware_parameters(made.preset)
                ],
            }
        )
        return
    click.echo(made.to_toml(), nl=False)
