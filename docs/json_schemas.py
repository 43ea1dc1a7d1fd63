"""Writes ``docs/reference/schemas``: a JSON Schema of every kind of document of ``--json``.

What documents hold is told in docs/json_forms.py, mostly by the records they are made from. After
a change of either ``.venv/bin/python docs/json_schemas.py`` writes the schemas anew; a test tells
when that was forgotten, and holds every document that tests look at to its schema.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from json_forms import FORMS
from json_types import object_of

from weft.cli.documents import DOCUMENTS

FOLDER = Path(__file__).parent / "reference" / "schemas"


def schema(kind: str) -> dict[str, Any]:
    """Return the schema of a kind of document."""
    definitions: dict[str, Any] = {}
    body = object_of(FORMS[kind], definitions)
    head = {
        "weft": {"type": "string"},
        "document": {"const": kind},
        "version": {"const": DOCUMENTS[kind]},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{kind}, version {DOCUMENTS[kind]}",
        **body,
        "properties": {**head, **body["properties"]},
        "required": [*head, *body["required"]],
        **({"$defs": dict(sorted(definitions.items()))} if definitions else {}),
    }


def written() -> dict[str, str]:
    """Return the files by their names."""
    return {
        f"{kind}.json": json.dumps(schema(kind), ensure_ascii=False, indent=2) + "\n"
        for kind in DOCUMENTS
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.json"):
        path.unlink()
    for name, text in written().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
