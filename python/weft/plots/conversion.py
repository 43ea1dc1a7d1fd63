"""Pictures of SVG in other formats, made by a process of its own.

The library that makes them may be missing, run out of memory or crash; only that process ends then.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from weft.errors import DrawingFailure

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["converted"]

_CONVERTER = Path(__file__).with_name("_converter.py")

#: Bytes of the length that stands before each picture.
_LENGTH = 8


def converted(pictures: Sequence[tuple[str, str]]) -> list[bytes]:
    """Turn pictures into others, given by the end wanted, ``.png`` or ``.pdf``, and the SVG.

    Where the library cannot do it, that is a `DrawingFailure`.
    """
    # -P keeps the folder of the converter out of where it imports from.
    command = [sys.executable, "-P", str(_CONVERTER)]
    try:
        done = subprocess.run(
            command, input=json.dumps(pictures).encode(), capture_output=True, check=False
        )
    except OSError as error:
        message = f"no process could be started to make PNG and PDF: {error.strerror}"
        raise DrawingFailure(message) from error
    found = _parted(done.stdout)
    if done.returncode or len(found) != len(pictures):
        message = f"PNG and PDF could not be made of the charts: {_reason(done)}"
        raise DrawingFailure(message)
    return found


def _parted(stream: bytes) -> list[bytes]:
    """Return the pictures that a converter wrote, each behind its length."""
    found, at = [], 0
    while at + _LENGTH <= len(stream):
        size = int.from_bytes(stream[at : at + _LENGTH], "little")
        at += _LENGTH
        found.append(stream[at : at + size])
        at += size
    return found


def _reason(done: subprocess.CompletedProcess[bytes]) -> str:
    """Say what became of a converter."""
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    if done.returncode < 0:
        number = -done.returncode
        names = {known.value: known.name for known in signal.Signals}
        return f"vl-convert was ended by {names.get(number, f'signal {number}')}"
    return lines[-1] if lines else "vl-convert gave back too little"
