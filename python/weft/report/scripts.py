"""What goes into the page as markup: scripts, data, and names that may break."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from weft._numbers import counted
from weft._visible import visible

if TYPE_CHECKING:
    from jinja2 import Template

_ESCAPES = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def picture(svg: str) -> Markup:
    """Return a chart as markup; what of it comes from names, the library has escaped."""
    return Markup(svg)  # noqa: S704 - see above


def page_script() -> Markup:
    """Return the script that puts the charts into the page."""
    return _script(_own_file("page.js"))


def explore_script() -> Markup:
    """Return the script that opens the page to play with."""
    return _script(_own_file("explore.js"))


def page_style() -> Markup:
    """Return the style sheet of the page."""
    return Markup(_own_file("style.css"))  # noqa: S704 - a file of this package


def embedded_json(value: Any) -> Markup:  # noqa: ANN401 - anything JSON can hold
    """Write a value as JSON that is safe inside a script element, whatever names it contains."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return Markup(text)  # noqa: S704 - escaped in the lines above


def breakable(name: str) -> Markup:
    """Escape a name and let it break where a reader expects: after ``:``, ``,`` and the arrow."""
    kept = name.replace(" →", "\u00a0→")
    parts = [part for part in re.split(r"(?<=[:,])|(?<=→) ", kept) if part]
    glue = " " if "→" in name else ""
    spans = [Markup('<span class="part">{}</span>').format(part) for part in parts]
    return Markup(f"{glue}<wbr>").join(spans)  # noqa: S704 - glue is one of two constants


def _own_file(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _script(text: str) -> Markup:
    """Keep a script from closing its own element."""
    return Markup(text.replace("</script", "<\\/script"))  # noqa: S704 - code, not user text


def template(name: str) -> Template:
    """Return one of the templates of the pages; a name it does not know is an error.

    What would steer a terminal, or turn text around, stands as an escape in what it gives.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined, Template

    class Visible(Template):
        def render(self, *args: Any, **kwargs: Any) -> str:  # noqa: ANN401 - as jinja2 has it
            return visible(super().render(*args, **kwargs))

    environment = Environment(
        loader=PackageLoader("weft.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.template_class = Visible
    environment.filters["breakable"] = breakable
    environment.filters["counted"] = counted
    return environment.get_template(name)
