"""Rules of the house that no compiler keeps: order of the stages, sizes, words."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (
    *(".ci", "benches", "crates", "docs", "examples", "fuzz", "page", "python", "studies", "tests"),
)
GENERATED = {
    "__pycache__",
    "_build",
    "build",
    "target",
    "node_modules",
    ".hypothesis",
    ".pytest_cache",
}
TEXT = {".css", ".html", ".j2", ".js", ".json", ".md", ".py", ".pyi", ".rs", ".sh", ".toml"}
PAGE = {".mjs", ".ts", ".tsx"}
LONGEST_FILE_LINES = 600

#: What each crate may depend on; only tests may use the oracle.
FABRIC = {"weft-registry", "weft-fabric"}
MODEL = FABRIC | {"weft-routing", "weft-model"}
CRATES_BEFORE = {
    "weft-files": set(),
    "weft-registry": set(),
    "weft-fabric": {"weft-registry"},
    "weft-routing": FABRIC,
    "weft-opensm": FABRIC | {"weft-routing"},
    "weft-proof": FABRIC | {"weft-routing"},
    "weft-model": FABRIC | {"weft-files", "weft-routing"},
    "weft-engine": MODEL,
    "weft-oracle": MODEL - {"weft-registry"},
    "weft-testing": MODEL | {"weft-oracle"},
    "weft": MODEL | {"weft-proof", "weft-engine"},
    "weft-explore": MODEL | {"weft", "weft-proof", "weft-engine"},
    "weft-page": {"weft-explore"},
    "weft-python": MODEL
    | {"weft", "weft-files", "weft-opensm", "weft-proof", "weft-engine", "weft-explore"},
}

#: What the oracle may import of other crates: modules, and types that hold data. What happens to
#: packets it does itself, so that it can disagree with the engine.
ORACLE_IMPORTS = {
    "weft_fabric": {
        *{"ChannelId", "Fabric", "HostId", "Node", "PortNumber", "SwitchId", "narrow"},
    },
    "weft_routing": {
        *{"AdaptiveRoutes", "AdaptiveTables", "AnyRoutes", "Detour", "ForwardingTables"},
        *{"GroupTables", "Lane", "LaneKey", "LidState", "MappedRoutes", "PairGranularity"},
        *{"PortGroup", "Routes", "SourceRoutes", "TwoPhaseRoutes"},
    },
    "weft_model": {
        *{"Arbitration", "EARLY_FLITS", "Firmware", "FlowControl", "NicModel", "Overflow"},
        *{"AddressChoice", "Selection"},
        *{"ChannelTiming", "ChannelTimings", "CutThroughModel", "PacketFormat", "WormholeModel"},
        *{"CutThroughError", "WormholeError"},
        *{
            "Change",
            "Changes",
            "ChannelUse",
            "LaneUse",
            "LossCause",
            "LossRecord",
            "PacketRecord",
            "PoolUse",
        },
        *{"workload", "HostStream", "Packet", "Workload"},
        *{
            "program",
            "Account",
            "Announcements",
            "Acknowledged",
            "Blocked",
            "Dependency",
            "Messaging",
            "Moment",
        },
        *{"Overhead", "Program", "Task", "Work"},
    },
}

#: Methods of these types that say what happens, as the engine asks them: the oracle must not.
NOT_OF_THE_ORACLE = (
    "by_hash|choice|choice_of_table|host_lane|is_damaged|handler_cycles|latency_cycles|links"
    "|next_lane|packet_flits|shared|step|steps|transfer_cycles|walk|walk_hosts|walk_shared"
)

#: Modules of the Python package by stage; a stage imports itself and earlier ones.
MODULES_IN_ORDER = (
    {
        "errors",
        "_files",
        "_extras",
        "_without_numpy",
        "_linear",
        "_late",
        "_homes",
        "_machine",
        "_ranges",
        "_nearest",
        "_numbers",
        "_rank_names",
        "_visible",
        "_core",
        "_toml",
        "quantities",
    }
    | {"short_names", "array_job"},
    {"fabric"},
    {"route_files"},
    {"algorithm", "routing", "own_routing", "route_reading", "channel_loads"},
    {"congestion", "load_gap", "repair", "transition"},
    {
        "proof",
        "bound_files",
        "hardware",
        "workload",
        "traces",
        "placement",
        "exchanges",
        "in_network",
    },
    {"adaptive", "demand", "figure_table", "shares", "task_graph", "traffic_gap"},
    {"measurement"},
    {
        "simulate",
        "rehearsal",
        "replay",
        "timeline",
        "bandwidth",
        "opensm",
        "ibdiagnet",
        "audit",
    },
    {"adaptive_gains", "event_files", "event_lists", "jobs"},
    {"prediction"},
    {"advice", "survive", "spec"},
    {"statistics", "results"},
    {"study"},
    {"survey_runs"},
    {"plots", "export", "static_load", "watch"},
    {"explore"},
    {"report", "reproduce"},
    {"cli"},
)

#: Words of neighbouring fields with a word of our own in docs/concepts/words.md.
FOREIGN_WORDS = {
    r"virtual channels?": "virtual lane",
    r"end[- ]?nodes?": "host",
    r"injection rates?": "offered load",
    r"saturation throughput": "throughput",
    r"saturation point": "throughput",
}


def files() -> Iterator[Path]:
    """Yield all text files of the project."""
    yield from (path for path in ROOT.iterdir() if path.is_file() and is_text(path))
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and is_text(path) and not GENERATED & set(path.parts):
                yield path


def is_text(path: Path) -> bool:
    """Tell whether a file is ours to read."""
    return path.suffix in TEXT | PAGE or path.name in {
        "Makefile",
        "run",
        ".gitignore",
        "LICENSE-MIT",
    }


def sources(*suffixes: str) -> list[Path]:
    """Return the program's text: no documents, no locked versions."""
    return [path for path in files() if path.suffix in suffixes]


