"""ITBSR: in-transit buffers with several routings, on irregular networks."""

from __future__ import annotations

from weft.reproduce.definition import Experiment, Paper
from weft.reproduce.low_load import at_share, penalties
from weft.reproduce.questions import all_of, factors, per_routing

__all__ = ["ITBSR"]

_SIZE = ("fabrics.switches",)
_UD, _DFS = "simple_routes:root=0", "dfs:root=0,selection=least_loaded"
_MITB, _ITB = "ud_mitb:per=switch,root=0", "ud_itb:per=switch,root=0"
_DFS_ITB = "dfs_itb:per=switch,root=0"
_NAMES = {
    _UD: "UD",
    _DFS: "DFS",
    "smart": "SMART",
    _MITB: "UD_MITB",
    _ITB: "UD_ITB",
    _DFS_ITB: "DFS_ITB",
    "balanced_itb": "BALANCED_ITB",
}
_SMART_AND_BALANCED = ("smart", "balanced_itb")

_OTHER_ROOT = "root of UD nearest to all"
_OTHER_DFS = "DFS from the farthest root, routes drawn"
_OTHER = "root of UD nearest to all, a route in transit for two hosts"

#: Very low traffic, as a share of the load at which UD carries most.
_VERY_LOW = 0.05


def _names(*labels: str) -> dict[str, str]:
    return {label: _NAMES[label] for label in labels}


ITBSR = Paper(
    "itbsr",
    "J. Flich, P. López, M. P. Malumbres, J. Duato, “In-Transit Buffers: A Mechanism to Improve "
    "Performance of Networks with Source Routing”.",
    "UD is `simple_routes`; the others have the paper's names. Uniform traffic of 512 bytes. Of "
    "DFS, SMART and the balanced routes the paper gives the idea; their details were "
    "reconstructed. The roots of the trees are not said: all figures, factors and utilizations "
    "alike, have switch 0, and one route in transit for all hosts of two switches, as was chosen "
    "by table 1 of BOOST. Routes of DFS are spread as `simple_routes` spreads those of UD, chosen"
    " by the factors of DFS_ITB. The readings with the other roots stand beside. SMART, whose "
    "cost grows fastest, runs up to 32 switches. Figures have their numbers by the order in which"
    " the paper describes its experiments, 8 and 9 as it numbers them.",
    (
        Experiment(
            "figure-3",
            "latency over traffic: UD, DFS, SMART",
            ("routings", "smart"),
            all_of(
                factors("SMART over UD", _UD, "smart", _SIZE),
                factors("SMART over DFS", _DFS, "smart", _SIZE),
                factors("SMART over UD", "simple_routes", "smart", _SIZE, remark=_OTHER_ROOT),
                factors("SMART over DFS", "dfs", "smart", _SIZE, remark=_OTHER_DFS),
                factors("DFS over UD", _UD, _DFS, _SIZE),
            ),
            names=_names(_UD, _DFS, "smart"),
            curves=True,
        ),
        Experiment(
            "figure-4",
            "utilization of the links: UD, DFS, SMART",
            ("smart",),
            per_routing(_SIZE, ("busiest", "idle"), _NAMES, of=(_UD, _DFS, "smart")),
            channels=True,
        ),
        Experiment(
            "figure-links",
            "utilization of the links at 0.03 bytes/ns/switch: UD, SMART, BALANCED_ITB (IV.C.1)",
            ("links",),
            per_routing(_SIZE, ("least_used", "most_used"), _NAMES),
        ),
        Experiment(
            "figure-5",
            "latency over traffic: UD, UD_MITB, UD_ITB",
            ("routings", "readings"),
            all_of(
                factors("UD_MITB over UD", _UD, _MITB, _SIZE),
                factors("UD_ITB over UD", _UD, _ITB, _SIZE),
                factors("UD_MITB over UD", "simple_routes", "ud_mitb", _SIZE, remark=_OTHER),
                factors("UD_ITB over UD", "simple_routes", "ud_itb", _SIZE, remark=_OTHER),
                penalties("latency of UD_ITB over UD", _UD, _ITB, (), at_share(_VERY_LOW)),
                per_routing(_SIZE, ("stops",), _NAMES, of=(_MITB, _ITB, _DFS_ITB)),
            ),
            names=_names(_UD, _MITB, _ITB),
            curves=True,
            boxes=_SIZE,
        ),
        Experiment(
            "figure-6",
            "latency over traffic: DFS, DFS_ITB",
            ("routings", "readings"),
            all_of(
                factors("DFS_ITB over DFS", _DFS, _DFS_ITB, _SIZE),
                factors(
                    "DFS_ITB over DFS",
                    "dfs",
                    "dfs_itb",
                    _SIZE,
                    remark=f"{_OTHER_DFS}, a route in transit for two hosts",
                ),
            ),
            names=_names(_DFS, _DFS_ITB),
            curves=True,
        ),
        Experiment(
            "figure-7",
            "latency over traffic: SMART, BALANCED_ITB",
            ("smart",),
            all_of(
                factors("BALANCED_ITB over SMART", "smart", "balanced_itb", _SIZE),
                factors("BALANCED_ITB over UD", _UD, "balanced_itb", _SIZE),
            ),
            names=_names("smart", "balanced_itb"),
            curves=True,
        ),
        Experiment(
            "figure-8",
            "utilization of the links: SMART, BALANCED_ITB",
            ("smart",),
            per_routing(_SIZE, ("busiest", "idle", "stops"), _NAMES, of=_SMART_AND_BALANCED),
            channels=True,
        ),
        Experiment(
            "figure-9",
            "time that links are blocked by flow control: SMART, BALANCED_ITB",
            ("smart",),
            per_routing(_SIZE, ("blocked",), _NAMES, of=_SMART_AND_BALANCED),
            channels=True,
        ),
    ),
)
