"""Studies: routings compared on a fabric by proof, load figures and load sweeps.

::

    comparison ── run ──┬── sweep ── ladder     which loads, decided from what was measured
                        ├── stages              route, prove, simulate
                        └── results.store       one transaction per finished point
"""

from __future__ import annotations

from weft.study.comparison import compare, default_folder
from weft.study.progress import PointFinished, Progress, RoutingReady, SweepFinished, Watcher
from weft.study.spec import DEFAULT_ROUTINGS, StudySpec

__all__ = [
    "DEFAULT_ROUTINGS",
    "PointFinished",
    "Progress",
    "RoutingReady",
    "StudySpec",
    "SweepFinished",
    "Watcher",
    "compare",
    "default_folder",
]
