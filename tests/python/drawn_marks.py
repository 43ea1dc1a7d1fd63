"""What is drawn in a chart: its groups of marks, by the classes a page finds them by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from weft.plots.chart import Chart

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Marks:
    """A group of marks."""

    classes: frozenset[str]
    tip: list[str]  # lines that are told of it
    is_shown: bool
    element: ElementTree.Element

    @property
    def styles(self) -> str:
        """How it is drawn."""
        return " ".join(part.get("style", "") for part in self.element.iter())

    def count_members(self) -> int:
        """Count what is drawn: paths, or uses of one."""
        return len(self.element.findall(f"{SVG}path") + self.element.findall(f".//{SVG}use"))


def root_of(svg: str | bytes) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314 - our own


def marks_of(chart: Chart, *, has_choices: bool = False) -> list[Marks]:
    """Return the groups of marks of a chart in the order in which they are drawn."""
    found = []
    for group in root_of(chart.svg(has_choices=has_choices)).iter(f"{SVG}g"):
        classes = group.get("class", "").split()
        if "weft" in classes:
            tip = (group.findtext(f"{SVG}title") or "").split("\n")
            shown = group.get("display") != "none"
            found.append(Marks(frozenset(classes), tip, shown, group))
    return found


def points_of(chart: Chart) -> list[Marks]:
    """Return the points of curves: what tells a load."""
    return [mark for mark in marks_of(chart) if any(line.startswith("load") for line in mark.tip)]


def texts_of(chart: Chart) -> list[str]:
    """Return what is written in a chart."""
    return ["".join(text.itertext()) for text in root_of(chart.svg()).iter(f"{SVG}text")]
