"""Numbers and texts beyond all measure: one short error, never a bug, soon and in little memory."""

from __future__ import annotations

import gzip
import tracemalloc
from typing import TYPE_CHECKING

import click
import pytest
from command import done, refused, weft

import weft as library
from weft._files import toml_document
from weft._ranges import number_below, require_whole
from weft.cli import main
from weft.errors import FormatError, InputError, RoutingError
from weft.plots.layout.graph import SwitchGraph

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HUGE = "99999999999999999999999"
DIGITS = "9" * 100_000

#: Of commands with an option that takes a number: what else they need.
NEEDS: dict[str, tuple[str, ...]] = {
    "advise": ("NET", "--lanes", "2"),
    "audit": ("NET",),
    "bandwidth": ("--hardware", "rhinet2", "--fabric", "NET", "--routing", "updown"),
    "collective": ("bcast", "--fabric", "NET", "--routing", "updown"),
    "compare": ("NET", "--loads", "1%", "--routing", "updown", "--out", "OUT"),
    "prove": ("NET", "updown"),
    "replay": ("TRACE", "--fabric", "NET", "--routing", "updown", "--timeline", "TIMES"),
    "route": ("NET", "updown", "--rounds", "shifts"),
    "simulate": ("NET", "--routing", "updown", "--load", "1%", "--max-packets", "100"),
    "fabric show": ("NET",),
    "fabric convert": ("NET", "-o", "MADE"),
    "fabric degrade": ("NET", "--links", "1%", "-o", "MADE"),
    "export opensm": ("NET", "updown", "-o", "OUT"),
}
#: Numbers without an end that means anything: as many as there are, or of what is there alone.
BOUNDLESS = {
    ("advise", "--simulate"),
    ("compare", "--jobs"),
    ("compare", "--knee"),
    ("collective", "--gather-bytes"),
    ("replay", "--flops-per-s"),
    ("replay", "--clock-ns"),
    ("route", "--time-budget"),
}


