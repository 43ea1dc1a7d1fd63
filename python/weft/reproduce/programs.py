"""Files of programs: networks × routings × machines × hosts, and what is measured on each, as TOML.

::

    title = "Barrier latencies"
    source = "RHINET, table 4"
    measure = "barrier"            # hops, barrier, broadcast, bandwidth or distance
    orders = ["ro"]

    [routings]                     # by the name in the paper
    "DL" = "descending_layers:lanes=2"

    [[networks]]
    name = "Mesh 4x4"
    topology = "mesh"              # its parameters stand beside it
    extents = [4, 4]
    routings = { "DL" = "dimension_order" }    # where one differs

    [[machines]]
    name = "8 Gbit/s"
    link_gbit_per_s = 8            # parameters of the hardware, of preset rhinet2

    [[hosts]]
    name = "no-ack-wait"
    acknowledged = 2               # parameters of the messaging layer

    [quick]                        # instead of the above, with --quick
    seeds = 3

A program takes milliseconds, so that nothing of it is kept: it is run where it is asked for.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft._files import read_text
from weft._nearest import nearest
from weft.errors import StudyError, WeftError
from weft.study.places import line_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Never

    from weft.fabric import Fabric
    from weft.hardware import Hardware
    from weft.routing import Routing

__all__ = ["Measured", "Network", "ProgramFile", "read_programs"]

_MEASURES = ("hops", "barrier", "broadcast", "bandwidth", "distance")

#: Keys at the top, with their type and value when left out.
_TOP: dict[str, tuple[type, Any]] = {
    "title": (str, ""),
    "source": (str, ""),
    "measure": (str, ""),
    "orders": (list, ["ro"]),
    "seeds": (int, 10),
    "size_bytes": (list, [96]),
    "patterns": (list, ["bit_reversal"]),
    "messages": (int, 50),
    "routings": (dict, {}),
    "networks": (list, []),
    "machines": (list, [{}]),
    "hosts": (list, [{}]),
    "quick": (dict, {}),
}


@dataclass(frozen=True, slots=True)
class Network:
    """A network with its routings.

    Attributes
    ----------
    name : str
        Its name in the paper.
    remark : str
        What was decided of it here.
    fabric : Fabric
        The network.
    routings : dict of str to Routing
        By their name in the paper.
    """

    name: str
    remark: str
    fabric: Fabric
    routings: dict[str, Routing]


@dataclass(frozen=True, slots=True)
class Measured:
    """A machine with its hosts.

    Attributes
    ----------
    name : str
        What is told of it in a condition; may be empty.
    hardware : Hardware
        Switches and cables.
    messaging : dict of str to float
        What differs in the messaging layer.
    """

    name: str
    hardware: Hardware
    messaging: dict[str, float]


@dataclass(frozen=True, slots=True)
class ProgramFile:
    """What a file says.

    Attributes
    ----------
    title, source : str
        What it is about, and where the experiment comes from.
    measure : str
        hops, barrier, broadcast, bandwidth or distance.
    orders : list of str
        Orders of multicasts.
    seeds : int
        How many orders are drawn, of random ones.
    sizes_bytes : list of int
        Lengths of messages.
    patterns : list of str
        Who sends to whom, where bandwidth is measured.
    messages : int
        Messages of a host, where bandwidth is measured.
    networks : list of Network
        Where.
    machines : list of Measured
        On what: every machine with every kind of hosts.
    """

    title: str
    source: str
    measure: str
    orders: list[str]
    seeds: int
    sizes_bytes: list[int]
    patterns: list[str]
    messages: int
    networks: list[Network]
    machines: list[Measured]


def read_programs(path: Path, *, quick: bool = False) -> ProgramFile:
    """Read a file of programs.

    Parameters
    ----------
    path : Path
        The file.
    quick : bool
        Whether the keys of its table ``quick`` take the place of its own.

    Returns
    -------
    ProgramFile

    Raises
    ------
    StudyError
        When a key is unknown or a value not what is expected; the text begins with file and line.
    """
    text = read_text(path, "a file of programs (TOML)")
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = f"{path}: not TOML: {error}"
        raise StudyError(message) from error
    return _Reader(path, text, document).read(quick=quick)


class _Reader:
    """Reads one file, and knows the line of everything it refuses."""

    def __init__(self, path: Path, text: str, document: dict[str, Any]) -> None:
        self._path = path
        self._text = text
        self._document = document
        self._place: dict[str, tuple[str, ...]] = {}

    def read(self, *, quick: bool) -> ProgramFile:
        self._check(self._document, ())
        self._check(self._document.get("quick", {}), ("quick",))
        values = {name: default for name, (_, default) in _TOP.items()} | self._document
        self._place = {name: (name,) for name in self._document}
        if quick:
            values |= self._document.get("quick", {})
            self._place |= {name: ("quick", name) for name in self._document.get("quick", {})}
        if values["measure"] != "distance" and not values["networks"]:
            self._refuse((), "no network; expected at least one table headed [[networks]]")
        if values["measure"] not in _MEASURES:
            reason = (
                f"measure: found “{values['measure']}”; {nearest(values['measure'], _MEASURES)}"
            )
            self._refuse(("measure",), reason)
        return ProgramFile(
            values["title"],
            values["source"],
            values["measure"],
            values["orders"],
            values["seeds"],
            values["size_bytes"],
            values["patterns"],
            values["messages"],
            list(self._networks(values)),
            list(self._machines(values)),
        )

    def _check(self, table: dict[str, Any], place: tuple[str, ...]) -> None:
        for name, value in table.items():
            if name not in _TOP:
                self._refuse((*place, name), f"unknown key “{name}”; {nearest(name, _TOP)}")
            expected = _TOP[name][0]
            if not isinstance(value, expected) or isinstance(value, bool):
                kinds = {str: "a text", list: "a list", int: "a whole number", dict: "a table"}
                self._refuse((*place, name), f"{name}: found {value!r}, expected {kinds[expected]}")

    def _networks(self, values: dict[str, Any]) -> Iterator[Network]:
        from weft.fabric import generate
        from weft.routing import route

        for number, table in enumerate(values["networks"]):
            place: tuple[str | int, ...] = (*self._place["networks"], number)
            keys = dict(table)
            own: dict[str, Any] = {"name": "", "remark": "", "topology": "", "routings": {}}
            own = {name: keys.pop(name, default) for name, default in own.items()}
            known = self._document.get("routings", {})
            for name in own["routings"]:
                if name not in known:
                    where = (*place, "routings", name)
                    self._refuse(where, f"unknown routing “{name}”; {nearest(name, known)}")
            try:
                fabric = generate(own["topology"], **keys)
                specs = {
                    name: own["routings"].get(name, spec)
                    for name, spec in values["routings"].items()
                }
                routings = {name: route(fabric, spec) for name, spec in specs.items()}
            except WeftError as error:
                self._refuse(place, str(error))
            yield Network(own["name"] or fabric.name, own["remark"], fabric, routings)

    def _machines(self, values: dict[str, Any]) -> Iterator[Measured]:
        from weft.hardware import hardware
        from weft.replay import messaging_parameters

        for number, table in enumerate(values["machines"]):
            keys = dict(table)
            name, preset = keys.pop("name", ""), keys.pop("preset", "rhinet2")
            try:
                machine = hardware(preset, **keys)
                known = [entry.name for entry in messaging_parameters(preset)]
            except WeftError as error:
                self._refuse((*self._place.get("machines", ()), number), str(error))
            for host_number, host_table in enumerate(values["hosts"]):
                constants = dict(host_table)
                host_name = constants.pop("name", "")
                for key in constants:
                    if key not in known:
                        place = (*self._place.get("hosts", ()), host_number, key)
                        self._refuse(place, f"unknown key “{key}” of hosts; {nearest(key, known)}")
                told = ", ".join(part for part in (name, host_name) if part)
                yield Measured(told, machine, constants)

    def _refuse(self, place: tuple[str | int, ...], reason: str) -> Never:
        message = f"{self._path}:{line_of(self._text, place)}: {reason}"
        raise StudyError(message)
