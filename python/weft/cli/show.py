"""``weft fabric show``: what a person wants to know of a network."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft import plots
from weft._numbers import in_percent
from weft.cli.fabric_files import (
    EndOptions,
    fabric_document,
    links_text,
    note_text,
    print_port_errors,
)
from weft.cli.options import FILE, WRITTEN, Options, argument, command, group, json_flag, option
from weft.cli.output import Column, emit_json, print_pairs, print_table, say, tell_undrawn
from weft.cli.rails import computer_pairs, print_rails
from weft.cli.several_networks import print_networks
from weft.cli.suspicions import print_suspicions
from weft.errors import WeftError
from weft.fabric import (
    ends_in_each,
    fabric_figures,
    find_computers,
    inspect_fabric,
    read_fabric,
    subnets,
)

if TYPE_CHECKING:
    from pathlib import Path

    from weft.fabric import (
        BisectionBounds,
        Computers,
        Fabric,
        FabricFigures,
        FabricFile,
        FabricInspection,
        LevelFigures,
        PortUse,
    )

__all__ = ["show"]

_SHOWN_PORT_USES = 8
_SHOWN_DISTANCES = 8
_SHOWN_AGAINST = 8
#: What says that an end is a service end, for people.
_SAID_BY = {
    "description": "description",
    "inside_switch": "being inside a switch",
    "place": "place, on a level of the tree without compute ends",
    "told": "what was told",
}


class _Options(Options):
    file: Path = argument(type=FILE)
    ends: EndOptions = group(EndOptions)
    drawing: Path | None = option(
        "Draw the network too, into a file that ends in .svg, .png or .pdf.",
        "--draw",
        type=WRITTEN,
        metavar="PICTURE",
    )
    as_json: bool = json_flag()


@command(_Options, short_help="Show what a fabric file contains.")
def show(options: _Options) -> None:
    """Show what a fabric file contains, and what in it looks like a fault.

    Distances count links between switches. Papers on irregular networks often count the switches
    of a path instead, over all ordered pairs, a switch and itself included: both are shown.

    The bisection is bounded, not solved: its width is at most the links between two halves that a
    local search found, and at least what an even flow between all hosts needs. Of a tree, every
    level is listed with what the hosts below can inject over what its links up carry.

    A switch or link is suspected when most of its kind are different. What costs most comes first:
    parts cut off, links that work one way, slow links, missing and swapped cables, then numbers of
    links that differ and ports that lie idle.

    Where the names of ends give computers with several, these are counted, and rails are listed:
    switches that have the same adapter of every computer. A file that holds several networks, such
    as the dumps of two rails one after the other, is shown network by network.

    \b
    Examples:
      weft fabric show cluster.ibnetdiscover
      weft fabric show cluster.ibnetdiscover --draw cluster.svg
    """
    drawing, ends = options.drawing, options.ends
    read = read_fabric(options.file, service=ends.service, compute=ends.compute, subnet=ends.subnet)
    networks = subnets(read.fabric)
    if drawing is not None and not _draw(read.fabric, drawing):
        drawing = None
    shown = [_Shown.of(read.of_network(fabric)) for fabric in networks]
    if options.as_json:
        kind, document = (
            ("fabric-show", shown[0].document())
            if len(shown) == 1
            else ("fabric-show-subnets", _several(read, networks, shown))
        )
        emit_json(kind, document if drawing is None else {**document, "drawing": drawing})
        return
    if len(shown) > 1:
        print_networks(read.fabric, networks)
    for number, network in enumerate(shown):
        if number or len(shown) > 1:
            say()
        network.print()
    for note in read.notes:
        say(f"of note: {note_text(note)}")
    if drawing is not None:
        say(f"drawn in {drawing}")


def _several(read: FabricFile, networks: list[Fabric], shown: list[_Shown]) -> dict[str, Any]:
    """Gather what is printed of a file with several networks."""
    return {
        "name": read.fabric.name,
        "format": read.format,
        "computers": find_computers(read.fabric),
        "ends_in_each": ends_in_each(read.fabric, networks),
        "subnets": [network.document() for network in shown],
    }


@dataclass(frozen=True, slots=True)
class _Shown:
    """One network and what is to be shown of it."""

    read: FabricFile
    figures: FabricFigures
    inspection: FabricInspection
    computers: Computers

    @classmethod
    def of(cls, read: FabricFile) -> _Shown:
        fabric = read.fabric
        return cls(read, fabric_figures(fabric), inspect_fabric(fabric), find_computers(fabric))

    def document(self) -> dict[str, Any]:
        return {
            **fabric_document(self.read, self.figures),
            "inspection": self.inspection,
            "computers": self.computers,
            "ports": self.read.ports,
        }

    def print(self) -> None:
        inspection = self.inspection
        print_pairs(_pairs(self))
        if inspection.levels:
            say()
            _print_levels(inspection.levels)
            for text in inspection.against_levels[:_SHOWN_AGAINST]:
                say(f"against these levels: {text}")
            more = len(inspection.against_levels) - _SHOWN_AGAINST
            if more > 0:
                say(f"against these levels: {more} more, see --json")
        print_rails(self.computers)
        if inspection.suspicions:
            say()
        print_suspicions(inspection.suspicions)
        print_port_errors(self.read.ports)


def _draw(fabric: Fabric, path: Path) -> bool:
    """Draw a fabric, and tell whether that could be done; where not, the rest is shown."""
    try:
        plots.wiring_chart(fabric).save(path)
    except WeftError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told
        tell_undrawn()("of the wiring", error)
        return False
    return True


def _pairs(shown: _Shown) -> dict[str, str]:
    read, figures, inspection = shown.read, shown.figures, shown.inspection
    rates = ", ".join(f"{rate}: {count}" for rate, count in figures.rates.items())
    low, high = figures.hosts_per_switch_min, figures.hosts_per_switch_max
    pairs = {
        "fabric": f"{read.fabric.name} ({read.format})",
        "fingerprint": f"{read.fabric.fingerprint:016x}",
        "wiring": f"{read.fabric.wiring_fingerprint:016x}, whatever the names",
        "switches": f"{figures.switches}, up to {figures.radix_max} ports",
        "wired ports": _port_use(inspection.port_use),
        "hosts": f"{figures.hosts}, {low if low == high else f'{low} to {high}'} per switch",
        **_service(read.fabric),
        **computer_pairs(shown.computers),
        "links": (
            f"{figures.links}: {figures.switch_links} between switches, "
            f"{figures.host_links} to hosts"
        ),
        "parallel": f"{figures.parallel_links} links beside another, {figures.self_links} loops",
        "link rates": rates or "not given",
        "parts": str(figures.components),
        "diameter": ("–" if figures.diameter_links is None else links_text(figures.diameter_links)),
        "mean distance": _number(figures.mean_distance_links, "links, distinct switches"),
        "mean path": _number(figures.mean_path_switches, "switches, all pairs"),
        "between hosts": (
            _number(inspection.mean_host_distance_links, "links, those of the hosts included")
        ),
        "host pairs": _host_pairs(inspection.host_pairs_by_distance),
        "bisection": _bisection(inspection.bisection),
    }
    if inspection.structure is not None:
        pairs["structure"] = inspection.structure.text
    over = inspection.bisection.oversubscription
    if over is not None and not inspection.levels:
        basis = _basis(inspection.bisection.found_gbit_per_s is not None)
        pairs["oversubscribed"] = f"{over:.2f} : 1, half of the hosts {basis}"
    if not inspection.suspicions:
        pairs["suspect"] = "nothing"
    return pairs


def _service(fabric: Fabric) -> dict[str, str]:
    """Count the service ends by what says that they are such."""
    reasons = Counter(reason for reason in fabric.host_service if reason is not None)
    if not reasons:
        return {}
    by = ", ".join(f"{count} by {_SAID_BY[reason]}" for reason, count in reasons.items())
    computes = fabric.host_service.count(None)
    return {"service ends": f"{reasons.total()}: {by}; {computes} compute ends"}


def rate_text(gbit_per_s: float) -> str:
    """Write a rate, that of a million links too, without a power of ten."""
    return f"{gbit_per_s:g}" if gbit_per_s < 1e6 else f"{gbit_per_s:.0f}"


def _number(value: float | None, unit: str) -> str:
    return "–" if value is None else f"{value:.4f} {unit}"


def _port_use(uses: list[PortUse]) -> str:
    """Say how many switches have how many ports wired, the most frequent first."""
    ordered = sorted(uses, key=lambda use: (-use.switches, use.ports, use.wired))
    texts = [f"{use.wired} of {use.ports} on {use.switches}" for use in ordered]
    rest = sum(use.switches for use in ordered[_SHOWN_PORT_USES:])
    return ", ".join(texts[:_SHOWN_PORT_USES]) + (f", others on {rest}" if rest else "")


def _host_pairs(pairs: list[int]) -> str:
    """Say which share of the pairs of hosts is how far apart."""
    total = sum(pairs)
    if not total:
        return "–"
    far = [
        f"{distance}: {in_percent(count / total)}"
        for distance, count in enumerate(pairs[: _SHOWN_DISTANCES + 1])
        if count and distance
    ]
    farther = sum(pairs[_SHOWN_DISTANCES + 1 :])
    if farther:
        far.append(f"more: {in_percent(farther / total)}")
    text = f"{in_percent(pairs[0] / total)} on one switch"
    return f"{text}; by links between their switches {', '.join(far)}" if far else text


def _bisection(bounds: BisectionBounds) -> str:
    text = f"at most {links_text(bounds.at_most_links)} (local search)"
    if bounds.at_least_links == bounds.at_most_links:
        text = f"{links_text(bounds.at_most_links)} (local search and even flow agree)"
    elif bounds.at_least_links is not None:
        text += f", at least {bounds.at_least_links} (even flow)"
    if bounds.found_gbit_per_s is not None and bounds.at_most_links:
        text += f"; those found carry {rate_text(bounds.found_gbit_per_s)} Gbit/s each way"
    return text


def _basis(is_by_rate: bool) -> str:
    return "over the bisection, by rate" if is_by_rate else "over the bisection, by links"


def _print_levels(levels: list[LevelFigures]) -> None:
    """Print the levels of a tree, the leaves first."""

    def over(quotient: float | None) -> str:
        return "–" if quotient is None else f"{quotient:.2f} : 1"

    def links(count: int, gbit_per_s: float | None) -> str:
        return str(count) if not gbit_per_s else f"{count} ({rate_text(gbit_per_s)})"

    rates_known = all(
        rate is not None
        for level in levels
        for rate in (level.injection_gbit_per_s, level.down_gbit_per_s, level.up_gbit_per_s)
    )
    unit = "(Gbit/s)" if rates_known else ""
    columns = [
        Column("level", is_number=False),
        Column("switches"),
        Column("hosts"),
        Column("links down", unit),
        Column("links up", unit),
        Column("oversubscribed", "by rate" if rates_known else "by links"),
        Column("narrowest switch", is_number=False),
    ]
    rows = [
        [
            f"{number}, the leaves" if number == 0 else str(number),
            str(level.switches),
            str(level.hosts),
            links(level.down_links, level.down_gbit_per_s if rates_known else None),
            links(level.up_links, level.up_gbit_per_s if rates_known else None),
            over(level.oversubscription),
            "–"
            if level.narrowest_switch is None
            else f"{level.narrowest_switch}, {over(level.narrowest_oversubscription)}",
        ]
        for number, level in enumerate(levels)
    ]
    print_table(columns, rows)
