"""Options that several commands share, and how their texts become stages' arguments."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from weft import _core
from weft.errors import StudyError
from weft.hardware import hardware, read_hardware
from weft.workload import Traffic, parse_sizes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.hardware import Hardware

__all__ = [
    "given_as",
    "hardware_options",
    "make_hardware",
    "make_traffic",
    "needs",
    "parse_loads",
    "pattern_option",
    "pool_option",
    "run_options",
    "traffic_options",
]


Options = TypeVar("Options")


def given_as(record: type[Options]) -> Callable[[Callable[[Options], None]], Callable[..., None]]:
    """Return a decorator: the command takes its arguments and options as one record of them."""

    def taking(command: Callable[[Options], None]) -> Callable[..., None]:
        @wraps(command)
        def callback(**given: Any) -> None:  # noqa: ANN401
            command(record(**given))

        return callback

    return taking


def hardware_options(
    command: Callable[..., Any], default: str | None = "myrinet", default_text: str = "myrinet"
) -> Callable[..., Any]:
    """Add ``--hardware`` and ``--set`` to a command."""
    command = click.option(
        "--set",
        "changes",
        metavar="KEY=VALUE",
        multiple=True,
        help="Change a hardware parameter, such as routing_delay_ns=100; repeat for more."
        " `weft hardware` lists them.",
    )(command)
    return click.option(
        "--hardware",
        "hardware_name",
        metavar="PRESET|FILE.toml",
        default=default,
        show_default=default_text,
        help="The machine: a preset, or a TOML file that starts from one.",
    )(command)


def traffic_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the traffic, but its load and seed, to a command."""
    command = click.option(
        "--arrivals",
        metavar="SPEC",
        default="constant",
        show_default=True,
        help="How packets follow one another at a host: constant, poisson, or"
        " bursts:on_ns=20000,off_ns=60000. `weft workload` lists them.",
    )(command)
    command = click.option(
        "--share-of",
        metavar="packets|bytes",
        default="packets",
        show_default=True,
        help="What the shares of --payload-bytes are shares of.",
    )(command)
    command = click.option(
        "--payload-bytes",
        metavar="BYTES|BYTES:SHARE,…",
        default="512",
        show_default=True,
        help="Payload of a packet, or sizes with their shares: 32:0.2,2048:0.8.",
    )(command)
    with_pattern: Callable[..., Any] = pattern_option(default="uniform")(command)
    return with_pattern


def pattern_option(*, default: str | None = None) -> Callable[..., Any]:
    """Return the decorator that adds ``--pattern`` to a command, with a default or without."""
    return click.option(
        "--pattern",
        metavar="SPEC",
        help="How destinations are drawn: uniform, bit_reversal, hotspot:share=5,hosts=host3, …;"
        " `weft workload` lists them.",
        default=default,
        show_default=default is not None,
    )


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--precision`` and ``--max-packets`` to a command."""
    command = click.option(
        "--max-packets",
        type=int,
        show_default=f"{_core.packets_allowed(0)}, more where thousands of hosts need it",
        help="A run ends after so many packets in any case.",
    )(command)
    return click.option(
        "--precision",
        type=float,
        default=_core.default_precision()[0],
        show_default=True,
        help="A run ends when the 95 % interval of the mean latency is this narrow (half width"
        " relative to the mean).",
    )(command)


def pool_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--pool-interval-ns`` to a command."""
    return click.option(
        "--pool-interval-ns",
        type=float,
        metavar="NS",
        help="Follow what the in-transit pools of the NICs hold, in intervals of so many"
        " nanoseconds.",
    )(command)


def needs(what: str, is_given: bool, *names: str) -> None:
    """Refuse options of the running command that say nothing without another."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        is_asked = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if name in names and is_asked and not is_given:
            message = f"{max(parameter.opts, key=len)} needs {what}, which is not given"
            raise click.UsageError(message, context)


def make_hardware(name: str, changes: Sequence[str]) -> Hardware:
    """Return the preset or file ``--hardware`` with the ``KEY=VALUE`` of each ``--set``."""
    values = {}
    for change in changes:
        key, sign, value = change.partition("=")
        if not sign or not key.strip() or not value.strip():
            message = f"--set {change}: expected KEY=VALUE, such as routing_delay_ns=100"
            raise StudyError(message)
        values[key.strip()] = value.strip()
    if name.endswith(".toml"):
        return read_hardware(name, **values)
    return hardware(name, **values)


def make_traffic(
    pattern: str,
    payload_bytes: str,
    share_of: str,
    arrivals: str,
    *,
    load: float | None = None,
    seed: int = 1,
) -> Traffic:
    """Return the traffic that the options ask for; the load is a fraction of the host link rate."""
    values: dict[str, Any] = {
        "pattern": pattern,
        "payload_bytes": parse_sizes(payload_bytes),
        "share_of": share_of,
        "arrivals": arrivals,
        "seed": seed,
    }
    return Traffic(**values) if load is None else Traffic(load=load, **values)


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
