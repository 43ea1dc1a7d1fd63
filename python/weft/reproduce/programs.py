"""Files of programs: networks × routings × machines × hosts, and what is measured on each, as TOML.

::

    title = "Barrier latencies"
    source = "RHINET, table 4"
    measure = "barrier"            # or hops, broadcast, bandwidth, distance, application, parts
    orders = ["ro"]

    [routings]                     # by the name in the paper
    "DL" = "descending_layers:lanes=2"

    [[networks]]
    name = "Mesh 4x4"
    topology = "mesh"              # its parameters stand beside it
    extents = [4, 4]
    routings = { "DL" = "dimension_order" }    # where one differs
    per_host = 2                   # ranks of an application on a host, one when left out

    [[machines]]
    name = "8 Gbit/s"
    link_gbit_per_s = 8            # parameters of the hardware, of preset rhinet2

    [[hosts]]
    name = "no-ack-wait"
    acknowledged = 2               # parameters of the messaging layer

    [[applications]]               # with measure = "application", or "parts" of its time
    name = "IS.S.16"
    trace = "is.S.16.ti.zst"       # in a folder of traces
    region = "alltoallv+compute..reduce"
    clock_ns = 850
    compute_scale = 14
    placement = "round_robin"
    evened = true                  # intervals of computing, as `weft.Trace.evened` says
    algorithms = { alltoallv = "at_once" }
    only = ["Mesh 4x4"]            # networks and routings; all when left out

    [[gains]]
    name = "DL over SBP"           # how it is told
    of = ["DL"]                    # names of routings, machines, hosts or orders
    over = "SBP"

    [quick]                        # instead of the above, with --quick
    seeds = 3

A program takes milliseconds, so that nothing of it is kept: it is run where it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft._files import read_text, toml_document
from weft._nearest import nearest
from weft.errors import FormatError, StudyError, WeftError
from weft.fabric import generate
from weft.hardware import hardware
from weft.replay import messaging_parameters
from weft.reproduce.program_file import Application, Gain, Measured, Network, ProgramFile
from weft.routing import route
from weft.study.places import line_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Never

__all__ = ["read_programs"]

_MEASURES = ("hops", "barrier", "broadcast", "bandwidth", "distance", "application", "parts")

#: Keys with the types of their values, and the value when left out; None where they must be.
Keys = Mapping[str, tuple[tuple[type, ...], Any]]

_TOP: Keys = {
    "title": ((str,), ""),
    "source": ((str,), ""),
    "measure": ((str,), ""),
    "orders": ((list,), ["ro"]),
    "seeds": ((int,), 10),
    "size_bytes": ((list,), [96]),
    "patterns": ((list,), ["bit_reversal"]),
    "messages": ((int,), 50),
    "gather_bytes": ((int,), -1),
    "repeats": ((int,), 1),
    "routings": ((dict,), {}),
    "networks": ((list,), []),
    "machines": ((list,), [{}]),
    "hosts": ((list,), [{}]),
    "applications": ((list,), []),
    "gains": ((list,), []),
    "quick": ((dict,), {}),
}
#: Keys of a network that are not its topology's, with their values when left out.
_NETWORK: dict[str, Any] = {
    "name": "",
    "remark": "",
    "topology": "",
    "routings": {},
    "per_host": 1,
}
_APPLICATION: Keys = {
    "name": ((str,), None),
    "trace": ((str,), None),
    "region": ((str,), ".."),
    "clock_ns": ((int, float), 0.0),
    "compute_scale": ((int, float), 1.0),
    "placement": ((str,), "linear"),
    "evened": ((bool,), False),
    "algorithms": ((dict,), {}),
    "only": ((list,), []),
}
_GAIN: Keys = {
    "name": ((str,), None),
    "of": ((list,), None),
    "over": ((str,), None),
}

#: Types in words.
_KINDS = {
    (str,): "a text",
    (list,): "a list",
    (int,): "a whole number",
    (dict,): "a table",
    (int, float): "a number",
    (bool,): "true or false",
}


def read_programs(path: Path, *, quick: bool = False, traces: Path | None = None) -> ProgramFile:
    """Read a file of programs, or its table ``quick`` over it.

    `traces` is the folder of the traces that the package does not have. An unknown key, or a value
    that is not what is expected, is a `StudyError` whose text begins with file and line.
    """
    text = read_text(path, "a file of programs (TOML)")
    try:
        document = toml_document(text, str(path))
    except FormatError as error:
        raise StudyError(str(error)) from error
    return _Reader(path, text, document).read(quick=quick, traces=traces)


class _Reader:
    """Reads one file, and knows the line of everything it refuses."""

    def __init__(self, path: Path, text: str, document: dict[str, Any]) -> None:
        self._path = path
        self._text = text
        self._document = document
        self._place: dict[str, tuple[str, ...]] = {}

    def read(self, *, quick: bool, traces: Path | None) -> ProgramFile:
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
        applications = list(self._applications(values["applications"], traces))
        return ProgramFile(
            values["title"],
            values["source"],
            values["measure"],
            values["orders"],
            values["seeds"],
            values["size_bytes"],
            values["patterns"],
            values["messages"],
            values["repeats"],
            values["gather_bytes"] if values["gather_bytes"] >= 0 else None,
            list(self._networks(values)),
            list(self._machines(values)),
            [entry for entry in applications if entry.trace.is_file()],
            [entry.trace.name for entry in applications if not entry.trace.is_file()],
            [Gain(**keys) for keys in self._tables(values["gains"], "gains", _GAIN)],
        )

    def _check(
        self, table: dict[str, Any], place: tuple[str | int, ...], keys: Keys = _TOP, of: str = ""
    ) -> None:
        for name, value in table.items():
            if name not in keys:
                self._refuse((*place, name), f"unknown key “{name}”{of}; {nearest(name, keys)}")
            types, _ = keys[name]
            if not isinstance(value, types) or isinstance(value, bool) != (types == (bool,)):
                reason = f"{name}: found {value!r}, expected {_KINDS[types]}"
                self._refuse((*place, name), reason)

    def _tables(
        self, tables: list[dict[str, Any]], section: str, keys: Keys
    ) -> Iterator[dict[str, Any]]:
        """Yield the tables of a list, each with all of its keys."""
        for number, table in enumerate(tables):
            place: tuple[str | int, ...] = (*self._place[section], number)
            self._check(table, place, keys, f" of {section}")
            for name, (_, default) in keys.items():
                if default is None and name not in table:
                    self._refuse(place, f"no {name}; expected one in each table of {section}")
            yield {name: table.get(name, default) for name, (_, default) in keys.items()}

    def _applications(
        self, tables: list[dict[str, Any]], traces: Path | None
    ) -> Iterator[Application]:
        brought = Path(str(resources.files("weft") / "studies" / "applications"))
        for keys in self._tables(tables, "applications", _APPLICATION):
            path = (traces or brought) / keys["trace"]
            keys["trace"] = path if path.is_file() else brought / keys["trace"]
            keys["is_evened"] = keys.pop("evened")
            yield Application(**keys)

    def _networks(self, values: dict[str, Any]) -> Iterator[Network]:
        for number, table in enumerate(values["networks"]):
            place: tuple[str | int, ...] = (*self._place["networks"], number)
            keys = dict(table)
            own = {name: keys.pop(name, default) for name, default in _NETWORK.items()}
            known = self._document.get("routings", {})
            for name in own["routings"]:
                if name not in known:
                    where = (*place, "routings", name)
                    self._refuse(where, f"unknown routing “{name}”; {nearest(name, known)}")
            per_host = own["per_host"]
            if type(per_host) is not int or per_host < 1:
                reason = f"per_host: found {per_host!r}, expected a number of ranks from 1"
                self._refuse((*place, "per_host"), reason)
            try:
                fabric = generate(own["topology"], **keys)
                specs = {
                    name: own["routings"].get(name, spec)
                    for name, spec in values["routings"].items()
                }
                routings = {name: route(fabric, spec) for name, spec in specs.items()}
            except WeftError as error:
                self._refuse(place, str(error))
            name = own["name"] or fabric.name
            yield Network(name, own["remark"], fabric, routings, per_host)

    def _machines(self, values: dict[str, Any]) -> Iterator[Measured]:
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
