"""A running OpenSM: told to load its tables, and what switches say they have."""

from __future__ import annotations

import json
import shlex
import subprocess
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from weft import _core
from weft.errors import EnvironmentFailure, WeftError
from weft.proof import route_findings
from weft.watch.lane_tables import DROPPED, LaneRows, ports_in_use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._core import LoadedTables
    from weft.fabric import Fabric
    from weft.routing import Routing

__all__ = ["ReadBack", "SubnetManager"]

_PATIENCE_S = 600.0
_SHOWN_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class ReadBack:
    """What switches say they route by, judged."""

    is_loaded: bool  #: Whether every entry is the one that OpenSM was given
    differing: int | None = None  #: Entries that are another, or missing; None when not known
    #: Pairs of ports between which switches choose other lanes than those they were given
    differing_lanes: int = 0
    #: What is wrong with the routes that switches have, in words; None where nothing is, or they
    #: are those that were proved
    fault: str | None = None
    failure: str | None = None  #: Why they could not be read; then nothing else is known


class SubnetManager:
    """How OpenSM is told, and how switches are read.

    Parameters
    ----------
    tell : sequence of str
        Commands that make every OpenSM load its tables again, such as ``pkill -HUP -x opensm``.
    read : str
        The command that prints the tables of all switches, such as ``dump_fts``.
    read_lanes : str, optional
        The command that prints their lane tables (SL to VL) as OpenSM's ``opensm-sl2vl.dump`` or
        ibdiagnet's ``.slvl`` has them. Without, switches are taken to have those they were given,
        and these are not changed.
    """

    def __init__(self, tell: Sequence[str], read: str, read_lanes: str | None = None) -> None:
        self._tell = [(command, shlex.split(command)) for command in tell]
        self._read = shlex.split(read)
        self._read_lanes = None if read_lanes is None else shlex.split(read_lanes)

    @property
    def reads_lanes(self) -> bool:
        """Whether lane tables are read back."""
        return self._read_lanes is not None

    def tell(self) -> list[str]:
        """Have tables loaded again; return what failed, in words."""
        failures = []
        for command, words in self._tell:
            reason = _ended(words)
            if isinstance(reason, str):
                failures.append(f"{command}: {reason}")
        return failures

    def read_back(
        self, fabric: Fabric, given: LoadedTables, routing: Routing, lanes: bytes | None = None
    ) -> ReadBack:
        """Read the tables of all switches, and judge them.

        Where lane tables are not read, packets are taken to be on the lanes of the tables that are
        in force.

        Parameters
        ----------
        fabric : Fabric
            What is routed.
        given : LoadedTables
            The tables that OpenSM was given.
        routing : Routing
            The tables in force, by which hosts choose service levels, and switches lanes.
        lanes : bytes, optional
            What the plugin was given, where switches choose lanes.
        """
        printed = _ended(self._read)
        if isinstance(printed, str):
            return ReadBack(is_loaded=False, failure=f"{shlex.join(self._read)}: {printed}")
        differing, other_lanes, read_lanes = given.differing_entries(printed), 0, None
        if self._read_lanes is not None and lanes is not None:
            found = _ended(self._read_lanes)
            if isinstance(found, str):
                return ReadBack(is_loaded=False, failure=f"{shlex.join(self._read_lanes)}: {found}")
            rows, printed_rows = LaneRows.of_plugin(lanes), LaneRows.printed(found)
            used = ports_in_use(fabric, rows)
            other_lanes = rows.differing(printed_rows, used)
            read_lanes = printed_rows.of_ports(used) if other_lanes else None
        if not differing and not other_lanes:
            return ReadBack(is_loaded=True, differing=0)
        result = ReadBack(is_loaded=False, differing=differing, differing_lanes=other_lanes)
        try:
            read, _ = _core.read_routes(fabric, printed, shlex.join(self._read))
            laned = _on_lanes_of(routing, read, fabric, read_lanes)
            findings = route_findings(fabric, laned, most_named=1)
        except EnvironmentFailure:
            raise
        except WeftError as error:
            return replace(result, failure=str(error).partition("\n")[0])
        faults = []
        if lost := findings.unreached_pairs + findings.circling_pairs:
            faults.append(f"{lost:,} of {findings.host_pairs:,} pairs of hosts are not reached")
        if findings.cycle:
            faults.append(f"packets can deadlock, in a cycle of {len(findings.cycle)} channels")
        return replace(result, fault=" and ".join(faults) or None)


def _on_lanes_of(
    routing: Routing,
    read: Routing,
    fabric: Fabric,
    lanes: list[list[tuple[int, int, str]]] | None,
) -> Routing:
    """Return tables that were read with the service levels and lanes of others.

    Both are to tell of the same hosts, else they stay as they were read. So do lanes that were.
    """
    known, found = json.loads(routing.to_json()), json.loads(read.to_json())
    if any(known.get(key) != found.get(key) for key in ("fingerprint", "per", "addresses")):
        return read
    known["tables"] = found["tables"]
    if lanes is not None:
        levels = [lane is not None for lane in known["host_lanes"]]
        known["lane_tables"] = [
            [
                [0, 0, [None] * len(levels)],
                *([start, end, _lanes_of(digits, levels)] for start, end, digits in rows),
            ]
            for rows in lanes
        ]
    return _core.read_routes(fabric, json.dumps(known).encode(), "the tables that were read")[0]


def _lanes_of(digits: str, levels: list[bool]) -> list[int | None]:
    """Return the lanes of the levels in use; those that drop are none."""
    pairs = zip(digits, levels, strict=True)
    return [int(digit, 16) if is_used and digit != DROPPED else None for digit, is_used in pairs]


def _ended(words: Sequence[str]) -> bytes | str:
    """Run a command and return what it prints, or in words why it failed."""
    try:
        ended = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_PATIENCE_S,
        )
    except OSError as error:
        return f"cannot be run: {(error.strerror or str(error)).lower()}"
    except subprocess.TimeoutExpired:
        return f"did not end within {_PATIENCE_S:g} s"
    if ended.returncode:
        lines = ended.stderr.decode(errors="replace").strip().splitlines()
        said = f": {lines[0][:_SHOWN_CHARACTERS]}" if lines else ""
        return f"ended with status {ended.returncode}{said}"
    return ended.stdout
