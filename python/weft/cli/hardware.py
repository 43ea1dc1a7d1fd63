"""``weft hardware``: the machine's parameters."""

from __future__ import annotations

from weft.cli.machines import HardwareOptions
from weft.cli.options import Options, command, group, json_flag
from weft.cli.output import emit_json, picked, say
from weft.hardware import hardware_parameters

__all__ = ["hardware"]


class _Options(Options):
    hardware: HardwareOptions = group(HardwareOptions)
    as_json: bool = json_flag()


@command(_Options)
def hardware(options: _Options) -> None:
    """Show the hardware's parameters as a TOML file to start from.

    \b
    Examples:
      weft hardware                              the preset myrinet, each parameter explained
      weft hardware --set routing_delay_ns=100 > faster.toml
      weft hardware --hardware infiniband_hdr    today's InfiniBand, with virtual lanes
      weft compare net.json --hardware faster.toml
    """
    made = options.hardware.made("myrinet")
    if not options.as_json:
        say(made.to_toml(), nl=False)
        return
    told = ("type", "unit", "range", "default", "summary", "source")
    parameters = [
        {"name": entry.name, "value": made.parameters[entry.name], **picked(entry, *told)}
        for entry in hardware_parameters(made.preset)
    ]
    emit_json("hardware", {**picked(made, "preset", "switching"), "parameters": parameters})
