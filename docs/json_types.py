"""Types of Python as JSON Schema: records become definitions, each named once."""

from __future__ import annotations

import sys
import types
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

__all__ = ["LoadGap", "Numbers", "fields_of", "schema_of", "some"]


class Numbers:
    """An array of numbers of any shape; those that are infinite or undefined are null."""


#: Names that records' modules import for type checkers alone.
_NAMES = {"NDArray": NDArray, "np": np, "Path": Path, "Literal": Literal, "Any": Any}
_SIMPLE: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    Path: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": ["number", "null"]},
    type(None): {"type": "null"},
    Any: {},
    Numbers: {"type": "array", "items": {"$ref": "#/$defs/numbers"}},
}
#: The items of an array of numbers: a number, null, or an array again.
_NUMBERS = {"type": ["number", "null", "array"], "items": {"$ref": "#/$defs/numbers"}}


class _Known(dict[str, Any]):
    """Names of all modules of Weft that are loaded, for annotations that only checkers read."""

    def __missing__(self, name: str) -> Any:  # noqa: ANN401 - any name
        for module in [value for key, value in sys.modules.items() if key.startswith("weft.")]:
            if isinstance(found := vars(module).get(name), type):
                return found
        raise KeyError(name)


def fields_of(record: type) -> dict[str, Any]:
    """Return the types of a record's fields by name, with what may be left out marked."""
    hints = get_type_hints(record, localns=_Known(_NAMES), include_extras=True)
    if is_dataclass(record):
        return {name: hints[name] for name in record.__dataclass_fields__}
    return hints


def some(record: type, *names: str) -> type:
    """Return a form that has some of a record's fields."""
    fields = fields_of(record)
    made: type = TypedDict(f"Some{record.__name__}", {name: fields[name] for name in names})
    return made


def schema_of(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - any type
    """Return the schema of a type; records go among the definitions, by their names."""
    if kind in _SIMPLE or kind is Any:
        if kind is Numbers:
            definitions["numbers"] = _NUMBERS
        return _SIMPLE[kind]
    origin, given = get_origin(kind), get_args(kind)
    if origin is np.ndarray:
        return schema_of(Numbers, definitions)
    if origin is Literal:
        return {"enum": list(given)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(each, definitions) for each in given]}
    if origin is tuple and given[-1] is not Ellipsis:
        each = [schema_of(of, definitions) for of in given]
        return {"type": "array", "prefixItems": each, "minItems": len(each), "items": False}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": schema_of(given[1], definitions)}
    if origin in (list, tuple, Sequence):
        return {"type": "array", "items": schema_of(given[0], definitions)}
    name = kind.__name__
    if name not in definitions:
        definitions[name] = {}  # A record may hold records of its own kind.
        definitions[name] = object_of(fields_of(kind), definitions)
    return {"$ref": f"#/$defs/{name}"}


def object_of(fields: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object that has these keys and no other."""
    properties, required = {}, []
    for name, kind in fields.items():
        if get_origin(kind) is NotRequired:
            properties[name] = schema_of(get_args(kind)[0], definitions)
        else:
            properties[name] = schema_of(kind, definitions)
            required.append(name)
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


class OneLaneGap(TypedDict):
    """How far a load on one lane, stops among it at their price, is from what none is below."""

    load: float
    stop_cost: int | None
    bound: int
    bound_of: Literal["any", "shortest", "tables"]
    better_possible: float | None


class LoadGap(TypedDict):
    """How far the largest load of routes is from what no routing is below."""

    largest_load: int
    bound: int
    bound_of: Literal["any", "tables"]
    split_load: float
    shortest_bound: int | None
    better_possible: float | None
    one_lane: OneLaneGap | None
