"""The papers whose experiments can be run again."""

from __future__ import annotations

from weft.reproduce.papers.arb import ARB
from weft.reproduce.papers.boost import BOOST
from weft.reproduce.papers.itbsr import ITBSR
from weft.reproduce.papers.mvn import MVN
from weft.reproduce.papers.rhinet import RHINET

__all__ = ["PAPERS"]

#: By their name on the command line.
PAPERS = {paper.tag: paper for paper in (BOOST, ITBSR, ARB, MVN, RHINET)}
