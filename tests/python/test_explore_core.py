"""What a page computes is what Weft computes natively, to the last byte."""

from __future__ import annotations

import json
import os
import random
from typing import TYPE_CHECKING, Any

import pytest
from page_core import PageCore, imports

import weft
from weft import _core
from weft.explore import Explorer

if TYPE_CHECKING:
    from weft.fabric import Fabric

FABRICS = 1_000
#: `make nightly` draws others.
SEED = int(os.environ.get("WEFT_PAGE_SEED", "1"))
#: Fabrics after which the page starts anew.
FABRICS_OF_A_PAGE = 50
PATTERNS = ("uniform", "uniform", "shift:by=1", "hotspot:share=30,hosts=0", "bit_reversal")
PRESETS = (None, "infiniband_hdr", "infiniband_hdr", "myrinet", "nonsense")


def some_fabric(draw: random.Random) -> Fabric:
    """Draw a small fabric of any kind."""
    seed = draw.randrange(1 << 32)
    kind = draw.randrange(7)
    if kind == 0:
        return weft.torus(draw.randint(2, 4), draw.randint(2, 3), hosts_per_switch=1)
    if kind == 1:
        return weft.mesh(
            draw.randint(1, 4), draw.randint(1, 3), hosts_per_switch=draw.randint(1, 2)
        )
    if kind == 2:
        return made("ring", switches=draw.randint(3, 8), hosts_per_switch=1)
    if kind == 3:
        return made("k_ary_n_tree", k=2, n=draw.randint(2, 3))
    if kind == 4:
        return made("hypercube", dimensions=draw.randint(1, 3), hosts_per_switch=1)
    hosts, links = draw.randint(1, 2), draw.randint(2, 3)
    switches = draw.choice([4, 6, 8, 10])
    return weft.irregular(
        switches, hosts_per_switch=hosts, ports_per_switch=hosts + links, seed=seed
    )


def made(topology: str, **parameters: int) -> Fabric:
    return weft.generate(topology, **parameters)


def some_questions(
    draw: random.Random, fabric: Fabric, routings: list[str]
) -> list[dict[str, Any]]:
    """Draw one of each question, most of them sensible."""
    cables = int(fabric.is_switch_channel[::2].sum())

    def cable() -> int:
        return draw.randrange(cables + 1)

    state: dict[str, Any] = {"routing": draw.choice(routings), "pattern": draw.choice(PATTERNS)}
    if cables and draw.random() < 0.4:
        state["failed_cables"] = draw.sample(range(cables), draw.randint(1, min(2, cables)))
    if draw.random() < 0.1:
        state["failed_switches"] = [draw.randrange(fabric.switch_count)]
    if preset := draw.choice(PRESETS):
        state["hardware"] = preset
    hosts = [draw.randrange(fabric.host_count) for _ in range(2)]
    asked: list[dict[str, Any]] = [
        {"question": "routing"},
        {"question": "limits"},
        {"question": "cable", "cable": cable(), "count": draw.choice([3, 100]), "search": ""},
        {"question": "loads_of_cable", "cable": cable(), "routings": draw.sample(routings, 2)},
        {"question": "pair", "source": hosts[0], "destination": hosts[1]},
        {"question": "without", "cable": cable()},
        {"question": "without", "switch": draw.randrange(fabric.switch_count)},
        {"question": "transition", "cable": cable()},
        {"question": "ways", "pairs": [hosts, hosts[::-1]]},
        {"question": "run", "load": 0.2, "cycles": 3_000, "seed": draw.randrange(100)},
    ]
    return [{**one, "state": state} for one in asked]


@pytest.mark.timeout(900)
def test_a_page_answers_as_weft_does_natively() -> None:
    draw = random.Random(SEED)
    routings = [algorithm.name for algorithm in weft.algorithms()]
    routings += ["best:lanes=2", "updown:selection=random,seed=5", "min_hop:lanes=9"]
    answered, refused = 0, 0
    page = PageCore()
    for number in range(FABRICS):
        if number % FABRICS_OF_A_PAGE == 0:
            page = PageCore()
        fabric = some_fabric(draw)
        native = Explorer(fabric)
        assert page.open(_core.fabric_text(fabric, "json").encode()) is None
        for question in some_questions(draw, fabric, routings):
            text = json.dumps(question)
            expected = native.ask(text)
            assert page.ask(text) == expected, (fabric.name, text)
            is_refused = expected.startswith('{"error"')
            answered, refused = answered + (not is_refused), refused + is_refused
    # Most are answers, so equal ones say something.
    assert answered > 4 * FABRICS, (answered, refused)
    assert refused > FABRICS / 10, (answered, refused)


def test_the_core_of_a_page_wants_nothing_of_its_surroundings() -> None:
    assert imports() == []


def test_a_page_says_what_is_no_fabric_and_no_question() -> None:
    page = PageCore()
    assert json.loads(page.ask("{}"))["error"]["what"].startswith(
        "found a question before a fabric"
    )
    told = page.open(b"{")
    assert told is not None
    assert "fabric" in json.loads(told)["error"]["what"]
    assert page.open(_core.fabric_text(weft.torus(3, 3), "json").encode()) is None
    assert "no UTF-8" in json.loads(page.ask(b"\xff"))["error"]["what"]
    assert "found no JSON" in json.loads(page.ask("{"))["error"]["what"]
    # It goes on after that.
    question = '{"question": "routing", "state": {"routing": "updown"}}'
    assert json.loads(page.ask(question))["verdict"]["free"] is True
