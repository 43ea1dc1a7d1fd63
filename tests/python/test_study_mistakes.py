"""Whatever stands in a study file: it is read, or refused with file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import weft
from weft.errors import StudyError
from weft.study import case_statuses, program_statuses, read_study, study_keys

if TYPE_CHECKING:
    from pathlib import Path

    from weft.study import StudyFile

#: Values of every type, at the ends of every range and beyond.
VALUES = (
    "'x'",
    "'\\u0000'",
    "-1",
    "2.5",
    "nan",
    "1e-320",
    "123456789012345678901234567890",
    "true",
    "1979-05-27",
    "[[]]",
    "['x', 1]",
    "{a = 1}",
)
RING = '[[fabrics]]\ntopology = "ring"\nswitches = 4\n'
#: A table of each section that is read as it stands.
TABLES = {
    "fabrics": {"topology": '"ring"', "switches": "4"},
    "hardware": {"preset": '"myrinet"'},
    "traffic": {"pattern": '"uniform"'},
    "programs": {"operation": '"allreduce"'},
}
OF_TRACES = ("trace", "region", "flops_per_s", "clock_ns")

#: All presets, so that every parameter of the hardware is known.
PRESETS = ", ".join(f'"{preset.name}"' for preset in weft.hardware_presets())

KEYS = [(key.section, key.name) for key in study_keys()]
PARAMETERS = [(entry.name, key.name) for entry in weft.topologies() for key in entry.parameters]


def table(section: str, rows: dict[str, str]) -> str:
    lines = [f"{name} = {value}\n" for name, value in rows.items()]
    return f"[[{section}]]\n{''.join(lines)}"


def text_with(section: str, name: str, value: str) -> str:
    """Return a study whose key has a value, everything else as it should be."""
    if not section:
        return f"{name} = {value}\n{RING}"
    rows = dict(TABLES[section])
    if section == "programs" and name in OF_TRACES:
        rows = {"trace": '"barrier.ti"'}
    if (section, name) == ("fabrics", "file"):
        rows = {}
    rows[name] = value
    return (RING if section != "fabrics" else "") + table(section, rows)


def read(folder: Path, text: str) -> StudyFile:
    (folder / "barrier.ti").write_text("0 barrier\n1 barrier\n")
    path = folder / "study.toml"
    path.write_text(text)
    study = read_study(path)
    # What reads has a cost.
    statuses = [
        *case_statuses(study.cases, folder / "none"),
        *program_statuses(study.programs, folder / "none"),
    ]
    assert all(status.missing_cost_s > 0 for status in statuses if status.missing_points)
    return study


def assert_read_or_refused(folder: Path, text: str) -> None:
    try:
        read(folder, text)
    except StudyError as refused:
        place, _, reason = str(refused).partition("study.toml:")
        line = reason.partition(":")[0]
        assert place == f"{folder}/", text
        assert line.strip() == "not TOML" or 1 <= int(line) <= len(text.splitlines()), text


@pytest.mark.parametrize(("section", "name"), KEYS)
def test_no_value_of_a_key_surprises(section: str, name: str, tmp_path: Path) -> None:
    for value in VALUES:
        assert_read_or_refused(tmp_path, text_with(section, name, value))


@pytest.mark.parametrize(("topology", "name"), PARAMETERS)
def test_no_parameter_of_a_topology_surprises(topology: str, name: str, tmp_path: Path) -> None:
    for value in VALUES:
        text = table("fabrics", {"topology": f'"{topology}"', name: value})
        assert_read_or_refused(tmp_path, text)


@pytest.mark.parametrize(("section", "name"), KEYS)
def test_a_misspelt_key_is_told_with_its_line_and_the_nearest(
    section: str, name: str, tmp_path: Path
) -> None:
    text = text_with(section, f"{name}q", "1").replace('"myrinet"', f"[{PRESETS}]")
    # Beside a topology there is no file with its ends, and nothing else like it.
    of_files = ("file", "service", "compute", "subnet")
    nearest = "expected one of" if name in of_files else r"did you mean \w+\?"
    with pytest.raises(StudyError, match=rf"unknown key “{name}q”.*{nearest}") as refused:
        read(tmp_path, text)
    number = next(n for n, line in enumerate(text.splitlines(), 1) if line.startswith(f"{name}q"))
    assert f"study.toml:{number}: " in str(refused.value)


@pytest.mark.parametrize(
    ("keys", "line", "message"),
    [
        ('operation = "allredude"', 5, "found collective operation “allredude”; expected one of"),
        ('operation = "bcast"\nbytes = -1', 6, "size_bytes is -1; expected a whole number from 0"),
        ('operation = "bcast"\nranks = 0', 6, "ranks is 0; expected a whole number from 1"),
        ('operation = "bcast"\npacket_bytes = 0', 6, "packet_bytes"),
        ('operation = "bcast"\nalgorithms = "bcast=ringg"', 6, "ringg"),
        ('trace = "barrier.ti"\nregion = "barrier"', 6, "region “barrier”: found no “..”"),
        ('trace = "barrier.ti"\nregion = "bcast..reduce"', 6, "region"),
        ('trace = "barrier.ti"\nclock_ns = -1', 6, "clock_ns is -1; expected 0 or more"),
    ],
)
def test_a_program_that_cannot_run_is_refused_when_it_is_read(
    keys: str, line: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(StudyError) as refused:
        read(tmp_path, f"{RING}[[programs]]\n{keys}\n")
    assert message in str(refused.value)
    assert f"study.toml:{line}: " in str(refused.value)


DEEP = {
    "lists": f"title = {'[' * 10_000}",
    "closed lists": f"title = {'[' * 5000}{']' * 5000}",
    "tables": f"title = {'{a = ' * 10_000}",
    "dotted keys": f"{'.'.join(['a'] * 10_000)} = 1",
    "a dotted header": f"[{'.'.join(['a'] * 10_000)}]",
    "some lists": f"title = {'[' * 40}{']' * 40}",
    "some dotted keys": f"title.{'.'.join(['a'] * 40)} = 1",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_tables_in_tables_without_end_are_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "deep.toml"
    file.write_text(text)
    with pytest.raises(StudyError, match=r"deep\.toml: tables and lists lie in one another more"):
        read_study(file)


def test_a_file_that_nobody_wrote_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "long.toml"
    file.write_text(f'title = "{"x" * (5 << 20)}"')
    with pytest.raises(StudyError, match=r"long\.toml: found 5242890 characters, expected at most"):
        read_study(file)


def test_a_mistake_in_a_long_file_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "long.toml"
    head = "loads = [\n" + "  0.1,\n" * 2000 + "]\n"
    many = RING * 500
    file.write_text(head + many + "[[fabrics]]\ntopology = 'ring'\nswitchs = 4\n" + many)
    with pytest.raises(StudyError, match=rf"long\.toml:{2002 + 1500 + 3}: unknown key “switchs”"):
        read_study(file)
