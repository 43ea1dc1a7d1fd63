"""Networks that programs run on: their options on the command line, and their routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from weft.cli.errors import PROPERTY_DOES_NOT_HOLD
from weft.cli.fabric_files import EndOptions, load_fabric
from weft.cli.machines import HardwareOptions, machine_document
from weft.cli.named_types import MESSAGING_KEY, ROUTING
from weft.cli.options import FILE, Options, flag, group, option, pairs
from weft.cli.output import talk
from weft.cli.routing import load_routing
from weft.errors import InputError
from weft.proof import prove

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.fabric import Fabric
    from weft.hardware import Hardware
    from weft.proof import Proof
    from weft.routing import Routing

__all__ = ["Network", "NetworkOptions", "ProgramOptions", "refuse_unproved", "unproved_flag"]


def unproved_flag() -> Any:  # noqa: ANN401 - as `flag`
    """Describe ``--unproved`` of commands that simulate."""
    return flag("Simulate routes that can deadlock, too.")


def refuse_unproved(proof: Proof, routing: Routing, fabric: Fabric, *, unproved: bool) -> None:
    """End with exit code 1 where routes are not proved deadlock-free, unless they may be so."""
    if proof.deadlock_free:
        return
    told = f"{routing.label} on {fabric.name} is not proved deadlock-free ({proof.verdict})"
    if unproved:
        talk(f"note: {told}; simulating on")
        return
    talk(f"{told}; not simulated")
    talk("hint: choose another routing, or give --unproved; `weft prove` shows the cycle")
    click.get_current_context().exit(PROPERTY_DOES_NOT_HOLD)


class Network(NamedTuple):
    """A network that a program runs on."""

    fabric: Fabric
    routing: Routing
    machine: Hardware

    def document(self) -> dict[str, Any]:
        """Return what every document says of it."""
        return {
            "fabric": self.fabric.name,
            "routing": self.routing.label,
            "hardware": machine_document(self.machine),
        }


class NetworkOptions(Options):
    """On which networks, and with what between hosts and network."""

    hardware: HardwareOptions = group(HardwareOptions)
    ends: EndOptions = group(EndOptions)
    fabrics: Sequence[Path] = option(
        "The network; repeat to compare several.",
        "--fabric",
        type=FILE,
        multiple=True,
        required=True,
    )
    routings: Sequence[str] = option(
        "The routing, or a file of routes; repeat to compare several.",
        "--routing",
        metavar="SPEC|FILE",
        type=ROUTING,
        multiple=True,
        required=True,
    )
    messaging: Sequence[str] = option(
        "Change a parameter of the messaging layer, such as packet_bytes=1792 or acknowledged=1;"
        " repeat for more. The reference lists them.",
        metavar="KEY=VALUE",
        type=MESSAGING_KEY,
        multiple=True,
    )

    unproved: bool = unproved_flag()

    @property
    def messaging_parameters(self) -> dict[str, float]:
        """Value by parameter of the messaging layer."""
        found = {}
        for key, value in pairs("--messaging", self.messaging).items():
            try:
                found[key] = float(value)
            except ValueError as error:
                message = f"--messaging {key}={value}: expected a number"
                raise InputError(message) from error
        return found

    def routed(self) -> list[Network]:
        """Route each network by each routing or file of routes, and say which may deadlock."""
        self.hardware.check()
        networks = []
        for path in self.fabrics:
            fabric = load_fabric(path, self.ends).fabric
            machine = self.hardware.on(fabric)
            for specification in self.routings:
                routing = load_routing(fabric, specification)
                proof = prove(fabric, routing)
                refuse_unproved(proof, routing, fabric, unproved=self.unproved)
                networks.append(Network(fabric, routing, machine))
        return networks


class ProgramOptions(Options):
    """On which networks, by which algorithms, from which hosts."""

    networks: NetworkOptions = group(NetworkOptions)
    algorithms: Sequence[str] = option(
        "Algorithm of a collective operation, such as allreduce=ring; repeat for more. By length,"
        " as in MPICH, unless given.",
        "--algorithm",
        metavar="OPERATION=NAME",
        multiple=True,
    )
    placement: str = option(
        "Hosts of the ranks: linear, round_robin (over switches), random, or a file with a host"
        " per line.",
        metavar="NAME|FILE",
        default="linear",
    )
    seed: int = option(
        "What random placements and orders are drawn by.",
        type=click.IntRange(0, 2**64 - 1),
        default=1,
    )

    @property
    def chosen_algorithms(self) -> dict[str, str]:
        """Algorithm by collective operation."""
        return pairs("--algorithm", self.algorithms)
