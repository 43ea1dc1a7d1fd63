"""Which routing a cluster should take: several compared, on the network as it is and as it fails.

Figures are static, by routes and rates alone; see :mod:`weft.audit`. Every routing is made anew for
what is left after failures, as a subnet manager would.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.audit import Judgement, judge
from weft.errors import RoutingError
from weft.fabric import degrade
from weft.routing import route, to_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from weft.fabric import Fabric

__all__ = ["Advice", "Candidate", "Scenario", "advise", "candidates"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """What fails.

    Attributes
    ----------
    name : str
        As it was given: ``"2%"``, ``"leaf01:17"``, or ``"nothing"``.
    fabrics : list of Fabric
        What is left, one network per draw.
    """

    name: str
    fabrics: list[Fabric]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A routing, judged in every scenario.

    Attributes
    ----------
    routing : str
        Its specification.
    judgements : list of list of Judgement
        Per scenario, one per draw.
    lanes_allowed : int
        Lanes there may be.
    """

    routing: str
    judgements: list[list[Judgement]]
    lanes_allowed: int

    @property
    def trouble(self) -> str | None:
        """Why it cannot be taken, in the first scenario where that shows; None if it can."""
        for judged in (judged for draws in self.judgements for judged in draws):
            if judged.refusal is not None:
                return judged.refusal
            findings = judged.findings
            if findings is None:
                continue
            lost = findings.unreached_pairs + findings.circling_pairs
            if lost:
                return f"{lost:,} pairs of hosts are not reached"
            if findings.cycle:
                return f"packets can deadlock, in a cycle of {len(findings.cycle)} channels"
            if findings.lane_count > self.lanes_allowed:
                return f"it needs {findings.lane_count} lanes, and there are {self.lanes_allowed}"
        return None

    def lanes(self) -> int:
        """Return the most lanes it takes in any scenario.

        Returns
        -------
        int
        """
        taken = [
            judged.findings.lane_count
            for draws in self.judgements
            for judged in draws
            if judged.findings is not None
        ]
        return max(taken, default=0)

    def bisection(self, scenario: int) -> float | None:
        """Return what pairs get when random halves send, on average over the draws.

        Parameters
        ----------
        scenario : int
            Number of the scenario; 0 is the network as it is.

        Returns
        -------
        float or None
        """
        return _mean(
            judged.bisection.mean if judged.bisection is not None else None
            for judged in self.judgements[scenario]
        )

    def uniform(self, scenario: int) -> float | None:
        """Return what hosts can send when all send to all, on average over the draws.

        Parameters
        ----------
        scenario : int
            Number of the scenario; 0 is the network as it is.

        Returns
        -------
        float or None
        """
        return _mean(judged.uniform_share for judged in self.judgements[scenario])


@dataclass(frozen=True, slots=True)
class Advice:
    """Routings compared, and the one to take.

    Attributes
    ----------
    fabric : Fabric
        The network as it is.
    lanes : int
        Lanes there may be.
    scenarios : list of Scenario
        What fails; first nothing.
    ranked : list of Candidate
        Routings that can be taken in every scenario, the best first: by what pairs get when random
        halves send in the last scenario, then by uniform traffic.
    others : list of Candidate
        Routings that cannot.
    """

    fabric: Fabric
    lanes: int
    scenarios: list[Scenario]
    ranked: list[Candidate]
    others: list[Candidate]

    @property
    def reasons(self) -> list[str]:
        """The advice in words: what to take, and why not the others."""
        lines = []
        if not self.ranked:
            lines.append(
                f"None of these routings can be taken with {self.lanes} lanes: each leaves pairs "
                "unreached, can deadlock, or is refused."
            )
        else:
            lines.append(self._take(self.ranked[0]))
            lines += [
                f"{other.routing} gives {_percent(other.bisection(0))} in random halves and "
                f"{_percent(other.uniform(0))} of a host's rate all to all."
                for other in self.ranked[1:2]
            ]
        lines += [f"{other.routing} is out: {other.trouble}." for other in self.others]
        return lines

    def _take(self, best: Candidate) -> str:
        lanes = best.lanes()
        parts = [
            f"Take {best.routing}: it is proved free of deadlock on {lanes} "
            f"{'lane' if lanes == 1 else 'lanes'}, and pairs get {_percent(best.bisection(0))} of "
            f"the rate when random halves send to one another",
        ]
        if len(self.ranked) > 1:
            second = self.ranked[1]
            one, other = best.bisection(0), second.bisection(0)
            if one is not None and other:
                parts.append(f", {one / other:.2f} times what {second.routing} gives")
        for place, scenario in enumerate(self.scenarios[1:], start=1):
            parts.append(
                f"; with {scenario.name} of the links failed {_percent(best.bisection(place))}"
                if scenario.name.endswith("%")
                else f"; without {scenario.name} {_percent(best.bisection(place))}"
            )
        return "".join(parts) + "."


