"""Python files that a study names because they add routings of one's own.

A file is run once a process, as a script would be, and calls `weft.add_algorithm`. It goes with the
points of its study to every process that simulates some of them, which runs it as well.
"""

from __future__ import annotations

import sys
import traceback
from dataclasses import dataclass
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING

from weft._files import text_digest
from weft.errors import StudyError, WeftError
from weft.own_routing import OwnAlgorithm, add_algorithm, noted_algorithms

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["OwnRoutings", "add_routings"]


@dataclass(frozen=True, slots=True)
class OwnRoutings:
    """The text of a Python file that adds routings, and its name in the study file."""

    name: str
    text: str


#: What the files that were run have added.
_algorithms: dict[OwnRoutings, dict[str, OwnAlgorithm]] = {}
_lock = Lock()


def add_routings(files: Sequence[OwnRoutings]) -> None:
    """Let the algorithms of files be known by their names in this process.

    Files run in their order; one that was run before is not run again, but its algorithms take the
    place of others of their names. Where one fails or adds nothing, a StudyError begins with its
    name and line.
    """
    with _lock:
        for file in files:
            if file not in _algorithms:
                _algorithms[file] = _run(file)
            for own in _algorithms[file].values():
                add_algorithm(own)


def _run(file: OwnRoutings) -> dict[str, OwnAlgorithm]:
    module = ModuleType(f"weft_own_routings_{text_digest(file.text)}")
    module.__file__ = file.name
    sys.modules[module.__name__] = module
    try:
        with noted_algorithms() as added:
            exec(compile(file.text, file.name, "exec"), module.__dict__)  # noqa: S102 - is asked for
    except WeftError as error:
        message = f"{file.name}:{_line(file, error)}: {error}"
        raise StudyError(message) from error
    except (Exception, SystemExit) as error:
        message = f"{file.name}:{_line(file, error)}: {type(error).__name__}: {error}"
        raise StudyError(message) from error
    if not added:
        message = f"{file.name}:1: adds no routing; expected a call of weft.add_algorithm"
        raise StudyError(message)
    return added


def _line(file: OwnRoutings, error: BaseException) -> int:
    """Return the line of a file in which something went wrong."""
    if isinstance(error, SyntaxError) and error.filename == file.name:
        return error.lineno or 1
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == file.name]
    return lines[-1] or 1 if lines else 1
