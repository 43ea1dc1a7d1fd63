"""Programs of published experiments: read, run, and set beside what was published."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

import weft
from weft.errors import StudyError
from weft.reproduce import PAPERS, Row, reproduce
from weft.reproduce.definition import deviation, study_path
from weft.reproduce.measures import measured_rows
from weft.reproduce.page import notes, to_html, to_markdown
from weft.reproduce.programs import read_programs

if TYPE_CHECKING:
    from pathlib import Path

    from weft.reproduce import Reproduced

RHINET = PAPERS["rhinet"]


@pytest.fixture(scope="module")
def barriers(tmp_path_factory: pytest.TempPathFactory) -> list[Reproduced]:
    chosen = RHINET.chosen(["4", "9", "13"], [])
    results = tmp_path_factory.mktemp("rhinet") / "results.sqlite"
    made = reproduce(RHINET, chosen, results, quick=True)
    assert not results.exists(), "programs leave no results file"
    return made


def test_one_set_of_host_constants_meets_all_barriers(barriers: list[Reproduced]) -> None:
    count, found = deviation([row for entry in barriers for row in entry.rows])
    assert count == 18 + 24 + 1 + 12
    assert found < 0.06
    for entry in barriers:
        assert deviation(entry.rows)[1] < 0.07, entry.experiment.name
        for row in entry.rows:
            if row.is_judged and row.published is not None:
                assert row.ratio == pytest.approx(1, abs=0.1), (row.condition, row.value)


def test_the_order_that_tells_routings_apart_is_not_judged_of_few(
    barriers: list[Reproduced],
) -> None:
    kinds = {
        row.quantity: row.is_judged for entry in barriers for row in entry.rows if row.published
    }
    of_orders = "barrier, the order that tells routings apart most: DL and SBP over Up*/Down*"
    assert kinds == {
        "barrier, average, µs": True,
        "barrier, average: HIO over RO, maximum, %": True,
        f"{of_orders}, maximum, %": False,
        "barrier, last host less first, µs": False,
        "barrier, the order that tells routings apart most, µs": False,
    }


def test_the_order_that_tells_routings_apart_is_that_of_the_largest_gain(tmp_path: Path) -> None:
    path = tmp_path / "orders.toml"

    def rows(seeds: int) -> dict[tuple[str, str], Row]:
        path.write_text(ORDERS.format(seeds=seeds), encoding="utf-8")
        found = measured_rows(read_programs(path))
        return {(row.condition, row.quantity): row for row in found}

    average, apart = "barrier, average, µs", "barrier, the order that tells routings apart most, µs"
    # Orders are drawn by seeds from 1 on: sums over more of them tell those of each alone.
    sums = {
        name: [
            count * rows(count)[f"Mesh, {name}", average].value if count else 0.0
            for count in range(5)
        ]
        for name in ("Tree", "DOR")
    }
    single = {name: [b - a for a, b in pairwise(of)] for name, of in sums.items()}
    ratios = [tree / dor for tree, dor in zip(single["Tree"], single["DOR"], strict=True)]
    which = ratios.index(max(ratios))
    found = rows(4)
    for name, of in single.items():
        assert found[f"Mesh, {name}", apart].value == pytest.approx(of[which])
        assert not found[f"Mesh, {name}", apart].is_judged
    gain = "barrier, the order that tells routings apart most: DOR over Tree, average, %"
    assert found["all conditions", gain].value == pytest.approx(100 * (max(ratios) - 1))
    assert all(row.is_judged for key, row in rows(100).items() if "apart" in key[1])


def test_hosts_are_apart_by_their_means_over_ten_orders(tmp_path: Path) -> None:
    path = tmp_path / "orders.toml"
    quantity = "broadcast, last host less first, µs"

    def row(seeds: int, order: str = "ro", repeats: int = 1) -> Row:
        text = SMALL.format(measure="broadcast", size=512).replace("shio", order)
        path.write_text(f"seeds = {seeds}\nrepeats = {repeats}\n{text}", encoding="utf-8")
        (found,) = [row for row in measured_rows(read_programs(path)) if row.quantity == quantity]
        return found

    of_twenty = row(20).value
    file = read_programs(path)
    (network,), (machine,) = file.networks, file.machines
    ends = [
        weft.replay(
            network.fabric,
            network.routings["DOR"],
            machine.hardware,
            weft.multicast(network.fabric, "ro", size_bytes=512, seed=seed),
            messaging=machine.messaging,
        ).finish_ns
        for seed in range(1, 21)
    ]
    first, second = (np.ptp(np.mean(ends[begin : begin + 10], axis=0)) / 1000 for begin in (0, 10))
    assert row(10).value == pytest.approx(first)
    assert of_twenty == pytest.approx((first + second) / 2)
    assert first != second
    assert [row(10).is_judged, row(9).is_judged, row(9, "shio").is_judged] == [True, False, True]
    assert not row(10, repeats=2).is_judged


def test_orders_within_a_switch_first_beat_random_ones(barriers: list[Reproduced]) -> None:
    values = {
        row.condition.removeprefix("Topology A, SBP, "): row.value
        for row in barriers[1].rows
        if row.is_judged and ", SBP, " in row.condition
    }
    assert values["shio"] < values["hio"] < values["sho"] < values["sco"] < values["ro"]


def test_switches_on_paths_are_those_of_the_paper_but_for_prefix_on_grids(tmp_path: Path) -> None:
    made = reproduce(RHINET, RHINET.chosen(["1", "3"], []), tmp_path / "r.sqlite")
    differing = {
        row.condition
        for entry in made
        for row in entry.rows
        if row.published is not None and abs(row.value - row.published) > 0.005 + 1e-9
    }
    assert differing == {"Mesh 4x4, Prefix", "Torus 4x4, Prefix"}


def test_deviations_are_told_together(barriers: list[Reproduced]) -> None:
    rows = [
        Row("c", "q", 1.1, published=1.0),
        Row("c", "q", 0.8, published=1.0),
        Row("c", "q", 9.0, published=1.0, is_judged=False),
        Row("c", "q", 9.0),
    ]
    count, found = deviation(rows)
    assert count == 2
    assert found == pytest.approx(math.sqrt((0.01 + 0.04) / 2))
    assert math.isnan(deviation(rows[2:])[1])
    (text,) = notes(barriers[0])
    assert text.startswith("Root mean square of the deviations of 18 figures: ")
    assert text in to_markdown(RHINET, barriers, "1.2.3")
    assert f"<p>{text}</p>" in to_html(RHINET, barriers, "1.2.3")


ORDERS = """
measure = "barrier"
seeds = {seeds}
repeats = 2
[routings]
"Tree" = "updown:root=0"
"DOR" = "dimension_order"
[[networks]]
name = "Mesh"
topology = "mesh"
extents = [3, 3]
[[gains]]
name = "DOR over Tree"
of = ["DOR"]
over = "Tree"
"""

SMALL = """
title = "small"
source = "RHINET"
measure = "{measure}"
orders = ["shio"]
size_bytes = [{size}]
messages = 2
[routings]
"DOR" = "dimension_order"
[[networks]]
name = "Mesh"
topology = "mesh"
extents = [2, 2]
hosts_per_switch = 2
[[machines]]
name = "8 Gbit/s"
link_gbit_per_s = 8
stop_above_bytes = 2800
go_below_bytes = 2400
[[hosts]]
name = "no-ack-wait"
acknowledged = 2
[quick]
messages = 1
"""


def rows_of(tmp_path: Path, measure: str, size: int) -> dict[tuple[str, str], float]:
    path = tmp_path / f"{measure}.toml"
    path.write_text(SMALL.format(measure=measure, size=size), encoding="utf-8")
    rows = measured_rows(read_programs(path))
    return {(row.condition, row.quantity): row.value for row in rows}


def test_machines_and_hosts_are_told_in_the_condition(tmp_path: Path) -> None:
    found = rows_of(tmp_path, "bandwidth", 512)
    under = "Mesh, DOR, bit reversal, 512 bytes, 8 Gbit/s, no-ack-wait"
    what = ("average", "minimum", "maximum")
    assert list(found) == [(under, f"bandwidth of a host, {which}, MB/s") for which in what]
    assert 0 < found[under, "bandwidth of a host, average, MB/s"] < 1000
    found = rows_of(tmp_path, "broadcast", 512)
    under = "Mesh, DOR, 8 Gbit/s, no-ack-wait"
    assert list(found) == [
        (under, "broadcast, average, µs"),
        (under, "broadcast, last host less first, µs"),
    ]


def test_distance_costs_bandwidth_with_ack_wait_alone() -> None:
    rows = measured_rows(read_programs(study_path("rhinet", "figure-6")))
    found = {(row.condition, row.quantity): row.value for row in rows}
    lost = "bandwidth lost for each switch more, MB/s"
    assert found["1792 bytes, ack-wait", lost] > 5
    assert abs(found["1792 bytes, no-ack-wait", lost]) < 1
    slope = found["ack-wait", "barrier of two hosts, for each switch more, µs"]
    assert slope == pytest.approx(0.7, rel=0.15)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ('measure = "bandwith"', "measure: found “bandwith”; did you mean bandwidth?"),
        ("mesages = 3", "unknown key “mesages”; did you mean messages?"),
        ('seeds = "ten"', "seeds: found 'ten', expected a whole number"),
        ("[[hosts]]\nacknowleged = 1", "unknown key “acknowleged” of hosts"),
        ("[[machines]]\nlink_gbit = 1", "found parameter “link_gbit” for hardware rhinet2"),
        ('[[networks]]\ntopology = "mash"', "found topology “mash”"),
        (
            '[routings]\n"Prefix" = "lash"\n'
            '[[networks]]\ntopology = "mesh"\nroutings = { "Prefx" = "lash" }',
            "unknown routing “Prefx”; did you mean Prefix?",
        ),
        ('[[gains]]\nname = "g"\nof = ["DL"]', "no over; expected one in each table of gains"),
        ('[[gains]]\nnam = "g"', "unknown key “nam” of gains; did you mean name?"),
        ("[[applications]]\nname = 3", "name: found 3, expected a text"),
        (
            '[[applications]]\nname = "a"\ntrace = "a.ti"\nclock_ns = "no"',
            "clock_ns: found 'no', expected a number",
        ),
        ("[quick]\nmesages = 3", "unknown key “mesages”; did you mean messages?"),
        ("measure = ", "not TOML"),
        ("networks = []", "no network; expected at least one table headed"),
    ],
)
def test_mistakes_are_told_with_their_line(tmp_path: Path, change: str, text: str) -> None:
    path = tmp_path / "wrong.toml"
    top = "" if change.startswith("measure") else 'measure = "hops"\n'
    needs = "" if "networks" in change else '[[networks]]\ntopology = "mesh"\nextents = [2, 2]\n'
    tables_last = change + "\n" + needs if "[" not in change else needs + change
    path.write_text(top + tables_last, encoding="utf-8")
    with pytest.raises(StudyError) as caught:
        read_programs(path)
    assert text in str(caught.value)
    if text != "not TOML":
        assert str(caught.value).startswith(f"{path}:")
