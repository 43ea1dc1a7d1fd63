"""The stage workload: patterns and arrivals by name, destinations, expected loads, files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command import done
from command import weft as run
from synthetic import SyntheticStages

import weft
from weft.study import StudySpec, compare

if TYPE_CHECKING:
    from pathlib import Path

CYCLE_NS = 6.25


def spelled(entry: weft.TrafficPattern | weft.ArrivalProcess, file: Path) -> str:
    """Return a pattern or process with a value for each parameter that needs one."""
    needed = [p.name for p in entry.parameters if p.default is None]
    values = ",".join(f"{name}={file}" for name in needed)
    return f"{entry.name}:{values}" if values else entry.name


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """Write a permutation of 64 hosts: each sends to the next but one."""
    path = tmp_path / "pairs.csv"
    path.write_text("".join(f"host{i},host{(i + 2) % 64}\n" for i in range(64)))
    return path


@pytest.fixture
def amounts(tmp_path: Path) -> Path:
    """Write the same with an amount for each pair."""
    path = tmp_path / "amounts.csv"
    path.write_text("".join(f"host{i},host{(i + 2) % 64},{1 + i % 3}\n" for i in range(64)))
    return path


@pytest.fixture
def torus() -> weft.Fabric:
    """A torus with 64 hosts: a power of two and a square."""
    return weft.torus(4, 4, hosts_per_switch=4)


@pytest.mark.parametrize("pattern", weft.patterns(), ids=lambda pattern: pattern.name)
def test_every_pattern_can_be_simulated_and_is_delivered(
    torus: weft.Fabric, pairs: Path, amounts: Path, pattern: weft.TrafficPattern
) -> None:
    file = amounts if pattern.name == "matrix" else pairs
    traffic = weft.Traffic(spelled(pattern, file), load=0.01, arrivals="poisson")
    routing = weft.route(torus, "updown")
    measured = weft.simulate(torus, routing, weft.hardware(), traffic)
    assert measured.reason == "steady"
    assert measured.offered_load == 0.01
    assert measured.accepted_load == pytest.approx(0.01, rel=0.05)
    expected = weft.expected_load(torus, routing, traffic)
    # What is counted per switch is what all sending hosts send.
    from_hosts = torus.channel_ends()[:, 0] >= torus.switch_count
    sending = float(expected.load_per_channel[from_hosts].sum())
    assert sending == pytest.approx(127 / 3 if file == amounts else expected.sending_hosts)
    per_switch = measured.accepted_load * sending / 16 / CYCLE_NS
    assert measured.accepted_bytes_per_ns_per_switch == pytest.approx(per_switch)
    # Channels carry what is expected, headers on top; those of every host that sends alike.
    header = 1 + (expected.mean_hops_links + 1 + 3) / 512
    found = measured.channel_utilization / header / measured.accepted_load
    difference = np.abs(found - expected.load_per_channel)
    assert float(difference.mean()) < 0.06 * float(expected.load_per_channel.mean())
    # Silent hosts inject nothing at all.
    injection = expected.load_per_channel[torus.channel_ends()[:, 0] >= 16]
    silent = [not weft.destinations(torus, traffic, host) for host in range(64)]
    assert sorted(silent) == sorted((injection == 0).tolist())
    assert expected.sending_hosts == 64 - sum(silent) == weft.sending_hosts(torus, traffic)


@pytest.mark.parametrize("process", weft.arrival_processes(), ids=lambda process: process.name)
def test_every_arrival_process_offers_the_load(
    torus: weft.Fabric, process: weft.ArrivalProcess
) -> None:
    traffic = weft.Traffic(load=0.02, arrivals=process.name)
    routing = weft.route(torus, "updown")
    measured = weft.simulate(torus, routing, weft.hardware(), traffic, precision_accepted=0.01)
    assert measured.accepted_load == pytest.approx(0.02, rel=0.03)


def test_bursts_wait_longer_than_single_packets(torus: weft.Fabric) -> None:
    routing = weft.route(torus, "updown")

    def latency(arrivals: str) -> float:
        traffic = weft.Traffic(load=0.05, arrivals=arrivals)
        measured = weft.simulate(torus, routing, weft.hardware(), traffic)
        return measured.generation_latency_ns.mean

    # On for a fiftieth of the time: packets come at 2.5 times the link rate, and queue.
    assert latency("bursts:on_ns=50000,off_ns=2450000") > 3 * latency("constant")


def test_lengths_of_bursts_are_of_the_hardware_s_time(torus: weft.Fabric) -> None:
    routing = weft.route(torus, "updown")
    traffic = weft.Traffic(load=0.02, arrivals="bursts:on_ns=5,off_ns=5")
    with pytest.raises(weft.TrafficError, match=r"bursts of 0\.8 cycles hold"):
        weft.simulate(torus, routing, weft.hardware(), traffic)


def test_destinations_are_exact(torus: weft.Fabric) -> None:
    reversal = weft.Traffic("bit_reversal")
    assert weft.destinations(torus, reversal, 0b000001) == {0b100000: 1.0}
    assert weft.destinations(torus, reversal, 0b100001) == {}
    hotspot = weft.destinations(torus, weft.Traffic("hotspot:share=37,hosts=host3"), 0)
    assert list(hotspot) == list(range(1, 64))
    assert hotspot[3] == pytest.approx(0.37 + 0.63 / 63)
    assert hotspot[4] == pytest.approx(0.63 / 63)
    with pytest.raises(IndexError, match="host 64 does not exist"):
        weft.destinations(torus, reversal, 64)


def test_uniform_traffic_is_expected_as_the_load_figures_say(torus: weft.Fabric) -> None:
    for name in ("updown", "ud_itb"):
        routing = weft.route(torus, name)
        expected = weft.expected_load(torus, routing, weft.Traffic())
        figures = weft.load_figures(torus, routing)
        assert expected.load_per_channel * 63 == pytest.approx(figures.routes_per_channel)
        assert expected.saturation_bound == pytest.approx(figures.saturation_bound)


def test_patterns_refuse_fabrics_they_are_not_defined_on(tmp_path: Path) -> None:
    fabric = weft.mesh(53, 1)
    routing = weft.route(fabric, "updown")
    for pattern, text in [
        ("bit_reversal", "it reverses the bits of host numbers"),
        ("transpose", "found 53 hosts, expected 4 or more and no prime"),
    ]:
        traffic = weft.Traffic(pattern)
        with pytest.raises(weft.TrafficError, match=text):
            weft.simulate(fabric, routing, weft.hardware(), traffic)
        with pytest.raises(weft.TrafficError, match=text):
            weft.expected_load(fabric, routing, traffic)
        results = tmp_path / "r.sqlite"
        with pytest.raises(weft.TrafficError, match=text):
            weft.compare(fabric, ["updown"], traffic=traffic, results=results)
        assert not results.exists()


def test_a_permutation_is_read_when_the_traffic_is_made(torus: weft.Fabric, pairs: Path) -> None:
    traffic = weft.Traffic(f"permutation:file={pairs}")
    text = pairs.read_text()
    pairs.write_text("changed")
    assert weft.destinations(torus, traffic, 5) == {7: 1.0}
    assert weft.destinations(torus, weft.Traffic(traffic.pattern, pattern_text=text), 5) == {7: 1.0}
    with pytest.raises(weft.TrafficError, match=r"pairs\.csv:1: found “changed”, expected"):
        weft.sending_hosts(torus, weft.Traffic(traffic.pattern))
    pairs.unlink()
    with pytest.raises(weft.InputError, match=r"pairs\.csv: no such file"):
        weft.Traffic(traffic.pattern)


def test_mixed_sizes_by_bytes() -> None:
    mix = {32: 0.2, 2048: 0.8}
    assert weft.Traffic(payload_bytes=mix).mean_payload_bytes == pytest.approx(1644.8)
    by_bytes = weft.Traffic(payload_bytes=mix, share_of="bytes")
    assert by_bytes.mean_payload_bytes == pytest.approx(2560 / 17)


def test_a_study_keeps_its_pattern_and_its_file(torus: weft.Fabric, pairs: Path) -> None:
    traffic = weft.Traffic(
        f"permutation:file={pairs}",
        arrivals="bursts:on_ns=1000",
        payload_bytes={32: 1.0, 64: 2.0},
        share_of="bytes",
    )
    spec = StudySpec(("early",), weft.hardware(), traffic)
    pairs.unlink()
    restored = StudySpec.from_identity(json.loads(json.dumps(spec.identity())), ("early",), None)
    assert restored.traffic == traffic
    results = pairs.parent / "r.sqlite"
    stages = SyntheticStages()
    compare(torus, ["early"], traffic=traffic, results=results, stages=stages).close()
    with weft.Results.open(results) as found:
        shown = {entry["name"]: entry["value"] for entry in found.manifest["traffic"]}
    assert shown["pattern"] == f"permutation:file={pairs}"
    assert str(shown["pattern_text"]).startswith("64 lines, SHA-256 ")
    swapped = "".join(f"{i},{(i + 1) % 64}\n" for i in range(64))
    other = weft.Traffic(traffic.pattern, pattern_text=swapped)
    with pytest.raises(weft.ResultsError, match=r"pattern_text is 64 lines, SHA-256 \w+ there and"):
        compare(torus, ["early"], traffic=other, results=results, stages=stages)


def test_the_ladder_of_a_pattern_starts_from_its_own_bound(
    torus: weft.Fabric, tmp_path: Path
) -> None:
    stages = SyntheticStages()
    for pattern, bound in [("uniform", stages.bound), ("complement", stages.pattern_bound)]:
        path, traffic = tmp_path / f"{pattern}.sqlite", weft.Traffic(pattern)
        with compare(torus, ["early"], traffic=traffic, results=path, stages=stages) as results:
            lowest = min(point.load for point in results.routing("early").points)
        # The first rung is a fifth of a step, a step at most a sixth of the bound.
        assert bound / 120 < lowest <= bound / 30


def test_the_command_lists_patterns_and_arrivals() -> None:
    text = run("workload").stdout
    listed = json.loads(run("workload", "--json").stdout)
    for entry in (*weft.patterns(), *weft.arrival_processes()):
        assert f"\n{entry.name}: {entry.title}\n" in text
        for parameter in entry.parameters:
            assert f"  {parameter.name}={parameter.kind}" in text
    assert [entry["name"] for entry in listed["patterns"]] == [p.name for p in weft.patterns()]
    assert [entry["name"] for entry in listed["arrivals"]] == [
        process.name for process in weft.arrival_processes()
    ]


def test_commands_take_a_pattern(torus: weft.Fabric, tmp_path: Path) -> None:
    net = tmp_path / "net.json"
    weft.write_fabric(torus, net)
    options = ["--routing", "updown", "--load", "0.02", "--pattern", "bit_reversal"]
    ended = done("simulate", str(net), *options)
    assert "pattern         bit_reversal, 56 of 64 hosts send" in ended.stdout
    document = json.loads(run("simulate", str(net), *options, "--json").stdout)
    assert (document["pattern"], document["sending_hosts"]) == ("bit_reversal", 56)
    ended = run("route", str(net), "updown", "--pattern", "hotspot:share=20,hosts=host3")
    # 63 hosts send a fifth there, and each of them 1/63 of the rest.
    busiest = "sw0[4] → host3[1], 13.4000 times what a host sends at most"
    assert f"busiest channel   {busiest}" in ended.stdout
    assert "saturation bound  load 0.0746 of the host link rate\n" in ended.stdout
    assert "of the host link rate, uniform traffic" in ended.stdout
    rest = ("--loads", "0.02", "--out", tmp_path / "out")
    done("compare", net, "--routing", "updown", "--pattern", "local:radius=3", *rest)
    page = (tmp_path / "out/report.html").read_text()
    assert "Traffic by the pattern local:radius=3, 512 bytes of payload a packet" in page