def found_at(pattern: str, paths: list[Path]) -> list[str]:
    """Return every place where a pattern occurs, except in this file."""
    regex = re.compile(pattern)
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in paths
        if path != Path(__file__).resolve()
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if regex.search(line)
    ]


def test_the_house_has_the_files_that_these_tests_look_at() -> None:
    assert len(sources(".rs")) > 50
    assert len(sources(".py")) > 30
    assert {path.name for path in files()} >= {"Makefile", "README.md", "run", "Cargo.toml"}


def test_no_file_names_a_path_of_one_machine() -> None:
    assert found_at(r"(?<![\w.\-*/])/(home|root|Users|work|tmp)/\w", list(files())) == []


def test_nothing_is_left_to_be_done_later() -> None:
    pattern = r"\b(TODO|FIXME|XXX|HACK)\b|\b(todo|unimplemented)!\("
    assert found_at(pattern, sources(".rs", ".py", ".pyi", ".sh", *PAGE)) == []


def test_no_test_is_skipped() -> None:
    pattern = r"#\[ignore|mark\.(skip|xfail)|pytest\.(skip|xfail|importorskip)|unittest\.skip"
    assert found_at(pattern, sources(".rs", ".py")) == []


def test_what_commands_print_goes_through_one_place() -> None:
    lines = found_at(r"\bclick\.(secho|echo)\(|\bsys\.std(out|err)\.write\(", sources(".py"))
    own = [line for line in lines if line.startswith("python/weft/")]
    assert [line.partition(":")[0] for line in own] == ["python/weft/cli/output.py"], own


def test_files_are_short_enough_to_be_about_one_idea() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text().splitlines())
        for path in sources(".rs", ".py", ".pyi", *PAGE)
    }
    assert {path: lines for path, lines in lengths.items() if lines > LONGEST_FILE_LINES} == {}


def test_files_are_named_by_what_they_are_about() -> None:
    vague = {"util", "utils", "helper", "helpers", "common", "misc", "manager"}
    assert [path for path in sources(".rs", ".py", *PAGE) if path.stem in vague] == []


def test_each_crate_depends_on_earlier_stages_only() -> None:
    manifests = {
        path.parent.name: tomllib.loads(path.read_text())
        for path in (ROOT / "crates").glob("*/Cargo.toml")
    }
    assert manifests.keys() == CRATES_BEFORE.keys()
    for crate, manifest in manifests.items():
        own = {name for name in manifest.get("dependencies", {}) if name.startswith("weft-")}
        assert own <= CRATES_BEFORE[crate], crate
        assert crate == "weft-testing" or not own & {"weft-oracle", "weft-testing"}, crate


def test_the_versions_that_fuzzing_locks_know_the_dependencies_of_each_crate() -> None:
    # What is fuzzed is built by a lock file of its own, which a build refuses once it is behind.
    locked = {
        package["name"]: set(package.get("dependencies", []))
        for package in tomllib.loads((ROOT / "fuzz/Cargo.lock").read_text())["package"]
    }
    fuzzed = [crate for crate in CRATES_BEFORE if crate in locked]
    assert fuzzed
    for crate in fuzzed:
        manifest = tomllib.loads((ROOT / f"crates/{crate}/Cargo.toml").read_text())
        named = {
            name
            for kind in (manifest, *manifest.get("target", {}).values())
            for name in kind.get("dependencies", {})
        }
        assert locked[crate] == named, crate


