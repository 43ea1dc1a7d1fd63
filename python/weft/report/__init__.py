"""The pages of a study, an audit, advice, failures and programs: self-contained HTML files.

They open from disk and make no network request: charts, scripts and styles are inside. The modules
behind are imported at first use, because the chart library takes a while to load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft._late import late_names

if TYPE_CHECKING:
    from weft.report.advice import render_advice, write_advice
    from weft.report.audit import render_audit, write_audit
    from weft.report.page import render_report, write_report
    from weft.report.programs import (
        PARTS,
        ProgramRow,
        conditions_text,
        program_rows,
        program_table,
        write_program_report,
    )
    from weft.report.survival import render_survival, write_survival

__all__ = [
    "PARTS",
    "ProgramRow",
    "conditions_text",
    "program_rows",
    "program_table",
    "render_advice",
    "render_audit",
    "render_report",
    "render_survival",
    "write_advice",
    "write_audit",
    "write_program_report",
    "write_report",
    "write_survival",
]

__getattr__ = late_names(
    __name__,
    {
        "weft.report.advice": ("render_advice", "write_advice"),
        "weft.report.audit": ("render_audit", "write_audit"),
        "weft.report.page": ("render_report", "write_report"),
        "weft.report.programs": (
            *("PARTS", "ProgramRow", "conditions_text", "program_rows"),
            *("program_table", "write_program_report"),
        ),
        "weft.report.survival": ("render_survival", "write_survival"),
    },
    {"weft.report.page": "matplotlib"},
)
