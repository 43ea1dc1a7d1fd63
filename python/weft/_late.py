"""Names of a package that are imported when first used, as what is behind them takes a while."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["late_names"]


def late_names(package: str, names: Mapping[str, Iterable[str]]) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a package whose names are imported at first use.

    `names` are those of each module; what is behind a name the package has from then on.
    """
    homes = {name: module for module, own in names.items() for name in own}

    def found(name: str) -> object:
        home = homes.get(name)
        if home is None:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        value: object = getattr(importlib.import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    return found
