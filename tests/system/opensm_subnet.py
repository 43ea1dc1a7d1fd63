"""A subnet that is simulated by ibsim and managed by the real OpenSM, for tests.

Nothing of it needs InfiniBand hardware or a kernel module; what programs send to the subnet goes
through a library that talks to the simulator.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE_S = 240.0
#: The simulator's own limits, which are low.
LIMITS = ["-N", "4096", "-S", "512", "-P", "40000"]
#: What OpenSM tells when it has set every switch.
IS_UP = "SUBNET UP"

ENTRY = re.compile(
    r"^0x([0-9a-f]+) (\d+) [:#] \(?(\w+)[^\n]*? portguid 0x([0-9a-f]+)", re.MULTILINE
)
#: The last LID of a switch in the heading of ``dump_fts``.
LAST_LID = re.compile(r"^Unicast lids \[0x[0-9a-f]+-0x([0-9a-f]+)\]", re.MULTILINE)
#: LIDs that a switch tells at a time.
BLOCK_LIDS = 64
SWITCH = re.compile(r"^Unicast lids .*? guid 0x([0-9a-f]+)", re.MULTILINE)
PATH_LEVEL = re.compile(r"^\s*sl\.*0x([0-9a-f]+)", re.MULTILINE)
LANES = re.compile(r"^ports: in\s+(\d+), out\s+(\d+): \|(.*)\|$", re.MULTILINE)

#: LID entries of a switch: (GUID of the port, which of its LIDs) to the output port.
Entries = dict[tuple[int, int], int]


def program(name: str) -> str:
    """Return where a program is; Debian puts some in /usr/sbin, which not every PATH has."""
    path = which(name, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin")
    assert path is not None, f"{name} is not installed; make test-system does that"
    return path


def wait_for(condition: Any, what: str) -> None:  # noqa: ANN401 - any callable without arguments
    """Wait until something holds."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def tables_of(text: str, lids_per_host: int) -> dict[int, Entries]:
    """Read tables by a reader of its own: per switch's GUID its entries.

    Parameters
    ----------
    text : str
        What ``dump_fts`` prints, or a file that OpenSM loads.
    lids_per_host : int
        LIDs of a port that has several.

    Returns
    -------
    dict of int to dict
    """
    tables: dict[int, Entries] = {}
    for block in re.split(r"(?m)^(?=Unicast lids )", text):
        found = SWITCH.match(block)
        if found is None:
            continue
        entries = tables.setdefault(int(found[1], 16), {})
        for lid, port, kind, guid in ENTRY.findall(block):
            alias = 0 if kind == "Switch" else int(lid, 16) % lids_per_host
            entries[int(guid, 16), alias] = int(port)
    return tables


def host_ports(found: Path) -> dict[str, int]:
    """Return the GUID of each host's port by its name, from what ibnetdiscover prints."""
    pattern = r'(?ms)^Ca\s.*?# "(.*?)"$\s*\[1\]\((\w+)\)'
    return {name: int(guid, 16) for name, guid in re.findall(pattern, found.read_text())}


def neighbours(found: Path) -> dict[tuple[int, int], int]:
    """Return what is plugged into each port of each switch, by GUIDs, a host by its port's."""
    ends: dict[tuple[int, int], int] = {}
    switch = None
    for line in found.read_text().splitlines():
        if heading := re.match(r'Switch\s+\d+ "S-([0-9a-f]+)"', line):
            switch = int(heading[1], 16)
        elif line.startswith("Ca"):
            switch = None
        elif switch is not None and (
            cable := re.match(r'\[(\d+)\]\s+"([SH])-([0-9a-f]+)"\[\d+\](?:\((\w+)\))?', line)
        ):
            end = cable[3] if cable[2] == "S" else cable[4]
            ends[switch, int(cable[1])] = int(end, 16)
    return ends


