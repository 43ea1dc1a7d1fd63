"""Libraries that only some of Weft needs, and what is said where one is missing."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, NoReturn

from weft.errors import EnvironmentFailure

__all__ = ["lacking", "needed", "reraise"]

#: Of each library: the extra that brings it, and what it is for.
_LIBRARIES = {
    "highspy": ("bounds", "a linear program, for a bound or a routing balanced by one,"),
    "distributed": ("dask", "a study on Dask, here and on every worker,"),
    "matplotlib": ("plots", "a chart or a report"),
    "numpy": ("arrays", "an array"),
    "networkx": ("networkx", "a graph of networkx"),
    "pyarrow": ("tables", "Parquet"),
}


def needed(module: str) -> Any:  # noqa: ANN401 - a module, some of them without types
    """Import a module of a library that only some of Weft needs.

    Where it is not installed, that is an `EnvironmentFailure` that says how to get it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        reraise(error)


def reraise(error: ModuleNotFoundError) -> NoReturn:
    """Raise the error of a library of an extra as an `EnvironmentFailure`, any other as it is."""
    package = (error.name or "").partition(".")[0]
    if package not in _LIBRARIES:
        raise error
    raise EnvironmentFailure(_text(package)) from error


def lacking(package: str) -> str | None:
    """Say what cannot be done because a library is not installed, None where it is."""
    return None if find_spec(package) else _text(package)


def _text(package: str) -> str:
    extra, purpose = _LIBRARIES[package]
    return (
        f"{purpose} needs {package}, which is not installed; install it by: pip install"
        f" '{_requirement(package, extra)}', or with Weft's wheel: pip install"
        f" 'weft-….whl[{extra}]'"
    )


def _requirement(package: str, extra: str) -> str:
    """Return which versions of a package the extra takes, as pip wants it said."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        required = requires("weft") or []
    except PackageNotFoundError:  # used from its sources
        return package
    for text in required:
        requirement, _, condition = text.partition(";")
        if requirement.startswith(package) and extra in condition.replace("'", '"').split('"'):
            return requirement.strip()
    return package
