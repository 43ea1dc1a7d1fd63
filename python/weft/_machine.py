"""Where a study ran: versions, platform, processors."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Any

from weft import _core

__all__ = ["build_summary", "machine", "weft_version"]


def weft_version() -> str:
    """Return the version of Weft."""
    return str(_core.__version__)


def build() -> dict[str, str | None]:
    """Return what this Weft was built from, by and for, and the version of Python it runs on."""
    made = {name: value or None for name, value in _core.__build__.items()}
    return {**made, "python": platform.python_version()}


def build_summary() -> str:
    """Return in one line what this Weft was built from, by and for."""
    build = _core.__build__
    commit = f"commit {build['commit']}, " if build["commit"] else ""
    return (
        f"{commit}{build['profile']} build by {build['compiler']} for {build['target']}; "
        f"Python {platform.python_version()}"
    )


def machine() -> dict[str, Any]:
    """Return the versions and the machine in plain values.

    They are ``weft``, ``build``, ``python``, ``numpy`` (None without it), ``platform`` and
    ``processors`` (those this process may use).
    """
    from importlib.metadata import version

    return {
        "weft": weft_version(),
        "build": build_summary(),
        "python": platform.python_version(),
        "numpy": version("numpy") if find_spec("numpy") else None,
        "platform": platform.platform(),
        "processors": usable_processors(),
    }


def usable_processors() -> int:
    """Count the processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def utc_now() -> str:
    """Return the time as results files have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
