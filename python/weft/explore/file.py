"""The page in one file: it works from disk, without a network and without Python."""

from __future__ import annotations

import base64
import functools
import gzip
import json
from importlib import resources
from typing import TYPE_CHECKING

from weft import _core
from weft._files import permission, write_text
from weft.errors import EnvironmentFailure, InputError
from weft.explore.beside import NOTHING
from weft.explore.scene import scene

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from weft.explore.beside import Beside
    from weft.fabric import Fabric
    from weft.routing import Routing

__all__ = ["MOST_BYTES", "page_script", "page_text", "write_page"]

#: Largest page that is written, in bytes.
MOST_BYTES = 5_000_000

#: Hardly less comes of more, which takes twice as long.
_LEVEL = 6

#: What of `index.html` is replaced: each is there once.
_CHARSET = '<meta charset="utf-8">'
_STYLE = '<link rel="stylesheet" href="page.css">'
_SCRIPT = '<script type="module" src="page.js"></script>'


def write_page(
    fabric: Fabric,
    path: str | os.PathLike[str],
    routings: Sequence[str | Routing] = (),
    beside: Beside = NOTHING,
) -> int:
    """Write a page that draws a fabric and answers questions about it by itself.

    Parameters
    ----------
    fabric : Fabric
        The network.
    path : path-like
        The file; one that is there is replaced once the new one is whole.
    routings : sequence of str or Routing
        Routings that can be picked, before those that are offered for any fabric: as on the command
        line, or routes that are given.
    beside : Beside
        What else is shown: what the drawing can be coloured by, what has failed, jobs that ran.

    Returns
    -------
    int
        Its size in bytes, :data:`MOST_BYTES` at most.

    Raises
    ------
    InputError
        When the fabric is too large for one file, or packets choose by routes that are given.
    EnvironmentFailure
        When Weft was built without what answers in a page, or the file cannot be written.
    """
    text = page_text(fabric, routings, beside)
    write_text(path, text)
    return len(text.encode())


def page_text(
    fabric: Fabric, routings: Sequence[str | Routing] = (), beside: Beside = NOTHING
) -> str:
    """Return the page of :func:`write_page`: the same for the same that is given."""
    files = resources.files("weft.explore")
    drawn = json.dumps(scene(fabric, routings, beside), allow_nan=False, ensure_ascii=False)
    given = [(one.label, one.to_json()) for one in routings if not isinstance(one, str)]
    held = {
        "weft-core": _packed_core(),
        "weft-fabric": _packed(_core.fabric_text(fabric, "json").encode()),
        "weft-patterns": _packed(json.dumps(beside.pattern_files, ensure_ascii=False).encode()),
        "weft-routes": _packed(json.dumps(given, ensure_ascii=False).encode()),
        "weft-scene": _packed(drawn.encode()),
    }
    style = files.joinpath("page.css").read_text(encoding="utf-8")
    script = page_script()
    page = files.joinpath("index.html").read_text(encoding="utf-8")
    if "</style" in style.lower() or "</script" in script.lower():
        message = "style or script of the page ends within itself"
        raise ValueError(message)
    data = "\n".join(
        f'<script type="text/plain" id="{name}">{content}</script>'
        for name, content in held.items()
    )
    policy = (
        f"default-src 'none'; script-src {permission(script)} 'wasm-unsafe-eval';"
        f" style-src {permission(style)}; img-src data: blob:; worker-src blob:;"
        " base-uri 'none'; form-action 'none'"
    )
    head = f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{policy}">'
    page = _replaced(_CHARSET, page, head)
    page = _replaced(_STYLE, page, f"<style>{style}</style>")
    page = _replaced(_SCRIPT, page, f'{data}\n<script type="module">{script}</script>')
    size = len(page.encode())
    if size > MOST_BYTES:
        message = (
            f"the page of {fabric.name} has {size / 1e6:.1f} MB, expected {MOST_BYTES / 1e6:.0f} MB"
            " at most; `weft explore` without -o serves it"
        )
        raise InputError(message)
    return page


def page_script() -> str:
    """Return the script of the page."""
    return resources.files("weft.explore").joinpath("page.js").read_text(encoding="utf-8")


@functools.cache
def _packed_core() -> str:
    """Return what answers in the page."""
    core = resources.files("weft.explore").joinpath("core.wasm")
    if not core.is_file():
        message = "this build of Weft has nothing that answers in a page; `make build` makes it"
        raise EnvironmentFailure(message)
    return _packed(core.read_bytes())


def _packed(content: bytes) -> str:
    """Pack bytes as text, the same for the same bytes."""
    return base64.b64encode(gzip.compress(content, _LEVEL, mtime=0)).decode()


def _replaced(part: str, page: str, by: str) -> str:
    """Put a text in the place of a part of the page."""
    if page.count(part) != 1:
        message = f"the page has {page.count(part)} of {part}, expected one"
        raise ValueError(message)
    return page.replace(part, by)
