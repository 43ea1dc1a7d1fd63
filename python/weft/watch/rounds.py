"""In which rounds the tables of switches are exchanged, so that no packets wait for one another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weft.watch.decision import Order

__all__ = ["cleared_tables", "entries_of", "rounds"]

_BLOCK = re.compile(rb"(?m)^Unicast lids ")
_SWITCH = re.compile(rb" guid 0x([0-9a-fA-F]+)")
_ENTRY = re.compile(rb"(?m)^(0x[0-9a-fA-F]+)\s+(\d+)[^\n]*? portguid (0x[0-9a-fA-F]+)[^\n]*$")

#: Per switch, by its GUID: port by the GUID of a destination and which of its LIDs.
Entries = dict[int, dict[tuple[int, int], int]]


def rounds(order: Order, before: bytes | None, after: bytes) -> list[bytes]:
    """Return the tables that OpenSM is given one after the other, the last ones the new.

    OpenSM sets switches in an order of its own. Where old entries and new ones may be mixed in any,
    one round does. Else what changes is first cleared everywhere; once every switch is read back
    so, no packets are left that went by it, and the new entries are set. In between, packets that
    come to a cleared entry are dropped.

    Parameters
    ----------
    order : str
        How the entries may be set.
    before, after : bytes
        The tables that stand and the new ones, as OpenSM loads them.
    """
    if order in ("any", "first") or before is None:
        return [after]
    return [cleared_tables(before, after), after]


def cleared_tables(before: bytes, after: bytes) -> bytes:
    """Return the new tables without entries that the old ones lack or lead elsewhere."""
    old = entries_of(before)
    parts: list[bytes] = []
    for guid, block in _blocks(after):
        known = old.get(guid, {})
        firsts: dict[int, int] = {}
        head, lines, count = block.partition(b"\n")[0], [], 0
        for found in _ENTRY.finditer(block):
            key, port = _entry(found, firsts)
            if known.get(key) == port:
                lines.append(found[0])
                count += 1
        parts += [head, *lines, b"%d lids dumped" % count]
    return b"\n".join(parts) + b"\n"


def entries_of(tables: bytes) -> Entries:
    """Return the entries of tables as OpenSM loads them, or as ``dump_fts`` prints them."""
    return {guid: dict(_entries(block)) for guid, block in _blocks(tables)}


def _blocks(tables: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the GUID of each switch with its lines."""
    starts = [found.start() for found in _BLOCK.finditer(tables)]
    for start, end in zip(starts, [*starts[1:], len(tables)], strict=True):
        block = tables[start:end]
        found = _SWITCH.search(block)
        if found is not None:
            yield int(found[1], 16), block


def _entries(block: bytes) -> Iterator[tuple[tuple[int, int], int]]:
    firsts: dict[int, int] = {}
    for found in _ENTRY.finditer(block):
        yield _entry(found, firsts)


def _entry(found: re.Match[bytes], firsts: dict[int, int]) -> tuple[tuple[int, int], int]:
    """Return destination and port of an entry; LIDs of a port follow one another from the first."""
    lid, guid = int(found[1], 16), int(found[3], 16)
    return (guid, lid - firsts.setdefault(guid, lid)), int(found[2])
