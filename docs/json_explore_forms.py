"""What the document of `weft explore` holds; see ``json_forms.py``."""

from typing import TypedDict


class ExploredPage(TypedDict):
    """Where the page is: the address that it is served at, or the file that it was written into."""

    fabric: str
    address: str | None
    page: str | None
    bytes: int | None
