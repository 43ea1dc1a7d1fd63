"""Reproductions: all papers read, published figures beside ours, figures are those asked for."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from command import done
from synthetic import SyntheticStages, falling

import weft
import weft.reproduce.run
from weft.errors import StudyError
from weft.reproduce import PAPERS, Reproduced, Row, judgement, reproduce
from weft.reproduce.answers import answers
from weft.reproduce.definition import known_paper, study_path
from weft.reproduce.page import to_csv, to_html, to_markdown
from weft.reproduce.papers.mvn import by_roots
from weft.reproduce.pictures import pictures
from weft.reproduce.programs import read_programs
from weft.reproduce.published import published_cells
from weft.reproduce.questions import just_below
from weft.study import Case, read_study

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.reproduce import Paper
    from weft.reproduce.pictures import Picture
    from weft.reproduce.program_file import ProgramFile
    from weft.study import StudyFile

papers = pytest.mark.parametrize("paper", PAPERS.values(), ids=lambda paper: paper.tag)

#: Every routing carries a tenth of the link rate, those with stops one and a half times as much.
CURVES = {
    name: falling(0.15 if "itb" in name else 0.1)
    for name in (
        *("simple_routes", "ud_itb", "ud_mitb"),
        *("simple_routes:root=0", "ud_itb:per=switch,root=0", "ud_mitb:per=switch,root=0"),
        "dfs",
        "smart",
        "dfs_itb",
        "balanced_itb",
        *("dfs:root=0,selection=least_loaded", "dfs_itb:per=switch,root=0"),
    )
}

#: Trees carry more the more they are, one pair of roots more than all others.
TREES = {
    "multi_tree:lanes=2,trees=1": 0.1,
    "multi_tree:lanes=2,trees=2": 0.16,
    "multi_tree:lanes=3,trees=1": 0.1,
    "multi_tree:lanes=3,spread=pairs,trees=2": 0.16,
    "multi_tree:lanes=3,trees=3": 0.2,
    "multi_tree:lanes=3,roots=apart_from_first,trees=3": 0.18,
    "multi_tree:roots=apart,trees=2": 0.15,
    **{f"multi_tree:roots={a}+{b}": 0.1 for a in range(16) for b in range(16) if a != b},
    "multi_tree:roots=5+3": 0.2,
}
CURVES |= {name: falling(load) for name, load in TREES.items()}


@pytest.fixture(autouse=True)
def _two_topologies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave two topologies of each size, so that everything is asked and little is computed.

    Files of programs are read as with ``--quick``.
    """

    def read(path: Path, *, quick: bool) -> StudyFile:
        study = read_study(path, quick=quick)
        few = [case for case in study.cases if case.settings.get("fabrics.seed", 1) < 3]
        return replace(study, cases=few or study.cases)

    def read_quickly(path: Path, *, quick: bool, traces: Path | None) -> ProgramFile:
        del quick
        return read_programs(path, quick=True, traces=traces)

    monkeypatch.setattr(weft.reproduce.run, "read_study", read)
    monkeypatch.setattr(weft.reproduce.run, "read_programs", read_quickly)


def run(paper: Paper, names: list[str], path: Path) -> list[Reproduced]:
    chosen = [entry for entry in paper.experiments if entry.name in names]
    assert len(chosen) == len(names)
    return reproduce(paper, chosen, path, stages=SyntheticStages(curves=CURVES), jobs=2)


@papers
def test_every_experiment_has_its_study_files(paper: Paper) -> None:
    names = [entry.name for entry in paper.experiments]
    assert len(set(names)) == len(names)
    for name in {name for entry in paper.experiments for name in entry.studies}:
        quick = read_study(study_path(paper.tag, name), quick=True)
        assert quick.cases
        assert quick.source.startswith(paper.tag.upper())
    for name in {name for entry in paper.experiments for name in entry.programs}:
        assert read_programs(study_path(paper.tag, name), quick=True).source.startswith(
            paper.tag.upper()
        )


@papers
def test_every_study_file_belongs_to_an_experiment(paper: Paper) -> None:
    used = {name for entry in paper.experiments for name in entry.studies}
    folder = study_path(paper.tag, "x").parent
    programs = {name for entry in paper.experiments for name in entry.programs}
    assert not used & programs
    assert {path.stem for path in folder.glob("*.toml")} == used | programs


