"""Hardware parameters in physical units: presets, and files that start from one."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING

from weft import _core
from weft._core import Hardware
from weft._files import read_text
from weft.errors import HardwareError, InputError
from weft.fabric import Parameter, fabric_figures
from weft.quantities import parse_quantity

if TYPE_CHECKING:
    from weft.fabric import Fabric

__all__ = [
    "Hardware",
    "HardwarePreset",
    "hardware",
    "hardware_parameters",
    "hardware_presets",
    "infiniband_preset",
    "read_hardware",
    "suited_preset",
]


@dataclass(frozen=True, slots=True)
class HardwarePreset:
    """Hardware to start from."""

    name: str  #: Name, as on the command line
    summary: str  #: What it is, in one sentence


def hardware_presets() -> list[HardwarePreset]:
    """List the presets of the hardware."""
    return [HardwarePreset(name, summary) for name, summary in _core.hardware_presets()]


def hardware_parameters(preset: str = "myrinet") -> list[Parameter]:
    """List the parameters of a preset.

    Parameters
    ----------
    preset : str
        Name of the preset.

    Raises
    ------
    HardwareError
        When no preset has the name; the nearest one is suggested.
    """
    return [Parameter(**entry) for entry in _core.hardware_parameters(preset)]


def hardware(preset: str = "myrinet", **changes: float | str) -> Hardware:
    """Take a preset and change parameters of it.

    Parameters
    ----------
    preset : str
        Name of the preset.
    **changes : int, float or str
        New values by parameter name, in the unit the name says.

    Raises
    ------
    HardwareError
        When the preset or a parameter is unknown (the nearest name is suggested), a value is out
        of range, or the values contradict one another.

    Examples
    --------
    >>> import weft
    >>> weft.hardware("myrinet", routing_delay_ns=150).cycle_ns
    6.25
    """
    return _core.hardware(preset, _texts(changes))


#: A parameter with a text for its value.
_QUANTITY = re.compile(
    r"^(?P<key>[ \t]*+(?P<name>\w++)[ \t]*+=[ \t]*+)[\"](?P<text>[^\"\\\n]*+)[\"]", re.MULTILINE
)

#: The preset for links of an InfiniBand generation. Presets differ in their switches; rates come
#: from the fabric, so that generations without one take the next.
_PRESETS = {
    **dict.fromkeys(("SDR", "DDR", "QDR", "FDR10", "FDR"), "infiniband_fdr"),
    "EDR": "infiniband_edr",
    "HDR": "infiniband_hdr",
    "NDR": "infiniband_ndr",
    "XDR": "infiniband_ndr",
}

#: Plain rates in Gbit/s below this are Myrinet's, whose links carry 0.64 to 2.
_FASTER_THAN_MYRINET = 2.5
#: The fastest links in Gbit/s, as makers round them, that each of the presets is for.
_FASTEST = (
    (56.0, "infiniband_fdr"),
    (100.0, "infiniband_edr"),
    (200.0, "infiniband_hdr"),
    (math.inf, "infiniband_ndr"),
)


def infiniband_preset(fabric: Fabric) -> str | None:
    """Find the preset of InfiniBand that suits the link rates of a fabric.

    Parameters
    ----------
    fabric : Fabric
        The network.

    Returns
    -------
    str or None
        Name of the preset for the generation that most links are of, by its word, such as 4xHDR,
        or by a plain rate, as Omni-Path has: of 100 Gbit/s, that of EDR. None where no link
        has a rate, or plain ones below 2.5 Gbit/s alone, which are Myrinet's.

    Examples
    --------
    >>> import weft
    >>> weft.infiniband_preset(weft.torus(4, 4)) is None
    True
    """
    counts: dict[str, int] = {}
    for rate, links in fabric_figures(fabric).rates.items():
        preset = _preset_of_rate(rate)
        if preset is not None:
            counts[preset] = counts.get(preset, 0) + links
    return max(counts, key=lambda preset: counts[preset], default=None)


def _preset_of_rate(rate: str) -> str | None:
    number, unit, _ = rate.partition(" Gbit/s")
    if not unit:
        return _PRESETS.get(rate.rpartition("x")[2])
    plain = float(number)
    if plain < _FASTER_THAN_MYRINET:
        return None
    return next(preset for fastest, preset in _FASTEST if plain <= fastest)


def suited_preset(fabric: Fabric) -> str:
    """Find the preset that commands take where none is named.

    Parameters
    ----------
    fabric : Fabric
        The network.

    Returns
    -------
    str
        That of :func:`infiniband_preset`, and ``"myrinet"`` where there is none.

    Examples
    --------
    >>> import weft
    >>> weft.suited_preset(weft.torus(4, 4))
    'myrinet'
    """
    return infiniband_preset(fabric) or "myrinet"


def read_hardware(path: str | os.PathLike[str], **changes: float | str) -> Hardware:
    """Read hardware parameters from a TOML file.

    The key ``preset`` names where to start; every other key is a parameter that differs. Times and
    sizes may have units, as in ``routing_delay_ns = "0.2us"``.

    Parameters
    ----------
    path : path-like
        File to read.
    **changes : int, float or str
        New values by parameter name, on top of the file's.

    Raises
    ------
    HardwareError
        When the content is not valid; the text names the line and the nearest known key.
    InputError
        When there is no such file.
    EnvironmentFailure
        When the machine does not let the file be read.
    """
    content = _plain(read_text(path, "a hardware file (TOML)"), os.fspath(path))
    return _core.read_hardware(content, os.fspath(path), _texts(changes))


def _plain(content: str, path: str) -> str:
    """Write quantities with units as the numbers they stand for, each in its place."""

    def number(found: re.Match[str]) -> str:
        try:
            plain = parse_quantity(found["name"], found["text"])
        except InputError as error:
            line = content.count("\n", 0, found.start()) + 1
            message = f"{path}:{line}: parameter {found['name']}: {error}"
            raise HardwareError(message) from error
        return found[0] if plain == found["text"] else found["key"] + plain

    return _QUANTITY.sub(number, content)


def _texts(changes: dict[str, float | str]) -> dict[str, str]:
    """Write values as they stand in a hardware file."""
    return {name: _text(name, value) for name, value in changes.items()}


def _text(name: str, value: object) -> str:
    if isinstance(value, (str, Real)) and not isinstance(value, bool):
        return str(value)
    message = f"{name}: found {value!r}, expected a number or a text"
    raise HardwareError(message)
