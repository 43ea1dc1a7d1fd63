"""The command line: ``weft``.

One file per stage; nothing heavy is imported before a command runs, so that help comes at once.
"""

from __future__ import annotations

from weft.cli.main import main

__all__ = ["main"]
