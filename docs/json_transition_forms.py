"""What the document of `weft transition` holds; see ``json_forms.py``."""

# Types are evaluated as they stand here.
# ruff: noqa: D101 - what a form holds is told where it is made
from typing import Literal, TypedDict

from weft.transition import PlannedAddress, TransitionMethod


class EntryWritten(TypedDict):
    switch: str
    address: int
    port: int


class BlockWritten(TypedDict):
    switch: str
    block: int


class TransitionStep(TypedDict):
    kind: Literal["write", "write_lanes", "answer", "renew", "renew_each", "renew_for_trees"]
    writes: list[EntryWritten]
    blocks: list[BlockWritten] | None
    addresses: list[int]
    switches: list[str]


class TransitionPhase(TypedDict):
    proved: bool
    most_switches: int
    wait_s: float
    steps: list[TransitionStep]


class TransitionWait(TypedDict):
    channel: str
    lane: int
    address: int
    sent_at: str
    by_write: bool


class BlockedWrite(TypedDict):
    switch: str
    address: int
    change: Literal["entry", "level", "levels"]
    cycle: list[TransitionWait]
    dead_end: int | None


class MetChange(TypedDict):
    switch: str
    address: int
    change: Literal["entry", "level", "levels"]


class TransitionDeadEnd(TypedDict):
    met: list[MetChange]
    writes: list[BlockedWrite]


class TransitionObstruction(TypedDict):
    end: Literal["first", "last"]
    destinations: list[str]
    writes: list[BlockedWrite]
    dead_ends: list[TransitionDeadEnd]


class TransitionTrees(TypedDict):
    count: int
    most_pairs: int
    level: int


class Transition(TypedDict):
    fabric: str
    old: str
    new: str
    levels: Literal["none", "at_any_time", "last", "first", "in_turn"]
    proved_throughout: bool
    renews: bool
    by_trees: TransitionTrees | None
    drained: list[str]
    drained_s: list[float]
    dropped: list[str]
    addresses: list[PlannedAddress]
    phases: list[TransitionPhase]
    methods: list[TransitionMethod]
    obstructions: list[TransitionObstruction] | None
