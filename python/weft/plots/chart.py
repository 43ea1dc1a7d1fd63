"""A chart: drawn for a screen or for a column of a paper, and put into files and pages."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter
from xml.sax.saxutils import escape

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from weft._files import whole_file
from weft._visible import visible
from weft.errors import InputError
from weft.plots.theme import FONT, PT, QUIET_COLOUR, settings

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.legend import Legend

__all__ = ["COLUMN_PX", "LEAST_LETTERS", "WIDTH", "Chart", "Sheet", "short", "tag"]

WIDTH = 800
"""Width of the area between the axes on a screen, in CSS pixels."""

COLUMN_PX = 336
"""Width of a column of a paper, 3.5 inches, in CSS pixels."""

PNG_SCALE = 2.0
"""Pixels of a PNG to a CSS pixel."""

SAVED_AS = (".svg", ".png", ".pdf")
"""Ends of the names of files that a chart can be."""

_PX_PER_INCH = 96

#: Of a PNG: half the time of the default for a tenth more bytes.
_COMPRESSION = 3

#: Room around the axes on a screen: left, below, right without a legend, and above the title.
_LEFT, _BELOW, _RIGHT, _ABOVE = 82, 56, 16, 8
#: Least height of letters in a drawing that is shrunk to a column, in CSS pixels.
LEAST_LETTERS = 9.0
#: Room around a drawing.
_EDGE = 4
#: Heights of a title and of a line of notes, and what lies between them and the axes.
_TITLE, _NOTE, _APART = 24, 18, 12
#: From the axes to the legend beside them.
_BESIDE = 22

#: The same in a column: a chart this high keeps its shape.
_COLUMN_HEIGHT = 250
_COLUMN_LEFT, _COLUMN_BELOW, _COLUMN_EDGE = 56, 38, 8
#: Height of a row of the legend there, and of names that are slanted.
_ROW, _SLANTED = 16, 70
_SLANTED_ON_SCREEN = 90
#: Letters that fit beside an axis of that height, and of an entry of which two fit side by side.
_LONGEST_TITLE, _LONGEST_OF_TWO = 34, 18
#: Letters of an entry of the legend that are shown.
_LONGEST_ENTRY = 44


@dataclass(frozen=True)
class Sheet:
    """What a chart is drawn on."""

    axes: Axes
    is_printed: bool  # in a column of a paper, else on a screen
    scale: float = 1.0  # what lengths of a drawing are multiplied by
    keys: list[Artist] = field(default_factory=list)  # entries of the legend, which have labels


@dataclass(frozen=True, eq=False)
class Chart:
    """A chart of a study, to be shown, changed and saved.

    `figure` gives the figure of matplotlib to change; a notebook shows the chart as it is.
    """

    name: str  # what it is a chart of, as a word
    titles: list[str]  # one for each choice of what is shown
    notes: list[str]  # lines below the title
    rows: list[dict[str, Any]]  # what it is drawn from
    draw: Callable[[Sheet], None]
    height: int  # of the area between the axes, in CSS pixels
    width: int = WIDTH
    view: int = 0  # the choice shown at first
    key_title: str = "routing"
    has_slanted_names: bool = False
    is_drawing: bool = False  # to scale, without axes
    loads: int = 0  # among which a page lets choose; of several routings, each has all
    #: What a page writes at the members of a collection, and colours them by, by its name.
    members: dict[str, Any] = field(default_factory=dict)
    #: What each member of a collection tells without a page, in the order drawn, by its name.
    tips: dict[str, list[str]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What the chart shows at first."""
        return self.titles[self.view]

    @property
    def scale_in_column(self) -> float:
        """What lengths of a drawing are multiplied by where it is as wide as a column."""
        return COLUMN_PX / (self.width + 2 * _EDGE)

    def figure(self, *, is_printed: bool = False, has_choices: bool = False) -> Figure:
        """Draw it, for a screen or as wide as a column of a paper; for a page with all choices."""
        with mpl.rc_context(settings(self.name, is_printed=is_printed)):
            figure = Figure(dpi=72)
            FigureCanvasAgg(figure)  # what texts are measured by
            axes = figure.add_axes((0, 0, 1, 1))
            scale = self.scale_in_column if is_printed and self.is_drawing else 1.0
            sheet = Sheet(axes, is_printed, scale)
            with catch_warnings():
                # A name may have letters that the font has not: an SVG has them all the same.
                simplefilter("ignore", UserWarning)
                self.draw(sheet)
                if is_printed and not self.is_drawing:
                    self._lay_out_for_column(figure, sheet)
                else:
                    self._lay_out_for_screen(figure, sheet, has_title=not is_printed)
        for text in figure.findobj(Text):
            # No font has control characters, which names may hold.
            if (shown := visible(text.get_text())) != text.get_text():
                text.set_text(shown)
            if is_printed and hasattr(text, "set_fontfeatures"):  # since matplotlib 3.11
                # A PDF would hold the font a second time for "ff" as one letter.
                text.set_fontfeatures(["-liga"])
        if not has_choices:
            for artist in figure.findobj(lambda artist: bool(artist.get_gid())):
                artist.set_visible(self._is_shown(artist.get_gid() or ""))
        return figure

    def _is_shown(self, words: str) -> bool:
        """Tell whether marks are of the choice shown at first."""
        load = f"l{self.view % max(self.loads, 1)}"
        of_choice = re.findall(r"(?<![^ ])([lv])(\d+)(?![^ |])", words.partition("|")[0])
        return all(kind + at in {load, f"v{self.view}"} for kind, at in of_choice)

    def svg(self, *, has_choices: bool = False) -> str:
        """Return it as SVG, the same text for the same chart; for a page with all choices.

        A page tells by itself what the members of a collection stand for.
        """
        text = self._svg_of(self.figure(has_choices=has_choices))
        return text if has_choices else self._told(text)

    def narrow_svg(self) -> str:
        """Return it for a page on a telephone, as wide as a column of a paper."""
        return self._svg_of(self.figure(is_printed=True, has_choices=True), is_printed=True)

    def _svg_of(self, figure: Figure, *, is_printed: bool = False) -> str:
        text = self._rendered(figure, "svg", is_printed=is_printed).decode()
        # No document of XML may hold what a name may: control characters and the like.
        text = visible(text[text.index("<svg") :])
        text = re.sub(r"\s*<(metadata|style)\b.*?</\1>", "", text, flags=re.DOTALL)
        text = text.replace("'DejaVu Sans'", FONT)
        text = re.sub(r'<g id="weft ([^"|]*)\|?([^"]*)">', self._group, text)
        text = re.sub(r'<g id="[^"]*">', "<g>", text)
        size = figure.get_size_inches() * _PX_PER_INCH
        text = re.sub(
            r'<svg [^>]*?viewBox="([^"]*)"[^>]*>',
            f'<svg class="marks" stroke-linejoin="round" xmlns="http://www.w3.org/2000/svg" '
            f'xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="\\1" '
            f'width="{size[0]:g}" height="{size[1]:g}">',
            text,
            count=1,
        )
        return text.rstrip() + "\n"

    def _told(self, text: str) -> str:
        """Write at every member of a collection what it stands for."""
        for name, tips in self.tips.items():
            start = re.search(rf'<g class="weft [^"]*\bof-{name}"[^>]*>', text)
            if start is None:
                continue
            left = iter(tips)

            def with_tip(found: re.Match[str], left: Iterator[str] = left) -> str:
                tip = None if found[1] is None else next(left, None)
                if tip is None:
                    return found[0]
                return f"{found[0][:-2]}><title>{escape(visible(tip))}</title></{found[1]}>"

            shapes = r"<defs>.*?</defs>|<(path|use)\b[^>]*/>"
            after = re.sub(shapes, with_tip, text[start.end() :], flags=re.DOTALL)
            text = text[: start.end()] + after
        return text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it, whole or not at all: SVG, PNG or PDF, as the end of the file's name tells.

        Another end is an `InputError`, and an `EnvironmentFailure` where the machine does not let
        the file be written.
        """
        suffix = Path(path).suffix.lower()
        if suffix not in SAVED_AS:
            message = (
                f"found picture {Path(path).name!r}, expected a name that ends in "
                f"{', '.join(SAVED_AS[:-1])} or {SAVED_AS[-1]}"
            )
            raise InputError(message)
        figure = self.figure()
        content = (
            self._told(self._svg_of(figure)).encode()
            if suffix == ".svg"
            else self._rendered(figure, suffix[1:], is_printed=False)
        )
        with whole_file(path) as partial:
            partial.write_bytes(content)

    def shown(self) -> dict[str, bytes]:
        """Return it as it is shown on screens: content by ``.svg`` and ``.png``."""
        figure = self.figure()
        return {
            ".svg": self._told(self._svg_of(figure)).encode(),
            ".png": self._rendered(figure, "png", is_printed=False),
        }

    def printed(self) -> dict[str, bytes]:
        """Return it as it goes into a paper: content by ``.svg``, ``.pdf`` and ``.csv``.

        It is as wide as a column, and the title is left out: in a paper it stands in the caption. A
        drawing to scale is shrunk as a whole instead of laid out anew.
        """
        figure = self.figure(is_printed=True)
        return {
            ".svg": self._svg_of(figure, is_printed=True).encode(),
            ".pdf": self._rendered(figure, "pdf", is_printed=True),
            ".csv": self._table().encode(),
        }

    def _repr_svg_(self) -> str:
        """Show it in a notebook."""
        return self.svg()

    def _rendered(self, figure: Figure, form: str, *, is_printed: bool) -> bytes:
        content = io.BytesIO()
        metadata: dict[str, None] = {
            "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
            "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
            "png": {"Software": None},
        }[form]
        with mpl.rc_context(settings(self.name, is_printed=is_printed)), catch_warnings():
            simplefilter("ignore", UserWarning)
            if form == "png":
                dpi = PNG_SCALE * _PX_PER_INCH
                options = {"compress_level": _COMPRESSION}
                figure.savefig(content, format=form, dpi=dpi, metadata=metadata, pil_kwargs=options)
            else:
                figure.savefig(content, format=form, dpi=72, metadata=metadata)
        return content.getvalue()

    def _group(self, found: re.Match[str]) -> str:
        """Write a group of marks: its classes, what it tells, whether it is shown."""
        words, tip = found[1], found[2]
        hidden = "" if self._is_shown(words) else ' display="none"'
        return f'<g class="weft {words}"{hidden}>' + (f"<title>{tip}</title>" if tip else "")

    def _lay_out_for_screen(self, figure: Figure, sheet: Sheet, *, has_title: bool) -> None:
        edge = _EDGE * sheet.scale
        left, below, right = (edge, edge, edge) if self.is_drawing else (_LEFT, _BELOW, _RIGHT)
        below += _SLANTED_ON_SCREEN if self.has_slanted_names else 0
        wide, high = self.width * sheet.scale, self.height * sheet.scale
        if sheet.keys:
            right = _BESIDE + 8 + _wide(figure, self._legend_beside(sheet))
        above, texts = edge, []
        if has_title:
            above = _ABOVE + _TITLE + _NOTE * len(self.notes) + _APART
            texts = self._texts_above(figure)
            # Titles are of much the same width where they can be chosen.
            longest = max(texts, key=lambda text: len(text.get_text()) * text.get_fontsize())
            right = max(right, _wide(figure, longest) + edge - wide)
        if self.is_drawing:
            beyond = _beyond(sheet.axes, wide, high)
            left, right, below = (
                max(room) for room in zip((left, right, below), beyond[:3], strict=True)
            )
            above += max(beyond[3] - edge, 0.0)
        width, height = left + wide + right, above + high + below
        figure.set_size_inches(width / _PX_PER_INCH, height / _PX_PER_INCH)
        sheet.axes.set_position((left / width, below / height, wide / width, high / height))
        for text in texts:
            _, down = text.get_position()
            text.set_position((left / width, 1.0 - (_ABOVE + down) / height))

    def _legend_beside(self, sheet: Sheet) -> Legend:
        legend = sheet.axes.legend(
            handles=sheet.keys,
            title=self.key_title,
            loc="upper left",
            bbox_to_anchor=(1 + _BESIDE / self.width, 1.02),
            borderaxespad=0,
            alignment="left",
            title_fontproperties={"weight": "bold", "size": 12 * PT},
        )
        legend.set_gid(tag(members="legend"))
        for text in legend.get_texts():
            text.set_text(_cut(text.get_text()))
        return legend

    def _texts_above(self, figure: Figure) -> list[Text]:
        """Write titles and notes; their places are pixels down from the upper edge."""
        titles = [
            figure.text(
                0,
                0,
                words,
                size=16 * PT,
                weight="bold",
                va="top",
                gid=tag(view=place) if len(self.titles) > 1 else None,
            )
            for place, words in enumerate(self.titles)
        ]
        notes = [
            figure.text(
                0, _TITLE + _NOTE * place, words, size=12.5 * PT, color=QUIET_COLOUR, va="top"
            )
            for place, words in enumerate(self.notes)
        ]
        return [*titles, *notes]

    def _lay_out_for_column(self, figure: Figure, sheet: Sheet) -> None:
        axes = sheet.axes
        axes.yaxis.label.set_text(_broken(axes.get_ylabel()))
        is_long = max((len(str(key.get_label())) for key in sheet.keys), default=0)
        columns = 1 if is_long > _LONGEST_OF_TWO else 2
        rows = -(-len(sheet.keys) // columns)
        slanted = _SLANTED if self.has_slanted_names else 0
        height = _COLUMN_HEIGHT + _ROW * max(rows - 2, 0) + slanted
        left = _COLUMN_LEFT + (20 if "\n" in axes.get_ylabel() else 0)
        below = _COLUMN_BELOW + slanted + _ROW * rows + (8 if rows else 0)
        figure.set_size_inches(COLUMN_PX / _PX_PER_INCH, height / _PX_PER_INCH)

        def place(left: float) -> None:
            wide, high = COLUMN_PX - left - _COLUMN_EDGE, height - below - _COLUMN_EDGE
            axes.set_position((left / COLUMN_PX, below / height, wide / COLUMN_PX, high / height))

        place(left)
        # Numbers of many digits push the title of their axis out of the column.
        scale = axes.yaxis.get_tightbbox(_renderer(figure))
        if scale is not None and scale.x0 < 0:
            place(left - float(scale.x0) / PT + 2)
        if sheet.keys:
            legend = figure.legend(
                handles=sheet.keys,
                loc="lower left",
                bbox_to_anchor=(0, 0),
                ncols=columns,
                borderaxespad=0.2,
                labelspacing=0.3,
                columnspacing=1.2,
                alignment="left",
            )
            for text in legend.get_texts():
                text.set_text(_cut(text.get_text()))

    def _table(self) -> str:
        """Write the rows that the chart is drawn from."""
        names = list(dict.fromkeys(name for row in self.rows for name in row))
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(names)
        for row in self.rows:
            writer.writerow([_plain(row.get(name)) for name in names])
        return text.getvalue()


def tag(
    *,
    routing: int | None = None,
    load: int | None = None,
    view: int | None = None,
    members: str = "",
    tip: Sequence[str] = (),
) -> str:
    """Say of marks what they are: a page shows and hides them by it, and tells the tip's lines."""
    words = [f"r{routing}"] if routing is not None else []
    if load is not None:
        words.append(f"l{load}")
    if view is not None:
        words.append(f"v{view}")
    if members:
        words.append(f"of-{members}")
    return f"weft {' '.join(words)}|" + "\n".join(tip)


