"""Where discoveries come from: a command that is run, or a folder into which files are dropped."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from weft import _core
from weft.errors import EnvironmentFailure, InputError, WeftError
from weft.fabric import mark_ends, subnets

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weft.fabric import Fabric

__all__ = ["CommandSource", "Discovery", "Ends", "FolderSource", "Source", "Unusable"]

_PATIENCE_S = 600.0  #: For a discovery of thousands of switches that do not all answer.
_SHOWN_CHARACTERS = 200
#: What ibnetdiscover and others begin with: when they ran.
_COMMENT = re.compile(rb"(?m)^#.*\n")


@dataclass(frozen=True, slots=True)
class Ends:
    """Which of several networks is meant, and which of its ends are service ends."""

    service: Sequence[str] = ()  #: As :func:`weft.mark_ends` has them
    compute: Sequence[str] = ()  #: As there
    subnet: int | None = None  #: From 1; None where there is one


@dataclass(frozen=True, slots=True)
class Discovery:
    """A fabric as it was found."""

    name: str  #: The file, or the command
    time: float  #: When, s
    fabric: Fabric  #: What was found
    doubts: list[str] = field(default_factory=list)  #: Why it may be a part of what there is


@dataclass(frozen=True, slots=True)
class Unusable:
    """A discovery that failed, or cannot be read."""

    name: str  #: The file, or the command
    time: float  #: When, s
    reason: str  #: Why


class Source(Protocol):
    """What gives discoveries."""

    #: Whether the last discovery stands for what is until the next one comes.
    stands: bool

    def take(self, now: float) -> list[Discovery | Unusable]:
        """Return the discoveries since the last call, the oldest first."""
        ...


class CommandSource:
    """A command that discovers the fabric and prints it, such as ``ibnetdiscover``.

    One that fails gives nothing; one that complains on its standard error gives what is doubtful.
    """

    stands = False

    def __init__(self, command: str, ends: Ends) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            message = f"{command}: no command line: {error}; expected words as in a shell"
            raise InputError(message) from error
        if not self._words:
            message = "found an empty command; expected one such as ibnetdiscover"
            raise InputError(message)
        self._name, self._ends = command, ends
        self._last: tuple[bytes, Discovery, list[str]] | None = None

    def take(self, now: float) -> list[Discovery | Unusable]:
        """Discover the fabric once."""
        try:
            ended = subprocess.run(
                self._words,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                timeout=_PATIENCE_S,
            )
        except OSError as error:
            return [Unusable(self._name, now, f"cannot be run: {_reason(error)}")]
        except subprocess.TimeoutExpired:
            return [Unusable(self._name, now, f"did not end within {_PATIENCE_S:g} s")]
        complaint = _shown(ended.stderr)
        if ended.returncode:
            said = f": {complaint}" if complaint else ""
            return [Unusable(self._name, now, f"ended with status {ended.returncode}{said}")]
        doubts = [f"it complained: {complaint}"] if complaint else []
        content = _COMMENT.sub(b"", ended.stdout)
        if self._last is not None and self._last[0] == content:
            return [replace(self._last[1], time=now, doubts=[*doubts, *self._last[2]])]
        found = read_discovery(self._name, now, ended.stdout, self._ends, [])
        if isinstance(found, Unusable):
            return [found]
        # Nearly all discoveries say what the one before them said.
        self._last = content, found, found.doubts
        return [replace(found, doubts=[*doubts, *found.doubts])]


class FolderSource:
    """A folder into which discoveries are dropped, each a file of any format of fabrics.

    Files whose names begin with a dot or end with ``.partial`` or ``.tmp`` are still being written.
    Of those that are there at first, the newest counts; where there are none, that is no discovery.
    """

    stands = True

    def __init__(self, folder: Path, ends: Ends) -> None:
        self._folder, self._ends = folder, ends
        self._known: set[tuple[str, int, int]] | None = None

    def take(self, now: float) -> list[Discovery | Unusable]:
        """Read the files that are new or changed, by age."""
        try:
            found = sorted(self._files())
        except OSError as error:
            return [Unusable(str(self._folder), now, f"cannot be read: {_reason(error)}")]
        marks = {(name, time, size) for time, name, size in found}
        if self._known is None:
            fresh = found[-1:]
            if not fresh:
                self._known = marks
                return [Unusable(str(self._folder), now, "holds no discovery")]
        else:
            fresh = [entry for entry in found if (entry[1], entry[0], entry[2]) not in self._known]
        self._known = marks
        return [self._read(self._folder / name, now) for _, name, _ in fresh]

    def _files(self) -> Iterator[tuple[int, str, int]]:
        with os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.name.startswith(".") or entry.name.endswith((".partial", ".tmp")):
                    continue
                try:
                    status = entry.stat()
                except FileNotFoundError:
                    continue
                if entry.is_file():
                    yield status.st_mtime_ns, entry.name, status.st_size

    def _read(self, path: Path, now: float) -> Discovery | Unusable:
        try:
            content = path.read_bytes()
        except OSError as error:
            return Unusable(str(path), now, f"cannot be read: {_reason(error)}")
        return read_discovery(str(path), now, content, self._ends, [])


def read_discovery(
    name: str, now: float, content: bytes, ends: Ends, doubts: Sequence[str]
) -> Discovery | Unusable:
    """Read what a discovery printed, with what makes it doubtful."""
    try:
        unpacked = _core.unpack(content, name)
        fabric, _, notes, _ = _core.read_fabric(content if unpacked is None else unpacked, name, [])
        if ends.service or ends.compute:
            fabric = mark_ends(fabric, service=ends.service, compute=ends.compute)
        if ends.subnet is not None:
            networks = subnets(fabric)
            if ends.subnet > len(networks):
                reason = f"holds {len(networks)} networks, of which {ends.subnet} is none"
                return Unusable(name, now, reason)
            fabric = networks[ends.subnet - 1]
    except EnvironmentFailure:
        raise
    except WeftError as error:
        return Unusable(name, now, str(error).partition("\n")[0].removeprefix(f"{name}:"))
    if not fabric.host_count:
        return Unusable(name, now, "has no hosts; it may have been cut off")
    cut = [f"{text} ({reason})" for _, text, reason in notes if "may have been cut" in reason]
    return Discovery(name, now, fabric, [*doubts, *cut[:1]])


def source_of(source: str, ends: Ends) -> Source:
    """Return the source that a text names: a folder if there is one, else a command.

    Raises
    ------
    InputError
        When it is a file, or no command line.
    """
    path = Path(source)
    if source and path.is_dir():
        return FolderSource(path, ends)
    if path.is_file() and not os.access(path, os.X_OK):
        message = (
            f"{source}: found a file; expected a folder into which discoveries are dropped, or a"
            " command such as ibnetdiscover"
        )
        raise InputError(message)
    return CommandSource(source, ends)


def _shown(content: bytes) -> str:
    lines = content.decode(errors="replace").split("\n")
    said = next((line.strip() for line in lines if line.strip()), "")
    return said[:_SHOWN_CHARACTERS]


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
