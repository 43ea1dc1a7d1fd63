"""Jobs beside one another: what each costs the others, by hand; files, placements, the command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command import done, refused
from command import weft as command
from timeline_files import read_tracks

import weft

if TYPE_CHECKING:
    from weft.jobs import JobsRun

#: Two switches with a cable between them, four hosts on each: 0 to 3, 4 to 7.
PAIR = weft.mesh(2, 1, hosts_per_switch=4)
OVER = weft.route(PAIR, "updown")
HDR = weft.hardware("infiniband_hdr")

TRACE = Path(__file__).parents[2] / "examples" / "is.S.16.ti.zst"

FILE = """
[[jobs]]
name = "one"
collective = "bcast"
bytes = "1MB"
ranks = 2

[[jobs]]
name = "other"
collective = "allreduce"
algorithm = "ring"
bytes = 65536
ranks = 3
start = "10us"
repetitions = 2
"""


def sends(name: str, source: int, destination: int, **settings: object) -> weft.Job:
    """Make a job of one message of a megabyte."""
    program = weft.collective("bcast", 2, size_bytes=1_000_000)
    return weft.Job(name, program, [source, destination], **settings)


def ran(*jobs: weft.Job, **settings: object) -> JobsRun:
    return weft.run_jobs(PAIR, OVER, HDR, jobs, **settings)


def written(folder: Path, text: str) -> Path:
    path = folder / "jobs.toml"
    path.write_text(text)
    return path


@pytest.fixture
def fabric_file(tmp_path: Path) -> Path:
    path = tmp_path / "pair.json"
    weft.write_fabric(PAIR, path)
    return path


def test_two_jobs_share_a_cable_half_and_half() -> None:
    first, second = ran(sends("first", 0, 4), sends("second", 1, 5)).jobs
    assert first.alone_ns == second.alone_ns
    # A megabyte takes 40 us of a cable of 25 bytes/ns, and headers.
    assert 40_000 < first.alone_ns < 44_000
    for run in (first, second):
        assert 1.9 < run.slowdown <= 2.0
        assert run.lost_ns == run.duration_ns - run.alone_ns
        assert len(run.shared) == 1
    cable = first.shared[0]
    assert cable.name == second.shared[0].name
    assert (cable.own_bytes, cable.others_bytes, cable.others) == (1e6, 1e6, ("second",))
    assert cable.most_wait_ns == pytest.approx(40_000)
    assert first.load is not None
    assert first.load.channel_bytes.sum() == 3e6, "out of a host, along the cable, into a host"


def test_jobs_whose_switches_choose_share_all_that_they_may_take() -> None:
    """From one of two leaves to the other, half of each message over each of two spines."""
    tree = weft.generate("xgft", m=[2, 2], w=[1, 2])
    jobs = [sends("one", 0, 2), sends("other", 1, 3)]
    run = weft.run_jobs(tree, weft.route(tree, "ar_ftree"), HDR, jobs)
    for job in run.jobs:
        assert [cable.own_bytes for cable in job.shared] == [500_000] * 4
        assert {cable.others_bytes for cable in job.shared} == {500_000}
        ends = {cable.name for cable in job.shared}
        assert len(ends) == 4
        assert not any("host" in name for name in ends)
    assert 0 <= run.replay.out_of_order_share < 1
    together = weft.run_jobs(tree, weft.route(tree, "ar_ftree"), HDR, jobs, alone=False)
    assert together.replay.out_of_order_share == run.replay.out_of_order_share
    assert together.replay.out_of_order_distance == run.replay.out_of_order_distance
    assert np.isnan(ran(sends("one", 0, 4)).replay.out_of_order_share)
    hashed = weft.hardware("infiniband_hdr", selection="hash")
    kept = weft.run_jobs(tree, weft.route(tree, "ar_ftree"), hashed, jobs).replay
    assert (kept.out_of_order_share, kept.out_of_order_distance) == (0, 0)


def test_jobs_that_share_no_cable_do_not_slow_each_other() -> None:
    ring = weft.collective("allreduce", 4, size_bytes=65536)
    jobs = [weft.Job("here", ring, [0, 1, 2, 3]), weft.Job("there", ring, [4, 5, 6, 7])]
    for run in ran(*jobs).jobs:
        assert (run.slowdown, run.lost_ns, run.shared) == (1.0, 0.0, [])
        assert run.parts_ns == run.alone_parts_ns


def test_what_each_other_costs_a_job_is_its_time_without_that_one() -> None:
    jobs = [sends("one", 0, 4), sends("other", 1, 5), sends("aside", 2, 3)]
    one, other, aside = ran(*jobs).jobs
    assert one.lost_to_ns == {"other": one.lost_ns, "aside": 0.0}
    assert one.lost_ns > 0.9 * one.alone_ns
    assert other.lost_to_ns == {"one": other.lost_ns, "aside": 0.0}
    assert aside.lost_to_ns == {"one": 0.0, "other": 0.0}
    pair = ran(*jobs[:2]).jobs[0]
    assert pair.lost_to_ns == {"other": pair.lost_ns}
    assert ran(*jobs, alone=False).jobs[0].lost_to_ns == {}
    # Three on a cable: without either of the others a job has half of it, not a third.
    third = ran(*jobs[:2], sends("third", 2, 6)).jobs[0]
    assert third.slowdown == pytest.approx(3, rel=0.05)
    for lost in third.lost_to_ns.values():
        assert lost == pytest.approx(third.alone_ns, rel=0.05)


def test_a_job_that_starts_when_the_other_is_over_loses_nothing() -> None:
    alone = ran(sends("first", 0, 4)).jobs[0].alone_ns
    found = ran(sends("first", 0, 4), sends("second", 1, 5, start_ns=100_000))
    first, second = found.jobs
    assert (first.end_ns, second.end_ns) == (alone, 100_000 + alone)
    assert (first.slowdown, second.slowdown) == (1.0, 1.0)
    assert found.end_ns == second.end_ns


def test_a_program_is_repeated_rank_by_rank() -> None:
    exchange = weft.collective("alltoall", 2, size_bytes=4096)
    once, thrice = (
        ran(weft.Job("it", exchange, [0, 4], repetitions=times)).jobs[0] for times in (1, 3)
    )
    assert thrice.duration_ns == pytest.approx(3 * once.duration_ns, rel=1e-12)
    assert once.load is not None
    assert thrice.load is not None
    assert thrice.load.channel_bytes.sum() == 3 * once.load.channel_bytes.sum()


def test_a_schedule_is_repeated_too(tmp_path: Path) -> None:
    path = tmp_path / "two.goal"
    path.write_text(
        "num_ranks 2\nrank 0 {\na: calc 1000\nb: send 64b to 1 tag 1\nb requires a\n"
        "c: calc 500\n}\n"
        "rank 1 {\nr: recv 64b from 0 tag 1\n}\n"
    )
    job = weft.Job("it", weft.read_trace(path), [0, 1], repetitions=4)
    replay = ran(job).replay
    assert (replay.end, replay.received_messages) == ("finished", 4)
    assert replay.computing_ns[0] == pytest.approx(4 * 1500, abs=8)


def test_jobs_on_one_host_share_its_adapter() -> None:
    first, second = ran(sends("first", 0, 1), sends("second", 0, 2)).jobs
    for run in (first, second):
        assert 1.9 < run.slowdown <= 2.01


def test_ranks_of_one_computer_speak_past_the_network() -> None:
    trace = weft.collective("alltoall", 4, size_bytes=1000)
    messaging = {"inner_ns": 500, "inner_gbit_per_s": 80}
    run = weft.replay(PAIR, OVER, HDR, trace, hosts=[0, 0, 5, 5], messaging=messaging)
    assert run.delivered_packets == 2 * 4, "of 12 messages 4 stay inside"
    together = weft.replay(PAIR, OVER, HDR, trace, nodes=[0] * 8, messaging=messaging)
    assert together.delivered_packets == 0
    # Three messages leave one after another at 10 bytes/ns, and the last takes 500 ns.
    assert together.duration_ns == pytest.approx(3 * 100 + 500, abs=5)


def test_traffic_beside_jobs_slows_them_and_does_not_keep_them() -> None:
    quiet = ran(sends("it", 0, 4)).jobs[0]
    traffic = weft.Traffic(load=0.2, payload_bytes=4096, seed=3)
    found = ran(sends("it", 0, 4), background=traffic)
    assert (found.replay.end, found.background) == ("finished", traffic)
    assert found.jobs[0].alone_ns == quiet.alone_ns
    assert found.jobs[0].slowdown > 1.05
    assert len(found.replay.finish_ns) == 2, "ranks of traffic are not told"
    assert quiet.shared == []
    assert found.jobs[0].lost_to_ns == {"background": found.jobs[0].lost_ns}
    with pytest.raises(weft.InputError, match="as traffic beside jobs"):
        ran(sends("background", 0, 4))
    for cable in found.jobs[0].shared:
        assert cable.others == ("background",)
        assert 0 < cable.most_wait_ns < found.jobs[0].duration_ns
    over = max(found.jobs[0].shared, key=lambda cable: cable.others_bytes)
    # Each of four hosts sends four of seven messages over the cable, in all a fifth of its link.
    rate = over.others_bytes / found.jobs[0].duration_ns / 25
    assert rate == pytest.approx(4 * 0.2 * 4 / 7, rel=0.25)
    timed = ran(sends("it", 0, 4), background=traffic, timeline=weft.TimelineDetail())
    timeline = timed.replay.timeline
    assert timeline is not None
    assert {span.rank for span in timeline.states} == {0, 1}
    assert {message.source for message in timeline.messages} == {0}


def test_what_failures_cost_is_told_and_nobody_else_is_blamed() -> None:
    """The cable fails for a while under one of two jobs on it, before the other begins."""
    jobs = [sends("one", 0, 4), sends("late", 1, 5, start_ns=400_000)]
    events = [weft.Fails(10_000, "sw0:5"), weft.Returns(60_000, "sw0:5")]
    retries = weft.Retries(20_000, 7)
    one, late = ran(*jobs, events=events, retries=retries).jobs
    assert one.lost_to_ns == {"late": 0.0, "events": one.lost_ns}
    assert one.lost_ns > 40_000
    assert late.lost_to_ns == {"one": 0.0, "events": 0.0}
    traffic = weft.Traffic(load=0.01, payload_bytes=4096, seed=3)
    (alone,) = ran(jobs[0], events=events, retries=retries, background=traffic).jobs
    assert alone.lost_to_ns["background"] < 20_000 < alone.lost_to_ns["events"]
    with pytest.raises(weft.InputError, match="as what happens to the network meanwhile"):
        ran(sends("events", 0, 4))


def test_ranks_of_jobs_are_told_by_job(tmp_path: Path, fabric_file: Path) -> None:
    """What waits for ever, what nobody receives, and who is who in a timeline."""
    text = "num_ranks 2\nrank 0 {{ send 8b to 1 tag 5 }}\nrank 1 {{ {} }}\n"
    for name, tag in (("gets", 5), ("waits", 6)):
        (tmp_path / f"{name}.goal").write_text(text.format(f"recv 8b from 0 tag {tag}"))
    entry = '[[jobs]]\nname = "{0}"\ntrace = "{0}.goal"\n'
    file = written(tmp_path, entry.format("gets") + entry.format("waits"))
    timeline = tmp_path / "jobs.json"
    call = ("jobs", fabric_file, file, "--routing", "updown", "--together-only")
    ended = command(*call, "--timeline", timeline)
    assert ended.code == 1
    waits = tmp_path / "waits.goal"
    assert f"{waits}:3: waits, rank 1 is receiving from rank 0 (tag 6)" in ended.stdout
    assert f"{waits}:2: 8 bytes of waits, rank 0 to rank 1 (tag 5)" in ended.stdout
    states = [track for track in read_tracks(timeline) if track.thread == "states"]
    assert [track.process for track in states] == [
        "gets, rank 0 (host host0)",
        "gets, rank 1 (host host1)",
        "waits, rank 0 (host host2)",
        "waits, rank 1 (host host3)",
    ]
    assert states[3].slices[0][2] == "waiting: receive from rank 0"
    events = tmp_path / "events.toml"
    events.write_text('[[event]]\nat = "1us"\nfails = "sw0:5"\n')
    crossing = written(tmp_path, FILE.replace("start", 'placement = "scattered"\nstart', 1))
    fails = command("jobs", fabric_file, crossing, *call[3:], "--events", events)
    assert "went with what failed; `retries` in a file of events" in fails.stdout
    file = written(tmp_path, entry.format("gets") + entry.format("waits"))
    (tmp_path / "waits.goal").write_text(text.format("calc 5"))
    unclaimed = command(*call)
    assert unclaimed.code == 1
    assert "as told: 1 message is never received:" in unclaimed.stdout


def test_a_job_without_an_end_is_told_before_it_is_beside_others(tmp_path: Path) -> None:
    path = tmp_path / "waits.goal"
    path.write_text("num_ranks 2\nrank 0 {\nr: recv 8b from 1 tag 5\n}\nrank 1 {\nc: calc 10\n}\n")
    job = weft.Job("waits", weft.read_trace(path), [0, 1])
    with pytest.raises(weft.InputError, match="“waits” does not come to its end by itself"):
        ran(sends("it", 2, 4), job)
    found = ran(sends("it", 2, 4), job, alone=False)
    assert found.replay.end == "blocked"
    assert np.isnan(found.jobs[1].end_ns)


def test_jobs_that_make_no_sense_are_refused() -> None:
    with pytest.raises(weft.InputError, match="no jobs are given"):
        ran()
    with pytest.raises(weft.InputError, match="2 jobs have the name “it”"):
        ran(sends("it", 0, 4), sends("it", 1, 5))
    with pytest.raises(weft.InputError, match="it: 3 hosts for 2 ranks"):
        weft.Job("it", weft.collective("barrier", 2), [0, 1, 2])
    with pytest.raises(weft.InputError, match="start_ns is -1"):
        sends("it", 0, 1, start_ns=-1)
    with pytest.raises(weft.InputError, match=r"start_ns is 1e\+18; expected 0 to 1e\+13"):
        sends("it", 0, 1, start_ns=1e18)


def test_placements_are_their_rules() -> None:
    place = weft.place_ranks
    assert place(PAIR, 3) == [0, 1, 2]
    assert place(PAIR, 3, "round_robin") == [0, 4, 1]
    assert place(PAIR, 3, "scattered") == [0, 1, 4]
    assert place(PAIR, 3, "packed", taken=[0, 1]) == [4, 5, 6], "where all find room"
    assert place(PAIR, 2, "packed", taken=[0, 1]) == [2, 3], "the fullest that has room"
    assert place(PAIR, 6, "packed", taken=[0]) == [4, 5, 6, 7, 1, 2]
    assert place(PAIR, 5, per_host=2, taken=[1]) == [0, 0, 2, 2, 3]
    assert place(PAIR, 8, "random", seed=2) == place(PAIR, 8, "random", seed=2)
    with pytest.raises(weft.InputError, match="6 ranks on 5 hosts that others have not"):
        place(PAIR, 6, taken=[0, 1, 2])


def test_adapters_of_a_computer_are_told_by_their_names() -> None:
    fabric = weft.read_fabric(Path(__file__).parents[2] / "examples/quantum.ibnetdiscover").fabric
    computers = weft.computer_of_host(fabric)
    assert len(computers) == fabric.host_count
    found = weft.find_computers(fabric).computers
    assert {len({computers[host] for host in computer.hosts}) for computer in found} == {1}
    others = fabric.host_count - sum(len(computer.hosts) for computer in found)
    assert len(set(computers)) == len(found) + others
    assert len(set(weft.computer_of_host(PAIR))) == PAIR.host_count, "where names say nothing"


def test_a_file_of_jobs_is_read_and_placed(tmp_path: Path) -> None:
    told = weft.read_jobs(written(tmp_path, FILE), PAIR)
    one, other = told.jobs
    assert (one.name, one.ranks, list(one.hosts)) == ("one", 2, [0, 1])
    assert (other.start_ns, other.repetitions, list(other.hosts)) == (10_000, 2, [2, 3, 4])
    assert other.algorithms == {"allreduce": "ring"}
    assert told.background is None
    scattered = told.placed("scattered")
    assert [list(job.hosts) for job in scattered.jobs] == [[0, 4], [1, 2, 5]]


def test_a_trace_in_a_file_of_jobs_takes_algorithms(tmp_path: Path) -> None:
    """Each of them with its parameters, commas between both."""
    line = 'algorithms = "allreduce=ring:channels=2,chunk_bytes=0, alltoallv=pairwise"'
    path = written(tmp_path, f'[[jobs]]\nname = "is"\ntrace = "{TRACE}"\nper_host = 2\n{line}\n')
    (job,) = weft.read_jobs(path, PAIR).jobs
    ring = "ring:channels=2,chunk_bytes=0"
    assert job.algorithms == {"allreduce": ring, "alltoallv": "pairwise"}


def test_jobs_exchange_as_experts_do(tmp_path: Path) -> None:
    """By a matrix, or so that the largest share is so many times the mean."""
    (tmp_path / "m.csv").write_text("from,to,bytes\n0,1,5000\n2,0,9000\n")
    head = '[[jobs]]\nname = "{}"\ncollective = "alltoallv"\nranks = 4\n'
    skewed = 'bytes = "1MB"\nskew = 2.5\nseed = 3\n'
    text = head.format("told") + 'matrix = "m.csv"\n' + head.format("drawn") + skewed
    jobs = weft.read_jobs(written(tmp_path, text), PAIR).jobs
    loads = [weft.jobs.job_load(PAIR, OVER, HDR, job).channel_bytes for job in jobs]
    into_hosts = ~PAIR.is_switch_channel
    assert sorted(loads[0][into_hosts])[-4:] == [5000, 5000, 9000, 9000]
    # Each of the others gives a rank its share of four, of 1 MB on average.
    assert max(loads[1][into_hosts]) == pytest.approx(3 * 2.5e6, rel=1e-6)
    for old, new, error in [
        ("alltoallv", "alltoall", "matrix: expected it of alltoallv alone"),
        ("skew = 2.5", "skew = 2.5\nzipf = 1", "found zipf and skew, expected one"),
        ("m.csv", 'm.csv"\nbytes = "1', "found matrix and bytes, expected one of them"),
        ("skew = 2.5", "skew = 4", "skew is 4.0; expected 1 to less than the 4 ranks"),
        ("skew = 2.5", "skew = true", "skew is True, expected a number"),
        ("m.csv", "n.csv", "n.csv: no such file"),
    ]:
        with pytest.raises(weft.InputError, match=error):
            weft.read_jobs(written(tmp_path, text.replace(old, new, 1)), PAIR)


def test_jobs_that_name_their_hosts_are_placed_first(tmp_path: Path) -> None:
    names = PAIR.host_names
    text = FILE + f'hosts = ["{names[7]}", "{names[0]}"]\nper_host = 2\n'
    text += '[background]\nload = "5%"\nmessage = "2KiB"\npattern = "uniform"\n'
    told = weft.read_jobs(written(tmp_path, text), PAIR).placed("packed")
    assert [list(job.hosts) for job in told.jobs] == [[1, 2], [7, 7, 0]]
    assert told.background == weft.Traffic(load=0.05, payload_bytes=2048)


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ('name = "one"', "", "job 1: name is missing, expected a name"),
        ('name = "one"', 'name = "other"', "2 jobs have the name “other”"),
        ('collective = "bcast"', "", "expected one of trace and collective"),
        ('collective = "bcast"', 'collective = "bcst"', "did you mean bcast"),
        ('collective = "bcast"', 'trace = "none.ti"', "found “bytes”, expected one of adapters"),
        ("ranks = 2", "", "ranks is missing"),
        ("ranks = 2", "ranks = 0", "ranks is 0, expected a whole number of 1 or more"),
        ("ranks = 2", "ranks = true", "ranks is True"),
        ("ranks = 2", "ranks = 9", "9 ranks on 8 hosts"),
        ("ranks = 2", 'ranks = 2\nalgorithm = "rng"', "algorithm: found “rng”"),
        ("ranks = 2", 'ranks = 2\nalgorithm = "chain:chanels=2"', "did you mean “channels”"),
        ("ranks = 2", 'ranks = 2\nalgorithm = "chain:channels=0"', "from 1 to 64"),
        (
            "ranks = 2",
            'ranks = 2\nalgorithm = "chain:per_node=3"',
            "bcast by chain has 3 ranks a node",
        ),
        ("ranks = 2", 'ranks = 2\nplacement = "packd"', "did you mean packed"),
        ("ranks = 2", 'ranks = 2\nplacment = "packed"', "did you mean placement"),
        ("ranks = 2", 'ranks = 2\nhosts = ["nobody"]', "found 'nobody'"),
        ("ranks = 2", "ranks = 2\nhosts = []", "expected a list of names"),
        ('"1MB"', '"1MX"', "job 1 (“one”): bytes: found “1MX”"),
        ('"10us"', "[1]", "start is [1], expected a time"),
        ('"10us"', '"-1us"', "start is '-1us', expected a time from 0 to 10,000 s"),
        ('"10us"', '"1e9s"', "start is '1e9s', expected a time from 0 to 10,000 s"),
        ("repetitions = 2", "repetitions = 0", "repetitions is 0"),
        ("repetitions = 2", f"repetitions = {2**32}", "job 2 (“other”): repetitions is 4294967296"),
        (
            'collective = "bcast"\nbytes = "1MB"\nranks = 2',
            'trace = "none.ti"',
            "none.ti: no such file",
        ),
        (
            'collective = "bcast"\nbytes = "1MB"\nranks = 2',
            f'trace = "{TRACE}"\nper_host = 16\nregion = "bcast..end"',
            "job 1 (“one”): region: the region begins or ends at “end”",
        ),
        (
            'collective = "bcast"\nbytes = "1MB"\nranks = 2',
            f'trace = "{TRACE}"\nper_host = 16\nalgorithms = "alltoallv=pairwise, allreduce=rng"',
            "job 1 (“one”): algorithms: found “rng”",
        ),
        (
            'collective = "bcast"\nbytes = "1MB"\nranks = 2',
            f'trace = "{TRACE}"\nper_host = 16\nalgorithms = "allreduce=ring:channels=4,chunk=0"',
            "job 1 (“one”): algorithms: found parameter “chunk” for allreduce by ring",
        ),
        ("[[jobs]]", "[background]\nlaod = 1\n[[jobs]]", "did you mean load"),
        ("[[jobs]]", "[background]\n[[jobs]]", "load is missing"),
        ("[[jobs]]", '[background]\nload = "200%"\n[[jobs]]', "background: load is 2"),
        ("[[jobs]]", '[background]\nload = 0.5\nseed = "x"\n[[jobs]]', "background: seed is 'x'"),
        ("[[jobs]]", "[[job]]", "did you mean jobs"),
        ('"other"', '"background"', "job 2 (“background”): traffic beside jobs has this name"),
    ],
)
def test_bad_files_of_jobs_name_job_and_key(tmp_path: Path, old: str, new: str, error: str) -> None:
    path = written(tmp_path, FILE.replace(old, new, 1))
    with pytest.raises(weft.InputError) as raised:
        weft.read_jobs(path, PAIR)
    assert error in str(raised.value)
    assert str(raised.value).count(str(path)) == 1


def test_the_command_compares_routings_and_placements(tmp_path: Path, fabric_file: Path) -> None:
    page, timeline = tmp_path / "jobs.html", tmp_path / "jobs.json"
    call = ("jobs", fabric_file, written(tmp_path, FILE), "--hardware", "infiniband_hdr")
    both = ("--placement", "packed", "--placement", "scattered", "--routing", "updown")
    ended = done(*call, *both, "--report", page, "--timeline", timeline)
    lines = ended.stdout.splitlines()
    assert sum(line.startswith("updown") for line in lines) == 4
    assert "Take updown, placed packed: by updown, placed scattered, jobs take" in ended.stdout
    text = page.read_text()
    assert "Where jobs wait for each other" in text
    assert "Hardware infiniband_hdr, links " in text
    assert "<svg" in text
    assert timeline.read_text().startswith("{")
    document = command(*call, *both, "--json").document
    assert [run["placement"] for run in document["runs"]] == ["packed", "scattered"]
    packed, scattered = (run["jobs"] for run in document["runs"])
    assert [job["slowdown"] for job in packed] == [1.0, 1.0]
    assert all(job["slowdown"] > 1 for job in scattered)
    assert scattered[0]["shared_cables"][0]["others"] == ["other"]


def test_the_command_refuses_what_cannot_be(tmp_path: Path, fabric_file: Path) -> None:
    path = written(tmp_path, FILE.replace("ranks = 3", "ranks = 7"))
    refused("job 2 (“other”): 7 ranks on 6 hosts", "jobs", fabric_file, path, "--routing", "updown")
