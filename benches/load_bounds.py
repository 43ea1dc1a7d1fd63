"""Bounds of the largest load: beside HiGHS on small fabrics, how far off and how long on others.

::

    .venv/bin/python benches/load_bounds.py [--large] [--gaps]

A row has the load that no routing is below, what split traffic reaches above it, the processor time
of the search, and of its check by a program of its own; where a linear program of the same question
is small, its bound and how many times as long HiGHS takes for it.

With ``--gaps`` a row has what the fullest channel carries by ``best:lanes=8`` instead, how far that
is above the bounds, how many pairs have longer routes than shortest ones, and its processor time.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import weft
from weft._numbers import in_percent
from weft.load_gap import better_possible, loads_between_switches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Found = TypeVar("Found")

#: Switches up to which HiGHS is asked, which takes minutes beyond.
MOST_SWITCHES_OF_PROGRAM = 64


def small() -> Iterator[tuple[str, weft.Fabric]]:
    """Make fabrics of 16 to 264 switches."""
    yield "irregular 16", weft.irregular(16, seed=1)
    yield "irregular 32", weft.irregular(32, seed=1)
    yield "irregular 64", weft.irregular(64, seed=1)
    yield "torus 8×8", weft.torus(8, 8, hosts_per_switch=8)
    yield (
        "torus 8×8, 5 % cut",
        weft.degrade(weft.torus(8, 8, hosts_per_switch=4), links="5%", seed=5).fabric,
    )
    yield "random 64, thin", weft.generate("jellyfish", switches=64, degree=5, hosts_per_switch=4)
    yield "random 64", weft.generate("jellyfish", switches=64, degree=8, hosts_per_switch=8)
    yield "dragonfly 36", weft.generate("dragonfly", p=2, a=4, h=2)
    yield "slim fly 50", weft.generate("slim_fly", q=5, hosts_per_switch=4)
    tree = weft.generate("k_ary_n_tree", k=8, n=3)
    yield "tree 192, whole", tree
    yield "tree 192, 5 % cut", weft.degrade(tree, links="5%", seed=3).fabric
    yield "dragonfly 264", weft.generate("dragonfly", p=4, a=8, h=4)
    yield "random 256", weft.generate("jellyfish", switches=256, degree=12, hosts_per_switch=12)


def large() -> Iterator[tuple[str, weft.Fabric]]:
    """Make fabrics of 1,024 switches."""
    yield "random 1,024", weft.generate("jellyfish", switches=1024, degree=20, hosts_per_switch=16)
    yield "torus 32×32", weft.torus(32, 32, hosts_per_switch=16)
    yield "irregular 1,024", weft.irregular(1024, seed=1)


def print_gaps(fabrics: Iterable[tuple[str, weft.Fabric]]) -> None:
    """Print how far ``best`` is above the bounds, a row for each fabric."""
    heads = f"{'best':>8} {'any':>8} {'gap':>8} {'shortest':>9} {'gap':>8} {'longer':>7} {'s':>7}"
    print(f"{'':20} {heads}")
    for name, fabric in fabrics:
        routing, taken = timed(partial(weft.route, fabric, "best:lanes=8"))
        figures = weft.load_figures(fabric, routing)
        largest = max(loads_between_switches(fabric, figures))
        bounds = [weft.load_bound(fabric, routes=routes).load for routes in ("any", "shortest")]
        gaps = [in_percent(better_possible(largest, bound)) for bound in bounds]
        print(
            f"{name:20} {largest:8,} {bounds[0]:8,} {gaps[0]:>8} {bounds[1]:9,} {gaps[1]:>8}"
            f" {in_percent(1 - figures.minimal_share):>7} {taken:7.2f}",
            flush=True,
        )


def timed(call: Callable[[], Found]) -> tuple[Found, float]:
    """Return what a call returns, and the processor time it took in seconds."""
    begun = time.process_time()
    found = call()
    return found, time.process_time() - begun


def main() -> None:
    """Print a row for each fabric."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="fabrics of 1,024 switches, too")
    parser.add_argument("--gaps", action="store_true", help="how far best is above the bounds")
    asked = parser.parse_args()
    fabrics = [*small(), *(large() if asked.large else ())]
    if asked.gaps:
        print_gaps(fabrics)
        return
    print(f"{'':20} {'any':>8} {'split':>7} {'s':>7} {'check s':>8} {'shortest':>9} {'HiGHS':>10}")
    for name, fabric in fabrics:
        bound, taken = timed(partial(weft.load_bound, fabric))
        _, checked = timed(partial(weft.check_load_bound, fabric, bound))
        shortest = weft.load_bound(fabric, routes="shortest")
        exact = ""
        if fabric.switch_count <= MOST_SWITCHES_OF_PROGRAM:
            share, solved = timed(partial(weft.throughput_bound, fabric))
            load = (fabric.host_count - 1) / share
            exact = f"{load:10.1f}  {solved / taken:.0f} times as long"
        off = bound.split_load / bound.load - 1
        print(
            f"{name:20} {bound.load:8,} {100 * off:6.2f}% {taken:7.2f} {checked:8.2f}"
            f" {shortest.load:9,} {exact}",
            flush=True,
        )


if __name__ == "__main__":
    main()
