"""Routings compared, and the advice in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from weft._numbers import in_percent, quantity
from weft.adaptive_gains import Carried, best_static, gains_in_words
from weft.load_gap import possible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weft._core import LoadBound
    from weft.audit import Judgement
    from weft.fabric import Fabric
    from weft.hardware import Hardware
    from weft.prediction import Prediction, Window

__all__ = ["Advice", "Candidate", "Scenario", "Simulated"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """What fails."""

    name: str  #: As it was given: ``"2%"``, ``"leaf01:17"``, or ``"nothing"``.
    fabrics: list[Fabric]  #: What is left, one network per draw.

    @property
    def in_words(self) -> str:
        """The case in a few words: ``as it is``, ``with 2 % of the links failed``."""
        if self.name.endswith("%"):
            return f"with {self._part} of the links failed"
        return self.left_in_words

    @property
    def left_in_words(self) -> str:
        """What is left, in as few words: ``as it is``, ``without 2 %``."""
        return "as it is" if self.name == "nothing" else f"without {self._part}"

    @property
    def _part(self) -> str:
        share = self.name.removesuffix("%")
        return self.name if share == self.name else f"{share.strip()} %"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A routing, judged in every scenario."""

    routing: str  #: Its specification.
    judgements: list[list[Judgement]]  #: Per scenario, one per draw.
    lanes_allowed: int  #: Lanes there may be.
    #: Per scenario, what simulation says, of the first draw; empty where it was not simulated.
    predictions: list[Prediction] = field(default_factory=list)
    #: A routing before it that was simulated and came out as the same routes in every scenario, so
    #: that its predictions are those; None of others.
    same_routes_as: str | None = None

    @property
    def chooses(self) -> bool:
        """Whether switches choose among groups of ports, on the network as it is."""
        return self.judgements[0][0].groups is not None

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
        """Return the most lanes it takes in any scenario."""
        taken = [
            judged.findings.lane_count
            for draws in self.judgements
            for judged in draws
            if judged.findings is not None
        ]
        return max(taken, default=0)

    @property
    def service_note(self) -> str | None:
        """That service ends count like compute ends as it is; None where they do not."""
        return self.judgements[0][0].service_note

    @property
    def address_note(self) -> str | None:
        """What hosts get by how addresses are used, in words; None where they have one each."""
        return self.judgements[0][0].address_note

    @property
    def traffic_note(self) -> str | None:
        """What the traffic that it was made for loads as it is; None of all to all alike."""
        return self.judgements[0][0].traffic_note

    @property
    def slow_hosts_note(self) -> str | None:
        """Which hosts' links take less than routes leave as it is; None where none does."""
        return self.judgements[0][0].slow_hosts_note

    def bisection(self, scenario: int) -> float | None:
        """Return what pairs get when random halves send, on average over the draws.

        Parameters
        ----------
        scenario : int
            Number of the scenario; 0 is the network as it is.
        """
        return _mean(
            judged.bisection.mean if judged.bisection is not None else None
            for judged in self.judgements[scenario]
        )

    def simulated(self, scenario: int) -> float:
        """Return the throughput simulated, as a fraction of the hosts' rate; 0 if it was not.

        Parameters
        ----------
        scenario : int
            Number of the scenario; 0 is the network as it is.
        """
        return self.predictions[scenario].throughput_load if self.predictions else 0.0

    def loads(self, scenario: int) -> list[float]:
        """Return the two static figures: random halves, then all to all; 0 where one is not known.

        Parameters
        ----------
        scenario : int
            Number of the scenario; 0 is the network as it is.
        """
        return [self.bisection(scenario) or 0.0, self.without_slow_hosts(scenario) or 0.0]

    def uniform(self, scenario: int) -> float | None:
        """Return what hosts can send when all send to all, on average over the draws.

        Parameters
        ----------
        scenario : int
            Number of the scenario; 0 is the network as it is.
        """
        return _mean(judged.uniform_share for judged in self.judgements[scenario])

    def without_slow_hosts(self, scenario: int) -> float | None:
        """Return the same if no host had a link that is slower than the mean: what routes leave.

        Parameters
        ----------
        scenario : int
            Number of the scenario; 0 is the network as it is.
        """
        return _mean(judged.share_without_slow_hosts for judged in self.judgements[scenario])


