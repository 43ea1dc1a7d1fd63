"""Latency at one load for all: the highest that all carry, and none where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from synthetic import SyntheticStages

import weft
from weft.reproduce.common_load import against, at_common_load
from weft.study import Case

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

POLICY = "hardware.arbitration"
KEYS = ("fabrics.switches", POLICY)

ask = at_common_load(KEYS, POLICY, {"updown": "UD"})


@pytest.fixture
def found(tmp_path: Path) -> Iterator[dict[str, tuple[Case, weft.Results]]]:
    """Three policies on one topology: one carries 0.1, the second 0.2, the third was not tried."""
    made = {
        "a": measured(tmp_path / "a", "a", (0.05, 0.1, 0.15), 0.1),
        "b": measured(tmp_path / "b", "b", (0.05, 0.1, 0.2), 0.2),
        "c": measured(tmp_path / "c", "c", (0.4,), 0.5),
    }
    yield made
    for _, results in made.values():
        results.close()


def measured(
    path: Path, policy: str, loads: Sequence[float], most: float
) -> tuple[Case, weft.Results]:
    """Measure a policy that carries whatever is offered, up to a most."""
    fabric = weft.irregular(8, seed=1)
    results = weft.compare(
        fabric,
        ["updown"],
        "myrinet",
        weft.Traffic(payload_bytes=512),
        loads=list(loads),
        results=path,
        stages=SyntheticStages(curves={"updown": lambda load: min(load, most)}),
    )
    return Case(policy, fabric, results.spec, {"fabrics.switches": 8, POLICY: policy}), results


def test_policies_compare_at_the_highest_load_that_all_carry(
    found: dict[str, tuple[Case, weft.Results]],
) -> None:
    rows = {(row.condition, row.quantity): row.value for row in ask([found["a"], found["b"]])}
    assert rows == {
        (f"8 switches, {policy}", f"UD: {what}"): pytest.approx(value)
        for policy in "ab"
        for what, value in (
            ("highest load that all carry, % of the host link rate", 10),
            # Of the synthetic stages: 900 ns and 1000 ns times the load; at most 2000 ns.
            ("latency at that load, ns", 1000),
            ("longest latency at that load, ns", 2000),
        )
    }


def test_without_a_load_that_all_carry_nothing_is_said(
    found: dict[str, tuple[Case, weft.Results]],
) -> None:
    assert ask([found["a"], found["c"]]) == []
    assert len(ask([found["c"]])) == 3


def test_what_a_policy_gains_is_told_by_throughput_and_latency(
    found: dict[str, tuple[Case, weft.Results]],
) -> None:
    traffic = {"low": 0.5, "high": 1.0}
    gains = against(("fabrics.switches",), POLICY, "a", traffic, ("a", "b"))
    rows = {row.quantity: row for row in gains([found["a"], found["b"]])}
    factor = rows["b: throughput over a, average"]
    assert (factor.condition, factor.count) == ("8 switches", 1)
    assert factor.value == pytest.approx(2)
    assert rows["mean of 2: throughput over a, average"].value == pytest.approx(1.5)
    # Neither waits at what a carries: latencies are the same there.
    for name in traffic:
        for what in ("latency", "longest latency"):
            quantity = f"b: {what} less than a at {name} traffic, average, %"
            assert rows[quantity].value == pytest.approx(0)
    assert not any(quantity.startswith("a:") for quantity in rows)
    assert gains([found["b"], found["c"]]) == []


def test_latency_saved_is_interpolated_at_a_share_of_what_the_other_carries(
    found: dict[str, tuple[Case, weft.Results]],
) -> None:
    # At 1.25 times the 0.1 that a carries, half way between its loads of 0.1 and 0.15: 1000 ns and
    # 1050 ns with the 0.05 that wait, 200 µs for the whole rate; b has 1025 ns there.
    gains = against(("fabrics.switches",), POLICY, "a", {"more": 1.25}, ("a", "b"))
    rows = {row.quantity: row.value for row in gains([found["a"], found["b"]])}
    at_load = (1000 + 11_050) / 2
    quantity = "b: latency less than a at more traffic, average, %"
    assert rows[quantity] == pytest.approx(100 * (1 - 1025 / at_load), rel=1e-3)
