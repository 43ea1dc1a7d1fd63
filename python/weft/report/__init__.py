"""The report of a study, and that of an audit: self-contained HTML files that open from disk.

They make no network request: charts, scripts and styles are inside.
"""

from __future__ import annotations

from weft.report.audit import render_audit, write_audit
from weft.report.page import render_report, write_report

__all__ = ["render_audit", "render_report", "write_audit", "write_report"]
