"""A results file as a database: opened safely, every refusal turned into one clear error."""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.errors import EnvironmentFailure, ResultsError
from weft.results.digests import DIGEST, row_digest
from weft.results.schema import APPLICATION_ID, FORMAT_VERSION, STATEMENTS, TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Database"]

_SQLITE_MAGIC = b"SQLite format 3\x00"
_BUSY_TIMEOUT_S = 30.0
#: Files up to this size are checked whole when they are opened; of others, rows as they are read.
_CHECKED_BYTES = 64 << 20

#: What SQLite says of this program's mistakes; all that is neither these nor the machine's doing is
#: a damaged file's.
_OWN_MISTAKES = ("SQLITE_CONSTRAINT", "SQLITE_MISUSE", "SQLITE_RANGE")
_REFUSALS = {
    "SQLITE_FULL": "the disk is full; make room and call again: finished points are kept",
    "SQLITE_IOERR": (
        "the system refused to read or write (disk full, quota, size limit or a failing disk); "
        "finished points are kept"
    ),
    "SQLITE_READONLY": "the file or its folder may not be written to; check the permissions",
    "SQLITE_CANTOPEN": "the file cannot be opened; check that the folder exists and is writable",
    "SQLITE_PERM": "permission denied",
    "SQLITE_AUTH": "permission denied",
    "SQLITE_BUSY": "another process is writing to it; wait until that has finished",
    "SQLITE_LOCKED": "another process is writing to it; wait until that has finished",
    "SQLITE_NOMEM": "out of memory",
}


