"""Networks that programs run on: their options on the command line, and their routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from weft.cli.errors import PROPERTY_DOES_NOT_HOLD
from weft.cli.fabric_files import EndOptions, load_fabric
from weft.cli.machines import HardwareOptions, machine_document
from weft.cli.named_types import MESSAGING_KEY, ROUTING
from weft.cli.options import FILE, Options, argument, flag, group, option, pairs
from weft.cli.output import talk
from weft.cli.routing import load_routing
from weft.errors import InputError
from weft.event_files import read_events
from weft.placement import computer_of_host, place_ranks
from weft.proof import prove
from weft.quantities import parse_quantity
from weft.replay import MOST_ADAPTERS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.fabric import Fabric
    from weft.hardware import Hardware
    from weft.proof import Proof
    from weft.rehearsal import Event, Retries
    from weft.routing import Routing

__all__ = [
    "ComputerOptions",
    "EventOptions",
    "JobsOptions",
    "MessagingOptions",
    "Network",
    "NetworkOptions",
    "ProgramOptions",
    "refuse_unproved",
    "routed_by",
    "unproved_flag",
]


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


class MessagingOptions(Options):
    """What is between programs and network."""

    messaging: Sequence[str] = option(
        "Change a parameter of the messaging layer, such as packet_bytes=2KiB or acknowledged=1;"
        " repeat for more. The reference lists them.",
        metavar="KEY=VALUE",
        type=MESSAGING_KEY,
        multiple=True,
    )

    @property
    def parameters(self) -> dict[str, float]:
        """Value by parameter of the messaging layer."""
        found = {}
        for key, value in pairs("--messaging", self.messaging).items():
            try:
                found[key] = float(parse_quantity(key, value))
            except (InputError, ValueError) as error:
                told = error if isinstance(error, InputError) else "expected a number"
                message = f"--messaging {key}={value}: {told}"
                raise InputError(message) from error
        return found


def routed_by(
    fabric: Fabric, machine: Hardware, specifications: Sequence[str], *, unproved: bool
) -> list[Network]:
    """Route a network by each routing or file of routes, and say which may deadlock."""
    networks = []
    for specification in specifications:
        routing = load_routing(fabric, specification)
        refuse_unproved(prove(fabric, routing), routing, fabric, unproved=unproved)
        networks.append(Network(fabric, routing, machine))
    return networks


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
    layer: MessagingOptions = group(MessagingOptions)
    unproved: bool = unproved_flag()

    def routed(self) -> list[Network]:
        """Route each network by each routing or file of routes, and say which may deadlock."""
        self.hardware.check()
        networks: list[Network] = []
        for path in self.fabrics:
            fabric = load_fabric(path, self.ends).fabric
            machine = self.hardware.on(fabric)
            networks += routed_by(fabric, machine, self.routings, unproved=self.unproved)
        return networks


class ComputerOptions(Options):
    """Which hosts are one computer."""

    by_computer: bool = flag(
        "Ranks on one computer of several adapters, as names tell, speak past the network."
    )

    def nodes(self, fabric: Fabric) -> list[int] | None:
        """Tell the computer of each host, where that is asked for."""
        return computer_of_host(fabric) if self.by_computer else None


class EventOptions(Options):
    """What happens to networks meanwhile."""

    events: Path | None = option(
        "What fails, returns and is written meanwhile on every network: a file as of"
        " `weft rehearse`.",
        type=FILE,
        metavar="FILE.toml",
    )

    def on(self, fabric: Fabric) -> tuple[list[Event], Retries | None]:
        """Read what happens to a network, and how sources send again what is lost."""
        return ([], None) if self.events is None else read_events(self.events, fabric)


class JobsOptions(Options):
    """A network, a file of jobs on it, and what is between them."""

    fabric: Path = argument(type=FILE)
    file: Path = argument(type=FILE, metavar="JOBS")
    hardware: HardwareOptions = group(HardwareOptions)
    ends: EndOptions = group(EndOptions)
    layer: MessagingOptions = group(MessagingOptions)
    computers: ComputerOptions = group(ComputerOptions)
    unproved: bool = unproved_flag()

    def routed(self, specifications: Sequence[str]) -> list[Network]:
        """Route the network by each routing or file of routes, and say which may deadlock."""
        self.hardware.check()
        fabric = load_fabric(self.fabric, self.ends).fabric
        machine = self.hardware.on(fabric)
        return routed_by(fabric, machine, specifications, unproved=self.unproved)


class ProgramOptions(Options):
    """On which networks, by which algorithms, from which hosts."""

    networks: NetworkOptions = group(NetworkOptions)
    algorithms: Sequence[str] = option(
        "Algorithm of a collective operation, such as allreduce=ring or"
        " allreduce=ring:channels=4,chunk_bytes=524288; repeat for more. By length, as in MPICH,"
        " unless given.",
        "--algorithm",
        metavar="OPERATION=NAME",
        multiple=True,
    )
    placement: str = option(
        "Hosts of the ranks: linear, round_robin (over switches), scattered, packed, by_computer"
        " (the adapters of each together), random, or a file with a host per line.",
        metavar="NAME|FILE",
        default="linear",
    )
    per_host: int = option(
        "Ranks on a host, which share its adapter.", type=click.IntRange(1), default=1
    )
    adapters: int = option(
        "Adapters of a rank, each a host, of one computer where names tell some with several."
        " Channels of collective operations, and queue pairs of schedules (nic), take them in"
        " turn.",
        type=click.IntRange(1, MOST_ADAPTERS),
        default=1,
    )
    computers: ComputerOptions = group(ComputerOptions)
    seed: int = option(
        "What random placements and orders are drawn by.",
        type=click.IntRange(0, 2**64 - 1),
        default=1,
    )

    def place(self, fabric: Fabric, ranks: int, seed: int | None = None) -> list[int]:
        """Choose the hosts of each rank, random ones by the seed given if there is one."""
        if self.per_host > 1 and self.adapters > 1:
            both = f"--per-host {self.per_host} with --adapters {self.adapters}"
            message = f"{both}; expected one of the two"
            raise InputError(message)
        return place_ranks(
            fabric,
            ranks,
            self.placement,
            seed=self.seed if seed is None else seed,
            per_host=self.per_host,
            adapters=self.adapters,
        )

    @property
    def chosen_algorithms(self) -> dict[str, str]:
        """Algorithm by collective operation."""
        return pairs("--algorithm", self.algorithms)
