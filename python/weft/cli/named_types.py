"""Types of options that are names Weft knows, so that a shell can complete them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from weft import _core

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    _Text = click.ParamType[str]
else:
    _Text = click.ParamType  # has no parameter in older releases

__all__ = [
    "ARRIVALS",
    "HARDWARE",
    "HARDWARE_KEY",
    "MESSAGING_KEY",
    "OPERATION",
    "PAPER",
    "PATTERN",
    "ROUTING",
]


#: Names that an error lists.
_FEW = 20


class _Named(_Text):
    """A text, often one of a list of names; what comes of it is judged where it is used."""

    def __init__(
        self, name: str, names: Callable[[], Iterable[tuple[str, str]]], *, or_file: bool = False
    ) -> None:
        self.name = name
        self._names = names
        self._or_file = or_file

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's own
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str:
        """Return the text as it stands."""
        return str(value)

    def get_missing_message(
        self, param: click.Parameter, ctx: click.Context | None = None
    ) -> str | None:
        """Name what it can be where it is missing and these are few."""
        names = [name for name, _ in self._names()]
        return f"Expected one of: {', '.join(names)}" if len(names) <= _FEW else None

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """Return the names that begin so; where none does and it may be a file, say so."""
        found = [
            CompletionItem(name, help=summary)
            for name, summary in self._names()
            if name.startswith(incomplete)
        ]
        if self._or_file and not found:
            return [CompletionItem(incomplete, type="file")]
        return found


def _entries(found: Iterable[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(entry["name"], entry["title"]) for entry in found]


def _keys(found: Iterable[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(f"{entry['name']}=", entry["summary"]) for entry in found]


def _papers() -> list[tuple[str, str]]:
    papers = import_module("weft.reproduce.papers").PAPERS  # takes a while
    return [(tag, paper.citation) for tag, paper in papers.items()]


def _operations() -> list[tuple[str, str]]:
    return [
        (name, ", ".join(algorithms)) for name, algorithms in _core.collective_algorithms().items()
    ]


def _preset_keys(keys: Callable[[str], Iterable[dict[str, Any]]]) -> list[tuple[str, str]]:
    preset, _ = _core.hardware_presets()[0]
    return _keys(keys(preset))


ROUTING = _Named("routing", lambda: _entries(_core.algorithms()), or_file=True)
PATTERN = _Named("pattern", lambda: _entries(_core.patterns()))
ARRIVALS = _Named("arrivals", lambda: _entries(_core.arrival_processes()))
HARDWARE = _Named("hardware", _core.hardware_presets, or_file=True)
OPERATION = _Named("operation", _operations)
PAPER = _Named("paper", _papers)
HARDWARE_KEY = _Named("key", lambda: _preset_keys(_core.hardware_parameters))
MESSAGING_KEY = _Named("key", lambda: _preset_keys(_core.messaging_parameters))
