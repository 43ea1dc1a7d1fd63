"""Every key of a study file, once: what is read, refused and explained is made from this list."""

from __future__ import annotations

from dataclasses import dataclass

from weft import _core
from weft.fabric import topologies
from weft.hardware import hardware_parameters, hardware_presets
from weft.replay import messaging_parameters
from weft.simulate import DEFAULT_PRECISION
from weft.spec.study import DEFAULT_ROUTINGS

__all__ = ["SECTIONS", "StudyKey", "keys_of_topology", "study_keys"]

#: Sections of a study file that are lists of tables, in the order in which they are varied: the
#: first changes slowest.
SECTIONS = ("fabrics", "hardware", "traffic", "programs")


@dataclass(frozen=True, slots=True)
class StudyKey:
    """A key of a study file."""

    #: Table it stands in; empty for the top of the file.
    section: str
    name: str
    type: str
    #: Empty where there is none.
    unit: str
    #: Values allowed.
    range: str
    #: Value when it is left out; empty where one must be given.
    default: str
    #: What it decides, in one sentence.
    summary: str
    #: Where the default comes from, or what else is told of it where.
    source: str


_OWN = "decided here"
_LISTED = "a list is varied over"

_TOP = (
    StudyKey("", "title", "text", "", "any", "name of the file", "What the study is about.", _OWN),
    StudyKey("", "source", "text", "", "any", "empty", "Where the experiment comes from.", _OWN),
    StudyKey(
        "",
        "routings",
        "list of texts",
        "",
        "as on the command line",
        ", ".join(DEFAULT_ROUTINGS),
        "Routings to compare, such as `ud_itb:root=0`.",
        "each shows something the others do not",
    ),
    StudyKey(
        "",
        "own_routings",
        "list of texts",
        "",
        "paths from the study file's folder",
        "empty",
        "Python files that add routings of one's own; they go with the points to other machines.",
        _OWN,
    ),
    StudyKey(
        "",
        "loads",
        "`ladder`, or list of numbers",
        "fraction of the host link rate",
        "more than 0 and at most 1",
        "ladder",
        "Payload each sending host offers; `ladder` climbs to saturation and refines the maximum.",
        _OWN,
    ),
    StudyKey(
        "",
        "seeds",
        "list of whole numbers",
        "",
        "0 to 2^63 - 1",
        "[1]",
        "Seeds of the traffic; every load is simulated with each.",
        _OWN,
    ),
    StudyKey(
        "",
        "precision",
        "number",
        "relative",
        "between 0 and 1",
        f"{DEFAULT_PRECISION:g}",
        "Half width of the 95 % interval of the mean latency at which a run ends.",
        _OWN,
    ),
    StudyKey(
        "",
        "max_packets",
        "whole number",
        "packets",
        "at least 100",
        str(_core.packets_allowed(0)),
        "Packets after which a run ends in any case.",
        "three times the packets to be measured where that is more",
    ),
    StudyKey(
        "",
        "pool_interval_ns",
        "number",
        "ns",
        "more than 0 and at most 1e9",
        "",
        "Interval in which the occupancy of in-transit pools is followed; never when left out.",
        _OWN,
    ),
    StudyKey(
        "",
        "quick",
        "table",
        "",
        "any other key of the file but title and source",
        "empty",
        "What takes the place of the file's own keys when the study is run with `--quick`.",
        _OWN,
    ),
)

_FABRICS = (
    StudyKey(
        "fabrics",
        "topology",
        "text",
        "",
        "a topology",
        "",
        "Topology to generate; its parameters are keys beside it. Either this or `file`.",
        _LISTED,
    ),
    StudyKey(
        "fabrics",
        "file",
        "text",
        "",
        "a path from the study file's folder",
        "",
        "Fabric file to read. Either this or `topology`.",
        _LISTED,
    ),
)

_HARDWARE = (
    StudyKey(
        "hardware",
        "preset",
        "text",
        "",
        "a preset of the hardware",
        "myrinet",
        "Where the parameters start from; any of them is a key beside it.",
        _LISTED,
    ),
)

