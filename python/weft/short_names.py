"""Names made short where many stand together: what tells each from the others."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["short_names"]

#: Names alike in form stay as they are where none is longer than this.
_SHORT = 12

#: How many of the labels of a name are tried for it alone, not for all names of its form.
_STEPS_ALONE = 3

#: Digits that are kept of a long hexadecimal number, at least.
_LEAST_TAIL = 4

_TOKEN = re.compile(r"[^\W_]+")
_HEXADECIMAL = re.compile(r"(?:0x)?(?=[a-f]*[0-9])[0-9a-f]{4,}", re.IGNORECASE)
_LONG_NUMBER = re.compile(r"(?:0x)?[0-9a-f]{8,}", re.IGNORECASE)

#: What says who made a switch and which model it is, but not which one it is.
_MAKER = re.compile(
    "aggregation|cornelis|corporation|ddr|edr|enterprise|fabric|fdr|hdr|hpe|ib|inc|infiniband"
    "|infiniscale|intel|iv|mellanox|mf[01]|ndr|networks|node|nvidia|omni|path|ports|qdr|qlogic"
    "|quantum|sdr|silverstorm|sun|switch|switchib|switchx|technologies|technology|topspin|voltaire",
    re.IGNORECASE,
)
_MODEL = re.compile(r"(?:CS|IS|ISR|MQM|MSB|MSN|MSX|MT|MTQ|MTS|QM|SB|SN|SX|TQ)\d{4,}[A-Z]*")
#: A name of a machine, which tells it also where all names alike in form have it.
_DEVICE = re.compile(r"[^\W\d]+\d+")


def short_names(names: Sequence[str]) -> list[str]:
    """Return a short label for each name, in the order given.

    Different names have different labels, equal ones the same; none is longer than its name, and
    which it is does not depend on the order. Names alike in form, which differ in numbers alone,
    are shortened alike: to the parts in which they differ, the first of them as far as these
    suffice, makers and models last, and to the last digits of a GUID. Where all of a form are short
    they stay.

    Examples
    --------
    >>> short_names(["MF0;ib-a1:SX6036/U1", "MF0;ib-a2:SX6036/U1", "gw"])
    ['a1', 'a2', 'gw']
    """
    forms: dict[str, list[_Name]] = defaultdict(list)
    for text in sorted(set(names)):
        name = _Name(text, [found.span() for found in _TOKEN.finditer(text)])
        forms[name.form()].append(name)
    uses = Counter(word for own in forms.values() for name in own for word in name.words())
    count = len(set(names))
    candidates = [
        {name.text: [name.text] for name in own}
        if max(len(name.text) for name in own) <= _SHORT
        else _candidates(own, uses, count)
        for own in forms.values()
    ]
    labels = _told_apart(candidates)
    return [labels[name] for name in names]


@dataclass(frozen=True)
class _Name:
    """A name and where its words and numbers stand."""

    text: str
    spans: list[tuple[int, int]]

    def token(self, at: int) -> str:
        start, end = self.spans[at]
        return self.text[start:end]

    def words(self) -> set[str]:
        return {self.token(at).lower() for at in range(len(self.spans))}

    def form(self) -> str:
        """Return the name with its numbers left out."""

        def without(found: re.Match[str]) -> str:
            token = found[0]
            return "#" if _HEXADECIMAL.fullmatch(token) else re.sub(r"\d+", "#", token)

        return _TOKEN.sub(without, self.text)

    def is_of_maker(self, at: int) -> bool:
        token = self.token(at)
        return bool(_MAKER.fullmatch(token) or _MODEL.fullmatch(token))

    def joined(self, places: Iterable[int], tails: dict[int, int]) -> str:
        """Join some tokens in their order, of some the last characters alone."""
        text, last = "", None
        for at in sorted(places):
            if last is not None:
                between = self.text[self.spans[at - 1][1] : self.spans[at][0]]
                marks = between.replace(" ", "")
                text += between if at == last + 1 else (marks or " ")[-1]
            token = self.token(at)
            text += token[-tails.get(at, len(token)) :]
            last = at
        return text


def _candidates(own: list[_Name], uses: Counter[str], count: int) -> dict[str, list[str]]:
    """Find labels for names of one form, the shortest first, the name itself last.

    As many for each, the last `_STEPS_ALONE` for it alone; `uses` counts all names by the words
    in them, `count` all names.
    """
    first = own[0]
    places = list(range(len(first.spans)))
    values = [{name.token(at) for name in own} for at in places]
    identifying = _identifying(own, places)
    varying = [at for at in places if len(values[at]) > 1]
    if not varying:
        varying = [at for at in identifying if uses[first.token(at).lower()] == 1]
    telling = _identifying(own, varying) or identifying or varying
    devices = [at for at in sorted(identifying) if _DEVICE.fullmatch(first.token(at))][:1]
    if devices and uses[first.token(devices[0]).lower()] < count:
        telling = _in_order(own, {*devices, *telling})
    tails = {at: _tail(values[at]) for at in places if _is_long_number(values[at])}
    steps: list[tuple[set[int], dict[int, int]]] = []
    for length in range(1, len(telling) + 1):
        kept = set(telling[:length])
        beside = {at - 1 for at in kept if _needs_word(own, values, at)}
        if len(own) == 1:
            beside |= {at for at in telling if at - 1 in kept and first.token(at).isdecimal()}
        steps.append((kept | beside, tails))
    all_telling = {*telling, *varying}
    steps += [(all_telling, tails), (all_telling, {}), ({*identifying, *varying}, {})]
    return {
        name.text: [*(name.joined(*step) for step in steps if step[0]), name.text] for name in own
    }


def _identifying(own: list[_Name], places: list[int]) -> list[int]:
    """Keep the places at which not every name has a word of makers."""
    kept = {at for at in places if not all(name.is_of_maker(at) for name in own)}
    return _in_order(own, kept)


def _in_order(own: list[_Name], places: set[int]) -> list[int]:
    """Sort places; of a name alone in its form bare numbers come last."""
    is_alone = len(own) == 1
    return sorted(places, key=lambda at: (is_alone and own[0].token(at).isdecimal(), at))


def _is_long_number(values: set[str]) -> bool:
    return all(_LONG_NUMBER.fullmatch(value) for value in values)


def _tail(values: set[str]) -> int:
    """Count the last characters by which long numbers differ."""
    for length in range(_LEAST_TAIL, 8):
        if len({value[-length:] for value in values}) == len(values):
            return length
    return max(map(len, values))


def _needs_word(own: list[_Name], values: list[set[str]], at: int) -> bool:
    """Tell whether a number says little without the word before it, as that of ``leaf-012``."""
    if at == 0 or not all(value.isdecimal() for value in values[at]):
        return False
    before = own[0].token(at - 1)
    return not before.isdecimal() and not own[0].is_of_maker(at - 1) and len(values[at - 1]) == 1


def _told_apart(candidates: list[dict[str, list[str]]]) -> dict[str, str]:
    """Choose the first labels that no other name has; a form goes on together while it can."""
    steps = [dict.fromkeys(form, 0) for form in candidates]
    while True:
        owners: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for form, labels in enumerate(candidates):
            for name, step in steps[form].items():
                owners[labels[name][step]].append((form, name))
        together, alone = set(), []
        for form, name in (entry for own in owners.values() if len(own) > 1 for entry in own):
            left = len(candidates[form][name]) - 1 - steps[form][name]
            if left > _STEPS_ALONE:
                together.add(form)
            elif left:
                alone.append((form, name))
        for form in together:
            steps[form] = {
                name: min(step + 1, len(candidates[form][name]) - 1)
                for name, step in steps[form].items()
            }
        for form, name in alone:
            if form not in together:
                steps[form][name] += 1
        if not together and not alone:
            break
    return {
        name: labels[name][steps[form][name]]
        for form, labels in enumerate(candidates)
        for name in labels
    }
