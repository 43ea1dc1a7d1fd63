"""Every key of a study file, once: what is read, refused and explained is made from this list."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from weft import _core
from weft.fabric import topologies
from weft.hardware import hardware_parameters, hardware_presets
from weft.placement import PLACEMENTS
from weft.quantities import parse_length, parse_rate, parse_share, parse_size, parse_time
from weft.replay import messaging_parameters
from weft.simulate import DEFAULT_PRECISION
from weft.spec.study import DEFAULT_ROUTINGS

if TYPE_CHECKING:
    from collections.abc import Callable

    from weft.fabric import Parameter

__all__ = ["SECTIONS", "StudyKey", "keys_of_topology", "plain_value", "study_keys"]

#: Sections of a study file that are lists of tables, in the order in which they are varied: the
#: first changes slowest.
SECTIONS = ("fabrics", "hardware", "traffic", "programs")


@dataclass(frozen=True, slots=True)
class StudyKey:
    """A key of a study file."""

    section: str  #: Table it stands in; empty for the top of the file.
    name: str
    type: str
    unit: str  #: Empty where there is none.
    range: str  #: Values allowed.
    default: str  #: Value when it is left out; empty where one must be given.
    summary: str  #: What it decides, in one sentence.
    source: str  #: Where the default comes from, or what else is told of it where.


_OWN = "decided here"
_LISTED = "a list is varied over"
_PATH = "a path from the study file's folder"
_AS_THERE = "as on the command line"
_LOAD = "fraction of the host link rate"
_RELATIVE = "relative"


def _value(
    kind: str, allowed: str, default: str, summary: str, unit: str = "", source: str = ""
) -> Callable[[str, str], StudyKey]:
    """Return what makes the key of a section and name, whose values these are."""

    def key(section: str, name: str) -> StudyKey:
        told = source or (_LISTED if section else _OWN)
        return StudyKey(section, name, kind, unit, allowed, default, summary, told)

    return key


def _of_parameter(entry: Parameter, kind: str, source: str) -> Callable[[str, str], StudyKey]:
    return _value(kind, entry.range, entry.default or "", entry.summary, entry.unit, source)


#: Keys by section, the empty one for the top of the file, and name.
_KEYS = {
    "": {
        "title": _value("text", "any", "name of the file", "What the study is about."),
        "source": _value("text", "any", "empty", "Where the experiment comes from."),
        "routings": _value(
            "list of texts",
            _AS_THERE,
            ", ".join(DEFAULT_ROUTINGS),
            "Routings to compare, such as `ud_itb:root=0`.",
            source="each shows something the others do not",
        ),
        "own_routings": _value(
            "list of texts",
            "paths from the study file's folder",
            "empty",
            "Python files that add routings of one's own; they go with the points to other"
            " machines.",
        ),
        "loads": _value(
            "`ladder`, or list of numbers",
            "more than 0 and at most 1",
            "ladder",
            "Payload each sending host offers; `ladder` climbs to saturation and refines the"
            " maximum.",
            unit=_LOAD,
        ),
        "seeds": _value(
            "list of whole numbers",
            "0 to 2^63 - 1",
            "[1]",
            "Seeds of the traffic; every load is simulated with each.",
        ),
        "precision": _value(
            "number",
            "between 0 and 1",
            f"{DEFAULT_PRECISION:g}",
            "Half width of the 95 % interval of the mean latency at which a run ends.",
            unit=_RELATIVE,
        ),
        "max_packets": _value(
            "whole number",
            "at least 100",
            str(_core.packets_allowed(0)),
            "Packets after which a run ends in any case.",
            unit="packets",
            source="three times the packets to be measured where that is more",
        ),
        "pool_interval_ns": _value(
            "number",
            "more than 0 and at most 1e9",
            "",
            "Interval in which the occupancy of in-transit pools is followed; never when left out.",
            unit="ns",
        ),
        "quick": _value(
            "table",
            "any other key of the file but title and source",
            "empty",
            "What takes the place of the file's own keys when the study is run with `--quick`.",
        ),
    },
    "fabrics": {
        "topology": _value(
            "text",
            "a topology",
            "",
            "Topology to generate; its parameters are keys beside it. Either this or `file`.",
        ),
        "file": _value("text", _PATH, "", "Fabric file to read. Either this or `topology`."),
        "service": _value(
            "text",
            "names of ends, with * and ?, or files of GUIDs, joined by commas",
            "",
            "With `file`: service ends besides those found, without a say in traffic and levels.",
        ),
        "compute": _value(
            "text",
            "names of ends, with * and ?, or files of GUIDs, joined by commas",
            "",
            "With `file`: the compute ends; all others are service ends.",
        ),
        "subnet": _value(
            "whole number",
            "1 or more",
            "",
            "With `file`: which of the networks of a file that holds several.",
        ),
    },
    "hardware": {
        "preset": _value(
            "text",
            "a preset of the hardware",
            "that of InfiniBand which suits the rates in the file; else myrinet",
            "Where the parameters start from; any of them is a key beside it.",
        )
    },
    "traffic": {
        "pattern": _value(
            "text",
            _AS_THERE,
            "uniform",
            "How destinations are drawn, such as `hotspot:share=5,hosts=host3`.",
        ),
        "payload_bytes": _value(
            "whole number or text",
            "1 or more; `32:0.2,2048:0.8` for sizes with shares",
            "512",
            "Payload of a packet.",
            unit="bytes",
        ),
        "share_of": _value(
            "text", "packets or bytes", "packets", "What the shares of the sizes are shares of."
        ),
        "arrivals": _value(
            "text", _AS_THERE, "poisson", "How packets follow one another at a host."
        ),
    },
    "programs": {
        "trace": _value(
            "text",
            _PATH,
            "",
            "Recorded application to replay. Either this or `operation`; no traffic beside it.",
        ),
        "operation": _value(
            "text",
            "a collective operation",
            "",
            "Operation of all ranks to time, such as `allreduce`. Either this or `trace`.",
        ),
        "bytes": _value(
            "whole number", "0 to 2^34", "8", "With `operation`: data of a rank.", unit="bytes"
        ),
        "ranks": _value(
            "whole number",
            "1 or more",
            "one for each host",
            "With `operation`: ranks that take part.",
        ),
        "region": _value(
            "text", _AS_THERE, "..", "With `trace`: part to replay, such as `barrier:last..reduce`."
        ),
        "flops_per_s": _value(
            "number",
            "more than 0",
            "1e9",
            "With `trace`: speed of the host traced.",
            unit="flops/s",
        ),
        "clock_ns": _value(
            "number",
            "0 or more",
            "0",
            "With `trace`: time that reading the clock added to each interval of computing.",
            unit="ns",
        ),
        "placement": _value(
            "text", f"{', '.join(PLACEMENTS)}, or {_PATH}", "linear", "Hosts of the ranks."
        ),
        "seed": _value(
            "whole number",
            "0 to 2^63 - 1",
            "1",
            "What random placements and skewed lengths are drawn by.",
        ),
        "algorithms": _value(
            "text",
            "`OPERATION=NAME`, several separated by commas",
            "empty",
            "Algorithms of collective operations; by length, as in MPICH, where none is given.",
        ),
        "matrix": _value(
            "text",
            _PATH,
            "",
            'With `operation = "alltoallv"`: lengths by pair, a line `from,to,bytes` for each, in'
            " place of `bytes`.",
        ),
        "zipf": _value(
            "number",
            "0 to 100",
            "none",
            'With `operation = "alltoallv"`: what ranks get is skewed by Zipf\'s law with this'
            " exponent, `bytes` on average.",
        ),
        "skew": _value(
            "number",
            "1 to less than the ranks",
            "none",
            'With `operation = "alltoallv"`: what ranks get is drawn so that the largest share is'
            " so many times the mean, `bytes` on average.",
        ),
    },
}


def study_keys() -> list[StudyKey]:
    """List the keys of a study file, the parameters of all presets of the hardware with them.

    The parameters of topologies are those of `weft.topologies`.
    """
    # A parameter that several presets have is told as the first of them has it.
    hardware = {
        entry.name: entry
        for preset in reversed(hardware_presets())
        for entry in reversed(hardware_parameters(preset.name))
    }
    parameters = {
        "hardware": {
            entry.name: _of_parameter(entry, entry.type, entry.source)
            for entry in reversed(hardware.values())
        },
        "programs": {
            entry.name: _of_parameter(entry, "number", "the messaging layer")
            for entry in messaging_parameters()
        },
    }
    return [
        made(section, name)
        for section, keys in _KEYS.items()
        for name, made in {**keys, **parameters.get(section, {})}.items()
    ]


def plain_value(section: str, name: str, value: Any) -> Any:  # noqa: ANN401 - any value of TOML
    """Return the number that a text such as ``64KiB``, ``1.5us`` or ``10%`` stands for.

    Only where a key has a unit, and its values are no texts; all else comes back as it is. What is
    no quantity of that unit is an `InputError`.
    """
    parse = _QUANTITIES.get(_units().get((section, name), ""))
    if parse is None or not isinstance(value, str):
        return value
    number = float(parse(value))
    return int(number) if number.is_integer() else number


@lru_cache(maxsize=1)
def _units() -> dict[tuple[str, str], str]:
    return {(key.section, key.name): key.unit for key in study_keys() if "text" not in key.type}


#: How texts with units are read, by the unit of a key.
_QUANTITIES: dict[str, Callable[[str], float]] = {
    "ns": parse_time,
    "bytes": parse_size,
    "Gbit/s": parse_rate,
    "m": parse_length,
    _LOAD: parse_share,
    _RELATIVE: parse_share,
}


def keys_of_topology(topology: str) -> dict[str, bool]:
    """Return the keys beside a topology, and if its values are lists; KeyError if none."""
    parameters = {entry.name: entry.parameters for entry in topologies()}[topology]
    return {entry.name: entry.type == "list" for entry in parameters}
