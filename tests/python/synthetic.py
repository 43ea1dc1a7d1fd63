"""Stages with curves known in advance, so that studies are tested without simulating.

Run as a program it is a study in a process of its own, to be interrupted or killed::

    python synthetic.py RESULTS SECONDS_PER_POINT
"""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import weft
from weft.channel_loads import LoadFigures
from weft.errors import Cancelled, RoutingError
from weft.figure_table import FIGURES
from weft.proof import CycleStep, Proof
from weft.simulate import Histogram, LatencySummary, Measurement

if TYPE_CHECKING:
    from collections.abc import Callable

    from weft.study.executors.interface import RoutedCase


def falling(saturation: float) -> Callable[[float], float]:
    """Return a curve that carries everything up to a load and less and less beyond."""
    return lambda load: load if load <= saturation else saturation - 0.3 * (load - saturation)


def flat(saturation: float) -> Callable[[float], float]:
    """Return a curve that carries everything up to a load and stays there."""
    return lambda load: min(load, saturation)


CURVES: dict[str, Callable[[float], float]] = {
    "early": falling(0.11),
    "late": falling(0.23),
    "plateau": flat(0.17),
}


@dataclass(frozen=True)
class SyntheticRouting:
    """As much of a routing as a study looks at."""

    label: str
    algorithm: str
    parameters: dict[str, str]
    service_note: str | None = None
    is_adaptive: bool = False

    def leads_as(self, other: SyntheticRouting) -> bool:
        return self is other


