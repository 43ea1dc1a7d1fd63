"""Low traffic: what stops in transit cost there, and where latency has doubled."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING

import pytest
from synthetic import SyntheticStages

import weft
from weft.reproduce.low_load import at_share, at_traffic, penalties
from weft.reproduce.questions import condition, per_routing, where
from weft.spec.study import StudySpec
from weft.study import Case

if TYPE_CHECKING:
    from pathlib import Path

UD, ITB = "simple_routes:root=0", "ud_itb:per=switch,root=0"
KEYS = ("fabrics.switches", "traffic.payload_bytes")


def measured(path: Path, loads: list[float], most: float) -> tuple[Case, weft.Results]:
    fabric = weft.irregular(8, seed=1)
    results = weft.compare(
        fabric,
        [UD, ITB],
        "myrinet",
        weft.Traffic(payload_bytes=32),
        loads=loads,
        results=path,
        stages=SyntheticStages(curves=dict.fromkeys((UD, ITB), lambda load: min(load, most))),
    )
    settings = {"fabrics.switches": 8, "traffic.payload_bytes": 32}
    return Case("a", fabric, results.spec, settings), results


def test_a_penalty_is_that_of_runs_with_eight_seeds_at_a_share_of_the_throughput(
    tmp_path: Path,
) -> None:
    case, results = measured(tmp_path / "r.sqlite", [0.05, 0.1], 0.1)
    with results:
        share = penalties("latency of ITB over UD", UD, ITB, KEYS, at_share(0.3))
        (row,) = share([(case, results)])
        # Four hosts of 0.16 bytes/ns each send 0.0192 at a load of 0.03.
        traffic = penalties("latency of ITB over UD", UD, ITB, KEYS, at_traffic(0.0192))
        assert traffic([(case, results)])[0].value == pytest.approx(row.value)
        less = penalties("latency of ITB over UD", UD, ITB, KEYS, at_traffic(0.0096))
        assert less([(case, results)])[0].value != pytest.approx(row.value)
    assert row.condition == "8 switches, 32 bytes"
    assert row.quantity == "latency of ITB over UD, average, %"

    def latency_ns(label: str) -> float:
        return fmean(
            weft.simulate(
                case.fabric,
                weft.route(case.fabric, label),
                weft.hardware("myrinet"),
                weft.Traffic(load=0.03, payload_bytes=32, seed=seed),
                precision=0.002,
                max_packets=12_500,
            ).generation_latency_ns.mean
            for seed in range(1, 9)
        )

    assert row.value == pytest.approx(100 * (latency_ns(ITB) / latency_ns(UD) - 1), abs=0.01)
    assert row.value > 2, "stops in transit cost a packet of 32 bytes some per cent"


def test_extremes_of_penalties_are_those_of_the_papers_topologies_of_all_sizes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, results = measured(tmp_path / "r.sqlite", [0.05, 0.1], 0.1)

    def latency_ns(found: Case, label: str, load: float) -> float:
        assert load == pytest.approx(0.03)
        return 100.0 + (found.settings["fabrics.seed"] if label == ITB else 0)

    monkeypatch.setattr("weft.reproduce.low_load._latency_ns", latency_ns)

    def most(sizes: tuple[int, ...], seeds: range) -> float:
        kinds = [
            replace(case, settings={"fabrics.switches": size, "fabrics.seed": seed})
            for size in sizes
            for seed in seeds
        ]
        rows = penalties("q", UD, ITB, (), at_share(0.3))([(kind, results) for kind in kinds])
        (row,) = (row for row in rows if row.quantity == "q, maximum, %")
        return row.value

    with results:
        assert most((8,), range(1, 12)) == pytest.approx(11 - 1 / 11)
        # Twenty of two sizes are not ten of one.
        assert most((8, 16), range(1, 11)) == pytest.approx(10)


def test_the_knee_stands_beside_the_throughput(tmp_path: Path) -> None:
    case, results = measured(tmp_path / "r.sqlite", [0.01, 0.1, 0.2, 0.3], 0.1)
    with results:
        rows = per_routing(KEYS, names={UD: "UD"}, of=(UD,))([(case, results)])
        none = where("fabrics.switches", [16], per_routing(KEYS, ("knee",)))
        assert none([(case, results)]) == []
        quantities = [row.quantity for row in rows]
        assert quantities[1].startswith("UD: knee, where latency is 2 times that of the lowest")
        assert rows[1].value == pytest.approx(
            results.routing(UD).knee.accepted_bytes_per_ns_per_switch, nan_ok=True
        )
    reading = weft.Reading(knee_factor=1.25)
    with weft.Results.open_all(tmp_path / "r.sqlite", reading=reading) as opened:
        (earlier,) = opened.values()
        (row,) = per_routing(KEYS, ("knee",), of=(UD,))([(case, earlier)])
        assert ": knee, where latency is 1.25 times that of the lowest" in row.quantity
        assert row.value == earlier.routing(UD).knee.accepted_bytes_per_ns_per_switch


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("uniform", "uniform"),
        ("local:radius=3,counted=switches", "local, l = 3"),
        ("hotspot:share=5,seed=2", "hotspot of 5 %"),
        ("hotspot:share=20,count=4", "4 hotspots of 20 %"),
        ("hotspot:hosts=host1", "hotspot:hosts=host1"),
    ],
)
def test_patterns_are_said_as_papers_do(pattern: str, words: str) -> None:
    fabric = weft.irregular(8, seed=1)
    spec = StudySpec(("updown",), weft.hardware("myrinet"), weft.Traffic())
    case = Case("a", fabric, spec, {"traffic.pattern": pattern})
    assert condition(case, ("traffic.pattern",)) == words
