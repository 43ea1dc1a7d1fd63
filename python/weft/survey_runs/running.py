"""Running a survey to its end, from where it is."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from weft import _core
from weft._extras import needed
from weft.array_job import ArrayJob
from weft.errors import EnvironmentFailure, InputError
from weft.survey_runs.batch_task import surveyed
from weft.survey_runs.folder import SurveyFolder
from weft.survive import FailureParts
from weft.survive.survey import Survey, halves_drawn

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from weft._core import Fabric, Routing
    from weft.survive import Survivals

__all__ = ["run_survey"]

#: Seconds that a scheduler of Dask's has to answer, and between two looks for what tasks left.
_CONNECT_TIMEOUT_S, _LOOK_S = 10, 0.5
#: Seconds between two questions whether a job array still runs.
_ASK_S = 2.0
#: Tasks of a job array at most, and job arrays that may end without a batch.
_MOST_TASKS, _MOST_FRUITLESS = 64, 3


def run_survey(
    fabric: Fabric,
    routing: Routing,
    results: str | os.PathLike[str],
    *,
    on: str = "local",
    parts: Sequence[FailureParts] = get_args(FailureParts),
    at_once: int = 1,
    sample: int | None = None,
    anew: int = 5,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Survivals:
    """Do as :func:`weft.survive`, with what is found kept in a folder as it is found.

    After a kill at any moment the same call goes on where it was. The result is the same, bit for
    bit, wherever it is computed.

    Parameters
    ----------
    fabric, routing, parts, at_once, sample, anew, seed, progress
        As of :func:`weft.survive`.
    results : path-like
        The folder, made where it is missing. Machines of a cluster must share it.
    on : str
        ``local``, with all processors; ``dask:tcp://HOST:PORT``; or ``slurm``, as a job array.

    Raises
    ------
    ResultsError
        When the folder holds another survey, or is damaged.
    EnvironmentFailure
        When it cannot be written, or a scheduler does not answer.

    Examples
    --------
    >>> import tempfile
    >>> import weft
    >>> torus = weft.torus(4, 4)
    >>> tables = weft.route(torus, "best:lanes=2")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = weft.run_survey(torus, tables, folder, parts=["cables"])
    ...     again = weft.run_survey(torus, tables, folder, parts=["cables"])
    >>> found.failures == again.failures == weft.survive(torus, tables, parts=["cables"]).failures
    True
    """
    survey = Survey.of(fabric, routing, parts=parts, at_once=at_once, sample=sample, seed=seed)
    folder = SurveyFolder(Path(results))
    folder.prepare(survey, halves_drawn(fabric))
    sizes = [len(batch) for batch in survey.batches]
    missing = folder.missing(len(sizes))
    done = len(survey.failures) - sum(sizes[batch] for batch in missing)
    for batch in _done(on, survey, folder, missing):
        done += sizes[batch]
        if progress is not None:
            progress(done, len(survey.failures))
    told = [one for batch, size in enumerate(sizes) for one in folder.taken(batch, size)]
    return survey.concluded(told, anew)


def _done(on: str, survey: Survey, folder: SurveyFolder, missing: list[int]) -> Iterator[int]:
    """Do the batches that are missing; yields each when it is in the folder."""
    kind, _, address = on.partition(":")
    if kind == "local" and not address:
        for batch in missing:
            failures = [numbers for _, numbers in survey.batches[batch]]
            folder.leave(batch, survey.standing.survive(failures))
            yield batch
    elif kind == "dask" and address:
        yield from _on_dask(address, survey, folder, missing)
    elif kind == "slurm" and not address:
        yield from _on_slurm(folder, missing)
    else:
        message = f"on {on}: expected local, dask:tcp://HOST:PORT or slurm"
        raise InputError(message)


def _on_dask(
    address: str, survey: Survey, folder: SurveyFolder, missing: list[int]
) -> Iterator[int]:
    """Have the workers of a Dask scheduler do the batches."""
    distributed = needed("distributed")
    try:
        client = distributed.Client(address, timeout=_CONNECT_TIMEOUT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        message = f"no Dask scheduler answers at {address}: {error}; check address and network"
        raise EnvironmentFailure(message) from error
    with client:
        fabric, tables = client.scatter(
            [str(_core.fabric_text(survey.fabric, "json")), survey.routing.to_json()]
        )
        rounds = halves_drawn(survey.fabric)
        futures: dict[Any, int] = {}
        for batch in missing:
            failures = [numbers for _, numbers in survey.batches[batch]]
            future = client.submit(
                surveyed, fabric, tables, rounds, survey.seed, failures, pure=False
            )
            futures[future] = batch
        for future in distributed.as_completed(futures, loop=client.loop):
            try:
                told = future.result()
            except (distributed.KilledWorker, OSError) as error:
                message = f"the workers at {address} did not do a batch: {error}; call again"
                raise EnvironmentFailure(message) from error
            folder.leave(futures[future], told)
            yield futures[future]


def _on_slurm(folder: SurveyFolder, missing: list[int]) -> Iterator[int]:
    """Have a job array do the batches, one of an earlier call included."""
    job = ArrayJob(folder.path, "weft.survey_runs.batch_task")
    waiting, fruitless, asked_at = set(missing), 0, float("-inf")
    try:
        while waiting:
            arrived = waiting - set(folder.missing(max(waiting) + 1))
            yield from sorted(arrived)
            waiting -= arrived
            fruitless = 0 if arrived else fruitless
            if waiting and not arrived and time.monotonic() - asked_at >= _ASK_S:
                is_running = job.is_running()
                asked_at = time.monotonic()
                left = waiting & set(folder.missing(max(waiting) + 1))
                if not is_running and left == waiting:
                    fruitless += 1
                    folder.refuse_errors()
                    if fruitless > _MOST_FRUITLESS:
                        message = (
                            f"{_MOST_FRUITLESS} job arrays ended without a batch; see"
                            f" {folder.path}/logs"
                        )
                        raise EnvironmentFailure(message)
                    (folder.path / "logs").mkdir(exist_ok=True)
                    job.start(min(len(waiting), _MOST_TASKS))
            time.sleep(_LOOK_S)
    except KeyboardInterrupt:
        job.cancel()
        raise