@dataclass(frozen=True, slots=True)
class Simulated:
    """How the best routings were simulated."""

    hardware: Hardware
    window: Window  #: How long, and what hosts send.
    #: Load at which latency is compared: half of the largest throughput of them on the network as
    #: it is, as a fraction of the hosts' rate.
    load: float


@dataclass(frozen=True, slots=True)
class Advice:
    """Routings compared, and the one to take."""

    fabric: Fabric  #: The network as it is.
    lanes: int  #: Lanes there may be.
    scenarios: list[Scenario]  #: What fails; first nothing.
    #: Routings that can be taken in every scenario, the best first. Those that were simulated come
    #: before the rest, by their throughput in the last scenario: of those that reach the largest,
    #: or hardly less, that one first which is by loads. By loads that one comes first that gives
    #: most all to all, several lanes counting 1.3 times; of those that give hardly less, that by
    #: which pairs get most when random halves send.
    ranked: list[Candidate]
    others: list[Candidate]  #: Routings that cannot.
    simulated: Simulated | None = None  #: How the best were simulated; None where none was.
    #: What routes over some channel between switches of the whole network no tables are below; None
    #: where these have several rates.
    load_bound: LoadBound | None = None
    #: What the switches route by today, judged on the network as it is; None where it is not known
    today: Judgement | None = None

    @property
    def beside_static(self) -> list[Judgement]:
        """What chooses among groups and can be taken, beside static tables, as the network is.

        Each is followed by the best static tables on as many lanes, and first comes what switches
        route by today. Empty where nothing chooses.
        """
        choosing = [candidate for candidate in self.ranked if candidate.chooses]
        compared = [] if self.today is None else [self.today]
        for candidate in choosing:
            static = self._static_on(candidate.lanes())
            pair = [candidate.judgements[0][0], *([] if static is None else [static])]
            compared += [one for one in pair if one not in compared]
        return compared if choosing else []

    def _static_on(self, lanes: int) -> Judgement | None:
        """Return the best static tables on so many lanes that can be taken."""
        return best_static((candidate.judgements[0][0] for candidate in self.ranked), lanes)

    @property
    def adaptive(self) -> list[str]:
        """What may choose, what that gains over static tables and today's, and what to load."""
        first = next((candidate for candidate in self.ranked if candidate.chooses), None)
        if first is None:
            return []
        static = self._static_on(first.lanes())
        carried = _carried(self, first, static)
        return gains_in_words(first.judgements[0][0], static, self.today, carried)

    def cut_off(self, scenario: int) -> list[int]:
        """Count the hosts that a case cuts off from the largest part, one count per draw."""
        left = self.scenarios[scenario].fabrics
        return [self.fabric.host_count - fabric.host_count for fabric in left]

    @property
    def left_out(self) -> str:
        """What figures leave out: hosts that failures cut off; nothing where there are none."""
        told = []
        for place, scenario in enumerate(self.scenarios):
            least, most = min(self.cut_off(place)), max(self.cut_off(place))
            if most:
                count = f"{most}" if least == most else f"{least} to {most}"
                told.append(f"{count} of {self.fabric.host_count} hosts {scenario.in_words}")
        if not told:
            return ""
        return (
            f"Cut off from the others: {'; '.join(told)}. Figures there are those of the largest"
            " part that is still joined."
        )

    @property
    def reasons(self) -> list[str]:
        """The advice in words: what to take, and why not the others."""
        return _reasons(self)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _reasons(advice: Advice) -> list[str]:
    """Say what to take, why, and why not the others."""
    out = [f"{other.routing} is out: {other.trouble}." for other in advice.others]
    if not advice.ranked:
        return [
            f"None of these routings can be taken with {advice.lanes} lanes: each leaves pairs "
            "unreached, can deadlock, or is refused.",
            *([advice.left_out] if advice.left_out else []),
            *out,
        ]
    best, *rest = advice.ranked
    lanes = best.lanes()
    lines = [
        f"Take {best.routing}: it is proved free of deadlock on {lanes} "
        f"{'lane' if lanes == 1 else 'lanes'}, and {_static(advice, best)}."
    ]
    if advice.left_out:
        lines.append(advice.left_out)
    if best.predictions:
        lines.append(_simulated(advice, best))
    lines += _lanes(advice)
    lines += [_compared(other) for other in rest[:1]]
    lines += advice.adaptive
    lines.append(_UNSIMULATED if advice.simulated is None else _method(advice, advice.simulated))
    whole = best.judgements[0][0]
    loads = [(best.routing, whole.max_routes)] if whole.is_by_destination else []
    told = possible(advice.load_bound, loads)
    if told:
        lines.append(f"As the network is, {told}.")
    return [*lines, *out]


