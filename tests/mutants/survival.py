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
python/weft/survive.py
  failures: only the first switch of a card fails
    - return links, [switch for part in parts for switch in part.switches]
    + return links, [switch for part in parts for switch in part.switches[:1]]
  failures: cards of one switch come twice
    - fewest = 2 if "switches" in parts else 1
    + fewest = 1
  failures: hosts of failed switches are stranded
    - sum(switch_of[host] not in failed for host in cut_off)
    + len(cut_off)
""",
)
