"""Whether it is time to route anew, found beside a watch: new tables beside those repaired.

Routing anew takes seconds to minutes, within which something may fail. So a process of its own does
it, with what others leave of the machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.fabric import read_fabric
from weft.load_gap import largest_load
from weft.proof import prove
from weft.repair import is_time_to_route_anew
from weft.route_reading import read_routes
from weft.routing import route, to_tables

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

__all__ = ["Comparing", "Loads", "main"]

_PROGRAM = "from weft.watch.comparing import main; main()"
#: How far a process steps behind others, as ``nice`` has it.
_BEHIND = 10
#: What the process that waits reads.
_OUTPUT = 1


@dataclass(frozen=True, slots=True)
class Loads:
    """What tables load the channel between switches that most routes pass."""

    standing: int  #: Routes over it, by the tables that stand
    anew: int  #: The same by new tables

    @property
    def is_time(self) -> bool:
        """Whether new tables would load it much less."""
        return is_time_to_route_anew(self.standing, self.anew)


class Comparing:
    """Compares the tables of a generation with new ones, once each, in a process of its own.

    Parameters
    ----------
    specification : str
        What new tables are made by, as on the command line.
    is_awaited : bool
        Whether nothing else is to be done meanwhile; else others go first.
    """

    def __init__(self, specification: str, *, is_awaited: bool = False) -> None:
        self._specification = specification
        self._behind = 0 if is_awaited else _BEHIND
        self._process: subprocess.Popen[bytes] | None = None
        self._number: int | None = None

    def __enter__(self) -> Self:
        """Return itself; the process does not outlive the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End what is going on."""
        self.end()

    @property
    def is_running(self) -> bool:
        """Whether loads are to come."""
        return self._process is not None

    def look(self, folder: Path, number: int) -> Loads | None:
        """Return what a generation and new tables load, once that is known; begin where it is not.

        None as long as it is not known, and where it was returned or no new tables can be had.
        """
        if number != self._number:
            self.end()
            self._number = number
            what = [str(folder), self._specification, str(self._behind)]
            with suppress(OSError):
                self._process = subprocess.Popen(
                    [sys.executable, "-c", _PROGRAM, *what],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
        process = self._process
        if process is None or process.poll() is None:
            return None
        self._process = None
        printed, _ = process.communicate()
        return None if process.returncode else Loads(**json.loads(printed))

    def end(self) -> None:
        """End what is going on, of which nothing is needed any more."""
        process, self._process, self._number = self._process, None, None
        if process is not None:
            process.kill()
            process.communicate()


def main() -> None:
    """Tell the process that waits what the tables in a folder and new ones load."""
    folder, specification, behind = Path(sys.argv[1]), *sys.argv[2:]
    os.nice(int(behind))
    try:
        fabric = read_fabric(folder / "fabric.json").fabric
        standing = read_routes(fabric, folder / "tables.json").routing
        anew = to_tables(fabric, route(fabric, specification))
        if not prove(fabric, anew).deadlock_free:
            sys.exit(1)
        loads = {"standing": largest_load(fabric, standing), "anew": largest_load(fabric, anew)}
    except WeftError:
        sys.exit(1)
    os.write(_OUTPUT, json.dumps(loads).encode())
