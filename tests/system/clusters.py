"""A Dask scheduler with its workers, and a Slurm cluster of one node, for as long as a test needs.

Both live in a scratch folder with ports and keys of their own, so that they meet no other.
"""

from __future__ import annotations

import getpass
import os
import platform
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

#: Daemons lie where not every user's PATH leads.
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
START_TIMEOUT_S = 240
STOP_TIMEOUT_S = 20

SLURM_CONF = """\
ClusterName=weft
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort={controller_port}
SlurmdPort={node_port}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName={host} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(holds: Callable[[], object], what: str, timeout_s: float = START_TIMEOUT_S) -> None:
    """Wait for something, and fail with its name when it does not come."""
    end = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < end, f"{what} did not come within {timeout_s:.0f} s"
        time.sleep(0.1)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process and whatever it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def started(folder: Path, name: str, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program in a group of its own; its output goes to a log file."""
    with (folder / f"{name}.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            cwd=folder,
            env={**os.environ, "PATH": PATH},
            start_new_session=True,
        )
    try:
        yield process
    finally:
        stop(process)


@contextmanager
def dask_cluster(folder: Path, workers: int = 2) -> Iterator[str]:
    """Run a scheduler and workers of one thread; their nannies start a killed worker again."""
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    script = [sys.executable, "-m"]
    plain = ["--no-dashboard", "--host", "127.0.0.1"]
    scheduler = [*script, "distributed.cli.dask_scheduler", *plain, "--port", str(port)]
    with ExitStack() as stack:
        stack.enter_context(started(folder, "scheduler", *scheduler))
        for number in range(workers):
            command = [*script, "distributed.cli.dask_worker", address, *plain]
            command += ["--nthreads", "1", "--local-directory", str(folder / f"worker{number}")]
            stack.enter_context(started(folder, f"worker{number}", *command))

        def is_up() -> bool:
            logs = [folder / f"worker{number}.log" for number in range(workers)]
            return all("Registered to" in log.read_text() for log in logs)

        wait_until(is_up, "the Dask workers")
        yield address


@contextmanager
def slurm_cluster(folder: Path) -> Iterator[dict[str, str]]:
    """Run a Slurm cluster of this one node; gives the environment in which its programs find it."""
    host = platform.node().partition(".")[0]
    for name in ("state", "spool"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o400)
    conf = folder / "slurm.conf"
    conf.write_text(
        SLURM_CONF.format(
            host=host,
            user=getpass.getuser(),
            folder=folder,
            controller_port=free_port(),
            node_port=free_port(),
            processors=len(os.sched_getaffinity(0)),
        )
    )
    environment = {"SLURM_CONF": str(conf), "PATH": PATH}
    munged = [f"--{name}-file={folder}/munge.{name}" for name in ("pid", "log", "seed", "key")]
    daemons = {
        "munged": ["--foreground", "--force", f"--socket={folder}/munge.socket", *munged],
        "slurmctld": ["-D", "-f", str(conf)],
        "slurmd": ["-D", "-f", str(conf), "-N", host],
    }
    with ExitStack() as stack:

        def run(name: str) -> None:
            program = shutil.which(name, path=PATH)
            assert program is not None, f"{name} is missing; tests/system/install.sh installs it"
            stack.enter_context(started(folder, name, program, *daemons[name]))

        run("munged")
        wait_until((folder / "munge.socket").exists, "the socket of munged")
        run("slurmctld")
        run("slurmd")

        def is_idle() -> bool:
            done = subprocess.run(
                ["sinfo", "--noheader", "--format=%t"],
                env={**os.environ, **environment},
                capture_output=True,
                text=True,
                check=False,
            )
            return done.stdout.strip() == "idle"

        wait_until(is_idle, "the idle node")
        yield environment
