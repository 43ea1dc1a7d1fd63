"""When it is time to route anew after repairs, as a watch tells it."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from command import done
from watched import SPEC, Watched, torus

import weft
from weft.watch import Comparing, Loads

if TYPE_CHECKING:
    from pathlib import Path


def most(fabric: weft.Fabric, routing: weft.Routing) -> int:
    """Count the routes over the busiest channel between switches."""
    routes = weft.load_figures(fabric, routing).routes_per_channel
    return int(routes[fabric.is_switch_channel].max())


def test_a_watch_says_when_it_is_time_to_route_anew(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    drop, folder = tmp_path / "drop", tmp_path / "watch"
    drop.mkdir()
    once = ("watch", drop, SPEC, "-o", folder, "--once", "--every", 0.1, "--settle", 0)
    weft.write_fabric(whole, drop / "a.ibnetdiscover")
    done(*once)
    assert "<th>largest load</th><td>as planned</td>" in (folder / "health.html").read_text()
    cut = weft.degrade(whole, switches="sw5").fabric
    weft.write_fabric(cut, drop / "b.ibnetdiscover")
    ended = done(*once)
    repaired = weft.repair(whole, weft.route(whole, SPEC), cut).routing
    loads = Loads(most(cut, repaired), most(cut, weft.route(cut, SPEC)))
    assert loads.is_time
    told = f"it is time to route anew: the largest load would be {loads.anew} routes, and is"
    assert f"{told} {loads.standing}\n" in ended.stdout
    lines = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    (line,) = [line for line in lines if line["event"] == "outgrown"]
    assert (line["largest_load"], line["largest_load_anew"]) == (loads.standing, loads.anew)
    health = json.loads((folder / "health.json").read_text())
    assert (health["largest_load"], health["largest_load_anew"]) == (loads.standing, loads.anew)
    assert f"{loads.standing} routes; routed anew {loads.anew}: it is time to" in (
        (folder / "health.html").read_text()
    )


class Known(Comparing):
    """Knows what it is asked for at once, and notes that."""

    def __init__(self, loads: Loads) -> None:
        super().__init__(SPEC)
        self.loads, self.asked = loads, list[int]()

    def look(self, folder: Path, number: int) -> Loads | None:
        """Note the number; the loads of each are known once."""
        assert json.loads((folder / "record.json").read_text())["number"] == number
        self.asked.append(number)
        return self.loads if self.asked.count(number) == 1 else None


@pytest.mark.parametrize(("loads", "told"), [(Loads(11, 10), 0), (Loads(111, 100), 1)])
def test_what_is_repaired_is_compared_once_it_stands(
    tmp_path: Path, loads: Loads, told: int
) -> None:
    whole = torus(tmp_path)
    cut, other = (weft.degrade(whole, links=links).fabric for links in ("sw0:3", "sw9:4"))
    known = Known(loads)
    watched = Watched(tmp_path / "watch", comparing=known)
    watched.sees(whole)
    watched.sees(cut)
    assert known.asked == []
    watched.sees(cut)
    health = watched.watch.health
    assert known.asked == [2]
    assert (health.largest_load, health.largest_load_anew) == (loads.standing, loads.anew)
    # Not while it is in doubt what there is.
    watched.sees(other)
    assert known.asked == [2]
    watched.sees(cut, cut)
    assert known.asked == [2, 2, 2]
    assert watched.told.count("outgrown") == told
    # All is as planned again.
    watched.sees(whole)
    assert known.asked == [2, 2, 2]
    assert health.largest_load is health.largest_load_anew is None


def test_where_no_new_tables_can_be_had_nothing_is_compared(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    folder = tmp_path / "kept"
    folder.mkdir()
    weft.write_fabric(whole, folder / "fabric.json")
    weft.write_routes(weft.route(whole, SPEC), folder / "tables.json")
    # Shortest routes of a torus close circles.
    with Comparing("minimal:selection=first,per=switch") as comparing:
        while (found := comparing.look(folder, 1)) is None and comparing.is_running:
            time.sleep(0.05)
        assert found is None
        assert comparing.look(folder, 2) is None
        assert comparing.is_running
    assert not comparing.is_running
