"""How results are read where that is a reader's choice: which knee, and links at which traffic."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from weft.errors import InputError
from weft.quantities import LOAD_EXPECTED
from weft.results.knee import KNEE_FACTOR

__all__ = ["TRAFFIC_UNITS", "Reading"]

#: Units of a traffic; without one it is in the first.
TRAFFIC_UNITS = ("bytes/ns/switch", "flits/ns/switch", "load", "%")

_TRAFFIC = re.compile(r"\s*(?P<number>[-+0-9.eE]+)\s*(?P<unit>\S*)\s*")


@dataclass(frozen=True, slots=True)
class Reading:
    """How a study's results are read; nothing of it changes what was simulated.

    Raises
    ------
    InputError
        When a member is out of range, or the unit of a traffic unknown.
    """

    #: The knee is the traffic at which mean latency is this multiple of the unloaded one, above 1.
    knee_factor: float = KNEE_FACTOR
    #: Accepted traffic at which the use of links is compared, in bytes/ns/switch, or a text with
    #: another unit after the number: ``flits/ns/switch``, ``load`` (a fraction of the host link
    #: rate) or ``%`` of that rate. 80 % of the least throughput of the routings when None.
    at: str | float | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be read by."""
        if not 1 < self.knee_factor < math.inf:
            message = (
                f"knee factor {self.knee_factor:g}: expected a multiple of the unloaded latency "
                "above 1, such as 2"
            )
            raise InputError(message)
        _ = self.traffic

    @property
    def traffic(self) -> tuple[float, str] | None:
        """The traffic `at` as a number and its unit, one of `TRAFFIC_UNITS`."""
        if self.at is None:
            return None
        text = str(self.at)
        match = _TRAFFIC.fullmatch(text)
        number = math.nan
        if match is not None:
            try:
                number = float(match["number"])
            except ValueError:
                match = None
        if match is None or not 0 < number < math.inf:
            message = f"traffic {text}: expected a positive number, such as 0.03 or 0.1load"
            raise InputError(message)
        unit = match["unit"] or TRAFFIC_UNITS[0]
        if unit not in TRAFFIC_UNITS:
            units = ", ".join(TRAFFIC_UNITS)
            message = f"traffic {text}: found unit {unit}, expected one of {units}"
            raise InputError(message)
        if number > {"load": 1, "%": 100}.get(unit, math.inf):
            message = f"traffic {text}: {LOAD_EXPECTED}"
            raise InputError(message)
        return number, unit