class Database:
    """The connection to one results file, open in autocommit mode; the path is for messages."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._is_checked = False  #: Whether the digests of all its rows hold.
        self._place = _place(path)

    @classmethod
    def open_for_reading(cls, path: str | os.PathLike[str]) -> Database:
        """Open an existing results file; nothing is written but what an earlier kill left undone.

        A ResultsError: no such file, not Weft's, damaged or of another format. An
        EnvironmentFailure: the machine does not let it be read.
        """
        path = Path(path)
        with _refusals(path):
            if not path.exists():
                message = f"{path}: no such file; expected a results file (results.sqlite)"
                raise ResultsError(message)
            writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
            return cls._opened(path, "rw" if writable else "ro")

    @classmethod
    def open_for_writing(cls, path: str | os.PathLike[str]) -> Database:
        """Open a results file, or make one, with its folders; refused as by `open_for_reading`.

        A file that could not be made leaves nothing behind.
        """
        path = Path(path)
        with _refusals(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            is_new = not path.exists()
            if not is_new and path.stat().st_size:
                return cls._opened(path, "rw")
            database = cls(path, _connect(path, "rwc"))
            try:
                database._create()
            except BaseException:
                database.close()
                if is_new:
                    path.unlink(missing_ok=True)
                raise
        return database

    @classmethod
    def _opened(cls, path: Path, mode: str) -> Database:
        """Open a file that is there; it is refused where it is not Weft's, or damaged."""
        _check_magic(path)
        database = cls(path, _connect(path, mode))
        try:
            database._check()
        except BaseException:
            database.close()
            raise
        return database

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make everything inside happen whole or not at all; one inside another is part of it."""
        if self._connection.in_transaction:
            yield
            return
        with self._refusals():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                raise

    def execute(self, statement: str, values: Sequence[Any] = ()) -> int | None:
        """Run one statement and return the number of the row it inserted."""
        with self._refusals():
            return self._connection.execute(statement, values).lastrowid

    def insert(self, table: str, values: dict[str, Any]) -> int | None:
        """Insert one row, all of it but its digest given, and return its number."""
        values = {**values, DIGEST: row_digest(values)}
        columns = ", ".join(values)
        marks = ", ".join("?" * len(values))
        # Names of tables and columns are this package's own.
        statement = f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608
        return self.execute(statement, list(values.values()))

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Return all rows of a query; those that have a digest are checked by it."""
        with self._refusals():
            found: list[sqlite3.Row] = self._connection.execute(query, values).fetchall()
            if found and not self._is_checked and DIGEST in found[0].keys():  # noqa: SIM118 - a row
                for row in found:
                    self._check_row(row, "a row")
        return found

    def next_number(self, table: str, column: str) -> int:
        """Return the first number behind those of a column, inside a transaction."""
        # Names of tables and columns are this package's own.
        return int(self.rows(f"SELECT coalesce(max({column}), 0) + 1 FROM {table}")[0][0])  # noqa: S608

    def update(self, table: str, key: dict[str, Any], values: dict[str, Any]) -> None:
        """Change the one row of a table that has a key, and its digest."""
        where = " AND ".join(f"{name} = ?" for name in key)
        (row,) = self.rows(f"SELECT * FROM {table} WHERE {where}", list(key.values()))  # noqa: S608
        changed = {**values, DIGEST: row_digest({**dict(row), **values})}
        setting = ", ".join(f"{name} = ?" for name in changed)
        # Names of tables and columns are this package's own.
        statement = f"UPDATE {table} SET {setting} WHERE {where}"  # noqa: S608
        self.execute(statement, [*changed.values(), *key.values()])

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Turn refusals into Weft's errors; what becomes of a file that went away is told too."""
        try:
            with _refusals(self.path):
                yield
        except (EnvironmentFailure, ResultsError) as error:
            if _place(self.path) == self._place:
                raise
            message = (
                f"{self.path}: removed or replaced while it was in use; what it held went with it:"
                " restore it, or call again, which begins anew"
            )
            raise EnvironmentFailure(message) from error

    def _check_row(self, row: sqlite3.Row, what: str) -> None:
        if row[DIGEST] != row_digest(dict(row)):
            raise ResultsError(_damaged(self.path, f"{what} holds other bytes than were written"))

    def _create(self) -> None:
        with self.transaction():
            for statement in STATEMENTS:
                self._connection.execute(statement)
            self._connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self._connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")

    def _told(self, pragma: str) -> Any:  # noqa: ANN401 - a number or a text
        return self._connection.execute(f"PRAGMA {pragma}").fetchone()[0]

    def _check(self) -> None:
        """Refuse a file that is not Weft's, of another format, or damaged."""
        # The first read also undoes a transaction that a kill left half-written.
        application = self._told("application_id")
        if application != APPLICATION_ID:
            message = (
                f"{self.path}: an SQLite file, but not a results file of Weft "
                f"(application id {application:#x}, expected {APPLICATION_ID:#x})"
            )
            raise ResultsError(message)
        version = self._told("user_version")
        if version > FORMAT_VERSION:
            read = f"this one reads up to {FORMAT_VERSION}"
            message = (
                f"{self.path}: written by a newer Weft (format {version}; {read}); update Weft"
            )
            raise ResultsError(message)
        if version < FORMAT_VERSION:
            message = (
                f"{self.path}: written by an older Weft (format {version}; this one reads "
                f"{FORMAT_VERSION}); open it with that one, or run the study again in another file"
            )
            raise ResultsError(message)
        pages, page_bytes = self._told("page_count"), self._told("page_size")
        found_bytes = self.path.stat().st_size
        if found_bytes < pages * page_bytes:
            message = (
                f"{self.path}: the file is cut off: found {found_bytes} bytes, expected "
                f"{pages * page_bytes}; restore it from a copy, or delete it and run again"
            )
            raise ResultsError(message)
        if found_bytes <= _CHECKED_BYTES:
            verdict = self._told("integrity_check(1)")
            if verdict != "ok":
                raise ResultsError(_damaged(self.path, verdict))
            for table in TABLES:
                for row in self._connection.execute(f"SELECT * FROM {table}"):  # noqa: S608
                    self._check_row(row, f"a row of table {table}")
            self._is_checked = True


def _place(path: Path) -> tuple[int, int] | None:
    """Return which file a path leads to, None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, timeout=_BUSY_TIMEOUT_S, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _check_magic(path: Path) -> None:
    with path.open("rb") as file:
        start = file.read(len(_SQLITE_MAGIC))
    if start != _SQLITE_MAGIC:
        found = "an empty file" if not start else f"a file that begins with {start!r}"
        message = f"{path}: not a results file: found {found}, expected an SQLite file of Weft"
        raise ResultsError(message)


def _damaged(path: Path, reason: str) -> str:
    return (
        f"{path}: the file is damaged ({reason}); restore it from a copy, or delete it and run "
        "the study again"
    )


@contextmanager
def _refusals(path: Path) -> Iterator[None]:
    """Turn what SQLite and the system say into Weft's errors."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "") or ""
        reason = str(error)
        for prefix, advice in _REFUSALS.items():
            if name.startswith(prefix):
                message = f"{path}: {reason}: {advice}"
                raise EnvironmentFailure(message) from error
        if name.startswith(_OWN_MISTAKES):
            raise
        raise ResultsError(_damaged(path, reason)) from error
    except UnicodeDecodeError as error:
        # SQLite's own messages and names come out of the file.
        raise ResultsError(_damaged(path, "a name in it is no text")) from error
    except OSError as error:
        message = f"{path}: cannot be opened: {(error.strerror or str(error)).lower()}"
        raise EnvironmentFailure(message) from error
