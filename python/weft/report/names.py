"""Names of switches and hosts as tables show them: short where that tells them apart, whole too."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from markupsafe import Markup

from weft.report.scripts import breakable
from weft.short_names import short_names

if TYPE_CHECKING:
    from weft.fabric import Fabric

__all__ = ["ShortNames"]

#: What stands between the names of a text, and the port after a name.
_BETWEEN = re.compile(r"( → | – )")
_PORT = re.compile(r"\[\d+\]$")


class ShortNames:
    """The short names of a fabric's switches and hosts; whole names are told where pointed at."""

    def __init__(self, fabric: Fabric) -> None:
        self._fabric = fabric

    @cached_property
    def _short(self) -> dict[str, str]:
        names = [*self._fabric.switch_names, *self._fabric.host_names]
        return dict(zip(names, short_names(names), strict=True))

    def text(self, whole: str) -> str:
        """Shorten the names of a text such as ``leaf[3] → spine[4]``; unknown ones stay."""
        return "".join(
            part if number % 2 else self._shortened(part)
            for number, part in enumerate(_BETWEEN.split(whole))
        )

    def prose(self, whole: str) -> str:
        """Shorten the names anywhere in a sentence."""
        found = [name for name, short in self._short.items() if name in whole and name != short]
        if not found:
            return whole
        longest_first = sorted(found, key=len, reverse=True)
        pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)"
        return re.sub(pattern, lambda match: self._short[match[0]], whole)

    def __call__(self, whole: str) -> Markup:
        """Return a text as markup, its names short, with the whole where it is pointed at."""
        short = self.text(whole)
        if short == whole:
            return breakable(whole)
        return Markup('<abbr title="{}">{}</abbr>').format(whole, breakable(short))

    def _shortened(self, name: str) -> str:
        port = _PORT.search(name)
        if port is None or name in self._short:
            return self._short.get(name, name)
        bare = name[: port.start()]
        return self._short.get(bare, bare) + port[0]
