"""What a study compares, and under which conditions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from weft import _core
from weft._numbers import counted
from weft.errors import StudyError
from weft.hardware import hardware
from weft.quantities import LOAD_EXPECTED
from weft.simulate import DEFAULT_PRECISION, MOST_POOL_INTERVAL_NS
from weft.workload import Traffic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.fabric import Fabric
    from weft.hardware import Hardware
    from weft.spec.routing_files import OwnRoutings

__all__ = ["DEFAULT_ROUTINGS", "StudySpec", "default_routings"]

#: What is compared when nothing is asked for: each shows something that the others do not.
DEFAULT_ROUTINGS: tuple[str, ...] = tuple(_core.default_routings("compared", 1))

_MOST_DEFAULT_LANES = 8  #: Lanes that those which spread routes over lanes are given by default.


@dataclass(frozen=True, slots=True)
class StudySpec:
    """What a study compares, and under which conditions; a value out of range is refused."""

    #: As on the command line: ``updown``, ``updown:root=0,selection=random``, ….
    routings: tuple[str, ...]
    hardware: Hardware
    traffic: Traffic  #: Its load is set for each point, and its seed to each of ``seeds``.
    seeds: tuple[int, ...] = (1,)
    #: Payload each sending host offers, as a fraction of its link rate; None climbs a ladder to
    #: saturation and refines it around the maximum of accepted traffic.
    loads: tuple[float, ...] | None = None
    #: Half width of the 95 % confidence interval of the mean latency, relative to the mean, at
    #: which a run ends.
    precision: float = DEFAULT_PRECISION
    #: Packets after which a run ends in any case; None for what the core allows by default.
    max_packets: int | None = None
    #: Interval in which the occupancy of in-transit pools is followed; None for not at all.
    pool_interval_ns: float | None = None
    own_routings: tuple[OwnRoutings, ...] = ()

    def __post_init__(self) -> None:
        """Refuse values out of range, all of them before anything is computed."""
        _require(bool(self.routings), "no routing is given; expected at least one, such as updown")
        _require_distinct("routing", self.routings)
        _require(bool(self.seeds), "no seed is given; expected at least one")
        _require_distinct("seed", self.seeds)
        for seed in self.seeds:
            _require(0 <= seed < 1 << 63, f"seed {seed}: expected 0 to 2^63 - 1")
        if self.loads is not None:
            _require(bool(self.loads), "no load is given; expected at least one, or none at all")
            _require_distinct("load", self.loads)
            for load in self.loads:
                _require(0 < load <= 1, f"load {load:g}: {LOAD_EXPECTED}")
        _require(0 < self.precision < 1, f"precision {self.precision:g}: expected between 0 and 1")
        packets = self.max_packets
        if packets is not None:
            _require(packets >= 100, f"max_packets {packets}: expected at least 100")
            _require(packets < 1 << 64, f"max_packets {packets}: expected at most 2^64 - 1")
        interval = self.pool_interval_ns
        if interval is not None:
            expected = f"expected more than 0 and at most {MOST_POOL_INTERVAL_NS:g} ns"
            _require(
                0 < interval <= MOST_POOL_INTERVAL_NS, f"pool_interval_ns {interval:g}: {expected}"
            )

    def senders_on(self, fabric: Fabric) -> int:
        """Count the hosts that send; fewer than two, or an undefined pattern, are refused."""
        if fabric.host_count < 2:
            message = (
                f"fabric {fabric.name} has {counted(fabric.host_count, 'host')}; expected at "
                "least 2 to talk to each other"
            )
            raise StudyError(message)
        return _core.sending_hosts(fabric, self.traffic)

    def on(self, fabric: Fabric) -> StudySpec:
        """Return the study with the packets allowed on a fabric, where that is left to the core."""
        if self.max_packets is not None:
            return self
        return replace(self, max_packets=_core.packets_allowed(self.senders_on(fabric)))

    def traffic_at(self, load: float, seed: int) -> Traffic:
        """Return the traffic of one point: payload per host, a fraction of its link rate."""
        return replace(self.traffic, load=load, seed=seed)

    def identity(self) -> dict[str, dict[str, Any]]:
        """Return what decides the figures of every point, as plain values by section."""
        traffic: dict[str, Any] = {
            "pattern": self.traffic.pattern,
            "payload_bytes": {str(size): share for size, share in self.traffic.sizes.items()},
            "share_of": self.traffic.share_of,
            "arrivals": self.traffic.arrivals,
            "seeds": list(self.seeds),
        }
        if self.traffic.pattern_text is not None:
            traffic["pattern_text"] = self.traffic.pattern_text
        return {
            "hardware": {"preset": self.hardware.preset, **self.hardware.parameters},
            "traffic": traffic,
            "run": {
                "precision": self.precision,
                "max_packets": self.max_packets,
                "pool_interval_ns": self.pool_interval_ns,
            },
        }

    @classmethod
    def from_identity(
        cls,
        identity: Mapping[str, Mapping[str, Any]],
        routings: tuple[str, ...],
        loads: tuple[float, ...] | None,
    ) -> StudySpec:
        """Restore a study from what `identity` gave, its routings and loads."""
        changes = dict(identity["hardware"])
        traffic = identity["traffic"]
        sizes = {int(size): share for size, share in traffic["payload_bytes"].items()}
        seeds = tuple(traffic["seeds"])
        return cls(
            routings=routings,
            hardware=hardware(str(changes.pop("preset")), **changes),
            traffic=Traffic(
                pattern=traffic["pattern"],
                payload_bytes=next(iter(sizes)) if len(sizes) == 1 else sizes,
                share_of=traffic["share_of"],
                arrivals=traffic["arrivals"],
                seed=seeds[0],
                pattern_text=traffic.get("pattern_text"),
            ),
            seeds=seeds,
            loads=loads,
            precision=identity["run"]["precision"],
            max_packets=identity["run"]["max_packets"],
            pool_interval_ns=identity["run"]["pool_interval_ns"],
        )


def _require(holds: bool, message: str) -> None:  # noqa: FBT001 - reads as an assertion
    if not holds:
        raise StudyError(message)


def _require_distinct(what: str, values: tuple[object, ...]) -> None:
    seen: set[object] = set()
    for value in values:
        _require(value not in seen, f"{what} {value} is given twice; expected each once")
        seen.add(value)


def default_routings(hardware: Hardware) -> tuple[str, ...]:
    """Return what is compared on hardware when nothing is asked for.

    On hardware with lanes, whose hosts forward nothing, those are what a cluster may be advised to
    take, as :func:`weft.advise` has it; else :data:`DEFAULT_ROUTINGS`.
    """
    lanes = hardware.parameters.get("lanes")
    if not isinstance(lanes, int):
        return DEFAULT_ROUTINGS
    control = hardware.parameters.get("control_lanes_from")
    if isinstance(control, int) and control:
        # Routes use no more lanes than acknowledgements have.
        lanes = min(control, lanes - control)
    lanes = min(lanes, _MOST_DEFAULT_LANES)
    return tuple(_core.default_routings("advised", lanes))
