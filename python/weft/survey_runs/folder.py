"""The folder of a survey: what is looked at, and the batches that are done."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

from weft import _core
from weft._files import read_text, text_digest, write_text
from weft._machine import weft_version
from weft.errors import EnvironmentFailure, ResultsError, WeftError
from weft.route_reading import read_routes

if TYPE_CHECKING:
    from pathlib import Path

    from weft._core import Fabric, Routing
    from weft.survive.survey import Numbers, Survey, Told

__all__ = ["SurveyFolder"]

_FORMAT = "weft-survey"
_VERSION = 1


class SurveyFolder:
    """What a survey leaves on disk, for itself and for others that work at it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._survey = path / "survey.json"
        self._batches = path / "batches"

    def prepare(self, survey: Survey, rounds: int) -> None:
        """Begin a survey, or make sure that the folder is of the same.

        Raises
        ------
        ResultsError
            When it holds another survey, or something else.
        EnvironmentFailure
            When it cannot be written.
        """
        fabric = str(_core.fabric_text(survey.fabric, "json"))
        tables = survey.routing.to_json()
        numbers = [numbers for _, numbers in survey.failures]
        document = {
            "format": _FORMAT,
            "version": _VERSION,
            "weft": weft_version(),
            "fabric": text_digest(fabric),
            "tables": text_digest(tables),
            "rounds": rounds,
            "seed": survey.seed,
            "failures": text_digest(json.dumps(numbers)),
            "batches": [[numbers for _, numbers in batch] for batch in survey.batches],
        }
        if self._survey.exists():
            found = self._read(self._survey)
            told = document.keys() - {"batches"}
            differing = sorted(key for key in told if found.get(key) != document[key])
            if differing:
                message = (
                    f"{self.path}: holds another survey, its {differing[0]} differ; give another"
                    " folder, or remove this one"
                )
                raise ResultsError(message)
            return
        write_text(self.path / "fabric.json", fabric)
        write_text(self.path / "tables.json", tables)
        # The last of them: with it, the folder is whole.
        write_text(self._survey, json.dumps(document))

    def restored(self) -> tuple[Fabric, Routing, int, int]:
        """Return network, tables, halves drawn and seed, as another process reads them."""
        path = self.path / "fabric.json"
        fabric, *_ = _core.read_fabric(read_text(path, "a fabric").encode(), str(path))
        routing = read_routes(fabric, self.path / "tables.json").routing
        document = self._read(self._survey)
        return fabric, routing, document["rounds"], document["seed"]

    def numbers(self, batch: int) -> list[Numbers]:
        """Return the failures of a batch by the numbers of their links and switches."""
        told = self._read(self._survey)["batches"][batch]
        return [(links, switches) for links, switches in told]

    def batch_count(self) -> int:
        """Count the batches of the survey."""
        return len(self._read(self._survey)["batches"])

    def refuse_errors(self) -> None:
        """Raise what tasks left that could not go on, as an EnvironmentFailure."""
        errors = self.path / "errors"
        reasons = sorted(errors.iterdir()) if errors.is_dir() else []
        if reasons:
            reason = reasons[0].read_text(encoding="utf-8").strip()
            shutil.rmtree(errors, ignore_errors=True)
            raise EnvironmentFailure(reason)

    def missing(self, count: int) -> list[int]:
        """Return the batches that are not done, of so many."""
        done = {path.stem for path in self._batches.glob("*.json")}
        return [batch for batch in range(count) if str(batch) not in done]

    def leave(self, batch: int, told: list[Told]) -> None:
        """Put what a batch comes to into the folder, whole."""
        write_text(self._batches / f"{batch}.json", json.dumps(told))

    def taken(self, batch: int, count: int) -> list[Told]:
        """Return what a batch of so many failures comes to; a ResultsError when it is damaged."""
        path = self._batches / f"{batch}.json"
        text = read_text(path, "a batch of failures")
        try:
            told = [_told(one) for one in json.loads(text)]
        except (ValueError, TypeError, KeyError) as error:
            message = f"{path}: is damaged ({error}); remove it, and call again"
            raise ResultsError(message) from error
        if len(told) != count:
            message = (
                f"{path}: has {len(told)} failures, expected {count}; remove it, and call again"
            )
            raise ResultsError(message)
        return told

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            document = json.loads(read_text(path, "a survey"))
        except (ValueError, WeftError) as error:
            message = f"{path}: is no survey ({error}); give another folder, or remove this one"
            raise ResultsError(message) from error
        if not isinstance(document, dict) or document.get("format") != _FORMAT:
            message = f"{path}: is no survey; give another folder, or remove this one"
            raise ResultsError(message)
        return document


def _told(one: Any) -> Told:  # noqa: ANN401 - what JSON holds
    cut_off, refusal, repaired = one
    if not all(isinstance(host, str) for host in cut_off):
        message = "hosts are no names"
        raise TypeError(message)
    if repaired is None:
        return list(cut_off), str(refusal), None
    entries, lanes, last, cleared, (largest, busiest, bound, bisection) = repaired
    figures = (int(largest), busiest, float(bound), float(bisection))
    return list(cut_off), None, (int(entries), int(lanes), int(last), int(cleared), figures)
