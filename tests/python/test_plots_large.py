"""Large networks drawn whole: groups of switches and bundles of cables that leave nothing out."""

from __future__ import annotations

from functools import cache
from itertools import chain, combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from drawn_marks import SVG, marks_of, root_of
from report_samples import fabric_of, large_tree, study, tree

import weft
from weft.fabric.chassis import named_chassis
from weft.plots import wiring_chart
from weft.plots.aggregates import aggregates
from weft.plots.aggregates.blocks import block_extents, block_names, block_of
from weft.plots.drawing import drawing
from weft.plots.label_room import LabelRoom, LabelStyle
from weft.plots.layout import MAX_WIDTH
from weft.plots.layout.graph import SwitchGraph
from weft.plots.outline import MAX_MARKS, MAX_STROKES, outline
from weft.plots.views import Views

if TYPE_CHECKING:
    from pathlib import Path

    from weft.plots import Chart


def director() -> weft.Fabric:
    """Build a tree of 30 leaves on each of 20 directors of 12 line chips and 6 spine chips."""
    switches, links = {}, []
    for number in range(20):
        name = f"MF0;core{number}:CS7500"
        lines = [f"{name}/L{card:02}/U{chip}" for card in range(1, 7) for chip in (1, 2)]
        spines = [f"{name}/S{card:02}/U1" for card in range(1, 7)]
        leaves = [f"leaf-{number}-{leaf}" for leaf in range(30)]
        switches |= dict.fromkeys(leaves, 4) | dict.fromkeys([*lines, *spines], 0)
        links += [(line, spine) for line in lines for spine in spines]
        links += [(leaf, line) for leaf in leaves for line in lines]
        links += [(leaves[0], f"MF0;core{(number + 1) % 20}:CS7500/L01/U1")]
    return fabric_of("directors", dict(sorted(switches.items())), links)


def apart() -> weft.Fabric:
    """Build two tori of 1,100 switches that no link joins, and thirty switches alone."""
    switches = {f"{part}{at}": 1 for part in "ab" for at in range(1_100)}
    links = [
        (f"{part}{at}", f"{part}{(at + step) % 1_100}")
        for part in "ab"
        for at in range(1_100)
        for step in (1, 33)
    ]
    links += [("a7", "a7")]
    return fabric_of("apart", switches | {f"alone{at}": 1 for at in range(30)}, links)


def rails(count: int = 3, pods: int = 20) -> weft.Fabric:
    """Build trees of three levels beside one another, of 420 switches each."""
    switches: dict[str, int] = {}
    links = []
    for rail in range(count):
        edges = [[f"edge-{rail}-{pod}-{at}" for at in range(12)] for pod in range(pods)]
        middles = [[f"middle-{rail}-{pod}-{at}" for at in range(8)] for pod in range(pods)]
        cores = [f"core-{rail}-{at}" for at in range(20)]
        switches |= dict.fromkeys(chain(*edges), 2) | dict.fromkeys(chain(*middles), 0)
        switches |= dict.fromkeys(cores, 0)
        for below, above in zip(edges, middles, strict=True):
            links += [(edge, middle) for edge in below for middle in above]
            links += [(middle, core) for middle in above for core in cores[::4]]
            links += [(above[0], core) for core in cores]
    return fabric_of("rails", switches, links)


FABRICS = {
    "rails": rails,
    "torus": lambda: weft.torus(40, 50, 1),
    "torus of 20,000": lambda: weft.torus(100, 200, 1),
    "torus of three dimensions": lambda: weft.generate("torus", extents="14x13x12"),
    "hyperx": lambda: weft.generate("hyperx", extents="12x12x14"),
    "k-ary n-tree": lambda: weft.generate("k_ary_n_tree", k=8, n=4),
    "xgft": lambda: weft.generate("xgft", m="18,18,36", w="1,18,18"),
    "dragonfly": lambda: weft.generate("dragonfly", p=8, a=16, h=8),
    "jellyfish": lambda: weft.generate("jellyfish", switches=2_000, degree=16, hosts_per_switch=4),
    "slim fly": lambda: weft.generate("slim_fly", q=17),
    "hypercube": lambda: weft.generate("hypercube", dimensions=11),
    "directors": director,
    "apart": apart,
}


@cache
def fabric(name: str) -> weft.Fabric:
    return FABRICS[name]()


