"""What looks like a fault of a fabric, as a sentence and as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from weft._numbers import counted, in_ranges

__all__ = ["CableEnd", "Suspicion", "SuspicionKind", "counted", "suspicion_of"]

_NAMES_IN_TEXT = 8
_PORTS_IN_TEXT = 4
_FEWEST_TOGETHER = 3  #: As many cables of a node are written as its ports.


@dataclass(frozen=True, slots=True)
class CableEnd:
    """A switch or host, and the port there that a cable is in or belongs in."""

    node: str  #: Name of the switch or host
    ports: list[int]  #: The port; several where nothing tells which of them it is

    @property
    def text(self) -> str:
        """The end as ``leaf1[7]``, with many ports as ``leaf1[one of 7–20, 33]``."""
        if len(self.ports) > _PORTS_IN_TEXT:
            return f"{self.node}[one of {in_ranges(self.ports)}]"
        return f"{self.node}[{' or '.join(map(str, self.ports))}]"


SuspicionKind = Literal[
    "isolated_part",
    "one_way",
    "no_lid",
    "shared_lids",
    "shared_guids",
    "disputed",
    "slow_links",
    "missing_cable",
    "missing_among",
    "swapped_cables",
    "self_links",
    "asymmetry",
    "idle_ports",
]


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Something that looks like a fault, because most of its kind are different.

    Attributes
    ----------
    kind : str
        In the order of what they cost:
        ``"isolated_part"``: switches that cannot reach the part with most hosts.
        ``"one_way"``: links that one end lists and the other, which lists its others, does not.
        ``"no_lid"``: switches and hosts without a valid LID, while most have one.
        ``"shared_lids"``: switches and hosts that share a LID with another.
        ``"shared_guids"``: switches and hosts that share a GUID with another.
        ``"disputed"``: links beside which the file lists another at one of their ports, as where
        two devices have one GUID or a cable was moved while the fabric was discovered.
        ``"slow_links"``: links of one kind and rate that are slower than most of the kind, than
        most of their switch to it, or than another between the same two switches.
        ``"missing_cable"``: a cable that is not there; its ends are where it belongs.
        ``"missing_among"``: cables that are not there, of which nothing tells between which of some
        switches.
        ``"swapped_cables"``: two cables that lead where each other belongs; where nothing but the
        number of cables tells, with the ports and cables of all that may be meant.
        ``"self_links"``: cables from a switch back to itself.
        ``"asymmetry"``: switches of a kind with fewer links to switches than most of it, though no
        cable is known to be missing; their ports are those that are dark and wired on most.
        ``"idle_ports"``: dark ports in which switches like theirs have a link to a switch that has
        no port left for it.
    nodes : list of str
        Switches or hosts it is about.
    ports : list of list of int
        Ports of each of them.
    cables : list of tuple
        Cables it is about, a :class:`CableEnd` for each end.
    among : tuple of list or None
        Of cables missing among some: where they may lead from, and to.
    count : int or None
        How many these are.
    is_least : bool or None
        Whether these are not all that the switches lack: more may be missing, or some switches were
        made with fewer.
    belong : list of tuple
        Of swapped cables: where each of the two belongs.
    instead : list of list
        Of each of two swapped cables: others between the same groups of switches that may be meant
        as well, each with its ends, that in whose place an end of ``belong`` comes first.
    found : list of int, str or None
        What there is: links of each switch, or a rate written as ``4xHDR``.
    expected : int, str or None
        What there is elsewhere.
    agreeing, peers : int or None
        How many switches have what is expected, of how many of the kind.
    hosts : int or None
        Hosts of an isolated part.
    """

    kind: SuspicionKind
    nodes: list[str] = field(default_factory=list)
    ports: list[list[int]] = field(default_factory=list)
    cables: list[tuple[CableEnd, CableEnd]] = field(default_factory=list)
    belong: list[tuple[CableEnd, CableEnd]] = field(default_factory=list)
    instead: list[list[tuple[CableEnd, CableEnd]]] = field(default_factory=list)
    among: tuple[list[CableEnd], list[CableEnd]] | None = None
    count: int | None = None
    is_least: bool | None = None
    found: list[int] | str | None = None
    expected: int | str | None = None
    agreeing: int | None = None
    peers: int | None = None
    hosts: int | None = None

    @property
    def text(self) -> str:
        """The suspicion as a sentence."""
        links, nodes = counted(len(self.cables), "link"), _listed(self.nodes)
        is_one = len(self.cables) == 1
        match self.kind:
            case "isolated_part":
                switches = counted(len(self.nodes), "switch")
                hosts = counted(self.hosts or 0, "host")
                return f"{switches} with {hosts} cannot reach the rest: {nodes}"
            case "one_way":
                listed = f"{'is' if is_one else 'are'} listed at one end only"
                return f"{links} {listed}, and may work one way: {_cables(self.cables)}"
            case "no_lid":
                has = "has" if len(self.nodes) == 1 else "have"
                return f"{counted(len(self.nodes), 'node')} {has} no valid LID: {nodes}"
            case "shared_lids":
                return f"{len(self.nodes)} nodes share LIDs: {nodes}"
            case "shared_guids":
                return f"{len(self.nodes)} nodes share GUIDs: {nodes}"
            case "disputed":
                has = "has" if is_one else "each have"
                return (
                    f"{links} {has} a port of which the file lists another cable too: "
                    f"{_cables(self.cables)}"
                )
            case "slow_links":
                run, them = ("runs", "it") if is_one else ("run", "them")
                rates = f"{self.found}, others like {them} at {self.expected}"
                return f"{links} {run} at {rates}: {_cables(self.cables)}"
            case "missing_cable":
                return f"a cable is missing: {_ends(self.cables[0])}"
            case "missing_among":
                return self._missing_among()
            case "swapped_cables":
                return self._swapped()
            case "self_links":
                lead = "leads" if is_one else "lead"
                return f"{links} {lead} back to the same switch: {_cables(self.cables)}"
            case "asymmetry":
                return self._asymmetry()
            case "idle_ports":
                count = sum(map(len, self.ports))
                are = f"{counted(count, 'port')} {'is' if count == 1 else 'are'}"
                ports = _listed([*map(_socket, self.nodes, self.ports)])
                return f"{are} dark where switches like theirs have a link: {ports}"

    def _missing_among(self) -> str:
        ones, others = self.among or ([], [])
        is_one = self.count == 1
        cables = "a cable is" if is_one else f"{self.count} cables are"
        if self.is_least:
            cables = f"at least {'one cable is' if is_one else cables}"
        ends = " and ".join(" or ".join(end.text for end in side) for side in (ones, others))
        return f"{cables} missing between {ends}"

    def _swapped(self) -> str:
        (here, there), (left, right) = self.belong
        # One cable joins `here` and `right` now, the other `left` and `there`; where two of these
        # ends are of one switch, their plugs are exchanged.
        ones, others = self.instead or ([], [])
        firsts = [(here, [cable[0] for cable in ones]), (left, [cable[0] for cable in others])]
        seconds = [(there, [cable[1] for cable in others]), (right, [cable[1] for cable in ones])]
        is_first = here.node == left.node or there.node != right.node
        plugs = [
            end.text + _or([other.text for other in of_others])
            for end, of_others in (firsts if is_first else seconds)
        ]
        found = [
            _ends(cable) + _or([_ends(other) for other in cables])
            for cable, cables in zip(self.cables, (ones, others), strict=True)
        ]
        return (
            f"two cables are swapped: {' and '.join(found)}; exchange the plugs in "
            f"{' and '.join(plugs)}"
        )

    def _asymmetry(self) -> str:
        found = self.found if isinstance(self.found, list) else []
        each = [
            f"{node} {links}" + (f" (dark: {in_ranges(ports)})" if ports else "")
            for node, links, ports in zip(self.nodes, found, self.ports, strict=True)
        ]
        has = "has" if len(each) == 1 else "have"
        return (
            f"{counted(len(each), 'switch')} {has} fewer links to switches than the "
            f"{self.expected} that {self.agreeing} of {self.peers} have: {_listed(each)}"
        )


