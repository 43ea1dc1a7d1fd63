"""The report of a study: one self-contained HTML file that opens from disk.

It makes no network request: charts, scripts and styles are inside.
"""

from __future__ import annotations

from weft.report.page import render_report, write_report

__all__ = ["render_report", "write_report"]
