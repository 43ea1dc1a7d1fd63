"""The knee, the choice of the throughput, and links at the same traffic, on results by hand."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from command import done, refused
from synthetic import measurement

import weft
from weft.errors import InputError
from weft.export import export_results
from weft.results import LinkUse, Point, ProofSummary, RoutingResult
from weft.results.knee import is_knee_beyond, knee, knee_bracket
from weft.results.link_use import link_use
from weft.results.throughput import is_saturated, throughput

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

FABRIC = weft.irregular(8, seed=1)


def point(
    load: float, latency_ns: float, half_width_ns: float = 0.0, seed: int = 1, share: float = 1.0
) -> Point:
    """A point that accepts a share of what is offered, at a mean latency."""
    found = measurement(FABRIC, load, share * load)
    latency = replace(found.generation_latency_ns, mean=latency_ns, mean_half_width=half_width_ns)
    return Point(load, seed, replace(found, generation_latency_ns=latency))


def per_load(one: Point) -> float:
    found = one.measurement
    return found.accepted_bytes_per_ns_per_switch / found.accepted_load


def test_a_knee_that_no_load_reaches_is_told_from_one_that_is_not_known() -> None:
    idle, busy = point(0.1, 1000), point(0.5, 1900)
    assert is_knee_beyond([idle, busy])
    assert not is_knee_beyond([idle, busy], 1.5)
    # A lowest load that is none of an idle network tells nothing, nor does one that has no latency.
    assert not is_knee_beyond([point(0.2, 1000), busy])
    assert not is_knee_beyond([idle, busy, point(0.6, math.nan)])
    assert not is_knee_beyond([])


def test_the_knee_lies_where_an_exponential_reaches_twice_the_unloaded_latency() -> None:
    # From 1,000 to 4,000 ns between loads 0.2 and 0.4: twice 1,000 is half way in logarithms.
    points = [point(0.01, 1000), point(0.2, 1000), point(0.4, 4000), point(0.5, 1e6, share=0.8)]
    found = knee(points)
    assert found is not None
    assert found.accepted_load == pytest.approx(0.3)
    assert found.accepted_bytes_per_ns_per_switch == pytest.approx(0.3 * per_load(points[0]))
    assert found.latency_ns == 2000
    assert found.half_width == 0
    assert "2 times the 1000 ns of load 0.01 between loads 0.2 (1000 ns) and 0.4" in found.rule
    # Four times is reached at the point itself.
    quadruple = knee(points, 4.0)
    assert quadruple is not None
    assert quadruple.accepted_load == pytest.approx(0.4)


def test_the_interval_of_the_knee_is_where_the_ends_of_the_latencies_cross() -> None:
    points = [point(0.01, 1000), point(0.2, 1000, 100), point(0.4, 4000, 400)]
    found = knee(points)
    assert found is not None
    # 1,100 to 4,400 and 900 to 3,600 cross 2,000 this far on.
    ends = [0.2 + 0.2 * math.log(2000 / low) / math.log(4) for low in (1100, 900)]
    width = max(abs(end - 0.3) for end in ends) * per_load(points[0])
    assert found.half_width == pytest.approx(width)


def test_seeds_count_with_their_mean_and_their_spread() -> None:
    points = [
        point(0.01, 1000, seed=1),
        point(0.01, 1000, seed=2),
        point(0.2, 900, seed=1),
        point(0.2, 1100, seed=2),
        point(0.4, 4000, seed=1),
        point(0.4, 4000, seed=2),
    ]
    found = knee(points)
    assert found is not None
    assert found.accepted_load == pytest.approx(0.3)
    # Two seeds 200 ns apart: ± 12.7 · 100 ns, more than the latency itself, crosses nowhere.
    assert math.isnan(found.half_width)


def test_there_is_no_knee_without_an_unloaded_network_or_a_rise() -> None:
    assert knee([]) is None
    assert knee([point(0.2, 1000), point(0.4, 4000)]) is None, "0.2 is half of the largest"
    assert knee([point(0.01, 1000), point(0.2, 1999)]) is None
    assert knee([point(0.01, math.nan), point(0.2, math.nan)]) is None


def test_an_interval_needs_both_ends_and_counts_the_unloaded_latency() -> None:
    # 2,100 ± 1,000 ns: the curve through the lower ends never reaches 2,000.
    one_end = knee([point(0.01, 1000), point(0.2, 1000), point(0.4, 2100, 1000)])
    assert one_end is not None
    assert math.isnan(one_end.half_width)
    # 1,000 ± 100 ns unloaded: twice that is 1,800 to 2,200.
    points = [point(0.01, 1000, 100), point(0.2, 1000), point(0.4, 4000)]
    found = knee(points)
    assert found is not None
    ends = [0.2 + 0.2 * math.log(ratio) / math.log(4) for ratio in (1.8, 2.2)]
    width = max(abs(end - 0.3) for end in ends) * per_load(points[0])
    assert found.half_width == pytest.approx(width)


def test_a_knee_beside_a_latency_without_an_interval_has_none() -> None:
    # Counted as known exactly, the latency of 6,000 ns would make the knee known to 0.3 %.
    points = [point(0.01, 1000, 2), point(0.2, 1500, 3), point(0.25, 6000, math.nan)]
    found = knee(points)
    assert found is not None
    assert 0.2 < found.accepted_load < 0.25
    assert math.isnan(found.half_width)
    below = knee([points[0], point(0.2, 1500, math.nan), point(0.25, 6000, 60)])
    assert below is not None
    assert math.isnan(below.half_width)
    unloaded = knee([point(0.01, 1000, math.nan), point(0.2, 1500, 3), point(0.25, 6000, 60)])
    assert unloaded is not None
    assert math.isnan(unloaded.half_width)
    # What lies beyond is not asked.
    beyond = [points[0], point(0.2, 1500, 3), point(0.25, 6000, 60), point(0.3, 1e6, math.nan)]
    known = knee(beyond)
    assert known is not None
    assert math.isfinite(known.half_width)


def test_a_latency_of_twice_the_first_is_the_knee_itself() -> None:
    assert knee_bracket([1000, 1500, 2000, 2000.1]) == 1
    assert knee_bracket([1000, 1500, 1999.9, 2000.1]) == 2
    assert knee_bracket([1000, 1500]) is None


def test_saturation_is_less_than_95_percent_of_what_is_offered_or_a_reason() -> None:
    assert not is_saturated(1.0, 0.95, "steady")
    assert is_saturated(1.0, 0.9499, "steady")
    assert not is_saturated(0.2, 0.2, "budget")
    for reason in ("saturated", "deadlocked"):
        assert is_saturated(0.2, 0.2, reason)


def test_a_throughput_is_the_mean_over_the_seeds() -> None:
    points = [Point(0.2, seed, measurement(FABRIC, 0.2, at)) for seed, at in ((1, 0.1), (2, 0.14))]
    found = throughput(points)
    assert found is not None
    assert found.accepted_load == pytest.approx(0.12)
    assert found.accepted_bytes_per_ns_per_switch == pytest.approx(0.12 * per_load(points[0]))
    # ± t(0.975, 1) · 0.02 / √1 of loads 0.04 apart: 12.706 · 0.02.
    assert found.half_width == pytest.approx(12.7062 * 0.02 * per_load(points[0]), rel=1e-4)


def test_the_interval_of_a_throughput_counts_the_loads_it_was_chosen_from() -> None:
    def at(load: float, accepted: float) -> Point:
        found = measurement(FABRIC, load, accepted)
        return Point(load, 1, replace(found, accepted_load_half_width=0.002))

    alone = throughput([at(0.1, 0.1), at(0.2, 0.17)])
    # 0.169 lies within 0.002 of the largest, 0.1 does not: 97.5 % become 98.75 %.
    chosen = throughput([at(0.1, 0.1), at(0.2, 0.169), at(0.3, 0.17)])
    assert alone is not None
    assert chosen is not None
    assert chosen.half_width / alone.half_width == pytest.approx(2.241403 / 1.959964)


class _Study:
    """As much of a study's results as links are read from."""

    reading = weft.Reading()

    def __init__(self, routings: list[RoutingResult]) -> None:
        self.fabric = FABRIC
        self.routings = routings
        self.spec: Any = type("Spec", (), {"hardware": weft.hardware("rhinet2")})

    def array(self, label: str, load: float, seed: int | None, name: str) -> NDArray[np.float32]:
        """Channel c is busy for load · (1 + c mod 3), and blocked for a tenth of that."""
        use = load * (1 + np.arange(FABRIC.channel_count) % 3)
        return np.asarray(use / 10 if name == "channel_blocked" else use, dtype=np.float32)


