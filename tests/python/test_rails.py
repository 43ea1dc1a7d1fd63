"""Computers with an end on several rails, and files that hold several networks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from command import done, refused

import weft
from weft import _core
from weft.errors import StudyError
from weft.fabric import one_network
from weft.report.audit import render_audit
from weft.study import read_study

if TYPE_CHECKING:
    from pathlib import Path


def _machine(*, spines: int = 1, apart: bool = False, lids: bool = False) -> dict[str, Any]:
    """Two rails of two leaves, each with two computers, under shared spines or own ones."""
    planes = ["1", "2"] if apart else ["12"]
    names = [f"leaf{rail}{rack}" for rail in "12" for rack in "ab"]
    tops = [f"spine{plane}-{number}" for plane in planes for number in range(spines)]
    hosts, links = [], []
    for rail in "12":
        for rack in "ab":
            for computer in "xy":
                name = f"{rack}{computer} mlx5_{int(rail) - 1}"
                hosts.append({"name": name})
                place = len([link for link in links if f"leaf{rail}{rack}" in str(link)]) + 1
                links.append({"ends": [[name, 1], [f"leaf{rail}{rack}", place]]})
    for plane in planes:
        below = [leaf for leaf in names if leaf[4] in plane]
        for number in range(spines):
            for place, leaf in enumerate(below, start=1):
                links.append({"ends": [[leaf, 3 + number], [f"spine{plane}-{number}", place]]})
    switches = [{"name": name, "ports": 9} for name in [*names, *tops]]
    if lids:
        for plane in planes:
            nodes = [node for node in [*switches, *hosts] if _is_of(node["name"], plane)]
            for lid, node in enumerate(nodes, start=1):
                node["lid"] = lid
    return {"format": "weft-fabric", "version": 1, "name": "rails", "switches": switches} | {
        "hosts": hosts,
        "links": links,
    }


def _is_of(name: str, plane: str) -> bool:
    digits = [sign for sign in name.replace("mlx5", "") if sign.isdigit()]
    return str(int(digits[0]) + ("_" in name)) in plane


def _read(document: dict[str, Any]) -> weft.Fabric:
    fabric, *_ = _core.read_fabric(json.dumps(document).encode(), "rails")
    return fabric


def test_rails_are_judged_by_themselves_and_at_once() -> None:
    """Each of 8 ends sends x/7 to each other: 2·6·x/7 leave a leaf by its one link up, so 7/12; the
    4 of a rail send x/3 each: 2·2·x/3, so 3/4, and rails share no link.
    """
    fabric = _read(_machine())
    found = weft.find_computers(fabric)
    assert [computer.name for computer in found.computers] == ["ax", "ay", "bx", "by"]
    assert [rail.switches for rail in found.rails] == [["leaf1a", "leaf1b"], ["leaf2a", "leaf2b"]]
    assert not any(rail.is_apart for rail in found.rails)
    assert found.against_rails == []
    judged = weft.judge(fabric, weft.route(fabric, "updown"), rails=found.rails, count=4)
    assert judged.uniform_share == pytest.approx(7 / 12)
    assert judged.rail_shares == pytest.approx([3 / 4, 3 / 4])
    assert judged.rails_at_once_share == pytest.approx(3 / 4)


def test_an_exchange_by_rails_stays_on_them() -> None:
    """Of 8 ranks on 4 computers each sends to the 3 on its rail elsewhere, for both of its own."""
    fabric = _read(_machine(spines=2))
    hosts = weft.place_ranks(fabric, 8, "by_computer")
    names = [fabric.host_names[host] for host in hosts]
    assert names == [
        f"{computer} mlx5_{rail}" for computer in ("ax", "ay", "bx", "by") for rail in (0, 1)
    ]
    assert weft.place_ranks(fabric, 3, "by_computer", taken=hosts[:3]) == hosts[3:6]
    trace = weft.collective("alltoall", 8, size_bytes=512)
    found = {
        algorithm: weft.replay(
            fabric,
            weft.route(fabric, "updown"),
            weft.hardware("infiniband_edr"),
            trace,
            hosts=hosts,
            nodes=weft.computer_of_host(fabric),
            messaging={"inner_gbit_per_s": 3600.0, "inner_ns": 500.0},
            algorithms={"alltoall": algorithm},
        )
        for algorithm in ("pxn:per_node=2", "pxn:per_node=2,aggregate=1", "pairwise")
    }
    counts = [(run.sent_messages, run.delivered_packets) for run in found.values()]
    assert counts == [(8 * 7, 8 * 3), (8 * 4 + 8 * 6, 8 * 6), (8 * 7, 8 * 6)]
    assert all(run.end == "finished" for run in found.values())


def test_the_page_of_an_audit_has_the_rails() -> None:
    fabric = _read(_machine())
    page = render_audit(weft.audit(fabric, alternatives=["updown"], count=4))
    assert "<h3>Within rails</h3>" in page
    for rail in ("Rail 1", "Rail 2", "All at once"):
        assert page.count(f'<td data-label="{rail}" class="number">75 %</td>') == 1
    plain = render_audit(weft.audit(weft.torus(2, 2), alternatives=["updown"], count=4))
    assert "Within rails" not in plain


def test_rails_at_once_share_what_they_share() -> None:
    """Both rails through one trunk of one link between two switches: 2·(2·2·x/3) = 1."""
    document = _machine()
    document["switches"] = [{"name": "left", "ports": 9}, {"name": "right", "ports": 9}]
    document["links"] = [{"ends": [["left", 9], ["right", 9]]}]
    for number, host in enumerate(document["hosts"]):
        side = "left" if host["name"][0] == "a" else "right"
        document["links"].append({"ends": [[host["name"], 1], [side, 1 + number]]})
    fabric = _read(document)
    assert weft.find_computers(fabric).rails == []  # Both adapters on one switch: no rails.
    rails = [
        weft.Rail(
            [], [], [n for n, name in enumerate(fabric.host_names) if name[-1] == end], 0, False
        )
        for end in "01"
    ]
    judged = weft.judge(fabric, weft.route(fabric, "updown"), rails=rails, count=4)
    assert judged.rail_shares == pytest.approx([3 / 4, 3 / 4])
    assert judged.rails_at_once_share == pytest.approx(3 / 8)


def test_uniform_counts_those_that_take_part() -> None:
    """Two switches joined by one link, two hosts on each: 2·2·x/3 = 1, service ends or none; of two
    hosts across, or of three, one route each way or two at half the rate: 1.
    """
    document = _machine()
    document["switches"] = [{"name": "left", "ports": 9}, {"name": "right", "ports": 9}]
    document["hosts"] = [{"name": name} for name in ("a", "b", "c", "d", "manager")]
    document["links"] = [
        {"ends": [["left", 9], ["right", 9]]},
        *({"ends": [[name, 1], ["left", 1 + n]]} for n, name in enumerate("ab")),
        *({"ends": [[name, 1], ["right", 1 + n]]} for n, name in enumerate("cd")),
        {"ends": [["manager", 1], ["left", 5]]},
    ]
    fabric = weft.mark_ends(_read(document), service=["manager"])
    routing = weft.route(fabric, "updown")

    def uniform(hosts: list[int] | None) -> float | None:
        return weft.judge(fabric, routing, hosts=hosts, count=4).uniform_share

    assert uniform(None) == pytest.approx(3 / 4)
    assert uniform([0, 2]) == 1.0
    assert uniform([0, 1, 2]) == pytest.approx(1.0)
    assert uniform([0, 1, 2, 3]) == pytest.approx(3 / 4)
    assert weft.audit(fabric, routing, alternatives=[], count=4).hosts == ["a", "b", "c", "d"]


def test_plugs_on_each_others_rail_are_told(tmp_path: Path) -> None:
    document = _machine(spines=2)
    for link in document["links"]:
        if link["ends"][0][0] == "ax mlx5_0":
            link["ends"][1] = ["leaf2a", 8]
        if link["ends"][0][0] == "ax mlx5_1":
            link["ends"][1] = ["leaf1a", 8]
    # More computers, as one of four is no exception.
    for rack in "ab":
        for place in (5, 6, 7):
            for rail in "12":
                name = f"{rack}{place} mlx5_{int(rail) - 1}"
                document["hosts"].append({"name": name})
                document["links"].append({"ends": [[name, 1], [f"leaf{rail}{rack}", place]]})
    path = tmp_path / "swapped.json"
    path.write_text(json.dumps(document))
    shown = done("fabric", "show", path).stdout
    assert "computers      10, by the names of ends: 10 with 2 ends" in shown
    assert "rails          2, joined by switches" in shown
    against = (
        "against these rails: ax mlx5_0 is on rail 2 (leaf2a) and its like on rail 1, ax mlx5_1 is "
        "on rail 1 (leaf1a) and its like on rail 2; the plugs of ax may be swapped"
    )
    assert against in shown


def test_two_networks_in_a_file_are_two(tmp_path: Path) -> None:
    path = tmp_path / "planes.json"
    path.write_text(json.dumps(_machine(apart=True, lids=True)))
    read = weft.read_fabric(path)
    assert [network.switch_count for network in weft.subnets(read.fabric)] == [3, 3]
    second = weft.read_fabric(path, subnet=2).fabric
    assert second.switch_names == ["leaf2a", "leaf2b", "spine2-0"]
    assert second.name == "rails subnet 2"
    assert one_network(second, path) == second

    shown = done("fabric", "show", path).stdout
    assert "networks   2, which no link joins; --subnet takes one of them" in shown
    assert "rails      2, apart" in shown
    assert "fabric         rails subnet 1 (json)" in shown
    assert "cannot reach the rest" not in shown
    document = done("fabric", "show", path, "--json").document
    assert [entry["name"] for entry in document["subnets"]] == ["rails subnet 1", "rails subnet 2"]
    assert [rail["is_apart"] for rail in document["computers"]["rails"]] == [True, True]

    audited = done("audit", path, "--against", "updown", "--count", "4").stdout
    assert audited.count("3 switches, 4 hosts") == 2
    documents = done("audit", path, "--against", "updown", "--json").document["subnets"]
    assert [entry["alternatives"][0]["uniform_share"] for entry in documents] == [0.75, 0.75]
    assert "deadlock-free" in done("prove", path, "updown", "--subnet", "2").stdout


def test_which_network_is_meant_must_be_said(tmp_path: Path) -> None:
    path = tmp_path / "planes.json"
    path.write_text(json.dumps(_machine(apart=True, lids=True)))
    for call in (
        ["prove", path, "updown"],
        ["route", path, "updown"],
        ["simulate", path, "--routing", "updown", "--load", "0.1"],
        ["compare", path],
        ["advise", path, "--lanes", "1"],
    ):
        expected = "found 2 networks that no link joins, expected one: 1: 3 switches (leaf1a, …), 4"
        refused(expected, *call)
        refused("--subnet", *call)
    expected = "found subnet 3, expected 1 to 2: the file holds 2 networks"
    refused(expected, "prove", path, "updown", "--subnet", "3")
    # No computer has an end in both, and LIDs are from one range: both were discovered.
    path.write_text(_of_other_computers(_numbered_by_one_manager()))
    refused("found 2 networks that no link joins", "prove", path, "updown")
    # Without LIDs it may be one network in two parts, as damage leaves it.
    path.write_text(_of_other_computers(_machine(apart=True)))
    refused("2 parts", "prove", path, "updown")
    assert "cannot reach the rest" in done("fabric", "show", path).stdout


def _of_other_computers(document: dict[str, Any]) -> str:
    text = json.dumps(document)
    for name in ("ax", "ay", "bx", "by"):
        text = text.replace(f"{name} mlx5_1", f"other {name} mlx5_0")
    return text


def _numbered_by_one_manager() -> dict[str, Any]:
    document = _machine(apart=True, lids=True)
    for number, node in enumerate([*document["switches"], *document["hosts"]], start=1):
        node["lid"] = number
    return document


def test_planes_that_one_manager_numbered_are_audited_one_by_one_and_together(
    tmp_path: Path,
) -> None:
    """Each of 4 hosts sends x/3 to each other, 2·2·x/3 over a leaf's link up: 3/4 in each plane.
    Planes have no link in common, so the least of them is what both can do at once.
    """
    path = tmp_path / "planes.json"
    path.write_text(json.dumps(_numbered_by_one_manager()))
    shown = done("fabric", "show", path).stdout
    assert "networks   2, which no link joins; --subnet takes one of them" in shown
    assert "cannot reach the rest" not in shown

    audited = done("audit", path, "--against", "updown", "--count", "4").stdout
    assert audited.startswith("networks   2, which no link joins; --subnet takes one of them")
    assert "rails      2, apart" in audited
    table = audited[audited.index("uniform in each network, of a host's rate:") :]
    assert table.splitlines()[4].split() == ["updown", *["75.0", "%"] * 3]

    document = _numbered_by_one_manager()
    document["hosts"] += [{"name": f"{name} mlx5_1"} for name in ("az", "bz")]
    document["links"] += [
        {"ends": [[f"{rack}z mlx5_1", 1], [f"leaf2{rack}", 9]]} for rack in ("a", "b")
    ]
    path.write_text(json.dumps(document))
    found = done("audit", path, "--against", "updown", "--count", "4", "--json").document
    assert [rail["is_apart"] for rail in found["computers"]["rails"]] == [True, True]
    (together,) = found["together"]
    # Of 6 hosts 3 on a leaf send 3·x/5 each over its one link: 5/9.
    assert together["uniform_shares"] == pytest.approx([3 / 4, 5 / 9])
    assert together["at_once_share"] == pytest.approx(5 / 9)
    assert together["routing"] == "updown"


def test_a_study_names_the_network(tmp_path: Path) -> None:
    (tmp_path / "planes.json").write_text(json.dumps(_machine(apart=True, lids=True)))
    study = tmp_path / "study.toml"
    text = 'loads = [0.1]\nroutings = ["updown"]\n[[fabrics]]\nfile = "planes.json"\n'

    def fabrics() -> list[str]:
        return [case.fabric.name for case in read_study(study).cases]

    study.write_text(text + "subnet = 2\n")
    assert fabrics() == ["rails subnet 2"]
    study.write_text(text + "subnet = [1, 2]\n")
    assert fabrics() == ["rails subnet 1", "rails subnet 2"]
    study.write_text(text)
    with pytest.raises(weft.WeftError, match="subnet = in a study"):
        fabrics()
    study.write_text(text + 'subnet = "2"\n')
    with pytest.raises(StudyError, match="subnet: found '2', expected a whole number from 1 up"):
        fabrics()


#: Eight computers with an adapter on each of four rails, a switch a rail.
_RAILS = weft.generate("rail_tree", units=1, computers=8, rails=4, planes=1, spines=1, links=1)
_RAIL_ROUTES = weft.route(_RAILS, "updown")
_HDR = weft.hardware("infiniband_hdr")


def _by_adapters(operation: str, algorithm: str, adapters: int, size_bytes: int) -> weft.Replay:
    computers = weft.place_ranks(_RAILS, 32, "by_computer")
    hosts = [computers[4 * rank + nic] for rank in range(8) for nic in range(adapters)]
    trace = weft.collective(operation, 8, size_bytes=size_bytes)
    chosen = {operation: algorithm}
    run = weft.replay(
        _RAILS, _RAIL_ROUTES, _HDR, trace, hosts=hosts, adapters=adapters, algorithms=chosen
    )
    assert run.end == "finished"
    return run


def test_channels_share_the_adapters_of_their_ranks() -> None:
    """Four rings of a quarter each, by an adapter each, take what one of a quarter takes; each of
    14 steps is handed over and told in a cycle more each.
    """
    quarter = _by_adapters("allreduce", "ring", 1, 4 << 20)
    all_four = _by_adapters("allreduce", "ring:channels=4", 4, 16 << 20)
    assert all_four.delivered_packets == 4 * quarter.delivered_packets
    later = all_four.duration_ns - quarter.duration_ns
    cycle_ns = _HDR.cycle_ns
    # An announcement, a call and a message in each step.
    assert later == pytest.approx(14 * 3 * 2 * cycle_ns)
    # A ring alone takes one of them, however many there are.
    alone = _by_adapters("allreduce", "ring", 4, 16 << 20)
    assert alone.duration_ns == _by_adapters("allreduce", "ring", 1, 16 << 20).duration_ns


def test_an_exchange_takes_adapters_by_turns() -> None:
    """Of 7 messages of each rank two leave by each adapter but the first, which has one."""
    of_one, of_four = (_by_adapters("alltoall", "at_once", n, 1 << 20) for n in (1, 4))
    assert of_four.duration_ns == pytest.approx(of_one.duration_ns * 2 / 7, rel=0.01)


def test_nic_of_a_schedule_names_an_adapter(tmp_path: Path) -> None:
    schedule = tmp_path / "two.goal"
    lines = [f"m{nic}: {{}} 1048576b {{}} tag {nic} nic {nic}" for nic in (0, 1)]
    send = "\n".join(line.format("send", "to 1") for line in lines)
    receive = "\n".join(line.format("recv", "from 0") for line in lines)
    schedule.write_text(f"num_ranks 2\nrank 0 {{\n{send}\n}}\nrank 1 {{\n{receive}\n}}\n")
    line = ["replay", str(schedule), "--fabric", _written(tmp_path), "--routing", "updown"]
    line += ["--placement", "by_computer", "--hardware", "infiniband_hdr", "--json"]
    runs = [done(*line, "--adapters", count).document["runs"][0] for count in "14"]
    one, four = (run["duration_ns"] for run in runs)
    assert four == pytest.approx(one / 2, rel=0.02)


def test_jobs_have_adapters(tmp_path: Path) -> None:
    """The channels of two jobs on four computers each, by all four of their adapters."""
    text = """[[jobs]]
