"""Surveys of failures that are interrupted, go on, and are refused where they are others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from command import done, refused

import weft
from weft.survey_runs.batch_task import main, surveyed
from weft.survey_runs.folder import SurveyFolder

if TYPE_CHECKING:
    from pathlib import Path

PARTS = ("cables", "switches")


def network() -> tuple[weft.Fabric, weft.Routing]:
    # 128 cables and 64 switches: three batches.
    torus = weft.torus(8, 8)
    return torus, weft.route(torus, "best:lanes=2,starts=1")


class EndedError(Exception):
    """Raised in place of a kill."""


def test_a_survey_goes_on_where_it_was_and_finds_the_same(tmp_path: Path) -> None:
    torus, tables = network()
    expected = weft.survive(torus, tables, parts=PARTS, anew=2)
    folder = tmp_path / "survey"
    seen: list[int] = []

    def ends(done: int, _: int) -> None:
        seen.append(done)
        raise EndedError

    with pytest.raises(EndedError):
        weft.run_survey(torus, tables, folder, parts=PARTS, anew=2, progress=ends)
    assert seen == [64]
    assert [path.name for path in (folder / "batches").iterdir()] == ["0.json"]
    begun = (folder / "batches/0.json").stat().st_mtime_ns
    went_on: list[int] = []
    found = weft.run_survey(
        torus, tables, folder, parts=PARTS, anew=2, progress=lambda done, _: went_on.append(done)
    )
    assert went_on == [128, 192]
    assert (folder / "batches/0.json").stat().st_mtime_ns == begun
    assert found.failures == expected.failures
    assert (found.whole, found.counts) == (expected.whole, expected.counts)
    # Nothing is looked at again.
    again = weft.run_survey(torus, tables, folder, parts=PARTS, anew=2, progress=ends)
    assert again.failures == expected.failures


def test_tasks_leave_their_batches_in_the_same_folder(tmp_path: Path) -> None:
    torus, tables = network()
    folder = tmp_path / "survey"

    def ends(done: int, _: int) -> None:
        raise EndedError(done)

    with pytest.raises(EndedError):
        weft.run_survey(torus, tables, folder, parts=PARTS, anew=0, progress=ends)
    # Of the two that are missing a task does every second.
    assert main(folder, 1, 2) == 0
    assert SurveyFolder(folder).missing(3) == [1]
    assert main(folder, 0, 2) == 0
    found = weft.run_survey(torus, tables, folder, parts=PARTS, anew=0, progress=ends)
    assert found.failures == weft.survive(torus, tables, parts=PARTS, anew=0).failures
    (folder / "survey.json").write_text("{}")
    assert main(folder, 0, 1) == 1
    assert "is no survey" in (folder / "errors/0").read_text()


def test_a_worker_does_a_batch_from_texts_alone(tmp_path: Path) -> None:
    torus, tables = network()
    folder = SurveyFolder(tmp_path)
    weft.run_survey(torus, tables, tmp_path, parts=PARTS, anew=0)
    fabric, _, rounds, seed = folder.restored()
    assert fabric == torus
    text = (tmp_path / "fabric.json").read_text()
    told = surveyed(text, tables.to_json(), rounds, seed, folder.numbers(2))
    assert told == folder.taken(2, 64)


def test_another_survey_and_a_damaged_one_are_refused(tmp_path: Path) -> None:
    torus, tables = network()
    weft.run_survey(torus, tables, tmp_path, parts=["cables"], anew=0)

    def refusal(**changed: object) -> str:
        given: dict[str, object] = {
            "fabric": torus,
            "routing": tables,
            "results": tmp_path,
            "parts": ["cables"],
            "anew": 0,
            **changed,
        }
        with pytest.raises(weft.WeftError) as error:
            weft.run_survey(**given)  # type: ignore[arg-type]
        return f"{type(error.value).__name__}: {error.value}"

    assert "holds another survey, its failures differ" in refusal(parts=["switches"])
    assert "holds another survey, its seed differ" in refusal(seed=2)
    other = weft.route(torus, "best:lanes=3,starts=1")
    assert "holds another survey, its tables differ" in refusal(routing=other)
    assert refusal(on="cloud").startswith("InputError: on cloud: expected local, dask:")
    batch = tmp_path / "batches/1.json"
    whole = batch.read_text()
    for damage, told in [
        (whole[:-40], "is damaged"),
        ("[[3]]", "is damaged"),
        (json.dumps(json.loads(whole)[1:]), "has 63 failures, expected 64"),
    ]:
        batch.write_text(damage)
        text = refusal()
        assert told in text
        assert "batches/1.json" in text
        assert "remove it, and call again" in text
    batch.unlink()
    weft.run_survey(torus, tables, tmp_path, parts=["cables"], anew=0)
    (tmp_path / "survey.json").write_text("[1]")
    assert "is no survey" in refusal()


def test_the_command_keeps_what_it_finds(tmp_path: Path) -> None:
    torus, _ = network()
    weft.write_fabric(torus, tmp_path / "net.json")
    call = ["survive", str(tmp_path / "net.json"), "best:lanes=2,starts=1", "--parts", "cables"]
    folder = str(tmp_path / "survey")
    kept = done(*call, "--json", "--results", folder).document
    assert kept == done(*call, "--json").document
    assert kept == done(*call, "--json", "--results", folder).document
    assert (tmp_path / "survey/batches/1.json").exists()
    refused("--results FOLDER", *call, "--on", "slurm")
