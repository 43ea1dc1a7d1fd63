"""How long jobs take whichever came a moment sooner, and which hosts a job is given."""

from __future__ import annotations

import _thread
import threading
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command import done, refused
from command import weft as command

import weft
from weft.errors import Cancelled
from weft.jobs import job_load, job_times
from weft.placement import PLACEMENTS

if TYPE_CHECKING:
    from pathlib import Path

TREE = weft.generate("k_ary_n_tree", k=4, n=2)
ROUTING = weft.route(TREE, "d_mod_k")
#: Two groups of four computers that have an adapter on each of four rails.
RAILS = weft.generate("rail_tree", units=2, computers=4, rails=4, planes=1, spines=1, links=1)
HDR = weft.hardware("infiniband_hdr")
RING = weft.collective("allreduce", 4, size_bytes=262_144)
EXCHANGE = weft.collective("alltoall", 4, size_bytes=65_536)

FILE = """
[[jobs]]
name = "runs"
collective = "alltoall"
bytes = "64KiB"
ranks = 6
hosts = ["host0", "host1", "host4", "host5", "host8", "host9"]

[[jobs]]
name = "new"
collective = "alltoall"
bytes = "64KiB"
ranks = 4
"""


#: Two that meet on cables, and start when they are told to.
MEETING = [
    weft.Job("one", EXCHANGE, [0, 4, 8, 12], start_ns=3000.0, repetitions=8),
    weft.Job("other", EXCHANGE, [1, 5, 9, 13], repetitions=9),
]


def test_the_first_run_is_as_told_and_others_start_a_moment_later() -> None:
    times = job_times(TREE, ROUTING, HDR, MEETING)
    assert times.is_in_full
    assert len(times.runs_ns) == 4
    told = weft.run_jobs(TREE, ROUTING, HDR, MEETING, alone=False)
    assert times.runs_ns[0] == [job.duration_ns for job in told.jobs]
    assert len({tuple(run) for run in times.runs_ns}) == 4, "who comes first is another each time"
    assert times.mean_ns == pytest.approx(np.mean(times.runs_ns, axis=0))
    costs = [np.sqrt(one * other) for one, other in times.runs_ns]
    assert times.cost_ns == pytest.approx(np.mean(costs))
    assert times.spread == pytest.approx(np.std(costs, ddof=1) / np.mean(costs))
    assert 0 < times.spread < 0.05
    assert job_times(TREE, ROUTING, HDR, MEETING) == times


