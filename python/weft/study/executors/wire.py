"""Points and measurements as bytes, exact to the last bit, for other processes and machines.

JSON throughout: a double comes back from its shortest decimal form as the same double, arrays are
the bytes of their little-endian numbers.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

from weft.errors import ResultsError

if TYPE_CHECKING:
    from weft.simulate import Measurement
    from weft.study.executors.interface import RoutedCase

__all__ = ["conditions_of", "read_measurement", "spec_of", "written_measurement"]


def conditions_of(routed: RoutedCase) -> dict[str, Any]:
    """Return what decides the figures of a sweep, but its fabric, as plain values.

    Parameters
    ----------
    routed : RoutedCase
        Fabric, routing and conditions.
    """
    from weft.results.machine import weft_version

    spec = routed.spec
    return {
        "weft": weft_version(),
        "fabric": routed.fabric_digest,
        "routing": routed.specification,
        "identity": spec.identity(),
        "loads": None if spec.loads is None else list(spec.loads),
    }


def spec_of(conditions: dict[str, Any]) -> Any:  # noqa: ANN401 - a StudySpec, imported late
    """Restore the spec of a sweep from `conditions_of`.

    Parameters
    ----------
    conditions : dict
        Plain values.

    Returns
    -------
    StudySpec

    Raises
    ------
    ResultsError
        When they come from another version of Weft, which may measure other figures.
    """
    from weft.results.machine import weft_version
    from weft.study.spec import StudySpec

    if conditions["weft"] != weft_version():
        message = (
            f"this machine has Weft {weft_version()} and the study was begun by "
            f"{conditions['weft']}; install the same version everywhere"
        )
        raise ResultsError(message)
    loads = conditions["loads"]
    return StudySpec.from_identity(
        conditions["identity"],
        (conditions["routing"],),
        None if loads is None else tuple(loads),
    )


def written_measurement(measurement: Measurement, wall_s: float) -> bytes:
    """Write a measurement and the seconds it took.

    Parameters
    ----------
    measurement : Measurement
        What was measured.
    wall_s : float
        Seconds it took.
    """
    arrays = {
        name: [
            array.dtype.newbyteorder("<").str,
            list(array.shape),
            b64encode(_little(array)).decode(),
        ]
        for name, array in measurement.arrays().items()
    }
    document = {"wall_s": wall_s, "figures": measurement.to_dict(), "arrays": arrays}
    return json.dumps(document).encode()


def read_measurement(content: bytes) -> tuple[Measurement, float]:
    """Read what `written_measurement` wrote.

    Parameters
    ----------
    content : bytes
        The bytes.

    Returns
    -------
    tuple of Measurement and float
        The measurement, and the seconds it took.
    """
    import numpy as np

    from weft.simulate import Measurement

    document = json.loads(content)
    arrays = {
        name: np.frombuffer(b64decode(text), dtype=dtype).reshape(shape)
        for name, (dtype, shape, text) in document["arrays"].items()
    }
    return Measurement.from_dict(document["figures"], arrays), document["wall_s"]


def _little(array: Any) -> bytes:  # noqa: ANN401 - an array of any type
    return bytes(array.astype(array.dtype.newbyteorder("<")).tobytes())
