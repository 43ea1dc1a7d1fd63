"""Reference made from the registries: commands, topologies, formats, algorithms, traffic, hardware.

The directives ``weft-commands``, ``weft-topologies``, ``weft-formats``, ``weft-algorithms``,
``weft-patterns``, ``weft-arrivals``, ``weft-hardware`` and ``weft-study-keys`` put into a page what
the installed Weft says of itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import weft
from weft import _core
from weft.cli import main
from weft.study import study_keys

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

    from weft.fabric.parameter import Entry

HELP_WIDTH = 96


def paragraph(text: str) -> nodes.paragraph:
    """Return a paragraph of plain text."""
    return nodes.paragraph("", text)


def section(name: str, *content: nodes.Node) -> nodes.section:
    """Return a section whose title is a name in code."""
    result = nodes.section(ids=[nodes.make_id(name)], names=[name])
    result += nodes.title("", "", nodes.literal("", name))
    result.extend(content)
    return result


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> nodes.table:
    """Return a table; the first column is in code."""
    group = nodes.tgroup(cols=len(header))
    group.extend(nodes.colspec(colwidth=1) for _ in header)
    head, body = nodes.thead(), nodes.tbody()
    head += table_row([nodes.Text(title) for title in header])
    for first, *rest in rows:
        body += table_row([nodes.literal("", first), *(nodes.Text(text) for text in rest)])
    group += [head, body]
    return nodes.table("", group)


def table_row(cells: Sequence[nodes.Node]) -> nodes.row:
    """Return a row with one paragraph per cell."""
    row = nodes.row()
    for cell in cells:
        row += nodes.entry("", nodes.paragraph("", "", cell))
    return row


def context_of(command: click.Command, parent: click.Context | None, name: str) -> click.Context:
    """Return the context in which a command prints its help, at the width of the page."""
    settings = command.context_settings | {"max_content_width": HELP_WIDTH}
    return click.Context(command, parent, name, terminal_width=HELP_WIDTH, **settings)


def entry_section(entry: Entry, *further: str) -> nodes.section:
    """Return the section of an entry of a registry, with its parameters where it has some."""
    rows = [
        (parameter.name, parameter.kind, parameter.default or "–", parameter.summary)
        for parameter in entry.parameters
    ]
    header = ("parameter", "values", "default", "meaning")
    return section(
        entry.name,
        paragraph(f"{entry.title}. {entry.summary}"),
        *map(paragraph, further),
        paragraph(f"Source: {entry.source}"),
        *([table(header, rows)] if rows else []),
    )


class Commands(SphinxDirective):
    """Every command with the help it prints."""

    def run(self) -> list[nodes.Node]:
        """Return one section per command."""
        return list(self.sections(main, context_of(main, None, "weft")))

    def sections(self, command: click.Command, context: click.Context) -> Iterator[nodes.Node]:
        """Yield a section for a command and for each below it."""
        help_text = nodes.literal_block("", command.get_help(context), language="text")
        yield section(context.command_path, help_text)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                below = command.get_command(context, name)
                if below is not None:
                    yield from self.sections(below, context_of(below, context, name))


class Topologies(SphinxDirective):
    """Every topology with its parameters."""

    def run(self) -> list[nodes.Node]:
        """Return one section per topology."""
        return [entry_section(topology) for topology in weft.topologies()]


class Formats(SphinxDirective):
    """Every format of fabric files."""

    def run(self) -> list[nodes.Node]:
        """Return one table."""
        header = ("format", "files", "read", "written", "what it is", "what comes back of a fabric")
        rows = [
            (
                entry.name,
                ", ".join(f".{end}" for end in entry.extensions) or "–",
                "yes" if entry.reads else "–",
                "yes" if entry.writes else "–",
                f"{entry.title}. {entry.summary}",
                entry.keeps,
            )
            for entry in weft.fabric_formats()
        ]
        return [table(header, rows)]


class Algorithms(SphinxDirective):
    """Every routing algorithm with its parameters."""

    def run(self) -> list[nodes.Node]:
        """Return one section per algorithm."""
        return [
            entry_section(
                algorithm,
                f"Guarantees: {algorithm.guarantees}",
                *(f"Refuses a fabric if {reason}." for reason in algorithm.refuses),
            )
            for algorithm in weft.algorithms()
        ]


class Patterns(SphinxDirective):
    """Every traffic pattern with its parameters."""

    def run(self) -> list[nodes.Node]:
        """Return one section per pattern."""
        return [
            entry_section(pattern, f"Defined on {pattern.defined_on}.")
            for pattern in weft.patterns()
        ]


class Arrivals(SphinxDirective):
    """Every arrival process with its parameters."""

    def run(self) -> list[nodes.Node]:
        """Return one section per process."""
        return [entry_section(process) for process in weft.arrival_processes()]


class Messaging(SphinxDirective):
    """The parameters of the messaging layer; of a preset, those it has values of its own for."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return one table."""
        if self.arguments:
            own = [
                (entry.name, entry.default, entry.source)
                for entry in weft.messaging_parameters(self.arguments[0])
                if entry.source
            ]
            return [table(("parameter", "value", "source"), own)]
        header = ("parameter", "values", "default", "meaning")
        rows = [
            (entry.name, f"{entry.range} {entry.unit}".strip(), entry.default, entry.summary)
            for entry in weft.messaging_parameters()
        ]
        return [table(header, rows)]


class Collectives(SphinxDirective):
    """The algorithms of the collective operations."""

    def run(self) -> list[nodes.Node]:
        """Return one table."""
        rows = [
            (operation, ", ".join(names))
            for operation, names in sorted(weft.collective_algorithms().items())
        ]
        return [table(("operation", "algorithms, the default first"), rows)]


class HardwareParameters(SphinxDirective):
    """The parameters of a preset with range, default and source.

    With another preset as second argument, those that differ from it.
    """

    required_arguments = 1
    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return what the preset is, and one table."""
        name, *others = self.arguments
        (preset,) = (known for known in weft.hardware_presets() if known.name == name)
        base = {
            (entry.name, entry.default)
            for other in others
            for entry in weft.hardware_parameters(other)
        }
        header = ("parameter", "values", "default", "meaning", "source")
        rows = [
            (entry.name, entry.range, entry.default, entry.summary, entry.source)
            for entry in weft.hardware_parameters(name)
            if (entry.name, entry.default) not in base
        ]
        return [paragraph(f"{preset.summary}."), table(header, rows)]


class StudyKeys(SphinxDirective):
    """Every key of a study file."""

    def run(self) -> list[nodes.Node]:
        """Return one table; the sections stand before the names of their keys."""
        header = ("key", "type", "unit", "values", "default", "meaning", "source")
        rows = [
            (
                f"{key.section}.{key.name}" if key.section else key.name,
                key.type,
                key.unit or "–",
                key.range,
                key.default or "–",
                key.summary,
                key.source,
            )
            for key in study_keys()
        ]
        return [table(header, rows)]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives."""
    app.add_directive("weft-commands", Commands)
    app.add_directive("weft-topologies", Topologies)
    app.add_directive("weft-formats", Formats)
    app.add_directive("weft-messaging", Messaging)
    app.add_directive("weft-collectives", Collectives)
    app.add_directive("weft-algorithms", Algorithms)
    app.add_directive("weft-patterns", Patterns)
    app.add_directive("weft-arrivals", Arrivals)
    app.add_directive("weft-hardware", HardwareParameters)
    app.add_directive("weft-study-keys", StudyKeys)
    return {"version": _core.__version__, "parallel_read_safe": True}
