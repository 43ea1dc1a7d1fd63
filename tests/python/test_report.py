"""The report as a page: complete, self-contained, accessible, safe whatever the names; numbers."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from report_samples import HOSTILE_NAME, SAMPLES, SampleStages, fabric_of, study

import weft
from weft._numbers import MISSING, count, percent, quantity, with_half_width
from weft.explore.file import MOST_BYTES
from weft.report import render_report, write_report
from weft.report.names import ShortNames
from weft.report.scripts import breakable, embedded_json

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_BYTES = 3_000_000  #: Without the page to play with, which has a limit of its own.
SECTIONS = [
    *("ranking", "proofs", "curves", "channels", "hosts"),
    *("explore", "fabric", "notes", "manifest", "glossary"),
]
CHARTS = {"latency", "longest", "accepted", "utilization", "blocked", "hosts", "fabric"}
VOID = {"meta", "link", "input", "br", "wbr"}


@dataclass
class Page(HTMLParser):
    """A page taken apart: elements, ids, addresses, headings, visible text."""

    ids: list[str] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    headings: list[int] = field(default_factory=list)
    elements: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    captions_missing: int = 0
    text: list[str] = field(default_factory=list)
    data: dict[str, str] = field(default_factory=dict)
    open: list[tuple[str, str | None]] = field(default_factory=list)
    misnested: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        if self.open and self.open[-1][0] == "table" and tag != "caption":
            self.captions_missing += not self.has_caption
        if tag in ("table", "caption"):
            self.has_caption = tag == "caption"
        if tag not in VOID:
            self.open.append((tag, attributes.get("id")))
        if attributes.get("id"):
            self.ids.append(str(attributes["id"]))
        self.addresses += [str(attributes[name]) for name in ("src", "href") if name in attributes]
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if not self.open or self.open[-1][0] != tag:
            self.misnested.append(tag)
            return
        self.open.pop()

    def handle_data(self, data: str) -> None:
        tag, identifier = self.open[-1] if self.open else ("", None)
        if tag in ("script", "style"):
            self.data[identifier or tag] = data
        else:
            self.text.append(data)

    @property
    def visible(self) -> str:
        return " ".join(" ".join(self.text).replace("\u00a0", " ").split())


def page_of(results: weft.Results) -> Page:
    page = Page()
    page.feed(render_report(results))
    page.close()
    return page


@pytest.fixture(scope="module", params=list(SAMPLES))
def sample(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, weft.Results, str]:
    results = SAMPLES[request.param](tmp_path_factory.mktemp(request.param))
    return request.param, results, render_report(results)


def test_every_page_is_well_formed_and_complete(sample: tuple[str, weft.Results, str]) -> None:
    name, results, html = sample
    page = Page()
    page.feed(html)
    page.close()
    assert page.misnested == []
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    is_simulated = any(routing.points for routing in results.routings)
    sections = [s for s in SECTIONS if is_simulated or s not in ("curves", "channels", "hosts")]
    assert [s for s in page.ids if s in SECTIONS] == sections, name
    drawn = {attributes.get("class") for tag, attributes in page.elements if tag == "svg"}
    assert drawn == {"marks"}
    charts = {name.removeprefix("chart-") for name in page.ids if name.startswith("chart-")}
    assert charts - {"members"} == (CHARTS if is_simulated else {"fabric"})
    # Each chart has a narrow form besides, for telephones.
    assert sum(tag == "svg" for tag, _ in page.elements) == 2 * (len(charts) - 1)
    assert list(json.loads(page.data["chart-members"])) == ["fabric"]
    assert results.recommendation() in page.visible


def test_commands_name_the_fabric_as_it_was_given_which_is_no_part_of_a_study(
    tmp_path: Path,
) -> None:
    fabric = weft.torus(4, 4)

    def command(given: str | None) -> str:
        results = weft.compare(
            fabric,
            ["updown"],
            "infiniband_edr",
            loads=[0.05],
            jobs=1,
            results=tmp_path / "results.sqlite",
            stages=SampleStages({"updown": 0.2}),
            given=given,
        )
        with results:
            text = page_of(results).visible
            assert sum(s["computed_points"] for s in results.manifest["sessions"]) == 1
        return text[text.index("weft route") :].split(" --tables")[0]

    # OpenSM would not know its ports.
    assert command(None) == "weft route FABRIC updown"
    assert command("'a <b>/net.json' --subnet 2") == (
        "weft route 'a <b>/net.json' --subnet 2 updown"
    )
    # What was given last counts; who knows nothing changes nothing, and no point is made anew.
    assert command("net.json") == "weft route net.json updown"
    assert command(None) == "weft route net.json updown"


def test_the_first_lines_answer_what_one_asks_first(tmp_path: Path) -> None:
    def answers(name: str) -> dict[str, str]:
        text = page_of(SAMPLES[name](tmp_path / name)).visible
        asked = ["Safe?", "How much?", "Which one?", "What first?", "Uniform traffic, 512"]
        places = [text.find(question) for question in asked]
        shown = [place for place in places if place >= 0]
        assert shown == sorted(shown)
        return {
            question: text[place + len(question) : min(at for at in shown if at > place)].strip()
            for question, place in zip(asked[:4], places[:4], strict=True)
            if place >= 0
        }

    torus = answers("torus")
    assert torus["Safe?"] == (
        "✓ Those ranked. 4 of 5 routings are proved free. minimal can deadlock or leave hosts "
        "unreached: not simulated."
    )
    assert torus["How much?"].startswith("ud_itb carries 24 % of what the hosts' links could, 0.15")
    assert "until its latency is 2 times the 4," in torus["How much?"]
    assert torus["Which one?"].startswith("Take ud_itb: it carries the most traffic")
    assert " is its busiest channel, " in torus["What first?"]
    refused = answers("refused")
    assert refused["Safe?"].startswith("✗ No. minimal can deadlock")
    assert set(refused) == {"Safe?", "Which one?"}
    stuck = answers("deadlocked")
    assert stuck["Safe?"].startswith(
        "✗ Not all. 2 of 2 routings are proved free. ud_itb deadlocked"
    )


def test_long_names_are_short_and_whole_where_pointed_at(tmp_path: Path) -> None:
    ends = {f"MF0;ib-{place}{number}:SX6036/U1": 2 for place in "ab" for number in (1, 2)}
    links = [(one, other) for one in ends for other in ends if one < other]
    fabric = fabric_of("long names", ends, links)
    html = render_report(study(tmp_path, fabric, {"updown": 0.2}, loads=[0.1]))
    whole = "MF0;ib-a1:SX6036/U1[3] → MF0;ib-a2:SX6036/U1[3]"
    names = ShortNames(fabric)
    assert names.text(whole) == "a1[3] → a2[3]"
    assert names.text("a host → unknown") == "a host → unknown"
    assert names.prose(f"a cable is missing: {whole}, ib-a1") == (
        "a cable is missing: a1[3] → a2[3], ib-a1"
    )
    assert str(names(whole)).startswith(f'<abbr title="{whole}"><span')
    page = Page()
    page.feed(html)
    told = [attributes["title"] for tag, attributes in page.elements if tag == "abbr"]
    assert told
    assert all(str(text).startswith("MF0;ib-") for text in told)
    cells = re.sub(r"<(script|svg).*?</\1>|<[^>]*>", "", html, flags=re.DOTALL)
    assert "SX6036" not in cells


def test_every_page_is_accessible(sample: tuple[str, weft.Results, str]) -> None:
    page = Page()
    page.feed(sample[2])
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(page.headings))
    assert page.captions_missing == 0
    tags = {tag for tag, _ in page.elements}
    assert {"main", "nav", "header", "table"} <= tags
    html = next(attributes for tag, attributes in page.elements if tag == "html")
    assert html["lang"] == "en"
    for tag, attributes in page.elements:
        if tag == "th":
            assert attributes["scope"] in ("col", "row", "rowgroup")
        if attributes.get("role") == "region":
            assert attributes["tabindex"] == "0"
            assert attributes["aria-label"]


def test_every_page_asks_the_network_for_nothing(sample: tuple[str, weft.Results, str]) -> None:
    page = Page()
    page.feed(sample[2])
    assert page.addresses
    for address in page.addresses:
        assert address.startswith(("#", "data:")), address
    policy = next(a for _, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert str(policy["content"]).startswith("default-src 'none'")
    assert "@import" not in page.data["style"]
    assert "url(" not in page.data["style"]


def test_every_page_is_small_enough_to_mail(sample: tuple[str, weft.Results, str]) -> None:
    playing = Page()
    playing.feed(sample[2])
    assert len(sample[2].encode()) - len(playing.data["explore-page"]) < LARGEST_BYTES, sample[0]
    assert len(playing.data["explore-page"]) < MOST_BYTES, sample[0]


def test_the_same_results_give_the_same_page(tmp_path: Path) -> None:
    results = SAMPLES["one_load"](tmp_path)
    first = render_report(results)
    results.close()
    with weft.Results.open(tmp_path / "results.sqlite") as again:
        assert render_report(again) == first


def test_names_never_become_markup(tmp_path: Path) -> None:
    results = SAMPLES["hostile"](tmp_path)
    html = render_report(results)
    assert HOSTILE_NAME not in html
    page = page_of(results)
    scripts = [attributes for tag, attributes in page.elements if tag == "script"]
    assert len(scripts) == 4, "the page to play with, the data, a script for each"
    assert HOSTILE_NAME in page.visible, "the name itself is shown"
    members = json.dumps(json.loads(page.data["chart-members"]))
    assert "<script>" in members, "the drawing tells the name as it is"


def test_the_ranking_is_the_one_of_the_results(tmp_path: Path) -> None:
    results = SAMPLES["deadlocked"](tmp_path)
    visible = page_of(results).visible
    throughput = results.routings[0].throughput
    assert throughput is not None
    assert f"{throughput.accepted_bytes_per_ns_per_switch:.4g} ±" in visible
    assert throughput.rule in visible


def test_a_refused_routing_is_shown_with_its_cycle_channel_by_channel(tmp_path: Path) -> None:
    results = SAMPLES["refused"](tmp_path)
    visible = page_of(results).visible
    assert "✗ can deadlock" in visible
    cycle = results.routings[0].proof.cycle
    assert len(cycle) == 4
    for number, step in enumerate(cycle, start=1):
        row = f"{number} {step.held} {step.wanted} {step.source} {step.destination}"
        assert row in visible


def test_a_deadlock_in_the_simulation_is_a_warning_with_its_packets(tmp_path: Path) -> None:
    results = SAMPLES["deadlocked"](tmp_path)
    visible = page_of(results).visible
    assert "ud_itb deadlocked in the simulation at 20 % load. Do not use it" in visible
    stuck = next(
        point.measurement
        for point in results.routings[1].points
        if point.measurement.reason == "deadlocked"
    )
    for number, packet in enumerate(stuck.waiting_cycle, start=1):
        assert f"{number} {packet.held} {packet.wanted} {packet.source}" in visible


def test_the_load_of_the_channels_can_be_asked_for(tmp_path: Path) -> None:
    results = study(tmp_path, weft.mesh(3, 3, 2), {"updown": 0.3}, loads=[0.1, 0.2, 0.25])
    assert "Hottest channels, at 25 % load" in render_report(results)
    assert "Hottest channels, at 10 % load" in render_report(results, drawing_load=0.12)
    for load in (-0.1, math.nan, math.inf):
        with pytest.raises(weft.InputError, match=f"load {load:g}: expected more than 0"):
            render_report(results, drawing_load=load)


def test_the_manifest_has_versions_seeds_and_parameters_with_units(tmp_path: Path) -> None:
    results = SAMPLES["seeds"](tmp_path)
    visible = page_of(results).visible
    manifest = results.manifest
    assert f"Weft {manifest['weft']}" in visible
    assert manifest["fabric"]["fingerprint"] in visible
    assert "seeds of the traffic 1, 2, 3" in visible
    for entry in manifest["hardware"]:
        assert entry["name"] in visible
        assert entry["unit"] in visible


def test_the_report_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = SAMPLES["refused"](tmp_path)
    target = tmp_path / "out" / "report.html"
    write_report(results, target)
    before = target.read_text(encoding="utf-8")
    assert before.startswith("<!DOCTYPE html>")

    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full)
    with pytest.raises(weft.EnvironmentFailure, match="no space left"):
        write_report(results, target)
    monkeypatch.undo()
    assert target.read_text(encoding="utf-8") == before
    assert [path.name for path in target.parent.iterdir()] == ["report.html"]


def test_json_in_the_page_cannot_close_its_element() -> None:
    value = {"name": "</script><!--&\u2028"}
    text = str(embedded_json(value))
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == value


def test_long_names_break_where_a_reader_expects() -> None:
    assert str(breakable("updown:root=0,seed=1")).count("<wbr>") == 2
    assert str(breakable("a[1] → b[2]")).count("<wbr>") == 1
    assert "&lt;b&gt;" in str(breakable("<b>"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.15364, "0.1536"),
        (0.1, "0.1"),
        (4034.4, "4,034"),
        (123456.7, "123,457"),
        (0.00012345, "0.0001234"),
        (-2.5, "-2.5"),
        (1000.0, "1,000"),
        (None, MISSING),
        (math.nan, MISSING),
        (math.inf, MISSING),
    ],
)
def test_four_digits_are_kept_without_an_exponent(value: float | None, text: str) -> None:
    assert quantity(value) == text


def test_an_interval_is_written_beside_the_value_when_there_is_one() -> None:
    assert with_half_width(0.1234, 0.00123) == "0.1234 ± 0.0012"
    assert with_half_width(0.1234, 0.0) == "0.1234"
    assert with_half_width(0.1234, math.inf) == "0.1234"
    assert with_half_width(None, 0.1) == MISSING


def test_shares_and_counts() -> None:
    assert percent(0.1234) == "12.3 %"
    assert percent(None) == MISSING
    assert count(1234567) == "1,234,567"
    assert count(None) == MISSING
