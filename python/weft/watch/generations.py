"""What was applied last, on disk: the fabric, its tables, and what OpenSM loads of them, as one.

::

    FOLDER/
    ├── current -> generation-000012     what OpenSM is to load; changed at one stroke
    ├── planned -> generation-000013     the same of a watch that only says what it would do
    └── generation-000012/
        ├── weft.lfts, opensm.conf, …    what OpenSM loads
        ├── fabric.json, tables.json     what is routed, and how
        ├── plan-fabric.json, …          what the tables were repaired from
        └── record.json                  what this is, with the digest of every file

The tables are by far the largest file. Of those that are not in force any more the file is kept, as
``spare.lfts``, and becomes that of the next ones by as few changes as these are.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from weft import _core
from weft._machine import weft_version
from weft.errors import EnvironmentFailure, FormatError, WeftError
from weft.watch.decision import Standing, plan_of, prepared
from weft.watch.durable import (
    flush_folder,
    point_to,
    told_as_environment,
    write_pieces,
    write_whole,
)
from weft.watch.lane_tables import LANES_OF_PLUGIN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from weft._core import LoadedTables
    from weft.fabric import Fabric

__all__ = ["TABLES_OF_OPENSM", "Generation", "Generations"]

TABLES_OF_OPENSM = "weft.lfts"
_RECORD = "record.json"
_FABRIC, _TABLES = "fabric.json", "tables.json"
_PLAN_FABRIC, _PLAN_TABLES = "plan-fabric.json", "plan-tables.json"
_SPARE = "spare.lfts"
_AT_ONCE = 16  #: Switches whose lines are made one after the other before any are written
_FORM = 3
_NAME = re.compile(r"generation-(\d{6,})")


@dataclass(frozen=True, slots=True)
class Generation:
    """Tables as they were given to OpenSM."""

    number: int  #: Counts up
    standing: Standing  #: What was routed, and how
    #: Whether OpenSM was given what is between two tables: entries that were to change are cleared,
    #: or set already, while others are not
    is_between: bool
    #: Packets that meet what differs from the tables before meet at most so many switches
    most_switches: int
    tables: LoadedTables  #: The tables that OpenSM loads
    opensm: dict[str, bytes]  #: What else it loads, by the names of the files


@dataclass(frozen=True, slots=True)
class _Written:
    """A generation on disk, whose files that do not change need not be written again."""

    folder: Path
    standing: Standing
    digests: dict[str, str]
    tables: LoadedTables


class Generations:
    """The generations in a folder, of which one is in force."""

    def __init__(self, folder: Path, name: Literal["current", "planned"]) -> None:
        self.folder = folder
        self.link = folder / name
        self._last: _Written | None = None
        #: What the spare file holds
        self._spare: LoadedTables | None = None

    def read(self) -> Generation | None:
        """Return the generation in force; None where there is none.

        Raises
        ------
        FormatError
            When it is damaged: a file of it is missing, or is not what was written.
        """
        if not self.link.is_symlink():
            return None
        return self._read(self.link.resolve())

    def _read(self, folder: Path) -> Generation:
        def refused(found: str) -> FormatError:
            return FormatError(f"{folder}: {found}; expected a generation as weft watch writes it")

        def content(name: str) -> bytes:
            try:
                return (folder / name).read_bytes()
            except OSError as error:
                message = f"{name}: {(error.strerror or str(error)).lower()}"
                raise refused(message) from error

        try:
            record = json.loads(content(_RECORD))
            digests, form = dict(record["files"]), record["form"]
            number, specification = int(record["number"]), str(record["specification"])
            is_between = bool(record["is_between"])
            most_switches = int(record["most_switches"])
        except (ValueError, KeyError, TypeError) as error:
            message = f"{_RECORD} is damaged ({type(error).__name__})"
            raise refused(message) from error
        if form != _FORM:
            message = f"form {form} of another release"
            raise refused(message)
        files = {name: content(name) for name in digests}
        text = files.pop(TABLES_OF_OPENSM, b"")
        tables = _core.LoadedTables.read(text)
        found = {name: _digest(read) for name, read in files.items()}
        if tables is not None:
            found[TABLES_OF_OPENSM] = _digest_of_tables(tables)
        for name, digest in digests.items():
            if found.get(name) != digest:
                message = f"{name} is not what was written"
                raise refused(message)
        if tables is None:
            message = f"no {TABLES_OF_OPENSM}"
            raise refused(message)
        try:
            fabric = _fabric(files.pop(_FABRIC), _FABRIC)
            plan_fabric = _fabric(files.pop(_PLAN_FABRIC), _PLAN_FABRIC)
            routing, _ = _core.read_routes(fabric, files.pop(_TABLES), _TABLES)
            of_plan, _ = _core.read_routes(plan_fabric, files.pop(_PLAN_TABLES), _PLAN_TABLES)
            plan = plan_of(plan_fabric, of_plan, specification)
            standing = Standing(fabric, routing, plan, prepared(fabric, routing))
        except (KeyError, WeftError) as error:
            message = f"what cannot be read: {error}"
            raise refused(message) from error
        self._last = _Written(folder, standing, digests, tables)
        return Generation(number, standing, is_between, most_switches, tables, files)

    def write(
        self,
        standing: Standing,
        tables: LoadedTables,
        opensm: Mapping[str, bytes],
        *,
        is_between: bool = False,
        most_switches: int = 0,
        is_spare_read: bool = True,
    ) -> Generation:
        """Write a generation, and put it in force at one stroke.

        Parameters
        ----------
        standing : Standing
            What is routed, and how.
        tables : LoadedTables
            The tables that OpenSM shall load.
        opensm : mapping of str to bytes
            What else it shall load, by the names of the files.
        is_between : bool
            Whether these are given between what is routed and the next tables.
        most_switches : int
            Packets that meet what differs from the tables before meet at most so many switches.
        is_spare_read : bool
            Whether OpenSM may still read the tables that were in force before those that are; then
            their file is not written into.

        Raises
        ------
        EnvironmentFailure
            When the machine refuses; then what was in force is still.
        """
        with told_as_environment(self.folder):
            number = 1 + max((number for number, _ in self._found()), default=0)
        folder = self.folder / f"generation-{number:06}"
        plan = standing.plan
        last = self._last
        kept: dict[str, str] = {}
        files = dict(opensm)
        if last is not None:
            tables = tables.laid_out_as(last.tables)
        if LANES_OF_PLUGIN in files:
            # The plugin loads lanes beside the tables alone that they tell of.
            files[LANES_OF_PLUGIN] = tables.lanes_beside(files[LANES_OF_PLUGIN].decode())
        if last is not None and last.standing is standing:
            kept |= {name: last.digests[name] for name in (_FABRIC, _TABLES)}
        else:
            files[_FABRIC] = _core.fabric_text(standing.fabric, "json").encode()
            files[_TABLES] = standing.routing.to_json().encode()
        if last is not None and last.standing.plan is plan:
            kept |= {name: last.digests[name] for name in (_PLAN_FABRIC, _PLAN_TABLES)}
        else:
            files[_PLAN_FABRIC] = _core.fabric_text(plan.fabric, "json").encode()
            files[_PLAN_TABLES] = plan.routing.to_json().encode()
        digests = {name: _digest(content) for name, content in files.items()} | kept
        digests[TABLES_OF_OPENSM] = _digest_of_tables(tables)
        record: dict[str, Any] = {
            "form": _FORM,
            "weft": weft_version(),
            "number": number,
            "specification": plan.specification,
            "is_between": is_between,
            "most_switches": most_switches,
            "files": digests,
        }
        files[_RECORD] = (json.dumps(record, indent=1) + "\n").encode()
        with told_as_environment(folder):
            os.mkdir(folder)  # noqa: PTH102 - operations are those of one module
        self._last = None
        if last is not None:
            for name in kept:
                _link(last.folder / name, folder / name)
        self._write_tables(folder / TABLES_OF_OPENSM, tables, is_spare_read=is_spare_read)
        for name, content in files.items():
            # Nobody reads them before the link leads here.
            write_pieces(folder / name, [(0, content)], len(content))
        with told_as_environment(folder):
            flush_folder(folder)
            flush_folder(self.folder)
        point_to(self.link, folder.name)
        self._last = _Written(folder, standing, digests, tables)
        if last is not None:
            with suppress(OSError):
                os.replace(last.folder / TABLES_OF_OPENSM, self.folder / _SPARE)  # noqa: PTH105
                self._spare = last.tables
        return Generation(number, standing, is_between, most_switches, tables, dict(opensm))

    def _write_tables(self, path: Path, tables: LoadedTables, *, is_spare_read: bool) -> None:
        """Write what OpenSM loads, into the spare file where there is one that nobody reads."""
        written, self._spare = self._spare, None
        spare = self.folder / _SPARE
        if written is not None and not is_spare_read:
            with told_as_environment(spare):
                os.replace(spare, path)  # noqa: PTH105
        else:
            written = None
        write_pieces(path, _pieces(tables, written), tables.text_bytes)

    def prepare(self) -> None:
        """Write a spare file where there is none, so that the next change finds one."""
        if self._spare is None and self._last is not None:
            with suppress(EnvironmentFailure):
                tables, spare = self._last.tables, self.folder / _SPARE
                write_pieces(spare, _pieces(tables, None), tables.text_bytes)
                self._spare = tables

    def clean(self) -> None:
        """Remove what is not in force, among it what a watch that was killed has left."""
        with suppress(OSError):
            if self._spare is None:
                (self.folder / _SPARE).unlink(missing_ok=True)
            links = [self.folder / name for name in ("current", "planned")]
            kept = {link.resolve() for link in links if link.is_symlink()}
            for _, folder in self._found():
                if folder.resolve() not in kept:
                    shutil.rmtree(folder, ignore_errors=True)

    def _found(self) -> list[tuple[int, Path]]:
        matches = ((_NAME.fullmatch(path.name), path) for path in self.folder.iterdir())
        return sorted((int(match[1]), path) for match, path in matches if match)


def _pieces(tables: LoadedTables, written: LoadedTables | None) -> Iterator[tuple[int, bytes]]:
    """Return what makes a file of the text of tables, of one that holds others."""
    for first in range(0, tables.switch_count, _AT_ONCE):
        end = min(first + _AT_ONCE, tables.switch_count)
        yield from tables.pieces((first, end), written)


def _link(old: Path, new: Path) -> None:
    """Let a file have a second name, or a copy where the file system has no such."""
    try:
        os.link(old, new)
    except OSError:
        with told_as_environment(new):
            content = old.read_bytes()
        write_whole(new, content)


def _fabric(content: bytes, name: str) -> Fabric:
    return _core.read_fabric(content, name, [])[0]


def _digest_of_tables(tables: LoadedTables) -> str:
    digest = hashlib.sha256()
    tables.packed_into(digest.update)
    return digest.hexdigest()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
