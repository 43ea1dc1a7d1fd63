"""MVN: several up*/down* trees over virtual lanes of InfiniBand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.reproduce.definition import Experiment, Paper, Row
from weft.reproduce.highest_load import at_highest_load
from weft.reproduce.questions import (
    accepted,
    all_of,
    condition,
    factors,
    per_routing,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.results import Results
    from weft.study import Case

__all__ = ["MVN", "by_roots"]

_SIZE = ("fabrics.switches",)
_HOTSPOTS = ("fabrics.switches", "traffic.pattern")
_RULE = "multi_tree:roots=apart,trees=2"
_PAIR = "multi_tree:roots="
_TREES = {
    "multi_tree:lanes=2,trees=1": "1 tree, 2 lanes",
    "multi_tree:lanes=2,trees=2": "2 trees, 2 lanes",
    "multi_tree:lanes=3,trees=3": "3 trees, 3 lanes",
}
_ONE_OF_TWO, _TWO_OF_TWO, _ = _TREES
_ONE, _TWO, _THREE = (
    "multi_tree:lanes=3,trees=1",
    "multi_tree:lanes=3,spread=pairs,trees=2",
    "multi_tree:lanes=3,trees=3",
)
_THREE_WITH_NEAREST = "multi_tree:lanes=3,roots=apart_from_first,trees=3"
_OF_THREE_LANES = {
    _ONE: "1 tree, 3 lanes",
    _TWO: "2 trees, 3 lanes",
    _THREE: "3 trees, 3 lanes",
    _THREE_WITH_NEAREST: "3 trees, 3 lanes, the nearest root among them",
}
_CHOSEN = "chosen by the paper's rule"
_OF_ALL = "the best of all triples of roots"
_LARGEST = "the largest accepted traffic"
_UNEQUAL = "two trees share three lanes unequally"


def by_roots(found: Sequence[tuple[Case, Results]]) -> list[Row]:
    """Sort pairs of roots by throughput; the pair that the paper's rule chooses is marked."""
    rows = []
    for case, results in found:
        under = condition(case, _SIZE)
        measured = {
            routing.label: routing.throughput.accepted_bytes_per_ns_per_switch
            for routing in results.routings
            if routing.throughput is not None
        }
        # A parameter in use tells rules apart: `id:14+id:8`.
        chosen = {
            _PAIR + routing.parameters.get("roots", "").replace("id:", "")
            for routing in results.routings
            if routing.label == _RULE
        }
        named = [label for label in measured if label.startswith(_PAIR) and label != _RULE]
        pairs = {label: measured[label] for label in named}
        if _RULE in measured:
            better = sum(value > measured[_RULE] for value in pairs.values())
            rows.append(Row(under, "the paper's rule, bytes/ns/switch", measured[_RULE]))
            rows.append(Row(under, "pairs of roots that exceed it", better))
        if pairs:
            extremes = (("lowest", min(pairs.values())), ("highest", max(pairs.values())))
            for which, value in extremes:
                rows.append(Row(under, f"{which} of all pairs of roots, bytes/ns/switch", value))
        for label in sorted(pairs, key=lambda label: (-pairs[label], label)):
            roots = label.removeprefix(_PAIR).replace("+", " and ")
            remark = _CHOSEN if label in chosen else ""
            rows.append(Row(under, f"roots {roots}, bytes/ns/switch", pairs[label], remark=remark))
    return rows


MVN = Paper(
    "mvn",
    "J. Flich, P. López, J. C. Sancho, A. Robles, J. Duato, “Improving InfiniBand Routing through "
    "Multiple Virtual Networks”, ISHPC 2002.",
    "Several trees are `multi_tree` on `infiniband_1x_headers`, compared with fewer on as many "
    "lanes. Of a packet of 58 bytes, 32 are payload, which is what is counted. One tree uses its "
    "lanes equally by letting the packets of each pair take them in turn. Two trees have their "
    "roots at the switch nearest to all others and the one farthest from it, three where "
    "distances differ least and then are longest, of the triples with the nearest switch, a "
    "reading chosen for the figures it meets, or, in the other, of all triples. The paper's "
    "topologies were not published: what can be compared is the average over seeded topologies "
    "with 4 hosts and 8 ports a switch. The network of figure 2 is the one of the ten of its size "
    "on which two trees gain most, as they do on the paper's. Under hotspots what is compared is "
    "the traffic accepted at twice the load at which two trees carry most of uniform traffic, a "
    "reading chosen for the figures it meets. Several hotspots share a fifth of "
    "the traffic, which is decided here, and other figures are named by what they show.",
    (
        Experiment(
            "table-1",
            "factor of throughput, two trees over one, irregular networks, uniform",
            ("table-1",),
            all_of(
                factors("2 trees over 1", _ONE_OF_TWO, _TWO_OF_TWO, _SIZE),
                accepted("1 tree", _ONE_OF_TWO, _SIZE),
                accepted("2 trees", _TWO_OF_TWO, _SIZE),
            ),
            names=_TREES,
            boxes=_SIZE,
        ),
        *(
            Experiment(
                f"table-{number}",
                f"factor of accepted traffic, two trees over one, irregular networks, {what}",
                tuple(f"table-{number}-{switches}" for switches in (8, 16, 32, 64)),
                all_of(
                    factors(
                        "2 trees over 1",
                        _ONE_OF_TWO,
                        _TWO_OF_TWO,
                        _HOTSPOTS,
                        read=at_highest_load,
                    ),
                    accepted("1 tree", _ONE_OF_TWO, _HOTSPOTS, read=at_highest_load),
                    accepted("2 trees", _TWO_OF_TWO, _HOTSPOTS, read=at_highest_load),
                    factors("2 trees over 1", _ONE_OF_TWO, _TWO_OF_TWO, _HOTSPOTS, remark=_LARGEST),
                ),
                names=_TREES,
                curves=True,
                boxes=_HOTSPOTS,
            )
            for number, what in (("2", "a hotspot"), ("3", "2 to 16 hotspots"))
        ),
        Experiment(
            "figure-2",
            "throughput of one and two trees, an irregular network of 32 switches, uniform",
            ("figure-2",),
            per_routing(_SIZE, ("throughput", "knee"), _TREES),
            names=_TREES,
            curves=True,
        ),
        Experiment(
            "table-4",
            "factor of throughput, three trees over two and one, irregular networks, uniform",
            ("table-4",),
            all_of(
                factors("3 trees over 2", _TWO, _THREE_WITH_NEAREST, _SIZE, remark=_UNEQUAL),
                factors("3 trees over 1", _ONE, _THREE_WITH_NEAREST, _SIZE),
                factors("3 trees over 2", _TWO, _THREE, _SIZE, remark=f"{_UNEQUAL}; {_OF_ALL}"),
                factors("3 trees over 1", _ONE, _THREE, _SIZE, remark=_OF_ALL),
            ),
            names=_OF_THREE_LANES,
            boxes=_SIZE,
        ),
        Experiment(
            "figure-latency",
            "latency over traffic: one, two and three trees, irregular networks, uniform",
            ("figures",),
            per_routing(_SIZE, ("throughput", "knee", "latency"), _TREES),
            names=_TREES,
            curves=True,
        ),
        Experiment(
            "figure-links",
            "utilization of the links: one, two and three trees, irregular networks, uniform",
            ("figures",),
            per_routing(_SIZE, ("busiest", "idle"), _TREES),
            channels=True,
        ),
        Experiment(
            "figure-roots",
            "throughput of two trees for every pair of roots, one network of 16 switches",
            ("roots",),
            by_roots,
        ),
    ),
)