@pytest.mark.parametrize("name", FABRICS)
def test_every_switch_and_cable_is_in_one_mark_or_stroke(name: str) -> None:
    drawn = outline(fabric(name))
    assert drawn.is_aggregated
    assert sum(mark.switches for mark in drawn.marks) == fabric(name).switch_count
    assert sum(mark.hosts for mark in drawn.marks) == fabric(name).host_count
    between = np.flatnonzero(fabric(name).is_switch_channel)
    assert sorted(c for stroke in drawn.strokes for c in stroke.channels) == between.tolist()
    inside = sum(stroke.links for stroke in drawn.strokes if stroke.source == stroke.target)
    others = sum(stroke.links for stroke in drawn.strokes if stroke.source != stroke.target)
    assert inside + others / 2 == len(between) / 2
    assert inside == sum(mark.inside for mark in drawn.marks)
    assert others == sum(mark.links for mark in drawn.marks)
    group_of = aggregates(fabric(name)).group_of
    ends = np.asarray(fabric(name).channel_ends())
    for stroke in drawn.strokes:
        joined = group_of[ends[list(stroke.channels)]]
        assert (joined == [stroke.source, stroke.target]).all()


@pytest.mark.parametrize("name", FABRICS)
def test_a_large_drawing_has_few_enough_marks_to_be_seen(name: str) -> None:
    drawn = outline(fabric(name))
    assert 8 <= len(drawn.marks) <= min(MAX_MARKS, 800)
    assert len(drawn.strokes) <= MAX_STROKES
    assert drawn.page.width <= MAX_WIDTH + 1e-6
    near = np.linalg.norm(drawn.page.positions[:, None] - drawn.page.positions[None], axis=2)
    np.fill_diagonal(near, np.inf)
    assert near.min() > 8.0
    assert f"{fabric(name).switch_count:,} switches in {len(drawn.marks):,} marks" in drawn.notes[0]
    again = outline(FABRICS[name]())
    assert again.marks == drawn.marks
    assert again.strokes == drawn.strokes
    assert (again.page.positions == drawn.page.positions).all()


def test_what_fits_is_drawn_switch_by_switch() -> None:
    fits = weft.torus(25, 50, 1)  # 5,000 strokes
    assert len(outline(fits).strokes) == MAX_STROKES
    assert [mark.switches for mark in outline(fits).marks] == [1] * 1_250
    assert outline(weft.torus(25, 51, 1)).is_aggregated
    assert not outline(large_tree()).is_aggregated
    assert outline(weft.generate("ring", switches=2_001)).is_aggregated


def test_grids_are_divided_into_blocks_as_even_as_can_be() -> None:
    assert block_extents((40, 50)) == (20, 25)
    assert block_extents((100, 200)) == (20, 40)  # blocks of 5 × 5; of 4 × 4 were 50 rows
    assert block_extents((101, 103)) == (26, 26)  # nothing divides these
    assert block_of((4, 6), (2, 3)).reshape(6, 4).tolist() == [
        [0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3], [2, 2, 3, 3], [4, 4, 5, 5], [4, 4, 5, 5],
    ]  # fmt: skip
    assert block_names((4, 6), (2, 3))[:3] == ["0–1, 0–1", "2–3, 0–1", "0–1, 2–3"]
    sizes = np.bincount(block_of((101, 103), (26, 26))).reshape(26, 26)
    assert {int(size) for size in sizes.ravel()} == {9, 12, 16}
    names = block_names((101, 103), (26, 26))
    switch = 50 + 101 * 77
    columns, rows = names[block_of((101, 103), (26, 26))[switch]].split(", ")
    assert int(columns.split("–")[0]) <= 50 <= int(columns.split("–")[1])
    assert int(rows.split("–")[0]) <= 77 <= int(rows.split("–")[1])


def test_a_tree_is_divided_into_pods_below_and_planes_above() -> None:
    found = aggregates(fabric("k-ary n-tree"))
    counts = [int((found.level == level).sum()) for level in range(4)]
    assert counts == [64, 64, 8, 8]
    assert sorted(set(found.sizes.tolist())) == [8, 64]
    neighbours = SwitchGraph.of(fabric("k-ary n-tree")).neighbours()
    for group in np.flatnonzero(found.level == 0):
        above = {tuple(neighbours[switch]) for switch in np.flatnonzero(found.group_of == group)}
        assert len(above) == 1, "leaves of a pod have the same switches above"


