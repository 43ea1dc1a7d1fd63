#!/usr/bin/env python3
"""Plant mistakes in engines and what they ask, one at a time, and show which test notices each.

The crates are copied to a temporary folder, so the checkout stays as it is. A mistake whose place
is no longer found, or that does not compile, is an error: the list must follow the engine.

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
from pathlib import Path

from cut_through import CUT_THROUGH
from earlier_stages import EARLIER_STAGES

from mutants import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path("crates/weft-engine/src")
# Parts of the names of the tests that run: those beside the code, and these modules of tests/it.
TESTS = {
    "wormhole": ("tests::", "by_hand::", "differential::"),
    "cut_through": ("tests::", "cut_through::"),
    "programs": ("programs::",),
}
DEFAULT_CASES = 600
TIMEOUT_S = 600
FAILED_TEST = re.compile(r"^test (\S+) \.\.\. FAILED$|^(\S+) --- FAILED$", re.MULTILINE)


class PlantingError(Exception):
    """A mistake cannot be planted."""


def place(search: str) -> re.Pattern[str]:
    """Look for source text however it is broken into lines.

    Parameters
    ----------
    search : str
        Source text.

    Returns
    -------
    re.Pattern
        What finds it with any white space, and any comma a formatter adds, between its parts.
    """
    tokens = re.findall(r"\w+|[^\w\s]", search)
    return re.compile(
        r"\s*".join(r",?\s*" + re.escape(t) if t in ")]}" else re.escape(t) for t in tokens)
    )


def copy_workspace(folder: Path) -> None:
    """Copy what Cargo needs.

    Parameters
    ----------
    folder : Path
        Empty folder to copy to.
    """
    for name in ("Cargo.toml", "Cargo.lock", "clippy.toml"):
        shutil.copy(ROOT / name, folder / name)
    ignore = shutil.ignore_patterns("target", "__pycache__", "*.so")
    for name in ("crates", "benches"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)


def place_of(mutant: Mutant) -> Path:
    """Tell the file of a mistake.

    Parameters
    ----------
    mutant : Mutant
        The mistake.

    Returns
    -------
    Path
        Its file, below the workspace.
    """
    return Path(mutant.folder or SOURCES / mutant.model) / mutant.file


def plant(mutant: Mutant, folder: Path) -> str:
    """Plant a mistake.

    Parameters
    ----------
    mutant : Mutant
        The mistake.
    folder : Path
        Copy of the workspace.

    Returns
    -------
    str
        The file's text before.

    Raises
    ------
    PlantingError
        If its place is not found exactly once.
    """
    path = folder / place_of(mutant)
    text = path.read_text(encoding="utf-8")
    count = len(place(mutant.search).findall(text))
    if count != 1:
        raise PlantingError(
            f"“{mutant.name}”: found its place {count} times in {place_of(mutant)}, expected "
            f"once; bring tests/mutants up to date:\n  {mutant.search}"
        )
    changed = place(mutant.search).sub(lambda _: mutant.replace, text)
    path.write_text(changed, encoding="utf-8")
    return text


def run_tests(folder: Path, cases: int, model: str) -> list[str]:
    """Run the engine's tests.

    Parameters
    ----------
    folder : Path
        Copy of the workspace.
    cases : int
        Differential cases.
    model : str
        Whose engine is tested.

    Returns
    -------
    list of str
        Names of the tests that failed.

    Raises
    ------
    PlantingError
        If the tests do not compile.
    """
    build = ["cargo", "test", "--package", "weft-engine", "--lib", "--test", "it"]
    build += ["--no-fail-fast", "--", *TESTS[model]]
    environment = os.environ | {
        "WEFT_DIFFERENTIAL_CASES": str(cases),
        "RUSTFLAGS": "--cap-lints=allow",
        "CARGO_TERM_COLOR": "never",
        "RUST_BACKTRACE": "0",
        "CARGO_TARGET_DIR": os.environ.get("WEFT_MUTANTS_TARGET", str(folder / "target")),
    }
    process = subprocess.Popen(
        build,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return [f"(no end within {TIMEOUT_S} s)"]
    if "could not compile" in output:
        raise PlantingError(f"the tests do not compile:\n{output[-3000:]}")
    failed = [first or second for first, second in FAILED_TEST.findall(output)]
    if process.returncode != 0 and not failed:
        failed = ["(the test process died)"] if "signal:" in output else []
    if process.returncode != 0 and not failed:
        raise PlantingError(f"cargo failed:\n{output[-3000:]}")
    return sorted(set(failed))


def main() -> int:
    """Plant every mistake and print the table.

    Returns
    -------
    int
        Exit code.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=DEFAULT_CASES, help="differential cases")
    parser.add_argument("--only", nargs="+", default=[""], help="parts of the names to plant")
    parser.add_argument("--model", choices=sorted(TESTS), help="only what its tests shall notice")
    parser.add_argument("--check", action="store_true", help="only look for the places to plant")
    arguments = parser.parse_args()
    chosen = [
        mutant
        for mutant in (*MUTANTS, *CUT_THROUGH, *EARLIER_STAGES)
        if arguments.model in (None, mutant.model)
        and any(part in mutant.name for part in arguments.only)
    ]
    width = max((len(mutant.name) for mutant in chosen), default=0) + 2
    survivors = []
    with tempfile.TemporaryDirectory(prefix="weft-mutants-") as name:
        folder = Path(name)
        copy_workspace(folder)
        try:
            for mutant in chosen:
                before = plant(mutant, folder)
                (folder / place_of(mutant)).write_text(before, encoding="utf-8")
            if arguments.check:
                print(f"{len(chosen)} mistakes can be planted")
                return 0
            for model in sorted({mutant.model for mutant in chosen}):
                if failed := run_tests(folder, arguments.cases, model):
                    raise PlantingError(
                        f"without any mistake these tests fail: {', '.join(failed)}"
                    )
            print(f"{len(chosen)} mistakes, {arguments.cases} differential cases or more each\n")
            for mutant in chosen:
                before = plant(mutant, folder)
                cases = max(arguments.cases, mutant.cases)
                caught_by = run_tests(folder, cases, mutant.model)
                (folder / place_of(mutant)).write_text(before, encoding="utf-8")
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
