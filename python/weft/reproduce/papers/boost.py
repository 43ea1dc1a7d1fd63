"""BOOST: in-transit buffers on Myrinet, irregular networks, tori and CPLANT."""

from __future__ import annotations

from weft.reproduce.definition import Experiment, Paper
from weft.reproduce.questions import all_of, factors, per_routing
from weft.reproduce.test_bed import costs_of_packets

__all__ = ["BOOST"]

_SIZE = ("fabrics.switches", "traffic.payload_bytes")
_PATTERN = ("fabrics.switches", "traffic.pattern", "traffic.payload_bytes")
_REGULAR = ("fabrics.topology", "traffic.pattern")
_UD, _ITB = "simple_routes:root=0", "ud_itb:per=switch,root=0"
_OTHER_UD, _OTHER_ITB = "simple_routes", "ud_itb"
_NAMES = {_UD: "UD", _ITB: "ITB"}
_HELD = ("throughput", "stops", "held", "held_by_fullest", "held_at_once", "growth", "pool")
_OTHER = "root nearest to all, a route for two hosts"

BOOST = Paper(
    "boost",
    "J. Flich, P. López, M. P. Malumbres, J. Duato, “Boosting the Performance of Myrinet Networks”,"
    " IEEE Transactions on Parallel and Distributed Systems, 2002.",
    "UD is `simple_routes`, ITB is `ud_itb`. The paper published neither its random topologies nor "
    "the rule for the root of the tree, nor whether a route in transit is drawn for each pair of "
    "hosts or of switches: what can be compared is the average over seeded topologies with 4 hosts "
    "and 8 ports a switch, and its readings. Root at switch 0, as in the paper's tori, and one "
    "route in transit for two switches meet table 1, and are taken for all experiments; the other "
    "reading stands beside it in table 1. Shares of the hotspots are decided here. Numbers of "
    "tables and figures after table 1 follow the order in which the paper describes its "
    "experiments; the titles say what each is.",
    (
        Experiment(
            "table-1",
            "factor of throughput, ITB over UD, irregular networks, uniform",
            ("table-1",),
            all_of(
                factors("ITB over UD", _UD, _ITB, _SIZE),
                factors("ITB over UD", _OTHER_UD, _OTHER_ITB, _SIZE, remark=_OTHER),
            ),
            names={**_NAMES, _OTHER_UD: "UD, other reading", _OTHER_ITB: "ITB, other reading"},
            boxes=_SIZE,
        ),
        Experiment(
            "table-2",
            "factor of throughput, ITB over UD, irregular networks, bit reversal",
            ("table-2",),
            factors("ITB over UD", _UD, _ITB, _PATTERN),
            names=_NAMES,
            boxes=_PATTERN,
        ),
        Experiment(
            "table-3",
            "factor of throughput, ITB over UD, irregular networks, local traffic",
            ("table-3",),
            all_of(
                factors("ITB over UD", _UD, _ITB, _PATTERN),
                per_routing(_PATTERN, ("stops",), _NAMES),
            ),
        ),
        Experiment(
            "table-4",
            "factor of throughput, ITB over UD, irregular networks, a hotspot",
            ("table-4-8", "table-4-16", "table-4-32", "table-4-64"),
            factors("ITB over UD", _UD, _ITB, _PATTERN),
            names=_NAMES,
            boxes=_PATTERN,
        ),
        Experiment(
            "figure-10",
            "latency over traffic, irregular networks of 16, 32 and 64 switches, uniform",
            ("figure-10",),
            per_routing(_SIZE, ("throughput", "latency", "stops"), _NAMES),
            names=_NAMES,
            curves=True,
        ),
        Experiment(
            "figure-11",
            "bytes in transit held by the NICs in time, 32 switches, 32 bytes",
            ("figure-11",),
            per_routing(_SIZE, _HELD, _NAMES),
            pools=True,
        ),
        Experiment(
            "figure-12",
            "utilization of the links, torus, express torus and CPLANT, uniform",
            ("regular-uniform",),
            per_routing(_REGULAR, ("busiest", "idle"), _NAMES),
            channels=True,
        ),
        *(
            Experiment(
                f"figure-{number}",
                f"latency over traffic, torus, express torus and CPLANT, {what}",
                (f"regular-{study}",),
                per_routing(_REGULAR, ("throughput", "latency", "stops"), _NAMES),
                names=_NAMES,
                curves=True,
            )
            for number, what, study in (
                ("13", "uniform", "uniform"),
                ("14", "bit reversal (both tori)", "bit-reversal"),
                ("15", "local traffic, l = 3", "local-3"),
                ("16", "local traffic, l = 4 and 5", "local-4-5"),
                ("17", "a hotspot of 5 %", "hotspot"),
            )
        ),
        Experiment(
            "figure-test-bed",
            "latency on two switches and three hosts by size of the messages (section 6)",
            (),
            costs_of_packets,
        ),
    ),
)
