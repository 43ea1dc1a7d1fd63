"""ARB: policies of arbitration in Myrinet's switches."""

from __future__ import annotations

from weft.reproduce.common_load import against, at_common_load
from weft.reproduce.definition import Experiment, Paper
from weft.reproduce.questions import all_of, per_routing

__all__ = ["ARB"]

_POLICY = "hardware.arbitration"
_SIZE = ("fabrics.switches",)
_KEYS = (*_SIZE, _POLICY)
_NAMES = {"simple_routes:root=0": "UD"}

#: Shares of the load at which round robin carries most.
_TRAFFIC = {"low": 0.5, "medium": 0.87, "high": 1.0}
#: What the paper calls the new policies: DTS, DT and injection time.
_NEW = ("distance_to_travel", "distance_travelled", "injection_time")

ARB = Paper(
    "arb",
    "P. J. García, M. D. Mora, F. J. Alfaro, J. L. Sánchez, J. Flich, “Evaluation of Alternative "
    "Arbitration Policies for Myrinet Switches”.",
    "Six policies under up*/down*; a fifth of the packets has 32 bytes, the others 2048. Routes "
    "are those of `simple_routes` with the root at switch 0, as in BOOST. DTS is "
    "`distance_to_travel`, DT `distance_travelled`. The paper gives curves, of which single "
    "figures of its text are known. The l of local traffic counts the switches on a shortest "
    "path; one host in random place takes 20 % of the packets of the hotspot. Low, medium and "
    "high traffic are 50, 87 and 100 % of the load at which round robin carries most, the second "
    "chosen by the latency that DTS saves. Each figure here is one of the four patterns. The "
    "longest latency of any packet grows towards the load that a policy no longer carries, so "
    "policies are compared at the highest load that all of them carry as well.",
    tuple(
        Experiment(
            f"figure-{number}",
            f"average and longest latency and throughput of six policies, {what}",
            (study,),
            all_of(
                against(_SIZE, _POLICY, "round_robin", _TRAFFIC, _NEW),
                per_routing(_KEYS, ("throughput", "knee", "latency", "wait"), _NAMES),
                at_common_load(_KEYS, _POLICY, _NAMES),
            ),
            series=_POLICY,
            curves=True,
            longest=True,
            accepted=True,
        )
        for number, what, study in (
            ("1", "uniform", "uniform"),
            ("2", "bit reversal", "bit-reversal"),
            ("3", "local traffic, l = 3", "local"),
            ("4", "a hotspot of 20 %", "hotspot"),
        )
    ),
)