def candidates(lanes: int) -> list[str]:
    """List the routings that are worth a comparison where there are so many lanes.

    Parameters
    ----------
    lanes : int
        Lanes there may be.

    Returns
    -------
    list of str
        Specifications; all can stand in the tables of a subnet manager.
    """
    return [
        f"best:lanes={lanes}",
        "min_hop",
        f"dfsssp:lanes={lanes}",
        "down_preferred:root=tops",
        "down_preferred",
        f"lash:lanes={lanes}",
    ]


def advise(
    fabric: Fabric,
    lanes: int,
    *,
    fail: Sequence[str] = (),
    draws: int = 3,
    lmc: int = 0,
    routings: Sequence[str] | None = None,
    count: int = 200,
    seed: int = 1,
    progress: Callable[[str], None] = lambda _: None,
) -> Advice:
    """Compare routings on a network as it is and as it fails, and advise one.

    Parameters
    ----------
    fabric : Fabric
        The network.
    lanes : int
        Lanes that switches and adapters have for data.
    fail : sequence of str
        What fails, each by itself: a share of the links between switches such as ``"2%"``, or a
        link by switch and port such as ``"leaf01:17"``.
    draws : int
        How often a share is drawn; figures are means.
    lmc : int
        A host has at most 2 to this power LIDs; a routing that needs more cannot be taken.
    routings : sequence of str, optional
        What is compared; :func:`candidates` when not given.
    count : int
        Random halves that send to one another, per network.
    seed : int
        What shares and halves are drawn by.
    progress : callable
        Told what is looked at next.

    Returns
    -------
    Advice

    Raises
    ------
    FabricError
        When there is no such link.
    RoutingError
        When `lanes` is out of range, or a routing is unknown.

    Examples
    --------
    >>> import weft
    >>> advice = weft.advise(weft.torus(4, 4), 1, routings=["minimal", "down_preferred"])
    >>> [candidate.routing for candidate in advice.ranked]
    ['down_preferred']
    """
    if type(lanes) is not int or not 1 <= lanes <= _MOST_LANES:
        message = f"lanes is {lanes!r}; expected a whole number from 1 to {_MOST_LANES}"
        raise RoutingError(message)
    scenarios = [Scenario("nothing", [fabric])]
    for what in fail:
        seeds = range(seed, seed + draws) if what.endswith("%") else [seed]
        left = [degrade(fabric, links=what, seed=s, keep_largest=True).fabric for s in seeds]
        scenarios.append(Scenario(what, left))
    compared = []
    for specification in candidates(lanes) if routings is None else routings:
        progress(specification)
        judgements = [
            [_judged(left, specification, lmc, count, seed) for left in scenario.fabrics]
            for scenario in scenarios
        ]
        compared.append(Candidate(specification, judgements, lanes))
    last = len(scenarios) - 1
    ranked = sorted(
        (candidate for candidate in compared if candidate.trouble is None),
        key=lambda candidate: (candidate.bisection(last) or 0, candidate.uniform(last) or 0),
        reverse=True,
    )
    others = [candidate for candidate in compared if candidate.trouble is not None]
    return Advice(fabric, lanes, scenarios, ranked, others)


_MOST_LANES = 15


def _judged(fabric: Fabric, specification: str, lmc: int, count: int, seed: int) -> Judgement:
    """Judge a routing in the tables that switches would hold, or keep why there are none."""
    try:
        routing = to_tables(fabric, route(fabric, specification), lmc)
    except RoutingError as error:
        return Judgement(specification, refusal=str(error))
    return judge(fabric, routing, count=count, seed=seed)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _percent(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.1%}"
