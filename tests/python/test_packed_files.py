"""Packed files are read wherever a file is, and what would fill the machine's memory is refused."""

from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING

import pytest
from command import Ended, done, refused, weft
from packed import PACKERS, peak_memory

import weft as library

if TYPE_CHECKING:
    from pathlib import Path

MIB = 1 << 20

#: What the interpreter and the package take without any file.
WITHOUT_FILE = 96 * MIB


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder with a file of every kind that commands read."""
    fabric = library.irregular(8, seed=1)
    library.write_fabric(fabric, tmp_path / "fabric.json")
    routing = library.route(fabric, "updown")
    library.write_routes(routing, tmp_path / "routes.json")
    certificate = library.prove(fabric, routing).certificate
    assert certificate is not None
    library.write_certificate(fabric, routing, certificate, tmp_path / "order.json")
    (tmp_path / "hardware.toml").write_text('preset = "myrinet"\nrouting_delay_ns = 100\n')
    (tmp_path / "study.toml").write_text(
        'routings = ["updown"]\nloads = [0.05]\nmax_packets = 2000\n'
        '[[fabrics]]\nfile = "fabric.json"\n'
    )
    (tmp_path / "run.ti").write_text("0 init\n1 init\n0 send 1 7 100\n1 recv 0 7 100\n"
                                     "0 finalize\n1 finalize\n")  # fmt: skip
    (tmp_path / "run.goal").write_text(
        "num_ranks 2\nrank 0 {\na: send 8b to 1\n}\nrank 1 {\na: recv 8b from 0\n}\n"
    )
    (tmp_path / "events.toml").write_text('[[event]]\nat = "20us"\nfails = "sw0:1"\n')
    (tmp_path / "jobs.toml").write_text('[[jobs]]\nname = "a"\ncollective = "barrier"\nranks = 4\n')
    (tmp_path / "lengths.csv").write_text("0,1,100\n1,2,50\n")
    (tmp_path / "service.txt").write_text(fabric.host_names[3])
    (tmp_path / "hosts.txt").write_text("\n".join(fabric.host_names[:4]))
    return tmp_path


#: A file, and the command that reads it.
CALLS = [
    ("fabric.json", ("fabric", "show", "fabric.json", "--json")),
    ("routes.json", ("prove", "fabric.json", "routes.json")),
    ("order.json", ("prove", "fabric.json", "routes.json", "--check", "order.json")),
    ("hardware.toml", ("hardware", "--hardware", "hardware.toml")),
    ("study.toml", ("study", "plan", "study.toml")),
    ("run.ti", ("replay", "run.ti", "--fabric", "fabric.json", "--routing", "updown")),
    ("run.goal", ("replay", "run.goal", "--fabric", "fabric.json", "--routing", "updown")),
    (
        "events.toml",
        (
            "rehearse",
            "fabric.json",
            "updown",
            "--load",
            "5%",
            "--until",
            "100us",
            "--events",
            "events.toml",
        ),
    ),
    ("jobs.toml", ("jobs", "fabric.json", "jobs.toml", "--routing", "updown")),
    (
        "lengths.csv",
        (
            "collective",
            "alltoallv",
            "--matrix",
            "lengths.csv",
            "--ranks",
            "3",
            "--fabric",
            "fabric.json",
            "--routing",
            "updown",
        ),
    ),
    ("service.txt", ("route", "fabric.json", "updown", "--service", "service.txt")),
    ("hosts.txt", ("audit", "fabric.json", "--hosts", "hosts.txt", "--count", "3")),
]


def call(folder: Path, arguments: tuple[str, ...]) -> Ended:
    there = {path.name for path in folder.iterdir()}
    return weft(*(folder / word if word in there else word for word in arguments))


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=[name for name, _ in CALLS])
def test_every_kind_of_file_is_read_packed(
    files: Path, name: str, arguments: tuple[str, ...], packer: str
) -> None:
    plain = call(files, arguments)
    assert plain.code < 2, plain.stderr
    path = files / name
    path.write_bytes(PACKERS[packer](path.read_bytes()))
    assert call(files, arguments) == plain


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=[name for name, _ in CALLS])
def test_a_packed_file_that_is_cut_short_is_told_as_such(
    files: Path, name: str, arguments: tuple[str, ...], packer: str
) -> None:
    path = files / name
    packed = PACKERS[packer](path.read_bytes())
    path.write_bytes(packed[: len(packed) - 2])
    ended = call(files, arguments)
    assert ended.code == 2, ended.stderr
    assert f"{name}: what {packer} packed is cut short, copy it again in full" in ended.stderr


@pytest.mark.parametrize("packer", PACKERS)
def test_what_is_packed_in_a_name_s_sense_alone_is_read_by_its_content(
    net: Path, tmp_path: Path, packer: str
) -> None:
    there = done("fabric", "show", net).stdout.splitlines()[1:]
    for name in ("net.json.gz", "net.xz", "net"):
        (tmp_path / name).write_bytes(PACKERS[packer](net.read_bytes()))
        assert done("fabric", "show", tmp_path / name).stdout.splitlines()[1:] == there


def test_packed_bytes_in_packed_bytes_are_refused(net: Path, tmp_path: Path) -> None:
    path = tmp_path / "net.json.gz.xz"
    path.write_bytes(PACKERS["xz"](PACKERS["gzip"](net.read_bytes())))
    refused("what xz packed is packed again, by gzip; unpack it first (unxz)",
            "fabric", "show", path)  # fmt: skip


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("line", [b"\0", b"0 compute 1\n"], ids=["zeros", "lines"])
@pytest.mark.parametrize("command", ["replay", "fabric"])
def test_what_grows_without_measure_is_refused_before_it_fills_the_memory(
    net: Path, tmp_path: Path, packer: str, line: bytes, command: str
) -> None:
    content = line * (64 * MIB // len(line))
    if packer == "zstd" and len(line) > 1:
        content = content[: MIB // 4] + b" " * (64 * MIB)
    path = tmp_path / "bomb"
    path.write_bytes(PACKERS[packer](content))
    assert path.stat().st_size < MIB // 3
    words = ("replay", path, "--fabric", net, "--routing", "updown")
    ended, peak = peak_memory(
        *(words if command == "replay" else ("fabric", "show", path)), folder=tmp_path
    )
    assert ended.code == 2, ended.stderr
    assert ended.stderr.startswith(f"error: {path}")
    assert "grows to more than 32 MiB" in ended.stderr or "no end within" in ended.stderr
    # What was unpacked, and what zstd looks back to.
    assert peak < WITHOUT_FILE + 4 * 32 * MIB


@pytest.mark.parametrize("words", [
    ("fabric", "show", "/dev/zero"),
    ("prove", "NET", "/dev/zero"),
    ("study", "plan", "/dev/zero"),
    ("replay", "/dev/zero", "--fabric", "NET", "--routing", "updown"),
    ("report", "/dev/zero"),
], ids=" ".join)  # fmt: skip
def test_a_device_without_end_is_one_clear_error(
    net: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    call = [net if word == "NET" else word for word in words]
    ended, peak = peak_memory(*call, folder=tmp_path)
    assert ended.code == 2, ended.stderr
    assert "error: /dev/zero" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert peak < WITHOUT_FILE + 2 * 256 * MIB


def test_a_pipe_is_read_to_its_end_and_written_to(net: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(net.read_bytes()))
    writer.start()
    assert (
        done("fabric", "show", pipe).stdout.splitlines()[1:]
        == (done("fabric", "show", net).stdout.splitlines()[1:])
    )
    writer.join()
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    done("prove", net, "updown", "--certificate", pipe)
    reader.join()
    assert json.loads(read[0])["routing"] == "updown"
    assert pipe.is_fifo()
