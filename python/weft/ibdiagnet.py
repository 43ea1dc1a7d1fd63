"""Routes as ibdiagnet dumps them: the folder that its own checks and others' programs read.

Source: NVIDIA's manuals of ibdiagnet, "ibdiagnet Dump Files" and "Routing Validation".
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from weft import _core
from weft._files import whole_file

if TYPE_CHECKING:
    import os

    from weft.fabric import Fabric
    from weft.routing import Routing

__all__ = ["IbdiagnetExport", "export_ibdiagnet"]


@dataclass(frozen=True, slots=True)
class IbdiagnetExport:
    """What was written as ibdiagnet writes it."""

    files: list[Path]  #: The files, in the folder that was named
    keeps_lids: bool  #: Whether the LIDs are those the fabric has


def export_ibdiagnet(
    fabric: Fabric, routing: Routing, folder: str | os.PathLike[str]
) -> IbdiagnetExport:
    """Write a fabric and its routes as ibdiagnet would dump them from running switches.

    The folder has the wiring (``.ibnetdiscover``, ``.lst``), groups of ports and who chooses among
    them by LID (``.far``), static ports (``.fdbs``), and as far as the tables need them private
    tables (``.plft``), lanes by service level (``.slvl``) and the service levels that go by lanes
    (``.vl2vl``). :func:`weft.read_routes` of the folder gives the same routes for the fabric of
    its ``.ibnetdiscover``.

    Parameters
    ----------
    fabric : Fabric
        The network, from a discovery: its switches and hosts need GUIDs. LIDs are made where it
        has none that serve.
    routing : Routing
        Groups of ports, as ``ar_updn`` makes them, or forwarding tables on one service level. They
        are not proved.
    folder : path-like
        Where to write; made when missing.

    Raises
    ------
    RoutingError
        When the files cannot tell such routes, or the fabric lacks GUIDs.
    EnvironmentFailure
        When the machine does not let a file be written.
    """
    made = _core.group_table_files(fabric, routing)
    paths = []
    for name, content in made["files"]:
        paths.append(Path(folder) / name)
        with whole_file(paths[-1]) as partial:
            partial.write_bytes(content)
    return IbdiagnetExport(files=paths, keeps_lids=made["keeps_lids"])
