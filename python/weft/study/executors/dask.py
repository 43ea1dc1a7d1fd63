"""Points simulated, and programs replayed, by the workers of a Dask scheduler.

Every worker needs the same Weft. A worker that dies is no loss: the scheduler gives its points to
another, and a point whose workers died again and again is handed in anew.
"""

from __future__ import annotations

from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from weft._extras import needed
from weft.errors import EnvironmentFailure
from weft.spec.trace_files import trace_contents
from weft.study.case import fabric_text
from weft.study.executors.interface import Finished, PointWork
from weft.study.executors.local import drained
from weft.study.executors.remote import replayed, simulated
from weft.study.executors.wire import conditions_of, read_figures

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.study.executors.interface import ReplayWork, Unit, Work

__all__ = ["DaskExecutor"]

#: How often a point is handed in anew after all workers it was given to have died.
_MOST_ATTEMPTS = 20
_CONNECT_TIMEOUT_S = 10


class DaskExecutor:
    """The workers of the Dask scheduler at an address such as ``tcp://10.0.0.1:8786``."""

    plans_ahead = False

    def __init__(self, address: str) -> None:
        distributed = needed("distributed")
        try:
            self._client = distributed.Client(
                address, timeout=_CONNECT_TIMEOUT_S, set_as_default=False
            )
        except (OSError, ValueError) as error:
            message = f"no Dask scheduler answers at {address}: {error}; check address and network"
            raise EnvironmentFailure(message) from error
        self._address = address
        self._done: SimpleQueue[Any] = SimpleQueue()
        self._works: dict[str, tuple[Work, int]] = {}
        self._futures: dict[str, Any] = {}
        #: Texts of fabrics and contents of traces, one of each, made anew by the scheduler where
        #: the worker that held it died.
        self._held: dict[str, Any] = {}

    @property
    def slots(self) -> int:
        """Threads of all workers, at least one: workers may come later."""
        threads = self._client.scheduler_info(n_workers=-1)["workers"].values()
        return max(1, sum(int(worker["nthreads"]) for worker in threads))

    def plan(self, units: Sequence[Unit]) -> None:
        """Do nothing: a scheduler is given points as they come."""

    def submit(self, work: Work) -> None:
        """Hand a point to the scheduler."""
        self._hand_in(work, attempt=1)

    def finished(self, timeout_s: float) -> list[Finished]:
        """Return points that finished since the last call, waiting for the first of them."""
        taken = [self._taken(future) for future in drained(self._done, timeout_s)]
        return [entry for entry in taken if entry is not None]

    def stop(self) -> list[Finished]:
        """Take back what waits, and return what is finished."""
        with suppress(OSError):
            found = [entry for entry in self.finished(0) if entry.figures is not None]
            self._client.cancel(list(self._futures.values()), force=True)
            return found
        return []

    def close(self) -> None:
        """Leave the scheduler."""
        self._client.close()

    def _hand_in(self, work: Work, attempt: int) -> None:
        routed = work.routed
        text = self._hold("fabric", routed.fabric_digest, lambda: fabric_text(routed.fabric))
        conditions = conditions_of(routed)
        key = f"weft-{work.content}-{attempt}"
        if isinstance(work, PointWork):
            future = self._client.submit(
                simulated, text, conditions, work.load, work.seed, work.content, key=key
            )
        else:
            trace = self._trace(work)
            future = self._client.submit(
                replayed, text, conditions, trace, work.hosts, work.content, key=key
            )
        self._works[key] = work, attempt
        self._futures[key] = future
        future.add_done_callback(self._done.put)

    def _trace(self, work: ReplayWork) -> Any:  # noqa: ANN401 - distributed's Future, or None
        program = work.routed.spec.program
        if program.trace is None:
            return None
        trace = program.trace
        return self._hold("trace", program.digest, lambda: trace_contents(trace))

    def _hold(self, kind: str, digest: str, made: Callable[[], Any]) -> Any:  # noqa: ANN401
        """Have a value held by the scheduler that many points share."""
        from dask import config

        key = f"weft-{kind}-{digest}"
        if key not in self._held:
            # A trace may be longer than what Dask warns of.
            with config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
                self._held[key] = self._client.submit(_same, made(), key=key)
        return self._held[key]

    def _taken(self, future: Any) -> Finished | None:  # noqa: ANN401 - distributed's Future
        """Return what came of a point; None when it was handed in anew."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        work, attempt = self._works.pop(future.key)
        self._futures.pop(future.key)
        try:
            figures, wall_s = read_figures(future.result())
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
        return Finished(work.content, figures, wall_s)


def _same(value: Any) -> Any:  # noqa: ANN401 - whatever is held
    return value
