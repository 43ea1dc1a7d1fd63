"""One step of training a large model, tensor and data parallel, packet by packet.

A GPT of 13 billion parameters on 128 GPUs of 16 computers: the 8 GPUs of a computer share each
layer and combine what it gives over NVLink, twice forwards and twice backwards; each GPU combines
its gradients with the 15 of its rank elsewhere, layer by layer, over the rail that all of them
are on, while the layers before are still at work. Prints what the step takes, what of it
communication adds to computing, and what went over the network.

    python examples/training_step.py [LAYERS]

Sizes: layers of 12 h² parameters of 2 bytes and, for each of the four all-reduces of a layer,
tokens of h numbers of 2 bytes (Shoeybi et al., Megatron-LM, arXiv 1909.08053, 2019); a GPU does
6 operations a parameter and token, two of them forwards, at 400 Tflop/s.
"""

from __future__ import annotations

import sys
import time

import weft

HIDDEN = 5120
TOKENS = 2048
COMPUTERS, GPUS = 16, 8
FLOPS_PER_S = 400e12
#: Streams of a GPU: what computes, with what it waits for, and the gradients beside it.
COMPUTING, GRADIENTS = 0, 1


def training_step(layers: int) -> weft.Program:
    """Return what every GPU does, those of a computer one after another."""
    program = weft.Program(COMPUTERS * GPUS)
    parameters = 12 * HIDDEN**2 // GPUS
    forward_ns = 2 * parameters * TOKENS / FLOPS_PER_S * 1e9
    within = [range(first, first + GPUS) for first in range(0, COMPUTERS * GPUS, GPUS)]
    across = [range(rail, COMPUTERS * GPUS, GPUS) for rail in range(GPUS)]
    last: dict[int, weft.ProgramTask] = {}
    gradients: dict[int, weft.ProgramTask] = {}

    def half_a_layer(ns: float) -> None:
        """Let all compute and then combine what computers have."""
        for rank in range(COMPUTERS * GPUS):
            before = [last[rank]] if rank in last else []
            last[rank] = program.compute(rank, ns, stream=COMPUTING, after=before)
        for group in within:
            ends = program.collective(
                "allreduce",
                group,
                size_bytes=TOKENS * HIDDEN * 2,
                algorithm="ring",
                stream=COMPUTING,
                after=[last[rank] for rank in group],
            )
            last.update((task.rank, task) for task in ends)

    for _ in range(2 * layers):
        half_a_layer(forward_ns / 2)
    for _ in range(layers):
        half_a_layer(forward_ns)
        half_a_layer(forward_ns)
        for group in across:
            # One layer's after that of the layer before, whose gradients were there earlier.
            before = [gradients[rank] for rank in group if rank in gradients]
            ends = program.collective(
                "allreduce",
                group,
                size_bytes=parameters * 2,
                algorithm="ring:chunk_bytes=4194304,in_flight=2",
                stream=GRADIENTS,
                after=[*(last[rank] for rank in group), *before],
            )
            gradients.update((task.rank, task) for task in ends)
    return program


def main() -> None:
    """Run it on rails of NDR with NVLink inside computers."""
    layers = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    fabric = weft.generate(
        "rail_tree", units=1, computers=COMPUTERS, rails=GPUS, planes=1, spines=4, links=4
    )
    program = training_step(layers)
    began = time.process_time()
    run = weft.replay(
        fabric,
        weft.route(fabric, "updown"),
        weft.hardware("infiniband_ndr"),
        program,
        hosts=weft.place_ranks(fabric, program.rank_count, "by_computer"),
        nodes=weft.computer_of_host(fabric),
        messaging={"inner_gbit_per_s": 3600.0, "inner_ns": 500.0},
    )
    seconds = time.process_time() - began
    computing = run.computing_ns.max()
    print(f"{layers} layers, {program.rank_count} GPUs, {len(program):,} tasks: {run.end}")
    print(f"{run.duration_ns / 1e6:.2f} ms, {computing / 1e6:.2f} ms of it computing")
    print(f"{run.payload_bytes / 1e9:.1f} GB in {run.delivered_packets:,} packets over the network")
    print(f"simulated in {seconds:.1f} s of processor time", file=sys.stderr)


if __name__ == "__main__":
    main()
