"""RHINET: deterministic routings, multicasts and topologies on RHiNET-2."""

from __future__ import annotations

from weft.reproduce.definition import Experiment, Paper
from weft.reproduce.questions import per_routing

__all__ = ["RHINET"]


def _table(number: str, title: str, *programs: str) -> Experiment:
    """Return a table whose figures are published."""
    return Experiment(f"table-{number}", title, programs=programs, tells_deviation=True)


def _figure(number: str, title: str, *programs: str) -> Experiment:
    return Experiment(f"figure-{number}", title, programs=programs)


RHINET = Paper(
    "rhinet",
    "M. Koibuchi, K. Watanabe, T. Otsuka, H. Amano, “Performance Evaluation of Deterministic "
    "Routings, Multicasts, and Topologies on RHiNET-2 Cluster”.",
    "Hosts and switches are those of the preset `rhinet2`, whose delays are fitted once, to the "
    "barriers of tables 4, 9 and 13 together; table 2 lists the parts of the hosts, of which "
    "their bus of 64 bits at 66 MHz is in the preset. The figure with topologies A and B could "
    "not be had: surrogates stand for them that meet the distances of table 1. Where the paper "
    "does not say the root of a tree, it is one with which the distances of table 1 are met, if "
    "there is one. Barriers follow one another without a pause, ten of each order and over ten "
    "seeded orders where the order is random; the paper repeats each 100,000 times, and says how "
    "far averages of hosts differ then. Shown is how far their mean ends over ten orders do, which "
    "is judged of broadcasts alone: a barrier repeated takes all hosts as long. Of table 4 it has "
    "one of its ten orders, with 34 % between up*/down* and SBP; ours is that of 500 orders by "
    "which these differ most, and not judged where fewer than 100 are drawn. "
    "A broadcast gathers small messages before it releases 512 bytes. What the abstract says of "
    "gains stands beside ours; a gain is that of bandwidth, or what the longer time has over the "
    "shorter. What the paper measures in figures whose values are not known, beside figure 6, has "
    "a name here: of figure 5 it is known that SBP has six lanes in it, of figure 9 that traffic "
    "goes to the complement. The benchmarks are recorded ones of NPB 3.3, MG of class W in the "
    "size of NPB 2.3; recorded intervals of computing are evened, and scaled to the time of "
    "computing in table 8: of CG as NPB counts its operations, from class A; of MG S that of W, of "
    "IS that of 16 ranks; of LU to the time in table 14. What MPI and PM take of a message, a "
    "packet and a byte is calibrated to SP.S, MG.W and CG.A in table 8, and so is how long a NIC "
    "takes to set up the DMA of a packet. That processors handle packet by packet, that messages "
    "beyond 512 bytes are called for and that alltoallv goes in rounds is chosen for what it "
    "meets; alltoall is that of early MPICH, which sends to the first rank first. That hosts have "
    "room for 32 messages and send what was refused again after 10 ms is calibrated to IS.S of 64 "
    "ranks. On ring, mesh 4x2 and torus 4x2 hosts have two ranks, one for each processor, which "
    "is chosen by CG.S there.",
    (
        _table("1", "switches on a path, by routing and topology", "table-1"),
        _table("3", "switches on a path, by topology", "table-3"),
        _table("4", "barriers of 64 hosts in random order, by routing", "table-4"),
        _table("5", "NAS benchmarks on irregular topologies, by routing", "table-5"),
        _table("6", "NAS benchmarks on mesh and torus, by routing", "table-6"),
        _table("7", "MG and CG of NAS on mesh and torus, by routing", "table-7"),
        _table("8", "where the time of NAS benchmarks goes", "table-8"),
        _table("9", "barriers of 64 hosts on topology A, by order of the unicasts", "table-9"),
        _table("12", "broadcasts of 512 bytes, by order and topology", "table-12"),
        _table(
            "13",
            "barriers in random order, by topology",
            *("table-13-64", "table-13-32", "table-13-16"),
        ),
        _table("14", "NAS benchmarks by topology", "table-14"),
        _figure("6", "bandwidth and barrier of two hosts over distance", "figure-6"),
        _figure(
            "bandwidth",
            "bandwidth of a host by routing and size: bit reversal, transpose, complement",
            "bandwidth",
        ),
        _figure("8", "bandwidth of a host at the level of MPI, by routing and size", "figure-8"),
        _figure(
            "dimension-order",
            "bandwidth of a host by dimension order and others on meshes and tori",
            "dimension-order",
        ),
        _figure(
            "topologies",
            "bandwidth of a host by topology and size: bit reversal, complement",
            *("topologies-64", "topologies-32", "topologies-16"),
        ),
        _figure(
            "selection",
            "bandwidth of a host by the way one of several paths is chosen",
            "selection",
        ),
        _figure(
            "hardware",
            "bandwidth of a host by link rate, buffers and stop rule",
            "hardware-rates",
        ),
        _figure(
            "protocols", "bandwidth of a host by acknowledgement protocol", "hardware-protocols"
        ),
        _figure(
            "orders",
            "barriers by order of the unicasts, routing and topology",
            *("orders-64", "orders-32", "orders-16"),
        ),
        _figure(
            "drawn-orders",
            "single barriers of 64 hosts on topology A in many random orders, up*/down* and SBP",
            "drawn-orders",
        ),
        _figure(
            "broadcast",
            "broadcast of 512 bytes by order of the unicasts, routing and topology",
            *("broadcast-64", "broadcast-32", "broadcast-16"),
        ),
        Experiment(
            "figure-throughput",
            "latency over traffic, simulated, by routing",
            ("throughput",),
            per_routing(("fabrics.topology", "traffic.pattern"), ("throughput", "knee", "latency")),
            curves=True,
        ),
    ),
)
