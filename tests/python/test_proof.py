"""The stage proof: certificates, the shortest cycle, refusals."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import weft

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_up_down_is_deadlock_free_and_its_certificate_is_accepted() -> None:
    fabric = weft.torus(4, 4, hosts_per_switch=2)
    routing = weft.route(fabric, "updown")
    proof = weft.prove(fabric, routing)
    assert proof.deadlock_free
    assert proof.verdict == "deadlock-free"
    assert proof.cycle == []
    assert proof.certificate is not None
    assert proof.certificate.ranks.shape == (fabric.channel_count, 1)
    weft.check_certificate(fabric, routing, proof.certificate)


def test_minimal_routes_on_a_torus_deadlock_in_a_ring_of_four() -> None:
    fabric = weft.torus(4, 4)
    routing = weft.route(fabric, "minimal", selection="first")
    proof = weft.prove(fabric, routing)
    assert not proof.deadlock_free
    assert proof.verdict == "deadlock"
    assert proof.certificate is None
    assert len(proof.cycle) == 4
    ends = fabric.channel_ends()
    for step, following in zip(proof.cycle, [*proof.cycle[1:], proof.cycle[0]], strict=True):
        assert step.wanted_channel == following.held_channel
        assert step.held == fabric.describe_channel(step.held_channel)
        assert step.wanted == fabric.describe_channel(step.wanted_channel)
        assert ends[step.held_channel, 1] == ends[step.wanted_channel, 0]
        assert step.held in proof.text


@pytest.mark.parametrize("algorithm", ["updown", "simple_routes", "ud_mitb", "ud_itb"])
def test_every_algorithm_that_promises_it_is_deadlock_free(algorithm: str) -> None:
    for seed in range(3):
        fabric = weft.irregular(16, hosts_per_switch=2, ports_per_switch=6, seed=seed)
        routing = weft.route(fabric, algorithm, seed=seed)
        proof = weft.prove(fabric, routing)
        assert proof.deadlock_free, proof.text
        assert proof.certificate is not None
        weft.check_certificate(fabric, routing, proof.certificate)


def test_a_reversed_certificate_is_refused() -> None:
    fabric = weft.torus(4, 4, hosts_per_switch=2)
    routing = weft.route(fabric, "updown")
    certificate = weft.prove(fabric, routing).certificate
    assert certificate is not None
    ranks = certificate.ranks
    reversed_order = weft.Certificate((ranks.max() - ranks).astype(np.uint32))
    with pytest.raises(weft.RoutingError):
        weft.check_certificate(fabric, routing, reversed_order)


def test_a_certificate_of_another_fabric_is_refused() -> None:
    fabric = weft.torus(4, 4)
    routing = weft.route(fabric, "updown")
    with pytest.raises(weft.RoutingError, match="has 3 ranks, 1 to a channel, but fabric “torus-4"):
        weft.check_certificate(fabric, routing, weft.Certificate(np.zeros((3, 1), dtype=np.uint32)))


def test_a_routing_of_another_fabric_is_refused() -> None:
    routing = weft.route(weft.torus(4, 4), "updown")
    with pytest.raises(weft.RoutingError, match="was made for fabric “torus-4x4”"):
        weft.prove(weft.mesh(4, 4), routing)


def test_a_certificate_comes_back_from_its_file(tmp_path: Path) -> None:
    fabric = weft.torus(4, 4, hosts_per_switch=2)
    routing = weft.route(fabric, "updown")
    certificate = weft.prove(fabric, routing).certificate
    assert certificate is not None
    path = tmp_path / "order.json"
    weft.write_certificate(fabric, routing, certificate, path)
    read = weft.read_certificate(fabric, path)
    assert np.array_equal(read.ranks, certificate.ranks)
    weft.check_certificate(fabric, routing, read)


def test_damaged_certificates_are_refused(tmp_path: Path) -> None:
    fabric = weft.mesh(2, 2)
    routing = weft.route(fabric, "updown")
    certificate = weft.prove(fabric, routing).certificate
    assert certificate is not None
    path = tmp_path / "order.json"
    weft.write_certificate(fabric, routing, certificate, path)
    whole = path.read_text(encoding="utf-8")
    for length in range(0, len(whole) - 2, 7):
        path.write_text(whole[:length], encoding="utf-8")
        with pytest.raises(weft.FormatError, match=f"{path}:[0-9]+: found no JSON"):
            weft.read_certificate(fabric, path)

    def refused(change: Callable[[dict[str, Any]], object]) -> str:
        document = json.loads(whole)
        change(document)
        path.write_text(json.dumps(document), encoding="utf-8")
        with pytest.raises(weft.FormatError) as caught:
            weft.read_certificate(fabric, path)
        return str(caught.value)

    assert "found 15 ranks, expected one for each of 16" in refused(lambda d: d["channels"].pop())
    assert "lane 0 twice" in refused(lambda d: d["channels"].append(d["channels"][0]))
    assert "found channel 16, expected 0 to 15" in refused(
        lambda d: d["channels"][0].update(channel=16)
    )
    for wrong in (-1, 2**32, "3", None, True, 1.0):
        assert "whole numbers" in refused(lambda d, rank=wrong: d["channels"][3].update(rank=rank))
    assert "found a certificate of fabric mesh-2x2 with fingerprint 00" in refused(
        lambda d: d.update(fingerprint="00")
    )
    assert "no “channels”" in refused(lambda d: d.pop("channels"))
