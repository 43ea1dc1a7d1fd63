"""What stands on a command line, and the options that several commands share.

A field of a class says how the option is spelled and what its help is; it may be such a class::

    class _Options(Options):
        fabric: Path = argument(type=FILE)
        load: float = option("Payload each sending host offers.", type=float, required=True)
        traffic: TrafficOptions = group(TrafficOptions)

    @command(_Options)
    def simulate(options: _Options) -> None: ...
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from weft import _core
from weft.cli.named_types import ARRIVALS, PATTERN
from weft.cli.output import emit_json, is_json_asked
from weft.cli.quantity_types import SHARE, TIME
from weft.errors import InputError, StudyError
from weft.quantities import parse_share
from weft.workload import Traffic, parse_sizes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from weft.errors import WeftError

__all__ = [
    "FILE",
    "FOLDER",
    "WRITTEN",
    "Options",
    "RunOptions",
    "TrafficOptions",
    "argument",
    "command",
    "flag",
    "group",
    "json_flag",
    "list_flag",
    "needs",
    "option",
    "pairs",
    "parse_loads",
    "pattern_option",
]


class _Named(click.Path):
    """A file or folder; the empty name, as of a variable that is not set, is not this folder's."""

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's own
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401 - click's own
        """Return the path."""
        if value == "":
            self.fail("found an empty name; expected that of a file or folder", param, ctx)
        return super().convert(value, param, ctx)


class _Written(_Named):
    """A file that a command writes."""


#: Types of options: a file or folder, a folder, and a file that is written.
FILE = _Named(path_type=Path)
FOLDER = _Named(path_type=Path, file_okay=False)
WRITTEN = _Written(path_type=Path)

Taken = TypeVar("Taken", bound="Options")


@dataclass(frozen=True, slots=True)
class _Parameter:
    """An argument or option as a class of options describes it."""

    declare: Callable[..., Any]
    spelled: Sequence[str]
    settings: dict[str, Any]

    def declared(self, name: str, changes: Mapping[str, Any]) -> Callable[..., Any]:
        """Return the decorator that adds it to a command, under the name of its field."""
        names = self.spelled or [f"--{name.replace('_', '-')}"]
        if self.declare is click.argument:
            names = [name]
        elif not any(map(str.isidentifier, names)):
            names = [*names, name]
        decorator: Callable[..., Any] = self.declare(*names, **{**self.settings, **changes})
        return decorator


@dataclass(frozen=True, slots=True)
class _Group:
    """Options that belong together, some of them with changed settings."""

    options: type[Options]
    changes: Mapping[str, Mapping[str, Any]]


class Options:
    """What stands on a command line, field by field as a class describes it."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        for name, entry in vars(type(self)).items():
            if isinstance(entry, _Group):
                setattr(self, name, entry.options(given))
            elif isinstance(entry, _Parameter):
                setattr(self, name, given.get(name))

    @classmethod
    def added_to(cls, command: Callable[..., Any]) -> Callable[..., Any]:
        """Add the arguments and options to a command."""
        for declared in reversed(list(_declared(cls, {}))):
            command = declared(command)
        return command


def _declared(
    options: type[Options], changes: Mapping[str, Mapping[str, Any]]
) -> Iterator[Callable[..., Any]]:
    for name, entry in vars(options).items():
        if isinstance(entry, _Group):
            yield from _declared(entry.options, entry.changes)
        elif isinstance(entry, _Parameter):
            yield entry.declared(name, changes.get(name, {}))


def argument(**settings: Any) -> Any:  # noqa: ANN401 - a field of any type
    """Describe an argument of a command, named as the field."""
    return _Parameter(click.argument, (), settings)


def option(text: str, *spelled: str, **settings: Any) -> Any:  # noqa: ANN401 - as `argument`
    """Describe an option by its help, spelled as the field is named unless something is given."""
    settings = {"help": text, "show_default": "default" in settings or None, **settings}
    return _Parameter(click.option, spelled, settings)


def flag(text: str, *spelled: str, **settings: Any) -> Any:  # noqa: ANN401 - as `argument`
    """Describe an option that is given or not."""
    return option(text, *spelled, is_flag=True, **settings)


def json_flag() -> Any:  # noqa: ANN401 - as `argument`
    """Describe ``--json``."""
    return flag("Print one JSON document instead of text.", "--json")


def list_flag(
    text: str,
    kind: str,
    content: Callable[[], Mapping[str, Sequence[Any]]],
    print_entry: Callable[[Any], None],
) -> Any:  # noqa: ANN401 - as `argument`
    """Describe ``--list``: prints what there is, entry by entry or as a document, and ends.

    What a command cannot do without may be missing then.
    """

    def print_list(context: click.Context, _: click.Parameter, is_asked: bool) -> None:
        if not is_asked or context.resilient_parsing:
            return
        if is_json_asked(context):
            emit_json(kind, content())
        else:
            for entry in chain.from_iterable(content().values()):
                print_entry(entry)
        context.exit()

    return flag(text, "--list", is_eager=True, expose_value=False, callback=print_list)


def group(options: type[Options], **changes: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Describe the options of a class within another, some with changed settings."""
    return _Group(options, changes)


