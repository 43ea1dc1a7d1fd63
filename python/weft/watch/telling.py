"""What is told of changes, and of what is decided about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft._numbers import counted, quantity
from weft.transition import longest_wait_s
from weft.watch.steadiness import listed

if TYPE_CHECKING:
    from weft.fabric import Fabric
    from weft.watch.decision import Decision
    from weft.watch.steadiness import Verdict

__all__ = ["changed_text", "told_of"]

_DECISIONS = {
    "repair": "the tables are repaired",
    "plan": "the tables as planned are taken",
    "taken_in": "what is new is taken in",
    "anew": "routed anew",
    "keep": "nothing is changed",
}


def told_of(decision: Decision, lifetime: int) -> tuple[str, dict[str, Any]]:
    """Return what is told of a decision: the text, and the figures and names of its JSON line.

    Packets stay in a switch as long as `lifetime` says, OpenSM's packet_life_time.
    """
    facts: dict[str, Any] = {"decision": decision.kind, "reasons": decision.reasons}
    text = _DECISIONS[decision.kind]
    if decision.proof is not None:
        facts["order"] = decision.way.order
        facts["proof"] = decision.proof.text.splitlines()[0]
        text += f", proved: {facts['proof']}"
    if decision.repaired is not None and decision.kind == "repair":
        repaired = decision.repaired
        facts["changed_entries"] = repaired.changed_entries
        facts["changed_lanes"] = repaired.changed_lanes
        text += f"; {repaired.changed_entries:,} entries change"
    plan = decision.way.transition
    if plan is not None:
        facts["rounds"], facts["phases"] = len(plan.rounds), len(plan.phases)
        facts["drained"] = plan.drained
        text += f"; {plan.changed_entries:,} writes in {len(plan.rounds)} rounds"
        if relaned := plan.relaned_switches:
            facts["relaned"] = len(relaned)
            text += f", and the lane tables of {len(relaned):,} switches in rounds of their own"
        waits = [phase.wait_s(lifetime) for phase in plan.phases[:-1]]
        if waits:
            text += f", {quantity(sum(waits))} s are waited in between"
        if plan.drained:
            text += f"; packets to {listed(plan.drained)} are dropped meanwhile"
    if decision.way.drained:
        facts["drained"] = decision.way.drained
        text += (
            f"; hosts have to let go of service levels to {listed(decision.way.drained)}:"
            " packets to these drop where entries change, until none of before is on its way"
        )
    if decision.way.rounds:
        cleared, count = decision.way.cleared, len(decision.way.rounds)
        facts["rounds"], facts["phases"] = count, 2 if cleared else 1
        facts["drained"] = cleared
        text += f", in {count} rounds"
        if cleared:
            wait_s = longest_wait_s(decision.way.cleared_switches, lifetime)
            text += (
                f", {quantity(wait_s)} s are waited after the first; until the last switches whose"
                f" way to {listed(cleared)} changes have none"
            )
    if late := len(decision.way.late):
        facts["late"] = late
        text += (
            f"; {late:,} entries by which switches without hosts answer are set last, when no"
            " packet of before is on its way"
        )
    if decision.reasons:
        text += f" ({'; '.join(decision.reasons)})"
    return text, facts


def changed_text(target: Fabric, verdict: Verdict) -> str:
    """Say what a fabric to be routed has lost and got."""
    what = []
    if verdict.missing:
        what.append(f"gone: {listed(verdict.missing)}")
    if verdict.added:
        what.append(f"there: {listed(verdict.added)}")
    size = f"{counted(target.switch_count, 'switch')} and {counted(target.host_count, 'host')}"
    return f"{'; '.join(what)}; {size} are to be routed" if what else f"found {size}"
