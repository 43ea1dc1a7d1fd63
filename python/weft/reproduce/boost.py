"""BOOST, table 1: how much in-transit buffers raise the throughput of irregular networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.errors import StudyError
from weft.reproduce.published import PublishedFactor, boost_table_1
from weft.statistics import FactorSummary, summarize_factors

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from weft.results import Results
    from weft.study import Watcher
    from weft.study.stages import Stages

__all__ = [
    "ROOTS",
    "BoostTable",
    "FactorRow",
    "TopologyFactor",
    "reproduce_table_1",
]

#: Rules for the root of up*/down*, with what they mean: the paper leaves open which it used.
ROOTS = {"min_average": "lowest average distance", "0": "switch 0"}
SIZES = (8, 16, 32, 64)
FULL_TOPOLOGIES = 10
QUICK_TOPOLOGIES = 3
PAYLOAD_BYTES = 512

#: Only accepted traffic is asked for, so latencies need not be known as well as in a comparison.
_PRECISION = 0.1
_MAX_PACKETS = 100_000


@dataclass(frozen=True, slots=True)
class TopologyFactor:
    """What was measured on one topology with one root rule.

    Attributes
    ----------
    switches : int
        Switches of the network.
    topology : int
        Seed of the topology.
    root : str
        Root rule: a key of `ROOTS`.
    ud_bytes_per_ns_per_switch, itb_bytes_per_ns_per_switch : float
        Throughput of both routings.
    """

    switches: int
    topology: int
    root: str
    ud_bytes_per_ns_per_switch: float
    itb_bytes_per_ns_per_switch: float

    @property
    def factor(self) -> float:
        """Throughput of ITB over that of UD."""
        return self.itb_bytes_per_ns_per_switch / self.ud_bytes_per_ns_per_switch


@dataclass(frozen=True, slots=True)
class FactorRow:
    """A row of the table.

    Attributes
    ----------
    switches : int
        Switches of the networks.
    root : str
        Root rule: a key of `ROOTS`.
    measured : FactorSummary
        Factors over the topologies.
    published : PublishedFactor or None
        The paper's row for this size.
    """

    switches: int
    root: str
    measured: FactorSummary
    published: PublishedFactor | None


@dataclass(frozen=True, slots=True)
class BoostTable:
    """The reproduced table.

    Attributes
    ----------
    rows : list of FactorRow
        By size, then by root rule.
    topologies : list of TopologyFactor
        What the rows were made from.
    """

    rows: list[FactorRow]
    topologies: list[TopologyFactor]


def reproduce_table_1(
    results: str | os.PathLike[str],
    *,
    sizes: Sequence[int] = SIZES,
    topologies: int = FULL_TOPOLOGIES,
    jobs: int | None = None,
    watcher: Watcher | None = None,
    on_topology: Callable[[list[TopologyFactor], int], None] | None = None,
    stages: Stages | None = None,
) -> BoostTable:
    """Reproduce table 1 of BOOST at 512 bytes.

    Per size, seeded random topologies (4 hosts, 8 ports, 4 links to other switches); on each,
    ``simple_routes`` (the paper's UD) and ``ud_itb`` (its ITB) with both root rules; uniform
    traffic; throughput is the maximum of accepted traffic over the refined ladder. Every point
    goes to one results file, one study per topology; a second call goes on where the first ended.

    Parameters
    ----------
    results : path-like
        The results file.
    sizes : sequence of int
        Switches of the networks.
    topologies : int
        Topologies per size; their seeds are 1, 2, ….
    jobs : int, optional
        Simulations at a time; one per processor when left out.
    watcher : callable, optional
        Is told what happens in each study.
    on_topology : callable, optional
        Is given the factors of each finished topology, one per root rule, and how many
        topologies are finished.
    stages : Stages, optional
        What routes, proves and simulates; Weft's own stages when left out.

    Returns
    -------
    BoostTable

    Raises
    ------
    StudyError
        When a size or a number of topologies is out of range.
    """
    _check(sizes, topologies)
    from weft.fabric import irregular
    from weft.study import compare
    from weft.workload import Traffic

    measured: list[TopologyFactor] = []
    cases = [(switches, seed) for switches in sizes for seed in range(1, topologies + 1)]
    # Before hours of work: a size that has no such network is refused by the generator.
    for switches in sizes:
        irregular(switches, seed=1)
    for finished, (switches, seed) in enumerate(cases, start=1):
        with compare(
            irregular(switches, seed=seed),
            [_specification(name, root) for root in ROOTS for name in ("simple_routes", "ud_itb")],
            traffic=Traffic(payload_bytes=PAYLOAD_BYTES),
            precision=_PRECISION,
            max_packets=_MAX_PACKETS,
            jobs=jobs,
            results=results,
            study=f"{switches} switches, topology {seed}",
            watcher=watcher,
            stages=stages,
        ) as found:
            factors = list(_factors(found, switches, seed))
        measured += factors
        if on_topology is not None:
            on_topology(factors, finished)
    return BoostTable(list(_rows(measured, sizes)), measured)


def _check(sizes: Sequence[int], topologies: int) -> None:
    if not sizes or len(set(sizes)) != len(sizes):
        message = f"sizes {', '.join(map(str, sizes)) or 'none'}: expected each once, at least one"
        raise StudyError(message)
    if topologies < 1:
        message = f"topologies {topologies}: expected at least 1"
        raise StudyError(message)


def _specification(name: str, root: str) -> str:
    return f"{name}:root={root}"


def _factors(found: Results, switches: int, topology: int) -> Iterator[TopologyFactor]:
    throughputs = {
        routing.label: routing.throughput.accepted_bytes_per_ns_per_switch
        for routing in found.routings
        if routing.throughput is not None
    }
    for root in ROOTS:
        yield TopologyFactor(
            switches,
            topology,
            root,
            throughputs[_specification("simple_routes", root)],
            throughputs[_specification("ud_itb", root)],
        )


def _rows(measured: Sequence[TopologyFactor], sizes: Sequence[int]) -> Iterator[FactorRow]:
    published = {row.switches: row for row in boost_table_1() if row.payload_bytes == PAYLOAD_BYTES}
    for switches in sizes:
        for root in ROOTS:
            factors = [
                entry.factor
                for entry in measured
                if entry.switches == switches and entry.root == root
            ]
            yield FactorRow(switches, root, summarize_factors(factors), published.get(switches))
