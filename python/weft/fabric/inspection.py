"""What a person wants to know of a fabric: ports, distances, bisection, levels, suspicions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from weft import _core
from weft._numbers import in_ranges
from weft.fabric.structure import Structure, fabric_structure

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from weft._core import Fabric

__all__ = [
    "BisectionBounds",
    "CableEnd",
    "FabricInspection",
    "LevelFigures",
    "PortUse",
    "Suspicion",
    "fabric_levels",
    "inspect_fabric",
]

_NAMES_IN_TEXT = 8
_PORTS_IN_TEXT = 4
_FEWEST_TOGETHER = 3  #: As many cables of a node are written as its ports.


@dataclass(frozen=True, slots=True)
class PortUse:
    """Switches with equally many ports, and equally many of them wired."""

    ports: int  #: Ports of each switch
    wired: int  #: Ports of each with a cable, to a switch or a host
    switches: int  #: How many switches there are like this


@dataclass(frozen=True, slots=True)
class BisectionBounds:
    """Bounds on the least number of links between two halves of the hosts.

    Halves differ by no more hosts than the fullest switch has; switches without hosts go with
    either. In a fabric without hosts every switch counts as one.
    """

    at_most_links: int  #: Links between the halves that a local search found
    #: What an even flow between all hosts needs; None where that is too much to compute
    at_least_links: int | None
    #: Data rate of the links between the halves found, each way; None where one is unknown
    found_gbit_per_s: float | None
    #: What half of the hosts can inject over what these links carry: by rate where all are known,
    #: by number otherwise. None without links or hosts
    oversubscription: float | None
    sizes: tuple[int, int]  #: Hosts of the halves found


@dataclass(frozen=True, slots=True)
class LevelFigures:
    """What a level of a tree-like fabric has; level 0 are the leaves.

    Data rates are those of all links together, each way, in Gbit/s; None where one is unknown.
    """

    switches: int  #: Switches of the level
    hosts: int  #: Hosts on them
    injection_links: int  #: Host links of this level and all below
    injection_gbit_per_s: float | None  #: Their rate
    down_links: int  #: Links to the level below and to hosts
    down_gbit_per_s: float | None  #: Their rate
    up_links: int  #: Links to the level above
    up_gbit_per_s: float | None  #: Their rate
    #: What the hosts on this level and below can inject over what the links up carry: by rate where
    #: all are known, by number otherwise. None for the top
    oversubscription: float | None
    narrowest_switch: str | None  #: The switch whose links down can carry most over its links up
    narrowest_oversubscription: float | None  #: That quotient


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
        number of cables tells, with the ports of all that may be meant.
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
        links, nodes = _counted(len(self.cables), "link"), _listed(self.nodes)
        is_one = len(self.cables) == 1
        match self.kind:
            case "isolated_part":
                switches = _counted(len(self.nodes), "switch")
                hosts = _counted(self.hosts or 0, "host")
                return f"{switches} with {hosts} cannot reach the rest: {nodes}"
            case "one_way":
                listed = f"{'is' if is_one else 'are'} listed at one end only"
                return f"{links} {listed}, and may work one way: {_cables(self.cables)}"
            case "no_lid":
                has = "has" if len(self.nodes) == 1 else "have"
                return f"{_counted(len(self.nodes), 'node')} {has} no valid LID: {nodes}"
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
                found = " and ".join(map(_ends, self.cables))
                plugs = " and ".join(self._plugs())
                return f"two cables are swapped: {found}; exchange the plugs in {plugs}"
            case "self_links":
                lead = "leads" if is_one else "lead"
                return f"{links} {lead} back to the same switch: {_cables(self.cables)}"
            case "asymmetry":
                return self._asymmetry()
            case "idle_ports":
                count = sum(map(len, self.ports))
                are = f"{_counted(count, 'port')} {'is' if count == 1 else 'are'}"
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

    def _plugs(self) -> list[str]:
        """Name the two ports whose plugs set swapped cables right, those of one switch if any."""
        (here, there), (left, right) = self.belong
        # One cable joins `here` and `right` now, the other `left` and `there`.
        ends = [(here, left), (there, right)]
        ends.sort(key=lambda pair: pair[0].node != pair[1].node)
        return [end.text for end in ends[0]]

    def _asymmetry(self) -> str:
        found = self.found if isinstance(self.found, list) else []
        each = [
            f"{node} {links}" + (f" (dark: {in_ranges(ports)})" if ports else "")
            for node, links, ports in zip(self.nodes, found, self.ports, strict=True)
        ]
        has = "has" if len(each) == 1 else "have"
        return (
            f"{_counted(len(each), 'switch')} {has} fewer links to switches than the "
            f"{self.expected} that {self.agreeing} of {self.peers} have: {_listed(each)}"
        )


def _counted(count: int, noun: str) -> str:
    plural = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{count} {noun if count == 1 else plural}"


def _listed(texts: list[str]) -> str:
    rest = len(texts) - _NAMES_IN_TEXT
    return ", ".join(texts[:_NAMES_IN_TEXT]) + (f" … {rest} more" if rest > 0 else "")


def _ends(cable: tuple[CableEnd, CableEnd]) -> str:
    return " – ".join(end.text for end in cable)


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


@dataclass(frozen=True, slots=True)
class FabricInspection:
    """Ports, distances, bisection, levels and suspicions of a fabric."""

    port_use: list[PortUse]  #: Switches by ports and wired ports
    #: Ordered pairs of switches by their distance in links; entry 0 counts each with itself
    switch_pairs_by_distance: list[int]
    #: Ordered pairs of distinct hosts by the distance of their switches in links
    host_pairs_by_distance: list[int]
    #: Mean links between distinct hosts that reach each other, both host links included
    mean_host_distance_links: float | None
    bisection: BisectionBounds  #: Links between halves
    levels: list[LevelFigures]  #: Levels of a tree-like fabric from the leaves up; empty for others
    #: What contradicts these levels, which most switches agree on: compute ends on switches above
    #: others, and links between switches that are not on neighbouring levels, but for those that
    #: join groups
    against_levels: list[str]
    structure: Structure | None  #: What the switches form beyond levels, if that is known
    suspicions: list[Suspicion]  #: What looks like a fault, what costs most first


def fabric_levels(fabric: Fabric) -> NDArray[np.int64]:
    """Tell the level of every switch of a tree-like fabric, shape (switch_count,).

    It is 0 for the leaves (switches with a fifth of the hosts of the fullest one, or more), then
    the links up from the nearest leaf. Leaves that hang higher than the others, as storage on the
    cores above several pods, are on the level below the switches they hang on. It is -1 in parts
    that are not tree-like: they have no two levels, or more than a twentieth of the joined pairs of
    switches lie within a level. Links that join the spines of groups, as those of a dragonfly+ do,
    do not count among these.
    """
    return _core.fabric_levels(fabric)


def inspect_fabric(fabric: Fabric) -> FabricInspection:
    """Find out what a person wants to know of a fabric beyond its counts.

    Parameters
    ----------
    fabric : Fabric
        The network.

    Examples
    --------
    >>> import weft
    >>> tree = weft.generate("xgft", m=[18, 14], w=[1, 6])
    >>> inspection = weft.inspect_fabric(tree)
    >>> [level.oversubscription for level in inspection.levels]
    [3.0, None]
    >>> inspection.bisection.at_most_links
    42
    >>> damaged = weft.degrade(tree, links="sw3:19").fabric
    >>> for suspicion in weft.inspect_fabric(damaged).suspicions:
    ...     print(suspicion.text)
    a cable is missing: sw3[19] – sw14[4]
    """
    found = _core.inspect_fabric(fabric)
    between_groups = set(found["links_between_groups"])
    return FabricInspection(
        port_use=[PortUse(**entry) for entry in found["port_use"]],
        switch_pairs_by_distance=found["switch_pairs_by_distance"],
        host_pairs_by_distance=found["host_pairs_by_distance"],
        mean_host_distance_links=found["mean_host_distance_links"],
        bisection=BisectionBounds(**found["bisection"]),
        levels=[LevelFigures(**entry) for entry in found["levels"]],
        against_levels=_against(fabric, between_groups) if found["levels"] else [],
        structure=fabric_structure(fabric),
        suspicions=[_suspicion(entry) for entry in found["suspicions"]],
    )


def _against(fabric: Fabric, between_groups: set[int]) -> list[str]:
    """Tell what contradicts the levels of a tree, or of groups and the links that join them."""
    return [*_ends_above(fabric), *_links_across(fabric, between_groups)]


def _ends_above(fabric: Fabric) -> Iterator[str]:
    """Tell of switches above others that have compute ends."""
    levels = fabric_levels(fabric).tolist()
    names = fabric.switch_names
    links = fabric.links().tolist()
    above = {
        one if levels[one] > levels[other] else other
        for one, _, other, _ in links
        if max(one, other) < len(names) and levels[one] != levels[other]
    }
    computing = Counter(
        switch
        for switch, reason in zip(fabric.host_switch.tolist(), fabric.host_service, strict=True)
        if reason is None
    )
    for switch, ends in sorted(computing.items()):
        if levels[switch] > 0 and switch in above:
            yield f"{names[switch]}, on level {levels[switch]}, has {_counted(ends, 'compute end')}"


def _links_across(fabric: Fabric, between_groups: set[int]) -> Iterator[str]:
    """Tell of links between switches that are not on neighbouring levels."""
    levels = fabric_levels(fabric).tolist()
    names = fabric.switch_names
    for link, (one, one_port, other, other_port) in enumerate(fabric.links().tolist()):
        if max(one, other) >= len(names) or one == other or link in between_groups:
            continue
        low, high = sorted((levels[one], levels[other]))
        if low >= 0 and high - low != 1:
            between = f"two switches of level {low}" if low == high else f"levels {low} and {high}"
            yield f"{names[one]}[{one_port}] – {names[other]}[{other_port}] joins {between}"


def _suspicion(entry: dict[str, Any]) -> Suspicion:
    """Make ends of cables of names with their ports."""
    for name in entry.keys() & {"cables", "belong"}:
        entry[name] = [(CableEnd(*one), CableEnd(*other)) for one, other in entry[name]]
    if "among" in entry:
        ones, others = entry["among"]
        entry["among"] = [CableEnd(*end) for end in ones], [CableEnd(*end) for end in others]
    return Suspicion(**entry)
