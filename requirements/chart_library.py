"""Writes the scripts that draw charts in the page anew, as the locked vl-convert bundles them.

To be run when a lock has another vl-convert, in its environment::

    .venv/bin/python requirements/chart_library.py
"""

from __future__ import annotations

import gzip
from pathlib import Path

from vl_convert import javascript_bundle

from weft.plots.theme import VEGA_LITE

TARGET = Path(__file__).parents[1] / "python" / "weft" / "report" / "vega.js.gz"


def bundle() -> bytes:
    """Return Vega, Vega-Lite and Vega-Embed as one script, which sets ``window.vegaEmbed``."""
    version = ".".join(VEGA_LITE.split(".")[:2])
    # The whole bundle comes without a snippet, which the stub of the package does not know.
    text: str = javascript_bundle(vl_version=version)  # type: ignore[call-arg]
    return text.encode()


if __name__ == "__main__":
    TARGET.write_bytes(gzip.compress(bundle(), mtime=0))
