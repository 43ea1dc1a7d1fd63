"""Comparing routings on a fabric: what ``weft compare`` does, as one call."""

from __future__ import annotations

from operator import index
from pathlib import Path
from typing import TYPE_CHECKING

from weft._files import as_file_name
from weft.errors import StudyError
from weft.hardware import hardware as preset
from weft.hardware import suited_preset
from weft.results import Reading, Results
from weft.results.store import MAIN_STUDY
from weft.simulate import DEFAULT_PRECISION
from weft.spec.study import StudySpec, default_routings
from weft.study.case import Case
from weft.study.executors import executor_on
from weft.study.run import run_cases
from weft.study.stages import Stages
from weft.workload import Traffic

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from weft.fabric import Fabric
    from weft.hardware import Hardware
    from weft.study.progress import Watcher

__all__ = ["compare", "default_folder"]


def compare(
    fabric: Fabric,
    routings: Sequence[str] | None = None,
    hardware: Hardware | str | None = None,
    traffic: Traffic | None = None,
    *,
    loads: Sequence[float] | None = None,
    seeds: Sequence[int] | None = None,
    precision: float = DEFAULT_PRECISION,
    max_packets: int | None = None,
    pool_interval_ns: float | None = None,
    jobs: int | None = None,
    results: str | os.PathLike[str] | None = None,
    study: str | None = None,
    reading: Reading | None = None,
    watcher: Watcher | None = None,
    stages: Stages | None = None,
    given: str | None = None,
) -> Results:
    """Compare routings on a fabric: proof, load figures, and a load sweep up to saturation.

    A routing that is not proved deadlock-free is recorded and not simulated. Points go to the
    results file as they finish; a second call computes only what is missing.

    Parameters
    ----------
    fabric : Fabric
        The network.
    routings : sequence of str, optional
        Routings as on the command line, such as ``"updown"`` or ``"updown:root=0"``; some that show
        what the hardware makes of them when left out.
    hardware : Hardware or str, optional
        The machine, or the name of a preset. When left out, the preset that suits the links of the
        fabric, as :func:`suited_preset` finds it.
    traffic : Traffic, optional
        The traffic; its load is set for each point. Uniform traffic of 512 bytes when left out.
    loads : sequence of float, optional
        Payload each sending host offers, as a fraction of its link rate. When left out, a ladder
        climbs to saturation and is refined around the maximum of accepted traffic.
    seeds : sequence of int, optional
        Seeds of the traffic; that of ``traffic`` when left out.
    precision : float
        Half width of the 95 % confidence interval of the mean latency, relative to the mean, at
        which a run ends.
    max_packets : int, optional
        Packets after which a run ends in any case; as :func:`weft.simulate` has it when left out.
    pool_interval_ns : float, optional
        Interval in which the occupancy of in-transit pools is followed, in nanoseconds; not at all
        when left out.
    jobs : int, optional
        Simulations at a time; one per processor when left out.
    results : path-like, optional
        The results file; ``weft-results/<fabric>/results.sqlite`` when left out.
    study : str, optional
        Name of the study, for a file that holds many.
    reading : Reading, optional
        How the results are read where that is a choice, such as which knee.
    watcher : callable, optional
        Is told what happens: see `weft.study.progress`.
    stages : Stages, optional
        What routes, proves and simulates; Weft's own stages when left out.
    given : str, optional
        What the commands on a report name the fabric by: its file, quoted for a shell, with the
        options that tell its ends.

    Raises
    ------
    StudyError, RoutingError, TrafficError, HardwareError
        When something asked for does not exist or is out of range.
    ResultsError
        When the results file holds another study; the text says what differs.
    EnvironmentFailure
        When the disk is full or the file may not be written; finished points are kept.
    KeyboardInterrupt
        At Ctrl-C; finished points are kept.

    Examples
    --------
    >>> import weft
    >>> fabric = weft.irregular(16, seed=1)
    >>> results = weft.compare(fabric, ["updown", "ud_itb"])  # doctest: +SKIP
    >>> results.ranking()[0].label  # doctest: +SKIP
    'ud_itb'
    """
    if isinstance(routings, str):
        message = f"routings is {routings!r}; expected a list of texts, such as [{routings!r}]"
        raise StudyError(message)
    traffic = traffic or Traffic()
    if hardware is None:
        hardware = suited_preset(fabric)
    if isinstance(hardware, str):
        hardware = preset(hardware)
    spec = StudySpec(
        routings=default_routings(hardware) if routings is None else tuple(routings),
        hardware=hardware,
        traffic=traffic,
        seeds=(traffic.seed,) if seeds is None else tuple(map(index, seeds)),
        loads=None if loads is None else tuple(map(float, loads)),
        precision=precision,
        max_packets=None if max_packets is None else index(max_packets),
        pool_interval_ns=pool_interval_ns,
    )
    path = default_folder(fabric) / "results.sqlite" if results is None else Path(results)
    name = study or MAIN_STUDY
    stages = stages or Stages()
    run_cases(
        [Case(name, fabric, spec.on(fabric), given=given)],
        path,
        executor=executor_on("local", stages, path, jobs),
        stages=stages,
        watcher=watcher or (lambda _: None),
    )
    return Results.open(path, name, reading=reading or Reading())


def default_folder(fabric: Fabric) -> Path:
    """Return ``weft-results/<name of the fabric>``, spelled as every file system takes it."""
    return Path("weft-results") / as_file_name(fabric.name, "fabric")