def test_trees_beside_one_another_share_the_room() -> None:
    found = aggregates(fabric("rails"))
    for level in range(3):
        groups = np.unique(found.group_of[found.level[found.group_of] == level])
        assert 3 * 8 <= len(groups) <= 64
    rail = np.array([int(name.split("-")[1]) for name in fabric("rails").switch_names])
    for group in range(len(found.names)):
        assert len(set(rail[found.group_of == group].tolist())) == 1


def test_directors_are_divided_by_chassis() -> None:
    assert named_chassis("MF0;core1-mgt1:CS7500/L11/U1") == ("MF0;core1-mgt1:CS7500", "L11")
    assert named_chassis("rack1 12800 GUID=0x1 Spine 3, Chip A") == (
        "rack1 12800 GUID=0x1",
        "Spine 3",
    )
    assert named_chassis("MF0;rack95:MQM8700/U1") is None
    names = fabric("directors").switch_names
    found = aggregates(fabric("directors"))
    for kind, size in (("/L", 12), ("/S", 6)):
        groups = found.group_of[[kind in name for name in names]]
        assert np.bincount(groups)[np.unique(groups)].tolist() == [size] * 20
        for group in np.unique(groups):
            own = [names[switch] for switch in np.flatnonzero(found.group_of == group)]
            assert len({name.split(":")[0] for name in own}) == 1
    assert "core19/L01/U1…06/U2" in found.labels
    assert "MF0;core19:CS7500/L01/U1 … MF0;core19:CS7500/L06/U2" in found.names


def test_the_groups_of_a_dragonfly_stay_together() -> None:
    found = aggregates(fabric("dragonfly"))
    by_group = found.group_of.reshape(129, 16)
    assert (by_group == by_group[:, :1]).all()
    assert found.names[0] == "sw0 … sw95"  # of six groups
    assert found.labels[0] == "sw0…95"


def test_clusters_of_a_random_network_are_about_as_large() -> None:
    sizes = aggregates(fabric("jellyfish")).sizes
    assert sizes.max() <= 1.1 * sizes.min()


def test_more_parts_than_can_stand_beside_one_another_are_one_mark() -> None:
    found = aggregates(fabric("apart"))
    alone = found.group_of[2_200:]
    assert np.bincount(alone)[np.unique(alone)].tolist() == [1] * 5 + [25]


def test_a_name_takes_room_that_another_cannot_have() -> None:
    side = LabelStyle(0, "left", "middle", 0.0, 8.0, 0.0, 10.0, halo=True)
    aslant = LabelStyle(1, "left", "middle", 315.0, 8.0, 0.0, 10.0, halo=True)
    row = np.array([[0.0, 0.0], [30.0, 0.0], [0.0, 40.0], [0.0, 45.0]])
    room = LabelRoom(row, 5.0)
    assert not room.take(0, "over the next mark", side)
    assert room.take(0, "ab", side)
    assert not room.take(
        3, "no line of its own", LabelStyle(0, "left", "middle", 0, 8, -45, 10, True)
    )
    assert room.take(2, "free", side)
    assert not room.take(3, "five pixels below", side)
    beside = LabelRoom(np.array([[20.0 * at, 0.0] for at in range(5)]), 5.0)
    assert all(beside.take(at, "names-that-are-long", aslant) for at in range(5))
    close = LabelRoom(np.array([[14.0 * at, 0.0] for at in range(5)]), 2.0)
    taken = [close.take(at, "names-that-are-long", aslant) for at in range(5)]
    assert taken == [True, False, True, False, True]


def test_a_bundle_has_the_colour_of_its_busiest_channel_and_tells_the_mean(tmp_path: Path) -> None:
    results = study(tmp_path, fabric("directors"), {"updown": 0.2}, loads=[0.1])
    chart = drawing(results, Views(["updown"], [0.1]))
    told = chart.members["utilization"]
    drawn = outline(fabric("directors"))
    shares = 100 * results.channel_figures("updown", 0.1).utilization
    for number, stroke in enumerate(drawn.strokes):
        own = shares[list(stroke.channels)]
        assert told["utilization"][0][number] == pytest.approx(own.max(), abs=0.051)
        assert chart.rows[number]["mean"][0] == pytest.approx(own.mean(), abs=0.051)
        assert told["links"][number] == len(own)
    assert any("coloured by its busiest channel" in note for note in chart.notes)
    links = np.array(told["links"])
    widths = np.array(told["widths"])
    assert (np.diff(widths[np.argsort(links)]) >= 0).all()
    assert widths[links == 72].min() > 2 * widths[links == 1].max()
    (group,) = [mark for mark in marks_of(chart) if "of-utilization" in mark.classes]
    tips = [path.findtext(f"{SVG}title") or "" for path in group.element.iter(f"{SVG}path")]
    assert len(tips) == len(told["strokes"])
    for tip, number in zip(tips, told["strokes"], strict=True):
        row = chart.rows[number]
        assert tip.startswith(row["name"])
        assert f"{row['utilization'][0]:g} %" in tip


