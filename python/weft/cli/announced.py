"""Messages that were announced: since when, how many, and how long each waited to be called for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.cli.output import Column
from weft.replay import messaging_defaults

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.hardware import Hardware

__all__ = ["announced_cells", "announced_columns", "announced_pairs"]


def announced_pairs(
    machines: Sequence[Hardware], messaging: Mapping[str, float], *, announced: bool
) -> dict[str, str]:
    """Tell from which length on messages are announced, where some were."""
    if not announced:
        return {}
    limits = {
        int(messaging.get("eager_bytes", messaging_defaults(machine.preset)["eager_bytes"]))
        for machine in machines
    }
    longer = " or ".join(f"{limit:,}" for limit in sorted(limits))
    told = f"messages of more than {longer} bytes (eager_bytes), sent when they are called for"
    return {"announced": told}


def announced_columns() -> list[Column]:
    """Return the columns of what was announced."""
    return [Column("announced"), Column("called after", "us")]


def announced_cells(found: Mapping[str, Any]) -> list[str]:
    """Return what stands in these columns, of a run as documents have it."""
    count, wait_ns = found["announced_messages"], found["mean_announced_wait_ns"]
    return [str(count), f"{wait_ns / 1000:.3f}" if count else "–"]
