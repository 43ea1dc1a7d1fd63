"""Charts of a study's results, as figures that a user can change, and as files.

Most functions take `weft.Results`, `wiring_chart` takes a fabric.  The modules behind are imported
at first use, because the chart library takes a while to load.

Examples
--------
>>> from weft import plots
>>> plots.latency_chart(results).save("latency.svg")  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft._late import late_names

if TYPE_CHECKING:
    from weft.plots.boxes import spread_chart
    from weft.plots.channels import blocked_chart, hosts_chart, utilization_chart
    from weft.plots.chart import Chart
    from weft.plots.curves import accepted_chart, latency_chart, longest_chart
    from weft.plots.drawing import fabric_chart, wiring_chart
    from weft.plots.lanes import buffers_chart, lanes_chart
    from weft.plots.pools import pools_chart
    from weft.plots.tables import ranking_table
    from weft.plots.writing import write_charts

__all__ = [
    "Chart",
    "accepted_chart",
    "blocked_chart",
    "buffers_chart",
    "fabric_chart",
    "hosts_chart",
    "lanes_chart",
    "latency_chart",
    "longest_chart",
    "pools_chart",
    "ranking_table",
    "spread_chart",
    "utilization_chart",
    "wiring_chart",
    "write_charts",
]

__getattr__ = late_names(
    __name__,
    {
        "weft.plots.boxes": ("spread_chart",),
        "weft.plots.chart": ("Chart",),
        "weft.plots.channels": ("blocked_chart", "hosts_chart", "utilization_chart"),
        "weft.plots.curves": ("accepted_chart", "latency_chart", "longest_chart"),
        "weft.plots.drawing": ("fabric_chart", "wiring_chart"),
        "weft.plots.writing": ("write_charts",),
        "weft.plots.lanes": ("buffers_chart", "lanes_chart"),
        "weft.plots.pools": ("pools_chart",),
        "weft.plots.tables": ("ranking_table",),
    },
    dict.fromkeys(
        (
            *("weft.plots.boxes", "weft.plots.chart", "weft.plots.channels", "weft.plots.curves"),
            *("weft.plots.drawing", "weft.plots.writing", "weft.plots.lanes", "weft.plots.pools"),
        ),
        "matplotlib",
    ),
)
