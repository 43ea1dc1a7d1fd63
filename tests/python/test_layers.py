"""Several routes a pair: addresses by LMC with layers of their own, exported and simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from command import done

import weft

if TYPE_CHECKING:
    from pathlib import Path

FABRIC = weft.generate("slim_fly", q=5, hosts_per_switch=4)

#: A shift that shortest routes leave little of.
SHIFT = "shift:by=29"


@pytest.fixture(scope="module")
def layered() -> weft.Routing:
    """Return four addresses a host."""
    return weft.route(FABRIC, "best:lmc=2")


def hardware(addresses: str) -> weft.Hardware:
    """Return InfiniBand's hardware whose hosts choose addresses so."""
    return weft.hardware("infiniband_hdr", addresses=addresses)


def test_layers_leave_more_of_shifts_than_those_of_lnmp(layered: weft.Routing) -> None:
    """LNMP leaves 44.4 % (``benches/layers.py``), any shortest routes 33.1 %."""
    assert layered.lane_count <= 8
    assert weft.prove(FABRIC, layered).deadlock_free
    assert weft.shift_shares(FABRIC, layered).mean >= 0.52
    plain = weft.route(FABRIC, "best")
    assert weft.shift_shares(FABRIC, plain).mean == pytest.approx(0.331, abs=0.001)
    # What is sent to first addresses alone is as even as without further ones.
    use = weft.judge(FABRIC, layered, count=2).by_use
    assert use[0].first == pytest.approx(weft.judge(FABRIC, plain, count=2).uniform_share)


def test_packets_spread_over_addresses(layered: weft.Routing) -> None:
    traffic = weft.Traffic(SHIFT, load=1.0, payload_bytes=4096)
    found = {
        how: weft.simulate(FABRIC, layered, hardware(how), traffic)
        for how in ("first", "hash", "even")
    }
    assert found["first"].accepted_load < 0.85 * found["even"].accepted_load
    assert found["hash"].accepted_load != found["even"].accepted_load


def test_an_exchange_of_messages_shift_by_shift_is_faster(layered: weft.Routing) -> None:
    program = weft.Program(FABRIC.host_count)
    program.collective("alltoall", range(200), size_bytes=16384, algorithm="pairwise")

    def duration_ns(routing: weft.Routing, addresses: str) -> float:
        replayed = weft.replay(FABRIC, routing, hardware(addresses), program)
        assert replayed.end == "finished"
        return replayed.duration_ns

    spread = duration_ns(layered, "even")
    assert spread < 0.85 * duration_ns(layered, "first")
    assert spread < 0.85 * duration_ns(weft.route(FABRIC, "best"), "even")


def test_addresses_make_no_difference_where_there_is_one() -> None:
    routing = weft.route(FABRIC, "best:starts=1,rounds=3")
    traffic = weft.Traffic(SHIFT, load=0.3)
    one, other = (
        weft.simulate(FABRIC, routing, hardware(how), traffic) for how in ("first", "even")
    )
    assert one.accepted_load == other.accepted_load
    assert one.simulated_cycles == other.simulated_cycles


def test_every_lid_leads_to_its_host_as_exported(layered: weft.Routing, tmp_path: Path) -> None:
    net = tmp_path / "slim-fly.ibnetdiscover"
    weft.write_fabric(FABRIC, net)
    told = done("export", "opensm", net, "best:lmc=2", "-o", tmp_path / "out", "--json").document
    assert (told["lmc"], told["engine"]) == (2, "file")
    assert "\nlmc 2\n" in (tmp_path / "out/opensm.conf").read_text()
    listed = weft.read_fabric(tmp_path / "out/subnet.lst").fabric
    read = weft.read_routes(listed, tmp_path / "out")
    assert read.notes == []
    assert (read.routing.most_addresses, read.routing.lane_count) == (4, layered.lane_count)
    # Sources may send to any: all routes to all LIDs are proved together.
    assert weft.prove(listed, read.routing).deadlock_free
    judged = weft.route_findings(listed, read.routing)
    assert (judged.unreached_pairs, judged.circling_pairs) == (0, 0)
    assert weft.shift_shares(listed, read.routing) == weft.shift_shares(
        listed, weft.route(listed, "best:lmc=2")
    )
