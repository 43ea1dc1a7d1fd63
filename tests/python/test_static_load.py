"""Static bounds beside throughputs: three routings whose figures are worked by hand."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest
from synthetic import SyntheticRouting, SyntheticStages

import weft
from weft.errors import StudyError
from weft.static_load import LoadedRouting, correlate, counterexamples, loaded_routings
from weft.study import compare

if TYPE_CHECKING:
    from pathlib import Path

    from weft.channel_loads import LoadFigures
    from weft.results import Results


@dataclass
class BoundedStages(SyntheticStages):
    """Synthetic stages with a static bound for each routing."""

    bounds: dict[str, float] = field(
        default_factory=lambda: {"early": 0.2, "plateau": 0.4, "late": 0.3, "cyclic": 0.5}
    )

    def load_figures(self, fabric: weft.Fabric, routing: SyntheticRouting) -> LoadFigures:
        figures = super().load_figures(fabric, routing)
        return replace(figures, saturation_bound=self.bounds[routing.label])


def studied(path: Path, pattern: str = "uniform") -> Results:
    return compare(
        weft.irregular(8, seed=1),
        ["early", "cyclic", "plateau", "late"],
        traffic=weft.Traffic(pattern),
        loads=[0.11, 0.17, 0.23, 0.29],
        seeds=[1, 2, 3],
        results=path,
        study="small",
        stages=BoundedStages(),
    )


def test_every_simulated_routing_has_its_bound_beside_its_throughput(tmp_path: Path) -> None:
    with studied(tmp_path / "r.sqlite") as results:
        rows = loaded_routings(results)
    assert [(row.study, row.label, row.saturation_bound) for row in rows] == [
        ("small", "early", 0.2),
        ("small", "plateau", 0.4),
        ("small", "late", 0.3),
    ]
    # Seeds 1, 2, 3 give v·(1 + 1e-4·seed): mean v·1.0002, deviation v·1e-4. t is 4.3027; for any of
    # the three loads on the plateau, 1 - 0.025 / 3 instead of 1 - 0.025, it is 7.6488.
    expected = zip(rows, [0.11, 0.17, 0.23], [4.30265, 7.64885, 4.30265], strict=True)
    for row, carried, quantile in expected:
        assert row.throughput_load == pytest.approx(carried * 1.0002)
        assert row.half_width == pytest.approx(carried * 1e-4 * quantile / math.sqrt(3), rel=1e-4)
        # The synthetic figures have something on each of three lanes.
        assert row.lanes == 3
    assert rows[0].reached == pytest.approx(0.55 * 1.0002)


def test_bounds_and_throughputs_are_correlated(tmp_path: Path) -> None:
    with studied(tmp_path / "r.sqlite") as results:
        found = correlate(loaded_routings(results))
    # From the means: bounds -0.1, 0.1, 0; throughputs -0.06, 0, 0.06: 0.006 / √(0.02 · 0.0072).
    assert found.linear == pytest.approx(0.5)
    # Ranks 1, 3, 2 and 1, 2, 3.
    assert found.ranks == pytest.approx(0.5)
    assert found.count == 3


def test_the_pair_in_the_other_order_is_the_counterexample(tmp_path: Path) -> None:
    with studied(tmp_path / "r.sqlite") as results:
        (pair,) = counterexamples(loaded_routings(results))
    assert (pair.promises.label, pair.carries.label) == ("plateau", "late")
    assert pair.factor == pytest.approx(23 / 17)


def row(study: str, label: str, bound: float, carried: float, half_width: float) -> LoadedRouting:
    return LoadedRouting(study, label, bound, carried, half_width, lanes=1)


def test_only_intervals_apart_on_one_fabric_make_counterexamples() -> None:
    rows = [
        row("a", "promises", 0.4, 0.10, 0.02),
        row("a", "carries", 0.3, 0.15, 0.02),
        row("a", "overlaps", 0.3, 0.15, 0.05),
        row("a", "untold", 0.3, 0.30, math.nan),
        row("a", "single", 0.3, 0.30, math.inf),
        row("a", "as high", 0.4, 0.30, 0.01),
        row("a", "carries most", 0.2, 0.20, 0.01),
        row("b", "elsewhere", 0.3, 0.30, 0.01),
    ]
    found = counterexamples(rows)
    # 0.15 ± 0.02 and 0.20 ± 0.01 are apart by 0.02 as well; 0.15 ± 0.05 and 0.20 ± 0.01 overlap.
    assert [(pair.promises.label, pair.carries.label) for pair in found] == [
        ("promises", "carries most"),
        ("promises", "carries"),
        ("carries", "carries most"),
    ]
    assert found[0].factor == pytest.approx(2.0)


def test_lanes_are_those_that_packets_took(tmp_path: Path) -> None:
    fabric = weft.irregular(8, seed=1)
    routings = ["updown", "nue:lanes=2"]
    found = {}
    for preset in ("infiniband_1x", "myrinet"):
        with compare(
            fabric,
            routings if preset == "infiniband_1x" else routings[:1],
            preset,
            loads=[0.1],
            max_packets=2000,
            results=tmp_path / preset,
        ) as results:
            found[preset] = [row.lanes for row in loaded_routings(results)]
    assert found == {"infiniband_1x": [1, 2], "myrinet": [1]}


def test_other_traffic_is_refused(tmp_path: Path) -> None:
    with (
        studied(tmp_path / "r.sqlite", "complement") as results,
        pytest.raises(StudyError, match="study small has complement; expected uniform"),
    ):
        loaded_routings(results)
