"""The machine: its options on the command line, and which one suits a fabric."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.cli.named_types import HARDWARE, HARDWARE_KEY
from weft.cli.options import Options, option, pairs
from weft.cli.output import talk
from weft.errors import StudyError
from weft.fabric import fabric_figures
from weft.hardware import hardware, read_hardware, suited_preset
from weft.quantities import parse_quantity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.fabric import Fabric
    from weft.hardware import Hardware

__all__ = ["HardwareOptions", "machine_document", "machine_pairs", "machine_text", "once"]


#: Ends of names that are files even where there is none: plain and packed.
_FILE_ENDS = (".toml", ".gz", ".xz", ".zst")


class HardwareOptions(Options):
    """The machine."""

    name: str | None = option(
        "The machine: a preset, or a TOML file that starts from one.",
        "--hardware",
        metavar="PRESET|FILE.toml",
        type=HARDWARE,
        default=None,
        show_default="the preset of InfiniBand that suits the rates in the file; else myrinet",
    )
    changes: Sequence[str] = option(
        "Change a hardware parameter, such as routing_delay_ns=100; repeat for more."
        " `weft hardware` lists them.",
        "--set",
        metavar="KEY=VALUE",
        type=HARDWARE_KEY,
        multiple=True,
    )

    def made(self, otherwise: str) -> Hardware:
        """Return the machine that is named, or else a preset, as changed."""
        name = self.name or otherwise
        expected = "KEY=VALUE, such as routing_delay_ns=100 or timeout_ns=1.5ms"
        given = pairs("--set", self.changes, StudyError, expected)
        values = {name: parse_quantity(name, value) for name, value in given.items()}
        is_file = Path(name).suffix in _FILE_ENDS or Path(name).exists()
        return (read_hardware if is_file else hardware)(name, **values)

    def check(self) -> None:
        """Refuse a machine that is named and cannot be, before anything that takes time."""
        if self.name is not None:
            self.made(self.name)

    def on(self, fabric: Fabric) -> Hardware:
        """Return the machine that is named, or else what suits the fabric, as changed.

        Where the rates of the fabric's links are not those of the machine, that is noted.
        """
        made = self.made(suited_preset(fabric))
        _note_rates(fabric, made)
        return made


def machine_pairs(machines: Sequence[tuple[Fabric, Hardware]]) -> dict[str, str]:
    """Name the machine of every fabric, once where it is the same."""
    return once("hardware", {fabric.name: machine_text(machine) for fabric, machine in machines})


def once(what: str, of_fabric: Mapping[str, str]) -> dict[str, str]:
    """Return what is so of every fabric as one pair where it is alike, else as one a fabric."""
    texts = set(of_fabric.values())
    if len(texts) == 1:
        return {what: texts.pop()}
    return {f"{what} of {name}": text for name, text in of_fabric.items()}


def machine_document(machine: Hardware) -> dict[str, Any]:
    """Return a machine as documents have it: its preset and all its parameters."""
    return {"preset": machine.preset, **machine.parameters}


def machine_text(machine: Hardware) -> str:
    """Name a machine: its preset, the rate of its links and what of it was changed."""
    usual = hardware(machine.preset).parameters
    changed = [
        f"{name}={value}" for name, value in machine.parameters.items() if usual[name] != value
    ]
    from_fabric = machine.parameters.get("link_rates") == "fabric"
    rate = (
        "links at the rates of the fabric"
        if from_fabric
        else f"links of {machine.link_rate_bytes_per_ns:g} bytes/ns"
    )
    return ", ".join([machine.preset, rate, *changed])


def _note_rates(fabric: Fabric, machine: Hardware) -> None:
    # Plain rates are used; those in InfiniBand's words may be of other hardware.
    if machine.parameters.get("link_rates") == "fabric":
        return
    rates = fabric_figures(fabric).rates
    others = {rate: count for rate, count in rates.items() if not rate.endswith("Gbit/s")}
    if others:
        found = ", ".join(f"{count} {rate}" for rate, count in others.items())
        talk(
            f"note: link rates of the file ({found}) are not used; the hardware {machine.preset} "
            f"gives these links {machine.link_rate_bytes_per_ns:g} bytes/ns"
        )