def _studied(loads: dict[str, dict[float, float]]) -> Any:  # noqa: ANN401 - stands for results
    proof = ProofSummary(True, "deadlock-free", "proved")
    made = []
    for label, accepted in loads.items():
        points = [Point(at, 1, measurement(FABRIC, at, got)) for at, got in accepted.items()]
        found = throughput(points)
        made.append(RoutingResult(label, label, label, {}, None, proof, None, points, found))
    return _Study(made)


def _use(found: Any, at: str | None) -> list[LinkUse]:  # noqa: ANN401 - stands for results
    found.reading = weft.Reading(at=at)
    return link_use(found)


def test_links_are_told_at_the_same_traffic_between_the_loads_simulated() -> None:
    study = _studied({"a": {0.1: 0.1, 0.3: 0.3}, "b": {0.05: 0.05, 0.2: 0.2}})
    of_a, of_b = _use(study, "0.15load")
    between = np.asarray(FABRIC.is_switch_channel, dtype=bool)
    use = 0.15 * (1 + np.arange(FABRIC.channel_count) % 3)[between]
    for found in (of_a, of_b):
        assert found.note == ""
        assert found.load == pytest.approx(0.15)
        assert found.utilization_mean == pytest.approx(use.mean(), rel=1e-6)
        assert found.utilization_least == pytest.approx(0.15)
        assert found.utilization_most == pytest.approx(0.45)
        assert found.share_below_10_percent == 0
        assert found.share_above_30_percent == pytest.approx((use > 0.31).mean())
        assert found.share_above_50_percent == 0
        assert found.blocked_most == pytest.approx(0.045)
    # From an idle network on, below the lowest load.
    assert _use(study, "2%")[0].utilization_most == pytest.approx(0.06)


