"""OpenSM on a subnet that ibsim simulates: started, watched by the probe, and stopped."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any

from benches.opensm.engines import OPTIONS
from benches.opensm.table import Row, figures

import weft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benches.opensm.engines import Engine
    from benches.opensm.fabrics import Named

HEADERS = "/usr/include/infiniband"
PATIENCE_S = 600.0
#: The lanes of the sixteen service levels, from one port to another.
LANE_MAP = re.compile(r":((?: +\d+){16})")
IS_UP = "SUBNET UP"
FAILED = ("No routing engine able", "ERRORS DURING INIT")


def program(name: str) -> str:
    """Return where a program is, or end with how to install it."""
    path = which(name, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin")
    if path is None:
        sys.exit(f"{name} is not installed; make test-system installs it")
    return path


def build_probe(folder: Path) -> None:
    """Build the plugin that reads what OpenSM's routing phase takes."""
    source, library = Path(__file__).with_name("probe.c"), folder / "libprobe.so"
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC"]
    command = [program("cc"), *flags, "-isystem", HEADERS, "-o", str(library), str(source)]
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit("the probe was not built; make test-system installs libopensm-dev, which it needs")


@contextmanager
def simulator(folder: Path, fabric: weft.Fabric) -> Iterator[dict[str, str]]:
    """Run ibsim on a fabric, and return the environment in which programs find it."""
    net = (folder / "fabric.net").read_text()
    environment = {**os.environ, "IBSIM_SOCKNAME": f"weft-{os.getpid()}-{folder.name}"}
    nodes, switches = fabric.switch_count + fabric.host_count, fabric.switch_count
    ports = 2 * fabric.host_count + 64 * switches
    limits = {"-N": nodes + 8, "-S": switches + 8, "-P": ports, "-L": 49151}
    options = [str(part) for option in limits.items() for part in option]
    output = folder / "ibsim.out"
    command = [program("ibsim"), "-s", "-n", *options, "-f", str(output), "fabric.net"]
    library = next(Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"), None)
    if library is None:
        sys.exit("libumad2sim0 is not installed; make test-system installs it")
    with (folder / "ibsim.log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    try:
        wait_for(output, ("simulator ready",), process)
        host = re.search(r'^Ca\s+\d+\s+"([^"]+)"', net, re.MULTILINE)
        yield environment | {
            "SIM_HOST": host[1] if host else "",
            "LD_PRELOAD": str(library),
            "OSM_CACHE_DIR": str(folder),
            "OSM_TMP_DIR": str(folder),
        }
    finally:
        end(process)


def wait_for(path: Path, words: tuple[str, ...], process: subprocess.Popen[bytes]) -> str:
    """Wait until a file has one of some words, and return which; none when time or process end."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        has_ended = process.poll() is not None
        text = path.read_text(errors="replace") if path.exists() else ""
        found = next((word for word in words if word in text), None)
        if found is not None:
            return found
        if has_ended:
            break
        time.sleep(0.1)
    return ""


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process that was started here."""
    process.send_signal(signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(5)
        return
    process.kill()
    process.wait()


def options_of(folder: Path, named: Named, engine: Engine) -> list[str]:
    """Write the files that an engine is told, and return its options."""
    options = list(engine.options)
    guids = named.switch_guids((folder / "fabric.net").read_text())
    if engine.has_roots:
        roots = folder / "roots"
        roots.write_text("".join(f"0x{guids[root]:016x}\n" for root in named.roots()))
        options += ["-a", str(roots)]
    if engine.has_torus:
        torus = folder / "torus.conf"
        torus.write_text(named.torus_file(guids))
        options += ["--torus_config", str(torus)]
    return options


def run(folder: Path, probe: Path, named: Named, engine: Engine) -> bool:
    """Route a simulated subnet, leave the dumps in a folder, and tell whether OpenSM did it."""
    weft.write_fabric(named.fabric, folder / "fabric.net", "ibnetdiscover")
    log, options = folder / "opensm.log", folder / "opensm.conf"
    options.write_text(f"{OPTIONS}event_plugin_name probe\nevent_plugin_options {folder}\n")
    command = [program("opensm"), "--once", "-F", str(options), "-f", str(log), "-e", "-D", "0x43"]
    command += ["--dump_files_dir", str(folder), "-R", f"{engine.name},no_fallback"]
    command += options_of(folder, named, engine)
    with simulator(folder, named.fabric) as environment:
        talk = subprocess.DEVNULL
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment | {"LD_LIBRARY_PATH": str(probe)},
            stdin=talk,
            stdout=talk,
            stderr=talk,
        )
        try:
            found = wait_for(log, (IS_UP, *FAILED), process)
            if found == IS_UP:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(60)
        finally:
            if process.poll() is None:
                end(process)
    return found == IS_UP


def costs(text: str) -> dict[str, Any]:
    """Return what the probe tells, as a row has it."""
    cpu_s, more_kib, most_kib = (float(number) for number in text.split())
    return {"cpu_s": cpu_s, "more_mb": more_kib * 1024e-6, "most_mb": most_kib * 1024e-6}


def lanes(levels: str, lane_maps: str) -> int:
    """Return how many lanes service levels lead to, by what is told of every port."""
    rows = {tuple(row.split()) for row in LANE_MAP.findall(lane_maps)}
    return 1 + max(int(row[int(level)]) for row in rows for level in levels.split())


def routed(probe: Path, named: Named, engine: Engine) -> Row:
    """Route a fabric by OpenSM and return the row."""
    row = Row(f"OpenSM {engine.label}")
    with tempfile.TemporaryDirectory(prefix="weft-opensm-") as place:
        folder = Path(place)
        is_up = run(folder, probe, named, engine)
        told = folder / "probe.txt"
        if told.exists():
            row = replace(row, **costs(told.read_text()))
        if is_up:
            seen = weft.read_fabric(folder / "opensm-subnet.lst").fabric
            if seen.host_count != named.fabric.host_count:
                sys.exit(f"{named.name}: OpenSM sees {seen.host_count} hosts")
            routing = weft.read_routes(seen, folder).routing
            row = replace(row, **figures(seen, routing))
            levels, lane_maps = folder / "levels.txt", folder / "opensm-sl2vl.dump"
            if levels.exists() and lane_maps.exists():
                # The tables have rows for service levels that no pair has.
                row = replace(row, lanes=lanes(levels.read_text(), lane_maps.read_text()))
    return row
