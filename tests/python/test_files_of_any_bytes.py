"""Damaged files of every kind, given to the command: an error in words, never a bug."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command import done, weft
from hypothesis import given
from hypothesis import strategies as st

import weft as library
from weft.study.comparison import default_folder

#: A change of a file: where, how much goes, and what comes there.
Change = tuple[float, int, bytes]

#: What is put into files, beside any bytes: what readers of lines and trees look for.
WORDS = [
    *(b"\x00", b"\x1b[31m", b"\x1b]0;t\x07", b"\xff\xfe", "…".encode(), b"\n", b"\r\n", b"\t"),
    *(b'"', b"'", b"{", b"}", b"[", b"]", b"[[", b"(", b"<", b">", b"&", b"#", b"=", b",", b":"),
    *(b"-1", b"1e999", b"nan", b"inf", b"null", b"true", b"0x", b"9" * 5000, b"a." * 50),
]
CHANGES: st.SearchStrategy[list[Change]] = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.sampled_from([0, 0, 1, 1, 3, 20, 10**9]),
        st.sampled_from(WORDS) | st.binary(max_size=4),
    ),
    min_size=1,
    max_size=4,
)
#: Longer messages are simulated, and take their time.
GROWN = tuple(b"0123456789")

TRACE = b"0 init\n1 init\n0 compute 100\n0 send 1 0 8 0\n1 recv 0 0 8 0\n0 finalize\n1 finalize\n"
GOAL = b"num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 3\n}\nrank 1 {\nl1: recv 8b from 0 tag 3\n}\n"
HARDWARE = b'preset = "myrinet"\nrouting_delay_ns = "0.2us"\nbuffer_bytes = 4096\n'
STUDY = b"""title = "a"
loads = ["10%", 0.2]
seeds = [1]
routings = ["updown"]
[[fabrics]]
topology = "irregular"
switches = 8
seed = 1
[[traffic]]
payload_bytes = "64:0.5,512:0.5"
"""

#: Of each kind of file the command that reads it.
COMMANDS: dict[str, tuple[str, ...]] = {
    "fabric.json": ("fabric", "show", "FILE"),
    "fabric.ibnetdiscover": ("fabric", "show", "FILE"),
    "fabric.graphml": ("fabric", "show", "FILE"),
    "other.json": ("fabric", "diff", "NET", "FILE"),
    "routes.json": ("prove", "NET", "FILE"),
    "groups.far": ("prove", "WIRES", "FILE"),
    "certificate.json": ("prove", "NET", "updown", "--check", "FILE"),
    "hardware.toml": ("hardware", "--hardware", "FILE"),
    "study.toml": ("study", "plan", "FILE", "--out", "OUT"),
    "a.ti": ("replay", "FILE", "--fabric", "NET", "--routing", "updown"),
    "a.goal": ("replay", "FILE", "--fabric", "NET", "--routing", "updown"),
    "hosts.txt": (
        *("replay", "TRACE", "--fabric", "NET", "--routing", "updown", "--placement", "FILE"),
    ),
    "pairs.csv": (
        *("simulate", "NET", "--routing", "updown", "--load", "1%", "--max-packets", "100"),
        *("--pattern", "permutation:file=FILE"),
    ),
    "results.sqlite": ("export", "results", "FILE", "--csv", "-o", "OUT"),
}


@pytest.fixture(scope="module")
def folder(net: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one whole file of each kind."""
    made = tmp_path_factory.mktemp("kinds")
    fabric = library.read_fabric(net).fabric
    library.write_fabric(fabric, made / "fabric.json")
    library.write_fabric(fabric, made / "fabric.ibnetdiscover")
    library.write_fabric(fabric, made / "fabric.graphml")
    shutil.copy(made / "fabric.json", made / "other.json")
    shutil.copy(net, made / "net.json")
    (made / "trace.ti").write_bytes(TRACE)
    done("route", net, "updown", "-o", made / "routes.json")
    done("prove", net, "updown", "--certificate", made / "certificate.json")
    choosing = ("ar_updn:root=min_average", "-o", made / "dump")
    done("export", "ibdiagnet", made / "fabric.ibnetdiscover", *choosing)
    shutil.copy(made / "dump/ibdiagnet2.far", made / "groups.far")
    names = fabric.host_names
    (made / "hosts.txt").write_text("".join(f"{name}\n" for name in names[:2]))
    pairs = zip(names, reversed(names), strict=True)
    (made / "pairs.csv").write_text("".join(f"{a},{b}\n" for a, b in pairs))
    for name, content in (
        ("hardware.toml", HARDWARE),
        ("study.toml", STUDY),
        ("a.ti", TRACE),
        ("a.goal", GOAL),
    ):
        (made / name).write_bytes(content)
    done("compare", net, "--routing", "updown", "--loads", "1%", "--no-report", "--out", made)
    return made


def changed(content: bytes, changes: list[Change]) -> bytes:
    """Change a file, one place after another."""
    for place, gone, come in changes:
        at = int(place * len(content))
        content = content[:at] + come + content[at + gone :]
    return content


def words(kind: str, folder: Path, file: Path) -> list[str]:
    """The command for a file."""
    places = {
        "NET": str(folder / "net.json"),
        "WIRES": str(folder / "dump/ibdiagnet2.ibnetdiscover"),
        "TRACE": str(folder / "trace.ti"),
        "OUT": str(folder / "out"),
    }
    return [places.get(word, word).replace("FILE", str(file)) for word in COMMANDS[kind]]


@pytest.mark.parametrize("kind", COMMANDS)
def test_whole_files_are_read(kind: str, folder: Path) -> None:
    done(*words(kind, folder, folder / kind))


@pytest.mark.parametrize("kind", COMMANDS)
@given(changes=CHANGES)
def test_damaged_files_are_an_error_in_words(
    kind: str, folder: Path, changes: list[Change]
) -> None:
    if kind in {"a.ti", "a.goal"}:
        changes = [(at, gone, come.translate(None, bytes(GROWN))) for at, gone, come in changes]
    file = folder / f"damaged-{kind}"
    file.write_bytes(changed((folder / kind).read_bytes(), changes))
    ended = weft(*words(kind, folder, file))
    said = ended.stdout + ended.stderr
    assert ended.code in {0, 1, 2, 3}, said
    assert "a bug in Weft" not in said
    assert "\x1b" not in said
    assert "\x07" not in said
    assert len(ended.stderr) < 6000


@pytest.mark.parametrize(
    ("name", "kept"),
    [("../../up", "up"), ("x" * 300, "x" * 120), ("\n/", "fabric"), ("é/", "é")],
)
def test_names_of_fabrics_stay_within_the_folder_and_the_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kept: str
) -> None:
    library.write_fabric(library.mesh(1, 3, hosts_per_switch=1), tmp_path / "net.json")
    document = json.loads((tmp_path / "net.json").read_text()) | {"name": name}
    (tmp_path / "net.json").write_text(json.dumps(document))
    fabric = library.read_fabric(tmp_path / "net.json").fabric
    assert default_folder(fabric) == Path("weft-results") / kept
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    done("fabric", "degrade", "../net.json", "--hosts", "host0")
    assert len(list((tmp_path / "in").iterdir())) == 1
