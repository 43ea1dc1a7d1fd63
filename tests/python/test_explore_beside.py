"""What a page shows besides a network: figures of its cables, failures, jobs; and in reports."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command import done, refused
from page_core import PageCore
from report_samples import SAMPLES

import weft
from weft import _core
from weft.errors import FormatError, InputError, ResultsError
from weft.explore import Explorer, scene, write_page
from weft.explore.beside import Beside, read_beside
from weft.explore.layers import error_layer, measured_layers
from weft.fabric import PortRecord
from weft.report.audit import render_audit

if TYPE_CHECKING:
    from collections.abc import Callable

DATABASE = Path(__file__).parents[2] / "fuzz/seeds/db_csv/three_switches.db_csv"


@pytest.fixture
def ring() -> weft.Fabric:
    """Return four switches in a circle with two hosts each."""
    return weft.torus(4, 1, hosts_per_switch=2)


def runs_on(fabric: weft.Fabric) -> Callable[[], tuple[str, weft.Routing, weft.Hardware]]:
    def given() -> tuple[str, weft.Routing, weft.Hardware]:
        return "updown", weft.route(fabric, "updown"), weft.hardware("infiniband_hdr")

    return given


def held(page: str, name: str) -> str:
    """Unpack what a page holds."""
    found = re.search(rf'id="{name}">([^<]*)<', page)
    assert found is not None, name
    return gzip.decompress(base64.b64decode(found[1])).decode()


def test_errors_are_those_of_the_channel_towards_the_port(ring: weft.Fabric) -> None:
    ends = ring.links()[ring.is_switch_channel[::2]].tolist()
    one, one_port, other, other_port = ends[1]
    names = ring.switch_names
    ports = [
        PortRecord(names[one], one_port, {"SymbolErrorCounter": 5, "LinkDownedCounter": 2}, {}),
        PortRecord(names[other], other_port, {"PortRcvErrors": 1000}, {}),
        PortRecord("another", 1, {"PortRcvErrors": 9}, {}),
        PortRecord(names[2], 1, {}, {}),
    ]
    layer = error_layer(ring, ports)
    assert layer is not None
    assert layer.forward.tolist() == [0, 1000, 0, 0]
    assert layer.back.tolist() == [0, 7, 0, 0]
    assert list(layer.notes) == [1]
    assert f"{names[other]} port {other_port} counts PortRcvErrors 1,000" in layer.notes[1]
    assert "SymbolErrorCounter 5, LinkDownedCounter 2" in layer.notes[1]
    assert error_layer(ring, []) is None


def test_the_counters_of_a_file_are_shown(tmp_path: Path) -> None:
    done("explore", DATABASE, "-o", tmp_path / "page.html")
    drawn = json.loads(held((tmp_path / "page.html").read_text(), "weft-scene"))
    (layer,) = drawn["layers"]
    ports = [record for record in weft.read_fabric(DATABASE).ports if record.errors]
    between = {
        (drawn["switches"]["name"][switch], port)
        for end in ("a", "b")
        for switch, port in zip(drawn["cables"][end], drawn["cables"][f"port_{end}"], strict=True)
    }
    expected = sum(
        sum(record.errors.values())
        for record in ports
        if (record.node, str(record.port)) in between
    )
    assert sum(layer["forward"]) + sum(layer["back"]) == expected > 0


def test_results_of_a_study_are_shown_channel_by_channel(tmp_path: Path) -> None:
    results = SAMPLES["one_load"](tmp_path)
    fabric = results.fabric
    layers = measured_layers(results)
    assert layers
    for layer in layers:
        routing, load = re.fullmatch(r"measured: (.*), ([0-9.]+) %", layer.name).groups()  # type: ignore[union-attr]
        busy = results.channel_figures(routing, float(load) / 100).utilization
        both = np.empty(2 * len(layer.forward))
        both[::2], both[1::2] = layer.forward, layer.back
        assert np.allclose(both, 100 * busy[fabric.is_switch_channel])
    results.close()
    read = read_beside(tmp_path / "results.sqlite", fabric, runs_on(fabric))
    assert [layer.name for layer in read.layers] == [layer.name for layer in layers]
    assert read_beside(tmp_path, fabric, runs_on(fabric)).routings == read.routings != []
    other = weft.torus(3, 3)
    with pytest.raises(ResultsError, match=r"is of .*, expected .*give the file of that fabric"):
        read_beside(tmp_path, other, runs_on(other))


def test_tables_are_picked_first(ring: weft.Fabric, tmp_path: Path) -> None:
    weft.write_fabric(ring, tmp_path / "ring.json")
    weft.write_routes(weft.route(ring, "best:lanes=2"), tmp_path / "tables.json")
    done("explore", tmp_path / "ring.json", tmp_path / "tables.json", "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    label = json.loads(held(page, "weft-scene"))["routings"][0]["name"]
    assert [name for name, _ in json.loads(held(page, "weft-routes"))] == [label]


def test_what_fails_for_good_has_failed_at_first(ring: weft.Fabric, tmp_path: Path) -> None:
    one, port, *_ = ring.links()[ring.is_switch_channel[::2]].tolist()[2]
    names = ring.switch_names
    told = f"""
