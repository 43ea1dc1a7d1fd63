"""Types of options that are quantities: with a unit, or plain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from weft.errors import InputError
from weft.quantities import parse_share, parse_size, parse_time

if TYPE_CHECKING:
    from collections.abc import Callable

    _Number = click.ParamType[float]
else:
    _Number = click.ParamType  # has no parameter in older releases

__all__ = ["SHARE", "SIZE", "TIME"]


class _Quantity(_Number):
    """A number that a text with a unit stands for."""

    def __init__(self, name: str, parse: Callable[[str], float]) -> None:
        self.name = name
        self._parse = parse

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's own
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        """Return the plain number."""
        try:
            number = self._parse(value) if isinstance(value, str) else value
        except InputError as error:
            self.fail(str(error), param, ctx)
        return float(number) if self._parse is not parse_size else int(number)


SHARE = _Quantity("share", parse_share)  #: 0.1 or 10%
SIZE = _Quantity("bytes", parse_size)  #: 512, 64KiB or 2MB
TIME = _Quantity("ns", parse_time)  #: 150, 150ns or 1.5us
