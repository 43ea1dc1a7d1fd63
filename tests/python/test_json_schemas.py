"""Schemas of documents: written from the records, and every document is as its schema says.

Documents that other tests look at are held to their schemas in `command.Ended.document`.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from command import done, schema_of, weft
from json_forms import FORMS
from json_schema import complaints
from json_schemas import FOLDER, written

import weft as library
from weft.cli.documents import DOCUMENTS

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]


def test_the_schemas_are_those_that_the_records_make() -> None:
    assert FORMS.keys() == DOCUMENTS.keys()
    found = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    assert found == written(), "run python docs/json_schemas.py"


def test_the_page_lists_every_schema() -> None:
    page = (ROOT / "docs/reference/json.md").read_text()
    assert [kind for kind in DOCUMENTS if f"[`{kind}`](schemas/{kind}.json)" not in page] == []


def test_a_key_that_is_not_known_and_one_that_lacks_are_told() -> None:
    document = done("hardware", "--json").document
    schema = schema_of("hardware")
    assert list(complaints(document, schema)) == []

    def told(change: Callable[[dict[str, Any]], object]) -> list[str]:
        changed = copy.deepcopy(document)
        change(changed)
        return list(complaints(changed, schema))

    assert told(lambda changed: changed.update(speed=1)) == [
        ": has speed, of which its schema does not know"
    ]
    assert told(lambda changed: changed["parameters"][2].update(speed=1)) == [
        ".parameters[2]: has speed, of which its schema does not know"
    ]
    assert told(lambda changed: changed.pop("switching")) == [": has no switching"]
    assert told(lambda changed: changed.update(version=2)) == [".version: 2, expected 1"]
    assert told(lambda changed: changed.update(preset=1)) == [".preset: int, expected string"]


@pytest.mark.timeout(900)
def test_documents_are_as_their_schemas_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    library.write_fabric(library.torus(4, 4, hosts_per_switch=1), Path("t.json"))
    Path("drop").mkdir()
    library.write_fabric(library.torus(4, 4, hosts_per_switch=1), Path("drop/t.ibnetdiscover"))
    Path("two.toml").write_text(
        'routings = ["updown", "minimal"]\nloads = [0.02]\nprecision = 0.3\nmax_packets = 3000\n'
        '[[fabrics]]\ntopology = "ring"\nswitches = [4, 5]\n'
    )
    Path("jobs.toml").write_text('[[jobs]]\nname = "a"\ncollective = "barrier"\nranks = 3\n')
    on_torus = ["--fabric", "t.json", "--routing", "updown"]
    short = ["--loads", "0.05,0.1", "--max-packets", "3000"]
    study = ["two.toml", "--out", "two"]
    calls = [
        "fabric new mesh --extents 2x2 -o m.json",
        "fabric convert t.json t.net",
        "fabric convert --list",
        "fabric show t.json",
        "fabric degrade t.json --links 5% -o d.json",
        "fabric diff t.json d.json",
        "route t.json updown --pair host0 host9 --pattern transpose --rounds shifts --hottest 2",
        "route d.json updown",
        "route --list",
        "route t.json valiant",
        "survive t.json best:lanes=2 --sample 4",
        "rehearse t.json best --fail sw0:3 --load 0.1 --hardware infiniband_hdr --at 20us",
        "transition t.json down_preferred best:lanes=2",
        "watch drop updown:selection=first -o w --once --settle 0 --every 0",
        "explore t.json -o page.html",
        "prove t.json minimal",
        "prove t.json updown --certificate order.json",
        "prove t.json updown --check order.json",
        "route t.json updown --bound bound.json",
        "prove t.json updown --check bound.json",
        "simulate t.json --routing updown --load 0.05 --max-packets 2000",
        ["bandwidth", "--hardware", "rhinet2", *on_torus, "--bytes", "512"],
        ["collective", "barrier", *on_torus],
        "jobs t.json jobs.toml --routing updown",
        "place t.json jobs.toml a --routing updown",
        ["compare", "t.json", *on_torus[2:], *short, "--out", "c", "--no-report"],
        "report c -o r.html",
        "export c -o tables",
        "audit t.json updown --against minimal --count 5",
        "advise t.json --lanes 4 --count 5 --simulate 1 --routing updown --routing minimal",
        "reproduce boost --list",
        ["study", "plan", *study],
        ["study", "run", *study],
        ["study", "status", *study],
        ["study", "cancel", *study],
        "study keys",
        "workload",
        "completion bash",
        "hardware --hardware infiniband_hdr",
        "--version",
        "route none.json updown",
    ]
    seen = set()
    for call in calls:
        words = call.split() if isinstance(call, str) else call
        ended = weft(*words, "--json")
        assert ended.code in (0, 1, 2), (call, ended.stderr)
        seen.add(ended.document["document"])
    elsewhere = {"audit-subnets", "fabric-show-subnets", "replay", "reproduce"}
    elsewhere |= {"export-ibdiagnet", "export-opensm"}
    assert DOCUMENTS.keys() - seen == elsewhere | {"study-programs"}
