"""The program that `weft.plots.conversion` starts; it imports nothing of Weft, so as to start soon.

From standard input it reads a list of pictures as JSON, each the end wanted and an SVG; to standard
output it writes the pictures, each behind its length of eight bytes.
"""

from __future__ import annotations

import json
import sys

PNG_SCALE = 2.0  #: Pixels of a PNG to a CSS pixel.


def main() -> None:
    """Convert what is asked for."""
    from vl_convert import svg_to_pdf, svg_to_png

    for end, svg in json.load(sys.stdin.buffer):
        picture = svg_to_pdf(svg) if end == ".pdf" else svg_to_png(svg, scale=PNG_SCALE)
        sys.stdout.buffer.write(len(picture).to_bytes(8, "little"))
        sys.stdout.buffer.write(picture)


if __name__ == "__main__":
    main()
