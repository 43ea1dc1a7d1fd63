"""Skewed exchanges, reductions in switches and algorithms of NCCL, from Python."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command import done, refused

import weft
from weft.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


def timed(trace: weft.Trace, fabric: weft.Fabric, **settings: object) -> weft.Replay:
    """Run a trace to its end."""
    routing = weft.route(fabric, "updown")
    found = weft.replay(fabric, routing, weft.hardware("infiniband_hdr"), trace, **settings)  # type: ignore[arg-type]
    assert found.end == "finished"
    return found


@pytest.mark.parametrize("skew", [1.0, 1.5, 2.56, 5.09, 15.5])
def test_the_largest_share_is_as_asked(skew: float) -> None:
    """What the ranks get differs as asked, whatever is drawn; who gets most depends on the seed."""
    largest = set()
    for seed in range(1, 6):
        lengths = weft.skewed_lengths(16, size_bytes=10**6, skew=skew, seed=seed)
        received = lengths.sum(axis=0)
        assert received.max() / received.mean() == pytest.approx(skew, rel=1e-4)
        assert received.sum() == pytest.approx(16 * 15 * 10**6, rel=1e-4)
        assert not lengths.diagonal().any()
        largest.add(int(received.argmax()))
    assert len(largest) > 1 or skew == 1


def test_shares_follow_zipf() -> None:
    """The k-th largest share is the largest to the power."""
    lengths = weft.skewed_lengths(8, size_bytes=10**6, zipf=1.2)
    received = np.sort(lengths.sum(axis=0))[::-1]
    expected = np.arange(1, 9) ** -1.2
    assert received / received[0] == pytest.approx(expected, rel=1e-4)
    even = weft.skewed_lengths(8, size_bytes=100, zipf=0)
    assert set(even[~np.eye(8, dtype=bool)].tolist()) == {100}


def test_what_is_exchanged_is_what_is_given() -> None:
    """Payload and messages are those of the matrix; what is nothing is no message."""
    fabric = weft.torus(2, 2, hosts_per_switch=1)
    lengths = np.array([[9, 100, 0, 0], [0, 0, 5000, 0], [7, 0, 0, 0], [0, 0, 0, 0]])
    found = timed(weft.exchange(lengths), fabric)
    assert found.payload_bytes == 100 + 5000 + 7
    assert found.received_messages == 3


def test_a_matrix_of_lengths_is_read(tmp_path: Path) -> None:
    """Lines by rank numbers; mistakes with their lines."""
    path = tmp_path / "m.csv"
    path.write_text("# of two\n0,1, 8\n\n1,0,4096\n")
    assert weft.read_lengths(path, 2).tolist() == [[0, 8], [4096, 0]]
    for columns in ("from, to,bytes", "source,destination,amount"):
        path.write_text(f"# of two\n{columns}\n1,0,5\n")
        assert weft.read_lengths(path, 2).tolist() == [[0, 0], [5, 0]]
    for text, expected in [
        ("0,2,8\n", "m.csv:1: found “0,2,8”, expected from,to,bytes with ranks 0 to 1"),
        ("0,1\n", "m.csv:1: found “0,1”"),
        ("from,to,bytes\nfrom,to,bytes\n", "m.csv:2: found “from,to,bytes”"),
        ("# nothing\nfrom,to,bytes\n", "m.csv: found no lengths, expected a line"),
        ("0,1,8\n0,1,9\n", "m.csv:2: rank 0 has a length for 1 on line 1"),
    ]:
        path.write_text(text)
        with pytest.raises(InputError, match=expected.replace(".", r"\.")):
            weft.read_lengths(path, 2)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "expected one of zipf and skew"),
        ({"zipf": 1.0, "skew": 2.0}, "expected one of zipf and skew"),
        ({"skew": 4.0}, "expected 1 to less than the 4 ranks"),
        ({"zipf": -1.0}, "expected 0 to 100"),
    ],
)
def test_a_skew_that_cannot_be_is_refused(settings: dict[str, float], expected: str) -> None:
    """Neither or both, and what so many ranks cannot have."""
    with pytest.raises(InputError, match=expected):
        weft.skewed_lengths(4, size_bytes=8, **settings)  # type: ignore[arg-type]


def aggregating(tmp_path: Path) -> weft.Fabric:
    """Return a tree of two levels with an aggregation node on every switch."""
    tree = weft.generate("k_ary_n_tree", k=2, n=2)
    path = tmp_path / "tree.json"
    weft.write_fabric(tree, path)
    document = json.loads(path.read_text())
    for number, switch in enumerate(document["switches"]):
        name = f"node{number}"
        document["hosts"].append({"name": name, "service": "inside_switch"})
        switch["ports"] += 1
        ends = [[switch["name"], switch["ports"]], [name, 1]]
        document["links"].append({"ends": ends})
    path.write_text(json.dumps(document))
    return weft.read_fabric(path).fabric


def test_nodes_in_switches_combine_what_hosts_send(tmp_path: Path) -> None:
    """Up a tree and down again: each host sends once and receives once."""
    fabric = aggregating(tmp_path)
    hosts = weft.place_ranks(fabric, 4)
    trace, placed = weft.in_network_allreduce(fabric, hosts, size_bytes=10_000, chunk_bytes=4096)
    # Two leaves and a root: six edges, three pieces, both ways.
    assert trace.rank_count == 4 + 3
    found = timed(trace, fabric, hosts=placed)
    assert found.received_messages == 2 * 6 * 3
    assert found.payload_bytes == 2 * 6 * 10_000


def test_a_fabric_without_nodes_is_refused() -> None:
    """One clear error."""
    fabric = weft.generate("k_ary_n_tree", k=2, n=2)
    with pytest.raises(InputError, match="has no aggregation nodes; expected service ends"):
        weft.in_network_allreduce(fabric, [0, 1])


def test_a_double_tree_is_told_with_its_channels() -> None:
    """An algorithm with parameters is told as it was chosen; combining takes time."""
    fabric = weft.torus(4, 2, hosts_per_switch=1)
    trace = weft.collective("allreduce", 8, size_bytes=1 << 20)
    chosen = "double_tree:channels=4,chunk_bytes=65536"
    found = timed(trace, fabric, algorithms={"allreduce": chosen})
    assert [use.algorithm for use in found.collectives] == [chosen]
    assert found.received_messages == 2 * 7 * 16
    assert not found.computing_ns.any()
    slower = timed(
        trace, fabric, algorithms={"allreduce": chosen}, messaging={"reduce_byte_ns": 0.2}
    )
    # All but the leaves combine each child's piece.
    assert slower.computing_ns.sum() == pytest.approx(7 * (1 << 20) * 0.2, rel=1e-3)
    assert slower.duration_ns > found.duration_ns


def test_the_command_draws_skewed_exchanges(tmp_path: Path) -> None:
    """A matrix, Zipf or a ratio for alltoallv; refused for others."""
    path = tmp_path / "torus.json"
    weft.write_fabric(weft.torus(2, 2, hosts_per_switch=2), path)
    base = ["--fabric", path, "--routing", "updown", "--json"]

    def last_ns(*arguments: str) -> float:
        ended = done("collective", "alltoallv", *arguments, *base)
        return float(ended.document["runs"][0]["last_ns"])

    skewed = last_ns("--bytes", "64KiB", "--skew", "4")
    assert skewed > 1.5 * last_ns("--bytes", "64KiB", "--zipf", "0")
    matrix = tmp_path / "m.csv"
    matrix.write_text("0,7,65536\n")
    assert last_ns("--matrix", str(matrix)) < skewed / 4
    for arguments, expected in [
        (["alltoall", "--skew", "2"], "--skew"),
        (["alltoallv", "--skew", "2", "--zipf", "1"], "expected one of the two"),
        (["alltoallv", "--matrix", matrix, "--bytes", "8"], "--bytes"),
        (["allreduce", "--in-network"], "has no aggregation nodes"),
        (["bcast", "--in-network"], "expected allreduce"),
    ]:
        refused(expected, "collective", *arguments, *base)


def test_a_matrix_is_a_pattern_of_traffic(tmp_path: Path) -> None:
    """What a file gives shares of is what goes over the links."""
    fabric = weft.torus(2, 2, hosts_per_switch=1)
    path = tmp_path / "m.csv"
    path.write_text("host0,host1,3\n0,2,1\n3,0,9\n")
    traffic = weft.Traffic(f"matrix:file={path}")
    found = [weft.destinations(fabric, traffic, host) for host in range(4)]
    assert found == [{1: 0.75, 2: 0.25}, {}, {}, {0: 1.0}]


def test_routing_simulation_and_comparison_take_a_matrix_alike(tmp_path: Path) -> None:
    """Two hosts on a switch send all over one link to the other, one five for seven of the other.

    So the link is full at 7/12 of the rate of the one that sends most.
    """
    nodes = [("left", "a"), ("left", "b"), ("right", "c"), ("right", "d")]
    path = tmp_path / "two.json"
    path.write_text(
        json.dumps(
            {
                "format": "weft-fabric",
                "version": 1,
                "name": "two",
                "switches": [{"name": name, "ports": 9} for name in ("left", "right")],
                "hosts": [{"name": host} for _, host in nodes],
                "links": [
                    {"ends": [["left", 9], ["right", 9]]},
                    *(
                        {"ends": [[host, 1], [switch, 1 + place % 2]]}
                        for place, (switch, host) in enumerate(nodes)
                    ),
                ],
            }
        )
    )
    matrix = tmp_path / "two.csv"
    matrix.write_text("a,c,5\nb,d,7\n")
    pattern = ["--pattern", f"matrix:file={matrix}"]
    machine = ["--hardware", "infiniband_edr", *pattern]
    for routing in ("best", "updown"):
        routed = done("route", str(path), routing, *pattern, "--json").document
        load = routed["expected_load"]
        assert load["max_load"] == pytest.approx(12 / 7)
        assert load["saturation_bound"] == pytest.approx(7 / 12)
        assert load["sending_hosts"] == 2
        # Routes are those of all with all: over the link from two to each of two.
        assert routed["load_figures"]["max_routes_per_channel"] == 4
        arguments = [str(path), "--routing", routing, "--load", "40%", *machine]
        simulated = done("simulate", *arguments, "--json").document
        assert simulated["sending_hosts"] == 2
        assert simulated["measurement"]["accepted_load"] == pytest.approx(0.4, rel=0.02)
        # Each is served what it offers.
        served = simulated["measurement"]["host_accepted_load"]
        assert served[:2] == pytest.approx([0.4, 0.4], rel=0.03)
        assert served[2:] == [0.0, 0.0]
    compared = done(
        "compare",
        str(path),
        *(word for routing in ("best", "updown") for word in ("--routing", routing)),
        *machine,
        *("--out", str(tmp_path / "results")),
        "--json",
    ).document
    for entry in compared["ranking"]:
        assert 0.52 < entry["throughput_load"] < 0.5834
