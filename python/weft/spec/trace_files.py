"""The files of a recorded application: what stands for them, and how they reach other machines."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from weft import _core
from weft._files import read_as_it_stands, whole_file, write_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["trace_contents", "trace_digest", "written_trace", "written_trace_in"]

#: What a trace and the files it lists are called where they are written again.
_HEAD = "trace"
_LINE_BYTES = 4096  #: A name stands within so many bytes.
_LIST_BYTES = 4 << 20  #: A list that is packed is no longer.


def trace_digest(trace: Path) -> str:
    """Return what stands for the content of a trace, and of the files that a list names."""
    digest = hashlib.sha256()
    for content in trace_contents(trace):
        digest.update(content)
    return digest.hexdigest()[:32]


def trace_contents(trace: Path) -> list[bytes]:
    """Return the content of a trace, then of the files that it lists, if it is a list.

    What is packed stays packed.
    """
    content = read_as_it_stands(trace, "a trace (time-independent or GOAL)")
    parts = [trace.parent / name for name in _listed(content, trace)]
    return [content, *(read_as_it_stands(part, "a file of the trace") for part in parts)]


def written_trace(contents: Sequence[bytes], folder: Path) -> Path:
    """Write the `trace_contents` again in a folder of their own, what is there already kept."""
    head, *parts = contents
    trace = written_trace_in(folder)
    if trace.exists():
        return trace
    names = [f"{_HEAD}.{number}" for number in range(len(parts))]
    for name, content in zip(names, parts, strict=True):
        _write(folder / name, content)
    # Last, for where it is, all of the trace is.
    if parts:
        write_text(trace, "\n".join(names))
    else:
        _write(trace, head)
    return trace


def written_trace_in(folder: Path) -> Path:
    """Return where `written_trace` writes a trace."""
    return folder / _HEAD


def _write(path: Path, content: bytes) -> None:
    with whole_file(path) as partial:
        partial.write_bytes(content)


def _listed(content: bytes, trace: Path) -> list[str]:
    """Return the names of the files that a trace lists, none where it is no list."""
    if len(content) <= _LIST_BYTES:
        content = _core.unpack(content, str(trace)) or content
    return _names(content) if _is_list(content, trace.parent) else []


def _is_list(content: bytes, folder: Path) -> bool:
    """Return whether a trace is a list: its first line is the name of a file beside it."""
    words = next(iter(_names(content[:_LINE_BYTES])), "").split()
    if len(words) != 1 or words[0].isdigit():
        return False
    try:
        return (folder / words[0]).is_file()
    except OSError:
        # No name that a file can have.
        return False


def _names(content: bytes) -> list[str]:
    lines = content.decode(errors="replace").splitlines()
    return [line.strip() for line in lines if line.strip()]
