"""Programs: what a replay returns, how it compares networks, what it refuses, the commands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from command import done, refused
from command import weft as command

import weft

RECORDED = Path(__file__).parents[2] / "examples/is.S.16.ti.zst"
TIMED = "alltoallv+compute..reduce"


TORUS = weft.torus(4, 4, hosts_per_switch=1)
UPDOWN = weft.route(TORUS, "updown")


def replayed(trace: weft.Trace, hardware: str = "myrinet", **settings: object) -> weft.Replay:
    """Replay a program on the torus."""
    return weft.replay(TORUS, UPDOWN, weft.hardware(hardware), trace, **settings)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_every_moment_of_a_rank_counts_once() -> None:
    trace = weft.read_trace(RECORDED, clock_ns=850)
    messaging = {"acknowledged": 1, "send_message_ns": 500, "receive_byte_ns": 1}
    found = replayed(trace, region=TIMED, messaging=messaging)
    assert found.end == "finished"
    assert found.sent_messages == found.received_messages == 10 * 16 * (8 + 4 + 15)
    parts = (
        found.computing_ns
        + found.sending_ns
        + found.receiving_ns
        + found.waiting_packet_ns
        + found.waiting_acknowledgement_ns
    )
    np.testing.assert_allclose(parts, found.finish_ns)
    assert found.waiting_acknowledgement_ns.min() > 0
    assert found.duration_ns == found.finish_ns.max() > found.computing_ns.max()


@pytest.mark.parametrize("hardware", ["myrinet", "rhinet2", "infiniband_ndr"])
def test_programs_run_on_any_hardware(hardware: str) -> None:
    trace = weft.collective("alltoall", 16, size_bytes=5000)
    found = replayed(trace, hardware)
    assert found.end == "finished"
    assert found.payload_bytes == 16 * 15 * 5000
    assert 0 < found.mean_latency_ns <= found.max_latency_ns < found.duration_ns


def test_without_contention_a_neighbourhood_costs_the_same_on_mesh_and_torus(
    tmp_path: Path,
) -> None:
    # A wave from corner to corner and back, each rank waiting for the two before it, as in LU: only
    # mesh links are used, one message on each at a time.
    lines = []
    for rank in range(16):
        x, y = rank % 4, rank // 4
        for _ in range(5):
            lines.extend(f"{rank} recv {rank - d} 1 600 6" for d, has in ((1, x), (4, y)) if has)
            lines.append(f"{rank} compute {3000 + 100 * rank}")
            ahead = ((1, x < 3), (4, y < 3))
            lines.extend(f"{rank} send {rank + d} 1 600 6" for d, has in ahead if has)
    trace = weft.read_trace(write(tmp_path, "wave.ti", "\n".join(lines)))
    times = []
    for fabric in (weft.mesh(4, 4, hosts_per_switch=1), weft.torus(4, 4, hosts_per_switch=1)):
        routing = weft.route(fabric, "dimension_order")
        found = weft.replay(fabric, routing, weft.hardware("rhinet2"), trace)
        assert found.end == "finished"
        times.append(found.duration_ns)
    assert times[0] == pytest.approx(times[1], rel=1e-4)


def test_ranks_that_wait_for_each_other_are_named(tmp_path: Path) -> None:
    text = "0 recv 1 3 8 6\n0 send 1 3 8 6\n1 recv 0 3 8 6\n1 send 0 3 8 6\n"
    path = write(tmp_path, "stuck.ti", text)
    found = replayed(weft.read_trace(path))
    assert found.end == "blocked"
    assert np.isnan(found.duration_ns)
    assert [(entry.rank, entry.waits, entry.line) for entry in found.blocked] == [
        (0, "receiving from rank 1 (tag 3)", 1),
        (1, "receiving from rank 0 (tag 3)", 3),
    ]
    network = tmp_path / "torus.json"
    weft.write_fabric(TORUS, network)
    ended = command("replay", path, "--fabric", network, "--routing", "updown")
    assert ended.code == 1
    assert f"{path}:3: rank 1 is receiving from rank 0 (tag 3)" in ended.stdout


def test_algorithms_and_placements_change_the_time() -> None:
    trace = weft.collective("allreduce", 16, size_bytes=64_000)

    def time(placement: str = "linear", seed: int = 1, **algorithms: str) -> float:
        hosts = weft.place_ranks(TORUS, 16, placement, seed=seed)
        return replayed(trace, hosts=hosts, algorithms=algorithms).duration_ns

    assert time(allreduce="ring") < time(allreduce="recursive_doubling")
    assert time() == time(allreduce="reduce_scatter_allgather")
    assert time("random", seed=1) == time("random", seed=1) != time("random", seed=2)


def test_placements_are_as_said(tmp_path: Path) -> None:
    fabric = weft.torus(2, 2, hosts_per_switch=2)
    assert weft.place_ranks(fabric, 3) == [0, 1, 2]
    assert weft.place_ranks(fabric, 5, "round_robin") == [0, 2, 4, 6, 1]
    assert sorted(weft.place_ranks(fabric, 8, "random", seed=3)) == list(range(8))
    name = fabric.host_names[5]
    listed = write(tmp_path, "hosts", f"# two\n{name}\n\n2\n")
    assert weft.place_ranks(fabric, 2, str(listed)) == [5, 2]


@pytest.mark.parametrize("order", weft.multicast_orders())
def test_barriers_of_unicasts_end_together(order: str) -> None:
    fabric = weft.mesh(4, 4, hosts_per_switch=4)
    routing = weft.route(fabric, "dimension_order")
    hardware = weft.hardware("rhinet2")
    barrier = weft.multicast(fabric, order, gather_bytes=96)
    found = weft.replay(fabric, routing, hardware, barrier)
    assert found.end == "finished"
    assert found.received_messages == 2 * 63
    broadcast = weft.replay(fabric, routing, hardware, weft.multicast(fabric, order))
    assert broadcast.received_messages == 63
    assert broadcast.duration_ns < found.duration_ns < 3 * broadcast.duration_ns
    gathered = weft.multicast(fabric, order, size_bytes=512, gather_bytes=96)
    longer = weft.replay(fabric, routing, hardware, gathered)
    assert longer.received_messages == 2 * 63
    assert longer.duration_ns > found.duration_ns
    thrice = weft.multicast(fabric, order, gather_bytes=96, repeats=3)
    repeated = weft.replay(fabric, routing, hardware, thrice)
    assert repeated.received_messages == 3 * 2 * 63
    assert found.duration_ns < repeated.duration_ns < 3.3 * found.duration_ns


def test_evened_computing_takes_means_and_keeps_the_sum(tmp_path: Path) -> None:
    lines = [f"0 compute {ns}\n0 barrier" for ns in (100, 300, 900)]
    trace = weft.read_trace(write(tmp_path, "jitter.ti", "\n".join(lines) + "\n"))
    assert trace.compute_ns == [1300]
    evened = trace.evened()
    assert evened.compute_ns == [1300]
    # The first has no barrier before it; the other two have one on either side.
    found = replayed(evened, region="barrier:2..")
    assert found.computing_ns == pytest.approx([600])


def test_goal_schedules_are_replayed(tmp_path: Path) -> None:
    text = (
        "num_ranks 2\nrank 0 {\na: calc 5000\nb: send 64b to 1\nb requires a\n}\n"
        "rank 1 {\na: recv 64b from 0\n}\n"
    )
    trace = weft.read_trace(write(tmp_path, "two.goal", text))
    found = replayed(trace)
    assert (found.end, found.finish_ns[0]) == ("finished", 5000)
    assert 5000 < found.finish_ns[1] < 7000


def test_what_a_goal_schedule_has_no_use_for_is_refused(tmp_path: Path) -> None:
    goal = write(tmp_path, "one.goal", "num_ranks 1\nrank 0 {\na: calc 5000\n}\n")
    recorded = write(tmp_path, "one.ti", "0 compute 5000\n")
    network = tmp_path / "torus.json"
    weft.write_fabric(TORUS, network)
    common = ["--fabric", network, "--routing", "updown"]
    assert done("replay", goal, *common).code == 0
    for name, value in (("flops_per_s", "2e9"), ("flops_per_s", "1e9"), ("clock_ns", "0")):
        option = f"--{name.replace('_', '-')}"
        message = f"{goal}: found {name} with a GOAL schedule, which tells its computing in ns"
        refused(message, "replay", goal, *common, option, value)
        assert done("replay", recorded, *common, option, value).code == 0
        with pytest.raises(weft.InputError, match=f"found {name} with a GOAL schedule"):
            weft.read_trace(goal, **{name: float(value)})
    refused(
        "a region is chosen of a schedule", "replay", goal, *common, "--region", "compute..compute"
    )
    study = tmp_path / "study.toml"
    table = f'[[fabrics]]\ntopology = "torus"\nextents = [4, 4]\n[[programs]]\ntrace = "{goal}"\n'
    head = 'routings = ["updown"]\n'
    for setting in ("flops_per_s = 2e9", "clock_ns = 7"):
        write(tmp_path, study.name, f"{head}{table}{setting}\n")
        refused("with a GOAL schedule", "study", "run", study, "--out", tmp_path / "out")
    write(tmp_path, study.name, head + table)
    assert done("study", "run", study, "--out", tmp_path / "out").code == 0


def test_messages_that_nobody_receives_are_told(tmp_path: Path) -> None:
    sends = "".join(f"s{number}: send {number + 1}b to 1 tag 5\n" for number in range(7))
    text = (
        f"num_ranks 2\nrank 0 {{\na: send 64b to 1\n{sends}}}\nrank 1 {{\na: recv 64b from 0\n}}\n"
    )
    path = write(tmp_path, "lost.goal", text)
    found = replayed(weft.read_trace(path))
    assert found.end == "finished"
    assert (found.sent_messages, found.received_messages) == (8, 1)
    assert found.unclaimed == [
        weft.UnclaimedMessage(0, 1, 5, number + 1, str(path), number + 4) for number in range(7)
    ]
    network = tmp_path / "torus.json"
    weft.write_fabric(TORUS, network)
    ended = command("replay", path, "--fabric", network, "--routing", "updown")
    assert ended.code == 1
    assert "updown on torus-4x4: 7 messages are never received:\n" in ended.stdout
    shown = [
        f"  {path}:{line}: {line - 3} bytes of rank 0 to rank 1 (tag 5)" for line in range(4, 9)
    ]
    assert "\n".join([*shown, "  and 2 more\n"]) in ended.stdout


def test_what_waits_in_a_schedule_has_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, "stuck.goal", "num_ranks 1\nrank 0 {\na: recv 8b from 0\n}\n")
    (blocked,) = replayed(weft.read_trace(path)).blocked
    assert (blocked.file, blocked.line) == (str(path), 3)


def test_the_algorithms_taken_are_told() -> None:
    def taken(operation: str, size_bytes: int, ranks: int = 16, **chosen: str) -> str:
        trace = weft.collective(operation, ranks, size_bytes=size_bytes)
        (use,) = replayed(trace, algorithms=chosen).collectives
        assert (use.operation, use.calls) == (operation, 1)
        return use.algorithm

    assert taken("allreduce", 2048) == "recursive_doubling"
    assert taken("allreduce", 2049) == "reduce_scatter_allgather"
    assert taken("allreduce", 2049, allreduce="ring") == "ring"
    assert taken("reduce", 2049) == "reduce_scatter_gather"
    assert taken("reduce", 2049, 12) == "binomial"
    # A single rank sends nothing.
    assert replayed(weft.collective("barrier", 1)).collectives == []


def test_algorithms_that_cannot_be_taken_are_refused(tmp_path: Path) -> None:
    network = tmp_path / "torus.json"
    weft.write_fabric(TORUS, network)
    common = ["--fabric", network, "--routing", "updown", "--algorithm"]
    refused(
        "reduce by reduce_scatter_gather needs a power of two of ranks, the program has 12; choose"
        " another, or none, which takes binomial",
        *("collective", "reduce", "--ranks", 12, *common, "reduce=reduce_scatter_gather"),
    )
    refused(
        "--algorithm reduce=binomial, but bcast is timed; expected bcast=NAME",
        *("collective", "bcast", *common, "reduce=binomial"),
    )
    refused(
        "--algorithm barrier=dissemination with --order hio; expected one of the two",
        *("collective", "barrier", "--order", "hio", *common, "barrier=dissemination"),
    )
    schedule = write(tmp_path, "one.goal", "num_ranks 1\nrank 0 {\na: calc 1\n}\n")
    refused(
        "an algorithm is chosen for bcast; a schedule, or unicasts in an order, has no collective"
        " operations, expected none",
        *("replay", schedule, *common, "bcast=binomial"),
    )


def test_the_commands_say_which_algorithms_were_taken(tmp_path: Path) -> None:
    network = tmp_path / "torus.json"
    weft.write_fabric(TORUS, network)
    common = ["--fabric", network, "--routing", "updown"]
    lines = ("allreduce 8 0 6", "allreduce 9000 0 6", "allreduce 9 0 6", "barrier")
    text = "".join(f"{rank} {line}\n" for line in lines for rank in range(4))
    path = write(tmp_path, "four.ti", text)
    page = tmp_path / "page.html"
    told = "recursive_doubling (2 of 3 calls) and reduce_scatter_allgather (1 of 3 calls)"
    ended = done("replay", path, *common, "--report", page)
    assert f"collectives  allreduce by {told}, barrier by dissemination\n" in ended.stdout
    assert f"allreduce by {told}, barrier by dissemination" in page.read_text()
    (run,) = done("replay", path, *common, "--json").document["runs"]
    assert run["collectives"] == [
        {"operation": "allreduce", "algorithm": "recursive_doubling", "calls": 2},
        {"operation": "allreduce", "algorithm": "reduce_scatter_allgather", "calls": 1},
        {"operation": "barrier", "algorithm": "dissemination", "calls": 1},
    ]
    timed = ["collective", "bcast", "--bytes", 12_288, *common]
    assert "  scatter_allgather  " in done(*timed).stdout
    (run,) = done(*timed, "--json").document["runs"]
    assert run["algorithm"] == "scatter_allgather"
    (run,) = done(*timed, "--order", "hio", "--json").document["runs"]
    assert run["algorithm"] == "unicasts, hio"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: weft.collective("allsum", 4), "found collective operation “allsum”"),
        (
            lambda f: weft.collective("bcast", 4, root=4),
            "root is 4; expected a whole number from 0 to 3",
        ),
        (lambda f: weft.multicast(f, "shi"), "found multicast “shi”; expected one of hio, ro"),
        (lambda f: weft.place_ranks(f, 17), "17 ranks on 16 hosts"),
        (lambda f: weft.read_trace("none.ti"), "none.ti: "),
        (lambda f: weft.read_trace("none.ti", flops_per_s=0), "flops_per_s is 0"),
    ],
)
def test_bad_input_is_refused(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(weft.InputError) as error:
        call(TORUS)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"region": "barrier"}, "region “barrier”: found no “..”"),
        ({"algorithms": {"barrier": "tree"}}, "barrier has no algorithm “tree”"),
        ({"messaging": {"packets": 1}}, "found parameter “packets” for the messaging layer"),
        (
            {"messaging": {"packet_bytes": 0}},
            "found “0” for parameter packet_bytes of the messaging",
        ),
        ({"hosts": [0, 1]}, "2 hosts are given for the 16 ranks of the program"),
        ({"nodes": [0, 1]}, "2 nodes are given for the 16 hosts of the fabric"),
        ({"hosts": [16] * 16}, "a host is 16; expected a whole number from 0 to 15"),
    ],
)
def test_replays_that_cannot_be_are_refused(options: dict[str, object], message: str) -> None:
    trace = weft.collective("barrier", 16)
    with pytest.raises(weft.InputError) as error:
        replayed(trace, **options)  # type: ignore[arg-type]
    assert str(error.value).startswith(message)


def test_more_ranks_than_hosts_are_refused(tmp_path: Path) -> None:
    small = tmp_path / "small.json"
    weft.write_fabric(weft.mesh(2, 2, hosts_per_switch=1), small)
    message = "16 ranks on 4 hosts (linear); expected a host for each rank"
    refused(message, "replay", RECORDED, "--fabric", small, "--routing", "updown")


def test_heads_count_one_as_one(tmp_path: Path) -> None:
    weft.write_fabric(weft.mesh(2, 2, hosts_per_switch=1), tmp_path / "net.json")
    one = write(tmp_path, "one.ti", "0 compute 5\n")
    ended = done("replay", one, "--fabric", tmp_path / "net.json", "--routing", "updown")
    assert ended.stdout.startswith(f"{one}: 1 rank\n")
    jobs = '[[jobs]]\nname = "a"\ncollective = "barrier"\nranks = 1\n'
    jobs = write(tmp_path, "one.toml", jobs)
    ended = done("jobs", tmp_path / "net.json", jobs, "--routing", "updown")
    assert ended.stdout.startswith(f"{jobs}: 1 job, 1 rank, on ")


def test_the_command_compares_networks(tmp_path: Path) -> None:
    mesh, torus_file = tmp_path / "mesh.json", tmp_path / "torus.json"
    weft.write_fabric(weft.mesh(4, 4, hosts_per_switch=1), mesh)
    weft.write_fabric(TORUS, torus_file)
    arguments = ["replay", RECORDED, "--region", TIMED, "--clock-ns", 850, "--routing", "updown"]
    arguments += ["--fabric", mesh, "--fabric", torus_file, "--messaging", "acknowledged=1"]
    ended = done(*arguments, "--json")
    first, second = ended.document["runs"]
    assert first["fabric"] != second["fabric"]
    assert first["computing_ns"] == second["computing_ns"]
    assert second["duration_ns"] < first["duration_ns"]
    shown = done(*arguments, "--ranks")
    assert f"{second['duration_ns'] / first['duration_ns']:.5f}" in shown.stdout


def test_the_command_times_collectives(tmp_path: Path) -> None:
    network = tmp_path / "torus.json"
    weft.write_fabric(TORUS, network)
    common = ["--fabric", network, "--routing", "updown", "--json"]
    barrier = command("collective", "barrier", *common).document["runs"][0]
    assert barrier["orders"] == 1
    assert barrier["mean_ns"] <= barrier["last_ns"]
    ordered = command("collective", "barrier", "--order", "ro", "--orders", 3, *common)
    run = ordered.document["runs"][0]
    assert (run["orders"], len(set(run["mean_ns_by_order"]))) == (3, 3)
    message = "--order ro with alltoall; expected barrier or bcast"
    refused(message, "collective", "alltoall", "--order", "ro", *common)
    # What nothing would come of is refused: all hosts take part, from the first on.
    for option, value in (("--ranks", 4), ("--root", 1), ("--placement", "random")):
        message = f"{option} says nothing with --order, which takes all hosts"
        refused(message, "collective", "bcast", "--order", "ro", option, value, *common)
    message = "--root says nothing for allreduce, which has no root"
    refused(message, "collective", "allreduce", "--root", 1, *common)
    for operation in ("bcast", "gather", "gatherv", "reduce", "scatter", "scatterv"):
        command("collective", operation, "--root", 1, "--ranks", 4, *common)


def test_the_command_says_what_a_timeline_shows_and_its_page_no_default(tmp_path: Path) -> None:
    network, times, page = (tmp_path / name for name in ("torus.json", "times.json", "page.html"))
    weft.write_fabric(TORUS, network)
    trace = tmp_path / "a.ti"
    trace.write_text("0 send 1 0 8 0\n1 recv 0 0 8 0\n")
    asked = ("replay", trace, "--fabric", network, "--routing", "updown", "--timeline", times)
    assert f"{times}: 2 ranks to the end" in command(*asked).stdout
    shown = command(*asked, "--routing", "dfs", "--report", page).stdout
    assert f"{times}: updown on {TORUS.name}: 2 ranks to the end" in shown
    assert "region = " not in page.read_text()


def test_what_is_announced_is_told_where_something_is(tmp_path: Path) -> None:
    path = tmp_path / "torus.json"
    weft.write_fabric(TORUS, path)
    common = ["--fabric", path, "--routing", "updown", "--hardware", "infiniband_hdr"]
    ring = ["collective", "allreduce", "--algorithm", "allreduce=ring", *common, "--bytes"]
    # 16 parts of 65,536 bytes each, or 16 more.
    quiet = done(*ring, 16 * 65_536).stdout
    assert "announced" not in quiet
    loud = done(*ring, 16 * 65_536 + 256).stdout.splitlines()
    assert loud[1] == (
        "announced  messages of more than 65,536 bytes (eager_bytes), sent when they are called for"
    )
    assert loud[2].split()[-3:] == ["announced", "called", "after"]
    run = done(*ring, 16 * 65_536 + 256, "--json").document["runs"][0]
    assert run["announced_messages"] == 16 * 30
    assert loud[-1].split()[-2:] == ["480", f"{run['mean_announced_wait_ns'] / 1000:.3f}"]
    run = done(*ring, 16 * 65_536, "--json").document["runs"][0]
    assert (run["announced_messages"], run["mean_announced_wait_ns"]) == (0, None)
    trace = write(tmp_path, "long.ti", "0 send 1 0 70000\n1 recv 0 0 70000\n")
    replay = ["replay", trace, *common]
    assert "\nannounced  messages of more than 65,536 bytes" in done(*replay).stdout
    unannounced = done(*replay, "--messaging", "eager_bytes=70000").stdout
    assert "(eager_bytes)" not in unannounced
    told = done(*replay, "--messaging", "eager_bytes=69999").stdout
    assert "messages of more than 69,999 bytes" in told