def test_links_are_told_by_what_is_accepted_of_a_load() -> None:
    # Of 0.3 offered 0.2 are accepted: 0.15 lies half way from there to 0.1, at a load of 0.2.
    (found,) = _use(_studied({"a": {0.1: 0.1, 0.3: 0.2}}), "0.15load")
    assert found.utilization_least == pytest.approx(0.2)
    assert found.utilization_most == pytest.approx(0.6)


def test_traffic_has_a_unit_and_is_carried_or_said_not_to_be() -> None:
    study = _studied({"a": {0.1: 0.1, 0.3: 0.3}, "b": {0.1: 0.1, 0.2: 0.2}})
    traffic_of_link = study.routings[0].throughput.accepted_bytes_per_ns_per_switch / 0.3
    (plain, _), (in_flits, _) = (
        _use(study, text)
        for text in (f"{0.1 * traffic_of_link}", f"{0.1 * traffic_of_link / 8} flits/ns/switch")
    )
    assert in_flits.bytes_per_ns_per_switch == pytest.approx(plain.bytes_per_ns_per_switch)
    carried, not_carried = _use(study, "25%")
    assert carried.note == ""
    most = study.routings[1].throughput.accepted_bytes_per_ns_per_switch
    assert not_carried.note == f"carries at most {most:.4g} bytes/ns/switch"
    assert not_carried.utilization_mean is None
    # 80 % of the least throughput.
    assert _use(study, None)[0].load == pytest.approx(0.16)


def test_a_reading_says_what_it_does_not_understand() -> None:
    for text in ("0", "-1load", "x", "1e999", "nan%"):
        with pytest.raises(InputError, match="expected a positive number"):
            weft.Reading(at=text)
    with pytest.raises(InputError, match="found unit furlongs, expected one of bytes/ns/switch"):
        weft.Reading(at="3furlongs")
    for factor in (1.0, 0.5, -2.0, math.inf, math.nan):
        with pytest.raises(InputError, match=r"knee factor .*: expected a multiple .* above 1"):
            weft.Reading(knee_factor=factor)
    assert weft.Reading(at=0.03).traffic == (0.03, "bytes/ns/switch")


