"""Writes ``python/weft/measurement.py`` from the core's table of figures.

After a change of the table, ``.venv/bin/python docs/measurement_class.py`` writes the class anew; a
test tells when that was forgotten.
"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from weft.figure_table import FIGURES

if TYPE_CHECKING:
    from weft.figure_table import Figure

PATH = Path(__file__).parent.parent / "python" / "weft" / "measurement.py"

HEAD = '''"""What a simulation measured, figure by figure.

Written by ``docs/measurement_class.py`` from the core's table of figures, which is what to change.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from weft.figure_table import (
    Histogram,
    LatencySummary,
    MeasuredFigures,
    WaitingPacket,
    empty,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Measurement"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Measurement(MeasuredFigures):
    """What a simulation measured.

    Loads are payload per sending host as a fraction of the hosts' link rate; a host to which the
    traffic pattern gives no destination counts in neither. A figure that cannot be given
    (a percentile of no packet, an interval of too short a window) is NaN.

    Attributes
    ----------
'''

TYPES = {
    "text": "str",
    "reason": 'Literal["steady", "saturated", "deadlocked", "budget"]',
    "waiting": "list[WaitingPacket]",
    "real": "float",
    "integer": "int",
    "latency": "LatencySummary",
    "histogram": "Histogram",
    "reals": "NDArray[np.float32]",
    "integers": "NDArray[np.uint32]",
}
TOLD_TYPES = {
    **TYPES,
    "reason": '{"steady", "saturated", "deadlocked", "budget"}',
    "waiting": "list of WaitingPacket",
}
OF_EACH = {
    ("channel_count",): "Of each channel: ",
    ("channel_count", "lanes"): "Of each lane of each channel: ",
    ("host_count",): "Of each host: ",
    ("intervals", "host_count"): "Of each host in each interval: ",
}


WIDTH = 100
UNITS = ("fraction of host link rate", "bytes/ns/switch", "packets × switches", "flits × channels")


def told(figure: Figure) -> str:
    """Return a figure as the class's documentation tells it."""
    if figure.axes:
        axes = ", ".join(figure.axes) + ("," if len(figure.axes) == 1 else "")
        kind = f"ndarray of {figure.dtype}, shape ({axes})"
        text = f"{OF_EACH[figure.axes]}{figure.summary}"
    else:
        kind = TOLD_TYPES[figure.kind]
        text = figure.summary[0].upper() + figure.summary[1:]
        text += f" ({figure.unit})" if figure.unit in UNITS else ""
    text = f"{text}. {figure.details}".strip()
    filled = textwrap.fill(text, WIDTH - 1, initial_indent=" " * 8, subsequent_indent=" " * 8)
    return f"    {figure.name} : {kind}\n{filled}\n"


def declared(figure: Figure) -> str:
    """Return a figure as the class declares it."""
    line = f"    {figure.name}: {TYPES[figure.kind]}"
    if not figure.axes:
        return f"{line}\n"
    factory = f'default_factory=empty("{figure.name}")'
    whole = f"{line} = field({factory})\n"
    return whole if len(whole) <= WIDTH + 1 else f"{line} = field(\n        {factory}\n    )\n"


def written() -> str:
    """Return the module."""
    documentation = "".join(map(told, FIGURES))
    return f'{HEAD}{documentation}    """\n\n{"".join(map(declared, FIGURES))}'


if __name__ == "__main__":
    PATH.write_text(written(), encoding="utf-8")
