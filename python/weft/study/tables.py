"""The tables of a study file: their variants, and what each variant makes."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from weft._nearest import nearest
from weft.errors import InputError, StudyError
from weft.fabric import generate, one_network, read_fabric
from weft.fabric import topologies as listed
from weft.fabric.formats import on_command_line
from weft.hardware import hardware, hardware_parameters, hardware_presets, suited_preset
from weft.spec.keys import keys_of_topology, plain_value, study_keys
from weft.workload import Traffic, parse_sizes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Never

    from weft.fabric import Fabric
    from weft.hardware import Hardware

__all__ = ["fabrics_of", "given_as", "hardware_of", "traffic_of", "variants"]

#: Keys by whose values the other keys of a table are known.
_TEXTS = ("topology", "file", "preset")
#: Keys beside a file that tell service ends and compute ends.
_TOLD = ("service", "compute")


def variants(
    table: dict[str, Any], section: str, refuse: Callable[[str, str], Never]
) -> Iterator[dict[str, Any]]:
    """Yield the tables that a table with lists stands for, the first key varied slowest.

    What cannot be is told to `refuse`: the key and the message.
    """
    for name in (key for key in _TEXTS if key in table):
        for value in table[name] if isinstance(table[name], list) else [table[name]]:
            if not isinstance(value, str):
                refuse(name, f"{name}: found {value!r}, expected text")
    lists = _known(table, section, refuse)
    for name in table:
        if name not in lists:
            refuse(name, f"unknown key “{name}” of {section}; {nearest(name, lists)}")
    choices = []
    for name, value in table.items():
        found = value if _is_varied(value, is_list=lists[name]) else [value]
        if not found:
            refuse(name, f"{name}: found an empty list, expected at least one value")
        try:
            choices.append([(name, plain_value(section, name, entry)) for entry in found])
        except InputError as error:
            refuse(name, f"{name}: {error}")
    for chosen in product(*choices):
        yield dict(chosen)


def fabrics_of(keys: dict[str, Any], folder: Path) -> Fabric:
    """Generate or read the fabric of a variant."""
    if "file" in keys:
        told = {name: _ends(name, keys.get(name)) for name in _TOLD}
        path = folder / keys["file"]
        return one_network(read_fabric(path, **told, subnet=_subnet(keys)).fabric, path)
    rest = {name: value for name, value in keys.items() if name != "topology"}
    return generate(keys["topology"], **rest)


def given_as(keys: dict[str, Any], folder: Path) -> str | None:
    """Return what commands name the fabric of a variant by, None where it comes from no file."""
    if "file" not in keys:
        return None
    told = {name: _ends(name, keys.get(name)) for name in _TOLD}
    return on_command_line(folder / keys["file"], **told, subnet=_subnet(keys))


def _ends(name: str, value: Any) -> list[str]:  # noqa: ANN401 - whatever stands there
    """Return the patterns or files that tell ends, joined by commas."""
    if value is None:
        return []
    if not isinstance(value, str) or not value:
        message = f"{name}: found {value!r}, expected {_expected('fabrics', name)}"
        raise StudyError(message)
    return [text.strip() for text in value.split(",")]


def _subnet(keys: dict[str, Any]) -> int | None:
    number = keys.get("subnet")
    if number is None or (type(number) is int and number > 0):
        return number
    message = f"subnet: found {number!r}, expected a whole number from 1 up"
    raise StudyError(message)


def hardware_of(keys: dict[str, Any], _: Path) -> Callable[[Fabric], Hardware]:
    """Return what makes the hardware of a variant for a fabric."""
    rest = {name: value for name, value in keys.items() if name != "preset"}
    if "preset" in keys:
        made = hardware(keys["preset"], **rest)
        return lambda _: made
    return lambda fabric: hardware(suited_preset(fabric), **rest)


def traffic_of(keys: dict[str, Any], _: Path) -> Traffic:
    """Return the traffic of a variant."""
    values = dict(keys)
    if isinstance(values.get("payload_bytes"), str):
        values["payload_bytes"] = parse_sizes(values["payload_bytes"])
    for name, value in values.items():
        is_sizes = isinstance(value, dict) and isinstance(keys[name], str)
        expected = (int, dict if is_sizes else int) if name == "payload_bytes" else (str,)
        if isinstance(value, bool) or not isinstance(value, expected):
            message = f"{name}: found {value!r}, expected {_expected('traffic', name)}"
            raise StudyError(message)
    return Traffic(**values)


def _known(
    table: dict[str, Any], section: str, refuse: Callable[[str, str], Never]
) -> dict[str, bool]:
    """Return the keys a table may have, and whether a value of each is a list itself."""
    own = {key.name: False for key in study_keys() if key.section == section}
    if section == "hardware":
        return _known_parameters(table.get("preset"))
    if section != "fabrics":
        return own
    if ("topology" in table) == ("file" in table):
        name = next(iter(table), "topology")
        refuse(name, "expected either topology or file in a table of fabrics")
    of_files = {name: own.pop(name) for name in ("file", "subnet", *_TOLD)}
    if "file" in table:
        return of_files
    topologies = table["topology"]
    known = dict(own)
    for topology in topologies if isinstance(topologies, list) else [topologies]:
        try:
            known |= keys_of_topology(topology)
        except KeyError:
            names = [entry.name for entry in listed()]
            refuse("topology", f"unknown topology “{topology}”; {nearest(str(topology), names)}")
    return known


def _known_parameters(presets: Any) -> dict[str, bool]:  # noqa: ANN401 - as it stands in the file
    """Return the keys of a table of hardware: of all presets, unless it names those it takes."""
    named = [preset.name for preset in hardware_presets()]
    chosen = presets if isinstance(presets, list) else [presets]
    known = {"preset": False}
    for preset in named if any(preset not in named for preset in chosen) else chosen:
        known |= {entry.name: False for entry in hardware_parameters(preset)}
    return known


def _is_varied(value: Any, *, is_list: bool) -> bool:  # noqa: ANN401 - any value of TOML
    if not isinstance(value, list):
        return False
    return not is_list or any(isinstance(entry, (list, str)) for entry in value)


def _expected(section: str, name: str) -> str:
    return next(key.type for key in study_keys() if (key.section, key.name) == (section, name))