#: A routing of one lane is taken where it gives no less than this part of the best on several.
ENOUGH_PART = 0.97
#: As many times more routes on several lanes carry than others with the same loads on one, where
#: packets wait behind each other: 1.1 to 1.4 times, as simulated on trees, a torus and irregular
#: networks of 10 to 30 switches.
MORE_BY_LANES = 1.3

_UNSIMULATED = (
    "Not simulated: the order is by what every host can send to all others, by the loads of the"
    " routes alone; of those that give within 3 % of each other by random halves. Several lanes"
    f" count {quantity(MORE_BY_LANES)} times: on one, packets wait behind each other, which loads"
    " do not know. --simulate 6 has the order by simulation."
)


def _lanes(advice: Advice) -> list[str]:
    """Say whether lanes are worth what they ask of applications."""
    best, *rest = advice.ranked
    asked = (
        "every application has to ask the subnet manager for the service level of each path (path"
        " records), and MPI to be built or told to do so: one that does not sends on level 0, where"
        " nothing is proved"
    )
    if best.lanes() > 1:
        lines = [f"Its {best.lanes()} lanes ask this of applications: {asked}."]
        on_one = [other for other in rest if other.lanes() == 1]
        return lines + _enough_by_one(best, on_one, len(advice.scenarios) - 1)
    on_lanes = [other for other in rest if other.lanes() > 1]
    if not on_lanes:
        return []
    scenario = len(advice.scenarios) - 1
    other = on_lanes[0]
    return [
        f"One lane is enough{_by(best)}: {other.routing} gives {_given(other, scenario)} on"
        f" {other.lanes()}, this {_given(best, scenario)}; with lanes, {asked}."
    ]


def _given(candidate: Candidate, scenario: int) -> str:
    """Say what a candidate gives by what it is ranked by."""
    if candidate.predictions:
        return _percent(candidate.simulated(scenario))
    halves, uniform = candidate.loads(scenario)
    return f"{_percent(uniform)} all to all and {_percent(halves)} in random halves"


def _by(best: Candidate) -> str:
    """Say what a choice is made by."""
    return ", as simulated" if best.predictions else ", by the loads of the routes"


def are_enough(loads: list[float], others: list[float]) -> bool:
    """Tell whether each of the static figures of a routing is hardly less than another's."""
    return all(load >= ENOUGH_PART * other for load, other in zip(loads, others, strict=True))