@papers
def test_every_published_figure_stands_beside_one_of_ours(paper: Paper, tmp_path: Path) -> None:
    published = {key: cell.value for key, cell in published_cells(paper).items()}
    wanted = sorted({experiment for experiment, _, _ in published})
    if not wanted:
        assert "not known" in paper.about
        return
    made = run(paper, wanted, tmp_path / "r.sqlite")
    alone = [cell for entry in made if not entry.missing for cell in entry.alone]
    assert alone == []
    # Of benchmarks only those lack a figure whose traces the package does not bring.
    of_traces = [cell for entry in made if entry.missing for cell in entry.alone]
    assert not [cell for cell in of_traces if "IS.S.16" in cell.condition]
    found = {
        (entry.experiment.name, row.condition, row.quantity): row.published
        for entry in made
        for row in entry.rows
        if row.published is not None and not row.is_other_reading
    }
    missing = {(cell.experiment, cell.condition, cell.quantity) for cell in of_traces}
    assert found == {key: value for key, value in published.items() if key not in missing}


def test_factors_are_those_of_the_throughputs(tmp_path: Path) -> None:
    (made,) = run(PAPERS["boost"], ["table-1"], tmp_path / "r.sqlite")
    assert len(made.rows) == 4 * 3 * 3 * 2
    assert {row.condition for row in made.rows} == {
        f"{switches} switches, {size} bytes"
        for switches in (8, 16, 32, 64)
        for size in (32, 512, 1024)
    }
    averages = [row for row in made.rows if row.quantity.endswith("average")]
    assert all(row.is_judged == row.quantity.endswith("average") for row in made.rows)
    for row in averages:
        assert row.value == pytest.approx(1.5, rel=0.03)
        assert row.count == 2
        # The topologies have the same curve: the interval has no width.
        assert row.half_width == pytest.approx(0, abs=1e-6)
    assert {row.remark for row in averages} == {"", "root nearest to all, a route for two hosts"}


def test_factors_stand_by_the_knee_too_where_traffic_rises_beyond_saturation(
    tmp_path: Path,
) -> None:
    (made,) = run(PAPERS["boost"], ["figure-bit-reversal"], tmp_path / "r.sqlite")
    factors = {
        row.quantity: row.value for row in made.rows if row.condition.startswith("32 switches")
    }
    with weft.Results.open_all(tmp_path / "r.sqlite") as found:
        (case, *_) = (name for name in found if "irregular-32" in name)
        knees = [each.knee for each in found[case].routings]
    # The synthetic curves reach twice their first latency at 0.0632 and 0.0951 bytes/ns/switch.
    ud, itb = (each.accepted_bytes_per_ns_per_switch for each in knees if each)
    assert factors["ITB over UD at the knee, average"] == pytest.approx(itb / ud, rel=1e-12)
    assert itb / ud == pytest.approx(1.505, abs=5e-4)
    assert factors["ITB over UD, average"] == pytest.approx(1.4925, rel=1e-12)


def test_an_experiment_without_a_sweep_needs_no_results_file(tmp_path: Path) -> None:
    made = run(PAPERS["boost"], ["figure-test-bed"], tmp_path / "r.sqlite")
    rows = {row.quantity: row for row in made[0].rows}
    assert rows["modified firmware, average, ns"].value == pytest.approx(125, rel=0.1)
    assert rows["modified firmware, largest, ns"].value <= 300
    assert judgement(rows["a stop in transit, average, ns"]) == "agrees: within 15 %"
    assert pictures(made, tmp_path / "r.sqlite") == {}
    assert list(tmp_path.iterdir()) == []


def test_every_figure_of_a_routing_can_be_asked_for(tmp_path: Path) -> None:
    made = run(PAPERS["boost"], ["figure-11", "figure-links"], tmp_path / "r.sqlite")
    rows = {row.quantity: row for entry in made for row in entry.rows}
    assert rows["ITB: throughput, bytes/ns/switch"].value == pytest.approx(0.096, rel=0.03)
    assert rows["ITB: most bytes in transit held by a NIC, at any load"].value == 127
    busiest = rows["UD: utilization of the busiest link at the throughput"].value
    assert 0.09 < busiest <= 0.11
    made = run(PAPERS["itbsr"], ["figure-9"], tmp_path / "i.sqlite")
    blocked = {row.quantity.partition(":")[0]: row.value for row in made[0].rows}
    # The synthetic stages block every channel for an eighth of the load.
    assert blocked["SMART"] == pytest.approx(0.1 / 8, rel=0.05)
    assert blocked["BALANCED_ITB"] == pytest.approx(0.15 / 8, rel=0.05)


