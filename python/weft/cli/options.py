"""What stands on a command line as a record, and the records that several commands share.

A field of a record says how the option is spelled and what its help is; a field may be a record::

    @record
    class _Options:
        fabric: Path = argument(type=FILE)
        load: float = option("Payload each sending host offers.", type=float, required=True)
        traffic: TrafficOptions = group(TrafficOptions)

    @command(_Options)
    def simulate(options: _Options) -> None: ...
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

import click
from click.core import ParameterSource

from weft import _core
from weft.errors import InputError, StudyError
from weft.hardware import hardware, read_hardware
from weft.workload import Traffic, parse_sizes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from weft.errors import WeftError
    from weft.hardware import Hardware

__all__ = [
    "FILE",
    "FOLDER",
    "HardwareOptions",
    "RunOptions",
    "TrafficOptions",
    "argument",
    "command",
    "flag",
    "group",
    "json_flag",
    "needs",
    "option",
    "pairs",
    "parameters_of",
    "parse_loads",
    "pattern_option",
    "record",
]

#: Types of options: a file or folder, and a folder.
FILE = click.Path(path_type=Path)
FOLDER = click.Path(path_type=Path, file_okay=False)

Options = TypeVar("Options")


def argument(**settings: Any) -> Any:  # noqa: ANN401 - a field of any type
    """Describe an argument of a command, named as the field."""
    return field(metadata={"declare": click.argument, "spelled": (), "settings": settings})


def option(text: str, *spelled: str, **settings: Any) -> Any:  # noqa: ANN401 - as `argument`
    """Describe an option by its help, spelled as the field is named unless something is given."""
    settings = {"help": text, "show_default": "default" in settings or None, **settings}
    return field(metadata={"declare": click.option, "spelled": spelled, "settings": settings})


def flag(text: str, *spelled: str, **settings: Any) -> Any:  # noqa: ANN401 - as `argument`
    """Describe an option that is given or not."""
    return option(text, *spelled, is_flag=True, **settings)


def json_flag() -> Any:  # noqa: ANN401 - as `argument`
    """Describe ``--json``."""
    return flag("Print one JSON document instead of text.", "--json")


def group(described: type[Any], **changes: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Describe the options of a record within another, some with changed settings."""
    return field(metadata={"record": described, "changes": changes})


@dataclass_transform(
    frozen_default=True,
    kw_only_default=True,
    field_specifiers=(argument, option, flag, json_flag, group, field),
)
def record(described: type[Options]) -> type[Options]:
    """Make a record of a class whose fields are described by these functions."""
    return dataclass(frozen=True, slots=True, kw_only=True)(described)


def command(
    taken: type[Options], below: click.Group | None = None, **settings: str
) -> Callable[[Callable[[Options], None]], click.Command]:
    """Return a decorator: a command, or one below a group, is given its options as a record."""

    def taking(function: Callable[[Options], None]) -> click.Command:
        @wraps(function)
        def callback(**given: Any) -> None:  # noqa: ANN401
            function(_filled(taken, given))

        made: click.Command = (below or click).command(**settings)(parameters_of(taken)(callback))
        return made

    return taking


