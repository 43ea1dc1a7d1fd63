"""Studies with figures known in advance, for the tests of charts and report.

The studies are real: they go through `weft.compare` into a results file and out of it again.
Only the stages below are made up, so that no test waits for a simulation. Run as a program it
writes the reports and charts of all samples, to be looked at::

    python report_samples.py FOLDER
"""

from __future__ import annotations

import json
import sys
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import synthetic
from synthetic import SyntheticRouting

import weft
from weft.channel_loads import LoadFigures
from weft.figure_table import ARRAYS, empty
from weft.proof import CycleStep, Proof
from weft.simulate import LatencySummary, Measurement, WaitingPacket

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from weft.study.executors.interface import RoutedCase

#: Bytes per nanosecond and switch at full load of four hosts a switch.
TRAFFIC_AT_FULL_LOAD = 0.64
UNLOADED_LATENCY_NS = 4_000.0
HOSTILE_NAME = "<script>document.title='taken'</script>"

FOUR_ROUTINGS = {"updown": 0.11, "simple_routes": 0.16, "ud_mitb": 0.21, "ud_itb": 0.24}


@dataclass
class SampleStages:
    """Stages whose routings saturate at loads given beforehand.

    One without such a load is not deadlock-free; `deadlocks` has the loads from which a routing,
    although proved, deadlocks when simulated.
    """

    saturations: dict[str, float | None]
    deadlocks: dict[str, float] = field(default_factory=dict)

    def title(self, specification: str) -> str:
        return f"The {specification} algorithm"

    def is_known(self, specification: str) -> bool:
        return specification in self.saturations

    def route(
        self, fabric: weft.Fabric, specification: str, *, progress: object = None
    ) -> SyntheticRouting:
        parameters = {"root": "min_average", "selection": "random", "seed": "1"}
        return SyntheticRouting(specification, specification, parameters)

    def prove(self, fabric: weft.Fabric, routing: SyntheticRouting) -> Proof:
        if self.saturations[routing.label] is not None:
            return Proof(True, "deadlock-free", None, [], "every route ascends one order")
        channels = np.flatnonzero(fabric.is_switch_channel)[:4].tolist()
        names = [fabric.describe_channel(channel) for channel in channels]
        steps = [
            CycleStep(
                names[number],
                names[(number + 1) % len(names)],
                fabric.host_names[number % fabric.host_count],
                fabric.host_names[-1],
                held_channel=channel,
                held_lane=0,
                wanted_channel=channels[(number + 1) % len(channels)],
                wanted_lane=0,
            )
            for number, channel in enumerate(channels)
        ]
        return Proof(False, "deadlock", None, steps, f"{len(steps)} channels in a cycle")

    def check(self, routed: RoutedCase[weft.StudySpec]) -> None:
        """Carry everything."""

    def load_figures(self, fabric: weft.Fabric, routing: SyntheticRouting) -> LoadFigures:
        routes = (1000 * weights(fabric, routing.label)).astype(np.uint64)
        stops = 0.5 if "itb" in routing.label else 0.0
        bound = self.saturations[routing.label] or 0.3
        return LoadFigures(
            routes, int(routes.max()), float(routes.mean()), 4.1, 3.9, 9, 0.82, stops, 2, bound
        )

    def simulate(
        self,
        routed: RoutedCase,
        load: float,
        seed: int,
        cancel: weft.Cancel,
        threads: int = 1,
    ) -> Measurement:
        label, traffic = routed.routing.label, routed.spec.traffic_at(load, seed)
        saturation = self.saturations[label]
        if saturation is None:
            message = f"{label} is not deadlock-free and must not be simulated"
            raise AssertionError(message)
        is_stuck = load >= self.deadlocks.get(label, 2.0)
        return measurement(routed.fabric, label, traffic, saturation, is_stuck=is_stuck)


def weights(fabric: weft.Fabric, label: str) -> NDArray[np.float64]:
    """Return how busy each channel is, 0…1; the later in the alphabet, the more even."""
    random = np.random.default_rng(zlib.crc32(label.encode()))
    busy = random.gamma(2.0 + len(label), 1.0, fabric.channel_count)
    return np.asarray(busy / busy.max())


