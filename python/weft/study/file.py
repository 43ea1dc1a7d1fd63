"""Study files: fabrics × hardware × traffic, each with routings, loads and seeds, as TOML.

Tables of programs (recorded applications, collective operations) may take the place of traffic.

::

    title = "Three sizes, two patterns"
    routings = ["simple_routes", "ud_itb"]

    [[fabrics]]
    topology = "irregular"
    switches = [16, 32, 64]        # a list is varied over
    seed = [1, 2, 3]

    [[traffic]]
    pattern = ["uniform", "bit_reversal"]

    [quick]                        # instead of the above, with --quick
    seeds = [1]

`weft.spec.keys` lists every key. A mistake is told with the line it stands on.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft._files import read_text, text_digest, toml_document
from weft._nearest import nearest
from weft.errors import FormatError, InputError, RoutingError, StudyError, WeftError
from weft.routing import check_routing
from weft.simulate import DEFAULT_PRECISION
from weft.spec.keys import SECTIONS, plain_value, study_keys
from weft.spec.programs import ProgramCase, ProgramSpec, program_of
from weft.spec.routing_files import OwnRoutings, add_routings
from weft.spec.study import DEFAULT_ROUTINGS, StudySpec
from weft.study.case import Case, fabric_text
from weft.study.places import line_of
from weft.study.tables import fabrics_of, given_as, hardware_of, traffic_of, variants
from weft.workload import sending_hosts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Never

    from weft.fabric import Fabric
    from weft.hardware import Hardware

__all__ = ["StudyFile", "read_study"]

#: How the types of the registry are checked at the top of the file.
_TYPES: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "number": (int, float),
    "whole number": (int,),
    "list of texts": (list,),
    "list of whole numbers": (list,),
    "table": (dict,),
}


_OF_TRAFFIC = ("traffic", "loads", "seeds", "precision", "max_packets")  #: What only traffic has.


@dataclass(frozen=True, slots=True)
class StudyFile:
    """A study as its file has it: cases under traffic, fabrics varied slowest, or programs."""

    path: Path
    title: str
    source: str  #: Where the experiment comes from; may be empty.
    cases: list[Case]
    programs: list[ProgramCase] = field(default_factory=list)

    @property
    def default_results(self) -> Path:
        """Where its results go when nothing else is said."""
        return Path("weft-results") / self.path.stem / "results.sqlite"


def read_study(path: str | os.PathLike[str], *, quick: bool = False) -> StudyFile:
    """Read a study file; with `quick`, the keys of its table ``quick`` take the place of its own.

    A StudyError begins with file and line; of an unknown key it names the nearest. An InputError or
    EnvironmentFailure tells that there is no such file, or that it may not be read.

    Examples
    --------
    >>> import weft.study
    >>> weft.study.read_study("studies/boost/table-1.toml").title  # doctest: +SKIP
    'Throughput of in-transit buffers over up*/down*, irregular networks'
    """
    text = read_text(path, "a study file (TOML)")
    return _Reader(Path(path), text).study(quick=quick)


class _Reader:
    """Reads one file, and knows the line of everything it refuses."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._text = text
        try:
            self._document = toml_document(text, os.fspath(path))
        except FormatError as error:
            raise StudyError(str(error)) from error
        #: Where the values in use stand: under the table `quick` for what that replaces.
        self._place: dict[str, tuple[str, ...]] = {}
        self._own_routings: tuple[OwnRoutings, ...] = ()

    def study(self, *, quick: bool) -> StudyFile:
        settings = self._settings(quick=quick)
        self._own_routings = self._read_own_routings(settings)
        has_programs = bool(settings.get("programs"))
        for name in _OF_TRAFFIC if has_programs else ():
            if name in settings:
                self._refuse(self._place[name], f"{name}: does not go with programs")
        made = list(self._cases(settings, "programs" if has_programs else "traffic"))
        return StudyFile(
            self._path,
            settings.get("title", self._path.stem),
            settings.get("source", ""),
            [case for case in made if isinstance(case, Case)],
            [case for case in made if isinstance(case, ProgramCase)],
        )

    def _settings(self, *, quick: bool) -> dict[str, Any]:
        self._check_keys(self._document, ())
        settings = dict(self._document)
        other = settings.pop("quick", {})
        self._check_keys(other, ("quick",))
        self._place = {name: (name,) for name in settings}
        if quick:
            settings |= other
            self._place |= {name: ("quick", name) for name in other}
        return settings

    def _check_keys(self, table: dict[str, Any], place: tuple[str, ...]) -> None:
        top = {key.name: key for key in study_keys() if not key.section}
        if place:
            top = {name: key for name, key in top.items() if name not in ("title", "source")}
            del top["quick"]
        for name, value in table.items():
            where = (*place, name)
            if name in SECTIONS:
                if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
                    header = f"[[{'.'.join(where)}]]"
                    self._refuse(where, f"{name}: expected tables, each headed {header}")
                continue
            if name not in top:
                self._refuse(where, f"unknown key “{name}”; {nearest(name, {*top, *SECTIONS})}")
            table[name] = value = self._plain(where, value)
            expected = _TYPES.get(top[name].type)
            if expected and (not isinstance(value, expected) or isinstance(value, bool)):
                self._refuse(where, f"{name}: found {value!r}, expected {top[name].type}")

    def _plain(self, place: tuple[str, ...], value: Any) -> Any:  # noqa: ANN401 - any value of TOML
        """Take texts with units as the numbers they stand for, those of a list one by one."""
        *_, name = place
        try:
            if isinstance(value, list):
                return [plain_value("", name, entry) for entry in value]
            # One text for all loads is the word of the ladder.
            return value if name == "loads" else plain_value("", name, value)
        except InputError as error:
            self._refuse(place, f"{name}: {error}")

    def _cases(self, settings: dict[str, Any], workload: str) -> Iterator[Case | ProgramCase]:
        if not settings.get("fabrics"):
            self._refuse((), "no fabric; expected at least one table headed [[fabrics]]")
        fabrics, hardware, workloads = (
            [
                entry
                for place, table in self._tables(settings, section)
                for entry in self._made(place, table, section)
            ]
            for section in ("fabrics", "hardware", workload)
        )
        names = _fabric_names([(fabric, keys) for _, keys, fabric in fabrics])
        seen: dict[str, tuple[str | int, ...]] = {}
        for (place, fabric_keys, fabric), name in zip(fabrics, names, strict=True):
            for hardware_place, hardware_keys, made_for in hardware:
                machine = self._machine(hardware_place, hardware_keys, made_for, fabric)
                for other_place, other_keys, other in workloads:
                    plain = ("trace", "operation")
                    case_name = "; ".join(
                        [name, *_told(hardware_keys, ("preset",)), *_told(other_keys, plain)]
                    )
                    if case_name in seen:
                        self._refuse(place, f"{case_name} is given twice; expected it once")
                    seen[case_name] = place
                    told = {f"fabrics.{key}": value for key, value in fabric_keys.items()}
                    told |= {f"hardware.{key}": value for key, value in hardware_keys.items()}
                    told |= {f"{workload}.{key}": value for key, value in other_keys.items()}
                    if workload == "programs":
                        routings = self._routings(settings)
                        program = ProgramSpec(routings, machine, other, self._own_routings)
                        self._check_program(other_place, other_keys, program, fabric)
                        yield ProgramCase(case_name, fabric, program, told)
                        continue
                    spec = self._spec(settings, machine, other)
                    self._check_pattern(other_place, fabric, spec)
                    given = given_as(fabric_keys, self._path.parent)
                    yield Case(case_name, fabric, spec.on(fabric), told, given)

    def _machine(
        self,
        place: tuple[str | int, ...],
        keys: dict[str, Any],
        made_for: Callable[[Fabric], Hardware],
        fabric: Fabric,
    ) -> Hardware:
        try:
            return made_for(fabric)
        except WeftError as error:
            self._refuse(_named(place, keys, str(error)), f"{fabric.name}: {error}")

    def _tables(
        self, settings: dict[str, Any], section: str
    ) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
        """Yield the tables of a section, an empty one where there is none."""
        place = self._place.get(section, ())
        for number, table in enumerate(settings.get(section) or [{}]):
            yield (*place, number) if place else (), table

    def _made(
        self, place: tuple[str | int, ...], table: dict[str, Any], section: str
    ) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any], Any]]:
        """Yield what a table's variants make, with their keys."""
        makers = {
            "fabrics": fabrics_of,
            "hardware": hardware_of,
            "traffic": traffic_of,
            "programs": program_of,
        }
        for keys in variants(table, section, lambda name, text: self._refuse((*place, name), text)):
            try:
                yield place, keys, makers[section](keys, self._path.parent)
            except WeftError as error:
                self._refuse(_named(place, keys, str(error)), str(error))

    def _spec(self, settings: dict[str, Any], machine: Any, sent: Any) -> StudySpec:  # noqa: ANN401
        loads = settings.get("loads", "ladder")
        if loads != "ladder" and not (isinstance(loads, list) and _all(loads, (int, float))):
            message = f"loads: found {loads!r}, expected “ladder” or a list of numbers"
            self._refuse(self._place["loads"], message)
        if "seeds" in settings and not _all(settings["seeds"], (int,)):
            message = f"seeds: found {settings['seeds']!r}, expected a list of whole numbers"
            self._refuse(self._place["seeds"], message)
        routings = self._routings(settings)
        try:
            return StudySpec(
                routings=routings,
                hardware=machine,
                traffic=sent,
                seeds=tuple(settings.get("seeds", (1,))),
                loads=None if loads == "ladder" else tuple(map(float, loads)),
                precision=float(settings.get("precision", DEFAULT_PRECISION)),
                max_packets=settings.get("max_packets"),
                pool_interval_ns=settings.get("pool_interval_ns"),
                own_routings=self._own_routings,
            )
        except StudyError as error:
            named = next((name for name in self._place if name.rstrip("s") in str(error)), None)
            self._refuse(self._place[named] if named else (), str(error))

    def _read_own_routings(self, settings: dict[str, Any]) -> tuple[OwnRoutings, ...]:
        """Read the files that add routings, and let their algorithms be known by name."""
        key = "own_routings"
        names = settings.get(key, [])
        if not _all(names, (str,)):
            self._refuse(self._place[key], f"{key}: found {names!r}, expected a list of texts")
        files = []
        for name in names:
            try:
                text = read_text(self._path.parent / name, "a Python file that adds routings")
                files.append(OwnRoutings(name, text))
                add_routings(files[-1:])
            except WeftError as error:
                self._refuse(self._place[key], f"{key}: {error}")
        return tuple(files)

    def _routings(self, settings: dict[str, Any]) -> tuple[str, ...]:
        found = settings.get("routings", DEFAULT_ROUTINGS)
        if not found or not _all(found, (str,)):
            message = f"routings: found {found!r}, expected a list of texts"
            self._refuse(self._place["routings"], message)
        for specification in found:
            try:
                check_routing(specification)
            except RoutingError as error:
                self._refuse(self._place["routings"], str(error))
        return tuple(found)

    def _check_pattern(self, place: tuple[str | int, ...], fabric: Fabric, spec: StudySpec) -> None:
        try:
            sending_hosts(fabric, spec.traffic)
        except WeftError as error:
            self._refuse((*place, "pattern") if place else (), f"{fabric.name}: {error}")

    def _check_program(
        self, place: tuple[str | int, ...], keys: dict[str, Any], spec: ProgramSpec, fabric: Fabric
    ) -> None:
        try:
            spec.program.check(fabric, spec.hardware)
        except WeftError as error:
            self._refuse(_named(place, keys, str(error)), str(error))

    def _refuse(self, place: tuple[str | int, ...], reason: str) -> Never:
        message = f"{os.fspath(self._path)}:{line_of(self._text, place)}: {reason}"
        raise StudyError(message)


