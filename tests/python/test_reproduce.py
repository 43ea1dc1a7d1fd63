"""The reproduction of published experiments on curves known in advance."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from synthetic import SyntheticStages, falling

from weft.errors import StudyError
from weft.reproduce import BoostTable, TopologyFactor, boost_table_1, reproduce_table_1
from weft.reproduce.page import to_html, to_markdown
from weft.results import Results

STUDIES = Path(__file__).resolve().parents[2] / "studies"

#: Saturation by routing: factors 1.5 with the one root and 1.2 with the other.
SATURATIONS = {
    "simple_routes:root=min_average": 0.1,
    "ud_itb:root=min_average": 0.15,
    "simple_routes:root=0": 0.1,
    "ud_itb:root=0": 0.12,
}


def stages() -> SyntheticStages:
    return SyntheticStages(curves={label: falling(load) for label, load in SATURATIONS.items()})


def test_the_published_table_is_packaged_as_it_stands_in_the_studies() -> None:
    packaged = Path(str(boost_table_1.__code__.co_filename)).with_name("boost_table1.csv")
    assert packaged.read_bytes() == (STUDIES / "boost" / "table1.csv").read_bytes()


def test_the_published_table_is_complete() -> None:
    rows = {(row.switches, row.payload_bytes): row for row in boost_table_1()}
    assert set(rows) == {(size, bytes_) for size in (8, 16, 32, 64) for bytes_ in (32, 512, 1024)}
    assert rows[64, 512].average == 2.72
    assert all(row.minimum < row.average < row.maximum for row in rows.values())


def test_factors_are_those_of_the_throughputs(tmp_path: Path) -> None:
    finished: list[int] = []

    def count(factors: list[TopologyFactor], number: int) -> None:
        assert len(factors) == 2
        finished.append(number)

    path = tmp_path / "table1.sqlite"
    table = reproduce_table_1(path, sizes=[8, 12], topologies=2, stages=stages(), on_topology=count)
    assert finished == [1, 2, 3, 4]
    assert [(row.switches, row.root) for row in table.rows] == [
        (8, "min_average"),
        (8, "0"),
        (12, "min_average"),
        (12, "0"),
    ]
    assert table.rows[0].measured.mean == pytest.approx(1.5, rel=0.03)
    assert table.rows[1].measured.mean == pytest.approx(1.2, rel=0.03)
    assert table.rows[0].measured.count == 2
    assert table.rows[0].published is not None
    assert table.rows[2].published is None
    assert Results.study_names(path) == [
        "8 switches, topology 1",
        "8 switches, topology 2",
        "12 switches, topology 1",
        "12 switches, topology 2",
    ]


def test_a_second_call_computes_only_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "table1.sqlite"
    first = reproduce_table_1(path, sizes=[8], topologies=1, stages=stages())
    again = stages()
    second = reproduce_table_1(path, sizes=[8], topologies=1, stages=again)
    assert second == first
    assert again.simulated == []
    more = stages()
    reproduce_table_1(path, sizes=[8], topologies=2, stages=more)
    assert more.simulated


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sizes": []}, "sizes none"),
        ({"sizes": [8, 8]}, "each once"),
        ({"topologies": 0}, "topologies 0"),
    ],
)
def test_values_out_of_range_are_refused(
    tmp_path: Path, settings: dict[str, object], message: str
) -> None:
    with pytest.raises(StudyError, match=message):
        reproduce_table_1(tmp_path / "r.sqlite", stages=stages(), **settings)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> BoostTable:
    path = tmp_path_factory.mktemp("boost") / "table1.sqlite"
    return reproduce_table_1(path, sizes=[8], topologies=2, stages=stages())


def test_the_page_shows_measured_beside_published(table: BoostTable) -> None:
    text = to_markdown(table, "1.2.3")
    rows = [line for line in text.splitlines() if line.startswith("| 8 | lowest")]
    assert rows[0].startswith("| 8 | lowest average distance | 1.5")
    assert rows[0].endswith("| 2 | 0.92 | 0.81 | 1.05 |")
    assert "Weft 1.2.3" in text


def test_the_html_page_asks_nothing_of_any_network(table: BoostTable) -> None:
    page = to_html(table, "1.2.3")
    assert page.count("<tr>") == 2 + 2 + 4
    assert re.findall(r"(?:src|href)=\"(?!data:)", page) == []
    assert "http" not in page