def test_what_the_pools_hold_is_read_from_their_series(tmp_path: Path) -> None:
    (made,) = run(PAPERS["boost"], ["figure-11"], tmp_path / "r.sqlite")
    rows = {row.quantity.removeprefix("ITB: "): row.value for row in made.rows}
    # The synthetic series: 0 to 511 bytes in four intervals of 128 hosts, means half of it.
    held = "packets in transit held by a NIC just below the throughput, mean"
    # A packet has four bytes beside its 32.
    assert rows[held] == 511 / 4 / 36
    fullest = "bytes in transit held just below the throughput by the NIC that holds most, mean"
    assert rows[fullest] == (127 + 1.5 * 128) / 2
    assert rows["most packets in transit held by a NIC just below the throughput"] == 511 / 36
    halves = "bytes in transit just below the throughput, second half of the window over the first"
    assert rows[halves] == pytest.approx((256 + 511) / (0 + 255))
    drawn = pictures([made], tmp_path / "r.sqlite")["figure-11"]
    assert [picture.name for picture in drawn] == [
        "pools-32-switches-irregular-32-bytes",
        "pools-saturated-32-switches-irregular-32-bytes",
    ]


def test_just_below_the_throughput_is_the_last_point_clear_of_it(tmp_path: Path) -> None:
    (made,) = run(PAPERS["boost"], ["figure-11"], tmp_path / "r.sqlite")
    (name,) = made.cases
    with weft.Results.open_all(tmp_path / "r.sqlite") as found:
        (routing,) = found[name].routings
    point = just_below(routing)
    assert point is not None
    assert routing.throughput is not None
    most = 0.95 * routing.throughput.at_load
    assert point.load == max(each.load for each in routing.points if each.load <= most)
    assert just_below(replace(routing, throughput=None)) is None
    assert just_below(replace(routing, points=routing.points[-1:])) is None


def curves_of(folder: Path, experiment: str, picture: Picture) -> list[str]:
    """Return the names of the curves of a chart that was written, in the order of its legend."""
    path = folder / "print" / f"{experiment}-{picture.name}.csv"
    rows = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")))
    return list(dict.fromkeys(row["routing"] for row in rows))


def test_curves_are_the_values_of_a_series_of_one_topology(tmp_path: Path) -> None:
    made = run(PAPERS["arb"], ["figure-4"], tmp_path / "r.sqlite")
    drawn = pictures(made, tmp_path / "r.sqlite", folder=tmp_path)["figure-4"]
    assert [picture.name.partition("-")[0] for picture in drawn] == [
        *("latency", "longest", "accepted"),
    ] * 4
    assert drawn[3].caption == (
        "16 switches, irregular, 32:0.2,2048:0.8 bytes, hotspot of 20 %; the topology of seed 1."
    )
    for picture in drawn:
        assert curves_of(tmp_path, "figure-4", picture) == [
            "round robin",
            "random",
            "injection time",
            "waiting time",
            "distance to travel",
            "distance travelled",
        ]
        assert ">arbitration</text>" in picture.svg


def test_curves_of_studies_with_the_same_conditions_share_a_chart(tmp_path: Path) -> None:
    made = run(PAPERS["itbsr"], ["figure-3", "figure-5"], tmp_path / "r.sqlite")
    drawn = pictures(made, tmp_path / "r.sqlite", folder=tmp_path)
    # SMART runs up to 32 switches, in a study of its own.
    assert [curves_of(tmp_path, "figure-3", picture) for picture in drawn["figure-3"]] == [
        ["UD", "DFS", "SMART"],
        ["UD", "DFS", "SMART"],
        ["UD", "DFS"],
    ]
    boxes, *curves = drawn["figure-5"]
    assert boxes.name == "boxes"
    names = [curves_of(tmp_path, "figure-5", picture) for picture in curves]
    assert names == [["UD", "UD_MITB", "UD_ITB"]] * 3