def _enough_by_one(best: Candidate, on_one: list[Candidate], scenario: int) -> list[str]:
    """Say where one lane would be enough by loads alone or as simulated alone, but not by both."""
    loads, carried = best.loads(scenario), best.simulated(scenario)
    for one in on_one:
        if not (one.predictions and best.predictions):
            continue
        (halves, uniform), simulated = one.loads(scenario), one.simulated(scenario)
        if are_enough([halves, uniform], loads):
            return [
                f"By the loads of its routes {one.routing} would be enough, with {_percent(halves)}"
                f" in random halves and {_percent(uniform)} of a host's rate all to all; but"
                f" simulated it carries {_percent(simulated)}, as packets on one lane wait behind"
                " each other. The choice is by what is simulated; --simulate 0 has it by loads."
            ]
        if simulated >= ENOUGH_PART * carried:
            return [
                f"Simulated, {one.routing} would be enough, with {_percent(simulated)}; but by the"
                f" loads of its routes pairs get {_percent(halves)} of the rate in random halves"
                f" for {_percent(loads[0])}, and {_percent(uniform)} of a host's rate all to all"
                f" for {_percent(loads[1])}."
            ]
    return []


def _static(advice: Advice, best: Candidate) -> str:
    parts = [
        f"pairs get {_percent(best.bisection(0))} of the rate when random halves send to one "
        "another"
    ]
    if len(advice.ranked) > 1:
        second = advice.ranked[1]
        one, other = best.bisection(0), second.bisection(0)
        if one is not None and other:
            parts.append(f", {one / other:.2f} times what {second.routing} gives")
    for place, scenario in enumerate(advice.scenarios[1:], start=1):
        parts.append(f"; {scenario.in_words} {_percent(best.bisection(place))}")
    return "".join(parts)


def _simulated(advice: Advice, best: Candidate) -> str:
    """Say what is carried, against the next, and how that falls as links fail."""
    whole = best.predictions[0].throughput_load
    parts = [f"Simulated, it carries {_percent(whole)} of the hosts' rate when all send to all"]
    others = [other for other in advice.ranked[1:] if other.predictions]
    if others:
        next_best = max(others, key=lambda other: other.predictions[0].throughput_load)
        other = next_best.predictions[0].throughput_load
        if other > 0:
            parts.append(f", {whole / other:.2f} times what {next_best.routing} carries")
    for scenario, prediction in zip(advice.scenarios[1:], best.predictions[1:], strict=True):
        left = prediction.throughput_load
        change = f", {in_percent(1 - left / whole)} less" if left < whole else ", no less"
        parts.append(f"; {scenario.in_words} {_percent(left)}{change}")
    return "".join(parts) + "."


def _carried(advice: Advice, adaptive: Candidate, static: Judgement | None) -> Carried | None:
    """Return what choosing carries by simulation, beside static tables; None if not simulated."""
    if not adaptive.predictions:
        return None
    named = "" if static is None else static.routing
    other = next((one for one in advice.ranked if one.routing == named and one.predictions), None)
    carried = adaptive.predictions[0]
    return Carried(
        carried.throughput_load,
        None if other is None else other.predictions[0].throughput_load,
        carried.out_of_order_share,
    )


def _compared(other: Candidate) -> str:
    parts = [
        f"{other.routing} gives {_percent(other.bisection(0))} in random halves and "
        f"{_percent(other.uniform(0))} of a host's rate all to all"
    ]
    if other.predictions:
        first, last = other.predictions[0], other.predictions[-1]
        parts.append(f"; simulated {_percent(first.throughput_load)}")
        if len(other.predictions) > 1:
            parts.append(f", and {_percent(last.throughput_load)} in the last of the cases")
    return "".join(parts) + "."


def _method(advice: Advice, simulated: Simulated) -> str:
    count = sum(1 for candidate in advice.ranked if candidate.predictions)
    hardware, window = simulated.hardware, simulated.window
    lanes = hardware.parameters.get("lanes", 1)
    return (
        f"Simulated: the {count} best by static load on {hardware.preset}, lanes={lanes}, packets "
        f"of {window.payload_bytes:,} bytes to random hosts, at most {window.packets:,} a run; "
        f"latency at {in_percent(simulated.load)} of the hosts' rate, half of what the strongest "
        "of them carries. Runs are short: differences below 4 % say nothing."
    )


def _percent(value: float | None) -> str:
    return "nothing" if value is None else in_percent(value)
