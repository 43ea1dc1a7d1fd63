"""The stage simulate: the unloaded latency, determinism, reasons, interruption, errors."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.simulate import Measurement

if TYPE_CHECKING:
    from pathlib import Path

CYCLE_NS = 6.25


def pair(hosts_per_switch: int = 1) -> tuple[weft.Fabric, weft.Routing]:
    """Two switches joined by a link."""
    return routed(weft.mesh(2, 1, hosts_per_switch), "updown")


def torus() -> tuple[weft.Fabric, weft.Routing]:
    """A small torus, enough to wait in."""
    return routed(weft.torus(4, 4, hosts_per_switch=2), "updown")


def simulated(
    made: tuple[weft.Fabric, weft.Routing], load: float, **settings: object
) -> Measurement:
    """Simulate a load of plain traffic on the hardware of the default."""
    return weft.simulate(*made, weft.hardware(), weft.Traffic(load=load), **settings)


def routed(fabric: weft.Fabric, routing: str) -> tuple[weft.Fabric, weft.Routing]:
    return fabric, weft.route(fabric, routing)


def test_an_empty_network_has_the_latency_of_the_formula() -> None:
    payload, switches = 512, 2
    traffic = weft.Traffic(load=0.001, payload_bytes=payload, arrivals="constant")
    measured = weft.simulate(*pair(), weft.hardware(), traffic)
    parameters = weft.hardware().parameters
    overhead = int(parameters["type_bytes"]) + int(parameters["crc_bytes"])
    flits = switches + overhead + payload
    cycles = 8 + 32 * switches + (flits - switches - 1)
    latency = measured.network_latency_ns
    assert (latency.mean, latency.max) == (cycles * CYCLE_NS, cycles * CYCLE_NS)
    assert measured.mean_switches == switches
    assert measured.mean_in_transit_stops == 0
    assert measured.reason == "steady"


def test_a_light_load_is_accepted_whole() -> None:
    fabric, _ = made = torus()
    traffic = weft.Traffic(load=0.05, arrivals="constant")
    measured = weft.simulate(*made, weft.hardware(), traffic)
    assert measured.reason == "steady"
    assert measured.offered_load == 0.05
    assert measured.accepted_load == pytest.approx(0.05, rel=0.03)
    per_switch = measured.accepted_load * 2 / CYCLE_NS
    assert measured.accepted_bytes_per_ns_per_switch == pytest.approx(per_switch)
    assert measured.network_latency_ns.mean <= measured.generation_latency_ns.mean
    assert measured.generation_latency_ns.p50 <= measured.generation_latency_ns.p99
    assert measured.delivered_packets == sum(measured.generation_histogram.counts)
    assert measured.channel_utilization.shape == (fabric.channel_count,)
    assert measured.channel_utilization.dtype == np.float32
    assert measured.pool_max_bytes.dtype == np.uint32
    assert float(measured.channel_utilization.max()) <= 1.0
    injection = measured.channel_utilization[fabric.channel_ends()[:, 0] >= fabric.switch_count]
    assert injection.shape == (fabric.host_count,)
    assert float(injection.min()) > 0.05
    assert float(injection.max()) == pytest.approx(0.0507, rel=0.01)


def test_more_than_the_network_carries_is_saturated() -> None:
    measured = simulated(torus(), 0.9)
    assert measured.reason == "saturated"
    assert measured.accepted_load < 0.9 * 0.95
    assert math.isnan(measured.generation_latency_ns.mean_half_width)
    assert float(measured.channel_blocked.max()) > 0.1


def test_minimal_routes_on_a_torus_deadlock_and_the_cycle_is_named() -> None:
    measured = simulated(routed(weft.torus(4, 4, hosts_per_switch=4), "minimal"), 0.9)
    assert measured.reason == "deadlocked"
    cycle = measured.waiting_cycle
    assert len(cycle) >= 2
    for packet, following in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        assert packet.wanted == following.held
    restored = Measurement.from_dict(json.loads(json.dumps(measured.to_dict())))
    assert restored.waiting_cycle == cycle


def test_a_deadlock_planted_on_a_ring_was_refused_by_the_proof() -> None:
    fabric = weft.generate("ring", switches="6", hosts_per_switch="4")
    made = routed(fabric, "minimal")
    proof = weft.prove(*made)
    assert not proof.deadlock_free
    assert len(proof.cycle) >= 2
    measured = simulated(made, 0.9)
    assert measured.reason == "deadlocked"
    assert "wait for one another" in measured.reason_text
    names = set(fabric.switch_names)
    for packet in measured.waiting_cycle:
        assert {packet.source, packet.destination} <= set(fabric.host_names)
        for channel in (packet.held, packet.wanted):
            assert {end.partition("[")[0] for end in channel.split(" → ")} <= names
    # With stops in transit the same ring has none.
    stops = routed(fabric, "ud_itb")
    assert weft.prove(*stops).deadlock_free
    assert simulated(stops, 0.9).reason != "deadlocked"


def test_in_transit_routes_use_the_pools() -> None:
    made = routed(weft.torus(6, 6, hosts_per_switch=1), "ud_itb:seed=2")
    stops = weft.load_figures(*made).mean_in_transit_stops
    measured = simulated(made, 0.05)
    assert measured.mean_in_transit_stops == pytest.approx(stops, rel=0.1)
    assert float(measured.pool_mean_bytes.max()) > 0
    assert int(measured.pool_max_bytes.max()) > 0


def test_every_arbitration_policy_gives_its_own_result_and_random_gives_it_again() -> None:
    fabric, routing = torus()
    traffic = weft.Traffic(load=0.3, payload_bytes={32: 0.2, 512: 0.8})
    policies = [
        "round_robin",
        "random",
        "injection_time",
        "waiting_time",
        "distance_to_travel",
        "distance_travelled",
    ]
    (described,) = (known for known in weft.hardware_parameters() if known.name == "arbitration")
    assert described.range == ", ".join(policies)

    def measured(**changes: str) -> Measurement:
        return weft.simulate(fabric, routing, weft.hardware(**changes), traffic)

    def text(measurement: Measurement) -> str:
        return json.dumps(measurement.to_dict())

    found = [measured(arbitration=policy) for policy in policies]
    assert len({result.network_latency_ns.mean for result in found}) == len(policies)
    assert text(found[0]) == text(measured())
    assert text(found[1]) == text(measured(arbitration="random"))
    for result in found:
        # Whoever waited so long stood in the network meanwhile, or stands there still.
        assert 0 < result.longest_wait_ns < result.warm_up_ns + result.window_ns


def test_packets_that_choose_arrive_out_of_order_unless_switches_select_by_hash() -> None:
    tree = weft.generate("k_ary_n_tree", k=4, n=2)
    traffic = weft.Traffic(load=0.6, payload_bytes=2048)

    def measured(routing: str, selection: str) -> Measurement:
        hardware = weft.hardware("infiniband_hdr", selection=selection)
        return weft.simulate(*routed(tree, routing), hardware, traffic, max_packets=40_000)

    emptiest, at_random, hashed = (
        measured("ar_updn", selection) for selection in ("emptiest", "random", "hash")
    )
    for free in (emptiest, at_random):
        assert 0.001 < free.out_of_order_share < 0.5
        assert free.out_of_order_distance >= 1
    assert emptiest.network_latency_ns.mean < at_random.network_latency_ns.mean
    assert (hashed.out_of_order_share, hashed.out_of_order_distance) == (0.0, 0)
    assert emptiest.accepted_load == pytest.approx(0.6, rel=0.05)
    fixed = measured("updn", "emptiest")
    assert math.isnan(fixed.out_of_order_share)
    assert fixed.out_of_order_distance == 0


def test_losses_are_counted_and_off_by_default() -> None:
    made = routed(weft.torus(4, 4, hosts_per_switch=4), "minimal")
    lossy = weft.hardware(timeout_ns=50_000, bit_error_rate=1e-5)
    # What ends in a deadlock otherwise goes on.
    measured = weft.simulate(*made, lossy, weft.Traffic(load=0.9))
    assert measured.reason == "saturated"
    assert measured.timed_out_packets > 0
    assert measured.damaged_packets > 0
    assert measured.dropped_packets == 0
    assert measured.longest_wait_ns <= 50_000
    measured = simulated(torus(), 0.9)
    lost = (measured.dropped_packets, measured.damaged_packets, measured.timed_out_packets)
    assert lost == (0, 0, 0)


def test_a_budget_ends_the_run() -> None:
    measured = simulated(torus(), 0.2, precision=1e-6, max_packets=3_000)
    assert measured.reason == "budget"
    assert measured.reason_text


def test_the_same_seed_measures_the_same_on_any_thread() -> None:
    made, hardware = torus(), weft.hardware()

    def measure(seed: int) -> Measurement:
        return weft.simulate(*made, hardware, weft.Traffic(load=0.2, seed=seed))

    alone = measure(1)
    with ThreadPoolExecutor(2) as threads:
        first, other = threads.map(measure, [1, 2])
    assert json.dumps(first.to_dict()) == json.dumps(alone.to_dict())
    for name, array in alone.arrays().items():
        assert np.array_equal(array, first.arrays()[name])
    assert other.to_dict() != alone.to_dict()


@pytest.mark.parametrize("hardware", ["myrinet", "infiniband_hdr"])
def test_threads_change_the_costs_of_a_run_alone(hardware: str) -> None:
    tree = weft.generate("k_ary_n_tree", k=4, n=3)
    made, traffic = (tree, weft.route(tree, "d_mod_k")), weft.Traffic(load=0.4, payload_bytes=8)

    def measure(threads: int) -> dict[str, object]:
        measured = weft.simulate(*made, weft.hardware(hardware), traffic, threads=threads)
        arrays = {name: array.tolist() for name, array in measured.arrays().items()}
        return {**measured.to_dict(), **arrays}

    one, two = measure(1), measure(2)
    # With credits nothing is looked at again where parts meet.
    are_alike = two.pop("events") == one.pop("events")
    assert are_alike == (hardware != "myrinet")
    assert json.dumps(two) == json.dumps(one)


@pytest.mark.parametrize("threads", [0, -1, 10**6])
def test_numbers_of_threads_that_cannot_be_are_refused(threads: int) -> None:
    with pytest.raises(InputError, match=f"threads is {threads}; expected"):
        simulated(pair(), 0.1, threads=threads)


def test_a_measurement_survives_a_round_trip() -> None:
    measured = simulated(pair(), 0.1)
    text = json.dumps(measured.to_dict())
    restored = Measurement.from_dict(json.loads(text), measured.arrays())
    assert json.dumps(restored.to_dict()) == text
    for name, array in measured.arrays().items():
        assert np.array_equal(array, restored.arrays()[name])
        assert restored.arrays()[name].dtype == array.dtype
    bare = Measurement.from_dict(json.loads(text))
    assert all(array.size == 0 for array in bare.arrays().values())


@pytest.mark.parametrize("arrivals", ["constant", "poisson"])
def test_mixed_sizes_are_offered_in_their_shares(arrivals: str) -> None:
    traffic = weft.Traffic(load=0.1, payload_bytes={32: 0.5, 512: 0.5}, arrivals=arrivals)
    measured = weft.simulate(*pair(4), weft.hardware(), traffic, precision=0.02)
    payload_bytes = measured.accepted_load * 8 * measured.window_ns / CYCLE_NS
    assert payload_bytes / measured.delivered_packets == pytest.approx(272, rel=0.05)


LONG_RUN = """
import weft
fabric = weft.torus(8, 8, hosts_per_switch=8)
routing = weft.route(fabric, "updown")
print("running", flush=True)
try:
    weft.simulate(
        fabric, routing, weft.hardware(), weft.Traffic(load=0.002),
        precision=1e-9, max_packets=10**12,
    )
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_ends_a_long_run_at_once() -> None:
    with subprocess.Popen([sys.executable, "-c", LONG_RUN], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"running\n"
        time.sleep(0.3)
        assert child.poll() is None
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == b"interrupted\n"
        assert time.monotonic() - sent < 30.0
        assert child.wait(timeout=120) == 0


ENDLESS = {"precision": 1e-9, "max_packets": 10**12}


def test_a_cancel_ends_runs_of_other_threads() -> None:
    made, cancel = torus(), weft.Cancel()
    with ThreadPoolExecutor(2) as threads:
        runs = [threads.submit(simulated, made, 0.05, **ENDLESS, cancel=cancel) for _ in range(2)]
        assert not cancel.is_cancelled
        cancel.cancel()
        assert cancel.is_cancelled
        raised = [run.exception(timeout=120) for run in runs]
    assert [type(error) for error in raised] == [weft.Cancelled] * 2
    assert [str(error) for error in raised] == ["the run was interrupted"] * 2


def test_a_cancel_ends_a_run_of_the_main_thread() -> None:
    cancel = weft.Cancel()
    threading.Timer(0.1, cancel.cancel).start()
    with pytest.raises(weft.Cancelled):
        simulated(torus(), 0.05, **ENDLESS, cancel=cancel)


def test_what_is_shown_of_results_fits_a_screen() -> None:
    made = torus()
    point = simulated(made, 0.05)
    histogram = point.generation_histogram
    first, last = histogram.lower_edges_ns[0], histogram.lower_edges_ns[-1]
    shown = repr(histogram)
    assert shown == f"<Histogram of {sum(histogram.counts)} packets, from {first:g} to {last:g} ns>"
    text = repr(point)
    assert "reason='steady'" in text
    assert shown in text
    assert "array(" not in text
    assert "array(" not in repr(weft.load_figures(*made))
    assert len(text) < 2000


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("load", 0.0, "load is 0; expected more than 0 and at most 1,"),
        ("load", -0.1, "load is -0.1"),
        ("load", math.nan, "load is nan"),
        ("payload_bytes", 0, "a payload of 0 bytes; expected 1 to 1048576"),
        ("payload_bytes", -5, "payload_bytes is -5; expected a whole number"),
        ("payload_bytes", {}, "no payload size is given"),
        ("payload_bytes", {32: 0.0}, "payload size 32 has share 0"),
        ("pattern", "unifrom", "found pattern “unifrom”, expected one of uniform, bit_reversal"),
        ("arrivals", "often", "found arrivals “often”, expected one of constant, poisson"),
        ("pattern", 7, "pattern: found 7, expected a text"),
        ("pattern", "hotspot:share=101", "found “101” for parameter share of pattern hotspot"),
        ("arrivals", "bursts:on_ns=0", "found “0” for parameter on_ns of arrivals bursts"),
        ("pattern_text", "0,1", "pattern_text is given and pattern uniform names no file"),
        ("share_of", "flits", "share_of: found “flits”, expected one of packets, bytes"),
        ("seed", -1, "seed is -1; expected a whole number"),
    ],
)
def test_traffic_out_of_range_is_refused(field: str, value: object, text: str) -> None:
    with pytest.raises(weft.TrafficError, match=text):
        weft.Traffic(**{field: value})