def test_names_are_short_in_a_drawing_and_whole_where_one_points_at_them() -> None:
    switches = {f"MF0;ib-leaf{at}:SX6036/U1": 2 for at in range(6)}
    spines = {f"MF0;ib-spine{at}:SX6036/U1": 0 for at in range(2)}
    links = [(leaf, spine) for leaf in switches for spine in spines]
    chart = wiring_chart(fabric_of("tree", switches | spines, links))
    root = root_of(chart.svg())
    written = {"".join(text.itertext()) for text in root.iter(f"{SVG}text")}
    assert written >= {*(f"leaf{at}" for at in range(6)), "spine0", "spine1"}
    titles = [title.text or "" for title in root.iter(f"{SVG}title")]
    for name in switches:
        assert f"{name}: 2 hosts, 2 links to switches" in titles
    assert sum(" → " in title for title in titles) == 24
    assert any(title.startswith("MF0;ib-leaf0:SX6036/U1[") for title in titles)


def names_drawn(chart: Chart) -> list[tuple[float, np.ndarray]]:
    """Return angle and extents of every name, in a frame turned by its angle, in points."""
    axes = chart.figure().axes[0]
    drawn = []
    for text in axes.texts:
        if not hasattr(text, "anncoords"):
            continue  # a number of the scale
        angle = text.get_rotation()
        text.set_rotation(0.0)
        text.set_bbox(None)
        box = text.get_window_extent()
        x, y = text.get_transform().transform(text.get_position())
        anchor = np.array([x, y])
        if angle:
            offset = np.array(box.get_points()) - anchor
            turn = np.radians(angle)
            to_frame = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
            box_in_frame = to_frame @ anchor + offset
        else:
            box_in_frame = np.array(box.get_points())
        drawn.append((angle, box_in_frame))
    return drawn


DRAWN = {
    "leaves": lambda: tree(),
    "many leaves": lambda: tree(leaves=60, spines=8, trunks=1),
    "pods": large_tree,
    "irregular": lambda: weft.irregular(40, seed=3),
    "complete": lambda: weft.generate("hyperx", extents="30"),
    "k-ary n-tree": lambda: fabric("k-ary n-tree"),
    "dragonfly": lambda: fabric("dragonfly"),
    "jellyfish": lambda: fabric("jellyfish"),
    "directors": lambda: fabric("directors"),
}


@pytest.mark.parametrize("name", ["leaves", "pods", "directors"])
def test_names_do_not_reach_into_the_lines_above_a_drawing(name: str) -> None:
    figure = wiring_chart(DRAWN[name]()).figure()
    notes = min(text.get_window_extent().y0 for text in figure.texts)
    names = [text for text in figure.axes[0].texts if hasattr(text, "anncoords")]
    assert max(text.get_window_extent().y1 for text in names) < notes


@pytest.mark.parametrize("name", DRAWN)
def test_no_name_covers_another_in_a_drawing(name: str) -> None:
    drawn = names_drawn(wiring_chart(DRAWN[name]()))
    assert drawn
    for (angle, one), (other_angle, other) in combinations(drawn, 2):
        if angle == other_angle:
            overlap = np.minimum(one[1], other[1]) - np.maximum(one[0], other[0])
            assert overlap.min() < 0.5


def test_a_busy_channel_is_seen_among_thousands(tmp_path: Path) -> None:
    results = study(
        tmp_path, tree(leaves=60, spines=40, hosts=2, trunks=1), {"updown": 0.2}, loads=[0.1]
    )
    told = drawing(results, Views(["updown"], [0.1])).members["utilization"]
    assert len(told["strokes"]) == 4_800
    assert min(told["widths"]) == 1.5 * 0.75  # in points
    assert 0.15 <= told["idle"] <= 0.25, "a fifth of it without traffic"
