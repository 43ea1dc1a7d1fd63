"""Service ends: who is one, told by whoever reads a fabric."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from weft._files import read_text
from weft._nearest import alike
from weft.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weft._core import Fabric

__all__ = ["mark_ends"]


def mark_ends(
    fabric: Fabric, *, service: Sequence[str] = (), compute: Sequence[str] = ()
) -> Fabric:
    """Tell which ends of a fabric are service ends.

    Service ends are adapters inside switches, management, storage and gateways: they are reached
    and proved, and have no say in traffic, balance, levels and bounds. Readers of discovered
    fabrics find some by description, device and place; this adds others, or says which ends
    compute.

    Parameters
    ----------
    fabric : Fabric
        The network.
    service : sequence of str
        Further service ends: names, which may have ``*`` and ``?`` in them, or files of GUIDs and
        names, one a line, as OpenSM's ``io_guid_file`` lists them.
    compute : sequence of str
        The compute ends, in the same form, as OpenSM's ``cn_guid_file`` lists them: all others are
        service ends then.

    Returns
    -------
    Fabric

    Raises
    ------
    InputError
        When a name or a line of a file is no end of the fabric, or fewer than two compute ends
        would be left.

    Examples
    --------
    >>> import weft
    >>> fabric = weft.mark_ends(weft.torus(2, 2, hosts_per_switch=2), service=["host0", "*7"])
    >>> [reason for reason in fabric.host_service]
    ['told', None, None, None, None, None, None, 'told']
    """
    ends = _Ends(
        fabric.host_names,
        [
            {guid for guid in guids if guid is not None}
            for guids in zip(fabric.host_guids, fabric.adapter_guids, strict=True)
        ],
        fabric.name,
    )
    reasons = list(fabric.host_service)
    if compute:
        computing = {host for given in compute for host in ends.of(given)}
        reasons = [
            None if host in computing else reasons[host] or "told" for host in range(len(reasons))
        ]
    for host in (host for given in service for host in ends.of(given)):
        reasons[host] = reasons[host] or "told"
    left = reasons.count(None)
    if left < 2 and (service or compute):
        message = (
            f"{left} of {len(reasons)} ends of “{fabric.name}” would compute; expected two or more"
        )
        raise InputError(message)
    return fabric.with_service(reasons)


@dataclass(frozen=True, slots=True)
class _Ends:
    names: list[str]
    guids: list[set[int]]
    fabric: str

    def of(self, given: str) -> list[int]:
        """Return the hosts that a name, a pattern or a file tells."""
        found = [host for host, name in enumerate(self.names) if fnmatchcase(name, given)]
        if found:
            return found
        if Path(given).is_file():
            return list(self._listed(given))
        advice = alike(given, self.names)
        message = (
            f"found “{given}”, expected the name of an end of “{self.fabric}”, which may have * and"
            f" ? in it, or a file of GUIDs and names{advice and f'; {advice}'}"
        )
        raise InputError(message)

    def _listed(self, path: str) -> Iterator[int]:
        lines = read_text(path, "a file of GUIDs and names").splitlines()
        for line, text in enumerate(lines, start=1):
            entry = text.split("#")[0].strip()
            if not entry:
                continue
            hosts = [host for host, name in enumerate(self.names) if name == entry]
            hosts = hosts or self._with_guid(entry)
            if not hosts:
                message = (
                    f"{path}:{line}: found “{entry}”, expected the GUID of an end of"
                    f" “{self.fabric}”, such as 0x0002c90300000001, or its name"
                )
                raise InputError(message)
            yield from hosts

    def _with_guid(self, text: str) -> list[int]:
        try:
            guid = int(text, 16)
        except ValueError:
            return []
        return [host for host, guids in enumerate(self.guids) if guid in guids]
