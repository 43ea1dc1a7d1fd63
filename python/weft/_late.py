"""Names of a package that are imported when first used, as what is behind them takes a while."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["late_module", "late_names"]


def late_module(name: str) -> Any:  # noqa: ANN401 - its names are known when it is there
    """Import a module of a later stage, which an earlier one needs for what few ask for."""
    return importlib.import_module(name)


def late_names(
    package: str, names: Mapping[str, Iterable[str]], needs: Mapping[str, str] | None = None
) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a package whose names are imported at first use.

    `names` are those of each module; what is behind a name the package has from then on. So it is
    with the modules themselves, but for one that hands out something of its own name: the name is
    the latter's, whoever imports the module first. `needs` are modules that cannot do without a
    library of an extra: where it is missing, the error names this one, not what it needs in turn.
    """
    homes = {name: module for module, own in names.items() for name in own}
    modules = {module.removeprefix(f"{package}."): module for module in names}

    class LatePackage(ModuleType):
        def __setattr__(self, name: str, value: object) -> None:
            # An import gives the package every module below it.
            if not (name in homes and isinstance(value, ModuleType)):
                super().__setattr__(name, value)

    sys.modules[package].__class__ = LatePackage

    def found(name: str) -> object:
        home = homes.get(name) or modules.get(name)
        if home is None:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        if needs is not None and home in needs:
            importlib.import_module("weft._extras").needed(needs[home])
        try:
            value: object = importlib.import_module(home)
        except ModuleNotFoundError as error:
            importlib.import_module("weft._extras").reraise(error)
        if name in homes:
            value = getattr(value, name)
        setattr(sys.modules[package], name, value)
        return value

    return found
