"""Static load of pairs and the busiest channels: figures by hand, refusals, the command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from command import done
from command import weft as command

import weft

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def tree() -> weft.Fabric:
    return weft.generate("k_ary_n_tree", k=4, n=2)


def test_two_hosts_never_share() -> None:
    line = weft.mesh(2, 1, hosts_per_switch=1)
    found = weft.congestion(line, weft.route(line, "updown"), "shifts")
    assert found.pairs.tolist() == [2]
    assert found.mean_share.tolist() == [1.0]


def test_rounds_repeat_by_their_seed(tree: weft.Fabric) -> None:
    routing = weft.route(tree, "updown", root="tops")
    one, same, other = (
        weft.congestion(tree, routing, count=50, seed=seed).mean_share for seed in (1, 1, 2)
    )
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    assert 0 < one.min() <= one.mean() < 1


def test_some_hosts_alone_load_less(tree: weft.Fabric) -> None:
    routing = weft.route(tree, "updown", root="tops")
    below_one_leaf = weft.congestion(tree, routing, "permutations", count=20, hosts=[0, 1, 2, 3])
    assert below_one_leaf.mean_share.tolist() == [1.0] * 20
    assert weft.hottest_channels(tree, routing, hosts=[0, 1, 2, 3]) == []
    hot = weft.hottest_channels(tree, routing, 1, most_pairs=2, hosts=[0, 4])
    assert [(entry.routes, len(entry.first_pairs)) for entry in hot] == [(1, 1)]


def test_the_busiest_channel_carries_what_the_load_figures_say(tree: weft.Fabric) -> None:
    routing = weft.route(tree, "updown", root="tops")
    hot = weft.hottest_channels(tree, routing, 3, most_pairs=4)
    routes = weft.load_figures(tree, routing).routes_per_channel
    between = routes[tree.is_switch_channel]
    assert [entry.routes for entry in hot] == sorted(between.tolist(), reverse=True)[:3]
    assert all(routes[entry.channel] == entry.routes for entry in hot)
    assert all(entry.first_pairs.shape == (4, 2) for entry in hot)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"hosts": [0, 99]}, "host 99 does not exist; the fabric has hosts 0 to 15"),
        ({"hosts": [1, 1]}, "host 1 is given twice"),
        ({"hosts": [0.5]}, "expected a sequence of whole numbers"),
        ({"count": -1}, "count is -1"),
        ({"seed": -1}, "seed is -1"),
        ({"rounds": "shift"}, "expected one of bisections, permutations, shifts"),
    ],
)
def test_what_cannot_be_is_refused(
    tree: weft.Fabric, arguments: dict[str, object], message: str
) -> None:
    routing = weft.route(tree, "updown")
    with pytest.raises(weft.errors.RoutingError, match=message):
        weft.congestion(tree, routing, **arguments)  # type: ignore[arg-type]


def test_the_command_shows_shares_and_the_busiest_cables(tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    weft.write_fabric(weft.generate("k_ary_n_tree", k=4, n=2), path)
    ended = done(
        "route", path, "updown:root=tops", "--rounds", "bisections", "--count", 30, "--hottest", 2
    )
    assert "30 bisections" in ended.stdout
    assert "channels that most routes take:" in ended.stdout
    document = command(
        "route", path, "updown:root=tops", "--rounds", "shifts", "--hosts", "0,1,host2", "--json"
    ).document
    assert document["congestion"]["pairs"] == [3, 3]
    assert document["hottest_channels"] == []


def test_weights_of_pairs_move_routes(tree: weft.Fabric) -> None:
    even = np.ones((16, 16), dtype=int)
    heavy = even.copy()
    heavy[:, 12:14] = 40
    loads = []
    for weights in (even, heavy):
        routing = weft.route_for_weights(tree, weights, lanes=1)
        assert weft.prove(tree, routing).deadlock_free
        sums = np.zeros(tree.channel_count)
        for hot in weft.hottest_channels(tree, routing, tree.channel_count, most_pairs=256):
            sums[hot.channel] = heavy[hot.first_pairs[:, 0], hot.first_pairs[:, 1]].sum()
        loads.append(sums.max())
    assert loads[1] <= loads[0]
    for weights, message in ((even[:3], "expected whole numbers of shape"), (even - 2, "has -1")):
        with pytest.raises(weft.errors.RoutingError, match=message):
            weft.route_for_weights(tree, weights)
