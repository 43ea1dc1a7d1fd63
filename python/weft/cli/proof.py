"""``weft prove``: deadlock-free, with a certificate, or the shortest cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from weft._files import read_json
from weft._numbers import quantity
from weft.adaptive import chooses_among_groups, groups_in_words, judge_groups
from weft.bound_files import check_load_bound, is_load_bound, load_bound_of
from weft.channel_loads import load_figures
from weft.cli.errors import PROPERTY_DOES_NOT_HOLD
from weft.cli.fabric_files import EndOptions, fabric_line, load_fabric
from weft.cli.named_types import ROUTING
from weft.cli.options import FILE, WRITTEN, Options, argument, command, group, json_flag, option
from weft.cli.output import emit_json, picked, say, talk
from weft.cli.routing import load_routing
from weft.errors import InputError, RoutingError
from weft.load_gap import (
    are_links_alike,
    better_in_words,
    better_possible,
    bounded_load,
    is_bounded,
    loads_between_switches,
    none_below,
)
from weft.proof import (
    certificate_of,
    check_certificate,
    free_between_compute_ends,
    write_certificate,
)
from weft.proof import prove as verify

if TYPE_CHECKING:
    from pathlib import Path

    from weft.congestion import LoadBound
    from weft.fabric import Fabric
    from weft.proof import Certificate, Proof
    from weft.routing import Routing

__all__ = ["cycle_lines", "prove"]


class _Options(Options):
    fabric: Path = argument(type=FILE)
    ends: EndOptions = group(EndOptions)
    specification: str = argument(metavar="SPEC", type=ROUTING)
    certificate: Path | None = option(
        "Write the order of the channels that every route ascends to this file (JSON).",
        type=WRITTEN,
    )
    checked: Path | None = option(
        "Prove nothing anew: check that every route ascends the order in this file, or that no"
        " routing is below the bound in it.",
        "--check",
        type=FILE,
    )
    flows: int | None = option(
        "Flows of each pair of hosts where a hash decides among groups of ports; 1 when left out.",
        type=click.IntRange(1, 2**31 - 1),
    )
    as_json: bool = json_flag()


@command(_Options)
def prove(options: _Options) -> None:
    """Prove the routes of a fabric deadlock-free, or show the shortest cycle.

    SPEC is a routing such as updown:root=0, or a file of routes: what `weft route -o` wrote, or
    tables of a running cluster as OpenSM dumps them (opensm-lfts.dump, opensm.fdbs).

    Where switches choose among groups of ports, whatever they choose is proved, for each service
    level and for all together, and what channels carry is told beside it.

    The proof looks at the routes as they would be used, not at how they were made: every pair is
    reached, no route loops, and there is an order of the channels that every route ascends between
    in-transit stops, so no packets can wait for one another in a circle. The order is checked once
    more by a separate program in one pass. Exit code 0: deadlock-free; 1: not.

    \b
    Examples:
      weft prove net.json updown --certificate order.json
      weft prove net.json updown --check order.json
      weft prove net.json updown --check bound.json     what weft route --bound wrote
      weft prove torus.json minimal              shows the cycle, exit code 1
      weft prove cluster.ibnetdiscover opensm-lfts.dump
    """
    network = load_fabric(options.fabric, options.ends).fabric
    routing = load_routing(network, options.specification)
    certificate = options.certificate
    if options.checked is not None:
        if certificate is not None:
            message = "--check reads a certificate and --certificate writes one; give one of them"
            raise InputError(message)
        path = options.checked
        document = read_json(path, "a certificate or a bound")
        if is_load_bound(document):
            bound = load_bound_of(network, document, path)
            _check_bound(network, routing, bound, path, options.as_json)
        else:
            order = certificate_of(network, document, path)
            _check(network, routing, order, path, options.as_json)
        return
    proof = verify(network, routing)
    if proof.certificate is not None:
        check_certificate(network, routing, proof.certificate)
        if certificate is not None:
            write_certificate(network, routing, proof.certificate, certificate)
    elif certificate is not None:
        talk(f"note: there is no certificate to write to {certificate}")
    service_count = len(network.host_service) - network.host_service.count(None)
    is_of_service = (
        proof.verdict == "deadlock"
        and service_count > 0
        and not routing.is_adaptive
        and free_between_compute_ends(network, routing)
    )
    groups = None
    if chooses_among_groups(routing):
        groups = judge_groups(network, routing, flows=options.flows or 1, proof=proof)
    elif options.flows is not None:
        message = f"--flows is for groups of ports, and switches have no choice by {routing.label}"
        raise InputError(message)
    if options.as_json:
        document = _document(network, routing, proof, certificate) | {"groups": groups}
        document["deadlock_free_between_compute_ends"] = is_of_service or None
        emit_json("prove", document)
    else:
        say(fabric_line(network))
        say(f"{routing.label}: {proof.text}")
        if groups is not None:
            for line in groups_in_words(groups):
                say(line)
        if routing.service_note is not None:
            say(routing.service_note)
        if is_of_service:
            say(
                "between compute ends alone these routes are deadlock-free: every cycle takes one"
                f" from or to the {service_count} service ends"
            )
        if proof.certificate is not None:
            say("the certificate was checked: every route ascends it")
        if certificate is not None and proof.certificate is not None:
            say(f"certificate written to {certificate}")
    if not proof.deadlock_free:
        click.get_current_context().exit(PROPERTY_DOES_NOT_HOLD)


def _check(fabric: Fabric, routing: Routing, order: Certificate, path: Path, as_json: bool) -> None:
    """Check a certificate from a file and say whether it holds."""
    refusal: str | None = None
    try:
        check_certificate(fabric, routing, order)
    except RoutingError as error:
        refusal = str(error)
    if as_json:
        document = {"fabric": fabric.name, "routing": routing.label, "certificate": path}
        emit_json("prove-check", {**document, "holds": refusal is None, "refusal": refusal})
    else:
        say(fabric_line(fabric))
        text = "every route leads to its destination and ascends it" if refusal is None else refusal
        verdict = "holds" if refusal is None else "does not hold"
        say(f"{routing.label}: the certificate {path} {verdict}: {text}")
    if refusal is not None:
        click.get_current_context().exit(PROPERTY_DOES_NOT_HOLD)


def _check_bound(
    fabric: Fabric, routing: Routing, bound: LoadBound, path: Path, as_json: bool
) -> None:
    """Check a bound from a file, and say how far the routing is from it."""
    refusal: str | None = None
    try:
        check_load_bound(fabric, bound)
    except RoutingError as error:
        refusal = str(error)
    figures = None if routing.is_adaptive else load_figures(fabric, routing)
    has_loads = figures is not None and any(loads_between_switches(fabric, figures))
    largest = bounded_load(fabric, figures, bound) if figures is not None and has_loads else None
    better = None
    if figures is not None and largest and refusal is None and bound.load:
        is_of = is_bounded(routing, figures, bound, largest)
        better = better_possible(largest, bound.load) if is_of and are_links_alike(fabric) else None
    if as_json:
        document = {"fabric": fabric.name, "routing": routing.label, "bound": path}
        told = {"routes": bound.routes, "load": bound.load, "largest_load": largest}
        judged = {"holds": refusal is None, "refusal": refusal, "better_possible": better}
        emit_json("prove-bound", document | told | judged)
    else:
        say(fabric_line(fabric))
        text = f"{none_below(bound)} routes over some channel between switches"
        verdict = f"holds: {text}" if refusal is None else f"does not hold: {refusal}"
        say(f"the bound {path} {verdict}")
        if better is not None and largest is not None:
            say(f"{routing.label} has {quantity(largest)}: {better_in_words(largest, bound.load)}")
    if refusal is not None:
        click.get_current_context().exit(PROPERTY_DOES_NOT_HOLD)


def cycle_lines(cycle: list[Any], shown: int = 4) -> list[str]:
    """Describe a cycle of dependencies, one line each, those that are not shown counted."""
    lines = [
        f"{step.source} to {step.destination} holds {step.held} and wants {step.wanted}"
        for step in cycle[:shown]
    ]
    if len(cycle) > shown:
        lines.append(f"… {len(cycle) - shown} more, back to the first")
    return lines


def _document(
    fabric: Fabric, routing: Routing, proof: Proof, certificate: Path | None
) -> dict[str, Any]:
    return {
        "fabric": fabric.name,
        "routing": routing.label,
        **picked(proof, "deadlock_free", "verdict", "text", "cycle", "rests_on"),
        "service_note": routing.service_note,
        "certificate_checked": proof.certificate is not None,
        "certificate": certificate if proof.certificate is not None else None,
    }
