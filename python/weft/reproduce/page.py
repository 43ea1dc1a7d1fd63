"""The reproduced table as a page: Markdown, and HTML that opens from disk."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from weft.reproduce.boost import PAYLOAD_BYTES, ROOTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.reproduce.boost import BoostTable, FactorRow

__all__ = ["table_cells", "table_header", "to_html", "to_markdown"]

TITLE = "BOOST, table 1: throughput of in-transit buffers over up*/down*"

_ABOUT = (
    "Factor by which minimal routes with in-transit buffers (ITB: `ud_itb`) raise throughput over "
    f"up*/down* (UD: `simple_routes`), at {PAYLOAD_BYTES} bytes under uniform traffic, over random "
    "irregular networks with 4 hosts and 8 ports a switch. Throughput is the maximum of accepted "
    "traffic over a ladder of offered loads, refined until the loads either side of the maximum "
    "are within 3 %. Published: J. Flich, P. López, M. P. Malumbres, J. Duato, “Boosting the "
    "Performance of Myrinet Networks”, IEEE TPDS, 2002. The paper's topologies were not published "
    "and it does not say which switch is the root: what can be compared is the average, for "
    "either rule."
)

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 66rem; margin: 2rem auto; padding: 0 1rem;
       color: #1d2430; background: #fff; }
table { border-collapse: collapse; margin: 1.5rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #d8dde5; }
th { border-bottom: 2px solid #8a94a6; } td.text, th.text { text-align: left; white-space: nowrap; }
code { background: #f0f2f6; padding: 0 .2em; }
"""


def table_header() -> list[str]:
    """Return the titles of the columns."""
    return [
        "switches",
        "root",
        "average",
        "minimum",
        "maximum",
        "topologies",
        "published average",
        "published minimum",
        "published maximum",
    ]


def table_cells(row: FactorRow) -> list[str]:
    """Return a row as text.

    Parameters
    ----------
    row : FactorRow
        A row of the table.

    Returns
    -------
    list of str
        One text per column of `table_header`.
    """
    measured, published = row.measured, row.published
    return [
        str(row.switches),
        ROOTS[row.root],
        f"{measured.mean:.2f}",
        f"{measured.minimum:.2f}",
        f"{measured.maximum:.2f}",
        str(measured.count),
        *(
            ["–", "–", "–"]
            if published is None
            else [
                f"{published.average:.2f}",
                f"{published.minimum:.2f}",
                f"{published.maximum:.2f}",
            ]
        ),
    ]


def _topology_header() -> list[str]:
    return ["switches", "topology", "root", "UD bytes/ns/switch", "ITB bytes/ns/switch", "factor"]


def _topology_cells(table: BoostTable) -> list[list[str]]:
    return [
        [
            str(entry.switches),
            str(entry.topology),
            ROOTS[entry.root],
            f"{entry.ud_bytes_per_ns_per_switch:.5f}",
            f"{entry.itb_bytes_per_ns_per_switch:.5f}",
            f"{entry.factor:.3f}",
        ]
        for entry in table.topologies
    ]


def to_markdown(table: BoostTable, version: str) -> str:
    """Write the table as Markdown.

    Parameters
    ----------
    table : BoostTable
        The table.
    version : str
        Version of Weft that measured it.

    Returns
    -------
    str
    """
    lines = [f"# {TITLE}", "", _ABOUT, "", f"Measured with Weft {version}.", ""]
    lines += _markdown_table(table_header(), [table_cells(row) for row in table.rows])
    lines += ["", "## Topology by topology", ""]
    lines += _markdown_table(_topology_header(), _topology_cells(table))
    return "\n".join(lines) + "\n"


def _markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    rule = ["---" if title == "root" else "---:" for title in header]
    return [f"| {' | '.join(cells)} |" for cells in [header, rule, *rows]]


def to_html(table: BoostTable, version: str) -> str:
    """Write the table as an HTML page with nothing outside itself.

    Parameters
    ----------
    table : BoostTable
        The table.
    version : str
        Version of Weft that measured it.

    Returns
    -------
    str
    """
    about = escape(_ABOUT)
    for name in ("ud_itb", "simple_routes"):
        about = about.replace(f"`{name}`", f"<code>{name}</code>")
    body = [
        f"<h1>{escape(TITLE)}</h1>",
        f"<p>{about}</p>",
        f"<p>Measured with Weft {escape(version)}.</p>",
        *_html_table(table_header(), [table_cells(row) for row in table.rows]),
        "<h2>Topology by topology</h2>",
        *_html_table(_topology_header(), _topology_cells(table)),
    ]
    head = (
        f'<meta charset="utf-8">\n<title>{escape(TITLE)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<style>{_STYLE}</style>"
    )
    content = "\n".join(body)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n{head}\n</head>\n'
        f"<body>\n{content}\n</body>\n</html>\n"
    )


def _html_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    def cells(tag: str, texts: Sequence[str]) -> str:
        marks = [' class="text"' if title == "root" else "" for title in header]
        return "".join(
            f"<{tag}{mark}>{escape(text)}</{tag}>" for mark, text in zip(marks, texts, strict=True)
        )

    return [
        "<table>",
        f"<thead><tr>{cells('th', header)}</tr></thead>",
        "<tbody>",
        *(f"<tr>{cells('td', row)}</tr>" for row in rows),
        "</tbody></table>",
    ]
