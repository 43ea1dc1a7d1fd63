"""Two switches joined by several cables, for tests."""

from __future__ import annotations

import json

import weft
from weft import _core


def trunk(hosts: int, cables: int) -> weft.Fabric:
    """Return two switches, `s` and `t`, with so many hosts each and so many cables between them."""
    names = [(switch, f"{switch}{number}") for switch in "st" for number in range(hosts)]
    ports = range(hosts + 1, hosts + cables + 1)
    document = {
        "format": "weft-fabric",
        "version": 1,
        "switches": [{"name": switch, "ports": hosts + cables} for switch in "st"],
        "hosts": [{"name": name} for _, name in names],
        "links": [
            *(
                {"ends": [[name, 1], [switch, 1 + place % hosts]]}
                for place, (switch, name) in enumerate(names)
            ),
            *({"ends": [["s", port], ["t", port]]} for port in ports),
        ],
    }
    return _core.read_fabric(json.dumps(document).encode(), "trunk.json")[0]
