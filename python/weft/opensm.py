"""Routes for OpenSM, the subnet manager of InfiniBand: the files that it loads.

Source: the manual of opensm(8), and what its ``file`` routing engine reads.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from weft import _core
from weft._files import whole_file
from weft.errors import RoutingError
from weft.proof import check_certificate, prove

if TYPE_CHECKING:
    from weft._core import LoadedTables
    from weft.fabric import Fabric
    from weft.proof import Proof
    from weft.routing import Routing

__all__ = ["MOST_LISTED", "OpensmExport", "export_opensm", "managed_tables", "opensm_content"]

_MOST_LMC = 7
#: Of more entries of switches without hosts there is no list.
MOST_LISTED = 2**18
#: Engines, and whether each is the plugin.
_ENGINES = {None: None, "file": False, "weft": True}


@dataclass(frozen=True, slots=True)
class OpensmExport:
    """What was written for OpenSM."""

    files: list[Path]  #: The files, in the folder that was named
    proof: Proof  #: The proof of the routes
    lmc: int  #: Each host port has 2 to this power LIDs
    keeps_lids: bool  #: Whether the LIDs are those the fabric has
    #: The engine that loads the tables: OpenSM's own, ``"file"``, or the plugin, ``"weft"``
    engine: str
    lane_count: int  #: Lanes in use
    level_count: int  #: Service levels in use
    policy_rules: int  #: Match rules of the QoS policy
    needs_chosen_lids: bool  #: Whether each source has a certain LID of each destination to send to
    #: Hosts that no subnet manager should run on: some switches without hosts are not led there
    unfit_for_managers: list[str]
    #: Pairs of switches, and of switches without hosts and addresses of hosts, without a way for
    #: management packets that ascends the proved order
    unordered_switch_pairs: int


def export_opensm(
    fabric: Fabric,
    routing: Routing,
    folder: str | os.PathLike[str],
    *,
    fabric_file: str = "cluster.ibnetdiscover",
    engine: str | None = None,
    lmc: int = _MOST_LMC,
    unproved: bool = False,
) -> OpensmExport:
    """Write the files with which OpenSM routes a fabric as a routing says.

    The stock ``file`` engine loads the tables, every line with the GUID of its port, so that they
    hold whatever LIDs are given out; a QoS policy hands out the service levels, each on the lane
    of its number. Where switches choose lanes by the ports a packet comes and goes by, a plugin for
    OpenSM does both (``opensm-plugin`` in the sources). Where routes need several LIDs for a host,
    each of them is reached from everywhere, and all these ways are proved together; pairs that this
    needs take another service level than planned. Beside the files lie the files that ``ibdmchk``
    checks, and a README that says how to load, verify and go back.

    Parameters
    ----------
    fabric : Fabric
        The network, from a discovery: its switches and hosts need GUIDs.
    routing : Routing
        The routes.
    folder : path-like
        Where to write; made when missing. OpenSM's options name its absolute path.
    fabric_file : str
        How the README calls the fabric in its commands.
    engine : {"file", "weft"}, optional
        The engine that shall load the tables; OpenSM's own wherever it can when not given.
    lmc : int
        A host has at most 2 to this power LIDs.
    unproved : bool
        Export routes that are not proved deadlock-free, too, by their own LIDs or by others.

    Raises
    ------
    RoutingError
        When the routes are not proved, OpenSM's tables cannot hold them (the text says what
        could), or the fabric lacks GUIDs.
    EnvironmentFailure
        When the machine does not let a file be written.
    """
    if type(lmc) is not int or not 0 <= lmc <= _MOST_LMC:
        message = f"lmc is {lmc!r}; expected a whole number from 0 to {_MOST_LMC}"
        raise RoutingError(message)
    if engine not in _ENGINES:
        message = f"engine is {engine!r}; expected 'file' or 'weft'"
        raise RoutingError(message)
    proof = prove(fabric, routing)
    if not proof.deadlock_free and not unproved:
        message = (
            f"{routing.label} is not exported: {proof.text.splitlines()[0]}; choose another "
            "routing, or say that it may be unproved"
        )
        raise RoutingError(message)
    target = Path(folder)
    verdict = f"Proved: {proof.text}." if proof.deadlock_free else f"**Not proved**: {proof.text}"
    made = _core.opensm_files(
        fabric,
        routing,
        proof.certificate,
        folder=str(target.resolve()),
        fabric_file=fabric_file,
        verdict=verdict,
        lmc=lmc,
        weft_engine=_ENGINES[engine],
        unproved=unproved,
        for_opensm_alone=False,
    )
    del made["tables"]
    paths = []
    for name, content in made.pop("files"):
        paths.append(target / name)
        with whole_file(paths[-1]) as partial:
            partial.write_bytes(content)
    return OpensmExport(files=paths, proof=proof, **made)


def managed_tables(
    fabric: Fabric, routing: Routing, proof: Proof, *, most_listed: int = MOST_LISTED
) -> tuple[Routing, list[tuple[int, str]] | None]:
    """Lead switches without hosts to all hosts, too: they answer the subnet manager there.

    Routes between hosts pass some of these switches never, and leave them without an entry. Repairs
    and transitions of the tables that are made here know the ways of management, and keep them.

    Parameters
    ----------
    fabric : Fabric
        The network.
    routing : Routing
        Forwarding tables.
    proof : Proof
        Their proof, whose order of the channels the entries ascend wherever they can.
    most_listed : int
        More entries are not listed.

    Returns
    -------
    Routing
        The tables, with more entries.
    list of (int, str) or None
        The entries that there are more: switch, and name of the destination. None of too many.

    Raises
    ------
    RoutingError
        When the routes are not proved, or no forwarding tables.
    """
    if not proof.deadlock_free or proof.certificate is None:
        message = f"{routing.label} is not proved: {proof.text.splitlines()[0]}"
        raise RoutingError(message)
    return _core.managed_tables(fabric, routing, proof.certificate, most_listed)


def opensm_content(
    fabric: Fabric, routing: Routing, proof: Proof, folder: str | os.PathLike[str]
) -> tuple[LoadedTables, dict[str, bytes]]:
    """Make what OpenSM loads of an export, and write nothing.

    Parameters
    ----------
    fabric : Fabric
        The network, from a discovery: its switches and hosts need GUIDs.
    routing : Routing
        The routes.
    proof : Proof
        Their proof.
    folder : path-like
        Where OpenSM will find the files, an absolute path.

    Returns
    -------
    LoadedTables
        The tables, whose ``text()`` is the content of ``weft.lfts``.
    dict of str to bytes
        The content of each other file by its name.

    Raises
    ------
    RoutingError
        When the routes are not proved, OpenSM's tables cannot hold them, or the fabric lacks GUIDs.
    """
    if not proof.deadlock_free or proof.certificate is None:
        message = f"{routing.label} is not exported: {proof.text.splitlines()[0]}"
        raise RoutingError(message)
    # Whose proof it is, the order of the channels itself tells.
    check_certificate(fabric, routing, proof.certificate)
    made = _core.opensm_files(
        fabric,
        routing,
        proof.certificate,
        folder=os.fspath(folder),
        fabric_file="",
        verdict="",
        lmc=_MOST_LMC,
        weft_engine=None,
        unproved=False,
        for_opensm_alone=True,
    )
    return made["tables"], dict(made["files"])