_TRAFFIC = (
    StudyKey(
        "traffic",
        "pattern",
        "text",
        "",
        "as on the command line",
        "uniform",
        "How destinations are drawn, such as `hotspot:share=5,hosts=host3`.",
        _LISTED,
    ),
    StudyKey(
        "traffic",
        "payload_bytes",
        "whole number or text",
        "bytes",
        "1 or more; `32:0.2,2048:0.8` for sizes with shares",
        "512",
        "Payload of a packet.",
        _LISTED,
    ),
    StudyKey(
        "traffic",
        "share_of",
        "text",
        "",
        "packets or bytes",
        "packets",
        "What the shares of the sizes are shares of.",
        _LISTED,
    ),
    StudyKey(
        "traffic",
        "arrivals",
        "text",
        "",
        "as on the command line",
        "constant",
        "How packets follow one another at a host.",
        _LISTED,
    ),
)

_PROGRAMS = (
    StudyKey(
        "programs",
        "trace",
        "text",
        "",
        "a path from the study file's folder",
        "",
        "Recorded application to replay. Either this or `operation`; no traffic beside it.",
        _LISTED,
    ),
    StudyKey(
        "programs",
        "operation",
        "text",
        "",
        "a collective operation",
        "",
        "Operation of all ranks to time, such as `allreduce`. Either this or `trace`.",
        _LISTED,
    ),
    StudyKey(
        "programs",
        "bytes",
        "whole number",
        "bytes",
        "0 to 2^34",
        "8",
        "With `operation`: data of a rank.",
        _LISTED,
    ),
    StudyKey(
        "programs",
        "ranks",
        "whole number",
        "",
        "1 or more",
        "one for each host",
        "With `operation`: ranks that take part.",
        _LISTED,
    ),
    StudyKey(
        "programs",
        "region",
        "text",
        "",
        "as on the command line",
        "..",
        "With `trace`: part to replay, such as `barrier:last..reduce`.",
        _LISTED,
    ),
    StudyKey(
        "programs",
        "flops_per_s",
        "number",
        "flops/s",
        "more than 0",
        "1e9",
        "With `trace`: speed of the host traced.",
        _LISTED,
    ),
    StudyKey(
        "programs",
        "clock_ns",
        "number",
        "ns",
        "0 or more",
        "0",
        "With `trace`: time that reading the clock added to each interval of computing.",
        _LISTED,
    ),
    StudyKey(
        "programs",
        "placement",
        "text",
        "",
        "linear, round_robin, random, or a path from the study file's folder",
        "linear",
        "Hosts of the ranks.",
        _LISTED,
    ),
    StudyKey(
        "programs",
        "seed",
        "whole number",
        "",
        "0 to 2^63 - 1",
        "1",
        "What random placements are drawn by.",
        _LISTED,
    ),
    StudyKey(
        "programs",
        "algorithms",
        "text",
        "",
        "`OPERATION=NAME`, several separated by commas",
        "empty",
        "Algorithms of collective operations; by length, as in MPICH, where none is given.",
        _LISTED,
    ),
)


def study_keys() -> list[StudyKey]:
    """List the keys of a study file, the parameters of all presets of the hardware with them.

    The parameters of topologies are those of `weft.topologies`.
    """
    # A parameter that several presets have is told as the first of them has it.
    entries = {
        entry.name: entry
        for preset in reversed(hardware_presets())
        for entry in reversed(hardware_parameters(preset.name))
    }
    parameters = [
        StudyKey(
            "hardware",
            entry.name,
            entry.type,
            entry.unit,
            entry.range,
            entry.default or "",
            entry.summary,
            entry.source,
        )
        for entry in reversed(entries.values())
    ]
    return [
        *_TOP,
        *_FABRICS,
        *_HARDWARE,
        *parameters,
        *_TRAFFIC,
        *_PROGRAMS,
        *(
            StudyKey(
                "programs",
                entry.name,
                "number",
                entry.unit,
                entry.range,
                entry.default or "",
                entry.summary,
                "the messaging layer",
            )
            for entry in messaging_parameters()
        ),
    ]


def keys_of_topology(topology: str) -> dict[str, bool]:
    """Return the keys beside a topology, and if its values are lists; KeyError if none."""
    parameters = {entry.name: entry.parameters for entry in topologies()}[topology]
    return {entry.name: entry.type == "list" for entry in parameters}
