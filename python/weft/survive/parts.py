"""The parts of a network that fail, and which of them fail together."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from weft._ranges import require_whole
from weft.errors import InputError
from weft.fabric.chassis import chassis_of
from weft.survive.records import FailureParts, SharedPart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from weft import _core
    from weft._core import Fabric
    from weft.fabric.chassis import Chassis

__all__ = ["MOST_FAILURES", "Part", "combinations_of", "numbers_of", "parts_of"]

#: Failures at most that are looked at without being drawn.
MOST_FAILURES = 200_000
#: Parts at most that fail together.
_MOST_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Part:
    """A part that fails, by the numbers of its link or switches."""

    kind: FailureParts
    name: str
    switches: tuple[int, ...] = ()
    switch_names: tuple[str, ...] = ()
    link: int | None = None
    ends: tuple[str, str] = ("", "")

    @property
    def shared(self) -> SharedPart:
        """What it is of a card or chassis."""
        return SharedPart(self.name, self.switch_names)


def parts_of(
    standing: _core.StandingTables, fabric: Fabric, parts: Sequence[FailureParts]
) -> Iterator[Part]:
    """List what may fail of the kinds asked for."""
    unknown = [part for part in parts if part not in get_args(FailureParts)]
    if unknown:
        message = f"found parts {unknown[0]!r}, expected 'cables', 'switches', 'cards' or 'chassis'"
        raise InputError(message)
    if "cables" in parts:
        for number, *ends in standing.cables():
            yield Part("cables", " – ".join(ends), link=number, ends=(ends[0], ends[1]))
    names = fabric.switch_names
    if "switches" in parts:
        for number, name in enumerate(names):
            yield Part("switches", name, (number,), (name,))
    inside = chassis_of(fabric)
    fewest = 2 if "switches" in parts else 1
    for kind, name_of in _SHARED.items():
        if kind not in parts:
            continue
        members: dict[str, list[int]] = {}
        for number, own in enumerate(inside):
            if own is not None and (name := name_of(own)):
                members.setdefault(name, []).append(number)
        for name, numbers in members.items():
            if len(numbers) >= fewest:
                switches = tuple(names[number] for number in numbers)
                yield Part(kind, name, tuple(numbers), switches)


#: What a card or chassis is called, empty where a switch is on none.
_SHARED: dict[FailureParts, Callable[[Chassis], str]] = {
    "cards": lambda own: own.card and f"{own.name}/{own.card}",
    "chassis": lambda own: own.name,
}


def combinations_of(
    failing: list[Part], at_once: int, sample: int | None, seed: int
) -> list[tuple[Part, ...]]:
    """Return the parts of each failure, all there are or a sample."""
    require_whole("at_once", at_once, 1, _MOST_AT_ONCE)
    if sample is not None:
        require_whole("sample", sample, 1, MOST_FAILURES)
    if not failing:
        message = "the fabric has no part of the kinds asked for; ask for others"
        raise InputError(message)
    if len(failing) < at_once:
        message = (
            f"{at_once} parts cannot fail at once, as there are {len(failing)} parts of the kinds"
            " asked for; ask for fewer, or for parts that there are"
        )
        raise InputError(message)
    count = math.comb(len(failing), at_once)
    if sample is None or sample >= count:
        if count > MOST_FAILURES:
            message = (
                f"there are {count:,} failures of {at_once} of {len(failing):,} parts; draw a"
                f" sample of at most {MOST_FAILURES:,}"
            )
            raise InputError(message)
        return list(itertools.combinations(failing, at_once))
    draw = random.Random(seed)  # noqa: S311 - a sample, no secret
    drawn: dict[tuple[int, ...], None] = {}
    while len(drawn) < sample:
        drawn[tuple(sorted(draw.sample(range(len(failing)), at_once)))] = None
    return [tuple(failing[place] for place in places) for places in drawn]


def numbers_of(parts: tuple[Part, ...]) -> tuple[list[int], list[int]]:
    """Return the numbers of the links and switches that fail together."""
    links = [part.link for part in parts if part.link is not None]
    return links, [switch for part in parts for switch in part.switches]
