"""Networks that programs run on: their options on the command line, and their routes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weft.cli.fabric_files import load_fabric
from weft.cli.options import hardware_options, make_hardware
from weft.cli.output import talk
from weft.cli.routing import load_routing
from weft.errors import InputError
from weft.proof import prove

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.fabric import Fabric
    from weft.hardware import Hardware
    from weft.routing import Routing

__all__ = [
    "ProgramOptions",
    "network_options",
    "numbers",
    "pairs",
    "program_options",
    "routed_networks",
]


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


def program_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of programs: on which networks, by which algorithms, from which hosts."""
    for option in reversed(
        [
            click.option(
                "--algorithm",
                "algorithms",
                metavar="OPERATION=NAME",
                multiple=True,
                help="Algorithm of a collective operation, such as allreduce=ring; repeat for"
                " more. By length, as in MPICH, unless given.",
            ),
            click.option(
                "--placement",
                metavar="NAME|FILE",
                default="linear",
                show_default=True,
                help="Hosts of the ranks: linear, round_robin (over switches), random, or a file"
                " with a host per line.",
            ),
            click.option(
                "--seed",
                type=click.IntRange(0, 2**64 - 1),
                default=1,
                show_default=True,
                help="What random placements and orders are drawn by.",
            ),
        ]
    ):
        command = option(command)
    return network_options(command)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramOptions:
    """What stands on the command line for every program."""

    fabrics: Sequence[Path]
    routings: Sequence[str]
    messaging: Sequence[str]
    hardware_name: str
    changes: Sequence[str]
    algorithms: Sequence[str]
    placement: str
    seed: int
    as_json: bool

    @property
    def hardware(self) -> Hardware:
        """The machine."""
        return make_hardware(self.hardware_name, self.changes)

    @property
    def messaging_parameters(self) -> dict[str, float]:
        """Value by parameter of the messaging layer."""
        return numbers("--messaging", self.messaging)

    @property
    def chosen_algorithms(self) -> dict[str, str]:
        """Algorithm by collective operation."""
        return pairs("--algorithm", self.algorithms)


def pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    """Read an option given as ``KEY=VALUE``, as often as it was; another form is an InputError."""
    found = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign or not key.strip() or not value.strip():
            message = f"{option} {text}: expected KEY=VALUE"
            raise InputError(message)
        found[key.strip()] = value.strip()
    return found


def numbers(option: str, texts: Sequence[str]) -> dict[str, float]:
    """Read an option given as ``KEY=NUMBER``, as often as it was; another form is an InputError."""
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
    """Route each network by each routing or file of routes, and say which may deadlock."""
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