def test_a_lonely_host_cannot_send() -> None:
    with pytest.raises(weft.TrafficError, match="needs at least 2"):
        simulated(routed(weft.mesh(1, 1), "updown"), 0.1)


def test_a_routing_of_another_fabric_is_refused() -> None:
    _, routing = torus()
    with pytest.raises(weft.RoutingError, match="was made for fabric “torus-4x4”"):
        weft.simulate(weft.torus(3, 3), routing, weft.hardware(), weft.Traffic())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"precision": 1.0}, "precision_latency is 1; expected a share"),
        ({"max_packets": 0}, "max_packets is 0; expected at least 1"),
        ({"max_packets": -1}, "max_packets is -1; expected a whole number"),
        ({"pool_interval_ns": -1.0}, "pool_interval_ns is -1; expected more than 0"),
    ],
)
def test_run_parameters_out_of_range_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(weft.InputError, match=message):
        simulated(pair(), 0.1, **settings)


def test_lanes_are_simulated_on_cut_through_hardware() -> None:
    fabric = weft.irregular(16, seed=1)
    routing = weft.route(fabric, "multi_tree:trees=2,lanes=2")
    hardware = weft.hardware("infiniband_1x", lanes=2)
    traffic = weft.Traffic(load=0.1, payload_bytes=32)
    measured = weft.simulate(fabric, routing, hardware, traffic)
    assert measured.reason == "steady"
    assert measured.accepted_load == pytest.approx(0.1, rel=0.05)
    for name in ("lane_utilization", "lane_blocked", "buffer_mean_bytes", "buffer_max_bytes"):
        assert getattr(measured, name).shape == (fabric.channel_count, 2)
    np.testing.assert_allclose(
        measured.lane_utilization.sum(axis=1), measured.channel_utilization, atol=1e-6
    )
    assert 32 <= measured.buffer_max_bytes.max() <= 1024
    assert measured.host_accepted_load.mean() == pytest.approx(0.1, rel=0.05)
    # An unloaded hop is 25 cycles of routing, one of crossing and 25 of flight, of 4 ns each.
    unloaded_ns = 4 * (25 + 51 * measured.mean_switches + 31)
    assert unloaded_ns <= measured.network_latency_ns.mean < 2 * unloaded_ns
    again = weft.simulate(fabric, routing, hardware, traffic)
    np.testing.assert_equal(again.to_dict(), measured.to_dict())


