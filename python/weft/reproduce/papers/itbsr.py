"""ITBSR: in-transit buffers with several routings, on irregular networks."""

from __future__ import annotations

from weft.reproduce.paper import Experiment, Paper
from weft.reproduce.questions import all_of, factors, per_routing

__all__ = ["ITBSR"]

_SIZE = ("fabrics.switches",)
_UD = "simple_routes"
_NAMES = {
    "simple_routes": "UD",
    "dfs": "DFS",
    "smart": "SMART",
    "ud_mitb": "UD_MITB",
    "ud_itb": "UD_ITB",
    "dfs_itb": "DFS_ITB",
    "balanced_itb": "BALANCED_ITB",
}

ITBSR = Paper(
    "itbsr",
    "J. Flich, P. López, M. P. Malumbres, J. Duato, “In-Transit Buffers: A Mechanism to Improve "
    "Performance of Networks with Source Routing”.",
    "UD is `simple_routes`; the others have the paper's names. Uniform traffic of 512 bytes. Of "
    "DFS, SMART and the balanced routes the paper gives the idea; their details were "
    "reconstructed. SMART, whose cost grows fastest, runs up to 32 switches. Numbers of figures "
    "follow the order in which the paper describes its experiments; the titles say what each is.",
    (
        Experiment(
            "figure",
            "3",
            "latency over traffic: UD, DFS, SMART",
            ("routings", "smart"),
            all_of(
                factors("SMART over UD", _UD, "smart", _SIZE),
                factors("SMART over DFS", "dfs", "smart", _SIZE),
                factors("DFS over UD", _UD, "dfs", _SIZE),
            ),
            curves=True,
        ),
        Experiment(
            "figure",
            "4",
            "utilization of the links: UD, DFS, SMART",
            ("smart",),
            per_routing(_SIZE, ("busiest", "idle"), _NAMES),
            channels=True,
        ),
        Experiment(
            "figure",
            "5",
            "latency over traffic: UD, UD_MITB, UD_ITB",
            ("routings",),
            all_of(
                factors("UD_MITB over UD", _UD, "ud_mitb", _SIZE),
                factors("UD_ITB over UD", _UD, "ud_itb", _SIZE),
            ),
            curves=True,
            boxes=_SIZE,
        ),
        Experiment(
            "figure",
            "6",
            "latency over traffic: DFS, DFS_ITB",
            ("routings",),
            factors("DFS_ITB over DFS", "dfs", "dfs_itb", _SIZE),
        ),
        Experiment(
            "figure",
            "7",
            "latency over traffic: SMART, BALANCED_ITB",
            ("smart",),
            all_of(
                factors("BALANCED_ITB over SMART", "smart", "balanced_itb", _SIZE),
                factors("BALANCED_ITB over UD", _UD, "balanced_itb", _SIZE),
            ),
            curves=True,
        ),
        Experiment(
            "figure",
            "8",
            "utilization of the links and stops with in-transit buffers",
            ("routings",),
            per_routing(_SIZE, ("busiest", "idle", "stops"), _NAMES),
            channels=True,
        ),
        Experiment(
            "figure",
            "9",
            "time that links are blocked by flow control",
            ("routings",),
            per_routing(_SIZE, ("blocked",), _NAMES),
            channels=True,
        ),
    ),
)
