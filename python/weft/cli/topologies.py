"""``weft fabric new NAME``: one command per topology, made from the registry."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import click

from weft.fabric import generate, topologies

if TYPE_CHECKING:
    from collections.abc import Callable

    from weft.fabric import Parameter, Topology

__all__ = ["add_topologies"]

#: Letters of an example that stand in one line.
_EXAMPLE_WIDTH = 88

_TITLE_WIDTH = 60  #: As much of a title as fits the line of a list of commands.


def add_topologies(
    group: click.Group, output_options: Callable[..., Any], write: Callable[..., None]
) -> None:
    """Add a command for every topology.

    `output_options` adds the options ``output``, ``force`` and ``as_json``, which `write` is given
    with the fabric.
    """
    for topology in topologies():
        name = _spelled(topology.name)
        command = click.command(
            name,
            help=_help(topology),
            short_help=textwrap.shorten(f"{topology.title}.", _TITLE_WIDTH, placeholder="…"),
        )
        group.add_command(command(_with_options(topology, output_options, write)))


def _with_options(
    topology: Topology, output_options: Callable[..., Any], write: Callable[..., None]
) -> Callable[..., Any]:
    def run(**options: Any) -> None:  # noqa: ANN401 - click's own
        output = options.pop("output")
        told = {name: options.pop(name) for name in ("force", "as_json")}
        write(generate(topology.name, **options), output, **told)

    function = output_options(run)
    for parameter in reversed(topology.parameters):
        function = _option(parameter)(function)
    result: Callable[..., Any] = function
    return result


def _option(parameter: Parameter) -> Callable[..., Any]:
    given: dict[str, Any] = {} if parameter.default is None else {"default": parameter.default}
    return click.option(
        f"--{_spelled(parameter.name)}",
        parameter.name,
        metavar="VALUE",
        required=parameter.default is None,
        show_default=parameter.default is not None,
        help=f"{parameter.summary} {parameter.kind[:1].upper()}{parameter.kind[1:]}.",
        **given,
    )


def _help(topology: Topology) -> str:
    given = [
        f"--{_spelled(parameter.name)} {parameter.example}"
        for parameter in topology.parameters
        if parameter.default is None
    ]
    name = _spelled(topology.name)
    example = " ".join(["weft fabric new", name, *given])
    written = f"-o {name}.json"
    apart = " " if len(example) + len(written) <= _EXAMPLE_WIDTH else " \\\n      "
    example += apart + written
    return (
        f"Make a network: {topology.title}.\n\n{topology.summary}\n\n"
        f"Source: {topology.source}.\n\n\b\nExample:\n  {example}"
    )


def _spelled(name: str) -> str:
    """Write a name as the command line does."""
    return name.replace("_", "-")
