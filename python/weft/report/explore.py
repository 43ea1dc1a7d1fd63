"""The page to play with inside a report, where it is not too large."""

from __future__ import annotations

import base64
import gzip
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from weft._extras import needed
from weft._files import permission
from weft.errors import EnvironmentFailure, InputError
from weft.report.scripts import explore_script

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.explore.layers import Layer
    from weft.fabric import Fabric
    from weft.routing import Routing

__all__ = ["Explored", "explored"]

#: What is packed is packed already, but for its letters of six bits each.
_LEVEL = 1


@dataclass(frozen=True)
class Explored:
    """What a report holds of the page to play with."""

    sources: Markup  #: What the report's policy permits
    script: Markup  #: Opens the page
    packed: str | None  #: The page as gzip in base64; None where there is none
    why_not: str = ""  #: Why there is none, a sentence without its full stop


def explored(
    fabric: Fabric,
    routings: Sequence[str | Routing],
    layers: Callable[[], Sequence[Layer]],
    *,
    scripts: Sequence[Markup] = (),
) -> Explored:
    """Return the page of a fabric for a report whose other `scripts` are permitted too.

    `routings` can be picked in it, and it can be coloured by `layers`. Names that are no routing of
    Weft, as those of an own algorithm, are left out. Unless the first are routes, the page begins
    with tables that are made at once.
    """
    opener = explore_script()
    try:
        page, script = _page(fabric, routings, layers)
    except (EnvironmentFailure, InputError) as error:
        return Explored(_sources(scripts), opener, None, str(error))
    packed = base64.b64encode(gzip.compress(page.encode(), _LEVEL, mtime=0)).decode()
    # A page that is made of data is under the policy of who made it, besides its own.
    return Explored(_sources([*scripts, opener, script], playing=True), opener, packed)


def _page(
    fabric: Fabric, routings: Sequence[str | Routing], layers: Callable[[], Sequence[Layer]]
) -> tuple[str, str]:
    """Return the page and its script; they need libraries that a report may do without."""
    of_scene = needed("weft.explore.scene")
    file = needed("weft.explore.file")
    beside = needed("weft.explore.beside").Beside(layers=layers())
    picked = [one for one in routings if not isinstance(one, str) or of_scene.is_answered(one)]
    if not picked or isinstance(picked[0], str):
        picked = [of_scene.offered_routings(fabric)[0], *picked]
    return file.page_text(fabric, picked, beside), file.page_script()


def _sources(scripts: Sequence[str], *, playing: bool = False) -> Markup:
    """Return the sources that a report's policy permits, with those of the page or without."""
    permitted = [permission(script) for script in scripts]
    images = "img-src data:"
    parts: list[str] = []
    if playing:
        permitted.append("'wasm-unsafe-eval'")
        images = "img-src data: blob:"
        parts = ["frame-src blob:", "worker-src blob:"]
    if permitted:
        parts.insert(0, f"script-src {' '.join(permitted)}")
    text = "; ".join([*parts, "style-src 'unsafe-inline'", images])
    return Markup(text)  # noqa: S704 - digests and constants
