"""What a paper is to its reproduction: experiments, each with studies and what is asked of them."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from weft._nearest import nearest
from weft._numbers import in_percent
from weft.errors import StudyError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from weft.results import Results
    from weft.study import Case

__all__ = [
    "Experiment",
    "Paper",
    "Row",
    "deviation",
    "is_same",
    "judgement",
    "known_paper",
    "study_path",
]

#: Figures this near to each other are called the same; a random topology moves them further.
_SAME = 0.15
_NEAR = 0.25
_TINY = 1e-12
#: An interval wider than this share of its value, to either side, tells nothing.
_TOO_WIDE = 0.5


@dataclass(frozen=True, slots=True)
class Row:
    """A figure that was measured, under its condition."""

    condition: str  # under what, such as ``16 switches, 512 bytes``
    quantity: str  # what, with its unit, such as ``ITB over UD, average``
    value: float
    half_width: float = math.nan  # of the 95 % confidence interval; NaN where it has none
    count: int = 1  # topologies or seeds it was made from
    remark: str = ""  # what was decided here; a published figure is not found by it
    published: float | None = None  # the paper's figure; None where it is not known
    is_judged: bool = True  # whether the two compare: an extreme over fewer topologies cannot
    # what an average has beside it in the paper
    published_minimum: float | None = None
    published_maximum: float | None = None
    # whether a row before has the same name: what is said of that one is not said again of this
    is_other_reading: bool = False

    @property
    def ratio(self) -> float | None:
        """The figure over the published one."""
        return self.value / self.published if self.published else None


@dataclass(frozen=True, slots=True)
class Experiment:
    """A table or a figure of a paper."""

    name: str  # ``table-1`` or ``figure-3``
    title: str
    # names of its study files; empty where it needs no sweep of loads
    studies: tuple[str, ...] = ()
    # rows from the cases with their results, of which there are none without studies
    question: Callable[[Sequence[tuple[Case, Results]]], list[Row]] = lambda _: []
    programs: tuple[str, ...] = ()  # names of its files of programs
    tells_deviation: bool = False  # whether the root mean square of all deviations is told
    # the paper's name by label of a routing; charts show these alone, in this order, if any
    names: Mapping[str, str] = field(default_factory=dict)
    # key of the study file whose values are the curves of a chart; empty where routings are
    series: str = ""
    # whether latency over traffic is shown, of the first topology of each condition
    curves: bool = False
    longest: bool = False  # whether the longest latency over traffic is shown as well
    accepted: bool = False  # whether accepted over offered traffic is shown as well
    channels: bool = False  # whether the channels are shown, the busiest first
    pools: bool = False  # whether it is shown what the NICs hold in transit, in time
    # keys of the conditions under each of which the spread over topologies is shown
    boxes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper."""

    tag: str  # its name on the command line, and of its folder of studies
    citation: str  # authors, title, where and when
    about: str  # what is the paper's and what was decided here, in a few sentences
    experiments: tuple[Experiment, ...]  # what can be run again

    def chosen(self, tables: Sequence[str], figures: Sequence[str]) -> list[Experiment]:
        """Return the tables and figures of numbers, all without any; others are a `StudyError`."""
        names = [f"table-{number}" for number in tables] + [f"figure-{n}" for n in figures]
        known = {experiment.name: experiment for experiment in self.experiments}
        for name in names:
            if name not in known:
                message = f"{self.tag} has no {name} to run again; {nearest(name, known)}"
                raise StudyError(message)
        return [known[name] for name in known if name in names or not names]


def known_paper(papers: dict[str, Paper], name: str) -> Paper:
    """Return the paper of a tag, or of words of its title, authors, place or year.

    Somebody with a paper in hand knows its title, not what it is called here. A `StudyError` names
    the papers that all words fit, or those there are.
    """
    if name in papers:
        return papers[name]
    words = set(_words(name))
    fitting = [paper for paper in papers.values() if words and words <= set(_words(paper.citation))]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        tags = ", ".join(paper.tag for paper in fitting)
        message = f"“{name}” fits several papers: {tags}; give more words of its title, or a tag"
    else:
        message = f"unknown paper {name}; {nearest(name, papers)}"
    raise StudyError(message)


def _words(text: str) -> list[str]:
    """Return the words of a text, without case and marks (López as lopez)."""
    plain = "".join(
        letter
        for letter in unicodedata.normalize("NFKD", text)
        if not unicodedata.combining(letter)
    )
    return re.findall(r"\w+", plain.casefold())


def is_same(value: float, published: float) -> bool:
    """Tell whether a figure is so near the published one that the two agree."""
    # A tiny part more, for a figure at the border as it is written.
    return abs(value - published) <= _SAME * abs(published) + _TINY


def judgement(row: Row) -> str:
    """Say in words how a figure and the published one go together; nothing without one.

    The first word is one of ``agrees``, ``near``, ``differs``; where the two do not compare it says
    so.
    """
    if row.published is None:
        return ""
    if not row.is_judged:
        return "not compared"
    low, high = row.published_minimum, row.published_maximum
    if low is not None and high is not None and low <= row.value <= high:
        return "agrees: within the published extremes"
    if row.half_width > _TOO_WIDE * max(abs(row.value), abs(row.published)):
        return "not compared: the interval is wide"
    if is_same(row.value, row.published):
        return f"agrees: within {in_percent(_SAME, 0)}"
    off = abs(row.value - row.published)
    if math.isfinite(row.half_width) and off <= row.half_width:
        return "agrees: within the interval alone"
    if off <= _NEAR * abs(row.published) + _TINY:
        return f"near: within {in_percent(_NEAR, 0)}"
    return "differs"


def deviation(rows: Sequence[Row]) -> tuple[int, float]:
    """Return how far figures are from the published ones: how many, and the root mean square.

    The latter is of relative deviations, and NaN of none; figures without a published one, or not
    judged, do not count.
    """
    ratios = [
        row.ratio
        for row in rows
        if row.ratio is not None and row.is_judged and not row.is_other_reading
    ]
    if not ratios:
        return 0, math.nan
    return len(ratios), math.sqrt(math.fsum((ratio - 1) ** 2 for ratio in ratios) / len(ratios))


def study_path(tag: str, name: str) -> Path:
    """Return a study file of a paper by its name without the end."""
    return Path(str(resources.files("weft") / "studies" / tag / f"{name}.toml"))
