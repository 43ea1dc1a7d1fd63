"""ITBSR: in-transit buffers with several routings, on irregular networks."""

from __future__ import annotations

from weft.reproduce.definition import Experiment, Paper
from weft.reproduce.questions import all_of, factors, per_routing

__all__ = ["ITBSR"]

_SIZE = ("fabrics.switches",)
_UD = "simple_routes"
_OTHER_UD = "simple_routes:root=0"
_NAMES = {
    "simple_routes": "UD",
    _OTHER_UD: "UD with root 0",
    "dfs": "DFS",
    "smart": "SMART",
    "ud_mitb": "UD_MITB",
    "ud_itb": "UD_ITB",
    "dfs_itb": "DFS_ITB",
    "balanced_itb": "BALANCED_ITB",
}

_READING = "root: switch 0, a route in transit for two switches"


def _names(*labels: str) -> dict[str, str]:
    return {label: _NAMES[label] for label in labels}


ITBSR = Paper(
    "itbsr",
    "J. Flich, P. López, M. P. Malumbres, J. Duato, “In-Transit Buffers: A Mechanism to Improve "
    "Performance of Networks with Source Routing”.",
    "UD is `simple_routes`; the others have the paper's names. Uniform traffic of 512 bytes. Of "
    "DFS, SMART and the balanced routes the paper gives the idea; their details were "
    "reconstructed. The root of UD's tree is not said: it is the switch with the lowest average "
    "distance, and the reading of BOOST stands beside where a factor is published. SMART, whose "
    "cost grows fastest, runs up to 32 switches. Numbers of figures follow the order in which the "
    "paper describes its experiments; the titles say what each is.",
    (
        Experiment(
            "figure-3",
            "latency over traffic: UD, DFS, SMART",
            ("routings", "smart"),
            all_of(
                factors("SMART over UD", _UD, "smart", _SIZE),
                factors("SMART over DFS", "dfs", "smart", _SIZE),
                factors("SMART over UD", _OTHER_UD, "smart", _SIZE, remark="root: switch 0"),
                factors("DFS over UD", _UD, "dfs", _SIZE),
            ),
            names=_names(_UD, "dfs", "smart"),
            curves=True,
        ),
        Experiment(
            "figure-4",
            "utilization of the links: UD, DFS, SMART",
            ("smart",),
            per_routing(_SIZE, ("busiest", "idle"), _NAMES),
            channels=True,
        ),
        Experiment(
            "figure-5",
            "latency over traffic: UD, UD_MITB, UD_ITB",
            ("routings", "readings"),
            all_of(
                factors("UD_MITB over UD", _UD, "ud_mitb", _SIZE),
                factors("UD_ITB over UD", _UD, "ud_itb", _SIZE),
                *(
                    factors(
                        f"{name} over UD",
                        _OTHER_UD,
                        f"{label}:per=switch,root=0",
                        _SIZE,
                        remark=_READING,
                    )
                    for label, name in (("ud_mitb", "UD_MITB"), ("ud_itb", "UD_ITB"))
                ),
            ),
            names=_names(_UD, "ud_mitb", "ud_itb"),
            curves=True,
            boxes=_SIZE,
        ),
        Experiment(
            "figure-6",
            "latency over traffic: DFS, DFS_ITB",
            ("routings",),
            factors("DFS_ITB over DFS", "dfs", "dfs_itb", _SIZE),
            names=_names("dfs", "dfs_itb"),
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
            "utilization of the links and stops with in-transit buffers",
            ("routings",),
            per_routing(_SIZE, ("busiest", "idle", "stops"), _NAMES),
            channels=True,
        ),
        Experiment(
            "figure-9",
            "time that links are blocked by flow control",
            ("routings",),
            per_routing(_SIZE, ("blocked",), _NAMES),
            channels=True,
        ),
    ),
)
