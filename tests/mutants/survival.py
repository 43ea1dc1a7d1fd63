"""The mistakes planted in what is told of failures before they happen."""

from __future__ import annotations

from mutants import mutants

SURVIVAL = mutants(
    "survival",
    r"""
python/weft/fabric/chassis.py
  chassis: a system of one switch is one
    - if sizes[system] > 1 else None
    + if sizes[system] > 0 else None
  chassis: systems of one name are one
    - if name and uses[name] == 1 else
    + if name else
python/weft/survive/parts.py
  failures: only the first switch of a card fails
    - return links, [switch for part in parts for switch in part.switches]
    + return links, [switch for part in parts for switch in part.switches[:1]]
  failures: cards of one switch come twice
    - fewest = 2 if "switches" in parts else 1
    + fewest = 1
python/weft/survive/survey.py
  anew: the mildest are routed anew
    - 0 if load is None else -load.largest_load
    + 0 if load is None else load.largest_load
  anew: what is repaired comes first
    - return load is not None, 0
    + return load is None, 0
  anew: the whole is routed
    - tables = route_anew(routing, left)
    + left = fabric
    +         tables = route_anew(routing, left)
  failures: hosts of failed switches are stranded
    - sum(switch_of[host] not in failed for host in cut_off)
    + len(cut_off)
python/weft/survive/simulation.py
  simulation: the whole carries all
    - left = left_after(found.fabric, one.failure)
    + left = found.fabric
  simulation: the mildest are simulated
    - worst = found.failures[:count]
    + worst = found.failures[-count:]
python/weft/report/survival.py
  page: what cuts off hosts is all that takes any
    - for one in found.cutting_off[:_MOST_ROWS]]
    + for one in found.failures[:_MOST_ROWS] if one.cut_off_hosts]
  page: the mildest come first
    - one.figures.effective_bisection if one.figures else 0.0
    + -one.figures.effective_bisection if one.figures else 0.0
  page: figures of the whole stand for all
    - load = found.whole if one is None else one.figures
    + load = found.whole
python/weft/repair.py
  anew: any larger load is reason enough
    - _TIME_TO_ROUTE_ANEW = 1.1
    + _TIME_TO_ROUTE_ANEW = 1.0
  anew: with other parameters
    - f"{routing.algorithm}:{parameters}"
    + f"{routing.algorithm}:"
python/weft/cli/after_failure.py
  anew: the load of the repaired tables is told of the new ones
    - most = largest_load(fabric, anew) if anew else None
    + most = largest_load(fabric, chosen) if anew else None
""",
)
