"""Networks as wired: generators, files in and out, graph figures.

The type :class:`Fabric` is what every later stage starts from. It knows nothing of routing.
"""

from __future__ import annotations

from weft._core import Fabric
from weft.fabric.computers import Computer, Computers, Rail, ends_in_each, find_computers
from weft.fabric.differences import ComparedEnd, FabricChange, FabricDiff, diff_fabrics
from weft.fabric.failures import DegradedFabric, degrade
from weft.fabric.figures import FabricFigures, fabric_figures
from weft.fabric.formats import (
    FabricFile,
    FabricFormat,
    PortRecord,
    ReadNote,
    fabric_content,
    fabric_formats,
    read_fabric,
    write_fabric,
)
from weft.fabric.inspection import (
    BisectionBounds,
    FabricInspection,
    LevelFigures,
    PortUse,
    fabric_levels,
    inspect_fabric,
)
from weft.fabric.networkx_graphs import from_networkx, to_networkx
from weft.fabric.parameter import Parameter
from weft.fabric.separate_subnets import one_network, subnets
from weft.fabric.service import mark_ends
from weft.fabric.structure import Structure, fabric_structure
from weft.fabric.topologies import (
    Topology,
    express_torus,
    generate,
    irregular,
    mesh,
    topologies,
    torus,
)
from weft.fabric.what_is_wrong import CableEnd, Suspicion

__all__ = [
    "BisectionBounds",
    "CableEnd",
    "ComparedEnd",
    "Computer",
    "Computers",
    "DegradedFabric",
    "Fabric",
    "FabricChange",
    "FabricDiff",
    "FabricFigures",
    "FabricFile",
    "FabricFormat",
    "FabricInspection",
    "LevelFigures",
    "Parameter",
    "PortRecord",
    "PortUse",
    "Rail",
    "ReadNote",
    "Structure",
    "Suspicion",
    "Topology",
    "degrade",
    "diff_fabrics",
    "ends_in_each",
    "express_torus",
    "fabric_content",
    "fabric_figures",
    "fabric_formats",
    "fabric_levels",
    "fabric_structure",
    "find_computers",
    "from_networkx",
    "generate",
    "inspect_fabric",
    "irregular",
    "mark_ends",
    "mesh",
    "one_network",
    "read_fabric",
    "subnets",
    "to_networkx",
    "topologies",
    "torus",
    "write_fabric",
]