def parameters_of(described: type[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds the arguments and options of a record to a command."""

    def adding(command: Callable[..., Any]) -> Callable[..., Any]:
        for declared in reversed(list(_declared(described, {}))):
            command = declared(command)
        return command

    return adding


def _declared(
    described: type[Any], changes: Mapping[str, Mapping[str, Any]]
) -> Iterator[Callable[..., Any]]:
    for entry in fields(described):
        told = entry.metadata
        if "record" in told:
            yield from _declared(told["record"], told["changes"])
            continue
        names = told["spelled"] or [f"--{entry.name.replace('_', '-')}"]
        if told["declare"] is click.argument:
            names = [entry.name]
        elif not any(map(str.isidentifier, names)):
            names = [*names, entry.name]
        yield told["declare"](*names, **{**told["settings"], **changes.get(entry.name, {})})


def _filled(described: type[Options], given: Mapping[str, Any]) -> Options:
    values = {
        entry.name: _filled(entry.metadata["record"], given)
        if "record" in entry.metadata
        else given.get(entry.name)
        for entry in fields(described)  # type: ignore[arg-type]
    }
    return described(**values)


@record
class HardwareOptions:
    """The machine."""

    name: str = option(
        "The machine: a preset, or a TOML file that starts from one.",
        "--hardware",
        metavar="PRESET|FILE.toml",
        default="myrinet",
        show_default="myrinet",
    )
    changes: Sequence[str] = option(
        "Change a hardware parameter, such as routing_delay_ns=100; repeat for more."
        " `weft hardware` lists them.",
        "--set",
        metavar="KEY=VALUE",
        multiple=True,
    )

    def made(self, name: str | None = None) -> Hardware:
        """Return the preset or file, another than asked for where one is named, as changed."""
        name = name or self.name
        values = pairs("--set", self.changes, StudyError, "KEY=VALUE, such as routing_delay_ns=100")
        return (read_hardware if name.endswith(".toml") else hardware)(name, **values)


def pairs(
    spelled: str,
    texts: Sequence[str],
    refused: type[WeftError] = InputError,
    expected: str = "KEY=VALUE",
) -> dict[str, str]:
    """Read an option that is given as ``KEY=VALUE``, as often as it is; refuse any other form."""
    found = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign or not key.strip() or not value.strip():
            message = f"{spelled} {text}: expected {expected}"
            raise refused(message)
        found[key.strip()] = value.strip()
    return found


def pattern_option(**settings: Any) -> Any:  # noqa: ANN401 - as `argument`
    """Describe ``--pattern``."""
    return option(
        "How destinations are drawn: uniform, bit_reversal, hotspot:share=5,hosts=host3, …;"
        " `weft workload` lists them.",
        metavar="SPEC",
        **settings,
    )


@record
class TrafficOptions:
    """The traffic, but its load and seed."""

    pattern: str = pattern_option(default="uniform")
    payload_bytes: str = option(
        "Payload of a packet, or sizes with their shares: 32:0.2,2048:0.8.",
        metavar="BYTES|BYTES:SHARE,…",
        default="512",
    )
    share_of: str = option(
        "What the shares of --payload-bytes are shares of.",
        metavar="packets|bytes",
        default="packets",
    )
    arrivals: str = option(
        "How packets follow one another at a host: constant, poisson, or"
        " bursts:on_ns=20000,off_ns=60000. `weft workload` lists them.",
        metavar="SPEC",
        default="constant",
    )

    def made(self, **further: float) -> Traffic:
        """Return the traffic, ``load`` a fraction of the host link rate, with its ``seed``."""
        values: dict[str, Any] = {
            "pattern": self.pattern,
            "payload_bytes": parse_sizes(self.payload_bytes),
            "share_of": self.share_of,
            "arrivals": self.arrivals,
            **further,
        }
        return Traffic(**values)


@record
class RunOptions:
    """When a run ends, and what is followed in it."""

    precision: float = option(
        "A run ends when the 95 % interval of the mean latency is this narrow (half width"
        " relative to the mean).",
        type=float,
        default=_core.default_precision()[0],
    )
    max_packets: int | None = option(
        "A run ends after so many packets in any case.",
        type=int,
        show_default=f"{_core.packets_allowed(0)}, more where thousands of hosts need it",
    )
    pool_interval_ns: float | None = option(
        "Follow what the in-transit pools of the NICs hold, in intervals of so many nanoseconds.",
        type=float,
        metavar="NS",
    )


def needs(what: str, is_given: bool, *names: str) -> None:
    """Refuse options of the running command that say nothing without another."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        is_asked = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if name in names and is_asked and not is_given:
            message = f"{max(parameter.opts, key=len)} needs {what}, which is not given"
            raise click.UsageError(message, context)


def parse_loads(text: str | None) -> list[float] | None:
    """Return the loads of ``--loads``, None when it is not given."""
    if text is None:
        return None
    loads = []
    for part in text.split(","):
        try:
            loads.append(float(part))
        except ValueError as error:
            message = f"--loads {text}: found {part.strip()!r}, expected numbers such as 0.05,0.1"
            raise StudyError(message) from error
    return loads