[[event]]
at = "1us"
fails = "{names[one]}:{port}"
[[event]]
at = "2us"
fails = "{names[3]}"
[[event]]
at = "3us"
fails = "{names[1]}"
[[event]]
at = "4us"
returns = "{names[1]}"
"""
    (tmp_path / "events.toml").write_text(told)
    read = read_beside(tmp_path / "events.toml", ring, runs_on(ring))
    assert (read.failed_cables, read.failed_switches) == ([2], [3])
    assert scene(ring, (), read)["start"] == {"failed_cables": [2], "failed_switches": [3]}
    (tmp_path / "events.toml").write_text('[[event]]\nat = "1us"\nfails = "nobody"\n')
    with pytest.raises(InputError, match="nobody"):
        read_beside(tmp_path / "events.toml", ring, runs_on(ring))


def test_a_survey_is_shown_by_cable_and_switch(ring: weft.Fabric, tmp_path: Path) -> None:
    weft.write_fabric(ring, tmp_path / "ring.json")
    folder = tmp_path / "survey"
    told = done(
        *("survive", tmp_path / "ring.json", "best:lanes=2", "--anew", 0),
        *("--results", folder, "--json"),
    ).document
    read = read_beside(folder, ring, runs_on(ring))
    largest, cut = read.layers
    of_cables = [found for found in told["failures"] if found["failure"]["cables"]]
    of_switches = [found for found in told["failures"] if found["failure"]["switches"]]
    assert [len(of_cables), len(of_switches)] == [4, 4]
    expected = sorted(found["load"]["largest_load"] for found in of_cables)
    assert sorted(largest.forward.tolist()) == expected
    assert (largest.forward == largest.back).all()
    assert cut.forward.tolist() == [0, 0, 0, 0]
    assert all("entries change" in note for note in largest.notes.values())
    by_name = {found["failure"]["switches"][0]: found for found in of_switches}
    assert largest.switches is not None
    assert cut.switches is not None
    assert largest.switches.tolist() == [
        by_name[name]["load"]["largest_load"] for name in ring.switch_names
    ]
    assert cut.switches.tolist() == [
        len(by_name[name]["cut_off_hosts"]) for name in ring.switch_names
    ]
    assert set(cut.switch_notes) == {0, 1, 2, 3}
    held = scene(ring, (), read)["layers"][0]["switches"]
    assert held == largest.switches.tolist()
    assert [routing for routing in read.routings if isinstance(routing, str)] == []


JOBS = """
[[jobs]]
name = "one"
collective = "allreduce"
bytes = "64KiB"
ranks = 4
placement = "linear"
[[jobs]]
name = "other"
collective = "alltoall"
bytes = "16KiB"
ranks = 4
start = "2us"
"""


def test_jobs_are_run_and_recorded(ring: weft.Fabric, tmp_path: Path) -> None:
    (tmp_path / "jobs.toml").write_text(JOBS)
    read = read_beside(tmp_path / "jobs.toml", ring, runs_on(ring))
    recording = read.recording
    assert recording is not None
    assert (recording.jobs, recording.rank_job) == (["one", "other"], [0] * 4 + [1] * 4)
    assert sorted(recording.rank_host) == list(range(8))
    assert {len(row) for row in recording.activities} == {600}
    assert set("".join(recording.activities)) <= set("csraw.")
    # Those of the other job begin later, and until then have nothing to do but wait.
    assert all(row[0] not in "csr" for row in recording.activities[4:])
    messages = recording.messages
    sent, there = (np.array(messages[name]) for name in ("sent_ns", "there_ns"))
    assert len(sent) > 20
    assert (sent < there).all()
    assert there.max() <= recording.end_ns + 1
    ranks = np.array(messages["source"]) // 4
    assert (ranks == np.array(messages["destination"]) // 4).all()
    assert sent[ranks == 1].min() >= 2000
    names = [layer.name for layer in read.layers]
    assert names == ["jobs: busy", "job: one", "job: other"]
    # All bytes of messages that cross cables are of one job or the other.
    busy = read.layers[0]
    carried = read.layers[1].forward + read.layers[2].forward
    assert ((carried > 0) == (busy.forward > 0)).all()
    (tmp_path / "none.toml").write_text("jobs = []")
    with pytest.raises(FormatError, match=r"found no jobs, expected one or more tables"):
        read_beside(tmp_path / "none.toml", ring, runs_on(ring))


def test_the_command_plays_jobs_by_the_first_routing(ring: weft.Fabric, tmp_path: Path) -> None:
    weft.write_fabric(ring, tmp_path / "ring.json")
    (tmp_path / "jobs.toml").write_text(JOBS)
    done(
        *("explore", tmp_path / "ring.json", tmp_path / "jobs.toml"),
        *("--routing", "lash", "-o", tmp_path / "page.html"),
    )
    drawn = json.loads(held((tmp_path / "page.html").read_text(), "weft-scene"))
    assert drawn["recording"]["routing"] == "lash" == drawn["routings"][0]["name"]


def test_what_is_nothing_of_the_kind_is_refused(ring: weft.Fabric, tmp_path: Path) -> None:
    weft.write_fabric(ring, tmp_path / "ring.json")
    (tmp_path / "text").write_text("What a day.\n")
    for beside in (tmp_path / "text", tmp_path / "missing"):
        refused(
            str(beside), "explore", tmp_path / "ring.json", beside, "-o", tmp_path / "page.html"
        )
    assert not (tmp_path / "page.html").exists()


def test_a_matrix_can_be_picked_and_is_the_same_in_a_file(
    ring: weft.Fabric, tmp_path: Path
) -> None:
    weft.write_fabric(ring, tmp_path / "ring.json")
    (tmp_path / "traffic.csv").write_text("host0,host2,3\nhost1,host2,1\n")
    pattern = f"matrix:file={tmp_path / 'traffic.csv'}"
    done(
        *("explore", tmp_path / "ring.json", "--pattern", pattern),
        *("-o", tmp_path / "page.html"),
    )
    page = (tmp_path / "page.html").read_text()
    patterns = [one["name"] for one in json.loads(held(page, "weft-scene"))["patterns"]]
    assert patterns[0] == pattern
    assert {"uniform", "transpose", "hotspot"} <= set(patterns)
    assert "permutation" not in patterns, "it reads a file"
    texts = json.loads(held(page, "weft-patterns"))
    assert texts == [[pattern, "host0,host2,3\nhost1,host2,1\n"]]
    state = {"routing": "updown", "pattern": pattern}
    question = json.dumps({"question": "routing", "state": state})
    answer = json.loads(Explorer(ring, [], [tuple(texts[0])]).ask(question))
    # Both hosts of the first switch send to the one on the second, one a third of the other.
    assert answer["largest_load"] == pytest.approx(4 / 3)
    core = PageCore()
    assert core.open(_core.fabric_text(ring, "json").encode()) is None
    assert core.add_pattern(pattern, texts[0][1]) is None
    assert json.loads(core.ask(question)) == answer
    (tmp_path / "traffic.csv").write_text("host0,host2,3\nhost1,nobody,1\n")
    refused(
        "nobody",
        *("explore", tmp_path / "ring.json", "--pattern", pattern),
        *("-o", tmp_path / "other.html"),
    )


def test_an_audit_holds_the_page_with_the_tables_in_use(ring: weft.Fabric) -> None:
    routing = weft.route(ring, "minimal")
    audit = weft.audit(ring, routing, alternatives=["lash"], count=10)
    html = render_audit(audit, in_use=routing)
    page = held(html, "explore-page")
    assert json.loads(held(page, "weft-scene"))["routings"][0]["name"] == routing.label
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy is not None
    # What the page itself permits, the report must permit too.
    inner = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert inner is not None
    for permitted in re.findall(r"script-src ([^;]*)", inner[1])[0].split():
        assert permitted in policy[1]
    assert "unsafe-inline" not in re.findall(r"script-src ([^;]*)", policy[1])[0]


def test_a_report_of_a_network_too_large_for_it_says_so(
    ring: weft.Fabric, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weft.explore.file, "MOST_BYTES", 1_000_000)
    html = render_audit(weft.audit(ring, None, alternatives=["lash"], count=10))
    assert "There is nothing to click here: the page of" in html
    assert "<script" not in html
    assert "script-src" not in html


def test_all_that_is_beside_a_network_is_in_the_file(ring: weft.Fabric, tmp_path: Path) -> None:
    layer = error_layer(ring, [PortRecord(ring.switch_names[0], 3, {"PortRcvErrors": 4}, {})])
    assert layer is not None
    size = write_page(ring, tmp_path / "page.html", (), Beside([layer], [1], [2]))
    page = (tmp_path / "page.html").read_text()
    assert size == len(page.encode())
    drawn = json.loads(held(page, "weft-scene"))
    assert drawn["start"] == {"failed_cables": [1], "failed_switches": [2]}
    assert drawn["recording"] is None
    assert drawn["layers"][0]["steep"] is True
