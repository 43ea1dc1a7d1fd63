"""The terms of the report, explained in a sentence each."""

from __future__ import annotations

TERMS: dict[str, str] = {
    "accepted traffic": "What is delivered, in payload bytes per nanosecond and switch.",
    "blocked time": (
        "Share of the time in which flow control halts a channel that has a packet to send."
    ),
    "channel": "One direction of a link.",
    "channel dependency": (
        "A packet may hold one channel while it wants the next. A cycle of dependencies is what a "
        "deadlock needs."
    ),
    "deadlock certificate": (
        "An order of the channels that every route ascends between in-transit stops. It proves "
        "that no cycle exists, and anyone can check it in one pass."
    ),
    "Jain's index": (
        "How alike shares are: (Σx)² / (n·Σx²), 1 when all n are equal and 1/n when one has all."
    ),
    "fabric": "All switches, hosts and links of one network.",
    "in-transit stop": (
        "A place where a packet is taken out of the network into the memory of a host's NIC and "
        "injected again, which cuts its chain of dependencies there."
    ),
    "lane": (
        "A virtual lane: one of several queues that share a channel, each with its own buffers and "
        "flow control."
    ),
    "knee": (
        "The accepted traffic at which mean latency reaches a multiple of that of the lowest load, "
        "twice it unless another is asked for: what "
        "the network carries before packets wait for one another longer than they travel."
    ),
    "latency": (
        "From the generation of a packet, time in the source's queue included, to the delivery of "
        "its tail, in nanoseconds."
    ),
    "load": "Payload that each host offers, as a share of the rate of its link.",
    "minimal route": "A route as short as the fabric allows.",
    "network latency": (
        "From the injection of a packet's head to the delivery of its tail, in nanoseconds."
    ),
    "offered traffic": "What the hosts try to inject, in the unit of accepted traffic.",
    "saturation": (
        "Where the network no longer accepts what is offered: queues at the sources grow without "
        "end, and so does latency."
    ),
    "throughput": "The largest accepted traffic over all offered traffic.",
    "unloaded latency": "Mean latency at the lowest load simulated.",
    "utilization": "Share of the time in which a channel carries flits.",
    "window": "The span of simulated time that is measured, after the warm-up is discarded.",
    "95 % interval": (
        "Range that holds the true mean in 95 of 100 such simulations; ± gives half its width."
    ),
}
"""Term and meaning, in the order of the report."""
