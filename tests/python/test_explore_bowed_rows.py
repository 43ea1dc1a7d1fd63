"""Where switches of grids are drawn: no cable lies on a switch that it does not join."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft.explore import scene
from weft.explore.bowed_rows import bowed
from weft.plots.layout import layout

GRIDS = {
    "torus": weft.torus(6, 6),
    "ring of three": weft.torus(3, 2),
    "narrow torus": weft.torus(9, 4),
    "express torus": weft.generate("express_torus", extents="8x8"),
    "HyperX": weft.generate("hyperx", extents="4x5"),
}


def nearest(fabric: weft.Fabric) -> float:
    """Return how near a cable comes to a switch that it does not join, in spacings."""
    drawn = scene(fabric, ["updown"])
    places = np.column_stack([drawn["switches"]["x"], drawn["switches"]["y"]])
    found = np.inf
    for one, other in zip(drawn["cables"]["a"], drawn["cables"]["b"], strict=True):
        way = places[other] - places[one]
        length = float(np.hypot(*way))
        along = (places - places[one]) @ way / length**2
        apart = np.abs((places - places[one]) @ [-way[1], way[0]]) / length
        beside = (along > 0) & (along < 1)
        beside[[one, other]] = False
        found = min(found, apart[beside].min(initial=np.inf))
    return found / layout(fabric).spacing


@pytest.mark.parametrize("name", GRIDS)
def test_cables_lead_past_switches(name: str) -> None:
    fabric = GRIDS[name]
    assert layout(fabric).kind == "grid"
    assert nearest(fabric) > 0.02


def test_a_grid_without_such_cables_stays_as_it_is() -> None:
    mesh = weft.generate("mesh", extents="5x4")
    drawn = scene(mesh, ["updown"])["switches"]
    assert np.column_stack([drawn["x"], drawn["y"]]).tolist() == layout(mesh).positions.tolist()


def test_a_row_that_is_closed_is_a_bow() -> None:
    row = np.array([[0.0, 0.0], [10.0, 0.0], [20.0, 0.0], [30.0, 0.0], [40.0, 0.0]])
    cables = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)]
    bow = bowed(row, cables, 10.0)
    assert bow[:, 0].tolist() == row[:, 0].tolist()
    np.testing.assert_allclose(bow[:, 1], [0, 2.7, 3.6, 2.7, 0])
    # What is closed by itself is a bow by itself.
    np.testing.assert_allclose(bowed(row, [(0, 2), (2, 4)], 10.0)[:, 1], [0, 3.6, 0, 3.6, 0])
