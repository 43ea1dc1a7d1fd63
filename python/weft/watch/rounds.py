"""In which rounds the tables of switches are exchanged, so that no packets wait for one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft._core import LoadedTables
    from weft.watch.decision import Decision, Standing
    from weft.watch.generations import Generation

__all__ = ["rounds"]


def rounds(
    decision: Decision, made: Standing, before: Generation, after: LoadedTables
) -> list[LoadedTables]:
    """Return the tables that OpenSM is given one after the other, the last ones the new.

    OpenSM sets switches in an order of its own. Where old entries and new ones may be mixed in any,
    one round does. Else there is one before, after which every switch is read back. Of a repair, it
    leaves entries as they were that are set last, and clears those that change to destinations
    which the repair tells, and to switches. Of tables that are no repair of those that stand, or
    where what stands is what an earlier change left in between, it clears all that change. Packets
    that come to a cleared entry are dropped until the next round.

    Parameters
    ----------
    decision : Decision
        How the entries may be set.
    made : Standing
        What shall stand.
    before : Generation
        What stands.
    after : LoadedTables
        The new tables, as OpenSM loads them.
    """
    repaired, fabric = decision.repaired, made.fabric
    if repaired is None or before.is_between:
        return [after.between(before.tables, fabric, None, []), after]
    if decision.order == "any":
        return [after]
    return [after.between(before.tables, fabric, repaired.cleared, repaired.last), after]
