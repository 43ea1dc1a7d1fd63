"""Names of a package that are imported when first used, as what is behind them takes a while."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["late_names"]


def late_names(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a package whose names are imported at first use.

    `homes` has the module of each name; what is behind a name the package has from then on.
    """

    def found(name: str) -> object:
        home = homes.get(name)
        if home is None:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        value: object = getattr(importlib.import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    return found
