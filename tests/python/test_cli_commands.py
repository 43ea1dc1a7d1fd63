"""The commands one by one: what they print, as text and as JSON."""

from __future__ import annotations

import csv
import json
import re
from typing import TYPE_CHECKING

import pytest
from command import done, refused, weft
from pyarrow import parquet

import weft as library

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def torus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("torus") / "torus.json"
    library.write_fabric(library.torus(4, 4, hosts_per_switch=1), path)
    return path


@pytest.fixture(scope="module")
def study(net: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a finished comparison."""
    folder = tmp_path_factory.mktemp("study")
    done(
        "compare", net, "--routing", "updown", "--routing", "ud_itb", "--routing", "minimal",
        "--loads", "0.05,0.1", "--max-packets", 5000, "--out", folder, "--no-report",
    )  # fmt: skip
    return folder


@pytest.mark.parametrize(
    ("arguments", "switches", "links"),
    [
        (("mesh", "--extents", "3x2", "--hosts-per-switch", 1), 6, 13),
        (("torus", "--extents", "4x4", "--hosts-per-switch", 2), 16, 64),
        (("express-torus", "--extents", "8x8", "--hosts-per-switch", 1), 64, 320),
        (("irregular", "--switches", 16, "--seed", 7), 16, 96),
    ],
)
def test_a_new_fabric_is_written_and_shown(
    tmp_path: Path, arguments: tuple[object, ...], switches: int, links: int
) -> None:
    path = tmp_path / "made" / "net.json"
    made = done("fabric", "new", *arguments, "-o", path)
    assert f"{switches} switches" in made.stdout
    assert str(path) in made.stdout
    shown = weft("fabric", "show", path, "--json").document
    assert shown["figures"]["switches"] == switches
    assert shown["figures"]["links"] == links
    again = weft("fabric", "new", *arguments, "-o", path, "--json").document
    assert again["fingerprint"] == shown["fingerprint"]
    assert f"{switches}, up to" in weft("fabric", "show", path).stdout


CLUSTER = """\
vendid=0x2c9
devid=0x1003
sysimgguid=0x1003
caguid=0x1000
Ca 1 "H-0000000000001000" # "node1 HCA-1"
[1](1001) "S-0000000000002000"[1] # lid 1 lmc 0 "leaf" lid 3 4xQDR
strange line
Switch 36 "S-0000000000002000" # "leaf" enhanced port 0 lid 3 lmc 0
[1] "H-0000000000001000"[1](1001) # "node1 HCA-1" lid 1 4xQDR
[2] "H-0000000000001010"[1](1011) # "node2 HCA-1" lid 2 4xQDR

Ca 1 "H-0000000000001010" # "node2 HCA-1"
[1](1011) "S-0000000000002000"[2] # lid 2 lmc 0 "leaf" lid 3 4xQDR
"""


def test_a_cluster_s_file_is_converted_and_lines_read_past_are_told(tmp_path: Path) -> None:
    source, target = tmp_path / "cluster.ibnetdiscover", tmp_path / "cluster.json"
    source.write_text(CLUSTER)
    ended = done("fabric", "convert", source, target)
    assert "cluster.ibnetdiscover: 1 line read past" in ended.stderr
    assert "line 7: strange line" in ended.stderr
    document = weft("fabric", "show", target, "--json").document
    assert (document["format"], document["figures"]["hosts"]) == ("json", 2)
    assert weft("fabric", "show", source, "--json").document["notes"][0]["line"] == 7
    assert "4xQDR: 2" in weft("fabric", "show", source).stdout


def test_convert_writes_the_format_asked_for_and_lists_all(net: Path, tmp_path: Path) -> None:
    from weft.fabric import fabric_formats

    for target, options in (("net.lst", ()), ("links.txt", ("--format", "subnet-list"))):
        done("fabric", "convert", net, tmp_path / target, *options)
        shown = weft("fabric", "show", tmp_path / target, "--json").document
        assert shown["format"] == "subnet-list"
    message = "“links.txt” does not tell the format to write"
    refused(message, "fabric", "convert", net, tmp_path / "links.txt")
    listed = weft("fabric", "convert", "--list").stdout
    for entry in fabric_formats():
        assert f"\n{entry.name}: {entry.title}, " in f"\n{listed}"
        assert entry.summary in listed


def test_route_shows_load_figures_and_routes(net: Path) -> None:
    text = weft("route", net, "updown", "--pair", "host0", "31").stdout
    assert "saturation bound" in text
    assert "minimal share" in text
    assert "channels between switches by routes:" in text
    assert "route host0 to 31: host0 → sw0 → " in text
    document = weft("route", net, "updown:root=2", "--pair", 0, "host31", "--json").document
    assert document["routing"]["parameters"]["root"] in ("2", "id:2")
    assert document["routes"][0]["nodes"][-1] == "host31"
    figures = document["load_figures"]
    assert max(figures["routes_per_channel"]) == figures["max_routes_per_channel"]


def test_route_goes_on_while_there_is_time_and_tells_what_makes_the_same_again(net: Path) -> None:
    shown = weft("route", net, "best:lanes=1", "--time-budget", 0, "--json").document
    assert shown["routing"]["parameters"]["starts"] == "1"
    again = weft("route", net, "best:lanes=1,starts=1", "--json").document
    assert again["load_figures"] == shown["load_figures"]
    refused("“updown”; only best goes on", "route", net, "updown", "--time-budget", 1)


def test_route_lists_every_algorithm_with_its_parameters() -> None:
    text = weft("route", "--list").stdout
    for algorithm in library.algorithms():
        assert f"{algorithm.name}: {algorithm.title}" in text
        for parameter in algorithm.parameters:
            assert f"{parameter.name}=" in text


def test_prove_writes_a_certificate_of_the_order(net: Path, tmp_path: Path) -> None:
    path = tmp_path / "order.json"
    ended = done("prove", net, "updown", "--certificate", path)
    assert "the certificate was checked" in ended.stdout
    channels = json.loads(path.read_text())["channels"]
    ranks = [channel["rank"] for channel in channels]
    assert ranks == sorted(ranks)
    network = library.read_fabric(net).fabric
    assert sorted(channel["channel"] for channel in channels) == list(range(network.channel_count))
    document = weft("prove", net, "updown", "--json").document
    assert document["deadlock_free"] is True
    assert document["certificate_checked"] is True


def test_prove_shows_the_cycle_and_ends_with_1(torus: Path, tmp_path: Path) -> None:
    path = tmp_path / "order.json"
    ended = weft("prove", torus, "minimal", "--certificate", path)
    assert ended.code == 1
    assert "no certificate" in ended.stderr
    assert not path.exists()
    ended = weft("prove", torus, "minimal", "--json")
    assert ended.code == 1
    cycle = ended.document["cycle"]
    assert len(cycle) >= 3
    assert all(
        step["wanted"] == following["held"]
        for step, following in zip(cycle, [*cycle[1:], cycle[0]], strict=True)
    )


def test_simulate_prints_figures_with_units(net: Path) -> None:
    ended = done("simulate", net, "--routing", "updown", "--load", 0.05)
    assert "bytes/ns/switch" in ended.stdout
    assert "from generation" in ended.stdout
    assert "busiest channels" in ended.stdout
    document = weft(
        "simulate", net, "--routing", "updown", "--load", 0.05, "--seed", 4, "--json"
    ).document
    measured = document["measurement"]
    assert measured["reason"] == "steady"
    assert measured["accepted_load"] == pytest.approx(0.05, rel=0.05)
    network = library.read_fabric(net).fabric
    assert len(measured["channel_utilization"]) == network.channel_count
    assert len(measured["pool_max_bytes"]) == network.host_count


def test_a_deadlock_ends_the_simulation_and_is_named(torus: Path) -> None:
    asked = ("simulate", torus, "--routing", "minimal", "--load", 0.9)
    refused = weft(*asked)
    assert (refused.code, refused.stdout) == (1, "")
    assert "minimal on torus-4x4 is not proved deadlock-free (deadlock)" in refused.stderr
    ended = weft(*asked, "--unproved")
    assert ended.code == 1
    assert "not proved deadlock-free" in ended.stderr
    assert "deadlocked: " in ended.stdout
    waiting = [line for line in ended.stdout.splitlines() if " and waits for " in line]
    assert len(waiting) >= 2
    holds = [line.split(" holds ")[1].split(" and waits for ")[0] for line in waiting]
    wants = [line.split(" and waits for ")[1] for line in waiting]
    assert wants == [*holds[1:], holds[0]]
    assert "nan" not in ended.stdout


def test_simulate_takes_mixed_sizes_arrivals_and_hardware(net: Path) -> None:
    ended = done(
        "simulate", net, "--routing", "ud_itb:seed=2", "--load", 0.02, "--payload-bytes",
        "32:0.2,2048:0.8", "--arrivals", "poisson", "--set", "routing_delay_ns=100",
        "--set", "cable_metres=5", "--max-packets", 5000, "--json",
    )  # fmt: skip
    assert ended.document["routing"] == "ud_itb:seed=2"


def test_hardware_prints_a_file_that_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "faster.toml"
    path.write_text(weft("hardware", "--set", "routing_delay_ns=100").stdout)
    document = weft("hardware", "--hardware", path, "--json").document
    delay = next(entry for entry in document["parameters"] if entry["name"] == "routing_delay_ns")
    assert (delay["value"], delay["unit"], delay["default"]) == (100.0, "ns", "150")


def test_compare_prints_ranking_refusal_recommendation_and_paths(net: Path, study: Path) -> None:
    ended = done(
        "compare", net, "--routing", "updown", "--routing", "minimal", "--loads", "0.05,0.1",
        "--max-packets", 5000, "--out", study, "--no-report",
    )  # fmt: skip
    assert "fabric irregular-8-seed3: 8 switches, 32 hosts, 48 links" in ended.stdout
    assert "bytes/ns/switch" in ended.stdout
    assert "minimal is not simulated: " in ended.stdout
    assert " holds " in ended.stdout
    assert "Take " in ended.stdout
    assert str(study / "results.sqlite") in ended.stdout
    assert "routing" in ended.stdout
    assert "sweep finished, 2 points" in ended.stderr


def test_compare_as_json_is_one_document(net: Path, study: Path) -> None:
    ended = weft(
        "compare", net, "--routing", "updown", "--loads", "0.05,0.1",
        "--max-packets", 5000, "--out", study, "--no-report", "--json",
    )  # fmt: skip
    document = ended.document
    assert {row["label"] for row in document["ranking"]} == {"updown", "ud_itb", "minimal"}
    refused = next(entry for entry in document["routings"] if entry["label"] == "minimal")
    assert refused["proof"]["deadlock_free"] is False
    assert refused["proof"]["cycle"]
    assert document["files"]["results"] == str(study / "results.sqlite")


def test_nothing_but_refused_routings_ends_with_1(torus: Path, tmp_path: Path) -> None:
    ended = weft("compare", torus, "--routing", "minimal", "--out", tmp_path, "--no-report")
    assert ended.code == 1
    assert "take none of them" in ended.stdout


def test_compare_writes_a_report_and_charts_where_asked(net: Path, tmp_path: Path) -> None:
    call = ("compare", net, "--routing", "updown", "--loads", "0.05", "--max-packets", 2000)
    document = done(*call, "--out", tmp_path, "--json").document
    assert (tmp_path / "report.html").stat().st_size > 10_000
    assert set(document["files"]) == {"results", "report"}
    assert {path.name for path in tmp_path.iterdir()} >= {"report.html", "results.sqlite"}
    assert not list(tmp_path.rglob("*.svg"))
    figures = tmp_path / "figures"
    ended = done(*call, "--out", tmp_path, "--no-report", "--charts", figures)
    assert str(figures) in ended.stdout
    assert "7 of 7 charts drawn" in ended.stderr
    assert len(list(figures.glob("*.svg"))) == len(list((figures / "print").glob("*.pdf"))) == 7
    again = weft("report", tmp_path, "-o", tmp_path / "again.html", "--load", 0.05, "--json")
    document = again.document
    assert (document["report"], document["charts"]) == (str(tmp_path / "again.html"), [])
    assert (tmp_path / "again.html").exists()


def test_report_writes_charts_where_asked(study: Path, tmp_path: Path) -> None:
    ended = done("report", study, "-o", tmp_path / "r.html", "--charts", tmp_path / "charts")
    assert str(tmp_path / "r.html") in ended.stdout
    assert len(list((tmp_path / "charts").iterdir())) > 4


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_export_writes_a_table_of_each_kind(study: Path, tmp_path: Path, form: str) -> None:
    ended = done("export", study, f"--{form}", "-o", tmp_path / "tables", "--json")
    rows = ended.document["files"]
    paths = {path.name: path for path in (tmp_path / "tables").iterdir()}
    tables = ("routings", "points", "channels", "hosts", "link_use")
    assert set(paths) == {f"{table}.{form}" for table in tables}
    assert list(rows.values()) == [3, 4, 4 * 96, 4 * 32, 2]
    assert f"{4 * 96} rows" in weft("export", study, f"--{form}", "-o", tmp_path / "tables").stdout
    if form == "csv":
        with paths["points.csv"].open(encoding="utf-8", newline="") as file:
            points = list(csv.DictReader(file))
        assert [float(point["load"]) for point in points] == [0.05, 0.1, 0.05, 0.1]
    else:
        table = parquet.read_table(paths["channels.parquet"])
        assert table.num_rows == 4 * 96


def test_export_writes_all_cases_of_a_folder(tmp_path: Path) -> None:
    for seed in (1, 2):
        library.compare(
            library.irregular(8, seed=seed),
            ["updown"],
            loads=[0.05],
            max_packets=2000,
            results=tmp_path / "results.sqlite",
            study=f"seed {seed}",
        )
    ended = done("export", tmp_path, "-o", tmp_path / "tables", "--json")
    assert list(ended.document["files"].values()) == [2, 2, 2 * 96, 2 * 32, 2]
    with (tmp_path / "tables/points.csv").open(encoding="utf-8", newline="") as file:
        points = list(csv.DictReader(file))
    assert [point["study"] for point in points] == ["seed 1", "seed 2"]
    file = tmp_path / "results.sqlite"
    refused("holds 2 studies", "export", file, "-o", tmp_path / "one")
    every = done("export", file, "--all", "-o", tmp_path / "all", "--json")
    assert list(every.document["files"].values()) == [2, 2, 2 * 96, 2 * 32, 2]
    one = done("export", tmp_path, "--study", "seed 2", "-o", tmp_path / "one", "--json")
    assert list(one.document["files"].values()) == [1, 1, 96, 32, 1]
    assert "study" not in (tmp_path / "one/points.csv").read_text().splitlines()[0].split(",")
    refused("leave one of them out", "export", file, "--all", "--study", "x", "-o", tmp_path / "x")


def test_reproduce_sets_our_figures_beside_the_published(tmp_path: Path) -> None:
    asked = ("reproduce", "boost", "--figure", "11", "--quick", "--out", tmp_path)
    ended = done(*asked, "--json")
    (experiment,) = ended.document["experiments"]
    assert experiment["experiment"] == "figure-11"
    figures = {row["quantity"]: row["value"] for row in experiment["rows"]}
    assert 0 < figures["ITB: in-transit stops per packet"] < 1
    assert figures["ITB: most bytes in transit held by a NIC, at any load"] > 32
    told = r"boost: about (\d+) points of 1 case to come, about 1 min of one processor"
    foretold = re.search(told, ended.stderr)
    found = re.search(r"sweep finished, (\d+) points", ended.stderr)
    assert foretold
    assert found
    assert int(foretold[1]) == pytest.approx(int(found[1]), abs=3)
    again = weft(*asked)
    assert "to come" not in again.stderr
    assert "Figure 11: packets in transit held by the NICs" in again.stdout
    assert {path.name for path in tmp_path.iterdir()} == {
        "results.sqlite",
        "report.html",
        "report.md",
        "report.csv",
    }
    listed = weft("reproduce", "boost", "--list")
    assert "--table 1 " in " ".join(listed.stdout.split())
    refused("boost has no table-5 to run again", "reproduce", "boost", "--table", "5")


def test_a_study_is_planned_run_resumed_and_told_of(tmp_path: Path) -> None:
    file, out = tmp_path / "rings.toml", tmp_path / "out"
    file.write_text(
        'title = "Rings"\nroutings = ["updown", "minimal"]\nloads = [0.02]\nprecision = 0.3\n'
        'max_packets = 3000\n[[fabrics]]\ntopology = "ring"\nswitches = [4, 5]\n'
    )
    planned = done("study", "plan", file, "--out", out, "--json")
    assert sum(case["missing_points"] for case in planned.document["cases"]) == 4
    refused("weft study run begins", "study", "resume", file, "--out", out)
    assert not out.exists()
    ran = done("study", "run", file, "--out", out)
    assert "ring-4" in ran.stdout
    assert "refused" in ran.stdout
    status = weft("study", "status", file, "--out", out, "--json").document
    assert status["worked_on_by"] is None
    assert [(case["finished"], case["refused"], case["points"]) for case in status["cases"]] == [
        (1, 1, 1),
        (1, 1, 1),
    ]
    assert weft("study", "resume", file, "--out", out).stdout == ran.stdout
    stopped = weft("study", "cancel", file, "--out", out)
    assert (stopped.code, stopped.stdout) == (0, f"nothing works on {out / 'results.sqlite'}\n")
    message = "expected local, dask:tcp://HOST:PORT or slurm"
    refused(message, "study", "run", file, "--out", out, "--on", "cloud")
    told = weft("study", "keys")
    assert "traffic.payload_bytes" in told.stdout


def test_routes_are_written_proved_and_checked_from_files(torus: Path, tmp_path: Path) -> None:
    tables, order = tmp_path / "tables.json", tmp_path / "order.json"
    ended = done("route", torus, "down_preferred", "-o", tables)
    assert "tables by destination host" in ended.stdout
    assert f"written to {tables}" in ended.stdout
    assert weft("prove", torus, tables, "--certificate", order).code == 0
    ended = done("prove", torus, tables, "--check", order)
    assert "holds: every route leads to its destination and ascends it" in ended.stdout

    renamed = tmp_path / "renamed.json"
    made = weft("route", torus, "updown:seed=2", "--tables", "--lmc", "2", "-o", renamed, "--json")
    document = made.document["routing"]
    assert document["form"] == "forwarding tables"
    assert 1 < document["most_addresses"] <= 4
    ended = weft("prove", torus, renamed, "--check", order, "--json")
    assert ended.code == 1
    assert ended.document["holds"] is False
    assert "does not ascend: it holds" in ended.document["refusal"]
    refused("an LMC of 0 allows 1", "route", torus, "updown:seed=2", "--tables", "--lmc", "0")


def test_routes_of_a_file_are_simulated_as_those_of_the_algorithm(
    torus: Path, tmp_path: Path
) -> None:
    routes = tmp_path / "routes.json"
    assert weft("route", torus, "updown:seed=2", "-o", routes).code == 0

    for call, figures in (
        (("simulate", torus, "--load", "0.05", "--max-packets", 3000), "measurement"),
        (("collective", "alltoall", "--fabric", torus), "runs"),
        (
            ("bandwidth", "--fabric", torus, "--messaging", "acknowledged=1", "--messages", 2),
            "runs",
        ),
    ):
        by_name, by_file = (
            weft(*call, "--routing", routing, "--json").document[figures]
            for routing in ("updown:seed=2", routes)
        )
        if figures == "runs":
            assert by_name[0].pop("routing") != by_file[0].pop("routing")
        assert by_name == by_file
    message = f"weft simulate --routing {routes}"
    refused(message, "compare", torus, "--routing", routes, "--out", tmp_path / "out")


def test_a_missing_file_of_routes_is_an_error(torus: Path, tmp_path: Path) -> None:
    refused("expected a file of routes", "prove", torus, tmp_path / "routes.json")
    refused("give one of them", "prove", torus, "updown", "--check", "a", "--certificate", "b")


def test_tables_of_opensm_are_proved_by_guid(tmp_path: Path) -> None:
    cluster = tmp_path / "cluster.json"
    cluster.write_text(
        json.dumps(
            {
                "format": "weft-fabric",
                "version": 1,
                "name": "cluster",
                "switches": [
                    {"name": "a", "ports": 8, "guid": "0xa0"},
                    {"name": "b", "ports": 8, "guid": "0xb0"},
                ],
                "hosts": [{"name": "host-a", "guid": "0xa1"}, {"name": "host-b", "guid": "0xb1"}],
                "links": [
                    {"ends": [["host-a", 1], ["a", 1]]},
                    {"ends": [["host-b", 1], ["b", 1]]},
                    {"ends": [["a", 2], ["b", 2]]},
                ],
            }
        )
    )
    lines = [
        "Unicast lids [0-4] of switch Lid 1 guid 0x00000000000000a0 ('a'):",
        "0x0003 001 # Channel Adapter portguid 0x00000000000000a1: 'host-a'",
        "0x0004 002 # Channel Adapter portguid 0x00000000000000b1: 'host-b'",
        "0x0005 002 # Channel Adapter portguid 0x00000000000000c1: 'gone'",
        "3 lids dumped",
        "Unicast lids [0-4] of switch Lid 2 guid 0x00000000000000b0 ('b'):",
        "0x0003 002 # Channel Adapter portguid 0x00000000000000a1: 'host-a'",
        "0x0004 001 # Channel Adapter portguid 0x00000000000000b1: 'host-b'",
        "2 lids dumped",
    ]
    tables = tmp_path / "opensm-lfts.dump"
    tables.write_text("\n".join(lines) + "\n")
    ended = done("prove", cluster, tables)
    assert "deadlock-free: 2 host pairs" in ended.stdout
    assert "line 4: port 0x00000000000000c1" in ended.stderr
    tables.write_text("\n".join(lines).replace("0x0004 002", "0x0004 255") + "\n")
    ended = weft("prove", cluster, tables)
    assert ended.code == 1
    assert "host-a → host-b: a has no entry for host-b" in ended.stdout


def test_compare_says_which_routings_are_the_same_routes(tmp_path: Path) -> None:
    """On a line there is one way for each pair, whatever the routing."""
    line = tmp_path / "line.json"
    fabric = library.mesh(4, 1, hosts_per_switch=2)
    library.write_fabric(fabric, line)
    command = [
        "compare", line, "--routing", "updown", "--routing", "minimal", "--loads", "0.05",
        "--max-packets", 2000, "--out", tmp_path / "study",
    ]  # fmt: skip
    text = done(*command)
    assert "\nminimal: the same routes as updown, simulated once\n" in text.stdout
    page = (tmp_path / "study" / "report.html").read_text()
    assert page.count("the same routes as updown, simulated once") == 1
    document = done(*command, "--json").document
    for entries in (document["ranking"], document["routings"]):
        told = {entry["label"]: entry["same_routes_as"] for entry in entries}
        assert told == {"updown": None, "minimal": "updown"}
    first, second = document["ranking"]
    apart = ("label", "title", "same_routes_as")
    assert {k: v for k, v in first.items() if k not in apart} == {
        k: v for k, v in second.items() if k not in apart
    }


def test_a_broadcast_can_gather_first_as_a_barrier_does(torus: Path) -> None:
    ordered = ("--order", "hio", "--fabric", torus, "--routing", "updown", "--json")

    def last(*call: object) -> float:
        (run,) = weft("collective", *call, *ordered).document["runs"]
        return float(run["last_ns"])

    barrier = last("barrier", "--bytes", 96)
    assert last("bcast", "--bytes", 96, "--gather-bytes", 96) == barrier
    assert last("bcast", "--bytes", 96) < barrier
    assert last("barrier", "--bytes", 96, "--gather-bytes", 8) < barrier
    refused(
        "--gather-bytes needs --order", "collective", "bcast", "--gather-bytes", 8, *ordered[2:]
    )
