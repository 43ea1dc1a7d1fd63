"""Which files of a folder tell routes: found from their content, where no name tells them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from weft import _core
from weft._files import read_bytes
from weft.errors import EnvironmentFailure, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["named_file", "route_files"]

#: What is read of a file to find its kind.
_HEAD_BYTES = 1 << 16
#: Endings of ibdiagnet's files by what they tell, those that are taken first before the others.
_ENDINGS = {
    "groups": (".far", ".ar"),
    "static": (".fdbs",),
    "private_tables": (".plft",),
    "lane_switching": (".vl2vl",),
    "lane_maps": (".slvl",),
}
#: The same tables again, for LIDs of other subnets alone.
_LEFT_OUT = ".far_flid"
_PACKED = {".gz", ".xz", ".zst"}


def named_file(path: str | os.PathLike[str], expected: str) -> tuple[bytes, str]:
    """Read a file, and return its content and its name."""
    return read_bytes(path, expected), os.fspath(path)


def route_files(folder: Path) -> Mapping[str, Path]:
    """Find the files of a folder that tell routes, each by what it tells.

    A file that has an ending of ibdiagnet's and content of another kind is given as what its ending
    says, so that whoever reads it tells what is wrong. Several of a kind are an `InputError`.
    """
    found: dict[str, list[Path]] = {}
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        if _ending(path) != _LEFT_OUT and (kind := _kind(path)) is not None:
            found.setdefault(kind, []).append(path)
    return {kind: _only(kind, paths) for kind, paths in found.items()}


def _ending(path: Path) -> str:
    """Return the ending of a file's name, without that of what packed it."""
    return Path(path.stem).suffix if path.suffix in _PACKED else path.suffix


def _kind(path: Path) -> str | None:
    head = _head(path)
    kind = _core.routes_file_kind(head)
    if kind is not None:
        return kind
    lines = (line.strip() for line in head.splitlines())
    says_something = any(line and not line.startswith((b"#", b"File version:")) for line in lines)
    endings = _ENDINGS.items() if says_something else ()
    return next((kind for kind, endings in endings if _ending(path) in endings), None)


def _head(path: Path) -> bytes:
    if path.suffix in _PACKED:
        return read_bytes(path, "a file of routes")[:_HEAD_BYTES]
    try:
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES)
    except OSError as error:
        message = f"{os.fspath(path)}: cannot be read: {error.strerror}"
        raise EnvironmentFailure(message) from error


def _only(kind: str, paths: list[Path]) -> Path:
    """Return the file of a kind: of several, that with ibdiagnet's ending."""
    for ending in _ENDINGS[kind]:
        if preferred := [path for path in paths if _ending(path) == ending]:
            paths = preferred
            break
    # Static tables have names of their own, by which they are taken.
    if len(paths) > 1 and kind != "static":
        names = ", ".join(path.name for path in paths)
        message = f"{paths[0].parent}: found several files that tell the same ({names}); leave one"
        raise InputError(message)
    return paths[0]