def _listed(texts: list[str]) -> str:
    rest = len(texts) - _NAMES_IN_TEXT
    return ", ".join(texts[:_NAMES_IN_TEXT]) + (f" … {rest} more" if rest > 0 else "")


def _ends(cable: tuple[CableEnd, CableEnd]) -> str:
    return " – ".join(end.text for end in cable)


def _or(texts: list[str]) -> str:
    """Write what may be meant instead: `` (or a or b)``, or nothing."""
    return f" (or {' or '.join(texts)})" if texts else ""


def _socket(node: str, ports: list[int]) -> str:
    return f"{node}[{in_ranges(ports)}]"


def _cables(cables: list[tuple[CableEnd, CableEnd]]) -> str:
    """Write cables, those of one node together: ``spine1[1–8, 11], leaf2[5] – spine3[2]``."""
    at: dict[str, list[int]] = {}
    for number, cable in enumerate(cables):
        for end in cable:
            at.setdefault(end.node, []).append(number)
    left = set(range(len(cables)))
    texts = []
    for node in sorted(at, key=lambda node: -len(at[node])):
        mine = [number for number in dict.fromkeys(at[node]) if number in left]
        if len(mine) < _FEWEST_TOGETHER:
            continue
        left.difference_update(mine)
        ports = [end.ports[0] for number in mine for end in cables[number] if end.node == node]
        texts.append(_socket(node, ports))
    texts += [_ends(cables[number]) for number in sorted(left)]
    return _listed(texts)


def suspicion_of(entry: dict[str, Any]) -> Suspicion:
    """Make a suspicion of what the core tells, with ends of cables of names and their ports."""
    for name in entry.keys() & {"cables", "belong"}:
        entry[name] = _cables_of(entry[name])
    if "instead" in entry:
        entry["instead"] = [_cables_of(cables) for cables in entry["instead"]]
    if "among" in entry:
        ones, others = entry["among"]
        entry["among"] = [CableEnd(*end) for end in ones], [CableEnd(*end) for end in others]
    return Suspicion(**entry)


def _cables_of(cables: list[Any]) -> list[tuple[CableEnd, CableEnd]]:
    return [(CableEnd(*one), CableEnd(*other)) for one, other in cables]
