"""A server for one page, on this machine alone: it gives out the page and answers its questions."""

from __future__ import annotations

import hmac
import json
import secrets
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import TYPE_CHECKING, Any

from weft import _core
from weft.explore.beside import NOTHING
from weft.explore.scene import scene

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.explore.beside import Beside
    from weft.fabric import Fabric
    from weft.routing import Routing

__all__ = ["ExploreServer"]

_ADDRESS = "127.0.0.1"
#: Longest question in bytes.
_LONGEST_QUESTION = 1 << 20
#: Seconds that a browser may take to send what it began.
_PATIENCE_S = 30
_JSON = "application/json"
#: What is given out, by its name in the address.
_PARTS = {
    "": ("index.html", "text/html; charset=utf-8"),
    "page.js": ("page.js", "text/javascript; charset=utf-8"),
    "page.css": ("page.css", "text/css; charset=utf-8"),
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
    " img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class ExploreServer:
    """A server that shows a fabric to a browser on the same machine.

    It listens on the loopback address alone. Whoever asks must know the token in its address, and
    must have come by that address: requests that name another host, as a page elsewhere brings a
    browser to make, are refused. It writes nothing.

    Parameters
    ----------
    fabric : Fabric
        The network.
    routings : sequence of str or Routing
        Routings that can be picked, before those that are offered for any fabric: as on the command
        line, or routes that are given.
    port : int
        Where it listens, 0 to 65535; 0 takes one that is free.
    beside : Beside
        What else is shown: what the drawing can be coloured by, what has failed, jobs that ran.

    Raises
    ------
    OSError
        When the port is taken.

    Examples
    --------
    >>> import weft
    >>> from weft.explore import ExploreServer
    >>> with ExploreServer(weft.torus(4, 4)) as server:
    ...     server.address.startswith("http://127.0.0.1:")
    True
    """

    def __init__(
        self,
        fabric: Fabric,
        routings: Sequence[str | Routing] = (),
        port: int = 0,
        *,
        beside: Beside = NOTHING,
    ) -> None:
        page = resources.files("weft.explore")
        parts = {
            name: (page.joinpath(file).read_bytes(), kind) for name, (file, kind) in _PARTS.items()
        }
        drawn = json.dumps(scene(fabric, routings, beside), allow_nan=False, ensure_ascii=False)
        parts["scene.json"] = (drawn.encode(), _JSON)
        self._token = secrets.token_urlsafe(24)
        self._server = _Server((_ADDRESS, port), _Handler)
        self._server.parts = parts
        self._server.token = self._token
        given = [routing for routing in routings if not isinstance(routing, str)]
        self._server.explorer = _core.Explorer(fabric, given, beside.pattern_files)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://{_ADDRESS}:{self.port}/{self._token}/"

    def serve(self) -> None:
        """Answer until :meth:`stop` is called by another thread, or Ctrl-C is pressed."""
        self._server.serve_forever(poll_interval=0.1)

    def stop(self) -> None:
        """End :meth:`serve`, which another thread is in."""
        self._server.shutdown()

    def close(self) -> None:
        """Listen no more."""
        self._server.server_close()

    def __enter__(self) -> ExploreServer:
        """Return the server, which is closed at the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Listen no more."""
        self.close()


class _Server(ThreadingHTTPServer):
    """The listening socket, with what all requests need."""

    daemon_threads = True
    # Another program must not take the port over while this one listens.
    allow_reuse_port = False
    parts: Mapping[str, tuple[bytes, str]]
    token: str
    explorer: _core.Explorer

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """Pass over browsers that went away; tell of anything else as usual."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


class _Refused(Exception):  # noqa: N818 - it is no error of Weft
    """A request is not answered."""

    def __init__(self, status: HTTPStatus, what: str) -> None:
        super().__init__(what)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    """One browser's requests."""

    server: _Server
    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE_S

    def do_GET(self) -> None:
        """Give out a part of the page."""
        self._answer(lambda: self.server.parts[self._part_asked(self.server.parts)])

    def do_POST(self) -> None:
        """Answer a question."""
        self._answer(self._asked)

    def _asked(self) -> tuple[bytes, str]:
        self._part_asked(["ask"])
        question = self._question()
        return self.server.explorer.ask(question).encode(), _JSON

    def _answer(self, answer: Any) -> None:  # noqa: ANN401 - a function without arguments
        try:
            content, kind = answer()
            status = HTTPStatus.OK
        except _Refused as refused:
            # What is left of the request is not read.
            self.close_connection = True
            content, kind, status = _told(str(refused)), _JSON, refused.status
        except RuntimeError as error:
            content, kind = _told(f"{error}; this is a bug in Weft"), _JSON
            status = HTTPStatus.INTERNAL_SERVER_ERROR
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def _part_asked(self, parts: Mapping[str, object] | Sequence[str]) -> str:
        """Return what is asked for, if whoever asks may have it and there is such a thing."""
        port = self.server.server_address[1]
        hosts = {f"{_ADDRESS}:{port}", f"localhost:{port}"}
        given = self.headers.get_all("Host") or []
        if len(given) != 1 or given[0] not in hosts:
            message = "found another host in the request, expected the address that was printed"
            raise _Refused(HTTPStatus.MISDIRECTED_REQUEST, message)
        origin = self.headers.get("Origin")
        if origin is not None and origin not in {f"http://{host}" for host in hosts}:
            message = "found a request by another page, expected one by the page itself"
            raise _Refused(HTTPStatus.FORBIDDEN, message)
        path = self.path.partition("?")[0]
        token, slash, name = path.removeprefix("/").partition("/")
        is_known = hmac.compare_digest(token.encode(), self.server.token.encode())
        if not (path.startswith("/") and slash and is_known and name in parts):
            message = "found no such address, expected the one that was printed"
            raise _Refused(HTTPStatus.NOT_FOUND, message)
        return name

    def _question(self) -> str:
        """Return the body of the request."""
        kind = (self.headers.get("Content-Type") or "").partition(";")[0].strip().lower()
        if kind != _JSON:
            message = f"found content of type {kind or 'unknown'}, expected {_JSON}"
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, message)
        given = self.headers.get_all("Content-Length") or []
        if len(given) != 1 or not (given[0].isascii() and given[0].isdecimal()):
            message = "found no length of the question, expected the header Content-Length"
            raise _Refused(HTTPStatus.LENGTH_REQUIRED, message)
        if len(given[0]) > len(str(_LONGEST_QUESTION)) or int(given[0]) > _LONGEST_QUESTION:
            message = (
                f"found a question of {given[0][:20]} bytes, expected {_LONGEST_QUESTION} at most"
            )
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
        try:
            return self.rfile.read(int(given[0])).decode()
        except UnicodeDecodeError as error:
            message = "found a question that is no UTF-8, expected JSON"
            raise _Refused(HTTPStatus.BAD_REQUEST, message) from error

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no request, or one of another method, in the form of all refusals."""
        del explain
        self.close_connection = True

        def refuse() -> tuple[bytes, str]:
            raise _Refused(HTTPStatus(code), message or HTTPStatus(code).phrase)

        self._answer(refuse)

    def version_string(self) -> str:
        """Name the server without its version."""
        return "weft"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the address holds the token."""


def _told(what: str) -> bytes:
    """Return a refusal as every answer has it."""
    return json.dumps({"error": {"what": what}}, ensure_ascii=False).encode()