def command(
    taken: type[Taken], below: click.Group | None = None, **settings: str
) -> Callable[[Callable[[Taken], None]], click.Command]:
    """Return a decorator: a command, or one below a group, is given its options."""

    def taking(function: Callable[[Taken], None]) -> click.Command:
        @wraps(function)
        def callback(**given: Any) -> None:  # noqa: ANN401
            _refuse_writing_twice(click.get_current_context())
            function(taken(given))

        made: click.Command = (below or click).command(**settings)(taken.added_to(callback))
        return made

    return taking


def _refuse_writing_twice(context: click.Context) -> None:
    """Refuse to write a file that the command line names a second time, as what is to be read."""
    named = [
        (parameter, path.resolve())
        for parameter in context.command.params
        for path in _files(context.params.get(parameter.name or ""))
    ]
    for at, (parameter, path) in enumerate(named):
        if not isinstance(parameter.type, _Written):
            continue
        for other, elsewhere in named[:at] + named[at + 1 :]:
            if elsewhere == path:
                message = (
                    f"{_spelling(parameter)} would write over {path.name}, which is"
                    f" {_spelling(other)} too; give another name"
                )
                raise click.UsageError(message, context)


def _files(value: object) -> Iterator[Path]:
    """Return the files among the values of a parameter, and those that may be to come."""
    for one in value if isinstance(value, (list, tuple)) else [value]:
        if not isinstance(one, (str, Path)):
            continue
        # A text that no file can have as its name names none.
        with suppress(OSError, ValueError):
            path = Path(one)
            if path.is_file() or (isinstance(one, Path) and not path.exists()):
                yield path


def _spelling(parameter: click.Parameter) -> str:
    """Return how the command line spells a parameter."""
    if isinstance(parameter, click.Argument):
        return parameter.human_readable_name
    return max(parameter.opts, key=len)


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
        **{"type": PATTERN, **settings},
    )


class TrafficOptions(Options):
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
        type=ARRIVALS,
        default="poisson",
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


class RunOptions(Options):
    """When a run ends, and what is followed in it."""

    precision: float = option(
        "A run ends when the 95 % interval of the mean latency is this narrow (half width"
        " relative to the mean).",
        type=SHARE,
        default=_core.default_precision()[0],
    )
    max_packets: int | None = option(
        "A run ends after so many packets in any case.",
        type=int,
        show_default=f"{_core.packets_allowed(0)}, more where thousands of hosts need it",
    )
    pool_interval_ns: float | None = option(
        "Follow what the in-transit pools of the NICs hold, in intervals of such a time: 50000"
        " (ns) or 50us.",
        type=TIME,
        metavar="TIME",
    )


def needs(what: str, is_given: bool, *names: str) -> None:
    """Refuse options of the running command that say nothing without another."""
    if not is_given:
        _refuse_given(f"needs {what}, which is not given", names)


def refuse_idle(why: str, *names: str) -> None:
    """Refuse options of the running command that nothing would come of."""
    _refuse_given(f"says nothing {why}", names)


def _refuse_given(why: str, names: Sequence[str]) -> None:
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        is_asked = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if name in names and is_asked:
            message = f"{_spelling(parameter)} {why}"
            raise click.UsageError(message, context)


def parse_loads(text: str | None) -> list[float] | None:
    """Return the loads of ``--loads``, None when it is not given."""
    if text is None:
        return None
    loads = []
    for part in text.split(","):
        try:
            loads.append(parse_share(part))
        except InputError as error:
            message = f"--loads {text}: {error}, joined by commas"
            raise StudyError(message) from error
    return loads
