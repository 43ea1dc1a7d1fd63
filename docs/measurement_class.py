"""Writes the class of ``python/weft/measurement.py`` from the core's table of figures.

After a change of the table, ``.venv/bin/python docs/measurement_class.py`` writes the class anew; a
test tells when that was forgotten.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from weft.figure_table import FIGURES

if TYPE_CHECKING:
    from weft.figure_table import Figure

PATH = Path(__file__).parent.parent / "python" / "weft" / "measurement.py"

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
WIDTH = 100


def declared(figure: Figure) -> str:
    """Return a figure as the class declares it."""
    line = f"    {figure.name}: {TYPES[figure.kind]}"
    if not figure.axes:
        return f"{line}\n"
    factory = f'default_factory=empty("{figure.name}")'
    whole = f"{line} = field({factory})\n"
    return whole if len(whole) <= WIDTH + 1 else f"{line} = field(\n        {factory}\n    )\n"


def written() -> str:
    """Return the module, as it is up to the documentation of the class."""
    text = PATH.read_text(encoding="utf-8")
    end = '    """\n\n'
    head = text[: text.index(end, text.index("class Measurement")) + len(end)]
    return head + "".join(map(declared, FIGURES))


if __name__ == "__main__":
    PATH.write_text(written(), encoding="utf-8")
