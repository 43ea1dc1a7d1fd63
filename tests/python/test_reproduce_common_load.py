"""Latency at one load for all: the highest that all carry, and none where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from synthetic import SyntheticStages

import weft
from weft.reproduce.common_load import at_common_load
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
