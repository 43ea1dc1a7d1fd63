"""The stage hardware: presets, changes, files, errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import weft

if TYPE_CHECKING:
    from pathlib import Path


def test_myrinet_has_the_published_constants() -> None:
    hardware = weft.hardware("myrinet")
    assert hardware.preset == "myrinet"
    assert hardware.cycle_ns == 6.25
    assert hardware.link_rate_bytes_per_ns == pytest.approx(0.16)
    parameters = hardware.parameters
    assert parameters["routing_delay_ns"] == 150.0
    assert parameters["buffer_bytes"] == 80
    assert parameters["stop_above_bytes"] == 56
    assert parameters["go_below_bytes"] == 40
    assert parameters["in_transit_pool_bytes"] == 512 * 1024
    assert parameters["overflow"] == "host_memory"


def test_every_parameter_of_every_preset_is_documented() -> None:
    for preset in weft.hardware_presets():
        assert preset.summary
        known = weft.hardware_parameters(preset.name)
        assert [parameter.name for parameter in known] == list(
            weft.hardware(preset.name).parameters
        )
        for parameter in known:
            assert parameter.summary
            assert parameter.source
            assert parameter.range
            assert (parameter.unit == "") == (parameter.type == "choice")


def test_infiniband_and_rhinet_are_cut_through_hardware() -> None:
    names = [preset.name for preset in weft.hardware_presets()]
    assert names[:4] == ["myrinet", "infiniband_1x", "infiniband_1x_headers", "rhinet2"]
    kinds = {name: weft.hardware(name).switching for name in names}
    assert kinds.pop("myrinet") == "wormhole"
    assert set(kinds.values()) == {"cut_through"}
    infiniband = weft.hardware("infiniband_1x", lanes=2)
    assert infiniband.cycle_ns == 4.0
    assert infiniband.parameters["lanes"] == 2
    assert weft.hardware("infiniband_1x", lanes=np.int64(2)) == infiniband
    assert weft.hardware("rhinet2").cycle_ns == pytest.approx(32 / 3)
    with pytest.raises(weft.HardwareError, match="did you mean “infiniband_hdr”"):
        weft.hardware_parameters("infiniband_hd")


def test_changes_are_values_in_the_unit_of_the_name() -> None:
    changed = weft.hardware("myrinet", routing_delay_ns=200, overflow="drop")
    assert changed.parameters["routing_delay_ns"] == 200.0
    assert changed.parameters["overflow"] == "drop"
    assert changed != weft.hardware()
    assert changed == weft.hardware(overflow="drop", routing_delay_ns=200.0)
    assert repr(changed) == "<Hardware myrinet, routing_delay_ns=200, overflow=drop>"


def test_toml_reads_back_the_same(tmp_path: Path) -> None:
    hardware = weft.hardware(cable_metres=3.5, local_equal_at_packets=2)
    path = tmp_path / "machine.toml"
    path.write_text(hardware.to_toml(), encoding="utf-8")
    assert weft.read_hardware(path) == hardware
    assert weft.read_hardware(path, cable_metres=10, local_equal_at_packets=8) == weft.hardware()


@pytest.mark.parametrize(
    ("preset", "changes", "text"),
    [
        ("myrinet", {"routing_delay": 150}, "did you mean “routing_delay_ns”"),
        ("myrinet", {"arbitration": "wait_time"}, "did you mean “waiting_time”"),
        ("myrinett", {}, "“myrinett”, expected one of myrinet"),
        ("infiniband_1x", {"in_transit_pool_bytes": 1}, "expected other hardware, of myrinet"),
        # The least that holds its thresholds is named.
        ("myrinet", {"buffer_bytes": 71}, "needs at least 72"),
        ("myrinet", {"buffer_bytes": 80.5}, r"found “80\.5” for parameter buffer_bytes"),
        ("myrinet", {"cable_metres": True}, "cable_metres: found True, expected a number"),
        ("myrinet", {"timeout_ns": -1.0}, r"found “-1\.0” for parameter timeout_ns"),
        ("myrinet", {"routing_delay_ns": -1}, "found “-1” for parameter routing_delay_ns"),
    ],
)
def test_hardware_that_cannot_be_is_refused(
    preset: str, changes: dict[str, float | str], text: str
) -> None:
    with pytest.raises(weft.HardwareError, match=text):
        weft.hardware(preset, **changes)


def test_a_buffer_that_just_holds_its_thresholds_is_taken() -> None:
    assert weft.hardware(buffer_bytes=72).parameters["buffer_bytes"] == 72


def test_a_wrong_line_of_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    path.write_text('preset = "myrinet"\n\nrouting_delays_ns = 150\n', encoding="utf-8")
    with pytest.raises(weft.HardwareError, match=r"machine\.toml:3:1: .*did you mean") as caught:
        weft.read_hardware(path)
    assert "routing_delay_ns" in str(caught.value)


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(weft.InputError, match=r"absent\.toml: no such file or directory; expected"):
        weft.read_hardware(tmp_path / "absent.toml")


def test_a_binary_file_is_a_format_error(tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    path.write_bytes(b"preset\xff\x00")
    with pytest.raises(weft.FormatError, match="byte 6 is not UTF-8"):
        weft.read_hardware(path)
