"""Shares, sizes and times, with units and without."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from command import done, refused, weft

import weft as library
from weft.errors import HardwareError, InputError, TrafficError
from weft.quantities import (
    parse_length,
    parse_quantity,
    parse_rate,
    parse_share,
    parse_size,
    parse_time,
)

if TYPE_CHECKING:
    from pathlib import Path


def test_numbers_with_units_are_plain_numbers() -> None:
    assert [parse_share(text) for text in ("0.1", "10%", "10 %", ".1", "1e-1")] == [0.1] * 5
    sizes = {"512": 512, "512B": 512, "64KiB": 65536, "2 kB": 2000, "1.5MB": 1_500_000}
    assert {text: parse_size(text) for text in sizes} == sizes
    fractions = [f"{number / 1000:.3f}" for number in range(1000, 12_000)]
    assert [parse_size(f"{text}kB") for text in fractions] == list(range(1000, 12_000))
    times = {"150": 150, "150ns": 150, "0.15us": 150, "0.15µs": 150, "2ms": 2e6, "1s": 1e9}
    assert {text: parse_time(text) for text in times} == pytest.approx(times)
    assert parse_quantity("timeout_ns", "1.5ms") == "1500000"
    assert parse_quantity("buffer_bytes", "4KiB") == "4096"
    rates = {"100": 100, "100 Gbit/s": 100, "0.4Tbit/s": 400, "50GB/s": 400, "1.25bytes/ns": 10}
    assert {text: parse_rate(text) for text in rates} == pytest.approx(rates)
    assert [parse_length(text) for text in ("3", "3m", "300cm", "0.003km")] == [3] * 4
    assert parse_quantity("link_gbit_per_s", "12.5GB/s") == "100"
    assert parse_quantity("cable_metres", "50cm") == "0.5"
    assert parse_quantity("link_rates", "fabric") == "fabric"
    assert parse_quantity("lanes", "4") == "4"


@pytest.mark.parametrize(
    "text", ["", "x", "10x", "%", "1e999", "1e9999999999999999999", "nan", "1,5", "0.1 0.2"]
)
def test_what_is_no_quantity_is_refused_with_what_was_expected(text: str) -> None:
    for parse, expected in (
        (parse_share, "a share such as 0.1 or 10%"),
        (parse_size, "whole bytes, such as 512, 64KiB or 2MB"),
        (parse_time, "a time such as 150, 150ns or 1.5us"),
        (parse_rate, "a rate such as 100, 100Gbit/s or 12.5GB/s"),
        (parse_length, "a length such as 3, 3m or 50cm"),
    ):
        with pytest.raises(InputError, match=f"found “{text}”, expected {expected}"):
            parse(text)


def test_half_a_byte_is_no_size() -> None:
    with pytest.raises(InputError, match=r"found “1\.5”, expected whole bytes"):
        parse_size("1.5")


def test_a_load_is_a_share_everywhere(net: Path) -> None:
    asked = ("simulate", net, "--routing", "updown", "--max-packets", "2000", "--json", "--load")
    plain, percent = (done(*asked, load).document["measurement"] for load in ("0.05", "5%"))
    assert plain["accepted_load"] == percent["accepted_load"]
    refused("expected more than 0 and at most 1, as a share of the link rate", *asked, "10")
    refused("expected a share such as 0.1 or 10%", *asked, "10x")
    refused("load 1.5: expected more than 0 and at most 1", "compare", net, "--loads", "0.1,1.5")
    refused("found “a”, expected a share", "compare", net, "--loads", "0.1,a")
    with pytest.raises(TrafficError, match="at most 1, as a share of the link rate of a host"):
        library.Traffic(load=10)


def test_sizes_and_times_have_units(net: Path) -> None:
    asked = ("collective", "allreduce", "--fabric", net, "--routing", "updown", "--json")
    plain = done(*asked, "--bytes", "2048", "--set", "routing_delay_ns=100").document
    units = done(*asked, "--bytes", "2KiB", "--set", "routing_delay_ns=0.1us").document
    assert plain == units
    refused("whole bytes, such as 512, 64KiB or 2MB", *asked, "--bytes", "2Kib")


def test_the_command_alone_is_help() -> None:
    ended = weft()
    assert (ended.code, ended.stderr) == (0, "")
    assert ended.stdout.startswith("Usage: weft [OPTIONS] ")
    assert ended.stdout == done("--help").stdout


def test_notes_that_are_no_lines_count_none(tmp_path: Path) -> None:
    dump = tmp_path / "named.ibnetdiscover"
    library.write_fabric(library.torus(2, 2, hosts_per_switch=1), dump)
    text = dump.read_text().replace('"host1"', '"host0"').replace('"host2"', '"host0"')
    dump.write_text(text)
    told = weft("prove", dump, "updown").stderr
    assert f"note: {dump}: of note:" in told
    assert "0 lines" not in told


def test_hardware_files_have_units_where_options_have_them(tmp_path: Path) -> None:
    file = tmp_path / "slow.toml"
    file.write_text('preset = "myrinet"\nrouting_delay_ns = "0.2us"\n  buffer_bytes="4KiB" # 4\n')
    found = library.read_hardware(file).parameters
    assert (found["routing_delay_ns"], found["buffer_bytes"]) == (200, 4096)
    file.write_text('preset = "myrinet"\n\nrouting_delay_ns = "0.2km"\n')
    with pytest.raises(
        HardwareError, match=r"slow.toml:3: parameter routing_delay_ns: found “0\.2km”"
    ):
        library.read_hardware(file)
    file.write_text('preset = "myrinet"\nrouting_delay_ns = "fast"\n')
    with pytest.raises(HardwareError, match=r"slow.toml:2:20: found “\"fast\"” for parameter"):
        library.read_hardware(file)


def test_rates_lengths_and_the_messaging_layer_take_units(net: Path, tmp_path: Path) -> None:
    plain = done("hardware", "--hardware", "infiniband_edr", "--set", "link_gbit_per_s=200",
                 "--set", "cable_metres=3")  # fmt: skip
    units = done("hardware", "--hardware", "infiniband_edr", "--set", "link_gbit_per_s=25GB/s",
                 "--set", "cable_metres=300cm")  # fmt: skip
    assert plain == units
    timed = ("collective", "allreduce", "--bytes", "8KiB", "--fabric", net, "--routing", "updown")
    assert done(
        *timed, "--messaging", "packet_bytes=1KiB", "--messaging", "send_message_ns=2us"
    ) == (done(*timed, "--messaging", "packet_bytes=1024", "--messaging", "send_message_ns=2000"))
    refused("--messaging packet_bytes=1km: found “1km”, expected whole bytes", *timed,
            "--messaging", "packet_bytes=1km")  # fmt: skip
    refused("--messaging blocking=yes: expected a number", *timed, "--messaging", "blocking=yes")
    study = tmp_path / "study.toml"
    study.write_text(
        '[[fabrics]]\nfile = "net.json"\n[[hardware]]\npreset = "infiniband_edr"\n'
        'link_gbit_per_s = "25GB/s"\ncable_metres = "50cm"\n'
    )
    study.with_name("net.json").write_bytes(net.read_bytes())
    (case,) = library.study.read_study(study).cases
    values = case.spec.hardware.parameters
    assert (values["link_gbit_per_s"], values["cable_metres"]) == (200, 0.5)
