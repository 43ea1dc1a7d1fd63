"""Files that Weft writes for other programs, given to these programs."""

from __future__ import annotations

import getpass
import os
import re
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

import weft

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE_S = 120


@pytest.mark.parametrize(
    "fabric",
    [weft.generate("k_ary_n_tree", k=3, n=3), weft.torus(4, 4, hosts_per_switch=2)],
    ids=lambda fabric: fabric.name,
)
def test_graphviz_draws_every_node_and_link(fabric: weft.Fabric, tmp_path: Path) -> None:
    path = tmp_path / "fabric.dot"
    assert weft.write_fabric(fabric, path) == "dot"
    drawn = subprocess.run(["dot", "-Tplain", path], capture_output=True, text=True, check=True)
    assert drawn.stderr == ""
    lines = drawn.stdout.splitlines()
    labels = [line.split()[6] for line in lines if line.startswith("node ")]
    assert sorted(labels) == sorted(fabric.switch_names + fabric.host_names)
    assert sum(line.startswith("edge ") for line in lines) == fabric.link_count


def test_slurm_reads_the_hierarchy_of_a_tree(tmp_path: Path) -> None:
    fabric = weft.generate("k_ary_n_tree", k=2, n=3)
    weft.write_fabric(fabric, tmp_path / "topology.conf")
    with slurm_controller(tmp_path) as environment:
        shown = scontrol(environment, "show", "topology")
    found = re.findall(r"SwitchName=(\S+) Level=(\d) .*?Nodes=(\S+)(?: Switches=(\S+))?", shown)
    assert found == [
        ("sw0", "0", "host[0-1]", ""),
        ("sw1", "0", "host[2-3]", ""),
        ("sw2", "0", "host[4-5]", ""),
        ("sw3", "0", "host[6-7]", ""),
        ("level1-0", "1", "host[0-3]", "sw[0-1]"),
        ("level1-1", "1", "host[4-7]", "sw[2-3]"),
        ("level2", "2", "host[0-7]", "level1-[0-1]"),
    ]


@contextmanager
def slurm_controller(folder: Path) -> Iterator[dict[str, str]]:
    """Run the controller of eight nodes that are down, with the folder's ``topology.conf``."""
    state = folder / "state"
    state.mkdir()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    configuration = folder / "slurm.conf"
    configuration.write_text(
        f"""\
ClusterName=weft
SlurmctldHost={socket.gethostname()}(127.0.0.1)
SlurmctldPort={port}
AuthType=auth/none
CredType=cred/none
SlurmUser={getpass.getuser()}
StateSaveLocation={state}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
TopologyPlugin=topology/tree
MpiDefault=none
NodeName=host[0-7] NodeAddr=127.0.0.1 Port=[20000-20007] State=DOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""
    )
    program = shutil.which("slurmctld", path=f"{os.environ['PATH']}:/usr/sbin")
    assert program is not None
    controller = subprocess.Popen([program, "-D", "-f", configuration])
    try:
        yield {**os.environ, "SLURM_CONF": str(configuration)}
    finally:
        controller.terminate()
        controller.wait(timeout=PATIENCE_S)


def scontrol(environment: dict[str, str], *arguments: str) -> str:
    """Ask the controller, which may still be starting."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        answer = subprocess.run(
            ["scontrol", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
            timeout=PATIENCE_S,
        )
        if answer.returncode == 0:
            return answer.stdout
        assert time.monotonic() < deadline, answer.stderr
        time.sleep(0.2)