def _named(
    place: tuple[str | int, ...], keys: dict[str, Any], message: str
) -> tuple[str | int, ...]:
    """Return the place of the key that a stage's message names first, or of the table."""
    # Of a list of several, a message may name one: an algorithm of algorithms.
    found = {name: message.find(name.rstrip("s")) for name in keys}
    told = [name for name, at in found.items() if at >= 0]
    named = min(told, key=lambda name: found[name], default=None)
    return place if named is None else (*place, named)


def _all(values: list[Any], types: tuple[type, ...]) -> bool:
    return all(isinstance(value, types) and not isinstance(value, bool) for value in values)


def _told(keys: dict[str, Any], plain: tuple[str, ...]) -> list[str]:
    """Say what a table gives: values of plain keys alone, of the others with their name."""
    return [f"{value}" if key in plain else f"{key}={value}" for key, value in keys.items()]


def _fabric_names(fabrics: list[tuple[Fabric, dict[str, Any]]]) -> list[str]:
    """Name fabrics, those that share a name by what their tables say as well."""
    digests: dict[str, set[str]] = {}
    for fabric, _ in fabrics:
        digests.setdefault(fabric.name, set()).add(text_digest(fabric_text(fabric)))
    return [
        fabric.name
        if len(digests[fabric.name]) == 1
        else f"{fabric.name} ({', '.join(_told(keys, ('topology', 'file')))})"
        for fabric, keys in fabrics
    ]
