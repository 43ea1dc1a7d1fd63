"""The drawing of the fabric: where switches stand, how channels are traced and coloured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from drawn_marks import SVG, marks_of, root_of, texts_of
from report_samples import SAMPLES, fabric_of, large_tree, study, tree

import weft
from weft.plots import fabric_chart
from weft.plots.drawing import drawing
from weft.plots.layout import MAX_WIDTH, layout
from weft.plots.marks import shortened, switch_marks
from weft.plots.outline import outline
from weft.plots.strokes import MAX_SEPARATE_LINKS, pieces, stroke_gap, strokes
from weft.plots.views import Views, stroke_rows

if TYPE_CHECKING:
    from pathlib import Path

    from weft.plots.strokes import Piece

FABRICS = {
    "torus": lambda: weft.torus(8, 8, 4),
    "row": lambda: weft.mesh(5, 1, 1),
    "one switch": lambda: weft.mesh(1, 1, 2),
    "two switches": lambda: weft.irregular(2, ports_per_switch=5, seed=1),
    "irregular": lambda: weft.irregular(64, seed=1),
    "tree": tree,
    "large tree": large_tree,
    "dragonfly+": lambda: weft.generate(
        "dragonfly_plus", groups=5, leaves=3, spines=2, hosts=1, links=2
    ),
    "PolarFly": lambda: weft.generate("polar_fly", q=5),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> weft.Results:
    folder = tmp_path_factory.mktemp("fabric")
    return study(folder, weft.torus(4, 4, 1), {"updown": 0.2, "ud_itb": 0.3}, loads=[0.1, 0.15])


@pytest.mark.parametrize("name", FABRICS)
def test_every_switch_has_a_place_of_its_own_on_the_page(name: str) -> None:
    fabric = FABRICS[name]()
    page = layout(fabric)
    assert page.positions.shape == (fabric.switch_count, 2)
    assert np.isfinite(page.positions).all()
    assert (page.positions >= 0).all()
    assert (page.positions <= [page.width, page.height]).all()
    assert page.width <= MAX_WIDTH + 1e-6
    if fabric.switch_count > 1:
        apart = np.linalg.norm(page.positions[:, None] - page.positions[None, :], axis=2)
        np.fill_diagonal(apart, np.inf)
        assert apart.min() > 3.0


def test_the_same_fabric_gets_the_same_drawing() -> None:
    first, second = (layout(weft.irregular(40, seed=3)) for _ in range(2))
    assert (first.positions == second.positions).all()


def test_groups_are_drawn_apart() -> None:
    for name, sizes in [("dragonfly+", [5] * 5), ("PolarFly", [6, *[5] * 5])]:
        fabric = FABRICS[name]()
        page = layout(fabric)
        assert page.kind == "groups"
        structure = weft.fabric.fabric_structure(fabric)
        assert structure is not None
        assert [len(group) for group in structure.groups] == sizes
        group_of = np.empty(fabric.switch_count, dtype=np.int64)
        for number, group in enumerate(structure.groups):
            group_of[[fabric.switch_names.index(switch) for switch in group]] = number
        middles = np.array(
            [page.positions[group_of == at].mean(axis=0) for at in range(len(sizes))]
        )
        apart = np.linalg.norm(page.positions[:, None] - middles[None, :], axis=2)
        assert (apart.argmin(axis=1) == group_of).all(), name


def test_a_grid_is_drawn_as_its_grid() -> None:
    page = layout(weft.torus(5, 3, 1))
    assert page.kind == "grid"
    columns = page.positions[:, 0].reshape(3, 5)
    rows = page.positions[:, 1].reshape(3, 5)
    assert (np.diff(columns, axis=1) > 0).all()
    assert (np.diff(columns, axis=0) == 0).all()
    assert (np.diff(rows, axis=0) > 0).all()


def test_a_tree_has_the_switches_of_the_hosts_at_the_bottom() -> None:
    fabric = tree(leaves=6, spines=3, hosts=8)
    page = layout(fabric)
    assert page.kind == "levels"
    leaf = np.array([name.startswith("leaf") for name in fabric.switch_names])
    # The spine with a service host stays a spine; y points down.
    assert page.row_of[leaf].tolist() == [0] * 6
    assert page.row_of[~leaf].tolist() == [1] * 3
    assert page.positions[leaf, 1].min() > page.positions[~leaf, 1].max()


def test_three_levels_lie_above_one_another() -> None:
    fabric = large_tree(pods=3, edges=4, middles=2, cores=4)
    page = layout(fabric)
    kinds = [name.split("-")[0] for name in fabric.switch_names]
    assert [{"edge": 0, "middle": 1, "core": 2}[kind] for kind in kinds] == page.row_of.tolist()


def test_levels_are_ordered_so_that_few_links_cross() -> None:
    # Leaves wired to the spines in reverse order: straight once the spines are turned around.
    switches = {"l0": 2, "l1": 2, "l2": 2, "s0": 0, "s1": 0, "s2": 0, "top": 0}
    links = [("l0", "s2"), ("l1", "s1"), ("l2", "s0"), ("s0", "top"), ("s1", "top"), ("s2", "top")]
    page = layout(fabric_of("reversed", switches, links))
    assert page.positions[:3, 0].tolist() == page.positions[[5, 4, 3], 0].tolist()


def test_switches_keep_the_order_of_their_names_where_it_costs_nothing() -> None:
    switches = dict.fromkeys(("leaf10", "leaf2", "leaf1"), 4) | {"spine2": 0, "spine1": 0}
    links = [(leaf, spine) for leaf in list(switches)[:3] for spine in ("spine1", "spine2")]
    page = layout(fabric_of("shuffled", switches, links))
    left_to_right = np.argsort(page.positions[:, 0] + 1e4 * page.row_of)
    names = [list(switches)[number] for number in left_to_right]
    assert names == ["leaf1", "leaf2", "leaf10", "spine1", "spine2"]


def test_parts_without_a_link_between_them_stand_side_by_side() -> None:
    switches = {"a": 1, "b": 1, "c": 0, "d": 0}
    page = layout(fabric_of("two parts", switches, [("a", "b"), ("c", "d")]))
    assert page.positions[:2, 0].max() < page.positions[2:, 0].min()


def side_of(piece: Piece, start: np.ndarray, end: np.ndarray) -> float:
    """Tell on which side of the way from start to end a piece lies; positive is right."""
    along = end - start
    off = np.array([piece.x, piece.y]) - start
    return float(along[0] * off[1] - along[1] * off[0])


@pytest.mark.parametrize("name", ["torus", "irregular", "tree"])
def test_traffic_keeps_right_so_that_both_directions_are_seen(name: str) -> None:
    fabric = FABRICS[name]()
    page = layout(fabric)
    drawn = strokes(fabric)
    gap = stroke_gap(drawn, page)
    between = np.flatnonzero(fabric.is_switch_channel)
    assert sorted(c for stroke in drawn for c in stroke.channels) == between.tolist()
    for piece in pieces(drawn, page, gap, 5.0):
        stroke = drawn[piece.stroke]
        start, end = page.positions[stroke.source], page.positions[stroke.target]
        wraps = page.kind == "grid" and np.abs(end - start).max() > 1.5 * page.spacing
        side = side_of(piece, end if wraps else start, start if wraps else end)
        assert side > 0


def test_a_channel_that_wraps_around_is_two_stubs_at_the_edges() -> None:
    fabric = weft.torus(4, 1, 1)
    page = layout(fabric)
    drawn = strokes(fabric)
    traced = pieces(drawn, page, 4.0, 10.0)
    assert len(drawn) == 8
    assert len(traced) == 6 + 2 * 2
    outside = [piece for piece in traced if max(piece.x, piece.x2) > page.positions[3, 0]]
    assert len(outside) == 2


def test_parallel_links_share_a_stroke_in_large_fabrics_only() -> None:
    small = tree(leaves=4, spines=2, hosts=4, trunks=3)
    assert {len(stroke.channels) for stroke in strokes(small)} == {1}
    large = tree(leaves=20, spines=6, hosts=4, trunks=4)
    assert MAX_SEPARATE_LINKS < 20 * 6 * 4
    assert {len(stroke.channels) for stroke in strokes(large)} == {4}


def test_a_stroke_shows_its_busiest_channel(tmp_path: Path) -> None:
    results = study(
        tmp_path, tree(leaves=20, spines=6, hosts=2, trunks=4), {"updown": 0.2}, loads=[0.1]
    )
    drawn = strokes(results.fabric)
    names = results.fabric.switch_names
    rows = stroke_rows(results, drawn, Views(["updown"], [0.1]), names)
    shares = results.channel_figures("updown", 0.1).utilization
    for row, stroke in zip(rows, drawn, strict=True):
        expected = 100 * shares[list(stroke.channels)].max()
        assert row["utilization"][0] == pytest.approx(expected, abs=0.051)
        assert row["links"] == 4


def test_colour_scale_is_common_to_all_routings_of_a_load(results: weft.Results) -> None:
    chart = drawing(results, Views(["updown", "ud_itb"], [0.1, 0.15]))
    assert "utilization (% of time)" in texts_of(chart)
    largest = [
        max(
            float(results.channel_figures(label, load).utilization[
                results.fabric.is_switch_channel
            ].max())
            for label in ("updown", "ud_itb")
        )
        for load in (0.1, 0.15)
    ]  # fmt: skip
    ends = chart.members["utilization"]["ends"]
    assert len(ends) == 2
    for end, share in zip(ends, largest, strict=True):
        assert 100 * share <= end <= 100 * share + 10


def test_a_routing_that_was_not_simulated_is_refused_with_the_known_ones(
    results: weft.Results,
) -> None:
    with pytest.raises(weft.ResultsError, match=r"'dfs'.*expected one of: updown, ud_itb"):
        fabric_chart(results, "dfs")


@pytest.mark.parametrize("name", ["two", "refused", "tree", "hostile", "seeds"])
def test_drawings_of_all_kinds_can_be_rendered(name: str, tmp_path: Path) -> None:
    results = SAMPLES[name](tmp_path)
    chart = fabric_chart(results)
    svg = root_of(chart.svg())
    strokes_drawn = len(list(svg.iter(f"{SVG}path")))
    assert strokes_drawn >= len(strokes(results.fabric))
    switches = [mark for mark in marks_of(chart) if "switches" in " ".join(mark.classes)]
    assert sum(mark.count_members() for mark in switches) == results.fabric.switch_count


def test_strokes_are_drawn_by_how_busy_they_are(results: weft.Results) -> None:
    chart = drawing(results, Views(["updown", "ud_itb"], [0.1, 0.15]), 1, 1)
    assert chart.title.endswith("ud_itb at 15 % offered load")
    told = chart.members["utilization"]
    assert told["loads"] == 2
    assert len(told["utilization"]) == len(told["blocked"]) == 4
    (group,) = [mark for mark in marks_of(chart) if "of-utilization" in mark.classes]
    assert group.count_members() == len(told["strokes"])
    busy = [told["utilization"][3][number] for number in told["strokes"]]
    assert busy == sorted(busy), "the busiest lie above the others"
    figures = results.channel_figures("ud_itb", 0.15)
    by_name = {results.fabric.describe_channel(c): c for c in range(results.fabric.channel_count)}
    for number, name in enumerate(told["names"]):
        share = figures.utilization[by_name[name]]
        assert told["utilization"][3][number] == pytest.approx(100 * share, abs=0.051)
    widths = [
        float(style.split("stroke-width: ")[1].split(";")[0]) if "stroke-width" in style else 1.0
        for style in (path.get("style", "") for path in group.element.iter(f"{SVG}path"))
    ]
    assert widths == sorted(widths)
    assert widths[-1] > widths[0]


def test_names_stand_inside_beside_or_in_the_tooltip() -> None:
    grid = outline(weft.torus(8, 8, 1))
    assert [style.halo for style in switch_marks(grid.marks, grid.page).label_styles] == [False]
    leaves = outline(tree())
    marks = switch_marks(leaves.marks, leaves.page)
    assert [mark for mark, _ in marks.names()] == list(range(len(marks.rows)))
    assert {style.number for _, style in marks.names()} == {0, 1}
    assert {row["shape"] for row in marks.rows} == {"circle", "square"}
    assert marks.room_below > 0
    many = outline(weft.irregular(300, seed=1))
    assert switch_marks(many.marks, many.page).names() == []
    assert shortened("a-switch-with-a-very-long-name-17") == "a-switch-…ng-name-17"


def test_a_dragonfly_is_drawn_by_its_groups_with_links_missing_too() -> None:
    whole = weft.generate("dragonfly", p=2, a=6, h=3)
    worn = weft.degrade(whole, links="1%", seed=1).fabric
    for fabric in (whole, worn):
        page = layout(fabric)
        assert page.kind == "groups"
        # Those of a group stand nearer one another than to any other.
        groups = page.positions.reshape(19, 6, 2)
        middles = groups.mean(axis=1)
        within = np.linalg.norm(groups - middles[:, None], axis=2).max()
        apart = np.linalg.norm(middles[:, None] - middles[None], axis=2)
        assert apart[~np.eye(19, dtype=bool)].min() > 2 * within
    for other in (weft.irregular(32), weft.generate("slim_fly", q=5)):
        assert layout(other).kind == "distances"
