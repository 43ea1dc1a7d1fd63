"""Programs built task by task: streams, waits, rooms, what is written as GOAL, what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import weft

if TYPE_CHECKING:
    from pathlib import Path

TORUS = weft.torus(4, 4, hosts_per_switch=1)
UPDOWN = weft.route(TORUS, "updown")


def replayed(program: weft.Program | weft.Trace, **settings: object) -> weft.Replay:
    return weft.replay(TORUS, UPDOWN, weft.hardware("infiniband_hdr"), program, **settings)


def ring(ranks: int, stream: int) -> weft.Program:
    """Each rank computes, and exchanges something with its neighbours meanwhile."""
    program = weft.Program(ranks)
    for rank in range(ranks):
        first = program.compute(rank, 1000)
        sent = program.send(
            rank, (rank + 1) % ranks, 4096, tag=3, stream=stream, nic=stream, after=first
        )
        got = program.receive(
            rank, (rank - 1) % ranks, 4096, tag=None, stream=stream, after_start=[first]
        )
        second = program.compute(rank, 20_000, after=first)
        program.compute(rank, 500, after=[sent, got, second])
    return program


def test_streams_go_side_by_side_and_every_moment_counts_once() -> None:
    messaging = {"send_message_ns": 2000, "receive_message_ns": 3000}
    alone = replayed(ring(8, 0), messaging=messaging)
    beside = replayed(ring(8, 1), messaging=messaging)
    assert alone.end == beside.end == "finished"
    assert alone.received_messages == beside.received_messages == 8
    np.testing.assert_allclose(beside.finish_ns, 21_500, atol=2)
    np.testing.assert_allclose(alone.finish_ns, 26_500, atol=2)
    for found in (alone, beside):
        parts = (
            found.computing_ns
            + found.sending_ns
            + found.receiving_ns
            + found.waiting_packet_ns
            + found.waiting_acknowledgement_ns
        )
        np.testing.assert_allclose(parts, found.finish_ns)
    # What is hidden behind computing counts as computing.
    np.testing.assert_allclose(beside.sending_ns + beside.receiving_ns, 0)
    np.testing.assert_allclose(alone.sending_ns, 2000, atol=2)


def test_a_program_is_written_as_goal_and_read_again(tmp_path: Path) -> None:
    program = ring(4, 2)
    path = tmp_path / "ring.goal"
    program.write_goal(path)
    text = path.read_text()
    assert text.startswith(
        "num_ranks 4\nrank 0 {\nt0: calc 1000\nt1: send 4096b to 1 tag 3 cpu 2 nic 2\n"
    )
    assert "t2: recv 4096b from 3 tag -1 cpu 2\nt2 irequires t0\n" in text
    again = weft.read_trace(path)
    assert again.actions == {"task": len(program)} == {"task": 20}
    assert replayed(again).finish_ns.tolist() == replayed(program).finish_ns.tolist()
    # What is added later is no part of a trace that was given before.
    trace = program.trace()
    program.compute(0, 1e6)
    assert replayed(trace).duration_ns < 1e6 <= replayed(program).duration_ns


def test_what_makes_no_sense_is_refused() -> None:
    program = weft.Program(2)
    own = program.compute(0, 10)
    for call, message in [
        (lambda: weft.Program(0), "ranks is 0; expected a whole number from 1 to"),
        (lambda: program.compute(2, 1), "rank is 2; expected a whole number from 0 to 1"),
        (lambda: program.compute(0, -1), "ns is -1; expected 0 to 1e\\+13"),
        (lambda: program.compute(0, float("nan")), "ns is nan"),
        (lambda: program.compute(0, 1, stream=256), "stream is 256"),
        (lambda: program.send(0, 2, 8), "to is 2"),
        (lambda: program.send(0, 1, 2**34 + 1), "size_bytes is 17179869185"),
        (lambda: program.send(0, 1, 8, nic=-1), "nic is -1"),
        (lambda: program.receive(0, 1, 8, tag=-1), "tag is -1"),
        (
            lambda: program.compute(1, 1, after=own),
            "after has ProgramTask.*expected tasks of rank 1",
        ),
        (lambda: weft.Program(2).compute(0, 1, after_start=own), "after_start has ProgramTask"),
    ]:
        with pytest.raises(weft.InputError, match=message):
            call()
    program.send(0, 1, 100)
    program.receive(1, 0, 99)
    with pytest.raises(weft.FormatError, match="recv has room for 99 bytes, a message of rank 0"):
        replayed(program)


def record(*fields: bytes) -> bytes:
    """A record of an execution trace, after its length."""
    content = b"".join(fields)
    assert len(content) < 128
    return bytes([len(content)]) + content


def reduced(size: int) -> bytes:
    """The file of a rank that computes for 30 µs and takes part in an all-reduce beside that."""
    metadata = record(b"\x0a\x050.0.4")
    compute = record(b"\x08\x01\x18\x04\x38\x1e")
    attributes = [
        b"\x0a\x09comm_type\x48\x00",
        b"\x0a\x09comm_size\x48" + bytes([0x80 | size % 128, size // 128]),
    ]
    shared = b"".join(b"\x52" + bytes([len(one)]) + one for one in attributes)
    return metadata + compute + record(b"\x08\x02\x18\x07", shared)


def test_execution_traces_of_all_ranks_are_read_by_the_first(tmp_path: Path) -> None:
    for rank in range(5):
        (tmp_path / f"step.{rank}.et").write_bytes(reduced(4096))
    trace = weft.read_trace(tmp_path / "step.0.et")
    assert (trace.rank_count, trace.actions) == (5, {"allreduce": 5, "compute": 5})
    found = replayed(trace)
    assert (found.end, found.duration_ns) == ("finished", 30_000)
    used = [(use.operation, use.algorithm, use.calls) for use in found.collectives]
    assert used == [("allreduce", "reduce_scatter_allgather", 1)]
    ring = replayed(trace, algorithms={"allreduce": "ring"})
    assert [use.algorithm for use in ring.collectives] == ["ring"]
    assert ring.sent_messages == 2 * 5 * 4
    with pytest.raises(weft.InputError, match="a region is chosen of a schedule, an execution"):
        replayed(trace, region="compute..")
    with pytest.raises(weft.InputError, match="found clock_ns with an execution trace"):
        weft.read_trace(tmp_path / "step.0.et", clock_ns=5)
    (tmp_path / "step.3.et").write_bytes(reduced(4096)[:-1])
    with pytest.raises(weft.FormatError, match=r"step\.3\.et:2: .*the trace is cut short"):
        weft.read_trace(tmp_path / "step.0.et")
    (tmp_path / "step.3.et").write_bytes(reduced(4095))
    trace = weft.read_trace(tmp_path / "step.0.et")
    with pytest.raises(weft.FormatError, match=r"step\.3\.et:2: allreduce of 4095 bytes; rank 0"):
        replayed(trace)


def test_groups_have_collective_operations_of_their_own() -> None:
    """Two rings of two beside one another, then a broadcast from the root named among all."""
    fabric = weft.torus(4, 1, hosts_per_switch=1)
    program = weft.Program(4)
    pairs = [
        program.collective("allreduce", pair, size_bytes=4096, algorithm="ring:channels=2")
        for pair in ([0, 1], [3, 2])
    ]
    ends = program.collective(
        "bcast",
        [2, 0, 1, 3],
        size_bytes=100,
        root=0,
        algorithm="binomial",
        after=[task for pair in pairs for task in pair],
    )
    assert [task.rank for task in ends] == [2, 0, 1, 3]
    run = weft.replay(fabric, weft.route(fabric, "updown"), weft.hardware(), program)
    assert run.end == "finished"
    # Two channels of two rounds of each of two ranks of a pair, and a tree.
    assert run.sent_messages == 2 * 2 * 2 * 2 + 3
    assert run.payload_bytes == 2 * 2 * 4096 + 3 * 100
    assert run.algorithms() == {"allreduce": "ring:channels=2", "bcast": "binomial"}


def test_a_group_alone_takes_what_all_ranks_of_a_trace_do() -> None:
    fabric = weft.torus(5, 1, hosts_per_switch=1)
    routing = weft.route(fabric, "updown")
    for operation in weft.collective_algorithms():
        program = weft.Program(5)
        program.collective(operation, range(5), size_bytes=3000)
        trace = weft.collective(operation, 5, size_bytes=3000)
        one, other = (
            weft.replay(fabric, routing, weft.hardware(), told) for told in (program, trace)
        )
        assert one.duration_ns == other.duration_ns, operation
        assert one.payload_bytes == other.payload_bytes, operation


@pytest.mark.parametrize(
    ("operation", "ranks", "told", "error"),
    [
        ("allreduce", [], {}, "expected one rank at least"),
        ("allreduce", [0, 4], {}, "a rank is 4"),
        ("allreduce", [0, 1, 0], {}, "rank 0 is in a group twice; expected each once"),
        ("bcast", [0, 1], {"root": 2}, "expected root 2 among them"),
        ("alreduce", [0, 1], {}, "found collective operation “alreduce”; expected one of"),
        ("allreduce", [0, 1], {"algorithm": "rng"}, "allreduce has no algorithm “rng”"),
        ("allgather", [0, 1, 2], {"algorithm": "recursive_doubling"}, "needs a power of two"),
        ("allreduce", [0, 1], {"size_bytes": -1}, "size_bytes is -1"),
        ("allreduce", [0, 1], {"stream": 256}, "stream is 256"),
    ],
)
def test_groups_that_cannot_be_are_told(
    operation: str, ranks: list[int], told: dict[str, Any], error: str
) -> None:
    with pytest.raises(weft.errors.InputError, match=error):
        weft.Program(4).collective(operation, ranks, **told)


def test_a_group_waits_for_tasks_of_its_ranks_alone() -> None:
    program = weft.Program(3)
    other = program.compute(2, 5)
    with pytest.raises(weft.errors.InputError, match=r"expected tasks of ranks \[0, 1\]"):
        program.collective("barrier", [0, 1], after=[other])
