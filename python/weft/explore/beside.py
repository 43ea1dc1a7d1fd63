"""What is known of a network besides its wiring: results, tables, jobs, failures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from weft._files import read_bytes, read_text, toml_document
from weft.errors import InputError, ResultsError
from weft.event_files import read_events
from weft.explore.layers import job_layers, measured_layers, survey_layers
from weft.explore.recording import Recording, recorded
from weft.explore.switch_links import cable_ends
from weft.jobs import job_load, read_jobs
from weft.jobs.running import run_together
from weft.jobs.sharing import has_known_load
from weft.rehearsal import Fails, Returns
from weft.results import Results
from weft.route_reading import read_routes
from weft.survey_runs.folder import SurveyFolder
from weft.timeline import TimelineDetail

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from weft.explore.layers import Layer
    from weft.fabric import Fabric
    from weft.hardware import Hardware
    from weft.routing import Routing
    from weft.survive.survey import Numbers, Told
    from weft.workload import Traffic

__all__ = ["NOTHING", "Beside", "read_beside"]

_SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True)
class Beside:
    """What a page shows besides a network and routings."""

    layers: Sequence[Layer] = ()  #: What it can be coloured by, besides loads that are worked out
    failed_cables: Sequence[int] = ()  #: What has failed at first, by numbers as in the scene
    failed_switches: Sequence[int] = ()
    recording: Recording | None = None  #: Jobs that ran, to be played
    routings: Sequence[str | Routing] = ()  #: Routings that it is about
    patterns: Sequence[Traffic] = ()  #: Whose patterns can be picked besides those without a file

    @property
    def pattern_files(self) -> list[tuple[str, str]]:
        """Patterns that read a file, and what stands in it."""
        texts = ((one.pattern, one.pattern_text) for one in self.patterns)
        return [(pattern, text) for pattern, text in texts if text is not None]


#: There is nothing else.
NOTHING = Beside()


def read_beside(
    path: str | os.PathLike[str],
    fabric: Fabric,
    runs_on: Callable[[], tuple[str, Routing, Hardware]],
) -> Beside:
    """Read what is known of a network: what it is, is told by what it holds.

    Parameters
    ----------
    path : path-like
        Results of a study (``results.sqlite`` or its folder); tables or routes of any kind; a file
        of jobs, which are run; a file of events, of which those are taken that fail and do not
        return; or the folder of a survey of failures.
    fabric : Fabric
        The network.
    runs_on : callable
        Gives a routing, as states of questions name it and made, and the machine: jobs run on them.

    Raises
    ------
    FormatError
        When a file is none of these, or damaged.
    InputError
        When it is of another network.
    ResultsError
        When results or survey are damaged, or of another network.
    """
    file = Path(path)
    if (file / "survey.json").is_file():
        return _failures_looked_at(SurveyFolder(file), fabric)
    if (file / "results.sqlite").is_file():
        return _results(file, fabric)
    if file.is_dir():
        return Beside(routings=[read_routes(fabric, file).routing])
    if read_bytes(file, "results, tables, jobs or failures").startswith(_SQLITE):
        return _results(file, fabric)
    if file.suffix.lower() == ".toml":
        document = toml_document(read_text(file, "jobs or events"), str(path))
        if "jobs" in document:
            return _jobs(file, fabric, *runs_on())
        return _failed(file, fabric)
    return Beside(routings=[read_routes(fabric, file).routing])


def _results(path: Path, fabric: Fabric) -> Beside:
    with Results.open(path) as results:
        _require_same(path, fabric, results.fabric)
        return Beside(
            layers=measured_layers(results),
            routings=[routing.label for routing in results.routings if routing.failure is None],
        )


def _failures_looked_at(folder: SurveyFolder, fabric: Fabric) -> Beside:
    surveyed, routing, *_ = folder.restored()
    _require_same(folder.path, fabric, surveyed)
    count = folder.batch_count()
    missing = set(folder.missing(count))
    found: list[tuple[Numbers, Told]] = []
    for batch in (one for one in range(count) if one not in missing):
        numbers = folder.numbers(batch)
        found += zip(numbers, folder.taken(batch, len(numbers)), strict=True)
    return Beside(layers=survey_layers(fabric, found), routings=[routing])


def _failed(path: Path, fabric: Fabric) -> Beside:
    """Take what fails for good from a list of events."""
    events, _ = read_events(path, fabric)
    failed: dict[str, None] = {}
    for event in sorted(events, key=lambda one: one.at_ns):
        if isinstance(event, Fails):
            failed[event.part] = None
        elif isinstance(event, Returns):
            failed.pop(event.part, None)
    switches = {name: place for place, name in enumerate(fabric.switch_names)}
    cables = {
        f"{fabric.switch_names[switch]}:{port}": cable
        for cable, (one, one_port, other, other_port) in enumerate(cable_ends(fabric))
        for switch, port in ((one, one_port), (other, other_port))
    }
    for part in failed:
        if part not in switches and part not in cables:
            message = (
                f"{path}: “{part}” fails, expected a switch, or a cable between switches by a"
                " switch and its port"
            )
            raise InputError(message)
    return Beside(
        failed_cables=sorted({cables[part] for part in failed if part not in switches}),
        failed_switches=sorted(switches[part] for part in failed if part in switches),
    )


def _jobs(path: Path, fabric: Fabric, name: str, routing: Routing, machine: Hardware) -> Beside:
    """Run jobs beside one another."""
    told = read_jobs(path, fabric)
    replay, _ = run_together(
        fabric,
        routing,
        machine,
        told.jobs,
        background=told.background,
        timeline=TimelineDetail(),
    )
    loads = []
    if has_known_load(routing):
        loads = [job_load(fabric, routing, machine, job) for job in told.jobs]
    return Beside(
        layers=job_layers(fabric, told.jobs, loads, replay),
        recording=recorded(name, told.jobs, replay),
    )


def _require_same(path: Path, fabric: Fabric, other: Fabric) -> None:
    if fabric.fingerprint != other.fingerprint:
        message = (
            f"{path}: is of {other.name}, {other.switch_count} switches with fingerprint"
            f" {other.fingerprint:016x}, expected {fabric.name}, {fabric.switch_count} switches"
            f" with {fabric.fingerprint:016x}; give the file of that fabric"
        )
        raise ResultsError(message)