def trace(
    tables: dict[int, Entries], ends: dict[tuple[int, int], int], start: int, goal: tuple[int, int]
) -> list[int]:
    """Follow the entries from a switch until a host, and return the GUIDs that are met."""
    met = [start]
    while met[-1] in tables and len(met) < 64:
        met.append(ends[met[-1], tables[met[-1]][goal]])
    return met


def switch_names(found: Path) -> dict[int, str]:
    """Return the name of each switch by its GUID."""
    pattern = r'(?m)^Switch\s+\d+ "S-([0-9a-f]+)"\s+# "(.*?)"'
    return {int(guid, 16): name for guid, name in re.findall(pattern, found.read_text())}


@dataclass
class Subnet:
    """A running simulator, and a subnet manager while there is one."""

    folder: Path
    environment: dict[str, str]
    simulator: subprocess.Popen[str]
    manager: subprocess.Popen[bytes] | None = None

    def command(self, text: str) -> None:
        """Give the simulator a command."""
        assert self.simulator.stdin is not None
        self.simulator.stdin.write(text + "\n")
        self.simulator.stdin.flush()

    def run(self, *command: str) -> str:
        """Run a program of the subnet and return what it prints."""
        ended = subprocess.run(
            [program(command[0]), *command[1:]],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        assert ended.returncode == 0, f"{command}: {ended.stdout}{ended.stderr}"
        return ended.stdout

    def discover(self, name: str) -> Path:
        """Discover the subnet, as the user does."""
        path = self.folder / name
        path.write_text(self.run("ibnetdiscover"))
        return path

    def times_up(self) -> int:
        """Count how often the subnet manager was done."""
        log = self.folder / "opensm.log"
        return log.read_text(errors="replace").count(IS_UP) if log.exists() else 0

    def start_manager(self, lines: str) -> None:
        """Start OpenSM with options, and wait until the subnet is up."""
        before = self.times_up()
        options = self.write_options(lines)
        command = [program("opensm"), "-F", str(options), "-f", str(self.folder / "opensm.log")]
        # With 0x40 it dumps the tables it has made.
        command += ["-D", "0x43", "--dump_files_dir", str(self.folder)]
        with (self.folder / "opensm.out").open("w") as talk:
            self.manager = subprocess.Popen(
                command,
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=talk,
                stderr=talk,
            )
        self.wait_until_up(before)

    def write_options(self, lines: str) -> Path:
        """Write OpenSM's options."""
        options = self.folder / "opensm.conf"
        # Without the first line, the one that is waited for may stay in a buffer.
        options.write_text(f"force_log_flush TRUE\nsweep_interval 0\n{lines}")
        return options

    def sweep_again(self, lines: str) -> None:
        """Let OpenSM read its options, look at the whole subnet and load its tables again."""
        assert self.manager is not None
        before = self.times_up()
        self.write_options(lines)
        self.manager.send_signal(signal.SIGHUP)
        self.wait_until_up(before)

    def wait_until_up(self, before: int) -> None:
        """Wait until OpenSM is done once more."""
        manager = self.manager
        assert manager is not None

        def is_up() -> bool:
            assert manager.poll() is None, (self.folder / "opensm.log").read_text()[-2000:]
            return self.times_up() > before

        wait_for(is_up, f"OpenSM is not done: {self.folder / 'opensm.log'}")

    def stop_manager(self) -> None:
        """Stop OpenSM."""
        if self.manager is not None:
            stop(self.manager)
            self.manager = None

    def tables(self, lids_per_host: int = 1) -> dict[int, Entries]:
        """Ask every simulated switch for its table.

        ``dump_fts`` leaves out a last LID that is a multiple of 64, though it names it in its
        headings: what OpenSM dumps of that LID, it has set.
        """
        printed = self.run("dump_fts")
        tables = tables_of(printed, lids_per_host)
        (last,) = set(LAST_LID.findall(printed))
        if int(last, 16) % BLOCK_LIDS == 0:
            of_last: dict[int, Entries] = {}

            def is_whole() -> bool:
                # OpenSM may be writing it now.
                of_last.clear()
                of_last.update(self._dumped_entries(int(last, 16), lids_per_host))
                return of_last.keys() == tables.keys()

            wait_for(is_whole, "OpenSM dumps other switches")
            for switch, entries in of_last.items():
                assert not entries.keys() & tables[switch].keys()
                tables[switch] |= entries
        return tables

    def _dumped_entries(self, lid: int, lids_per_host: int) -> dict[int, Entries]:
        """Return the entries of one LID that OpenSM has dumped."""
        dumped = (self.folder / "opensm-lfts.dump").read_text()
        kept = re.compile(rf"(?m)^(?:Unicast lids .*|0x{lid:04x} .*)$")
        return tables_of("\n".join(kept.findall(dumped)), lids_per_host)

    def tables_once(self, expected: dict[int, Entries], lids_per_host: int) -> dict[int, Entries]:
        """Ask the switches until their tables are the expected ones, or patience ends.

        A cut cable makes OpenSM sweep by itself too, before it has read new options, and it says
        the same of either sweep.
        """
        deadline = time.monotonic() + PATIENCE_S
        while (loaded := self.tables(lids_per_host)) != expected and time.monotonic() < deadline:
            time.sleep(0.2)
        return loaded

    def service_level(self, source_lid: int, destination_lid: int) -> int:
        """Ask the subnet manager for the service level of a path, as applications do."""
        printed = self.run("saquery", "-p", "--src-to-dst", f"{source_lid}:{destination_lid}")
        found = PATH_LEVEL.findall(printed)
        assert len(found) == 1, printed
        return int(found[0], 16)

    def lanes(self, switch_lid: int, port: int = 0) -> dict[tuple[int, int], list[int]]:
        """Ask a switch for the lane of every service level, from each port to one port."""
        printed = self.run("smpquery", "sl2vl", str(switch_lid), str(port))
        return {
            (int(start), int(end)): [int(lane) for lane in lanes.split("|")]
            for start, end, lanes in LANES.findall(printed)
        }


def stop(process: subprocess.Popen[Any]) -> None:
    """End a process, kindly first."""
    process.terminate()
    try:
        process.wait(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def simulated(net: str, folder: Path) -> Iterator[Subnet]:
    """Run ibsim on a fabric file of ibnetdiscover's format.

    Parameters
    ----------
    net : str
        The fabric.
    folder : Path
        Where the programs leave their files.

    Yields
    ------
    Subnet
    """
    library = next(Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"), None)
    assert library is not None, "libumad2sim0 is not installed; make test-system does that"
    start = re.search(r'"(H-[0-9a-f]{16})"', net)
    assert start is not None
    (folder / "fabric.net").write_text(net)
    environment = os.environ | {
        "IBSIM_SOCKNAME": f"weft-{os.getpid()}-{folder.name}",
        "SIM_HOST": start[1],
        "OSM_CACHE_DIR": str(folder),
        "OSM_TMP_DIR": str(folder),
    }
    with (folder / "simulator.err").open("w") as talk:
        simulator = subprocess.Popen(
            [program("ibsim"), "-s", *LIMITS, "-f", "simulator.out", "fabric.net"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=talk,
            stderr=talk,
            text=True,
        )
    subnet = Subnet(folder, environment | {"LD_PRELOAD": str(library)}, simulator)
    output = folder / "simulator.out"

    def is_ready() -> bool:
        assert simulator.poll() is None, (folder / "simulator.err").read_text()[-2000:]
        return output.exists() and "simulator ready" in output.read_text()

    try:
        wait_for(is_ready, "ibsim did not start")
        yield subnet
    finally:
        subnet.stop_manager()
        stop(simulator)
        assert simulator.stdin is not None
        with suppress(BrokenPipeError):
            simulator.stdin.close()
