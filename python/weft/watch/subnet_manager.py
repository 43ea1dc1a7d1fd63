"""A running OpenSM: told to load its tables, and what switches say they have."""

from __future__ import annotations

import json
import shlex
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft import _core
from weft.errors import EnvironmentFailure, WeftError
from weft.proof import route_findings

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
    """

    def __init__(self, tell: Sequence[str], read: str) -> None:
        self._tell = [(command, shlex.split(command)) for command in tell]
        self._read = shlex.split(read)

    def tell(self) -> list[str]:
        """Have tables loaded again; return what failed, in words."""
        failures = []
        for command, words in self._tell:
            reason = _ended(words)
            if isinstance(reason, str):
                failures.append(f"{command}: {reason}")
        return failures

    def read_back(self, fabric: Fabric, given: LoadedTables, routing: Routing) -> ReadBack:
        """Read the tables of all switches, and judge them.

        Lanes are not read: packets are taken to be on those of the tables that are in force.

        Parameters
        ----------
        fabric : Fabric
            What is routed.
        given : LoadedTables
            The tables that OpenSM was given.
        routing : Routing
            The tables in force, by which hosts choose service levels, and switches lanes.
        """
        printed = _ended(self._read)
        if isinstance(printed, str):
            return ReadBack(is_loaded=False, failure=f"{shlex.join(self._read)}: {printed}")
        differing = given.differing_entries(printed)
        if not differing:
            return ReadBack(is_loaded=True, differing=0)
        try:
            read, _ = _core.read_routes(fabric, printed, shlex.join(self._read))
            findings = route_findings(fabric, _on_lanes_of(routing, read, fabric), most_named=1)
        except EnvironmentFailure:
            raise
        except WeftError as error:
            reason = str(error).partition("\n")[0]
            return ReadBack(is_loaded=False, differing=differing, failure=reason)
        faults = []
        if lost := findings.unreached_pairs + findings.circling_pairs:
            faults.append(f"{lost:,} of {findings.host_pairs:,} pairs of hosts are not reached")
        if findings.cycle:
            faults.append(f"packets can deadlock, in a cycle of {len(findings.cycle)} channels")
        fault = " and ".join(faults) or None
        return ReadBack(is_loaded=False, differing=differing, fault=fault)


def _on_lanes_of(routing: Routing, read: Routing, fabric: Fabric) -> Routing:
    """Return tables that were read with the lanes of others, where both tell of the same hosts."""
    known, found = json.loads(routing.to_json()), json.loads(read.to_json())
    if any(known.get(key) != found.get(key) for key in ("fingerprint", "per", "addresses")):
        return read
    document = json.dumps({**known, "tables": found["tables"]}).encode()
    return _core.read_routes(fabric, document, "the tables that were read")[0]


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
