"""The page on validation: counts, figures in sentences, reasons; it is what its tables make."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import validation_page
from validation_page import PAGE, PAPERS, counted, figures, page, remaining, row, with_figures

from weft.reproduce.applications import application_rows
from weft.reproduce.definition import study_path
from weft.reproduce.programs import read_programs

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "experiment,condition,quantity,value,published,is_other_reading,judgement\n"
LINES = (
    'table-1,"8 switches","q, average",0.98,0.97,False,agrees: within 15 %\n'
    'table-1,"8 switches","q, average",1.30,0.97,True,differs\n'
    "table-1,16 switches,q,2,1,False,differs\n"
    "table-1,32 switches,q,5,,False,\n"
    "table-2,c,q,,7,False,no figure\n"
    "table-2,d,q,1.2,1,False,near: within 25 %\n"
    "table-2,e,q,1,1,False,not compared\n"
    "table-2,f,q,1.3,1,False,agrees: within the interval alone\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "x").mkdir()
    (tmp_path / "x/quick.csv").write_text(HEAD + LINES)
    (tmp_path / "x/reasons.toml").write_text(
        '[[reason]]\nexperiment = "table-1"\ncells = "16"\n'
        'text = "It is {{table-1 | 8 switches | q, average}} elsewhere."\n'
    )
    return tmp_path


def test_published_figures_are_counted_by_judgement(folder: Path) -> None:
    found = counted(figures("x", folder))
    assert len(found) == 6
    # within 15 %, average and extreme within the extremes, within our interval alone, near,
    # differs, not compared, no figure
    assert row("X", found) == "| X | 6 | 1 | 0 | 0 | 1 | 1 | 1 | 1 | 1 | 17 % | 17 % |"
    assert row("none", []).endswith("| – | – |")


def test_what_was_run_in_full_goes_before(folder: Path) -> None:
    (folder / "x/full.csv").write_text(f"{HEAD}table-2,c,q,7,7,False,agrees: within 15 %\n")
    found = counted(figures("x", folder))
    assert row("X", found) == "| X | 6 | 2 | 0 | 0 | 1 | 1 | 1 | 1 | 0 | 33 % | 33 % |"
    assert [figure.condition for figure in found].count("c") == 1


def test_sentences_have_the_figures_of_tables_alone(folder: Path) -> None:
    found = figures("x", folder)
    text = "It is {{table-1 | 8 switches | q, average}}, and {{table-1 |\n32 switches | q}}."
    assert with_figures(text, found, "here") == "It is 0.98 for 0.97, and 5."
    assert with_figures("{{table-1 | 16 switches | q | value}}", found, "here") == "2"
    for lost in ("table-1 | 9 switches | q", "table-2 | c | q"):
        with pytest.raises(ValueError, match="here: no figure"):
            with_figures(f"{{{{{lost}}}}}", found, "here")


def test_extremes_between_the_published_ones_are_counted_apart(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x/quick.csv").write_text(
        f"{HEAD}"
        't,c,"q, average, %",3,9,False,differs\n'
        't,c,"q, minimum, %",2,1,False,differs\n'
        't,c,"q, maximum, %",4.5,4,False,agrees: within 15 %\n'
        't,d,"q, average",2,3,False,agrees: within the published extremes\n'
        't,d,"q, minimum",0.5,1,False,differs\n'
        't,d,"q, maximum",2,4,False,differs\n'
        't,e,"q, maximum",2,4,False,differs\n'
        't,g,"q, minimum",1,1,False,not compared\n'
        't,g,"q, maximum",4,4,False,agrees: within 15 %\n'
        "t,f,least,2,4,False,differs\n"
    )
    (tmp_path / "x/reasons.toml").write_text("")
    found = counted(figures("x", tmp_path))
    # One below the least, one whose row has no least, and one that does not compare are not.
    between = [figure.name for figure in found if figure.kind == "extreme within the extremes"]
    assert between == ["c: q, minimum, %", "d: q, maximum"]
    assert row("X", found) == "| X | 10 | 2 | 1 | 2 | 0 | 0 | 4 | 1 | 0 | 30 % | 50 % |"
    text = "\n".join(remaining("x", found, tmp_path))
    assert "| t, d: q, maximum | 2 | 4 | differs; extreme within the extremes |" in text
    assert text.count("within the extremes") == 2
    # They have to have reasons as all that does not agree.
    unexplained = [figure.name for figure in validation_page.unexplained("x", tmp_path)]
    assert "d: q, maximum" in unexplained
    assert len(unexplained) == 7


def test_what_does_not_agree_stands_with_its_reason(folder: Path) -> None:
    text = "\n".join(remaining("x", figures("x", folder), folder))
    assert "- It is 0.98 for 0.97 elsewhere.\n" in text
    assert "| table-1, 16 switches: q | 2 | 1 | differs |" in text
    assert text.count("- Not known.") == 1
    assert "| table-2, c: q | – | 7 | no figure |" in text
    assert [figure.condition for figure in validation_page.unexplained("x", folder)] == [
        "c",
        "d",
        "e",
        "f",
    ]


@pytest.mark.parametrize("tag", ["boost", "itbsr", "arb", "mvn", "rhinet"])
def test_every_figure_that_does_not_agree_has_a_reason(tag: str) -> None:
    assert validation_page.unexplained(tag) == []


def test_the_page_is_what_the_tables_make() -> None:
    assert set(PAPERS) <= {path.name for path in validation_page.FOLDER.iterdir()}
    assert PAGE.read_text(encoding="utf-8") == page()


def test_a_benchmark_takes_as_long_as_the_page_says() -> None:
    """Of the trace that the package brings; a change of the model goes with a page made anew."""
    file = read_programs(study_path("rhinet", "table-8"))
    assert [application.name for application in file.applications] == ["IS.S.16"]
    (machine,) = file.machines
    measured = {
        (row.condition, row.quantity): row.value
        for network in file.networks
        for row in application_rows(file, network, machine)
    }
    told = {
        (figure.condition, figure.quantity): float(figure.value)
        for figure in figures("rhinet")
        if figure.experiment == "table-8" and "IS.S.16" in figure.condition
    }
    assert len(told) == 6
    assert measured == pytest.approx(told, rel=1e-9)
