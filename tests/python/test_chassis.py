"""Which switches are of one chassis and card."""

from __future__ import annotations

import itertools
import json

import weft
from weft import _core
from weft.fabric import fabric_content
from weft.fabric.chassis import Chassis, chassis_of


def _fabric(switches: dict[str, str | None]) -> weft.Fabric:
    """Return a row of switches that have these system GUIDs."""
    names = list(switches)
    document = {
        "format": "weft-fabric",
        "version": 1,
        "switches": [
            {"name": name, "ports": 4} | ({"system_guid": guid} if guid else {})
            for name, guid in switches.items()
        ],
        "hosts": [],
        "links": [{"ends": [[one, 1], [other, 2]]} for one, other in itertools.pairwise(names)],
    }
    return _core.read_fabric(json.dumps(document).encode(), "row.json")[0]


def test_a_system_guid_joins_chips_that_names_do_not() -> None:
    fabric = _fabric({"a": "0x7", "b": "0x7", "core/L01/U1": None, "c": "0x8", "d": None})
    assert fabric.system_guids == [7, 7, None, 8, None]
    both = Chassis("0x0000000000000007", "")
    # One switch by itself is in no chassis, whatever the GUID of its system.
    assert chassis_of(fabric) == [both, both, Chassis("core", "L01"), None, None]


def test_chassis_of_one_name_are_told_apart_by_their_guids() -> None:
    fabric = _fabric(
        {"core/L01/U1": "0x7", "core/S01/U1": "0x7", "core/L02/U1": "0x8", "core/S02/U1": "0x8"}
    )
    first, second = "core 0x0000000000000007", "core 0x0000000000000008"
    assert chassis_of(fabric) == [
        Chassis(first, "L01"),
        Chassis(first, "S01"),
        Chassis(second, "L02"),
        Chassis(second, "S02"),
    ]


def test_a_chassis_is_called_what_most_of_its_chips_say() -> None:
    fabric = _fabric({"unnamed": "0x7", "core/L01/U1": "0x7", "core/L02/U1": "0x7"})
    names = [own and own.name for own in chassis_of(fabric)]
    assert names == ["core"] * 3


def test_system_guids_survive_files_and_failures() -> None:
    fabric = _fabric({"a": "0x7", "b": "0x7", "c": None})
    for format_name in ("json", "node-link", "graphml", "ibnetdiscover"):
        text = fabric_content(fabric, "row", format_name)[1]
        back = _core.read_fabric(text.encode(), "row")[0]
        assert back.system_guids == [7, 7, None]
    assert weft.degrade(fabric, switches=["a"]).fabric.system_guids == [7, None]