def short(value: float) -> float:
    """Keep four significant digits: more cannot be seen and only make the page larger."""
    return float(f"{value:.4g}")


def _beyond(axes: Axes, wide: float, high: float) -> tuple[float, float, float, float]:
    """Measure how far names reach beyond axes of a size: left, right, below, above, in pixels."""
    figure = axes.get_figure()
    assert isinstance(figure, Figure)  # noqa: S101 - made so in `Chart.figure`
    figure.set_size_inches(wide / _PX_PER_INCH, high / _PX_PER_INCH)
    boxes = [text.get_window_extent(_renderer(figure)) for text in axes.texts]
    left = max((-box.x0 for box in boxes), default=0.0) / PT
    right = max((box.x1 for box in boxes), default=0.0) / PT - wide
    below = max((-box.y0 for box in boxes), default=0.0) / PT
    above = max((box.y1 for box in boxes), default=0.0) / PT - high
    return left + 2, right + 2, below + 2, above + 2


def _wide(figure: Figure, artist: Artist) -> float:
    """Measure how wide something is drawn, in CSS pixels."""
    return float(artist.get_window_extent(_renderer(figure)).width) / PT


def _renderer(figure: Figure) -> RendererAgg:
    canvas = figure.canvas
    assert isinstance(canvas, FigureCanvasAgg)  # noqa: S101 - made so in `Chart.figure`
    renderer: RendererAgg = canvas.get_renderer()  # type: ignore[no-untyped-call]
    return renderer


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_ENTRY else f"{text[: _LONGEST_ENTRY - 1]}…"


def _broken(title: str) -> str:
    """Break the title of an axis that is too long for a column near its middle."""
    if len(title) <= _LONGEST_TITLE:
        return title
    middle = min(
        (at for at, letter in enumerate(title) if letter == " "),
        key=lambda at: abs(at - len(title) / 2),
    )
    return f"{title[:middle]}\n{title[middle + 1 :]}"


def _plain(value: Any) -> Any:  # noqa: ANN401 - a value of a row
    """Write a list of one as that one, other lists as JSON."""
    if isinstance(value, list):
        return value[0] if len(value) == 1 else json.dumps(value)
    return value