@pytest.mark.parametrize("preset", ["rhinet2", "infiniband_hdr"])
def test_every_cut_through_preset_carries_its_packets(preset: str) -> None:
    made = routed(weft.torus(4, 4, hosts_per_switch=2), "dimension_order")
    traffic = weft.Traffic(load=0.1, payload_bytes=1024)
    measured = weft.simulate(*made, weft.hardware(preset), traffic)
    assert measured.reason == "steady"
    assert measured.accepted_load == pytest.approx(0.1, rel=0.05)


@pytest.mark.parametrize(
    ("routing", "changes", "payload_bytes", "message"),
    [
        ("multi_tree:trees=2", {}, 32, r"use 2 virtual lanes, but channels .* have 1"),
        ("updown", {}, 2048, r"carries 2048 bytes; .* allows at most 1024"),
        ("updown", {"input_buffer_bytes": 100}, 128, "more than the 100 an input buffer holds"),
        ("ud_itb", {}, 32, "without in-transit stops"),
    ],
)
def test_what_cut_through_hardware_cannot_carry_is_refused(
    routing: str, changes: dict[str, int], payload_bytes: int, message: str
) -> None:
    made = routed(weft.torus(4, 4, hosts_per_switch=2), routing)
    hardware = weft.hardware("infiniband_1x", **(changes or {"lanes": 1}))
    refused = weft.RoutingError if payload_bytes == 32 else weft.HardwareError
    with pytest.raises(refused, match=message):
        weft.simulate(*made, hardware, weft.Traffic(payload_bytes=payload_bytes))