def test_pictures_are_written_where_they_are_asked_for(tmp_path: Path) -> None:
    made = run(PAPERS["boost"], ["figure-12"], tmp_path / "r.sqlite")
    before = list(tmp_path.iterdir())
    pictures(made, tmp_path / "r.sqlite")
    assert list(tmp_path.iterdir()) == before
    charts = tmp_path / "charts"
    pictures(made, tmp_path / "r.sqlite", folder=charts)
    names = [
        f"figure-12-latency-{topology}-512-bytes-uniform"
        for topology in ("8x8-express-torus", "8x8-torus", "cplant")
    ]
    shown = sorted(path.name for path in charts.iterdir() if path.is_file())
    assert shown == sorted(f"{name}{end}" for name in names for end in (".png", ".svg"))
    printed = sorted(path.name for path in (charts / "print").iterdir())
    assert printed == sorted(f"{name}{end}" for name in names for end in (".csv", ".pdf", ".svg"))
    assert (charts / "print" / f"{names[0]}.pdf").read_bytes().startswith(b"%PDF")
    text = (charts / "print" / f"{names[0]}.svg").read_text(encoding="utf-8")
    assert 'width="336"' in text
    text = (charts / "print" / f"{names[0]}.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["routing"] for row in rows} == {"UD", "ITB"}


def test_experiments_share_points_and_a_second_call_computes_none(tmp_path: Path) -> None:
    itbsr = PAPERS["itbsr"]
    stages = SyntheticStages(curves=CURVES)
    first = reproduce(itbsr, itbsr.experiments, tmp_path / "r.sqlite", quick=True, stages=stages)
    assert len({entry.experiment.name for entry in first}) == 8
    again = SyntheticStages(curves=CURVES)
    second = reproduce(itbsr, itbsr.experiments, tmp_path / "r.sqlite", quick=True, stages=again)
    assert second == first
    assert again.simulated == []
    # Two sizes, two topologies each, are in both studies: UD and DFS are simulated once for them.
    per_label = [label for label, load, _ in stages.simulated if load == stages.simulated[0][1]]
    assert per_label.count("simple_routes") == 6
    assert per_label.count("simple_routes:root=0") == 6
    assert per_label.count("smart") == 4


@pytest.mark.parametrize(
    ("value", "half_width", "published", "words"),
    [
        (1.5, 0.2, None, ""),
        (1.5, 0.9, 1.6, "not compared: the interval is wide"),
        (1.5, 0.2, 1.65, "agrees: within 15 %"),
        (1.5, 0.3, 1.79, "agrees: within the interval alone"),
        (1.15, math.nan, 1.0, "agrees: within 15 %"),
        (0.85, 0.01, 1.0, "agrees: within 15 %"),
        (1.16, 0.01, 1.0, "near: within 25 %"),
        (0.75, 0.01, 1.0, "near: within 25 %"),
        (1.5, 0.01, 3.0, "differs"),
        (-0.5, 0.01, 0.5, "differs"),
        (1.5, math.nan, 0.0, "differs"),
        (0.0, math.nan, 0.0, "agrees: within 15 %"),
    ],
)
def test_judgements(value: float, half_width: float, published: float | None, words: str) -> None:
    row = Row("c", "q", value, half_width, published=published)
    assert judgement(row) == words
    compared = published is not None
    assert judgement(replace(row, is_judged=False)) == ("not compared" if compared else "")


def test_an_average_agrees_within_the_published_extremes() -> None:
    row = Row("c", "q, average", 2.9, 0.1, published=2.0, published_minimum=1.5)
    assert judgement(row) == "differs"
    assert judgement(replace(row, published_maximum=2.8)) == "differs"
    found = replace(row, published_maximum=2.9)
    assert judgement(found) == "agrees: within the published extremes"


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(StudyError, match="unknown paper bost; did you mean boost"):
        known_paper(PAPERS, "bost")
    with pytest.raises(StudyError, match="boost has no table-9 to run again"):
        PAPERS["boost"].chosen(["9"], [])
    chosen = PAPERS["boost"].chosen(["1"], ["10"])
    assert [entry.name for entry in chosen] == ["table-1", "figure-10"]
    assert PAPERS["boost"].chosen([], []) == list(PAPERS["boost"].experiments)


@papers
def test_a_paper_is_found_by_its_title(paper: Paper) -> None:
    title = paper.citation.partition("“")[2].partition("”")[0]
    assert known_paper(PAPERS, title) is paper
    assert known_paper(PAPERS, title.upper()) is paper
    assert title in " ".join(done("reproduce", "--help").stdout.split())


def test_a_paper_is_found_by_words_that_fit_it_alone() -> None:
    assert known_paper(PAPERS, "lopez ishpc") is PAPERS["mvn"]
    with pytest.raises(StudyError, match="“flich” fits several papers: boost, itbsr, arb, mvn; "):
        known_paper(PAPERS, "flich")
    with pytest.raises(StudyError, match="unknown paper —; "):
        known_paper(PAPERS, "—")


def test_the_pages_show_measured_beside_published(tmp_path: Path) -> None:
    boost = PAPERS["boost"]
    path = tmp_path / "r.sqlite"
    made = run(boost, ["table-1", "figure-10"], path)
    text = to_markdown(boost, made, "1.2.3")
    (row,) = [
        line
        for line in text.splitlines()
        if line.startswith("| 32 switches, 512 bytes | ITB over UD, average")
    ]
    assert row.split(" | ")[2] == "1.76"
    assert row.split(" | ")[6:] == ["0.85", "agrees: within the published extremes |"]
    # Figures that nobody published have no column for a published one.
    assert "| condition | figure | measured | ± 95 % | from |" in text.splitlines()
    rows = list(csv.DictReader(io.StringIO(to_csv(made))))
    assert len(rows) == sum(len(entry.rows) for entry in made)
    assert {row["experiment"] for row in rows} == {"table-1", "figure-10"}
    page = to_html(boost, made, "1.2.3", pictures(made, path))
    # Table 1 has its other reading apart, and no figure is alone.
    assert page.count("<table>") == 3
    assert page.count("<tr>") == len(rows) + 3
    # Boxes of the table, curves of three sizes.
    assert page.count("<figure ") == 1 + 3
    assert page.index("Does it agree?") < page.index("<figure ")
    assert re.findall(r"(?:src|href)=\"(?!data:|#)", page) == []
    assert "UD is <code>simple_routes</code>, ITB is <code>ud_itb</code>" in page
    # A screen reader is told what each picture shows, and the keyboard reaches what scrolls.
    labels = re.findall(r'<div [^>]*role="img" aria-label="([^"]+)">', page)
    assert labels[0] == "Throughput over topologies. All topologies."
    # Of each there is one for a wide page and one for a telephone.
    assert labels[::2] == labels[1::2]
    assert len(labels) == 2 * page.count("<figure ")
    scrolled = re.findall(r'<div class="scroll[^>]*>', page)
    assert len(scrolled) == page.count("<table>") + page.count("<figure ")
    assert all('tabindex="0"' in each and 'role="region"' in each for each in scrolled)


def test_one_hotspot_and_several_are_told_apart(tmp_path: Path) -> None:
    (made,) = run(PAPERS["mvn"], ["table-3"], tmp_path / "r")
    conditions = {row.condition for row in made.rows if row.condition.startswith("8 ")}
    assert conditions == {f"8 switches, {count} hotspots of 20 %" for count in (2, 4, 8, 16)}


def test_under_a_hotspot_what_counts_is_what_is_accepted_at_the_highest_load(
    tmp_path: Path,
) -> None:
    (made,) = run(PAPERS["mvn"], ["table-2"], tmp_path / "r")
    found = {
        row.is_other_reading: row
        for row in made.rows
        if (row.condition, row.quantity)
        == ("16 switches, hotspot of 5 %", "2 trees over 1, average")
    }
    # Of loads to 0.31 the last accept less than the largest.
    one, two = (falling(TREES[f"multi_tree:lanes=2,trees={trees}"]) for trees in (1, 2))
    assert found[False].value == pytest.approx(two(0.31) / one(0.31))
    loads = (0.03875, 0.0775, 0.1162, 0.155, 0.1938, 0.2325, 0.31)
    assert found[True].value == pytest.approx(max(map(two, loads)) / max(map(one, loads)))
    assert found[True].remark == "the largest accepted traffic"
    # Four hosts of links that are given as 0.16 bytes/ns.
    accepted = {row.quantity: row.value for row in made.rows if row.condition.startswith("16 ")}
    assert accepted["2 trees, average, bytes/ns/switch"] == pytest.approx(
        0.64 * two(0.31), rel=1e-3
    )


def test_trees_are_set_beside_the_published_and_roots_are_sorted(tmp_path: Path) -> None:
    one, four, roots = run(PAPERS["mvn"], ["table-1", "table-4", "figure-roots"], tmp_path / "r")
    found = {(row.condition, row.quantity): row for entry in (one, four) for row in entry.rows}
    assert found["16 switches", "2 trees over 1, average"].value == pytest.approx(1.6, rel=0.03)
    assert found["64 switches", "2 trees over 1, average"].published == 2.14
    threes = [row for row in four.rows if row.quantity == "3 trees over 2, average"]
    # The reading with the nearest root is the one that is taken.
    assert [row.value for row in threes[:4]] == [pytest.approx(1.125, rel=0.03)] * 4
    assert [row.value for row in threes[4:]] == [pytest.approx(1.25, rel=0.03)] * 4
    assert found["8 switches", "3 trees over 1, average"].published == 1.22
    assert found["8 switches", "2 trees over 1, average"].published is None
    assert len(roots.rows) == 4 + 240
    assert roots.rows[1].value == 1
    assert roots.rows[4].quantity == "roots 5 and 3, bytes/ns/switch"
    lowest, highest = (row.value for row in roots.rows[2:4])
    assert (lowest, highest) == (roots.rows[-1].value, roots.rows[4].value)


def test_the_pair_of_roots_that_the_rule_chooses_is_marked_and_carries_the_same(
    tmp_path: Path,
) -> None:
    fabric = weft.irregular(5, seed=1)
    pairs = [f"multi_tree:roots={a}+{b}" for a in range(5) for b in range(5) if a != b]
    with weft.compare(
        fabric,
        ["multi_tree:roots=apart,trees=2", *pairs],
        "infiniband_1x",
        weft.Traffic(payload_bytes=32),
        loads=[0.8],
        precision=0.3,
        max_packets=4_000,
        results=tmp_path / "r.sqlite",
    ) as results:
        case = Case("roots", fabric, results.spec, {"fabrics.switches": 5})
        rows = by_roots([(case, results)])
    first, better, _, _, *sorted_rows = rows
    assert len(sorted_rows) == 20
    values = [row.value for row in sorted_rows]
    assert values == sorted(values, reverse=True)
    (marked,) = [row for row in sorted_rows if row.remark]
    assert marked.remark == "chosen by the paper's rule"
    # The same trees on the same lanes, by another name.
    assert marked.value == first.value
    assert better.value == sum(value > first.value for value in values)


def of_rows(*rows: Row, missing: Sequence[str] = ()) -> Reproduced:
    return Reproduced(PAPERS["boost"].experiments[0], list(rows), {}, list(missing))


def test_the_head_of_a_page_counts_what_agrees_and_names_what_differs_most() -> None:
    boost = PAPERS["boost"]
    compared = [
        Row("16 switches", "a", 1.0, published=1.0),
        Row("16 switches", "b", 1.2, published=1.0),
        Row("16 switches", "c", 3.0, published=1.0),
        Row("16 switches", "d", 0.2, published=1.0),
        Row("16 switches", "e", 9.0, published=1.0, is_judged=False),
        Row("16 switches", "f", 9.0, published=1.0, is_other_reading=True),
        Row("16 switches", "g", 9.0),
    ]
    agrees, much, which, first = answers(boost, [of_rows(*compared)], is_quick=True)
    assert agrees.text == (
        "1 of 4 published figures agree, 1 is near, 2 differ; 1 cannot be compared."
    )
    assert (agrees.mark, agrees.is_bad) == ("✓ Mostly.", False)
    assert much.text == "Ours are 0.20 to 3.00 times the published figures."
    # A fifth is farther off than three times.
    assert which.text == (
        "table 1, 16 switches, d: 0.2 here, 1 published; table 1, 16 switches, c: 3 here, 1 "
        "published."
    )
    assert first.command == "weft reproduce boost --table 1 --full"

    whole = [replace(of_rows(), experiment=experiment) for experiment in boost.experiments]
    assert answers(boost, whole, is_quick=True)[-1].command == "weft reproduce boost --full"
    alone = answers(boost, [of_rows(compared[-1])], is_quick=False)
    assert [answer.text for answer in alone] == [
        "No published figure of these is known that compares; ours stand alone."
    ]
    *_, first = answers(boost, [of_rows(missing=["cg.ti"])], is_quick=False)
    assert first.command == "weft reproduce boost --table 1 --traces FOLDER"

    many = [Row("c", "q", value, published=1.0) for value in (0.9, 1, 1, 1, 1, 1, 1.1, 1.1)]
    agrees, much = answers(boost, [of_rows(*many)], is_quick=False)
    assert agrees.mark == "✓ Yes."
    assert much.text == (
        "Ours are 1.00 times the published figures in the median, half of them 1.00 to 1.02 times."
    )
    bad = answers(boost, [of_rows(compared[2], compared[3], compared[0])], is_quick=False)[0]
    assert (bad.mark, bad.is_bad) == ("✗ No.", True)
