"""Published figures from a file: what is refused and how, and what stands beside what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from weft.errors import StudyError
from weft.reproduce import PAPERS, Row, judgement, reproduce
from weft.reproduce.page import notes, tables, to_csv
from weft.reproduce.published import beside, published_cells, read_cells, unit_of

if TYPE_CHECKING:
    from pathlib import Path

BOOST = PAPERS["boost"]
HEAD = "experiment,condition,quantity,value\n"
WITH_UNIT = "experiment,condition,quantity,value,unit\n"


def test_cells_are_read_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(
        f'# mine\n\n{WITH_UNIT}table-1,"a, b","x, average",1.5,\ntable-1,c,"y, µs",2,us\n'
    )
    first, second = read_cells(BOOST, path)
    assert first.key == ("table-1", "a, b", "x, average")
    assert (first.value, first.line) == (1.5, 4)
    assert (second.quantity, second.value, second.line) == ("y, µs", 2.0, 5)
    assert [unit_of(cell.quantity) for cell in (first, second)] == ["factor", "µs"]


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path: Path) -> None:
    path = tmp_path / "spreadsheet.csv"
    path.write_text(f"{HEAD}table-1,c,q,1.5\n", encoding="utf-8-sig")
    assert [cell.value for cell in read_cells(BOOST, path)] == [1.5]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "found no line, expected the columns experiment, condition, quantity, value"),
        (
            "experiment,condition,quantity\n",
            ":1: found the columns experiment, condition, quantity",
        ),
        (
            "experiment,condition,quantity,valeu\n",
            ":1: found a column “valeu”; did you mean value?",
        ),
        (
            f"{HEAD}tabel-1,c,q,1\n",
            ":2: found experiment “tabel-1”; did you mean table-1?",
        ),
        (f"{HEAD}table-1,c,,1\n", ":2: found no quantity, expected one as the report names it"),
        (
            f"{HEAD}# more\ntable-1,c,q,many\n",
            ":3: found value “many”, expected a number such as 1.25",
        ),
        (f"{HEAD}table-1,c,q,1e308\n", ":2: found value “1e308”, expected a number such as 1.25"),
        (f"{HEAD}table-1,c,q,1e-308\n", ":2: found value “1e-308”, expected a number such as 1.25"),
        (f"{HEAD}table-1,c,q,nan\n", ":2: found value “nan”, expected a number such as 1.25"),
        (f"{HEAD}table-1,c,q,1_0\n", ":2: found value “1_0”, expected a number such as 1.25"),
        (
            "experiment;condition;quantity;value\ntable-1;c;q;1,5\n",
            ":1: found semicolons between columns, expected commas; write the file with commas, and"
            " numbers as 1.25",
        ),
        (
            "experiment\tcondition\tquantity\tvalue\n",
            ":1: found tabs between columns, expected commas",
        ),
        (
            f"{HEAD}table-1,8 switches, 32 bytes,q,1\n",
            ":2: found 5 values, expected 4, experiment, condition, quantity, value; a value with"
            " a comma stands in quotes",
        ),
        (
            f"{WITH_UNIT}table-1,c,q,1,parsec\n",
            ":2: found unit “parsec”, expected factor, that of “q”",
        ),
        (
            f'{WITH_UNIT}table-1,c,"q, ns",1,µs\n',
            ":2: found unit µs, expected ns, that of “q, ns”; convert the value",
        ),
        (
            f"{HEAD}table-1,c,q,1\ntable-1,d,q,1\ntable-1,c,q,2\n",
            ":4: found “c”, “q” of table-1 again, expected each cell once; it is in line 2",
        ),
        (f'{HEAD}table-1,c,"q,1\n', ':2: found “table-1,c,"q,1”, expected values with commas'),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(text)
    with pytest.raises(StudyError) as refused:
        read_cells(BOOST, path)
    assert told in str(refused.value)
    assert str(path) in str(refused.value)


def test_a_file_goes_before_what_the_package_knows(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    key = ("table-1", "8 switches, 32 bytes", "ITB over UD, average")
    path.write_text(f'{HEAD}{key[0]},"{key[1]}","{key[2]}",7\ntable-4,c,q,8\n')
    known = published_cells(BOOST)
    found = published_cells(BOOST, path)
    assert known[key].value == 0.97
    assert found[key].value == 7
    assert len(found) == len(known) + 1


def test_rows_have_the_cells_of_their_name_and_averages_the_extremes(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(f'{HEAD}table-1,c,"q, average",2\ntable-1,c,"q, minimum",1\n')
    cells = {cell.key: cell for cell in read_cells(BOOST, path)}
    rows = [
        Row("c", "q, average", 2.1),
        Row("c", "q, average", 3, remark="other"),
        Row("d", "q", 1),
    ]
    first, other, alone = beside("table-1", rows, cells)
    assert (first.published, first.published_minimum, first.published_maximum) == (2, 1, None)
    assert [row.is_other_reading for row in (first, other, alone)] == [False, True, False]
    assert other.published == 2
    assert alone.published is None
    assert [row.published for row in beside("table-2", rows, cells)] == [None] * 3


def test_own_figures_are_judged_and_those_without_ours_are_told(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    quantity = "modified firmware, least, ns"
    path.write_text(
        f'{WITH_UNIT}figure-test-bed,1 to 4096 bytes,"modified firmware, average, ns",500,ns\n'
        f'figure-test-bed,1 to 4096 bytes,"{quantity}",3,ns\n'
    )
    chosen = [entry for entry in BOOST.experiments if entry.name == "figure-test-bed"]
    (made,) = reproduce(BOOST, chosen, tmp_path / "r.sqlite", published=path)
    judged = {row.quantity: judgement(row) for row in made.rows}
    assert judged["modified firmware, average, ns"] == "differs"
    assert [cell.quantity for cell in made.alone] == [quantity]
    table = tables(made)[0]
    assert table.rows[-1] == ["1 to 4096 bytes", quantity, "3", "–", "–", "–", "–", "no figure"]
    assert to_csv([made]).splitlines()[-1].endswith("no figure")
    (told,) = notes(made)
    assert told == (
        f"Line 3 of the file: there is no figure “1 to 4096 bytes: {quantity}” here; did you mean"
        " “1 to 4096 bytes: modified firmware, largest, ns”?"
    )