def latency_ns(load: float, saturation: float) -> float:
    """Return the mean latency: a queue's below saturation, far away beyond it."""
    if load >= saturation:
        return 400 * UNLOADED_LATENCY_NS * load
    return UNLOADED_LATENCY_NS * (1.0 + 0.5 * load / (saturation - 0.98 * load))


def measurement(
    fabric: weft.Fabric,
    label: str,
    traffic: weft.Traffic,
    saturation: float,
    *,
    is_stuck: bool,
) -> Measurement:
    """Return what a simulation of one point might have measured."""
    load = traffic.load
    is_saturated = load > saturation
    accepted = min(load, saturation) * (1.0 + 1e-3 * (traffic.seed - 1))
    mean = latency_ns(load, saturation)
    busy = weights(fabric, label) * min(load / saturation, 1.0)
    reason = "deadlocked" if is_stuck else "saturated" if is_saturated else "steady"
    waiting = [
        WaitingPacket(
            fabric.describe_channel(2 * number), fabric.describe_channel(2 * number + 2),
            fabric.host_names[0], fabric.host_names[-1], number,
        )
        for number in range(3)
    ]  # fmt: skip
    return replace(
        synthetic.measurement(fabric, load, accepted),
        reason=reason,  # type: ignore[arg-type]
        reason_text=f"{reason} after 5,000 packets",
        waiting_cycle=waiting if is_stuck else [],
        generation_latency_ns=_summary(mean),
        network_latency_ns=_summary(min(mean, 3 * UNLOADED_LATENCY_NS)),
        channel_utilization=busy.astype(np.float32),
        channel_blocked=(0.6 * busy**3).astype(np.float32),
        pool_max_bytes=np.zeros(fabric.host_count, dtype=np.uint32),
        host_accepted_load=np.linspace(
            0.8 * accepted, 1.2 * accepted, fabric.host_count, dtype=np.float32
        ),
        **{name: empty(name)() for name, figure in ARRAYS.items() if "lanes" in figure.axes},
    )


def _summary(mean: float) -> LatencySummary:
    return LatencySummary(mean, 0.03 * mean, 0.9 * mean, 2 * mean, 3 * mean, 6 * mean, 5000)


def study(
    folder: Path,
    fabric: weft.Fabric,
    saturations: dict[str, float | None],
    *,
    loads: Sequence[float] | None = None,
    seeds: Sequence[int] = (1,),
    deadlocks: dict[str, float] | None = None,
) -> weft.Results:
    """Run a study with the stages above and open its results."""
    return weft.compare(
        fabric,
        list(saturations),
        loads=loads,
        seeds=seeds,
        jobs=1,
        results=folder / "results.sqlite",
        stages=SampleStages(saturations, deadlocks or {}),
    )


def fabric_of(
    name: str, switches: dict[str, int], links: Sequence[tuple[str, str]], host_prefix: str = "n"
) -> weft.Fabric:
    """Build a fabric from the hosts of each switch and the links between switches."""
    next_port = dict.fromkeys(switches, 1)

    def port(switch: str) -> list[str | int]:
        next_port[switch] += 1
        return [switch, next_port[switch] - 1]

    hosts, wired = [], []
    for switch, count in switches.items():
        for _ in range(count):
            hosts.append(f"{host_prefix}{len(hosts)}")
            wired.append({"ends": [[hosts[-1], 1], port(switch)]})
    wired += [{"ends": [port(first), port(second)]} for first, second in links]
    text = {
        "format": "weft-fabric",
        "version": 1,
        "name": name,
        "switches": [{"name": s, "ports": max(next_port[s] - 1, 1)} for s in switches],
        "hosts": [{"name": host} for host in hosts],
        "links": wired,
    }
    from weft import _core

    fabric, *_ = _core.read_fabric(json.dumps(text).encode(), name)
    return fabric


