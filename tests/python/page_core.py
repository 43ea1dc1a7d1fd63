"""What a page runs, loaded as a page does: bytes in and bytes out, and nothing else."""

from __future__ import annotations

from functools import cache
from importlib import resources

from wasmtime import Config, Engine, Func, Instance, Memory, Module, Store


@cache
def _compiled() -> tuple[Engine, Module]:
    core = resources.files("weft.explore").joinpath("core.wasm")
    assert core.is_file(), "make python/weft/explore/core.wasm"
    settings = Config()
    # Compiled in a third of the time.
    settings.cranelift_opt_level = "none"
    engine = Engine(settings)
    return engine, Module(engine, core.read_bytes())


def imports() -> list[str]:
    """Return what the core wants of its surroundings."""
    return [f"{one.module}.{one.name}" for one in _compiled()[1].imports]


class PageCore:
    """The core as a page has it: one fabric at a time."""

    def __init__(self) -> None:
        engine, module = _compiled()
        self._store = Store(engine)
        self._exports = Instance(self._store, module, []).exports(self._store)

    def open(self, fabric: bytes) -> str | None:
        """Take a fabric; None, or the answer that says why it is none."""
        self._write(fabric)
        return self._answer() if self._call("weft_open") else None

    def add(self, name: str, routes: str) -> str | None:
        """Take routes under a name; None, or the answer that says why they are none."""
        self._write(f"{name}\n{routes}".encode())
        return self._answer() if self._call("weft_add") else None

    def add_pattern(self, pattern: str, text: str) -> str | None:
        """Take what stands in the file of a pattern; None, or the answer that refuses it."""
        self._write(f"{pattern}\n{text}".encode())
        return self._answer() if self._call("weft_add_pattern") else None

    def ask(self, question: str | bytes) -> str:
        """Answer a question."""
        self._write(question.encode() if isinstance(question, str) else question)
        self._call("weft_ask")
        return self._answer()

    def _call(self, name: str, *arguments: int) -> int:
        function = self._exports[name]
        assert isinstance(function, Func)
        return int(function(self._store, *arguments) or 0)

    def _write(self, content: bytes) -> None:
        place = self._call("weft_room", len(content))
        memory = self._exports["memory"]
        assert isinstance(memory, Memory)
        memory.write(self._store, content, place)

    def _answer(self) -> str:
        count = self._call("weft_answer_bytes")
        place = self._call("weft_answer")
        memory = self._exports["memory"]
        assert isinstance(memory, Memory)
        return bytes(memory.read(self._store, place, place + count)).decode()
