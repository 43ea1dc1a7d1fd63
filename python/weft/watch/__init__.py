"""A fabric watched beside OpenSM: changes are repaired, proved, applied and read back.

Each pass of a :class:`Watch` takes discoveries from a :class:`Source`, says by
:class:`Steadiness` what of them counts, decides by :func:`decide` which proved tables follow, puts
them in force as a generation on disk, has OpenSM load them and reads the switches.
"""

from __future__ import annotations

from weft.watch.comparing import Comparing, Loads
from weft.watch.decision import Decision, Plan, Standing, decide
from weft.watch.generations import Generation, Generations
from weft.watch.health import Health
from weft.watch.lock import held
from weft.watch.log import Event, Log
from weft.watch.settings import WatchSettings
from weft.watch.sources import (
    CommandSource,
    Discovery,
    Ends,
    FolderSource,
    Source,
    Unusable,
    source_of,
)
from weft.watch.steadiness import Steadiness, Verdict
from weft.watch.subnet_manager import ReadBack, SubnetManager
from weft.watch.watching import Watch

__all__ = [
    "CommandSource",
    "Comparing",
    "Decision",
    "Discovery",
    "Ends",
    "Event",
    "FolderSource",
    "Generation",
    "Generations",
    "Health",
    "Loads",
    "Log",
    "Plan",
    "ReadBack",
    "Source",
    "Standing",
    "Steadiness",
    "SubnetManager",
    "Unusable",
    "Verdict",
    "Watch",
    "WatchSettings",
    "decide",
    "held",
    "source_of",
]
