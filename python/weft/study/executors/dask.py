"""Points simulated by the workers of a Dask scheduler.

Every worker needs the same Weft. A worker that dies is no loss: the scheduler gives its points to
another, and a point whose workers died again and again is handed in anew.
"""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from weft.errors import EnvironmentFailure
from weft.study.case import fabric_text
from weft.study.executors.interface import Finished
from weft.study.executors.remote import simulated
from weft.study.executors.wire import conditions_of, read_measurement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.study.executors.interface import PointWork, SweepUnit

__all__ = ["DaskExecutor"]

#: How often a point is handed in anew after all workers it was given to have died.
_MOST_ATTEMPTS = 20
_CONNECT_TIMEOUT_S = 10


class DaskExecutor:
    """The workers of a Dask scheduler.

    Parameters
    ----------
    address : str
        Address of the scheduler, such as ``tcp://10.0.0.1:8786``.

    Raises
    ------
    EnvironmentFailure
        When Dask is not installed or the scheduler does not answer.
    """

    plans_ahead = False

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            message = "dask is not installed; install weft[dask] here and on every worker"
            raise EnvironmentFailure(message) from error
        try:
            self._client = Client(address, timeout=_CONNECT_TIMEOUT_S, set_as_default=False)
        except (OSError, ValueError) as error:
            message = f"no Dask scheduler answers at {address}: {error}; check address and network"
            raise EnvironmentFailure(message) from error
        self._address = address
        self._done: SimpleQueue[Any] = SimpleQueue()
        self._works: dict[str, tuple[PointWork, int]] = {}
        self._futures: dict[str, Any] = {}
        #: One text per fabric, made anew by the scheduler where the worker that held it died.
        self._texts: dict[str, Any] = {}

    @property
    def slots(self) -> int:
        """Threads of all workers, at least one: workers may come later."""
        threads = self._client.scheduler_info(n_workers=-1)["workers"].values()
        return max(1, sum(int(worker["nthreads"]) for worker in threads))

    def plan(self, units: Sequence[SweepUnit]) -> None:
        """Do nothing: a scheduler is given points as they come."""

    def submit(self, work: PointWork) -> None:
        """Hand a point to the scheduler."""
        self._hand_in(work, attempt=1)

    def finished(self, timeout_s: float) -> list[Finished]:
        """Return points that finished since the last call, waiting for the first of them."""
        found = []
        with suppress(Empty):
            future = self._done.get(timeout=timeout_s)
            while True:
                entry = self._taken(future)
                if entry is not None:
                    found.append(entry)
                future = self._done.get_nowait()
        return found

    def stop(self) -> list[Finished]:
        """Take back what waits, and return what is finished."""
        with suppress(OSError):
            found = [entry for entry in self.finished(0) if entry.measurement is not None]
            self._client.cancel(list(self._futures.values()), force=True)
            return found
        return []

    def close(self) -> None:
        """Leave the scheduler."""
        self._client.close()

    def _hand_in(self, work: PointWork, attempt: int) -> None:
        digest = work.routed.fabric_digest
        if digest not in self._texts:
            text = fabric_text(work.routed.fabric)
            self._texts[digest] = self._client.submit(str, text, key=f"weft-fabric-{digest}")
        key = f"weft-point-{work.content}-{attempt}"
        future = self._client.submit(
            simulated,
            self._texts[digest],
            conditions_of(work.routed),
            work.load,
            work.seed,
            work.content,
            key=key,
        )
        self._works[key] = work, attempt
        self._futures[key] = future
        future.add_done_callback(self._done.put)

    def _taken(self, future: Any) -> Finished | None:  # noqa: ANN401 - distributed's Future
        """Return what came of a point; None when it was handed in anew."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        work, attempt = self._works.pop(future.key)
        self._futures.pop(future.key)
        try:
            measurement, wall_s = read_measurement(future.result())
        except KilledWorker as error:
            if attempt < _MOST_ATTEMPTS:
                self._hand_in(work, attempt + 1)
                return None
            message = f"every worker that was given a point died: {error}"
            return Finished(work.content, None, 0.0, EnvironmentFailure(message))
        except (FutureCancelledError, OSError) as error:
            message = f"the Dask scheduler at {self._address} is gone: {error}"
            return Finished(work.content, None, 0.0, EnvironmentFailure(message))
        except Exception as error:  # noqa: BLE001 - whatever it is, the study's thread raises it
            return Finished(work.content, None, 0.0, error)
        return Finished(work.content, measurement, wall_s)
