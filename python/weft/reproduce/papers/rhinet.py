"""RHINET: deterministic routings, multicasts and topologies on RHiNET-2."""

from __future__ import annotations

from weft.reproduce.paper import Experiment, Paper
from weft.reproduce.questions import per_routing

__all__ = ["RHINET"]

RHINET = Paper(
    "rhinet",
    "M. Koibuchi, K. Watanabe, T. Otsuka, H. Amano, “Performance Evaluation of Deterministic "
    "Routings, Multicasts, and Topologies on RHiNET-2 Cluster”.",
    "Hosts and switches are those of the preset `rhinet2`, whose delays are fitted once, to the "
    "barriers of tables 4, 9 and 13 together. The figure with topologies A and B could not be had: "
    "surrogates stand for them that meet the distances of table 1. Where the paper does not say "
    "the root of a tree, it is one with which the distances of table 1 are met, if there is one. "
    "A barrier here is a single one that all hosts enter at once, over ten seeded orders where the "
    "order is random; the paper repeats it 100,000 times, and says how far hosts differ then: that "
    "difference, and what depends on one drawn order, are shown and not judged. Tables and figures "
    "whose numbers are not known have a name for a number.",
    (
        Experiment(
            "table",
            "1",
            "switches on a path, by routing and topology",
            programs=("table-1",),
            tells_deviation=True,
        ),
        Experiment(
            "table",
            "3",
            "switches on a path, by topology",
            programs=("table-3",),
            tells_deviation=True,
        ),
        Experiment(
            "table",
            "4",
            "barriers of 64 hosts in random order, by routing",
            programs=("table-4",),
            tells_deviation=True,
        ),
        Experiment(
            "table",
            "9",
            "barriers of 64 hosts on topology A, by order of the unicasts",
            programs=("table-9",),
            tells_deviation=True,
        ),
        Experiment(
            "table",
            "13",
            "barriers in random order, by topology",
            programs=("table-13-64", "table-13-32", "table-13-16"),
            tells_deviation=True,
        ),
        Experiment(
            "figure",
            "6",
            "bandwidth and barrier of two hosts over distance",
            programs=("figure-6",),
        ),
        Experiment(
            "figure",
            "bandwidth",
            "bandwidth of a host by size of packets, bit reversal and transpose",
            programs=("bandwidth",),
        ),
        Experiment(
            "figure",
            "selection",
            "bandwidth of a host by the way one of several paths is chosen",
            programs=("selection",),
        ),
        Experiment(
            "figure",
            "hardware",
            "bandwidth of a host by link rate, buffers, stop rule and acknowledgement protocol",
            programs=("hardware-rates", "hardware-protocols"),
        ),
        Experiment(
            "figure",
            "broadcast",
            "broadcast of 512 bytes by order of the unicasts",
            programs=("broadcast",),
        ),
        Experiment(
            "figure",
            "throughput",
            "latency over traffic, simulated, by routing",
            ("throughput",),
            per_routing(("fabrics.topology", "traffic.pattern"), ("throughput", "latency")),
            curves=True,
        ),
    ),
)
