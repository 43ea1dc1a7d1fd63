"""Routings for the traffic there is: what is read, how even it becomes, what is told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from command import done

import weft
from weft.errors import WeftError
from weft.traffic_gap import traffic_note

if TYPE_CHECKING:
    from pathlib import Path

FABRIC = weft.torus(4, 4, hosts_per_switch=2)
QUICK = "best:lanes=2,starts=1"


def matrix(tmp_path: Path, text: str) -> str:
    """Write a traffic matrix."""
    path = tmp_path / "m.csv"
    path.write_text(text)
    return str(path)


def jobs(tmp_path: Path) -> str:
    """Write a file of two jobs."""
    path = tmp_path / "jobs.toml"
    path.write_text(
        '[[jobs]]\nname = "one"\ncollective = "alltoall"\nranks = 8\n'
        '[[jobs]]\nname = "other"\ncollective = "allreduce"\nranks = 8\nrepetitions = 3\n'
    )
    return str(path)


def test_a_routing_is_made_for_a_pattern() -> None:
    plain = weft.route(FABRIC, QUICK)
    made = weft.route(FABRIC, f"{QUICK},traffic=bit_reversal")
    assert made.label == f"{QUICK},traffic=bit_reversal"
    assert weft.prove(FABRIC, made).deadlock_free
    [before], [after] = (weft.traffic_gaps(FABRIC, each, "bit_reversal") for each in (plain, made))
    assert after.largest_load < before.largest_load
    assert after.largest_load >= after.bound > 0


def test_loads_are_those_of_the_expected_load() -> None:
    routing = weft.route(FABRIC, QUICK)
    [gap] = weft.traffic_gaps(FABRIC, routing, "shift:by=5")
    expected = weft.expected_load(FABRIC, routing, weft.Traffic("shift:by=5"))
    loads = expected.load_per_channel[FABRIC.is_switch_channel]
    assert gap.largest_load == pytest.approx(loads.max())


def test_amounts_of_a_matrix_stay_as_they_are(tmp_path: Path) -> None:
    text = "host0,host8,3\nhost1,host8,1\n# nothing\n2,30,0\n"
    routing = weft.route(FABRIC, QUICK)
    [gap] = weft.traffic_gaps(FABRIC, routing, matrix(tmp_path, text))
    # Both hosts hang on one switch, which sends a third more than the first of them.
    assert 1.0 <= gap.largest_load <= 4 / 3 + 1e-9
    assert weft.route(FABRIC, f"{QUICK},traffic={matrix(tmp_path, text)}").form


def test_a_matrix_may_come_from_a_spreadsheet(tmp_path: Path) -> None:
    """These begin a file with a mark of the byte order, and end lines with two characters."""
    text = "source,destination,amount\nhost0,host8,30\nhost1,host8,1\n"
    path = tmp_path / "spreadsheet.csv"
    path.write_bytes(text.replace("\n", "\r\n").encode("utf-8-sig"))
    routing = weft.route(FABRIC, QUICK)
    [gap] = weft.traffic_gaps(FABRIC, routing, matrix(tmp_path, text))
    [of_sheet] = weft.traffic_gaps(FABRIC, routing, str(path))
    assert (of_sheet.largest_load, of_sheet.bound) == (gap.largest_load, gap.bound)


@pytest.mark.parametrize("large", [3e9, 3e9 + 0.5, 1e6 / 7])
def test_small_amounts_count_as_they_are_beside_large_ones(tmp_path: Path, large: float) -> None:
    """One cable carries all that is sent from one switch to the other."""
    fabric = weft.mesh(2, 1, hosts_per_switch=4)
    routing = weft.route(fabric, QUICK)
    near = matrix(tmp_path, f"host0,host1,{large}\nhost0,host4,1\nhost1,host5,2.5\n")
    [gap] = weft.traffic_gaps(fabric, routing, near)
    assert gap.largest_load == pytest.approx(3.5 / (large + 1), rel=1e-9)
    assert gap.bound == pytest.approx(gap.largest_load, rel=1e-9)
    far = matrix(tmp_path, f"host0,host4,{large}\nhost1,host5,1\nhost2,host5,2\nhost3,host5,1.3\n")
    [gap] = weft.traffic_gaps(fabric, routing, far)
    assert gap.largest_load == pytest.approx((large + 4.3) / large, rel=1e-9)
    # What is less than a 65,535th of the largest cannot be told apart from nothing.
    assert gap.largest_load * (1 - 4 / 65535) < gap.bound <= gap.largest_load


def test_a_matrix_is_the_same_as_a_pattern(tmp_path: Path) -> None:
    """What a routing is made for, what its routes carry and what simulated hosts send."""
    path = matrix(tmp_path, "host0,host8,30\nhost0,host17,10\nhost1,host8,1\nhost9,host30,5\n")
    routing = weft.route(FABRIC, QUICK)
    [gap] = weft.traffic_gaps(FABRIC, routing, path)
    [of_pattern] = weft.traffic_gaps(FABRIC, routing, f"matrix:file={path}")
    assert (of_pattern.largest_load, of_pattern.bound) == (gap.largest_load, gap.bound)
    traffic = weft.Traffic(f"matrix:file={path}", load=0.4)
    expected = weft.expected_load(FABRIC, routing, traffic)
    assert expected.load_per_channel[FABRIC.is_switch_channel].max() == gap.largest_load
    # A channel of a switch may carry a little of host 1 with all of host 0.
    assert (expected.max_load, expected.sending_hosts) == (max(gap.largest_load, 1.0), 3)
    for machine, routes in (("myrinet", weft.route(FABRIC, "updown")), ("infiniband_hdr", routing)):
        found = weft.simulate(FABRIC, routes, weft.hardware(machine), traffic)
        assert found.accepted_load == pytest.approx(0.4, rel=0.03)
        assert found.host_accepted_load[[0, 1, 9]] == pytest.approx([0.4, 0.4, 0.4], rel=0.15)
        # Links are busy in proportion to the rows: 40, 1 and 5.
        channels = [FABRIC.channel_ends().tolist().index(one) for one in injections()]
        busy = found.channel_utilization[channels]
        assert busy / busy[0] == pytest.approx([1.0, 1 / 40, 1 / 8], rel=0.15)


def injections() -> list[list[int]]:
    """Return the ends of the channels from the three hosts to their switches."""
    return [[FABRIC.switch_count + host, host // 2] for host in (0, 1, 9)]


def test_jobs_collectives_and_several_are_read(tmp_path: Path) -> None:
    traffic = f"alltoall+{jobs(tmp_path)}+allgather+{matrix(tmp_path, 'host0,host31,2')}"
    routing = weft.route(FABRIC, f"{QUICK},traffic={traffic}")
    gaps = weft.traffic_gaps(FABRIC, routing, traffic)
    assert [gap.traffic for gap in gaps] == traffic.split("+")
    assert all(gap.largest_load >= gap.bound for gap in gaps)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "m.csv:1: found no amount above 0 up to the end, expected one"),
        ("# none\nhost1,host1,4\n", "m.csv:2: found no amount above 0 up to the end, expected one"),
        ("0,1,0\n1,2,0\n", "m.csv:2: found no amount above 0 up to the end, expected one"),
        ("host0,host1,1\nhost0,host2,-1\n", "m.csv:2: found amount “-1”"),
        ("host0,host1,nan\n", "m.csv:1: found amount “nan”"),
        ("host0,host1,1e30\n", "m.csv:1: found amount “1e30”"),
        ("host0,host77,1\n", "m.csv:1: found host “host77”"),
        ("0,1,1,1\n", "m.csv:1: found “0,1,1,1”, expected source,destination,amount"),
    ],
)
def test_bad_matrices_are_refused_with_their_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(WeftError) as refused:
        weft.route(FABRIC, f"{QUICK},traffic={matrix(tmp_path, text)}")
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("traffic", "told"),
    [
        ("transpos", "did you mean transpose?"),
        ("nothere.csv", "nothere.csv: "),
        ("shifts+transpose", "found shifts beside other traffic"),
        ("+".join(["transpose"] * 8), "7 at most, joined by +"),
        ("transpose+", "joined by +"),
    ],
)
def test_unknown_traffic_is_refused(traffic: str, told: str) -> None:
    with pytest.raises(WeftError, match=told.replace("+", r"\+")):
        weft.route(FABRIC, f"{QUICK},traffic={traffic}")


def test_shifts_and_further_addresses() -> None:
    fabric = weft.generate("slim_fly", q=5, hosts_per_switch=1)
    plain = weft.route(fabric, QUICK)
    several = weft.route(fabric, f"{QUICK},lmc=1")
    assert several.most_addresses == 2
    assert weft.prove(fabric, several).deadlock_free
    before, after = (weft.shift_shares(fabric, each) for each in (plain, several))
    assert before.mean < after.mean <= after.bound <= 1.0
    assert after.worst <= after.mean
    assert "in the mean over all shifts" in str(traffic_note(fabric, several))
    assert traffic_note(fabric, plain) is None

    # First addresses alone are used as if there were no others; a hash gives less than even use.
    alone, spread = (weft.judge(fabric, each, count=30) for each in (plain, several))
    assert alone.by_use == []
    assert alone.address_note is None
    assert [one.traffic for one in spread.by_use] == ["all to all", "random halves", "shifts"]
    firsts = [one.first for one in spread.by_use]
    shares = [alone.uniform_share, alone.bisection.mean, alone.shifts.mean]  # type: ignore[union-attr]
    assert firsts == pytest.approx(shares)
    shifts = spread.by_use[2]
    assert shifts.even == spread.shifts.mean  # type: ignore[union-attr]
    assert shifts.hashed < shifts.even
    assert shifts.alike is None
    assert str(spread.address_note).startswith("by a hash of 1 flow a pair: ")
    assert "; if all is sent to first addresses, " in str(spread.address_note)


def test_route_shows_traffic(tmp_path: Path) -> None:
    net = tmp_path / "net.json"
    weft.write_fabric(FABRIC, net)
    spec = f"{QUICK},traffic=transpose+shift:by=3"
    shown = done("route", net, spec).stdout
    assert "traffic transpose" in shown
    assert "no routing is below" in shown
    told = done("route", net, spec, "--json").document
    assert [gap["traffic"] for gap in told["traffic_gaps"]] == ["transpose", "shift:by=3"]
    assert told["shift_shares"] is None


def test_the_first_answer_is_there_at_once() -> None:
    made = weft.route(FABRIC, "best:lanes=4", time_budget_s=0)
    assert made.label == "best:lanes=4,starts=0"
    assert made.leads_as(weft.route(FABRIC, "best:lanes=4,starts=0"))