def test_every_table_reads_the_knee_and_the_links_that_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    loads = [0.01, 0.1, 0.2, 0.3, 0.4]
    with weft.compare(FABRIC, ["updown"], loads=loads, max_packets=3000, results=path) as usual:
        of_two = usual.routings[0].knee
    reading = weft.Reading(knee_factor=1.2, at="0.05load")
    with weft.Results.open(path, reading=reading) as found:
        of_less = found.routings[0].knee
        assert of_two is not None
        assert of_less is not None
        assert of_less.accepted_load < of_two.accepted_load
        assert of_less.latency_ns == pytest.approx(0.6 * of_two.latency_ns)
        assert found.ranking()[0].knee_load == of_less.accepted_load
        export_results(found, tmp_path)
        weft.write_report(found, tmp_path / "report.html")
    with (tmp_path / "routings.csv").open(encoding="utf-8") as file:
        (routing,) = csv.DictReader(file)
    assert float(routing["knee_factor"]) == 1.2
    assert float(routing["knee_load"]) == of_less.accepted_load
    with (tmp_path / "link_use.csv").open(encoding="utf-8") as file:
        (use,) = csv.DictReader(file)
    assert float(use["load"]) == pytest.approx(0.05)
    assert float(use["utilization_least"]) < float(use["utilization_mean"])
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "mean latency reaches 1.2 times the unloaded one" in page
    assert "5.0 % of the host link rate" in page or "5 % of the host link rate" in page


def test_commands_read_the_same_way(tmp_path: Path) -> None:
    net = tmp_path / "net.json"
    weft.write_fabric(FABRIC, net)
    out = tmp_path / "out"
    asked = ("--knee", "1.2", "--at", "0.05load")
    compared = (*("compare", net, "--routing", "updown", "--loads", "0.01,0.1,0.2,0.3"), *asked)
    run = (*compared, "--max-packets", "3000", "--out", out)
    printed = done(*run).stdout
    assert "updown, knee: mean latency reaches 1.2 times the" in printed
    assert "(5.0 %):" in printed
    beyond = done(*compared[:-1], "100%", "--max-packets", "3000", "--out", out).stdout
    assert "links between switches: no routing carries" in beyond
    assert "updown: carries at most" in beyond
    assert "where every routing carries" not in beyond
    document = done(*run, "--json", "--no-report").document
    assert document["link_use"][0]["load"] == pytest.approx(0.05)
    assert document["routings"][0]["knee"]["rule"].startswith("mean latency reaches 1.2 times")
    done("report", out, *asked, "-o", tmp_path / "page.html")
    assert "reaches 1.2 times the" in (tmp_path / "page.html").read_text(encoding="utf-8")
    done("export", out, *asked, "-o", tmp_path / "tables")
    assert ",1.2," in (tmp_path / "tables" / "routings.csv").read_text(encoding="utf-8")
    refused("knee factor 1: expected a multiple", "report", out, "--knee", "1")
    refused("found unit furlongs", *compared[:-1], "3furlongs")


def test_a_study_tells_the_links_of_each_case(tmp_path: Path) -> None:
    study = tmp_path / "two.toml"
    study.write_text(
        'title = "two"\nroutings = ["updown"]\nloads = [0.01, 0.1, 0.2]\nmax_packets = 2000\n'
        '[[fabrics]]\ntopology = "irregular"\nswitches = 8\nseed = [1, 2]\n',
        encoding="utf-8",
    )
    run = ("study", "run", study, "--jobs", "1", "--at", "0.05load", "--knee", "1.1")
    printed = done(*run).stdout
    assert "where every routing of a case carries the same traffic:" in printed
    assert printed.count("(5.0 %)") == 2
    document = done(*run, "--json").document
    loads = [use["load"] for found in document["link_use"].values() for use in found]
    assert loads == pytest.approx([0.05, 0.05])
    knees = [rows[0]["knee_load"] for rows in document["cases"].values()]
    assert all(knee is not None for knee in knees)
    beyond = done(*run[:-4], "--at", "90%").stdout
    assert "links between switches: no routing of any case carries the same traffic:" in beyond
    assert beyond.count("(90.0 %): updown: carries at most") == 2


def test_a_fabric_of_one_switch_has_no_links_to_tell_of(tmp_path: Path) -> None:
    weft.write_fabric(weft.mesh(1, 1, hosts_per_switch=3), tmp_path / "one.json")
    run = ("compare", tmp_path / "one.json", "--routing", "updown", "--loads", "0.1,0.3")
    printed = done(*run, "--max-packets", "2000", "--out", tmp_path / "out").stdout
    assert "links between switches" not in printed
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Use of the links" not in page
    assert not done("export", tmp_path / "out", "-o", tmp_path / "tables", "--json").stderr
    assert not (tmp_path / "tables" / "link_use.csv").exists()
