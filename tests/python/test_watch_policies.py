"""Which service levels hosts are told while the tables of switches change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from watched import discovered, levels

import weft
from weft.opensm import opensm_content
from weft.watch.policies import POLICY, policy_between

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("lost", ["sw5", "sw0"])
def test_what_is_back_is_told_its_own_levels_from_the_first_round_on(
    tmp_path: Path, lost: str
) -> None:
    whole = discovered(weft.torus(4, 4), tmp_path)
    left = weft.degrade(whole, switches=lost).fabric
    told = []
    for fabric, specification in ((left, "dfsssp:lanes=3"), (whole, "best:lanes=2")):
        routing = weft.route(fabric, specification)
        content = opensm_content(fabric, routing, weft.prove(fabric, routing), tmp_path)[1]
        told.append(content[POLICY])
    ports = [guid for guid in whole.host_guids if guid is not None]
    stood = {guid for guid in left.host_guids if guid is not None}
    between = policy_between(told[0], told[1], set(ports) - stood, ports)
    before, after, found = (levels(one, ports) for one in (*told, between))
    new = {pair for pair in found if not stood.issuperset(pair)}
    assert any(after[pair] for pair in new)
    assert any(before[pair] != after[pair] for pair in found.keys() - new)
    assert found == {pair: (after if pair in new else before)[pair] for pair in found}
    # What a change that was not ended added is no part of what is added then.
    assert policy_between(between, told[1], set(ports) - stood, ports) == between
