"""The plugin's reader of lanes, under sanitizers: files that are damaged, cut or of two exports."""

from __future__ import annotations

import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

import weft

#: A program reads thousands of files under sanitizers.
pytestmark = pytest.mark.timeout(900)

ROOT = Path(__file__).resolve().parents[2]
#: Files that are damaged as they are, and such as are sealed again, so that what they say is used.
DAMAGED, SEALED = 8_000, 2_000


@dataclass
class Reader:
    """The plugin's reader beside the tables of one export."""

    program: Path
    folder: Path

    @property
    def tables(self) -> Path:
        """The tables; the lanes lie beside them."""
        return self.folder / "weft.lfts"

    @property
    def lanes(self) -> bytes:
        """The lanes as they were exported."""
        return (self.folder / "good.lanes").read_bytes()

    def used(self, contents: list[bytes]) -> list[bool]:
        """Tell of each file of lanes whether the plugin would use it."""
        ended = subprocess.run(
            [self.program, self.tables],
            input=b"".join(b"%d\n%b" % (len(content), content) for content in contents),
            capture_output=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr.decode()[-4000:]
        assert len(ended.stdout) == len(contents)
        return [mark == ord("1") for mark in ended.stdout]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the reader with what notices every wrong access."""
    built = tmp_path_factory.mktemp("reader") / "damaged_lanes"
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    warnings = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
    headers = ["-isystem", "/usr/include/infiniband", "-I", ROOT / "opensm-plugin"]
    source = ROOT / "tests/system/damaged_lanes.c"
    subprocess.run(
        ["cc", "-g", "-O1", *warnings, *sanitizers, *headers, "-o", built, source], check=True
    )
    return built


def exported(program: Path, folder: Path, fabric: weft.Fabric) -> Reader:
    """Export dimension order, whose switches change lanes by ports."""
    wired = folder / "wired.ibnetdiscover"
    weft.write_fabric(fabric, wired)
    found = weft.read_fabric(wired).fabric
    made = weft.export_opensm(found, weft.route(found, "dimension_order"), folder)
    assert made.engine == "weft"
    (folder / "weft.lfts.lanes").rename(folder / "good.lanes")
    return Reader(program, folder)


@pytest.fixture
def torus(program: Path, tmp_path: Path) -> Reader:
    """Return the reader beside the tables of a 5×5 torus."""
    return exported(program, tmp_path, weft.torus(5, 5))


def fnv_1a(content: bytes) -> int:
    """Return the hash that seals files of lanes, made on its own."""
    found = 0xCBF29CE484222325
    for byte in content:
        found = (found ^ byte) * 0x100000001B3 % 2**64
    return found


def sealed(content: bytes) -> bytes:
    """Put the right last line below what is above the last line."""
    above = content[: content.rindex(b"end ")] if b"end " in content else content
    return above + b"end %d 0x%016x\n" % (above.count(b"\n"), fnv_1a(above))


def damaged(content: bytes, draw: random.Random) -> bytes:
    """Do to a file what disks, copies and hands do, another than it was."""
    lines = content.splitlines(keepends=True)
    place, other = draw.randrange(len(content)), draw.randrange(len(lines))
    byte = bytes([draw.choice(b"\0\n #*-019afxz\xff" + content[place : place + 1])])
    match draw.randrange(8):
        case 0:
            found = content[:place]
        case 1:
            found = b"".join(lines[:other])
        case 2:
            found = b"".join(lines[:other] + lines[other + draw.randrange(1, 4) :])
        case 3:
            found = content[:place] + byte + content[place + 1 :]
        case 4:
            found = content[:place] + byte * draw.choice([1, 2, 17, 5000]) + content[place:]
        case 5:
            found = b"".join([*lines[: other + 1], *lines[other:]])
        case 6:
            lines[other], lines[other - 1] = lines[other - 1], lines[other]
            found = b"".join(lines)
        case _:
            flipped = content[place] ^ 1 << draw.randrange(8)
            found = content[:place] + bytes([flipped]) + content[place + 1 :]
    return found if found != content else damaged(content, draw)


def test_whatever_happens_to_a_file_of_lanes_it_is_refused(torus: Reader) -> None:
    good, draw = torus.lanes, random.Random(1)
    files = [damaged(good, draw) for _ in range(DAMAGED)]
    assert torus.used([good, *files, good]) == [True, *[False] * len(files), True]


def test_a_file_cut_at_any_line_or_without_any_line_is_refused(torus: Reader) -> None:
    lines = torus.lanes.splitlines(keepends=True)
    assert len(lines) > 400
    cut = [b"".join(lines[:count]) for count in range(len(lines))]
    without = [b"".join(lines[:place] + lines[place + 1 :]) for place in range(len(lines))]
    assert not any(torus.used(cut + without))


def test_what_a_file_says_is_read_without_a_wrong_access(program: Path, tmp_path: Path) -> None:
    small = exported(program, tmp_path, weft.torus(3, 3))
    good, draw = small.lanes, random.Random(2)
    assert sealed(good) == good
    used = small.used([sealed(damaged(good, draw)) for _ in range(SEALED)])
    # Some are another file of lanes, such as one with another level.
    assert any(used)
    assert not all(used)
    for old, new in [
        (b"\nlevel 0x", b"\nlevel -"),
        (b"\nlevel 0x", b"\nlevel 0x1"),
        (b"\nlanes 0x", b"\nlanes 0x1"),
        (b"\nlanes 0x", b"\nlanes -0x"),
        (b" * * ", b" * 1 "),
        (b"\nhosts ", b"\n# "),
        (b"\ntables ", b"\n# "),
        (b"\ntables ", b"\ntables 1"),
        (b"\nhosts ", b"\nhosts 0000000000000000\nhosts "),
    ]:
        assert old in good
        assert small.used([sealed(good.replace(old, new, 1))]) == [False], (old, new)


def test_lanes_and_tables_of_two_exports_are_not_used_together(torus: Reader) -> None:
    tables = torus.tables.read_bytes()
    for other in (tables[:-1], tables + b"\n", tables.replace(b" 003 ", b" 002 ", 1), b""):
        assert other != tables
        torus.tables.write_bytes(other)
        assert torus.used([torus.lanes]) == [False]
    torus.tables.unlink()
    assert torus.used([torus.lanes]) == [False]
    torus.tables.write_bytes(tables)
    assert torus.used([torus.lanes]) == [True]
