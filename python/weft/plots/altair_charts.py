"""The charts as Altair charts, for those who change them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from weft.plots import boxes, curves, drawing, pools
from weft.plots.channels import BLOCKED, HOSTS, UTILIZATION, sorted_figures
from weft.plots.lanes import BUFFERS, LANES, lanes_drawn
from weft.plots.loads import drawing_loads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fabric import Fabric
    from weft.plots.rows import Curves
    from weft.plots.theme import Spec
    from weft.results import Results

__all__ = [
    "accepted_chart",
    "blocked_chart",
    "buffers_chart",
    "fabric_chart",
    "hosts_chart",
    "lanes_chart",
    "latency_chart",
    "longest_chart",
    "pools_chart",
    "spread_chart",
    "utilization_chart",
    "wiring_chart",
]


def latency_chart(results: Curves, what: str = "routing") -> alt.LayerChart:
    """Draw mean latency from generation to delivery against accepted traffic, for all routings.

    Latency is in ns, traffic in bytes/ns/switch; bars are 95 % confidence intervals. The latency
    axis is logarithmic and ends a little above the largest steady latency: beyond saturation the
    latency grows with the length of the run, so those points are drawn hollow. Points above the
    axis stand on its upper edge. `what` tells the curves apart, as the legend calls it.
    """
    return _chart(curves.latency(results, what))


def longest_chart(results: Curves, what: str = "routing") -> alt.LayerChart:
    """Draw the longest latency of any packet against accepted traffic, for all routings.

    Arguments and axes are those of `latency_chart`. What is longest grows with the packets
    measured, so that only points of about as many compare.
    """
    return _chart(curves.longest(results, what))


def accepted_chart(results: Curves) -> alt.LayerChart:
    """Draw accepted against offered traffic for all routings, both in bytes/ns/switch.

    The dotted diagonal is where everything offered is accepted.
    """
    return _chart(curves.accepted(results))


def utilization_chart(results: Results, load: float | None = None) -> alt.LayerChart:
    """Draw the utilization of the switch-to-switch channels, in percent of the time.

    Channels are sorted, one line per routing. The simulated load nearest to the one given (fraction
    of the host link rate) is drawn, by default the largest at which all routings are steady.
    """
    return _chart(sorted_figures(results, UTILIZATION, drawing_loads(results, load)))


def blocked_chart(results: Results, load: float | None = None) -> alt.LayerChart:
    """Draw the blocked time of the switch-to-switch channels, in percent of the time.

    Channels are sorted, one line per routing; arguments are those of `utilization_chart`.
    """
    return _chart(sorted_figures(results, BLOCKED, drawing_loads(results, load)))


def hosts_chart(results: Results, load: float | None = None) -> alt.LayerChart:
    """Draw what is accepted of each host that sends, in percent of the host link rate.

    Hosts are sorted, one line per routing; arguments are those of `utilization_chart`.
    """
    return _chart(sorted_figures(results, HOSTS, drawing_loads(results, load)))


def lanes_chart(results: Results, load: float | None = None) -> alt.LayerChart:
    """Draw the utilization of each lane in percent of the time, one colour per routing.

    Arguments are those of `utilization_chart`.
    """
    return _chart(lanes_drawn(results, LANES, drawing_loads(results, load)))


def buffers_chart(results: Results, load: float | None = None) -> alt.LayerChart:
    """Draw the bytes that the input buffers of each lane held, one colour per routing.

    Arguments are those of `utilization_chart`.
    """
    return _chart(lanes_drawn(results, BUFFERS, drawing_loads(results, load)))


def pools_chart(results: Results, load: float | None = None) -> alt.LayerChart:
    """Draw the bytes that NICs hold in transit, in time: mean over the NICs, and the fullest.

    Time is in microseconds from the begin of the window. The chart is empty where the study has no
    ``pool_interval_ns``; the load is as in `utilization_chart`.
    """
    return _chart(pools.pools(results, load))


def spread_chart(values: Sequence[tuple[str, str, float]], title: str, axis: str) -> alt.LayerChart:
    """Draw how a figure spreads over topologies.

    Values are condition, routing and figure, one for each topology; conditions and routings are
    shown in the order in which they first come. The axis names the figure with its unit. A box is
    from the first to the third quartile with the median, whiskers reach to the extremes, and every
    topology is a point.
    """
    return _chart(boxes.spread(values, title, axis))


def fabric_chart(
    results: Results, routing: str | None = None, load: float | None = None
) -> alt.LayerChart:
    """Draw the fabric, its channels coloured by utilization in percent of the time.

    By default it is that of the simulated routing with the largest throughput. The simulated load
    nearest to the one given (fraction of the host link rate) is drawn, by default the one that
    `weft.plots.loads.drawing_load` chooses. Every link is two strokes, one for each direction;
    traffic keeps right. Hosts are counted in the tooltip of their switch. A label that no simulated
    routing has is a `ResultsError`.
    """
    return _chart(drawing.utilized(results, routing, load))


def wiring_chart(fabric: Fabric) -> alt.LayerChart:
    """Draw a fabric as it is wired, without any figures of its channels.

    A grid is drawn as its grid, a tree-like fabric in rows, anything else by its distances.
    """
    return _chart(drawing.wiring(fabric))


def _chart(spec: Spec) -> alt.LayerChart:
    chart: alt.LayerChart = alt.LayerChart.from_dict(spec)
    return chart
