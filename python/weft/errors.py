"""What can go wrong, as one family of exceptions.

::

    WeftError
    ├── InputError (also a ValueError)   the user's file, parameter or option
    │   ├── FormatError                  a file that cannot be read, or a format for one
    │   ├── FabricError                  parts that make no fabric
    │   ├── RoutingError                 an unknown algorithm or parameter, or no route
    │   │   └── NoRepairError            tables that cannot be repaired with traffic going on
    │   ├── HardwareError                a hardware parameter
    │   ├── TrafficError                 a traffic parameter
    │   └── StudyError                   a study's parameters
    ├── ResultsError                     a results file that does not fit the study
    ├── EnvironmentFailure               disk full, no permission
    └── Cancelled                        a run that was asked to stop

The text of an exception says what was found, what was expected and what to do.
"""

from __future__ import annotations

__all__ = [
    "Cancelled",
    "EnvironmentFailure",
    "FabricError",
    "FormatError",
    "HardwareError",
    "InputError",
    "NoRepairError",
    "ResultsError",
    "RoutingError",
    "StudyError",
    "TrafficError",
    "WeftError",
]


class WeftError(Exception):
    """Anything Weft reports as an error."""


class InputError(WeftError, ValueError):
    """Something the user gave is not valid."""


class FormatError(InputError):
    """A file could not be read (the text names file, line and what was expected), or not written.

    Not written when the format is unknown or cannot hold what should be in the file.
    """


class FabricError(InputError):
    """Switches, hosts and links make no fabric, or a generator's parameter is out of range."""


class RoutingError(InputError):
    """No such routing algorithm or parameter, or the algorithm cannot route this fabric."""


class NoRepairError(RoutingError):
    """No routes for what failed keep clear of deadlock beside the old ones: route anew."""


class HardwareError(InputError):
    """A hardware parameter is unknown, out of range or contradicts another."""


class TrafficError(InputError):
    """A traffic parameter is unknown or out of range."""


class StudyError(InputError):
    """The parameters of a study contradict one another or are out of range."""


class ResultsError(WeftError):
    """A results file is damaged or belongs to another study."""


class EnvironmentFailure(WeftError):  # noqa: N818 - it is no error of Weft or of its user
    """The machine refused: the disk is full, a permission is missing."""


class Cancelled(WeftError):  # noqa: N818 - it is no error of Weft or of its user
    """A run ended early because its :class:`weft.Cancel` asked it to."""
