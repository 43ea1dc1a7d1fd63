"""In which rounds the tables of switches are exchanged, so that no packets wait for one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft._core import LoadedTables
    from weft.watch.decision import Order

__all__ = ["rounds"]


def rounds(order: Order, before: LoadedTables | None, after: LoadedTables) -> list[LoadedTables]:
    """Return the tables that OpenSM is given one after the other, the last ones the new.

    OpenSM sets switches in an order of its own. Where old entries and new ones may be mixed in any,
    one round does. Else what changes is first cleared everywhere; once every switch is read back
    so, no packets are left that went by it, and the new entries are set. In between, packets that
    come to a cleared entry are dropped.

    Parameters
    ----------
    order : str
        How the entries may be set.
    before, after : LoadedTables
        The tables that stand and the new ones, as OpenSM loads them.
    """
    if order in ("any", "first") or before is None:
        return [after]
    return [after.cleared_where(before), after]
