"""Files packed for tests, by what packs, and peak memory of a command."""

from __future__ import annotations

import gzip
import lzma
from typing import TYPE_CHECKING

from command import Ended, weft_program

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_BLOCK_BYTES = 1 << 17


def zstd(content: bytes) -> bytes:
    """Pack by zstd, in frames of blocks that stand as they are or are one byte repeated.

    The standard library has no zstd; the frames are those of RFC 8878.
    """
    packed = b"\x28\xb5\x2f\xfd\xa0" + len(content).to_bytes(4, "little")
    blocks = [content[at : at + _BLOCK_BYTES] for at in range(0, len(content), _BLOCK_BYTES)]
    for number, block in enumerate(blocks or [b""]):
        is_last = number + 1 >= len(blocks)
        is_one_byte = len(block) > 1 and block == block[:1] * len(block)
        head = is_last | (2 if is_one_byte else 0) | len(block) << 3
        packed += head.to_bytes(3, "little") + (block[:1] if is_one_byte else block)
    return packed


#: What packs, by the command.
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "zstd": zstd,
}


#: Tells at the end how much memory the process had at most; what the system tells of a child has
#: what its parent had in it.
_TELL = """
import atexit, pathlib
def tell():
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    pathlib.Path("peak").write_text(next(line for line in lines if line.startswith("VmHWM")))
atexit.register(tell)
"""


def peak_memory(*arguments: object, folder: Path) -> tuple[Ended, int]:
    """Run the command in a process of its own; return its end and its peak memory in bytes."""
    ended = weft_program(*arguments, folder=folder, prelude=_TELL)
    return ended, int((folder / "peak").read_text().split()[1]) * 1024
