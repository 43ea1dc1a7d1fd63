"""What `weft route --tables -o` writes is read again as it was, whichever routing it is of."""

from pathlib import Path

import numpy as np
import pytest

import weft

_TREE = weft.generate("xgft", m=[2, 4], w=[1, 2])
_TORUS = weft.torus(3, 3)
#: Routings that have tables on neither fabric: their packets choose on their way, or they are for
#: fabrics of a shape of their own.
_WITHOUT = frozenset(
    {"adaptive", "ar_ftree", "ar_updn", "dfp", "minimal_adaptive", "omniwar", "ugal", "valiant"}
)


def _tables(fabric: weft.Fabric, algorithm: str) -> weft.Routing | None:
    try:
        return weft.to_tables(fabric, weft.route(fabric, algorithm))
    except weft.RoutingError:
        return None


@pytest.mark.parametrize("algorithm", [known.name for known in weft.algorithms()])
def test_tables_of_every_routing_come_back(algorithm: str, tmp_path: Path) -> None:
    written = 0
    for fabric in (_TREE, _TORUS):
        routing = _tables(fabric, algorithm)
        if routing is None:
            continue
        written += 1
        first, second = tmp_path / "tables.json", tmp_path / "again.json"
        weft.write_routes(routing, first)
        read = weft.read_routes(fabric, first).routing
        weft.write_routes(read, second)
        assert second.read_bytes() == first.read_bytes()
        before, after = (weft.load_figures(fabric, one) for one in (routing, read))
        assert np.array_equal(before.routes_per_channel, after.routes_per_channel)
        proofs = [weft.prove(fabric, one) for one in (routing, read)]
        assert proofs[0].deadlock_free == proofs[1].deadlock_free
        assert read.lane_count == routing.lane_count
    assert (written > 0) == (algorithm not in _WITHOUT)
