"""Which service levels OpenSM hands out while the tables of switches change."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from weft.watch.decision import Standing
    from weft.watch.generations import Generation

__all__ = ["POLICY", "content_between", "policy_between"]

#: The file of the QoS policy, where there are several service levels.
POLICY = "qos-policy.conf"

#: What groups of ports are called that stand in the file for a while.
_NEW = "new"
#: The level of pairs that no rule is for: 0.
_NO_LEVEL = "DEFAULT"
_GROUP = re.compile(r"  port-group\n    name: (\S+)\n((?:    port-guid: .*\n)*)  end-port-group\n")
_LEVEL = re.compile(r"  qos-level\n    name: (\S+)\n    sl: \d+\n  end-qos-level\n")
_RULE = re.compile(
    r"  qos-match-rule\n    source: (\S+)\n    destination: (\S+)\n    qos-level-name: (\S+)\n"
    r"  end-qos-match-rule\n"
)


def content_between(
    before: Generation, made: Standing, content: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return what OpenSM loads beside tables that are between those of before and new ones."""
    stood, comes = (of.get(POLICY) for of in (before.opensm, content))
    guids = (guid for guid in made.fabric.host_guids if guid is not None)
    new = set(guids).difference(before.standing.fabric.host_guids)
    if stood is None or comes is None or not new:
        return dict(before.opensm)
    return {**before.opensm, POLICY: policy_between(stood, comes, new, made.fabric.host_guids)}


def policy_between(
    before: bytes, after: bytes, new: Collection[int], ports: Iterable[int | None]
) -> bytes:
    """Return a policy by which new ports have the levels of `after`, and others keep theirs.

    Tables are proved with what new ports send by their own levels. The policy of before does not
    know them: OpenSM would tell them level 0, or that of a range of GUIDs that they lie in, which
    nothing was proved of.

    Parameters
    ----------
    before, after : bytes
        The policies of the tables that stand and of the new ones; the former may hold what was
        added for a change that was not ended.
    new : collection of int
        The GUIDs of ports that `before` does not know.
    ports : iterable of int
        The GUIDs of all ports there are.
    """
    stood, comes = (text.decode() for text in (before, after))
    stood = _GROUP.sub(lambda one: "" if one[1].startswith(_NEW) else one[0], stood)
    stood = _RULE.sub(lambda one: "" if _NEW in one[1] + one[2] else one[0], stood)
    groups = {one[1]: _Group.of(one[2]) for one in _GROUP.finditer(comes)}
    sought = sorted(new)
    fresh = {name: group.those_of(sought) for name, group in groups.items()}
    added: dict[str, str] = {}
    rules: list[str] = []

    def add(source: _Group, destination: _Group, level: str) -> None:
        if source.ranges and destination.ranges:
            sides = [
                added.setdefault(of.lines, f"{_NEW}{len(added)}") for of in (source, destination)
            ]
            rules.append(_rule_text(sides[0], sides[1], level))

    for rule in _RULE.finditer(comes):
        source, destination, level = rule.groups()
        add(fresh[source], groups[destination], level)
        add(groups[source], fresh[destination], level)
    # Nor do the levels of ranges hold for those of them that are to have none.
    back, everybody = (_Group.listing(guid for guid in of if guid) for of in (sought, ports))
    add(back, everybody, _NO_LEVEL)
    add(everybody, back, _NO_LEVEL)
    told = {one[1] for one in _LEVEL.finditer(stood)}
    levels = [one[0] for one in _LEVEL.finditer(comes) if one[1] not in told]
    named = (
        f"  port-group\n    name: {name}\n{lines}  end-port-group\n"
        for lines, name in added.items()
    )
    # The first rule that fits is the one that holds.
    for part, texts in (("port-groups", named), ("qos-levels", levels), ("qos-match-rules", rules)):
        stood = re.sub(rf"(?m)^{part}\n", f"{part}\n{''.join(texts)}", stood)
    return stood.encode()


def _rule_text(source: str, destination: str, level: str) -> str:
    return (
        f"  qos-match-rule\n    source: {source}\n    destination: {destination}\n"
        f"    qos-level-name: {level}\n  end-qos-match-rule\n"
    )


@dataclass(frozen=True, slots=True)
class _Group:
    """Ports, as the lines that name them and as ranges of their GUIDs, by the first."""

    lines: str
    ranges: list[tuple[int, int]]

    @classmethod
    def of(cls, lines: str) -> _Group:
        """Read the lines of a group."""
        return cls(lines, sorted(_ranges(lines)))

    @classmethod
    def listing(cls, guids: Iterable[int]) -> _Group:
        """Make a group of ports, each by itself."""
        found = sorted(guids)
        lines = "".join(f"    port-guid: 0x{guid:016x}\n" for guid in found)
        return cls(lines, [(guid, guid) for guid in found])

    def those_of(self, sought: list[int]) -> _Group:
        """Return those of some ports that are in the group."""
        firsts = [first for first, _ in self.ranges]
        found = []
        for guid in sought:
            place = bisect_right(firsts, guid)
            if place and guid <= self.ranges[place - 1][1]:
                found.append(guid)
        return _Group.listing(found)


def _ranges(lines: str) -> Iterator[tuple[int, int]]:
    for line in lines.splitlines():
        for part in line.partition(":")[2].split(","):
            first, _, last = part.strip().partition("-")
            yield int(first, 16), int(last or first, 16)