def options() -> Iterator[tuple[str, str]]:
    """Every option that takes a number, with its command."""

    def walk(command: click.Command, words: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                if (under := command.get_command(context, name)) is not None:
                    yield from walk(under, (*words, name))
            return
        for parameter in command.params:
            is_number = parameter.type.name in ("integer", "integer range", "float", "share")
            if is_number or parameter.type.name in ("bytes", "ns", "float range"):
                yield " ".join(words), parameter.opts[0]

    yield from walk(main, ())


ASKED = [
    (command, option)
    for command, option in options()
    if command in NEEDS and (command, option) not in BOUNDLESS
]


def test_the_options_with_numbers_are_found() -> None:
    assert {("bandwidth", "--messages"), ("route", "--hottest"), ("advise", "--draws")} <= {*ASKED}
    assert len(ASKED) > 40


@pytest.mark.parametrize(("command", "option"), ASKED)
def test_a_huge_number_is_refused(command: str, option: str, net: Path, tmp_path: Path) -> None:
    trace = tmp_path / "a.ti"
    trace.write_text("0 send 1 0 8 0\n1 recv 0 0 8 0\n")
    places = {
        "NET": str(net),
        "TRACE": str(trace),
        **{name: str(tmp_path / name.lower()) for name in ("OUT", "TIMES")},
        "MADE": str(tmp_path / "made.json"),
    }
    needed = [places.get(word, word) for word in NEEDS[command]]
    if option == "--orders":
        needed += ["--order", "ro"]
    number = "1e30" if option in {"--bytes", "--timeline-messages"} else HUGE
    ended = weft(*command.split(), *needed, option, number)
    assert ended.code == 2, ended.stdout + ended.stderr
    assert "a bug in Weft" not in ended.stderr
    assert len(ended.stderr) < 5000


def test_ranges_are_those_of_the_core_in_python_too() -> None:
    fabric = library.mesh(4, 1)
    routing = library.route(fabric, "updown")
    machine = library.hardware("rhinet2")
    for settings in ({"size_bytes": 2**70}, {"messages": 2**70}, {"messages": 0}):
        with pytest.raises(InputError, match="expected a whole number from 1 to"):
            library.bandwidth(fabric, routing, machine, "complement", **settings)
    with pytest.raises(RoutingError, match=r"count is .*; expected a whole number from 0 to 2\^32"):
        library.hottest_channels(fabric, routing, 2**70)
    with pytest.raises(RoutingError, match="draws is 1001; expected a whole number from 1 to 1000"):
        library.advise(fabric, 1, fail=["2%"], draws=1001)
    with pytest.raises(InputError, match=r"pool_interval_ns is 1e\+300; expected more than 0"):
        library.simulate(
            fabric, routing, machine, library.Traffic(load=0.1), pool_interval_ns=1e300
        )


def test_whole_numbers_have_both_ends() -> None:
    for value in (1, 7, library.mesh(7, 1).switch_count):
        require_whole("n", value, 1, 7)
    for value in (0, 8, -1, 1.0, "1", True, None):
        with pytest.raises(RoutingError, match=r"n is .*; expected a whole number from 1 to 7"):
            require_whole("n", value, 1, 7, RoutingError)


@pytest.mark.parametrize("load", ["0", "-5%", "101%"])
def test_every_load_out_of_range_is_told_the_same(load: str, net: Path) -> None:
    asked = ("simulate", net, "--routing", "updown", "--load", load)
    expected = "expected more than 0 and at most 1, as a share of the link rate of a host"
    refused(expected, *asked)
    refused(expected, "compare", net, "--loads", load)


@pytest.mark.parametrize("traffic", ["101%", "1.5load"])
def test_links_are_compared_at_no_more_than_a_host_sends(traffic: str, net: Path) -> None:
    refused("which cannot send faster", "compare", net, "--at", traffic)


def test_numbers_of_thousands_of_digits_are_refused(net: Path, tmp_path: Path) -> None:
    study = tmp_path / "s.toml"
    study.write_text(f"seeds = [{DIGITS}]\n")
    refused("s.toml: found a number that is too long", "study", "plan", study)
    certificate = tmp_path / "c.json"
    certificate.write_text(f'{{"fingerprint": {DIGITS}}}')
    refused("c.json:1: found no JSON", "prove", net, "updown", "--check", certificate)


def test_long_keys_take_neither_time_nor_memory() -> None:
    # Read by the library, 20,000 parts took 1.6 GB and three seconds.
    keys = (".".join(["a"] * 20_000), " . ".join(['"a"', "'b'"] * 5000), "x = {" + "a." * 9999)
    for key in keys:
        tracemalloc.start()
        with pytest.raises(FormatError, match=r"s: tables .* more than 32 levels deep"):
            toml_document(f"b = 1\n{key} = 1\n", "s")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
        tracemalloc.stop()
    # What only looks like one is not searched again and again.
    for text in ("a" * 1_000_000, '"' * 1_000_000, "a " * 500_000, "1.5," * 250_000):
        with pytest.raises(FormatError, match="s: not TOML"):
            toml_document(text, "s")


def test_keys_of_few_parts_and_dots_in_texts_are_read() -> None:
    text = 'a.b.c = 1\nversion = "1.2.3"\n# one. two. three.\nloads = [0.1, 0.2]\n'
    assert toml_document(text, "s") == {
        "a": {"b": {"c": 1}},
        "version": "1.2.3",
        "loads": [0.1, 0.2],
    }
    assert toml_document(".".join(["a"] * 31) + " = 1", "s")


def test_toml_of_more_than_a_mebibyte_is_refused() -> None:
    with pytest.raises(FormatError, match="expected at most 1048576"):
        toml_document("#" * (1 << 20) + "\n", "s")


def test_an_error_does_not_repeat_a_whole_file(net: Path, tmp_path: Path) -> None:
    order = tmp_path / "pairs.csv"
    order.write_text("a" * 100_000)
    ended = weft(
        *("simulate", net, "--routing", "updown", "--load", "1%"),
        *("--pattern", f"permutation:file={order}"),
    )
    assert ended.code == 2
    assert "pairs.csv:1: found" in ended.stderr
    assert ended.stderr.rstrip().endswith("expected source,destination")
    assert len(ended.stderr) < 5000


def test_hardware_is_read_from_packed_files(net: Path, tmp_path: Path) -> None:
    packed = tmp_path / "slow.toml.gz"
    packed.write_bytes(gzip.compress(b'preset = "myrinet"\nrouting_delay_ns = 400\n'))
    shown = done("hardware", "--hardware", packed, "--json").document
    text = f"{shown}"
    assert "'routing_delay_ns', 'value': 400" in text or "'routing_delay_ns': 400" in text, text
    unnamed = tmp_path / "machine"
    unnamed.write_text("routing_delay = 1\n")
    refused(
        f"{unnamed}:1:1: found parameter “routing_delay”",
        *("simulate", net, "--routing", "updown", "--load", "1%", "--hardware", unnamed),
    )
    gone = tmp_path / "gone.toml.xz"
    refused(f"{gone}: no such file", "hardware", "--hardware", gone)


def test_hosts_are_numbered_by_digits_and_by_no_others(net: Path, tmp_path: Path) -> None:
    texts = ["0", "007", "9", "10", "-1", "", "x", "²", "٣", DIGITS, "0" * 100_000 + "3"]
    assert [number_below(10, text) for text in texts] == [0, 7, 9, *[None] * 7, 3]
    hosts = tmp_path / "hosts.txt"
    hosts.write_text(f"{DIGITS}\n")
    trace = tmp_path / "a.ti"
    trace.write_text("0 init\n0 finalize\n")
    refused(
        f"{hosts}:1: found “9",
        *("replay", trace, "--fabric", net, "--routing", "updown", "--placement", hosts),
    )


def test_switches_are_drawn_whatever_number_their_names_have(tmp_path: Path) -> None:
    names = [f"leaf{number}" for number in ("10", "2", "9" * 5000)]
    fabric = library.mesh(1, 3, 1)
    path = tmp_path / "net.json"
    library.write_fabric(fabric, path)
    text = path.read_text()
    for old, new in zip(fabric.switch_names, names, strict=True):
        text = text.replace(f'"{old}"', f'"{new}"')
    path.write_text(text)
    renamed = library.read_fabric(path).fabric
    assert list(renamed.switch_names) == names
    assert list(SwitchGraph.of(renamed).order) == [1, 0, 2]


def test_what_a_command_lacks_is_named() -> None:
    refused("Expected one of: boost, itbsr, arb, mvn, rhinet", "reproduce")
    refused("Expected one of: allgather, ", "collective")