@dataclass
class SyntheticStages:
    """Stages whose accepted traffic is a function of the load."""

    curves: dict[str, Callable[[float], float]] = field(default_factory=lambda: dict(CURVES))
    deadlocking: tuple[str, ...] = ("cyclic",)
    impossible: tuple[str, ...] = ("impossible",)
    bound: float = 0.3
    pattern_bound: float = 0.06
    seconds_per_point: float = 0.0
    before_point: Callable[[str, float], None] = lambda label, load: None
    simulated: list[tuple[str, float, int]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def title(self, specification: str) -> str:
        return f"The {specification} routing"

    def is_known(self, specification: str) -> bool:
        return specification in (*self.curves, *self.deadlocking, *self.impossible)

    def route(
        self,
        fabric: weft.Fabric,
        specification: str,
        *,
        progress: Callable[[int, float | None], None] = lambda steps, share: None,
    ) -> SyntheticRouting:
        progress(2, 0.25)
        if not self.is_known(specification):
            message = f"unknown routing {specification}"
            raise RoutingError(message)
        if specification in self.impossible:
            message = "the fabric has no grid; expected one"
            raise RoutingError(message)
        return SyntheticRouting(specification, specification, {"root": "0"})

    def prove(self, fabric: weft.Fabric, routing: SyntheticRouting) -> Proof:
        if routing.label in self.deadlocking:
            step = CycleStep("sw0[3] → sw1[3]", "sw1[4] → sw0[4]", "sw0", "sw1", 6, 0, 8, 0)
            return Proof(False, "deadlock", None, [step], "2 routes may wait for each other")
        return Proof(True, "deadlock-free", None, [], "every route ascends an order of channels")

    def check(self, routed: RoutedCase[weft.StudySpec]) -> None:
        """Carry everything."""

    def load_figures(self, fabric: weft.Fabric, routing: SyntheticRouting) -> LoadFigures:
        routes = np.arange(fabric.channel_count, dtype=np.uint64)
        return LoadFigures(routes, 7, 3.5, 1.5, 1.25, 2, 0.75, 0.0, 0, self.bound)

    def expected_load(
        self, fabric: weft.Fabric, routing: SyntheticRouting, traffic: weft.Traffic
    ) -> weft.ExpectedLoad:
        loads = np.full(fabric.channel_count, 1 / self.pattern_bound)
        return weft.ExpectedLoad(
            loads, 1 / self.pattern_bound, fabric.host_count, 1.25, 0.0, self.pattern_bound
        )

    def simulate(
        self,
        routed: RoutedCase,
        load: float,
        seed: int,
        cancel: weft.Cancel,
        threads: int = 1,
    ) -> Measurement:
        label = routed.routing.label
        self.before_point(label, load)
        end = time.monotonic() + self.seconds_per_point
        while time.monotonic() < end:
            if cancel.is_cancelled:
                message = "the run was asked to stop"
                raise Cancelled(message)
            time.sleep(0.002)
        with self.lock:
            self.simulated.append((label, load, seed))
        accepted = self.curves[label](load) * (1 + 1e-4 * seed)
        return measurement(routed.fabric, load, accepted, routed.spec.pool_interval_ns or 0.0)


def measurement(
    fabric: weft.Fabric, load: float, accepted: float, pool_interval_ns: float = 0.0
) -> Measurement:
    """Return a measurement with the given loads and figures that follow from them."""
    lanes = np.arange(3 * fabric.channel_count, dtype=np.float32).reshape(-1, 3)
    shape = (4, fabric.host_count) if pool_interval_ns else (0, 0)
    series = np.arange(shape[0] * shape[1], dtype=np.uint32).reshape(shape)
    saturated = accepted < 0.95 * load
    queued = 2e5 * (load - accepted) if saturated else 0.0
    latency = LatencySummary(900 + 1e3 * load + queued, 4.0, 880.0, 1200.0, 1500.0, 2000.0, 5000)
    counted = {figure.name: 0 for figure in FIGURES if figure.kind in ("real", "integer")}
    told: dict[str, Any] = {
        "reason": "saturated" if saturated else "steady",
        "reason_text": "as the curve has it",
        "waiting_cycle": [],
        "offered_load": load,
        "accepted_load": accepted,
        "accepted_load_half_width": 0.01 * accepted,
        "offered_bytes_per_ns_per_switch": 0.64 * load,
        "accepted_bytes_per_ns_per_switch": 0.64 * accepted,
        "generation_latency_ns": latency,
        "network_latency_ns": latency,
        "longest_wait_ns": 4_000.0,
        "generation_histogram": Histogram([800.0, 1000.0], [3000, 2000]),
        "mean_switches": 2.5,
        "warm_up_ns": 1e5,
        "window_ns": 1e6,
        "delivered_packets": 5000,
        "events": 60_000,
        "packet_hops": 15_000,
        "flit_hops": 8_000_000,
        "simulated_cycles": 176_000,
        "channel_utilization": np.linspace(0, accepted, fabric.channel_count, dtype=np.float32),
        "channel_blocked": np.full(fabric.channel_count, load / 8, dtype=np.float32),
        "pool_mean_bytes": np.zeros(fabric.host_count, dtype=np.float32),
        "pool_max_bytes": np.arange(fabric.host_count, dtype=np.uint32),
        "host_accepted_load": np.linspace(0, accepted, fabric.host_count, dtype=np.float32),
        "lane_utilization": lanes / lanes.size,
        "lane_blocked": lanes / lanes.size / 2,
        "buffer_mean_bytes": lanes / 2,
        "buffer_max_bytes": lanes.astype(np.uint32),
        "pool_interval_ns": pool_interval_ns,
        "pool_series_mean_bytes": series / np.float32(2),
        "pool_series_max_bytes": series,
    }
    return Measurement(**{**counted, **told})


def main(path: str, seconds_per_point: str) -> int:
    """Run a study of all curves; 130 when interrupted, as the command does."""
    from weft.study import compare

    stages = SyntheticStages(seconds_per_point=float(seconds_per_point))
    print("begun", flush=True)  # noqa: T201 - tells the test that the study runs
    try:
        compare(
            weft.irregular(8, seed=1),
            [*CURVES, "cyclic"],
            results=path,
            jobs=2,
            stages=stages,
        ).close()
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
