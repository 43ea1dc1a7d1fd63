"""Advice in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft.advice import Advice, Candidate, Scenario, Simulated

__all__ = ["reasons"]


def reasons(advice: Advice) -> list[str]:
    """Say what to take, why, and why not the others.

    Parameters
    ----------
    advice : Advice
        Routings compared.

    Returns
    -------
    list of str
        Sentences, the advice first.
    """
    out = [f"{other.routing} is out: {other.trouble}." for other in advice.others]
    if not advice.ranked:
        return [
            f"None of these routings can be taken with {advice.lanes} lanes: each leaves pairs "
            "unreached, can deadlock, or is refused.",
            *out,
        ]
    best, *rest = advice.ranked
    lanes = best.lanes()
    lines = [
        f"Take {best.routing}: it is proved free of deadlock on {lanes} "
        f"{'lane' if lanes == 1 else 'lanes'}, and {_static(advice, best)}."
    ]
    if best.predictions:
        lines.append(_simulated(advice, best))
    lines += [_compared(other) for other in rest[:1]]
    if advice.simulated is not None:
        lines.append(_method(advice, advice.simulated))
    return [*lines, *out]


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
        parts.append(f"; {_case(scenario)} {_percent(best.bisection(place))}")
    return "".join(parts)


def _case(scenario: Scenario) -> str:
    if scenario.name.endswith("%"):
        return f"with {scenario.name} of the links failed"
    return f"without {scenario.name}"


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
        change = f", {1 - left / whole:.1%} less" if left < whole else ", no less"
        parts.append(f"; {_case(scenario)} {_percent(left)}{change}")
    return "".join(parts) + "."


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
        f"latency at {simulated.load:.1%} of the hosts' rate, half of what the strongest of them "
        "carries. Runs are short: differences below 4% say nothing."
    )


def _percent(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.1%}"