def test_pools_are_followed_in_time() -> None:
    fabric, _ = made = routed(weft.torus(4, 4, hosts_per_switch=2), "ud_itb")
    whole = simulated(made, 0.2)
    assert (whole.pool_interval_ns, whole.pool_series_max_bytes.shape) == (0.0, (0, 0))
    followed = simulated(made, 0.2, pool_interval_ns=20_000)
    assert followed.pool_interval_ns == 20_000
    intervals = int(followed.window_ns // 20_000)
    means, maxima = followed.pool_series_mean_bytes, followed.pool_series_max_bytes
    assert means.shape == maxima.shape == (intervals, fabric.host_count)
    assert (means.dtype, maxima.dtype) == (np.float32, np.uint32)
    assert (means <= maxima).all()
    assert (maxima.max(axis=0) <= followed.pool_max_bytes).all()
    assert int(maxima.max()) > 0
    np.testing.assert_array_equal(followed.pool_mean_bytes, whole.pool_mean_bytes)
    restored = Measurement.from_dict(followed.to_dict(), followed.arrays())
    np.testing.assert_array_equal(restored.pool_series_mean_bytes, means)


def test_links_have_the_rates_and_lengths_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mixed.json"
    weft.write_fabric(weft.mesh(2, 1, 1), path)
    document = json.loads(path.read_text())
    for link, rate in zip(document["links"], (None, "0.64 Gbit/s", "1.28 Gbit/s"), strict=True):
        if rate is not None:
            link["rate"] = rate
    document["links"][2]["metres"] = 20
    path.write_text(json.dumps(document))
    fabric = weft.read_fabric(path).fabric
    routing = weft.route(fabric, "updown")
    larger = weft.hardware(buffer_bytes=128)
    # From the fast host: 8 + 24, 16 cycles along 20 m, 24; 12 flits of two cycles after the head.
    fast = weft.idle_latency(fabric, routing, larger, "host0", "host1", [10])
    assert fast == [(8 + 24 + 16 + 24 + 9 + 2 * 12) * CYCLE_NS]
    with pytest.raises(weft.HardwareError, match=r"on link .* needs at least 88"):
        weft.idle_latency(fabric, routing, weft.hardware(), "host0", "host1", [10])
    # A load is a share of each host's own link: 1 and 1/2 of a byte per cycle.
    measured = weft.simulate(fabric, routing, larger, weft.Traffic(load=0.2))
    assert measured.accepted_load == pytest.approx(0.2, rel=0.02)
    assert measured.host_accepted_load == pytest.approx([0.2, 0.2], rel=0.05)
    both_bytes_per_ns = 0.2 * 1.5 / CYCLE_NS
    assert measured.offered_bytes_per_ns_per_switch == pytest.approx(both_bytes_per_ns / 2)


def test_messages_between_unknown_hosts_are_refused() -> None:
    for other, size_bytes, text in (
        ("hst1", 1, "found host “hst1”, .*did you mean “host1”"),
        ("host0", 1, "source and destination are both “host0”"),
        ("host1", 0, "a message of 0 bytes"),
    ):
        with pytest.raises(weft.InputError, match=text):
            weft.idle_latency(*pair(), weft.hardware(), "host0", other, [size_bytes])


def test_the_original_firmware_knows_no_stops_in_transit() -> None:
    made = routed(weft.torus(4, 4, hosts_per_switch=2), "ud_itb")
    hardware = weft.hardware(nic="firmware", firmware="original")
    with pytest.raises(weft.RoutingError, match="the original firmware of NICs does not handle"):
        weft.simulate(*made, hardware, weft.Traffic())
