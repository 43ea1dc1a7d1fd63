"""GOAL schedules take what LogGOPS says where nothing contends, and more where something does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from loggops import LogGOPS, ends

import weft

if TYPE_CHECKING:
    from pathlib import Path

RANKS = 12
#: All hosts on one switch: an empty network, in which two messages meet at their hosts alone.
FABRIC = weft.torus(1, 1, hosts_per_switch=RANKS)
ROUTES = weft.route(FABRIC, "updown")
HDR = weft.hardware("infiniband_hdr")
CYCLES_A_NS = round(1 / HDR.cycle_ns)
#: Each message in one packet, sent at once.
MESSAGING = {"eager_bytes": 2.0**30, "packet_bytes": 4096.0}


def _cycles(ns: float) -> int:
    return round(ns / HDR.cycle_ns)


def _ends(program: weft.Program, folder: Path, overhead_ns: float) -> tuple[list[int], str]:
    """Write a schedule, read it again and replay it: the end of each rank in cycles."""
    path = folder / "run.goal"
    program.write_goal(path)
    overheads = dict.fromkeys(("send_message_ns", "receive_message_ns"), overhead_ns)
    run = weft.replay(
        FABRIC, ROUTES, HDR, weft.read_trace(path), messaging={**MESSAGING, **overheads}
    )
    assert run.end == "finished"
    return [_cycles(ns) for ns in run.finish_ns.tolist()], path.read_text()


def _of_hardware(folder: Path, overhead_ns: float) -> LogGOPS:
    """Find L, g and G of the hardware by messages alone."""

    def there(sizes: list[int]) -> int:
        program = weft.Program(1 + len(sizes))
        for to, size in enumerate(sizes, start=1):
            program.send(0, to, size)
            program.receive(to, 0, size)
        return _ends(program, folder, 0.0)[0][-1]

    latency = there([1])
    byte_gap = (there([4001]) - latency) // 4000
    gap = there([1, 1]) - latency
    return LogGOPS(latency, _cycles(overhead_ns), gap, byte_gap)


def _operations(size: int) -> dict[str, weft.Program]:
    found = {}
    for operation, algorithm in (
        ("barrier", "dissemination"),
        ("bcast", "binomial"),
        ("bcast", "chain"),
        ("allreduce", "ring"),
        ("allgather", "ring"),
        ("allgather", "bruck"),
        ("alltoall", "pairwise"),
        ("reducescatter", "pairwise"),
        ("scatter", "linear"),
    ):
        program = weft.Program(RANKS)
        program.collective(operation, range(RANKS), size_bytes=size, algorithm=algorithm)
        found[f"{operation} {algorithm}"] = program
    return found


@pytest.mark.parametrize("overhead_ns", [0.0, 100.0, 1500.0])
@pytest.mark.parametrize("size", [1, 240])
def test_operations_on_an_empty_network_take_what_loggops_says(
    tmp_path: Path, size: int, overhead_ns: float
) -> None:
    model = _of_hardware(tmp_path, overhead_ns)
    assert model == LogGOPS(5777, _cycles(overhead_ns), 27, 1)
    for name, program in _operations(size).items():
        found, text = _ends(program, tmp_path, overhead_ns)
        for rank, (end, is_received) in enumerate(ends(text, model)):
            # One that sends last is done with it here when its NIC has it, there when that is free.
            assert found[rank] == end or not is_received, (name, rank)


@pytest.mark.parametrize("size", [1, 240])
def test_ranks_that_compute_for_other_times_agree(tmp_path: Path, size: int) -> None:
    """With overheads they need not: a processor that is busy takes a message later in another way.

    LogGOPSim lets it work on a message from its first byte on, Weft when all of it is there.
    """
    model = _of_hardware(tmp_path, 0.0)
    unequal = weft.Program(RANKS)
    computed = [unequal.compute(rank, 97 * rank**2 % 1000) for rank in range(RANKS)]
    around = {"size_bytes": size, "algorithm": "ring", "after": computed}
    rounds = unequal.collective("allreduce", range(RANKS), **around)
    for task in rounds:
        unequal.compute(task.rank, 50 * task.rank, after=task)
    found, text = _ends(unequal, tmp_path, 0.0)
    assert found == [end for end, _ in ends(text, model, calc_units=CYCLES_A_NS)]


@pytest.mark.parametrize("size", [1, 240, 3000])
def test_messages_that_meet_wait_here_and_pass_there(tmp_path: Path, size: int) -> None:
    """Two leaves of a binomial tree end at once at its root, whose link has one after the other."""
    model = _of_hardware(tmp_path, 0.0)
    program = weft.Program(RANKS)
    program.collective("reduce", range(RANKS), size_bytes=size, algorithm="binomial")
    found, text = _ends(program, tmp_path, 0.0)
    expected = ends(text, model)
    assert found[0] - expected[0][0] == model.gap + (size - 1) * model.byte_gap


@pytest.mark.parametrize(("size", "packets"), [(4096, 1), (4097, 2), (40_000, 10)])
def test_each_packet_of_a_message_has_a_head(tmp_path: Path, size: int, packets: int) -> None:
    """The gap is what heads take; LogGOPS has one for a message, a network one for each packet."""
    model = _of_hardware(tmp_path, 0.0)
    program = weft.Program(2)
    program.send(0, 1, size)
    program.receive(1, 0, size)
    found, text = _ends(program, tmp_path, 0.0)
    heads = (packets - 1) * (model.gap - model.byte_gap)
    assert found[1] == ends(text, model)[1][0] + heads