def test_less_work_is_fewer_runs_then_a_part_of_one_then_longer_packets() -> None:
    full = job_times(TREE, ROUTING, HDR, MEETING)
    work = weft.run_jobs(TREE, ROUTING, HDR, MEETING, alone=False).replay.course.work
    # Thought to be 8 for each of 12 messages of 16 packets, 17 times; half of that says what all
    # would, and a fifth of it is enough.
    enough = 17 * 12 * 16 * 8 // 10
    shortened = {}
    for most, runs, longer, is_cut in (
        (40 * work, 16, 1, False),
        (4 * work, 4, 1, False),
        (2 * work, 2, 1, False),
        (work, 1, 1, False),
        (work // 2, 1, 1, True),
        (enough + 1, 1, 1, True),
        (enough - 1, 1, 2, True),
        (enough // 2 - 1, 1, 4, True),
        (1, 1, 256, False),
    ):
        times = job_times(TREE, ROUTING, HDR, MEETING, most_work=most)
        assert (len(times.runs_ns), times.packets_as_one) == (runs, longer)
        assert (times.simulated_share < 1) == is_cut
        assert times.is_in_full == (most >= 4 * work)
        shortened[most] = times
    assert shortened[work].runs_ns == full.runs_ns[:1]
    assert shortened[40 * work].runs_ns[:4] == full.runs_ns
    for times in shortened.values():
        # Packets as long as messages still share cables as those do.
        assert times.cost_ns == pytest.approx(full.cost_ns, rel=0.1)


def test_jobs_under_way_are_taken_to_go_on_as_fast_and_others_have_their_ends() -> None:
    jobs = [
        weft.Job("long", EXCHANGE, [0, 4, 8, 12], repetitions=60),
        weft.Job("short", RING, [2, 3, 6, 7]),
        weft.Job("late", EXCHANGE, [1, 5, 9, 13], start_ns=200_000.0, repetitions=50),
    ]
    replay = weft.run_jobs(TREE, ROUTING, HDR, jobs, alone=False).replay
    whole = job_times(TREE, ROUTING, HDR, jobs)
    part = job_times(TREE, ROUTING, HDR, jobs, most_work=replay.course.work // 3)
    assert 0.3 < part.simulated_share < 0.7
    assert part.runs_ns[0][1] == whole.runs_ns[0][1]
    assert part.runs_ns[0] == pytest.approx(whole.runs_ns[0], rel=0.05)
    assert part.runs_ns[0][::2] != whole.runs_ns[0][::2]


def test_a_run_goes_on_to_its_end_where_a_job_has_received_nothing_yet() -> None:
    jobs = [*MEETING, weft.Job("after them", RING, [2, 3, 6, 7], start_ns=1e9)]
    times = job_times(TREE, ROUTING, HDR, jobs, most_work=10_000)
    assert (times.simulated_share, times.packets_as_one) == (1, 1)
    told = weft.run_jobs(TREE, ROUTING, HDR, jobs, alone=False)
    assert times.runs_ns == [[job.duration_ns for job in told.jobs]]


def test_a_job_without_an_end_costs_more_than_any() -> None:
    waits = weft.Program(2)
    waits.receive(0, 1, 8)
    endless = job_times(TREE, ROUTING, HDR, [weft.Job("it", waits.trace(), [0, 1])])
    assert endless.cost_ns == float("inf")
    assert np.isnan(endless.spread)


@pytest.mark.parametrize("preset", ["myrinet", "rhinet2", "infiniband_1x"])
def test_packets_go_as_one_on_any_hardware(preset: str) -> None:
    machine = weft.hardware(preset)
    job = weft.Job("it", weft.collective("alltoall", 4, size_bytes=65_536), [0, 1, 4, 5])
    full = job_times(TREE, ROUTING, machine, [job])
    times = job_times(TREE, ROUTING, machine, [job], most_work=180)
    assert times.packets_as_one in {4, 8}
    assert times.cost_ns == pytest.approx(full.cost_ns, rel=0.25)


def test_what_is_beside_jobs_costs_them() -> None:
    job = [weft.Job("it", EXCHANGE, [0, 4, 8, 12])]
    beside = weft.Traffic(load=0.3, payload_bytes=4096)
    without = job_times(TREE, ROUTING, HDR, job)
    assert job_times(TREE, ROUTING, HDR, job, background=beside).cost_ns > 1.1 * without.cost_ns


def test_the_load_of_a_job_is_that_of_its_messages() -> None:
    job = weft.Job("it", weft.collective("bcast", 2, size_bytes=1000), [0, 4], repetitions=3)
    found = job_load(TREE, ROUTING, HDR, job)
    # Out of the host, up, down, into the other: 25 bytes/ns each.
    assert np.count_nonzero(found.channel_bytes) == 4
    assert set(found.channel_bytes.tolist()) == {0.0, 3000.0}
    assert found.channel_ns.max() == pytest.approx(3 * 1000 / 25)
    inside = job_load(TREE, ROUTING, HDR, job, nodes=[0] * 16)
    assert not inside.channel_bytes.any()


def test_a_job_is_kept_off_the_cables_of_others() -> None:
    busy = weft.Job("busy", weft.collective("alltoall", 8, size_bytes=65_536), [*range(8)])
    found = weft.place_job(TREE, ROUTING, HDR, weft.Job("new", EXCHANGE, [0] * 4), [busy])
    assert set(found[0].hosts) <= set(range(8, 16))
    assert all(one.times.is_in_full for one in found), "a few packets"
    costs = [one.times.cost_ns for one in found]
    assert costs == sorted(costs)
    jobs = [weft.Job("new", EXCHANGE, found[0].hosts), busy]
    assert found[0].times == job_times(TREE, ROUTING, HDR, jobs, most_work=7_500_000)
    assert len({tuple(one.hosts) for one in found}) == len(found), "none twice"


def test_the_best_of_what_was_shortened_are_simulated_in_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("weft.jobs.placing._ESTIMATE_WORK", 100_000)
    busy = weft.Job("busy", RING, [0, 1, 4, 5], repetitions=50)
    new = weft.Job("new", RING, [0] * 4, repetitions=50)
    found = weft.place_job(TREE, ROUTING, HDR, new, [busy], drawn=1, simulated=1)
    assert [one.times.is_in_full for one in found] == [True] + [False] * (len(found) - 1)
    assert all(0 < one.times.simulated_share < 1 for one in found[1:])


#: Beside a job of one repetition it is not shortened.
LONG = [
    weft.Job("long", EXCHANGE, [0, 1, 4, 5], repetitions=20_000),
    weft.Job("once", RING, [2, 3, 6, 7]),
]


def test_an_interrupt_ends_the_runs_of_all_placements() -> None:
    cancel = weft.Cancel()

    def interrupt() -> None:
        while not any(one.name.startswith("weft-placement") for one in threading.enumerate()):
            time.sleep(0.01)
        _thread.interrupt_main()

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        weft.place_job(
            TREE, ROUTING, HDR, weft.Job("new", RING, [0] * 4), LONG, drawn=0, cancel=cancel
        )
    assert cancel.is_cancelled


def test_a_cancel_ends_the_runs_of_all_placements() -> None:
    cancel = weft.Cancel()
    cancel.cancel()
    with pytest.raises(Cancelled):
        weft.place_job(TREE, ROUTING, HDR, weft.Job("new", RING, [0] * 4), LONG, cancel=cancel)


def test_ranks_share_hosts_where_they_are_to() -> None:
    new = weft.Job("new", RING, [0] * 4)
    best = weft.place_job(TREE, ROUTING, HDR, new, per_host=2, drawn=0, simulated=0)[0]
    assert [best.hosts.count(host) for host in sorted(set(best.hosts))] == [2, 2]


@pytest.mark.parametrize("rule", PLACEMENTS)
def test_the_adapters_of_a_rank_are_of_one_computer(rule: str) -> None:
    """Of a computer with three free adapters a rank of two has two, and nobody the third."""
    hosts = weft.place_ranks(RAILS, 13, rule, adapters=2, taken=[0, 1])
    of_host = weft.computer_of_host(RAILS)
    pairs = list(zip(hosts[::2], hosts[1::2], strict=True))
    assert all(of_host[one] == of_host[other] for one, other in pairs)
    assert len(set(hosts)) == 26
    with pytest.raises(weft.WeftError, match="15 ranks with 2 adapters each on 28 hosts that"):
        weft.place_ranks(RAILS, 15, rule, adapters=2, taken=[0, 1])


def test_jobs_are_given_whole_computers() -> None:
    """Eight ranks have the four adapters of two computers each, wherever these are."""
    job = weft.Job("new", weft.collective("allgather", 8), [0] * 8)
    of_host = weft.computer_of_host(RAILS)
    taken = weft.Job("runs", EXCHANGE, weft.place_ranks(RAILS, 4, "by_computer"))
    found = weft.place_job(RAILS, weft.route(RAILS, "updown"), HDR, job, [taken], simulated=0)
    assert len(found) > 3
    for placed in found:
        halves = (placed.hosts[:4], placed.hosts[4:])
        assert [len({of_host[host] for host in half}) for half in halves] == [1, 1]


def test_jobs_that_cannot_be_placed_are_refused() -> None:
    full = weft.Job("full", weft.collective("barrier", 14), [*range(14)])
    with pytest.raises(weft.InputError, match="4 ranks on 2 hosts that others have not"):
        weft.place_job(TREE, ROUTING, HDR, weft.Job("new", RING, [0] * 4), [full])
    with pytest.raises(weft.InputError, match="“full” runs already"):
        weft.place_job(TREE, ROUTING, HDR, full, [full])
    waits = weft.Program(2)
    waits.receive(0, 1, 8)
    with pytest.raises(weft.InputError, match="do not come to their ends, wherever"):
        weft.place_job(TREE, ROUTING, HDR, weft.Job("new", waits.trace(), [0] * 2))


def test_packets_that_choose_their_way_are_placed_too() -> None:
    adaptive = weft.route(TREE, "minimal_adaptive")
    found = weft.place_job(TREE, adaptive, HDR, weft.Job("new", RING, [0] * 4), drawn=0)
    assert found[0].hosts == [0, 1, 2, 3]


def test_the_command_tells_batch_systems(tmp_path: Path) -> None:
    fabric, jobs = tmp_path / "tree.json", tmp_path / "jobs.toml"
    weft.write_fabric(TREE, fabric)
    jobs.write_text(FILE)
    hosts, blocks, labels = (tmp_path / name for name in ("new.hosts", "blocks.conf", "labels"))
    call = ("place", fabric, jobs, "new", "--routing", "d_mod_k", "--hardware", "infiniband_hdr")
    written = ("-o", hosts, "--blocks", blocks, "--labels", labels)
    ended = done(*call, *written)
    assert "new: 4 ranks on " in ended.stdout
    assert "packed is best: --nodelist=host[12-15]" in ended.stdout
    assert hosts.read_text().split() == ["host12", "host13", "host14", "host15"]
    placed = weft.place_ranks(TREE, 4, str(hosts))
    assert placed == [12, 13, 14, 15], "as --placement takes it"
    assert "BlockName=block1 Nodes=host[0-3]\n" in blocks.read_text()
    assert labels.read_text().splitlines()[0].startswith("host12 weft/job=new weft/switch=")
    document = command(*call, "--json").document
    assert document["nodelist"] == "host[12-15]"
    assert document["placements"][0]["placement"] == "packed"
    refused(
        "found no job “old”, expected one of runs, new", "place", fabric, jobs, "old", *call[4:]
    )


def test_the_order_of_ranks_is_told_where_a_list_of_nodes_has_another(tmp_path: Path) -> None:
    """Ranks that are four apart have a switch for two of them when they go round the switches."""
    fabric, jobs, file = (tmp_path / name for name in ("tree.json", "jobs.toml", "hostfile"))
    weft.write_fabric(TREE, fabric)
    program = weft.Program(8)
    for rank in range(8):
        program.send(rank, (rank + 4) % 8, 1 << 16)
        program.receive((rank + 4) % 8, rank, 1 << 16)
    program.write_goal(tmp_path / "pairs.goal")
    taken = ", ".join(f'"host{host}"' for host in range(16) if host % 4 > 1)
    text = '[[jobs]]\nname = "runs"\ncollective = "barrier"\nranks = 8\nhosts = [{}]\n'
    jobs.write_text(text.format(taken) + '[[jobs]]\nname = "new"\ntrace = "pairs.goal"\n')
    call = ("place", fabric, jobs, "new", "--routing", "d_mod_k", "--hardware", "infiniband_hdr")
    ended = done(*call, "--drawn", "0", "--hostfile", file)
    best, told = ended.stdout.splitlines()[-2:]
    assert best == "round_robin is best: --nodelist=host[0-1,4-5,8-9,12-13]"
    assert told == "Slurm orders ranks by names of nodes; --hostfile FILE keeps the order simulated"
    assert file.read_text().split() == [f"host{n}" for n in (0, 4, 8, 12, 1, 5, 9, 13)]


def test_a_job_without_any_time_is_placed_too() -> None:
    alone = weft.Job("new", weft.collective("barrier", 1), [0])
    beside = weft.Job("runs", RING, [0, 4, 8, 12])
    found = weft.place_job(TREE, ROUTING, HDR, alone, [beside], drawn=0, simulated=0)
    # A start between two cycles is at one of them.
    assert all(placed.times.mean_ns[0] < HDR.cycle_ns for placed in found)
    assert found[0].times.cost_ns == pytest.approx(found[0].times.mean_ns[1] ** 0.5, rel=1e-3)
