"""Published figures that reproductions are set beside, with their provenance."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import resources

__all__ = ["PublishedFactor", "boost_table_1"]


@dataclass(frozen=True, slots=True)
class PublishedFactor:
    """A row of BOOST's table 1.

    Attributes
    ----------
    switches : int
        Switches of the networks.
    payload_bytes : int
        Payload of the packets.
    minimum, maximum, average : float
        Factor of throughput, ITB over UD, over ten topologies.
    """

    switches: int
    payload_bytes: int
    minimum: float
    maximum: float
    average: float


def boost_table_1() -> list[PublishedFactor]:
    """Return table 1 of BOOST.

    Returns
    -------
    list of PublishedFactor
    """
    file = resources.files("weft.reproduce") / "boost_table1.csv"
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return [
        PublishedFactor(
            int(row["switches"]),
            int(row["payload_bytes"]),
            float(row["factor_minimum"]),
            float(row["factor_maximum"]),
            float(row["factor_average"]),
        )
        for row in rows
    ]
