"""Compare routings of interconnection networks: proof, load figures, simulation, report.

One module per stage, in the order in which data flows::

    fabric → routing → proof → hardware, workload → simulate, replay → study → results → report

Everything one needs in a notebook is at hand as ``weft.<name>``.

Examples
--------
>>> import weft
>>> fabric = weft.torus(4, 4, hosts_per_switch=1)
>>> routing = weft.route(fabric, "updown")
>>> weft.prove(fabric, routing).deadlock_free
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft._core import __version__
from weft._late import late_names
from weft.advice import Advice, Candidate, Scenario, Simulated, advise
from weft.audit import Audit, HotCable, Judgement, Shares, audit, judge
from weft.bandwidth import Bandwidth, bandwidth
from weft.congestion import Congestion, HotChannel, congestion, hottest_channels, load_bound
from weft.errors import (
    Cancelled,
    EnvironmentFailure,
    FabricError,
    FormatError,
    HardwareError,
    InputError,
    ResultsError,
    RoutingError,
    StudyError,
    TrafficError,
    WeftError,
)
from weft.fabric import (
    BisectionBounds,
    DegradedFabric,
    Fabric,
    FabricFigures,
    FabricFile,
    FabricFormat,
    FabricInspection,
    LevelFigures,
    Parameter,
    PortUse,
    ReadNote,
    Suspicion,
    Topology,
    degrade,
    express_torus,
    fabric_figures,
    fabric_formats,
    from_networkx,
    generate,
    inspect_fabric,
    irregular,
    mesh,
    read_fabric,
    to_networkx,
    topologies,
    torus,
    write_fabric,
)
from weft.hardware import (
    Hardware,
    HardwarePreset,
    hardware,
    hardware_parameters,
    hardware_presets,
    infiniband_preset,
    read_hardware,
)
from weft.opensm import OpensmExport, export_opensm
from weft.own_routing import OwnAlgorithm, add_algorithm, own_routes
from weft.prediction import Prediction, Window
from weft.proof import (
    Certificate,
    CycleStep,
    Proof,
    RouteFindings,
    check_certificate,
    prove,
    read_certificate,
    route_findings,
    write_certificate,
)
from weft.repair import Repair, repair
from weft.replay import (
    BlockedRank,
    MessageSpan,
    Replay,
    Trace,
    collective,
    collective_algorithms,
    messaging_parameters,
    multicast,
    multicast_orders,
    place_ranks,
    read_trace,
    replay,
    write_timeline,
)
from weft.routing import (
    Algorithm,
    LoadFigures,
    RoutesFile,
    Routing,
    algorithms,
    load_figures,
    read_routes,
    route,
    route_for_weights,
    throughput_bound,
    to_tables,
    write_routes,
)
from weft.simulate import Cancel, LatencySummary, Measurement, idle_latency, simulate
from weft.workload import (
    ArrivalProcess,
    ExpectedLoad,
    Traffic,
    TrafficPattern,
    arrival_processes,
    destinations,
    expected_load,
    patterns,
    sending_hosts,
)

if TYPE_CHECKING:
    from weft.report import write_report
    from weft.results import Results
    from weft.study import compare

__all__ = [
    "Advice",
    "Algorithm",
    "ArrivalProcess",
    "Audit",
    "Bandwidth",
    "BisectionBounds",
    "BlockedRank",
    "Cancel",
    "Cancelled",
    "Candidate",
    "Certificate",
    "Congestion",
    "CycleStep",
    "DegradedFabric",
    "EnvironmentFailure",
    "ExpectedLoad",
    "Fabric",
    "FabricError",
    "FabricFigures",
    "FabricFile",
    "FabricFormat",
    "FabricInspection",
    "FormatError",
    "Hardware",
    "HardwareError",
    "HardwarePreset",
    "HotCable",
    "HotChannel",
    "InputError",
    "Judgement",
    "LatencySummary",
    "LevelFigures",
    "LoadFigures",
    "Measurement",
    "MessageSpan",
    "OpensmExport",
    "OwnAlgorithm",
    "Parameter",
    "PortUse",
    "Prediction",
    "Proof",
    "ReadNote",
    "Repair",
    "Replay",
    "Results",
    "ResultsError",
    "RouteFindings",
    "RoutesFile",
    "Routing",
    "RoutingError",
    "Scenario",
    "Shares",
    "Simulated",
    "StudyError",
    "Suspicion",
    "Topology",
    "Trace",
    "Traffic",
    "TrafficError",
    "TrafficPattern",
    "WeftError",
    "Window",
    "__version__",
    "add_algorithm",
    "advise",
    "algorithms",
    "arrival_processes",
    "audit",
    "bandwidth",
    "check_certificate",
    "collective",
    "collective_algorithms",
    "compare",
    "congestion",
    "degrade",
    "destinations",
    "expected_load",
    "export_opensm",
    "express_torus",
    "fabric_figures",
    "fabric_formats",
    "from_networkx",
    "generate",
    "hardware",
    "hardware_parameters",
    "hardware_presets",
    "hottest_channels",
    "idle_latency",
    "infiniband_preset",
    "inspect_fabric",
    "irregular",
    "judge",
    "load_bound",
    "load_figures",
    "mesh",
    "messaging_parameters",
    "multicast",
    "multicast_orders",
    "own_routes",
    "patterns",
    "place_ranks",
    "prove",
    "read_certificate",
    "read_fabric",
    "read_hardware",
    "read_routes",
    "read_trace",
    "repair",
    "replay",
    "route",
    "route_findings",
    "route_for_weights",
    "sending_hosts",
    "simulate",
    "throughput_bound",
    "to_networkx",
    "to_tables",
    "topologies",
    "torus",
    "write_certificate",
    "write_fabric",
    "write_report",
    "write_routes",
    "write_timeline",
]

#: The stages below the simulation import charts, tables and databases: looked up at first use.
__getattr__ = late_names(
    __name__,
    {"weft.results": ["Results"], "weft.study": ["compare"], "weft.report": ["write_report"]},
)
