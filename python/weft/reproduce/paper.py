"""What a paper is to its reproduction: experiments, each with studies and what is asked of them."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from weft._nearest import nearest
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
    "judgement",
    "known_paper",
    "published_figures",
    "study_path",
]

#: Figures this near to each other are called the same; a random topology moves them further.
_SAME = 0.10
_NEAR = 0.25
#: An interval wider than this share of its value, to either side, tells nothing.
_TOO_WIDE = 0.5


@dataclass(frozen=True, slots=True)
class Row:
    """A figure that was measured, under its condition.

    Attributes
    ----------
    condition : str
        Under what, such as ``16 switches, 512 bytes``.
    quantity : str
        What, with its unit, such as ``ITB over UD, average``.
    value : float
        The figure.
    half_width : float
        Half width of its 95 % confidence interval; NaN where it has none.
    count : int
        Topologies or seeds it was made from.
    remark : str
        What the paper leaves open and was decided here; not part of what a published figure is
        found by.
    published : float or None
        The paper's figure; None where it is not known.
    is_judged : bool
        Whether the two can be compared: an extreme over fewer topologies cannot.
    """

    condition: str
    quantity: str
    value: float
    half_width: float = math.nan
    count: int = 1
    remark: str = ""
    published: float | None = None
    is_judged: bool = True

    @property
    def ratio(self) -> float | None:
        """The figure over the published one."""
        return self.value / self.published if self.published else None


@dataclass(frozen=True, slots=True)
class Experiment:
    """A table or a figure of a paper.

    Attributes
    ----------
    kind : {"table", "figure"}
        What it is in the paper.
    number : str
        Its number there.
    title : str
        What it shows.
    studies : tuple of str
        Names of its study files; empty where it needs no sweep of loads.
    question : callable
        Rows from the cases with their results, of which there are none without studies.
    programs : tuple of str
        Names of its files of programs, whose rows are measured where they are asked for.
    tells_deviation : bool
        Whether the report tells the root mean square of the deviations of all figures judged.
    names : mapping of str to str
        The paper's name by label of a routing; charts of curves and boxes show these routings, in
        this order, and all where there is none.
    series : str
        Key of the study file whose values are the curves of a chart; empty where routings are.
    curves : bool
        Whether the report shows latency over traffic, of the first topology of each condition.
    longest : bool
        Whether it shows the longest latency over traffic as well.
    channels : bool
        Whether it shows the channels, the busiest first.
    pools : bool
        Whether it shows what the NICs hold in transit, in time.
    boxes : tuple of str
        Keys of the study file whose values tell conditions apart, to show how throughput spreads
        over topologies under each; empty where it is not shown.
    """

    kind: Literal["table", "figure"]
    number: str
    title: str
    studies: tuple[str, ...] = ()
    question: Callable[[Sequence[tuple[Case, Results]]], list[Row]] = lambda _: []
    programs: tuple[str, ...] = ()
    tells_deviation: bool = False
    names: Mapping[str, str] = field(default_factory=dict)
    series: str = ""
    curves: bool = False
    longest: bool = False
    channels: bool = False
    pools: bool = False
    boxes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its name: ``table-1``."""
        return f"{self.kind}-{self.number}"


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper.

    Attributes
    ----------
    tag : str
        Its name on the command line, and of its folder of studies.
    citation : str
        Authors, title, where and when.
    about : str
        What is the paper's and what was decided here, in a few sentences.
    experiments : tuple of Experiment
        What can be run again.
    """

    tag: str
    citation: str
    about: str
    experiments: tuple[Experiment, ...]

    def chosen(self, tables: Sequence[str], figures: Sequence[str]) -> list[Experiment]:
        """Return the experiments asked for; all when none is.

        Parameters
        ----------
        tables, figures : sequence of str
            Numbers.

        Raises
        ------
        StudyError
            When there is no such table or figure.
        """
        names = [f"table-{number}" for number in tables] + [f"figure-{n}" for n in figures]
        known = {experiment.name: experiment for experiment in self.experiments}
        for name in names:
            if name not in known:
                message = f"{self.tag} has no {name} to run again; {nearest(name, known)}"
                raise StudyError(message)
        return [known[name] for name in known if name in names or not names]


def known_paper(papers: dict[str, Paper], tag: str) -> Paper:
    """Return the paper of a name.

    Raises
    ------
    StudyError
        When there is no such paper.
    """
    if tag not in papers:
        message = f"unknown paper {tag}; {nearest(tag, papers)}"
        raise StudyError(message)
    return papers[tag]


def judgement(row: Row) -> str:
    """Say in words how a figure and the published one go together.

    Parameters
    ----------
    row : Row
        The figure.

    Returns
    -------
    str
        Empty where nothing is published.
    """
    if row.published is None or row.ratio is None or not row.is_judged:
        return ""
    if row.half_width > _TOO_WIDE * abs(row.value):
        return "cannot be told: the interval is wide"
    if math.isfinite(row.half_width) and abs(row.value - row.published) <= row.half_width:
        return "agrees: within the interval"
    if abs(row.ratio - 1) <= _SAME:
        return f"agrees: within {_SAME:.0%}"
    if abs(row.ratio - 1) <= _NEAR:
        return f"near: within {_NEAR:.0%}"
    return "differs"


def deviation(rows: Sequence[Row]) -> tuple[int, float]:
    """Return how far figures are from the published ones.

    Parameters
    ----------
    rows : sequence of Row
        Figures; those without a published one, or not judged, do not count.

    Returns
    -------
    (int, float)
        How many count, and the root mean square of their relative deviations; NaN of none.
    """
    ratios = [row.ratio for row in rows if row.ratio is not None and row.is_judged]
    if not ratios:
        return 0, math.nan
    return len(ratios), math.sqrt(math.fsum((ratio - 1) ** 2 for ratio in ratios) / len(ratios))


def study_path(tag: str, name: str) -> Path:
    """Return the study file of a paper.

    Parameters
    ----------
    tag : str
        The paper.
    name : str
        Name of the file without its end.
    """
    return Path(str(resources.files("weft") / "studies" / tag / f"{name}.toml"))


def published_figures(tag: str) -> dict[tuple[str, str, str], float]:
    """Return what a paper published, as far as it is known."""
    file = resources.files("weft") / "studies" / tag / "published.csv"
    if not file.is_file():
        return {}
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {
        (row["experiment"], row["condition"], row["quantity"]): float(row["value"]) for row in rows
    }
