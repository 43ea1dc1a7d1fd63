"""Draws charts as SVG: the part of Vega-Lite that the charts of Weft are written in.

Vega draws the page in the reader's browser. For files a JavaScript engine would have to be started,
which takes a second and tens of gigabytes of address space; this draws the same specification in a
few milliseconds. Marks are line, rule, point, text, bar, tick and boxplot; scales are linear,
logarithmic, bands and palettes. What is not drawn here is an error and no picture.
"""

from __future__ import annotations

from weft.plots.svg.sheet import draw

__all__ = ["draw"]
