"""Estimates of jobs beside one another by hand, and which hosts a job is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from command import done, refused
from command import weft as command

import weft
from weft.jobs import JobLoad, estimate_times, job_load

if TYPE_CHECKING:
    from pathlib import Path

TREE = weft.generate("k_ary_n_tree", k=4, n=2)
ROUTING = weft.route(TREE, "d_mod_k")
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


def load(times: list[float], steps_ns: float = 0.0) -> JobLoad:
    """Make what a job brings onto channels by the time that it takes there."""
    channel_ns = np.array(times)
    return JobLoad(channel_ns, channel_ns, steps_ns)


@pytest.mark.parametrize(
    ("loads", "starts", "expected"),
    [
        # Each has its own channel.
        ([load([100.0, 0.0]), load([0.0, 50.0])], [0, 0], [100, 50]),
        # Half a channel each until the shorter is over at 100, then half of the longer is left.
        ([load([100.0]), load([50.0])], [0, 0], [150, 100]),
        # The second begins when the first has 40 left: both take 80 more, then 10 are left.
        ([load([100.0]), load([50.0])], [0, 60], [140, 90]),
        # By itself the first keeps the channel busy half of its time: 2/3 of its speed each.
        ([load([100.0], 200.0), load([100.0])], [0, 0], [250, 150]),
        # Three, of which two share: the third is never slowed.
        (
            [load([60.0, 0.0]), load([60.0, 0.0]), load([0.0, 60.0])],
            [0, 0, 0],
            [120, 120, 60],
        ),
        # Whoever comes when all are over has the channel alone.
        ([load([10.0]), load([10.0])], [0, 500], [10, 10]),
    ],
)
def test_channels_are_shared_fairly(
    loads: list[JobLoad], starts: list[float], expected: list[float]
) -> None:
    assert estimate_times(loads, starts) == pytest.approx(expected)


def test_the_load_of_a_job_is_that_of_its_messages() -> None:
    job = weft.Job("it", weft.collective("bcast", 2, size_bytes=1000), [0, 4], repetitions=3)
    found = job_load(TREE, ROUTING, HDR, job)
    # Out of the host, up, down, into the other: 25 bytes/ns each.
    assert np.count_nonzero(found.channel_bytes) == 4
    assert set(found.channel_bytes.tolist()) == {0.0, 3000.0}
    assert found.channel_ns.max() == pytest.approx(3 * 1000 / 25)
    assert 3 * 1000 / 25 < found.steps_ns < 3 * 1000 / 25 + 3 * 4 * 100
    inside = job_load(TREE, ROUTING, HDR, job, nodes=[0] * 16)
    assert not inside.channel_bytes.any()


def test_steps_that_meet_on_a_cable_take_longer() -> None:
    away = weft.Job("away", EXCHANGE, [0, 4, 8, 12])
    # Routes to hosts 4 and 8 leave the first switch by the same cable, as do those to 12.
    beside = weft.Job("beside", EXCHANGE, [0, 1, 2, 3])
    loads = [job_load(TREE, ROUTING, HDR, job) for job in (away, beside)]
    assert loads[0].steps_ns >= loads[0].channel_ns.max() * 0.99
    assert loads[0].channel_ns.max() == loads[1].channel_ns.max(), "three messages out of each host"


def test_a_job_is_kept_off_the_cables_of_others() -> None:
    busy = weft.Job("busy", weft.collective("alltoall", 8, size_bytes=65_536), [*range(8)])
    found = weft.place_job(TREE, ROUTING, HDR, weft.Job("new", EXCHANGE, [0] * 4), [busy])
    best = found[0]
    assert set(best.hosts) <= set(range(8, 16))
    assert best.run is not None
    assert [job.job.name for job in best.run.jobs] == ["busy", "new"]
    assert [one.run is not None for one in found] == [True] * 3 + [False] * (len(found) - 3)
    costs = [one.simulated_cost_ns for one in found[:3]]
    assert costs == sorted(costs)
    estimates = [one.estimated_cost_ns for one in found[3:]]
    assert estimates == sorted(estimates)
    assert len({tuple(one.hosts) for one in found}) == len(found), "none twice"


def test_ranks_share_hosts_where_they_are_to() -> None:
    new = weft.Job("new", RING, [0] * 4)
    best = weft.place_job(TREE, ROUTING, HDR, new, per_host=2, drawn=0, simulated=0)[0]
    assert [best.hosts.count(host) for host in sorted(set(best.hosts))] == [2, 2]


def test_jobs_that_cannot_be_placed_are_refused() -> None:
    full = weft.Job("full", weft.collective("barrier", 14), [*range(14)])
    with pytest.raises(weft.InputError, match="4 ranks on 2 hosts that others have not"):
        weft.place_job(TREE, ROUTING, HDR, weft.Job("new", RING, [0] * 4), [full])
    with pytest.raises(weft.InputError, match="“full” runs already"):
        weft.place_job(TREE, ROUTING, HDR, full, [full])
    adaptive = weft.route(TREE, "minimal_adaptive")
    with pytest.raises(weft.RoutingError, match="the load of a job"):
        weft.place_job(TREE, adaptive, HDR, weft.Job("new", RING, [0] * 4))


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
