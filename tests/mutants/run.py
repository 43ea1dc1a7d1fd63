#!/usr/bin/env python3
"""Plant mistakes in what figures and proofs rest on, and show which test notices each.

One at a time, in a copy in a temporary folder, so that the checkout stays as it is. A mistake whose
place is no longer found, or that does not compile, is an error: the list must follow the source.
Mistakes in Python meet the extension of this checkout, which `make mutants` builds before.

Tests that run ten times as long as without a mistake, and a minute, have noticed it: they never
end. What compiles before does not count, however long it takes.

Exit codes: 0 every mistake noticed; 1 some survived; 2 a mistake cannot be planted, or the tests
fail without any.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from changes import CHANGES
from choices import CHOICES
from collectives import COLLECTIVES
from cut_through import CUT_THROUGH
from earlier_stages import EARLIER_STAGES
from exploring import EXPLORING, PAGES
from figures import FIGURES
from identity import IDENTITY
from jobs import JOBS
from loads import LOADS
from mapping import MAPPING
from measurement import MEASUREMENT
from packet_by_packet import PACKET_BY_PACKET
from proofs import PROOFS
from repairs import REPAIRS
from survival import SURVIVAL
from tables import TABLES
from watching import WATCHING

from mutants import WORMHOLE, Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Crates:
    """Tests of crates: parts of the names of those that run, beside the code and of tests/it."""

    packages: tuple[str, ...]
    tests: tuple[str, ...] = ()

    def build(self) -> list[str]:
        """Return what compiles them."""
        packages = [part for package in self.packages for part in ("--package", package)]
        return ["cargo", "test", *packages, "--lib", "--test", "it", "--no-fail-fast"]

    def command(self) -> list[str]:
        """Return what runs them; all tests where none is named."""
        return [*self.build(), "--", *self.tests]


@dataclass(frozen=True)
class Modules:
    """Tests in Python: files of tests/python, without their ``test_``."""

    files: tuple[str, ...]

    def command(self) -> list[str]:
        """Return what runs them, up to the first that fails."""
        files = [f"tests/python/test_{name}.py" for name in self.files]
        options = ["-q", "-x", "-rfE", "-p", "no:cacheprovider"]
        return [sys.executable, "-m", "pytest", *options, *files]


TESTS = {
    "wormhole": Crates(
        ("weft-engine",),
        (
            "tests::",
            "by_hand::",
            "claims::",
            "differential::engine_and_oracle_agree_on_every_packet",
        ),
    ),
    "cut_through": Crates(
        ("weft-engine",), ("tests::", "cut_through::", "differential::cut_through")
    ),
    "changes": Crates(
        ("weft-engine",), ("changes::", "differential::cut_through_engine_and_oracle_agree_while")
    ),
    "mapping": Crates(
        ("weft-engine",), ("mapping::", "differential::engine_and_oracle_agree_while")
    ),
    "measurement": Crates(("weft-engine",), ("tests::", "measurement::")),
    "programs": Crates(
        ("weft-engine", "weft-model"),
        ("differential::engine_and_oracle_agree_on_programs", "execution::block::"),
    ),
    "proof": Crates(
        ("weft-proof",),
        (
            *("adaptive::", "by_hand::", "certificates::", "findings::", "foreign_tables::"),
            *("lane_tables::", "torus_2qos::"),
        ),
    ),
    "bounds": Crates(("weft-routing", "weft-proof"), ("load_bounds::", "metric_bounds::")),
    "choices": Crates(
        ("weft-routing", "weft-proof"),
        (
            *("certificates::", "congestion::", "group_loads::", "groups::", "group_", "load::"),
            *("levels_that_may_choose::", "raised_lanes::"),
        ),
    ),
    "completion": Crates(("weft-proof",), ("completion::",)),
    "repair": Crates(
        ("weft-routing", "weft-proof"),
        ("cycles::", "draining::", "joining::", "repair::", "repair_by_port::", "survival::"),
    ),
    "transition": Crates(
        ("weft-proof",),
        ("transition::", "transition_by_port::", "transition_orders::", "transition_trees::"),
    ),
    "load": Crates(("weft-model",), ("bursts::", "destinations::", "traffic::")),
    "packet_by_packet": Crates(("weft-model",), ("packet_by_packet::", "collectives::")),
    "collectives": Crates(
        ("weft-model",),
        (
            "adapters::",
            "collective::",
            "collectives::",
            "pipelined::",
            "pattern_refusals::",
            "rails::",
            "started_operations::",
        ),
    ),
    "traces": Crates(("weft-model",), ("trace::", "traces::", "trace_lengths::")),
    "units": Crates(
        ("weft-model", "weft-engine", "weft"),
        ("cut_through::", "figures::", "hardware::", "runs::", "timing::"),
    ),
    "opensm": Crates(("weft-opensm",)),
    "routes": Crates(("weft-routing",), ("files::", "forwarding::", "lane_files::")),
    "longer routes": Crates(
        ("weft-proof",), ("best::longer_routes", "best::routes_stay", "best_by_rates::")
    ),
    "rails": Crates(("weft-routing",), ("rails::",)),
    "balance": Crates(("weft-routing", "weft-proof"), ("best::",)),
    "background": Crates(("weft-model",), ("jobs::",)),
    "traffic": Crates(("weft-proof",), ("best_for_traffic::",)),
    "amounts": Crates(("weft",), ("demands::",)),
    "identity": Modules(
        (
            *("study_identity", "study_sharing", "study_ladder", "study_run", "results_refusals"),
            *("study_own_routings", "study_programs", "links_that_differ"),
        )
    ),
    "figures": Modules(
        (
            *("results_knee", "results_ranking", "study_statistics", "lanes_and_pools"),
            *("study_run", "reproduce_extremes", "reproduce_low_load"),
        )
    ),
    "export": Modules(("export", "results_content")),
    "jobs": Modules(("jobs", "placing")),
    "survival": Modules(("survive", "chassis")),
    "explore": Crates(("weft-explore",)),
    "pages": Modules(("explore",)),
    "watch": Modules(
        (
            *("watch", "watch_applied", "watch_changes", "watch_killed", "watch_lanes"),
            *("watch_comparing", "watch_policies", "watch_rounds", "watch_sources"),
        )
    ),
}
LISTS = (
    *(WORMHOLE, CUT_THROUGH, CHANGES, MAPPING, EARLIER_STAGES, PROOFS, REPAIRS, TABLES),
    *(CHOICES, COLLECTIVES, LOADS, MEASUREMENT, IDENTITY, FIGURES, JOBS, SURVIVAL, WATCHING),
    *(PACKET_BY_PACKET, EXPLORING, PAGES),
)
DEFAULT_CASES = 600
#: Tests that have not ended after so many times what they take without a mistake, and so long.
PATIENCE, PATIENCE_S = 10, 60
FAILED_TEST = re.compile(
    r"^test (\S+) \.\.\. FAILED$|^(\S+) --- FAILED$|^FAILED tests/python/(\S+)", re.MULTILINE
)


class PlantingError(Exception):
    """A mistake cannot be planted."""


def place(search: str) -> re.Pattern[str]:
    """Look for source text however a formatter breaks it into lines and adds commas."""
    tokens = re.findall(r"\w+|[^\w\s]", search)
    return re.compile(
        r"\s*".join(r",?\s*" + re.escape(t) if t in ")]}" else re.escape(t) for t in tokens)
    )


def copy_workspace(folder: Path) -> None:
    """Copy what Cargo and pytest need."""
    for name in ("Cargo.toml", "Cargo.lock", "clippy.toml", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    ignore = shutil.ignore_patterns("target", "__pycache__")
    for name in ("crates", "benches", "python", "tests", "examples", "docs", "studies"):
        # With times of now: a target folder used again may hold what a mistake was compiled into.
        shutil.copytree(ROOT / name, folder / name, ignore=ignore, copy_function=shutil.copy)


def with_mistake(mutant: Mutant, folder: Path) -> tuple[str, str]:
    """Return the file of a mistake as it is and with the mistake."""
    text = (folder / mutant.file).read_text(encoding="utf-8")
    changed, count = place(mutant.search).subn(lambda _: mutant.replace, text)
    if count != 1:
        raise PlantingError(
            f"“{mutant.name}”: found its place {count} times in {mutant.file}, expected "
            f"once; bring tests/mutants up to date:\n  {mutant.search}"
        )
    return text, changed


@contextmanager
def planted(mutant: Mutant, folder: Path) -> Iterator[None]:
    """Plant a mistake in a copy of the workspace and take it out again."""
    path = folder / mutant.file
    text, changed = with_mistake(mutant, folder)
    path.write_text(changed, encoding="utf-8")
    yield
    path.write_text(text, encoding="utf-8")


def environment(folder: Path, cases: int) -> dict[str, str]:
    """Return what tests find in a copy of the workspace."""
    return os.environ | {
        "WEFT_DIFFERENTIAL_CASES": str(cases),
        "RUSTFLAGS": "--cap-lints=allow",
        "CARGO_TERM_COLOR": "never",
        "RUST_BACKTRACE": "0",
        "CARGO_TARGET_DIR": os.environ.get("WEFT_MUTANTS_TARGET", str(folder / "target")),
        # As in `make test`: a rare draw that a test fails on has noticed no mistake.
        "PROPTEST_RNG_SEED": os.environ.get("PROPTEST_RNG_SEED", "1"),
        "PYTHONPATH": str(folder / "python"),
        # A mistake as long as what it replaces would not be told from it by the time of its file.
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def compile_tests(folder: Path, model: str) -> None:
    """Compile the tests that a model names, where they need it."""
    tests = TESTS[model]
    if not isinstance(tests, Crates):
        return
    command, around = [*tests.build(), "--no-run"], environment(folder, 1)
    built = subprocess.run(
        command, cwd=folder, env=around, capture_output=True, text=True, check=False
    )
    if built.returncode != 0:
        raise PlantingError(f"the tests do not compile:\n{built.stderr[-3000:]}")


def run_tests(folder: Path, cases: int, model: str, patience_s: float | None = None) -> list[str]:
    """Run the tests that a model names and return the names of those that failed."""
    compile_tests(folder, model)
    process = subprocess.Popen(
        TESTS[model].command(),
        cwd=folder,
        env=environment(folder, cases),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=patience_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return [f"(no end within {patience_s:.0f} s)"]
    failed = [next(filter(None, names)) for names in FAILED_TEST.findall(output)]
    if process.returncode != 0 and not failed:
        failed = ["(the test process died)"] if "signal:" in output else []
    if process.returncode != 0 and not failed:
        raise PlantingError(f"the tests cannot run:\n{output[-3000:]}")
    return sorted(set(failed))


def seconds_without(folder: Path, cases: int, model: str) -> float:
    """Return how long the tests of a model run as they stand, where all of them pass."""
    compile_tests(folder, model)
    begin = time.monotonic()
    if failed := run_tests(folder, cases, model):
        raise PlantingError(f"without any mistake these tests fail: {', '.join(failed)}")
    return time.monotonic() - begin


def main() -> int:
    """Plant every mistake and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=DEFAULT_CASES, help="differential cases")
    parser.add_argument("--only", nargs="+", default=[""], help="parts of the names to plant")
    parser.add_argument("--model", choices=sorted(TESTS), help="only what its tests shall notice")
    parser.add_argument("--check", action="store_true", help="only look for the places to plant")
    arguments = parser.parse_args()
    chosen = [
        mutant
        for mutant in chain(*LISTS)
        if arguments.model in (None, mutant.model)
        and any(part in mutant.name for part in arguments.only)
    ]
    width = max((len(mutant.name) for mutant in chosen), default=0) + 2
    survivors = []
    with tempfile.TemporaryDirectory(prefix="weft-mutants-") as name:
        folder = Path(name)
        try:
            for mutant in chosen:
                with_mistake(mutant, ROOT)
            if arguments.check:
                print(f"{len(chosen)} mistakes can be planted")
                return 0
            copy_workspace(folder)
            print(f"{len(chosen)} mistakes, {arguments.cases} differential cases or more each\n")
            # One group of tests after another, which is run without a mistake only if it has some.
            taken_s: dict[str, float] = {}
            for mutant in sorted(chosen, key=lambda mutant: mutant.model):
                if mutant.model not in taken_s:
                    taken_s[mutant.model] = seconds_without(folder, arguments.cases, mutant.model)
                cases = max(arguments.cases, mutant.cases)
                patience = PATIENCE * taken_s[mutant.model] * cases / arguments.cases + PATIENCE_S
                with planted(mutant, folder):
                    caught_by = run_tests(folder, cases, mutant.model, patience)
                if not caught_by:
                    survivors.append(mutant.name)
                first, *others = caught_by or ["SURVIVED"]
                print(f"{mutant.name:{width}} {first}", flush=True)
                for test in others:
                    print(f"{'':{width}} {test}", flush=True)
        except PlantingError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
    print(f"\n{len(chosen) - len(survivors)} of {len(chosen)} noticed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