def tree(leaves: int = 12, spines: int = 4, hosts: int = 18, trunks: int = 2) -> weft.Fabric:
    """Build a two-level tree with a service host on its first spine."""
    switches = {f"leaf{number:02d}-rack{number // 2}": hosts for number in range(leaves)}
    lower = list(switches)
    switches |= {f"spine{number}": 1 if number == 0 else 0 for number in range(spines)}
    upper = list(switches)[leaves:]
    links = [(leaf, spine) for leaf in lower for spine in upper for _ in range(trunks)]
    return fabric_of("two-level tree", switches, links)


def hostile() -> weft.Fabric:
    """Build a fabric whose names try to become part of the page."""
    switches = {f"{HOSTILE_NAME}{number}": 2 for number in range(3)}
    names = list(switches)
    links = [(names[number], names[(number + 1) % 3]) for number in range(3)]
    return fabric_of(f"fabric {HOSTILE_NAME}", switches, links, host_prefix=f"host {HOSTILE_NAME}")


def large_tree(pods: int = 9, edges: int = 12, middles: int = 8, cores: int = 16) -> weft.Fabric:
    """Build a three-level tree of about two hundred switches."""
    switches = {f"edge-{pod}-{edge}": 8 for pod in range(pods) for edge in range(edges)}
    switches |= {f"middle-{pod}-{number}": 0 for pod in range(pods) for number in range(middles)}
    switches |= {f"core-{number}": 0 for number in range(cores)}
    links = [
        (f"edge-{pod}-{edge}", f"middle-{pod}-{number}")
        for pod in range(pods)
        for edge in range(edges)
        for number in range(middles)
    ]
    links += [
        (f"middle-{pod}-{number}", f"core-{(2 * number + place) % cores}")
        for pod in range(pods)
        for number in range(middles)
        for place in range(2)
    ]
    return fabric_of("three-level tree", switches, links)


TWELVE = {f"updown:seed={number}": 0.10 + 0.012 * number for number in range(12)}

SAMPLES: dict[str, Callable[[Path], weft.Results]] = {
    "torus": lambda at: study(at, weft.torus(8, 8, 4), {**FOUR_ROUTINGS, "minimal": None}),
    "irregular": lambda at: study(at, weft.irregular(64, seed=1), {**FOUR_ROUTINGS}),
    "tree": lambda at: study(at, tree(), {**FOUR_ROUTINGS, "minimal": 0.25}),
    "express": lambda at: study(at, weft.express_torus(8, 8, 4), {"updown": 0.2, "ud_itb": 0.3}),
    "blocks": lambda at: study(
        at, weft.torus(40, 50, 1), {"updown": 0.2, "ud_itb": 0.3}, loads=[0.1, 0.2]
    ),
    "large": lambda at: study(at, large_tree(), {**FOUR_ROUTINGS}),
    "twelve": lambda at: study(at, weft.irregular(16, seed=2), dict(TWELVE)),
    "two": lambda at: study(at, weft.mesh(2, 1, 2), {"updown": 0.6}),
    "refused": lambda at: study(at, weft.torus(4, 4, 1), {"minimal": None}),
    "one_load": lambda at: study(at, weft.torus(4, 4, 2), {"updown": 0.2}, loads=[0.1]),
    "deadlocked": lambda at: study(
        at, weft.mesh(4, 4, 2), {"updown": 0.2, "ud_itb": 0.3}, deadlocks={"ud_itb": 0.2}
    ),
    "seeds": lambda at: study(
        at, weft.mesh(4, 4, 2), {"updown": 0.2}, loads=[0.05, 0.1, 0.3], seeds=[1, 2, 3]
    ),
    "hostile": lambda at: study(at, hostile(), {"updown": 0.2, "minimal": None}),
}
"""A study for every kind of report there is, by name."""


def main(folder: str, *names: str) -> int:
    """Write the reports and charts of some samples, all by default."""
    from weft.plots import write_charts
    from weft.report import write_report

    for name in names or SAMPLES:
        place = Path(folder) / name
        (place / "results.sqlite").unlink(missing_ok=True)
        results = SAMPLES[name](place)
        write_report(results, place / "report.html")
        write_charts(results, place / "charts")
        print(place / "report.html", (place / "report.html").stat().st_size)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
