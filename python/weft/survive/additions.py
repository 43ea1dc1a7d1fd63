"""Which cable to add: new cables between free ports, tried against all the failures there are."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from itertools import combinations_with_replacement, islice
from typing import TYPE_CHECKING

from weft import _core
from weft._ranges import require_whole
from weft.errors import RoutingError
from weft.fabric import fabric_levels, inspect_fabric
from weft.repair import route_anew
from weft.survive.records import Addition, Additions, LoadOfTables, Toll
from weft.survive.survey import halves_drawn, numbers_again, survivals_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from weft._core import Fabric
    from weft.survive.records import Survival, Survivals

__all__ = ["MOST_TRIED", "try_cables"]

#: Cables at most that are tried.
MOST_TRIED = 1_000
#: The worst failures, which candidates are chosen by.
_WORST = 200
#: Switches at most, of those that failures load most, for which all candidates are looked at.
_BUSIEST = 64
#: How often one switch may be an end of the cables tried.
_EACH = 2


def try_cables(
    found: Survivals,
    count: int,
    *,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Survivals:
    """Try new cables between free ports of switches, one at a time, against the same failures.

    Tried are those that promise most: first those that would join what failures cut off, then
    those that the wiring of other switches says are missing, then those at the channels that are
    busiest after the worst failures. Only switches of kinds that cables join already are joined:
    leaves of a tree with the level above, not with each other. For each, every failure is looked
    at again twice: with tables made anew by the same algorithm, where one is known, and with those
    there are, in which the cable carries what failures break alone. The better counts.

    Parameters
    ----------
    found : Survivals
        What :func:`weft.survive` found.
    count : int
        How many are tried.
    seed : int
        That of :func:`weft.survive`, so that halves of the hosts are the same.
    progress : callable, optional
        Told how many have been tried, and how many there are.

    Returns
    -------
    Survivals
        The same, with what each of the cables would do, the best first.

    Raises
    ------
    InputError
        When the count is out of range.

    Examples
    --------
    A switch of a torus has lost all cables but one:

    >>> import weft
    >>> left = weft.degrade(weft.torus(4, 4), links=["sw5:2", "sw5:3", "sw5:4"]).fabric
    >>> found = weft.survive(left, weft.route(left, "best:lanes=2"), parts=["cables"])
    >>> [one.failure.name for one in found.cutting_off]
    ['sw1:4 – sw5:5']
    >>> tried = weft.try_cables(found, 2).additions
    >>> "sw5:2" in tried.helpful[0].ends, tried.helpful[0].toll.stranded_hosts
    (True, 0)
    """
    require_whole("count of cables", count, 1, MOST_TRIED)
    candidates = _Candidates.of(found)
    chosen = list(islice(candidates.in_order(), count))
    toll = _toll(found.whole, found.failures)
    tried: list[Addition] = []
    for place, (ends, is_missing) in enumerate(chosen):
        tried.append(_tried(found, ends, is_missing=is_missing, seed=seed))
        if progress is not None:
            progress(place + 1, len(chosen))
    tried.sort(key=lambda one: one.toll.rank)
    return replace(found, additions=Additions(toll, candidates.count, tried))


def _tried(found: Survivals, ends: tuple[str, str], *, is_missing: bool, seed: int) -> Addition:
    """Look at all failures with one more cable."""
    wider = found.fabric.with_cable(*ends)
    rounds = halves_drawn(found.fabric)

    def toll(standing: _core.StandingTables) -> Toll:
        failures = [one.failure for one in found.failures]
        survivals = survivals_of(standing, wider, numbers_again(standing, wider, failures))
        return _toll(LoadOfTables(*standing.figures()), survivals)

    as_they_are = toll(_core.StandingTables(found.fabric, found.routing, rounds, seed).on(wider))
    try:
        tables = route_anew(found.routing, wider)
        anew = toll(_core.StandingTables(wider, tables, rounds, seed))
    except RoutingError:
        return Addition(ends, is_missing, as_they_are, is_routed_anew=False)
    is_better = anew.rank < as_they_are.rank
    return Addition(ends, is_missing, anew if is_better else as_they_are, is_better)


def _toll(whole: LoadOfTables, failures: list[Survival]) -> Toll:
    loads = [one.load for one in failures if one.load is not None]
    largest = [load.largest_load for load in loads]
    return Toll(
        whole,
        sum(one.stranded_hosts > 0 for one in failures),
        sum(one.stranded_hosts for one in failures),
        sum(one.refusal is not None for one in failures),
        max(largest, default=whole.largest_load),
        sum(largest) / len(largest) if largest else float(whole.largest_load),
        min((load.effective_bisection for load in loads), default=whole.effective_bisection),
    )


@dataclass
class _Candidates:
    """Pairs of switches with free ports of kinds that cables join already."""

    fabric: Fabric
    free: dict[int, list[int]]
    kinds: list[tuple[int, bool]]
    joined: set[frozenset[tuple[int, bool]]]
    missing: list[tuple[tuple[int, int], tuple[int, int]]]
    healed: Counter[tuple[int, int]]
    busy: Counter[int]
    count: int = field(init=False)

    def __post_init__(self) -> None:
        sizes = Counter(self.kinds[switch] for switch in self.free)
        self.count = 0
        for one, other in combinations_with_replacement(sorted(sizes), 2):
            if frozenset((one, other)) in self.joined:
                alike = sizes[one] * (sizes[one] - 1) // 2
                self.count += alike if one == other else sizes[one] * sizes[other]

    @classmethod
    def of(cls, found: Survivals) -> _Candidates:
        fabric = found.fabric
        free = {switch: ports for switch, ports in enumerate(fabric.free_ports()) if ports}
        compute = [reason is None for reason in fabric.host_service]
        with_hosts = {
            switch for switch, own in zip(fabric.host_switch.tolist(), compute, strict=True) if own
        }
        levels = fabric_levels(fabric).tolist()
        kinds = [(level, switch in with_hosts) for switch, level in enumerate(levels)]
        joined = {
            frozenset((kinds[one], kinds[other]))
            for one, _, other, _ in fabric.links().tolist()
            if max(one, other) < fabric.switch_count and one != other
        }
        worst = found.failures[:_WORST]
        healed = _healed(fabric, free, [one for one in worst if one.stranded_hosts])
        loaded = sorted(
            found.failures, key=lambda one: -1 if one.load is None else -one.load.largest_load
        )
        missing = _missing(fabric, free)
        return cls(fabric, free, kinds, joined, missing, healed, _busy(fabric, loaded[:_WORST]))

    def in_order(self) -> Iterator[tuple[tuple[str, str], bool]]:
        """Yield the ends of cables to try, the best promises first, and whether each is missing."""
        used: Counter[int] = Counter()
        given: set[frozenset[int]] = set()
        missing = {frozenset((one[0], other[0])): (one, other) for one, other in self.missing}
        order = [
            *sorted(self.healed, key=lambda pair: (-self.healed[pair], pair)),
            *sorted(
                (tuple(sorted(pair)) for pair in missing),
                key=lambda pair: (-self.busy[pair[0]] - self.busy[pair[1]], pair),
            ),
            *self._by_load(),
        ]
        for one, other in order:
            pair = frozenset((one, other))
            if pair in given or max(used[one], used[other]) >= _EACH:
                continue
            given.add(pair)
            used.update(pair)
            ports = missing.get(pair)
            if ports is None:
                ports = ((one, self.free[one][0]), (other, self.free[other][0]))
            names = self.fabric.switch_names
            (first, first_port), (second, second_port) = ports
            ends = (f"{names[first]}:{first_port}", f"{names[second]}:{second_port}")
            yield ends, pair in missing

    def _by_load(self) -> list[tuple[int, int]]:
        """List pairs of which one end, or both, is at what failures load most."""
        busiest = [switch for switch, _ in self.busy.most_common() if switch in self.free]
        pairs = {
            (min(one, other), max(one, other))
            for one in busiest[:_BUSIEST]
            for other in self.free
            if one != other and frozenset((self.kinds[one], self.kinds[other])) in self.joined
        }
        return sorted(pairs, key=lambda pair: (-self.busy[pair[0]] - self.busy[pair[1]], pair))


def _healed(
    fabric: Fabric, free: dict[int, list[int]], cutting: list[Survival]
) -> Counter[tuple[int, int]]:
    """Count for pairs of switches the hosts that a cable would join again, over failures."""
    number = {name: place for place, name in enumerate(fabric.switch_names)}
    switch_of = dict(zip(fabric.host_names, fabric.host_switch.tolist(), strict=True))
    healed: Counter[tuple[int, int]] = Counter()
    for one in cutting:
        failed = {number[name] for name in one.failure.failed_switches}
        stranded: defaultdict[int, int] = defaultdict(int)
        for host in one.cut_off_hosts:
            if switch_of[host] not in failed:
                stranded[switch_of[host]] += 1
        others = [switch for switch in free if switch not in failed and switch not in stranded]
        for near in stranded:
            if near in free:
                # All that is cut off together is joined again together.
                hosts = sum(stranded.values())
                healed.update({(min(near, far), max(near, far)): hosts for far in others})
    return healed


def _missing(
    fabric: Fabric, free: dict[int, list[int]]
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """List the cables that the wiring of other switches says are missing, by switch and port."""
    number = {name: place for place, name in enumerate(fabric.switch_names)}
    suspicions = inspect_fabric(fabric).suspicions
    cables = []
    for one in suspicions:
        if one.kind == "missing_cable":
            ends = [(number.get(end.node, -1), end.ports) for end in one.cables[0]]
            first, second = (
                next(((at, port) for port in ports if port in free.get(at, ())), None)
                for at, ports in ends
            )
            if first is not None and second is not None and first[0] != second[0]:
                cables.append((first, second))
    return cables


def _busy(fabric: Fabric, loaded: list[Survival]) -> Counter[int]:
    """Count for each switch the failures after which it is at the busiest channel."""
    ends: dict[str | None, tuple[int, int]] = {}
    for channel, (one, other) in enumerate(fabric.channel_ends().tolist()):
        if max(one, other) < fabric.switch_count:
            ends[fabric.describe_channel(channel)] = (one, other)
    busy: Counter[int] = Counter()
    for one in loaded:
        if one.load is not None and one.load.busiest in ends:
            busy.update(ends[one.load.busiest])
    return busy