name = "{}"
collective = "allreduce"
algorithm = "ring:channels=4"
bytes = "1MiB"
ranks = 4
adapters = 4
placement = "by_computer"
"""
    file = tmp_path / "jobs.toml"
    file.write_text(text.format("one") + text.format("two"))
    jobs = weft.jobs.read_jobs(file, _RAILS).jobs
    names = [[_RAILS.host_names[host] for host in job.hosts] for job in jobs]
    assert names[0][:4] == ["node0 mlx5_0", "node0 mlx5_1", "node0 mlx5_2", "node0 mlx5_3"]
    assert len(set(names[0] + names[1])) == 32
    run = weft.run_jobs(_RAILS, _RAIL_ROUTES, _HDR, jobs)
    assert [job.slowdown for job in run.jobs] == pytest.approx([1.0, 1.0])
    # Two rounds of three steps, in each a part of four of a channel's quarter.
    load = weft.jobs.job_load(_RAILS, _RAIL_ROUTES, _HDR, jobs[0])
    is_up = ~_RAILS.is_switch_channel
    sent = load.channel_bytes[is_up]
    assert sorted(set(sent.tolist())) == [0.0, 2 * 3 * (1 << 20) / 4 / 4]
    assert (sent > 0).sum() == 2 * 16  # Out of hosts and into them
    beside = weft.place_job(_RAILS, _RAIL_ROUTES, _HDR, jobs[0], beside=jobs[1:], drawn=1)
    assert all(len(set(found.hosts) - set(jobs[1].hosts)) == 16 for found in beside)
    file.write_text(text.format("one").replace("= 4\nplacement", "= 4\nper_host = 2\nplacement"))
    told = "job 1 (“one”): found both per_host and adapters, expected one"
    refused(told, "jobs", _written(tmp_path), str(file), "--routing", "updown")


def _written(folder: Path) -> str:
    fabric = folder / "rails.json"
    weft.write_fabric(_RAILS, fabric)
    return str(fabric)


def test_adapters_that_cannot_be_are_told(tmp_path: Path) -> None:
    line = ("collective", "allreduce", "--fabric", _written(tmp_path), "--routing", "updown")
    told = "--per-host 2 with --adapters 2; expected one of the two"
    refused(told, *line, "--adapters", "2", "--per-host", "2")
    refused("17 ranks with 2 adapters each on 32 hosts", *line, "--adapters", "2", "--ranks", "17")
    # Of each computer of four a rank has three.
    line = (*line, "--adapters", "3")
    assert done(*line).stdout == done(*line, "--ranks", "8").stdout
    with pytest.raises(weft.errors.InputError, match="3 hosts are given for the 2 ranks"):
        weft.replay(
            _RAILS,
            _RAIL_ROUTES,
            _HDR,
            weft.collective("barrier", 2),
            hosts=[0, 1, 2],
            adapters=2,
        )
