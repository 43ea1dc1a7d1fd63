"""The table of figures, and what is made from it."""

from __future__ import annotations

import inspect
from dataclasses import fields

import measurement_class
import pytest

import weft
from weft import _core
from weft.figure_table import ARRAYS, FIGURES, LatencySummary
from weft.measurement import Measurement
from weft.study import StudySpec


def test_the_class_is_the_one_that_the_table_makes() -> None:
    message = "the table of figures was changed: .venv/bin/python docs/measurement_class.py"
    made = measurement_class.written()
    assert measurement_class.PATH.read_text(encoding="utf-8") == made, message


def test_the_class_has_every_figure_and_its_meaning() -> None:
    told = inspect.getdoc(Measurement) or ""
    assert [known.name for known in fields(Measurement)] == [figure.name for figure in FIGURES]
    for figure in FIGURES:
        assert f"\n{figure.name} : " in told


def test_a_latency_has_the_parts_of_the_core() -> None:
    assert [part.name for part in fields(LatencySummary)] == [
        name for name, _, _ in _core.latency_parts()
    ]


def test_arrays_have_the_axes_they_are_told_to_have() -> None:
    fabric = weft.torus(4, 4, hosts_per_switch=1)
    routing = weft.route(fabric, "updown")
    found = weft.simulate(
        fabric,
        routing,
        weft.hardware("infiniband_1x"),
        weft.Traffic(load=0.1),
        max_packets=3_000,
        pool_interval_ns=10_000,
    )
    lanes = found.lane_utilization.shape[1]
    intervals = found.pool_series_max_bytes.shape[0]
    assert lanes > 0
    assert intervals > 0
    extents = {
        "channel_count": fabric.channel_count,
        "host_count": fabric.host_count,
        "lanes": lanes,
        "intervals": intervals,
    }
    for name, array in found.arrays().items():
        assert array.shape == tuple(extents[axis] for axis in ARRAYS[name].axes)
        assert array.dtype == ARRAYS[name].dtype


def test_what_is_not_given_is_the_cores() -> None:
    told = inspect.getdoc(weft.simulate) or ""
    for precision in _core.default_precision():
        assert f"by default {precision:g}" in told
    assert f"{_core.packets_allowed(0):,}" in told
    assert f"{_core.packets_needed(0):,}" in told


@pytest.mark.parametrize(("hosts", "packets"), [(2, 400_000), (6_000, 400_000), (16_384, 983_040)])
def test_a_study_allows_the_packets_that_the_core_does(hosts: int, packets: int) -> None:
    assert _core.packets_allowed(hosts) == packets


def test_python_and_command_line_stop_at_the_same_packets() -> None:
    fabric = weft.torus(4, 4, hosts_per_switch=2)
    spec = StudySpec(("updown",), weft.hardware(), weft.Traffic()).on(fabric)
    assert spec.max_packets == _core.packets_allowed(fabric.host_count)
    assert spec.on(weft.torus(2, 2, hosts_per_switch=1)) == spec
