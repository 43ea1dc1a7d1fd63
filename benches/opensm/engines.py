"""The engines of OpenSM, with what each is asked besides, and Weft's routings beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benches.opensm.fabrics import Named

#: Options for engines with lanes: every service level has the lane of its number, up to the eight
#: that ports of ibsim have.
LANES = ("-Q",)

#: Options of any run.
OPTIONS = """qos_max_vls 8
qos_high_limit 0
qos_vlarb_high 0:4
qos_vlarb_low 0:4,1:4,2:4,3:4,4:4,5:4,6:4,7:4
qos_sl2vl 0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,7
force_log_flush TRUE
"""


@dataclass(frozen=True)
class Engine:
    """An engine of OpenSM: its name in the table and there, and Weft's routing of the same kind.

    With it, what OpenSM is asked besides, and whether it is told the roots, and the torus.
    """

    label: str
    name: str
    ours: str
    options: tuple[str, ...] = ()
    has_roots: bool = False
    has_torus: bool = False

    def is_for(self, named: Named) -> bool:
        """Tell whether the engine is made for a fabric."""
        return named.is_torus or self.name not in {"dor", "torus-2QoS"}

    def ours_for(self, named: Named) -> str:
        """Return Weft's routing, with the roots that OpenSM is told where they join all hosts."""
        if self.name == "updn" and named.has_hosts_below_tops_alone:
            return f"{self.ours},root=tops"
        return self.ours


ENGINES = (
    Engine("minhop", "minhop", "min_hop"),
    Engine("sssp", "sssp", "sssp"),
    Engine("updn, roots given", "updn", "down_preferred:per=host", has_roots=True),
    Engine("ftree, roots given", "ftree", "ftree", has_roots=True),
    Engine("dor", "dor", "dimension_order:per=switch"),
    Engine("torus-2QoS", "torus-2QoS", "torus_2qos", LANES, has_torus=True),
    Engine("lash", "lash", "lash:lanes=8", LANES),
    Engine("dfsssp", "dfsssp", "dfsssp:lanes=8", LANES),
    *(
        Engine(
            f"nue, lanes {lanes}",
            "nue",
            f"nue:lanes={lanes}",
            (*LANES, "--nue_max_num_vls", str(lanes)),
        )
        for lanes in (1, 2, 4, 8)
    ),
)

#: Weft's routings without a counterpart.
OURS_ALONE = ("d_mod_k", "best:lanes=1", "best:lanes=2", "best:lanes=4", "best:lanes=8")

#: What is routed on networks that are too large to have OpenSM simulated on them.
OURS_ON_LARGE = ("min_hop", "sssp", "best:lanes=8")