def test_the_oracle_knows_nothing_of_the_engine_even_in_its_tests() -> None:
    text = (ROOT / "crates/weft-oracle/Cargo.toml").read_text()
    assert "weft-engine" not in text


def test_the_oracle_shares_data_types_alone() -> None:
    sources_of_it = sorted((ROOT / "crates/weft-oracle/src").rglob("*.rs"))
    assert len(sources_of_it) > 15
    for path in sources_of_it:
        code = re.sub(r"//.*", "", path.read_text())
        for crate, names in re.findall(r"\b(weft_\w+)::((?:\w|::|\{[^}]*\})+)", code):
            assert set(re.findall(r"\w+", names)) <= ORACLE_IMPORTS[crate], path
        assert re.findall(rf"\.({NOT_OF_THE_ORACLE})\(", code) == [], path


def imported_modules(path: Path) -> set[str]:
    """Return the first-level modules of weft that a file imports anywhere."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "weft":
            names |= {f"weft.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return {name.split(".")[1] for name in names if name.startswith("weft.")}


def test_each_python_module_imports_earlier_stages_only() -> None:
    package = ROOT / "python/weft"
    stage_of = {name: stage for stage, names in enumerate(MODULES_IN_ORDER) for name in names}
    for path in sorted(package.rglob("*.py")):
        module = path.relative_to(package).parts[0].removesuffix(".py")
        if module in {"__init__", "__main__"}:
            continue
        later = {name for name in imported_modules(path) if stage_of[name] > stage_of[module]}
        assert later == set(), path


@pytest.mark.parametrize("foreign", FOREIGN_WORDS, ids=FOREIGN_WORDS.get)
def test_one_word_per_thing(foreign: str) -> None:
    text = sources(".rs", ".py", ".pyi", ".md", *PAGE)
    assert found_at(rf"(?i)(?<![\w/]){foreign}(?![\w/])", text) == []


def test_both_licences_stand_in_full() -> None:
    assert "END OF TERMS AND CONDITIONS" in (ROOT / "LICENSE-APACHE").read_text()
    assert 'THE SOFTWARE IS PROVIDED "AS IS"' in (ROOT / "LICENSE-MIT").read_text()
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert workspace["license"] == project["license"] == "MIT OR Apache-2.0"


def test_every_version_says_which_numbers_changed() -> None:
    versions = re.split(r"(?m)^## ", (ROOT / "CHANGELOG.md").read_text())[1:]
    assert versions
    for version in versions:
        assert "### Numbers changed" in version, version.splitlines()[0]


STAND_IN_MAKEFILE = """
lint:
	@echo 'Success: no issues found in 9 source files'
	@exit {lint}
test:
	@echo '     Running unittests src/lib.rs (target/debug/deps/weft_fabric-0123abcd)'
	@echo 'test result: ok. 3 passed; 0 failed'
	@exit {test}
test-system:
	@echo '======== 5 passed in 61.20s (0:01:01) ========'
	@exit {system}
"""


@pytest.mark.parametrize(("lint", "test", "system"), [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
def test_the_ci_script_fails_when_a_target_fails_and_sums_up(
    tmp_path: Path, lint: int, test: int, system: int
) -> None:
    (tmp_path / ".ci").mkdir()
    script = tmp_path / ".ci/run"
    script.write_bytes((ROOT / ".ci/run").read_bytes())
    (tmp_path / "Makefile").write_text(
        STAND_IN_MAKEFILE.format(lint=lint, test=test, system=system)
    )
    assert os.access(ROOT / ".ci/run", os.X_OK)
    result = subprocess.run(
        ["bash", str(script)], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    summary = result.stdout.split("== summary")[1].splitlines()
    outcome = {0: "passed", 1: "failed"}
    assert result.returncode == max(lint, test, system)
    assert summary[1:] == [
        f"make lint: {outcome[lint]}",
        f"make test: {outcome[test]}",
        "  weft_fabric: ok. 3 passed; 0 failed",
        f"make test-system: {outcome[system]}",
        "  pytest: 5 passed in 61.20s (0:01:01)",
    ]


def test_every_mistake_that_tests_must_notice_can_still_be_planted() -> None:
    """The lists of `make mutants` follow the source."""
    run = [sys.executable, "tests/mutants/run.py", "--check"]
    ended = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
