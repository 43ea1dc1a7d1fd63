"""BOOST: in-transit buffers on Myrinet, irregular networks, tori and CPLANT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.reproduce.definition import Experiment, Paper
from weft.reproduce.low_load import at_share, at_traffic, penalties
from weft.reproduce.questions import all_of, at_knee, factors, per_routing, where
from weft.reproduce.test_bed import costs_of_packets

if TYPE_CHECKING:
    from weft.reproduce.questions import Question

__all__ = ["BOOST"]

_SIZE = ("fabrics.switches", "traffic.payload_bytes")
_PATTERN = ("fabrics.switches", "traffic.pattern", "traffic.payload_bytes")
_REGULAR = ("fabrics.topology", "traffic.pattern")
_UD, _ITB = "simple_routes:root=0", "ud_itb:per=switch,root=0"
_MITB = "ud_mitb:per=switch,root=0"
_OTHER_UD, _OTHER_ITB = "simple_routes", "ud_itb"
_NAMES = {_UD: "UD", _ITB: "ITB"}
_HELD = ("throughput", "stops", "packets", "most_packets", "held_by_fullest", "growth", "pool")
_CURVE = ("knee", "throughput", "latency", "stops")
_OTHER = "root nearest to all, a route for two hosts"

#: Low traffic of table 2, in bytes/ns/switch, and by the other reading as a share of the load at
#: which UD carries most.
_LOW = 0.0033
_OTHER_LOW = 0.3
_DRAWN = "ITB: drawn among all minimal routes"

_RADII = (3, 5)
_ALONG_UPDOWN = [f"local:radius={radius},counted=switches,along=updown" for radius in _RADII]
_ALONG_SHORTEST = [f"local:radius={radius}" for radius in _RADII]
_COUNT_SWITCHES = [f"local:radius={radius},counted=switches" for radius in (3, 4)]
_COUNT_LINKS = [f"local:radius={radius},counted=switch_links" for radius in (3, 4)]
_HOSTS_COUNT = "l: links of a shortest path, those of the hosts too"
_SWITCH_LINKS = "l: links between switches"


def _factors(keys: tuple[str, ...], remark: str = "") -> Question:
    return factors("ITB over UD", _UD, _ITB, keys, remark=remark)


BOOST = Paper(
    "boost",
    "J. Flich, P. López, M. P. Malumbres, J. Duato, “Boosting the Performance of Myrinet Networks”,"
    " IEEE Transactions on Parallel and Distributed Systems, 2002.",
    "UD is `simple_routes`, ITB is `ud_itb`. Both have the root of the tree at switch 0, ITB one "
    "route for all hosts of two switches. The paper published neither its topologies, nor the "
    "root of their trees, nor for whom a route in transit is drawn: both were chosen as they meet"
    " table 1, where the other reading stands beside, and are taken for all experiments. What the"
    " l of local traffic counts is not said either: it is taken as the switches on a path, on "
    "irregular networks on one of up*/down*, which was chosen by the averages of l = 5, on "
    "regular ones on a shortest path. Low traffic of table 2 is 0.0033 bytes/ns/switch, chosen by "
    "64 switches, and ITB there a minimal route with the fewest stops, chosen by 8 switches. "
    "Saturation, which the paper reads off its curves, is where latency is twice "
    "that of the lowest load, chosen by the torus of figure 12. Shares of hotspots are the "
    "paper's on irregular networks; of table 4 they are known for one figure each of torus (10 %)"
    " and express torus (3 %). Figures 10 and 11 have their numbers by the order in which the "
    "paper describes its experiments; figures without a number are named by what they show.",
    (
        Experiment(
            "table-1",
            "factor of throughput, ITB over UD, irregular networks, uniform",
            ("table-1",),
            all_of(
                _factors(_SIZE),
                factors("ITB over UD", _OTHER_UD, _OTHER_ITB, _SIZE, remark=_OTHER),
            ),
            names={**_NAMES, _OTHER_UD: "UD, other reading", _OTHER_ITB: "ITB, other reading"},
            boxes=_SIZE,
        ),
        Experiment(
            "table-2",
            "latency at low traffic, ITB over UD, irregular networks, uniform",
            ("table-2",),
            all_of(
                penalties("latency of ITB over UD", _UD, _MITB, _SIZE, at_traffic(_LOW)),
                penalties(
                    "latency of ITB over UD",
                    _UD,
                    _ITB,
                    _SIZE,
                    at_traffic(_LOW),
                    remark=_DRAWN,
                ),
                penalties(
                    "latency of ITB over UD",
                    _UD,
                    _ITB,
                    _SIZE,
                    at_share(_OTHER_LOW),
                    remark=f"{_DRAWN}, at 30 % of the load at which UD carries most",
                ),
            ),
        ),
        Experiment(
            "table-3",
            "factor of throughput, ITB over UD, irregular networks, local traffic and a hotspot",
            ("table-3-local", "table-3-8", "table-3-16", "table-3-32", "table-3-64"),
            all_of(
                where("traffic.pattern", _ALONG_UPDOWN, _factors(_PATTERN)),
                where(
                    "traffic.pattern",
                    _ALONG_UPDOWN,
                    per_routing(_PATTERN, ("stops",), _NAMES),
                ),
                where("traffic.pattern", _ALONG_SHORTEST, _factors(_PATTERN, _HOSTS_COUNT)),
                where(
                    "traffic.pattern",
                    _ALONG_SHORTEST,
                    per_routing(_PATTERN, ("stops",), _NAMES, remark=_HOSTS_COUNT),
                ),
                where(
                    "traffic.pattern",
                    [f"hotspot:share={share}" for share in (30, 20, 15, 5)],
                    _factors(_PATTERN),
                ),
            ),
            names=_NAMES,
        ),
        Experiment(
            "table-4",
            "factor of throughput, ITB over UD, torus, express torus and CPLANT, ten hotspots",
            ("table-4-torus", "table-4-express-torus", "table-4-cplant"),
            all_of(_factors(_REGULAR), per_routing(_REGULAR, ("throughput", "knee"), _NAMES)),
            names=_NAMES,
            boxes=_REGULAR,
        ),
        Experiment(
            "figure-10",
            "latency over traffic, irregular networks of 16, 32 and 64 switches, uniform",
            ("figure-10",),
            per_routing(_SIZE, ("throughput", "knee", "latency", "stops"), _NAMES),
            names=_NAMES,
            curves=True,
        ),
        Experiment(
            "figure-11",
            "packets in transit held by the NICs in time, 32 switches, 32 bytes",
            ("figure-11",),
            per_routing(_SIZE, _HELD, _NAMES),
            pools=True,
        ),
        Experiment(
            "figure-12",
            "latency over traffic, torus, express torus and CPLANT, uniform",
            ("regular-uniform",),
            per_routing(_REGULAR, _CURVE, _NAMES),
            names=_NAMES,
            curves=True,
        ),
        Experiment(
            "figure-16",
            "latency over traffic, torus, a hotspot of 10 %",
            ("figure-16",),
            per_routing(_REGULAR, _CURVE, _NAMES),
            names=_NAMES,
            curves=True,
        ),
        Experiment(
            "figure-17",
            "latency over traffic, express torus, a hotspot of 3 %",
            ("figure-17",),
            per_routing(_REGULAR, _CURVE, _NAMES),
            names=_NAMES,
            curves=True,
        ),
        Experiment(
            "figure-links",
            "utilization of the links, torus, express torus and CPLANT, uniform",
            ("regular-uniform",),
            per_routing(_REGULAR, ("busiest", "idle"), _NAMES),
            channels=True,
        ),
        Experiment(
            "figure-local",
            "latency over traffic, torus, express torus and CPLANT, local traffic (section 5.5.2)",
            ("regular-local",),
            all_of(
                where("traffic.pattern", _COUNT_SWITCHES, _factors(_REGULAR)),
                where("traffic.pattern", _COUNT_LINKS, _factors(_REGULAR, _SWITCH_LINKS)),
                where(
                    "traffic.pattern",
                    _COUNT_SWITCHES,
                    per_routing(_REGULAR, _CURVE, _NAMES),
                ),
            ),
            names=_NAMES,
            curves=True,
        ),
        Experiment(
            "figure-bit-reversal",
            "latency over traffic, both tori, and factors on irregular networks, bit reversal",
            ("regular-bit-reversal", "bit-reversal"),
            all_of(
                where(
                    "fabrics.topology",
                    ["torus", "express_torus"],
                    per_routing(_REGULAR, _CURVE, _NAMES),
                ),
                where(
                    "fabrics.topology",
                    ["irregular"],
                    all_of(
                        _factors(_PATTERN),
                        factors("ITB over UD at the knee", _UD, _ITB, _PATTERN, read=at_knee),
                    ),
                ),
            ),
            names=_NAMES,
            curves=True,
        ),
        Experiment(
            "figure-test-bed",
            "latency on two switches and three hosts by size of the messages (section 6)",
            (),
            costs_of_packets,
        ),
    ),
)
