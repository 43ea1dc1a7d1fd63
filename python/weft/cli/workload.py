"""``weft workload``: the traffic patterns and arrival processes there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.cli.options import Options, command, json_flag
from weft.cli.output import emit_json, say
from weft.workload import arrival_processes, patterns

if TYPE_CHECKING:
    from weft.workload import ArrivalProcess, TrafficPattern

__all__ = ["workload"]


class _Options(Options):
    as_json: bool = json_flag()


@command(_Options)
def workload(options: _Options) -> None:
    """List the traffic patterns and arrival processes with their parameters.

    A pattern is given as a name, with parameters after a colon where they differ from the
    defaults: hotspot, hotspot:share=5,hosts=host3. So is an arrival process.

    \b
    Examples:
      weft workload
      weft simulate net.json --routing updown --load 0.05 --pattern transpose:convention=rhinet
      weft compare net.json --pattern local:radius=3 --arrivals bursts:on_ns=20000,off_ns=60000
    """
    if options.as_json:
        emit_json("workload", {"patterns": patterns(), "arrivals": arrival_processes()})
        return
    say("traffic patterns, for --pattern:\n")
    for pattern in patterns():
        _print(pattern, [f"defined on: {pattern.defined_on}"])
    say("arrival processes, for --arrivals:\n")
    for process in arrival_processes():
        _print(process, [])


def _print(entry: TrafficPattern | ArrivalProcess, further: list[str]) -> None:
    say(f"{entry.name}: {entry.title}")
    for line in [entry.summary, *further, f"source: {entry.source}"]:
        say(f"  {line}")
    for parameter in entry.parameters:
        default = "" if parameter.default is None else f" (default {parameter.default})"
        unit = f" {parameter.unit}" if parameter.unit else ""
        say(f"  {parameter.name}={parameter.kind}{unit}{default}: {parameter.summary}")
    say()
