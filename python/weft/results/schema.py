"""The tables of a results file, and the version of their form.

Any change of what is written here, `weft.results.fields` and `weft.results.arrays` included, needs
a new `FORMAT_VERSION`: an older Weft then refuses the file instead of misreading it.

::

    study ──┬── session   one row per call that worked on the study
            └── routing ──┬── point ── point_arrays   of a study of traffic
                          └── replay                  of a study of programs

Every row ends with the digest of its values, so that a damaged one is told from what was written.
"""

from __future__ import annotations

from weft.results.arrays import ARRAY_COLUMNS
from weft.results.fields import POINT_FIELDS

__all__ = ["APPLICATION_ID", "FORMAT_VERSION", "POINT_COLUMNS", "STATEMENTS", "TABLES"]

APPLICATION_ID = 0x57656674  #: "Weft" in ASCII: tells a results file from any other SQLite file.
FORMAT_VERSION = 9  #: Version of the tables below, kept in the file's ``user_version``.

#: All tables.
TABLES = ("study", "session", "routing", "point", "point_arrays", "replay")

#: Columns of the table of points, the key first, but the digest.
POINT_COLUMNS: tuple[str, ...] = (
    "study_id",
    "routing",
    "load",
    "seed",
    "content",
    *(field.column for field in POINT_FIELDS),
    "finished_at",
    "wall_s",
)


def _figure_columns() -> str:
    """Declare the figures of a point; a real that is no number is held as NULL."""
    return "".join(
        f"    {field.column} {field.kind.upper()}{'' if field.kind == 'real' else ' NOT NULL'},\n"
        for field in POINT_FIELDS
    )


_STUDY = """
CREATE TABLE study (
    study_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    weft_version TEXT NOT NULL,
    created_at TEXT NOT NULL,
    fabric_json TEXT NOT NULL,
    identity_json TEXT NOT NULL,
    digest TEXT NOT NULL
) STRICT
"""

_SESSION = """
CREATE TABLE session (
    session_id INTEGER PRIMARY KEY,
    study_id INTEGER NOT NULL REFERENCES study,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    outcome TEXT NOT NULL,
    computed_points INTEGER NOT NULL,
    request_json TEXT NOT NULL,
    machine_json TEXT NOT NULL,
    digest TEXT NOT NULL
) STRICT
"""

_ROUTING = """
CREATE TABLE routing (
    study_id INTEGER NOT NULL REFERENCES study,
    label TEXT NOT NULL,
    position INTEGER NOT NULL,
    specification TEXT NOT NULL,
    algorithm TEXT NOT NULL,
    title TEXT NOT NULL,
    parameters_json TEXT NOT NULL,
    failure TEXT,
    deadlock_free INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    proof_text TEXT NOT NULL,
    cycle_json TEXT NOT NULL,
    load_figures_json TEXT,
    routes_per_channel BLOB,
    ladder_bound REAL,
    same_routes_as TEXT,
    digest TEXT NOT NULL,
    PRIMARY KEY (study_id, label)
) STRICT
"""

_POINT = f"""
CREATE TABLE point (
    study_id INTEGER NOT NULL,
    routing TEXT NOT NULL,
    load REAL NOT NULL,
    seed INTEGER NOT NULL,
    content TEXT NOT NULL,
{_figure_columns()}    finished_at TEXT NOT NULL,
    wall_s REAL NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (study_id, routing, load, seed),
    FOREIGN KEY (study_id, routing) REFERENCES routing (study_id, label)
) STRICT
"""

_ARRAY_BLOBS = "".join(f"    {column} BLOB NOT NULL,\n" for column in ARRAY_COLUMNS)

_POINT_ARRAYS = f"""
CREATE TABLE point_arrays (
    study_id INTEGER NOT NULL,
    routing TEXT NOT NULL,
    load REAL NOT NULL,
    seed INTEGER NOT NULL,
{_ARRAY_BLOBS}    digest TEXT NOT NULL,
    PRIMARY KEY (study_id, routing, load, seed),
    FOREIGN KEY (study_id, routing, load, seed) REFERENCES point
) STRICT
"""

_REPLAY = """
CREATE TABLE replay (
    study_id INTEGER NOT NULL,
    routing TEXT NOT NULL,
    outcome TEXT NOT NULL,
    waits TEXT NOT NULL,
    collectives TEXT NOT NULL,
    duration_ns REAL,
    sent_messages INTEGER NOT NULL,
    received_messages INTEGER NOT NULL,
    delivered_packets INTEGER NOT NULL,
    payload_bytes INTEGER NOT NULL,
    lost_packets INTEGER NOT NULL,
    mean_latency_ns REAL,
    max_latency_ns REAL,
    mean_switches REAL,
    rank_times_ns BLOB NOT NULL,
    channel_busy_ns BLOB NOT NULL,
    finished_at TEXT NOT NULL,
    wall_s REAL NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (study_id, routing),
    FOREIGN KEY (study_id, routing) REFERENCES routing (study_id, label)
) STRICT
"""

#: Points of equal content are computed once, whatever study of the file they belong to.
_POINT_BY_CONTENT = "CREATE INDEX point_by_content ON point (content)"

#: What makes an empty database a results file.
STATEMENTS: tuple[str, ...] = (
    _STUDY,
    _SESSION,
    _ROUTING,
    _POINT,
    _POINT_ARRAYS,
    _POINT_BY_CONTENT,
    _REPLAY,
)
