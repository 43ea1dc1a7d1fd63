"""Networks that programs run on: their options on the command line, and their routes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weft.cli.fabric import load_fabric
from weft.cli.options import hardware_options
from weft.cli.output import talk
from weft.cli.routing import load_routing
from weft.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.fabric import Fabric
    from weft.routing import Routing

__all__ = ["network_options", "numbers", "pairs", "routed_networks"]


def network_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say on which networks, and with what between hosts and network."""
    for option in reversed(
        [
            click.option(
                "--fabric",
                "fabrics",
                type=click.Path(path_type=Path),
                multiple=True,
                required=True,
                help="The network; repeat to compare several.",
            ),
            click.option(
                "--routing",
                "routings",
                metavar="SPEC|FILE",
                multiple=True,
                required=True,
                help="The routing, or a file of routes; repeat to compare several.",
            ),
            click.option(
                "--messaging",
                metavar="KEY=VALUE",
                multiple=True,
                help="Change a parameter of the messaging layer, such as packet_bytes=1792 or"
                " acknowledged=1; repeat for more. The reference lists them.",
            ),
        ]
    ):
        command = option(command)
    return hardware_options(command)


def pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    """Read an option given as ``KEY=VALUE``, as often as it was.

    Parameters
    ----------
    option : str
        Its name.
    texts : sequence of str
        What was given.

    Raises
    ------
    InputError
        When one is not of that form.
    """
    found = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign or not key.strip() or not value.strip():
            message = f"{option} {text}: expected KEY=VALUE"
            raise InputError(message)
        found[key.strip()] = value.strip()
    return found


def numbers(option: str, texts: Sequence[str]) -> dict[str, float]:
    """Read an option given as ``KEY=NUMBER``, as often as it was.

    Parameters
    ----------
    option : str
        Its name.
    texts : sequence of str
        What was given.

    Raises
    ------
    InputError
        When one is not of that form.
    """
    found = {}
    for key, value in pairs(option, texts).items():
        try:
            found[key] = float(value)
        except ValueError as error:
            message = f"{option} {key}={value}: expected a number"
            raise InputError(message) from error
    return found


def routed_networks(
    fabrics: Sequence[Path], routings: Sequence[str]
) -> list[tuple[Fabric, Routing]]:
    """Route each network by each routing, and say which may deadlock.

    Parameters
    ----------
    fabrics : sequence of Path
        Files of the networks.
    routings : sequence of str
        Specifications of the routings, or files of routes.
    """
    from weft.proof import prove

    networks = []
    for path in fabrics:
        fabric = load_fabric(path).fabric
        for specification in routings:
            routing = load_routing(fabric, specification)
            proof = prove(fabric, routing)
            if not proof.deadlock_free:
                talk(
                    f"note: {routing.label} on {fabric.name} is not proved deadlock-free"
                    f" ({proof.verdict}); simulating on"
                )
            networks.append((fabric, routing))
    return networks
