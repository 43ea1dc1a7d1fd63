"""Holds JSON documents to schemas: as much of JSON Schema as docs/json_types.py writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

_KINDS = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}
_KNOWN = {"$ref", "$schema", "$defs", "title", "type", "enum", "const", "anyOf", "items"}
_KNOWN |= {"prefixItems", "minItems", "properties", "required", "additionalProperties"}


def complaints(
    value: object,
    schema: dict[str, Any] | Literal[False],
    root: dict[str, Any] | None = None,
    place: str = "",
) -> Iterator[str]:
    """Yield where a value is not as a schema says, and how."""
    if schema is False:
        yield f"{place}: nothing is expected here"
        return
    root = schema if root is None else root
    assert set(schema) <= _KNOWN, set(schema) - _KNOWN
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    if "anyOf" in schema:
        tried = [list(complaints(value, each, root, place)) for each in schema["anyOf"]]
        if all(tried):
            yield from min(tried, key=len)
        return
    if "const" in schema and value != schema["const"]:
        yield f"{place}: {value!r}, expected {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r}, expected one of {schema['enum']}"
    if "type" in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        classes = tuple(kind for name in kinds for kind in _KINDS[name])
        if not isinstance(value, classes) or (isinstance(value, bool) and bool not in classes):
            yield f"{place}: {type(value).__name__}, expected {' or '.join(kinds)}"
            return
    if isinstance(value, list):
        first = schema.get("prefixItems", [])
        if len(value) < schema.get("minItems", 0):
            yield f"{place}: {len(value)} items, expected {schema['minItems']}"
        for at, item in enumerate(value):
            of = first[at] if at < len(first) else schema.get("items", {})
            yield from complaints(item, of, root, f"{place}[{at}]")
    if isinstance(value, dict):
        known, further = schema.get("properties", {}), schema.get("additionalProperties", {})
        for name in schema.get("required", []):
            if name not in value:
                yield f"{place}: has no {name}"
        for name, entry in value.items():
            if name not in known and further is False:
                yield f"{place}: has {name}, of which its schema does not know"
            else:
                yield from complaints(entry, known.get(name, further), root, f"{place}.{name}")
