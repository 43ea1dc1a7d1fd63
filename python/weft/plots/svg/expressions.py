"""Expressions of Vega: what charts compute and ask of their rows."""

from __future__ import annotations

import ast
import json
import operator
import re
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Evaluated = Callable[[Mapping[str, Any]], Any]

__all__ = ["evaluator"]

_PART = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|===|!==|!=|&&|\|\||!)""")
_IN_PYTHON = {"===": "==", "!==": "!=", "&&": " and ", "||": " or ", "!": " not "}

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "isValid": lambda value: value is not None,
    "indexof": lambda found, value: found.index(value) if value in found else -1,
    "split": lambda text, between: text.split(between),
}
_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Mult: operator.mul,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
}


@cache
def evaluator(text: str) -> Evaluated:
    """Return what an expression comes to, given ``datum`` and the parameters of its chart.

    What no chart of Weft uses is a `ValueError`.
    """
    python = "".join(_in_python(part) for part in _PART.split(text))
    return _compiled(ast.parse(python.strip(), mode="eval").body, text)


def _in_python(part: str) -> str:
    if part.startswith('"'):
        return repr(json.loads(part))
    return _IN_PYTHON.get(part, part)


def _compiled(node: ast.expr, text: str) -> Evaluated:
    """Turn a part of an expression into a function of the names in it."""

    def inner(part: ast.expr) -> Evaluated:
        return _compiled(part, text)

    match node:
        case ast.Constant(value=constant):
            return lambda _: constant
        case ast.Name(id=name):
            return lambda names: names[name]
        case ast.Attribute(value=owner, attr=field):
            of = inner(owner)
            return lambda names: of(names).get(field)
        case ast.Subscript(value=owner, slice=place):
            of, at = inner(owner), inner(place)
            return lambda names: of(names)[at(names)]
        case ast.List(elts=entries):
            parts = [inner(entry) for entry in entries]
            return lambda names: [part(names) for part in parts]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            of = inner(operand)
            return lambda names: not of(names)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            of = inner(operand)
            return lambda names: -of(names)
        case ast.BoolOp(op=joint, values=entries):
            parts = [inner(entry) for entry in entries]
            together = all if isinstance(joint, ast.And) else any
            return lambda names: together(part(names) for part in parts)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _of_two(_BINARY[type(op)], inner(left), inner(right))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _BINARY:
            return _of_two(_BINARY[type(op)], inner(left), inner(right))
        case ast.Call(func=ast.Name(id=name), args=given) if name in _FUNCTIONS:
            function, parts = _FUNCTIONS[name], [inner(entry) for entry in given]
            return lambda names: function(*(part(names) for part in parts))
    message = f"found {ast.unparse(node)!r} in the expression {text!r}, which no chart is drawn by"
    raise ValueError(message)


def _of_two(function: Callable[[Any, Any], Any], left: Evaluated, right: Evaluated) -> Evaluated:
    return lambda names: function(left(names), right(names))
