"""A fabric to play with: a page that draws it and answers questions about its routes.

An :class:`Explorer` answers questions in JSON; :func:`scene` tells what is drawn; an
:class:`ExploreServer` gives both to a browser on the same machine, and :func:`write_page` makes one
file of them. What stands beside a network, as results, jobs or failures, is read by
:func:`read_beside`.
"""

from __future__ import annotations

from weft._core import Explorer
from weft.explore.beside import Beside, read_beside
from weft.explore.file import write_page
from weft.explore.layers import Layer
from weft.explore.recording import Recording
from weft.explore.scene import scene
from weft.explore.server import ExploreServer

__all__ = [
    "Beside",
    "ExploreServer",
    "Explorer",
    "Layer",
    "Recording",
    "read_beside",
    "scene",
    "write_page",
]
