"""What the first screen of a reproduced paper answers: does it agree, how much, which differ."""

from __future__ import annotations

import math
import shlex
from typing import TYPE_CHECKING

import numpy as np

from weft._numbers import quantity
from weft.report.answers import Answer
from weft.reproduce.definition import judgement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weft.reproduce.definition import Experiment, Paper, Row
    from weft.reproduce.run import Reproduced

__all__ = ["answers"]

AGREES, HOW_MUCH, WHICH, FIRST = "Does it agree?", "How much?", "Which differ?", "What first?"

#: Figures that are named of those that differ.
_MOST_NAMED = 3
#: Figures from which on half of the ratios are told, and not all.
_LEAST_FOR_HALF = 8


def answers(paper: Paper, made: Sequence[Reproduced], *, is_quick: bool) -> list[Answer]:
    """Answer for experiments of a paper; quick ones are to be run in full first."""
    judged = list(_judged(made))
    words = [judgement(row).split(":")[0] for _, row in judged]
    found = [_agreement(words)]
    ratios = [row.ratio for (_, row), word in zip(judged, words, strict=True)
              if row.ratio is not None and word != "not compared"]  # fmt: skip
    if ratios:
        found.append(Answer(HOW_MUCH, _how_much(ratios)))
    differing = [entry for entry, word in zip(judged, words, strict=True) if word == "differs"]
    if differing:
        found.append(Answer(WHICH, _which(differing)))
    first = _first(paper, made, is_quick=is_quick, differs=bool(differing))
    return found if first is None else [*found, first]


def _judged(made: Sequence[Reproduced]) -> Iterator[tuple[Experiment, Row]]:
    """Yield the figures that have a published one beside them; other readings do not count."""
    for entry in made:
        for row in entry.rows:
            if row.published is not None and not row.is_other_reading:
                yield entry.experiment, row


def _agreement(words: Sequence[str]) -> Answer:
    counts = {word: words.count(word) for word in ("agrees", "near", "differs")}
    compared = sum(counts.values())
    if not compared:
        return Answer(
            AGREES, "No published figure of these is known that compares; ours stand alone."
        )
    text = f"{counts['agrees']:,} of {compared:,} published figures agree"
    if counts["near"]:
        text += f", {counts['near']:,} {'is' if counts['near'] == 1 else 'are'} near"
    if counts["differs"]:
        text += f", {counts['differs']:,} {'differs' if counts['differs'] == 1 else 'differ'}"
    left = len(words) - compared
    text += f"; {left:,} cannot be compared." if left else "."
    if counts["agrees"] == compared:
        return Answer(AGREES, text, "✓ Yes.")
    is_bad = 2 * (counts["agrees"] + counts["near"]) < compared
    return Answer(AGREES, text, "✗ No." if is_bad else "✓ Mostly.", is_bad=is_bad)


def _how_much(ratios: Sequence[float]) -> str:
    if len(ratios) == 1:
        return f"Ours is {ratios[0]:.2f} times the published figure."
    if len(ratios) < _LEAST_FOR_HALF:
        return f"Ours are {min(ratios):.2f} to {max(ratios):.2f} times the published figures."
    low, middle, high = np.percentile(ratios, [25, 50, 75])
    return (
        f"Ours are {middle:.2f} times the published figures in the median, half of them "
        f"{low:.2f} to {high:.2f} times."
    )


def _which(differing: Sequence[tuple[Experiment, Row]]) -> str:
    def off(entry: tuple[Experiment, Row]) -> float:
        ratio = entry[1].ratio
        return math.inf if ratio is None or ratio <= 0 else abs(math.log(ratio))

    farthest = sorted(differing, key=off, reverse=True)[:_MOST_NAMED]
    texts = [
        f"{experiment.name.replace('-', ' ')}, {row.condition or 'all'}, {row.quantity}: "
        f"{quantity(row.value)} here, {quantity(row.published)} published"
        for experiment, row in farthest
    ]
    more = len(differing) - len(farthest)
    return f"{'; '.join(texts)}{f'; and {more:,} more' if more else ''}."


def _first(
    paper: Paper, made: Sequence[Reproduced], *, is_quick: bool, differs: bool
) -> Answer | None:
    if is_quick:
        text = "This is the quick form, with fewer cases and wider intervals. As in the paper:"
        return Answer(FIRST, text, command=_command(paper, made, "--full"))
    if any(entry.missing for entry in made):
        text = "Applications were left out whose traces are not there. With these:"
        return Answer(FIRST, text, command=_command(paper, made, "--traces", "FOLDER"))
    if differs:
        text = (
            "Why figures differ is known of most: the page on validation of the documentation "
            "tells the reasons."
        )
        return Answer(FIRST, text)
    return None


def _command(paper: Paper, made: Sequence[Reproduced], *options: str) -> str:
    """Return the command that runs these experiments again with other options."""
    words = ["weft", "reproduce", paper.tag]
    if len(made) < len(paper.experiments):
        for entry in made:
            kind, _, number = entry.experiment.name.partition("-")
            words += [f"--{kind}", number]
    return shlex.join([*words, *options])
