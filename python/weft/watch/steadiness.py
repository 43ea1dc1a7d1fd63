"""What of a discovery counts: a part that is missing twice, one that is back for a while."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from weft._numbers import in_percent
from weft.watch.names import replaced
from weft.watch.parts import count_of, named, parts_of, without

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fabric import Fabric
    from weft.watch.names import Replaced
    from weft.watch.parts import Part
    from weft.watch.sources import Discovery

__all__ = ["Steadiness", "Verdict"]

_SHOWN_PARTS = 6


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a discovery comes to."""

    target: Fabric | None = None  #: What shall be routed now; None while there is nothing to do
    missing: list[str] = field(default_factory=list)  #: Parts that count as gone
    added: list[str] = field(default_factory=list)  #: Parts that count as there
    waiting: list[str] = field(default_factory=list)  #: What is waited for, in words
    flapped: list[str] = field(default_factory=list)  #: Parts that were missing once alone
    doubt: str | None = None  #: Why the discovery may be cut off, and was not believed yet


@dataclass(frozen=True, slots=True)
class _Seen:
    """A discovery, and what of it differs from what stands."""

    discovery: Discovery
    parts: frozenset[Part]
    lost: frozenset[Part]
    doubts: tuple[str, ...]
    replaced: tuple[Replaced, ...]


class Steadiness:
    """Says when what discoveries show is to be believed.

    A part is gone once two discoveries in a row lack it, and a node is another once two in a row
    have its GUID. A part that is new, or back, counts after
    every discovery of `hold_s` seconds had it. Where a discovery is doubtful, for what its tool
    complained of, or as more than `most_lost` of all switches, hosts or cables are missing, nothing
    is gone before another says exactly the same. Of a folder the last file stands for what is until
    the next: it agrees with itself after `settle_s` seconds, unless it is doubtful.
    """

    def __init__(self, *, hold_s: float, settle_s: float, most_lost: float) -> None:
        self._hold_s, self._settle_s, self._most_lost = hold_s, settle_s, most_lost
        self._last: _Seen | None = None
        self._routed: Fabric | None = None
        self._is_repeated = False
        self._before: frozenset[Part] = frozenset()
        self._first_seen: dict[Part, float] = {}

    def take(
        self,
        discovery: Discovery,
        standing: frozenset[Part] | None,
        now: float,
        routed: Fabric | None = None,
    ) -> Verdict:
        """Judge a discovery against the parts that are routed; None of these before the first."""
        last = self._last
        parts = parts_of(discovery.fabric)
        others = _replaced(discovery, standing, routed)
        self._routed = routed
        self._is_repeated = last is not None and (last.parts, last.replaced) == (parts, others)
        lost = frozenset() if standing is None else standing - parts
        self._before = frozenset() if last is None else last.lost
        doubts = self._doubts(discovery, standing, lost)
        self._last = _Seen(discovery, parts, lost, doubts, others)
        new = parts if standing is None else parts - standing
        self._first_seen = {part: self._first_seen.get(part, now) for part in new}
        return self._verdict(self._last, standing, now, is_settled=False)

    def again(
        self, standing: frozenset[Part] | None, now: float, routed: Fabric | None = None
    ) -> Verdict:
        """Judge the last discovery once more, where it stands for what is until the next comes."""
        if self._last is None:
            return Verdict()
        last = self._last
        is_settled = now - last.discovery.time >= self._settle_s and not last.doubts
        if routed is not self._routed:
            self._routed = routed
            others = _replaced(last.discovery, standing, routed)
            last = self._last = replace(last, replaced=others)
        if standing is not None and last.lost != standing - last.parts:
            last = self._last = replace(last, lost=standing - last.parts)
            new = last.parts - standing
            self._first_seen = {part: self._first_seen.get(part, now) for part in new}
        return self._verdict(last, standing, now, is_settled=is_settled)

    def _doubts(
        self, discovery: Discovery, standing: frozenset[Part] | None, lost: frozenset[Part]
    ) -> tuple[str, ...]:
        doubts = list(discovery.doubts)
        for kind, plural in (("switch", "switches"), ("host", "hosts"), ("cable", "cables")):
            gone = count_of(kind, lost)
            all_of = count_of(kind, standing or ()) if gone > 1 else 0
            if gone > 1 and gone > self._most_lost * all_of:
                share = in_percent(gone / all_of)
                doubts.append(f"{gone:,} of {all_of:,} {plural} ({share}) are missing at once")
        return tuple(doubts)

    def _verdict(
        self, seen: _Seen, standing: frozenset[Part] | None, now: float, *, is_settled: bool
    ) -> Verdict:
        is_agreed = self._is_repeated or is_settled
        doubt = None
        if seen.doubts and not is_agreed:
            doubt = (
                f"{seen.discovery.name}: {'; '.join(seen.doubts)}; not believed before another"
                " discovery says exactly the same"
            )
        if standing is None:
            if seen.doubts and not is_agreed:
                return Verdict(waiting=["another discovery that says the same"], doubt=doubt)
            return Verdict(without(seen.discovery.fabric, ()))
        flapped = [named(part) for part in sorted(self._before & seen.parts & standing)]
        new = seen.parts - standing
        if seen.replaced and not seen.lost and not new:
            others = [str(one) for one in seen.replaced]
            if not is_agreed:
                waiting = [f"another discovery of {listed(others)}"]
                return Verdict(waiting=waiting, flapped=flapped, doubt=doubt)
            return Verdict(
                target=without(seen.discovery.fabric, ()),
                missing=[f"{one.part} with GUID {one.was}" for one in seen.replaced],
                added=others,
                flapped=flapped,
                doubt=doubt,
            )
        if is_agreed:
            gone = seen.lost
        else:
            gone = frozenset() if seen.doubts else seen.lost & self._before
        ready = {part for part in new if now - self._first_seen[part] >= self._hold_s}
        waiting = _waiting("another discovery without", seen.lost - gone)
        waiting += _waiting(f"{self._hold_s:g} s of", new - ready)
        # What is back is not routed over a fabric of which something may be missing, or not.
        if not gone and (seen.lost or not ready):
            return Verdict(waiting=waiting, flapped=flapped, doubt=doubt)
        target = without(seen.discovery.fabric, new - ready)
        found = parts_of(target)
        return Verdict(
            target=None if found == standing else target,
            missing=[named(part) for part in sorted(standing - found)],
            added=[named(part) for part in sorted(found - standing)],
            waiting=_waiting(f"{self._hold_s:g} s of", new - ready),
            flapped=flapped,
            doubt=doubt,
        )


def _replaced(
    discovery: Discovery, standing: frozenset[Part] | None, routed: Fabric | None
) -> tuple[Replaced, ...]:
    return () if standing is None or routed is None else replaced(discovery.fabric, routed)


def _waiting(what: str, parts: frozenset[Part]) -> list[str]:
    """Say what is waited for, with the first parts by name."""
    if not parts:
        return []
    return [f"{what} {listed([named(part) for part in sorted(parts)])}"]


def listed(names: Sequence[str]) -> str:
    """Join names, the first few of many."""
    more = len(names) - _SHOWN_PARTS
    rest = f" and {more:,} more" if more > 0 else ""
    return ", ".join(names[:_SHOWN_PARTS]) + rest
