"""A fabric to play with: a page that draws it and answers questions about its routes.

An :class:`Explorer` answers questions in JSON; :func:`scene` tells what is drawn; an
:class:`ExploreServer` gives both to a browser on the same machine, and :func:`write_page` makes one
file of them.
"""

from __future__ import annotations

from weft._core import Explorer
from weft.explore.file import write_page
from weft.explore.scene import scene
from weft.explore.server import ExploreServer

__all__ = ["ExploreServer", "Explorer", "scene", "write_page"]
