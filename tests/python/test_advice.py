"""Which routing to take: what is out and why, and what failures do to the others."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
from addresses import names_an_address
from command import done
from command import weft as run
from report_samples import HOSTILE_NAME, hostile

import weft
from weft.advice import candidates, comparison
from weft.prediction import Window, carried_load
from weft.report import render_advice

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ROUTINGS = ["min_hop", "down_preferred", "lash:lanes=15"]


def test_what_can_deadlock_or_needs_more_lanes_is_out() -> None:
    found = weft.advise(weft.torus(6, 6), 1, routings=ROUTINGS, count=20)
    assert [candidate.routing for candidate in found.ranked] == ["down_preferred"]
    trouble = {candidate.routing: candidate.trouble for candidate in found.others}
    assert "packets can deadlock" in (trouble["min_hop"] or "")
    assert trouble["lash:lanes=15"] == "it needs 4 lanes, and there are 1"
    assert found.reasons[0].startswith("Take down_preferred: it is proved free of deadlock on 1 ")
    assert any("lash:lanes=15 is out: it needs 4 lanes" in line for line in found.reasons)


def test_the_best_comes_first_by_what_is_left_after_failures() -> None:
    found = weft.advise(weft.torus(6, 6), 8, fail=["5%"], draws=2, routings=ROUTINGS, count=20)
    assert [len(scenario.fabrics) for scenario in found.scenarios] == [1, 2]
    figures = [candidate.bisection(1) or 0 for candidate in found.ranked]
    assert figures == sorted(figures, reverse=True)
    assert len(found.ranked) == 2
    for candidate in found.ranked:
        means = [judged.bisection.mean for judged in candidate.judgements[1] if judged.bisection]
        assert candidate.bisection(1) == pytest.approx(sum(means) / 2)
    assert "with 5 % of the links failed" in found.reasons[0]


def test_the_page_has_the_advice_its_figures_what_is_out_and_what_to_type() -> None:
    found = weft.advise(
        weft.torus(4, 4), 1, fail=["sw0:2"], routings=ROUTINGS, count=5, draws=1, simulate=1
    )
    page = render_advice(found, given="'my fabric.json' --subnet 2")
    text = unescape(re.sub(r"<[^>]*>", "", page))
    assert found.reasons[0] in text
    assert "it needs 3 lanes, and there are 1" in text or "it needs 2 lanes" in text
    assert "packets can deadlock, in a cycle of" in text
    (best,) = found.ranked
    for place in (0, 1):
        for figure in (best.bisection(place), best.uniform(place)):
            assert figure is not None
            assert f"{100 * figure:.3g} %" in text
        assert f"{100 * best.predictions[place].throughput_load:.3g} %" in text
    # OpenSM would not know its ports.
    given = "weft route 'my fabric.json' --subnet 2 down_preferred --tables -o tables.json"
    assert given in text
    assert not names_an_address(page)
    assert page == render_advice(found, given="'my fabric.json' --subnet 2")


def test_a_page_without_any_routing_to_take_says_so() -> None:
    found = weft.advise(weft.torus(4, 4), 1, routings=["min_hop"], count=5)
    text = unescape(re.sub(r"<[^>]*>", "", render_advice(found)))
    assert "✗ No. None of these routings can be taken with 1 lanes" in text
    assert "weft export" not in text


def test_hosts_that_failures_cut_off_are_told_beside_the_figures_of_the_others() -> None:
    # A chain of four switches with two hosts each: without its last cable two hosts stand alone.
    chain = weft.mesh(4, 1, hosts_per_switch=2)
    channels = map(chain.describe_channel, range(chain.channel_count))
    (number,) = (cable[1] for text in channels if (cable := re.match(r"sw2\[(\d+)\] → sw3", text)))
    port = f"sw2:{number}"
    found = weft.advise(chain, 1, fail=[port, "100%"], draws=2, routings=["down_preferred"])
    assert [found.cut_off(place) for place in range(3)] == [[0], [2], [6, 6]]
    told = (
        f"Cut off from the others: 2 of 8 hosts without {port}; 6 of 8 hosts with 100 % of the"
        " links failed. Figures there are those of the largest part that is still joined."
    )
    assert found.left_out == told
    assert found.reasons[1] == told
    assert told in unescape(re.sub(r"<[^>]*>", "", render_advice(found)))
    whole = weft.advise(chain, 1, routings=["down_preferred"], simulate=0)
    assert whole.left_out == ""
    assert not any("Cut off" in line for line in whole.reasons)
    none = weft.advise(weft.torus(6, 6), 1, fail=["100%"], draws=1, routings=["lash:lanes=15"])
    assert none.reasons[1].startswith("Cut off from the others: 35 of 36 hosts with 100 % ")


def test_names_on_the_page_are_text(tmp_path: Path) -> None:
    found = weft.advise(hostile(), 1, routings=["down_preferred"], count=5, simulate=0)
    page = render_advice(found, given=f"{HOSTILE_NAME}.json")
    assert "<script" not in page
    assert HOSTILE_NAME in unescape(page)


def test_one_cable_can_fail() -> None:
    mesh = weft.mesh(3, 3)
    found = weft.advise(mesh, 1, fail=["sw0:2"], routings=["down_preferred"], count=10)
    left = found.scenarios[1].fabrics[0]
    assert left.link_count == mesh.link_count - 1
    assert "without sw0:2" in found.reasons[0]


def test_candidates_of_the_same_routes_are_simulated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    line = weft.mesh(4, 1, hosts_per_switch=2)
    seen: list[str] = []
    simulated = comparison.carried_load

    def counted(net: weft.Fabric, routing: weft.Routing, *rest: object) -> float:
        seen.append(routing.label)
        return simulated(net, routing, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(comparison, "carried_load", counted)
    routings = ["min_hop", "down_preferred", "updown"]
    found = weft.advise(line, 1, routings=routings, count=5)
    first, *others = found.ranked
    assert seen == [first.routing]
    assert [other.same_routes_as for other in others] == [first.routing] * 2
    assert all(other.predictions == first.predictions for other in others)


def test_there_may_be_none_to_take() -> None:
    found = weft.advise(weft.torus(4, 4), 1, routings=["min_hop"], count=5)
    assert found.ranked == []
    assert found.reasons[0].startswith("None of these routings can be taken with 1 lanes")


@pytest.mark.parametrize("lanes", [1, 4, 15])
def test_all_candidates_can_stand_in_tables(lanes: int) -> None:
    tree = weft.generate("k_ary_n_tree", k=4, n=2)
    for specification in candidates(lanes):
        routing = weft.route(tree, specification)
        assert weft.to_tables(tree, routing, lmc=0).form == "forwarding tables", specification


def test_what_needs_more_lids_than_there_are_is_out() -> None:
    torus = weft.torus(4, 4)
    routings = ["updown:selection=random"]
    none = weft.advise(torus, 1, routings=routings, count=5)
    assert "an LMC of 0 allows 1" in (none.others[0].trouble or "")
    assert weft.advise(torus, 1, routings=routings, lmc=7, count=5).ranked


@pytest.mark.parametrize("lanes", [0, 16, True])
def test_lanes_are_those_of_infiniband(lanes: int) -> None:
    with pytest.raises(weft.RoutingError, match="from 1 to 15"):
        weft.advise(weft.torus(4, 4), lanes)


def test_the_command_says_what_to_take_and_how_to_load_it(tmp_path: Path) -> None:
    path = tmp_path / "torus.ibnetdiscover"
    weft.write_fabric(weft.torus(6, 6), path)
    options = ["--lanes", 4, "--routing", "down_preferred", "--routing", "min_hop", "--count", 10]
    ended = done("advise", path, *options, "--fail", "2%", "--draws", 1)
    assert "Take down_preferred" in ended.stdout
    assert "min_hop is out: packets can deadlock" in ended.stdout
    assert f"to load it: weft export opensm {path} down_preferred -o FOLDER" in ended.stdout
    ends = done("advise", path, *options, "--compute", "*", "--simulate", 0)
    assert f"opensm {path} --compute '*' down_preferred -o FOLDER" in ends.stdout
    document = json.loads(run("advise", path, *options, "--json").stdout)
    assert [entry["routing"] for entry in document["out"]] == ["min_hop"]
    assert document["ranked"][0]["cases"][0]["fails"] == "nothing"
    assert document["ranked"][0]["cases"][0]["cut_off_hosts"] == [0]


def test_simulation_tells_what_static_loads_cannot() -> None:
    found = weft.advise(weft.torus(6, 6), 8, routings=ROUTINGS[1:], count=20, fail=["5%"], draws=2)
    simulated = found.simulated
    assert simulated is not None
    assert simulated.hardware.preset == "infiniband_edr"
    assert simulated.hardware.parameters["lanes"] == 8
    for candidate in found.ranked:
        as_it_is, failed = candidate.predictions
        # A simulation carries no more than the busiest channel lets through.
        assert 0 < as_it_is.throughput_load <= 1.02 * (candidate.uniform(0) or 0)
        assert 0 < failed.throughput_load <= 1.02 * (candidate.judgements[1][0].uniform_share or 0)
    first, second = (candidate.predictions[1].throughput_load for candidate in found.ranked)
    assert first >= 0.96 * second
    assert found.ranked[0].routing == "lash:lanes=15"
    # Half of what the first carries is more than up/down can.
    latencies = [candidate.predictions[0].latency_ns for candidate in found.ranked]
    assert latencies[0] is not None
    assert simulated.load == pytest.approx(found.ranked[0].predictions[0].throughput_load / 2)
    text = "\n".join(found.reasons)
    assert "Simulated, it carries" in text
    assert "Not simulated" not in text
    assert "with 5 % of the links failed" in text
    assert "Simulated: the 2 best by static load on infiniband_edr, lanes=8" in text
    again = weft.advise(weft.torus(6, 6), 8, routings=ROUTINGS[1:], count=20, fail=["5%"], draws=2)
    assert again.reasons == found.reasons


def test_as_many_are_simulated_as_are_asked_for() -> None:
    torus = weft.torus(4, 4)
    none = weft.advise(torus, 8, routings=ROUTINGS[1:], count=5, simulate=0)
    assert none.simulated is None
    assert any(line.startswith("Not simulated: the order is by what") for line in none.reasons)
    assert [candidate.predictions for candidate in none.ranked] == [[], []]
    one = weft.advise(torus, 8, routings=ROUTINGS[1:], count=5, simulate=1)
    assert [len(candidate.predictions) for candidate in one.ranked] == [1, 0]
    assert one.ranked[0].routing == none.ranked[0].routing


@pytest.mark.parametrize(
    ("rate", "preset"),
    [("QDR", "infiniband_fdr"), ("EDR", "infiniband_edr"), ("XDR", "infiniband_ndr")],
)
def test_hardware_is_that_of_most_links(rate: str, preset: str, tmp_path: Path) -> None:
    path = tmp_path / "cluster.ibnetdiscover"
    path.write_text((EXAMPLES / path.name).read_text().replace("4xEDR", f"4x{rate}"))
    assert weft.infiniband_preset(weft.read_fabric(path).fabric) == preset
    assert weft.infiniband_preset(weft.mesh(2, 2)) is None


@pytest.mark.parametrize(
    ("rate", "preset"),
    [
        ("1.28g", "myrinet"),
        ("10g", "infiniband_fdr"),
        ("100g", "infiniband_edr"),
        ("400g", "infiniband_ndr"),
    ],
)
def test_hardware_is_that_of_plain_rates(rate: str, preset: str, tmp_path: Path) -> None:
    # Omni-Path's rates are plain numbers, and Myrinet's buffers hold nothing at 100 Gbit/s.
    path = tmp_path / "leaves.opa"
    pairs = [
        "leaf1;3;spine1;1",
        "node1 hfi1_0;1;leaf1;1",
        "leaf2;3;spine1;2",
        "node2 hfi1_0;1;leaf2;1",
    ]
    head = "Rate;CableLength;Port.NodeDesc;Port.PortNum;Port.NodeDesc;Port.PortNum"
    path.write_text("\n".join([head, *(f"{rate};;{pair}" for pair in pairs), ""]))
    fabric = weft.read_fabric(path).fabric
    assert weft.suited_preset(fabric) == preset
    traffic = weft.Traffic("uniform", load=0.1)
    found = weft.simulate(fabric, weft.route(fabric, "updown"), weft.hardware(preset), traffic)
    # Both hosts send at a tenth of the file's rate, on three switches.
    per_switch = 2 * 0.1 * float(rate[:-1]) / 8 / 3
    assert found.accepted_bytes_per_ns_per_switch == pytest.approx(per_switch, rel=0.1)


#: By windows of 1,500,000 packets at each of the loads.
LONG_RUNS = {"ar_updn": 0.3775, "best:lanes=1": 0.4428}


@pytest.mark.parametrize("spec", LONG_RUNS)
def test_what_is_carried_is_what_long_runs_carry(spec: str) -> None:
    whole = weft.generate("rail_tree", units=8, computers=17, rails=4, spines=9, links=2)
    tree = weft.degrade(whole, links="4.5%", seed=3).fabric
    machine = weft.hardware("infiniband_ndr")
    found = carried_load(tree, weft.route(tree, spec), machine, Window.of(tree), bound=1.0)
    assert found.load == pytest.approx(LONG_RUNS[spec], rel=0.02)
