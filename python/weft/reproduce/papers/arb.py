"""ARB: policies of arbitration in Myrinet's switches."""

from __future__ import annotations

from weft.reproduce.common_load import at_common_load
from weft.reproduce.definition import Experiment, Paper
from weft.reproduce.questions import all_of, per_routing

__all__ = ["ARB"]

_POLICY = "hardware.arbitration"
_KEYS = ("fabrics.switches", _POLICY)
_NAMES = {"updown": "UD"}

ARB = Paper(
    "arb",
    "P. J. García, M. D. Mora, F. J. Alfaro, J. L. Sánchez, J. Flich, “Evaluation of Alternative "
    "Arbitration Policies for Myrinet Switches”.",
    "Six policies under up*/down*; a fifth of the packets has 32 bytes, the others 2048. The paper "
    "gives curves, whose figures are not known here: ours stand alone. Each figure here is one of "
    "its four patterns. The longest latency of any packet grows towards the load that a policy no "
    "longer carries, so policies are compared at the highest load that all of them carry.",
    tuple(
        Experiment(
            f"figure-{number}",
            f"average and longest latency and throughput of six policies, {what}",
            (study,),
            all_of(
                per_routing(_KEYS, ("throughput", "latency", "wait"), _NAMES),
                at_common_load(_KEYS, _POLICY, _NAMES),
            ),
            series=_POLICY,
            curves=True,
            longest=True,
        )
        for number, what, study in (
            ("1", "uniform", "uniform"),
            ("2", "bit reversal", "bit-reversal"),
            ("3", "local traffic, l = 3", "local"),
            ("4", "a hotspot of 5 %", "hotspot"),
        )
    ),
)
