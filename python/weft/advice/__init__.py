"""Advice on the routing of a cluster."""

from weft.advice.comparison import advise, candidates
from weft.advice.records import Advice, Candidate, Scenario, Simulated

__all__ = ["Advice", "Candidate", "Scenario", "Simulated", "advise", "candidates"]
