"""What happens, as lines that people read and as JSON lines."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from weft.errors import EnvironmentFailure
from weft.watch.durable import append_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["Event", "Log"]

_KEPT_EVENTS = 50


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened."""

    time: float  #: When, s since 1970
    kind: str  #: What, such as ``decided``
    text: str  #: The same for people
    facts: dict[str, Any] = field(default_factory=dict)  #: Figures and names, by kind

    @property
    def is_alarm(self) -> bool:
        """Whether somebody has to look."""
        return self.kind == "alarm"

    @property
    def stamp(self) -> str:
        """The time, as ISO 8601 has it, in UTC."""
        return datetime.fromtimestamp(self.time, UTC).isoformat(timespec="milliseconds")

    def document(self) -> dict[str, Any]:
        """Return what a JSON line holds."""
        return {"time": self.stamp, "event": self.kind, "text": self.text, **self.facts}


class Log:
    """Tells events to people and writes them to a file, a line each.

    Parameters
    ----------
    path : Path
        File of JSON lines, which only grows; it is opened for each, so that it may be moved away.
    say : callable
        Told each event.
    clock : callable
        Returns the time, s since 1970.
    """

    def __init__(
        self, path: Path, say: Callable[[Event], None], clock: Callable[[], float]
    ) -> None:
        self._path, self._say, self._clock = path, say, clock
        self.latest: deque[Event] = deque(maxlen=_KEPT_EVENTS)
        #: Alarms that stand, by what they are about
        self.alarms: dict[str, Event] = {}
        self._unwritten: list[Event] = []

    def tell(self, kind: str, text: str, **facts: Any) -> None:  # noqa: ANN401 - JSON
        """Tell an event."""
        self._add(Event(self._clock(), kind, text, facts))

    def alarm(self, about: str, text: str) -> None:
        """Raise an alarm, once as long as it stands and says the same."""
        standing = self.alarms.get(about)
        if standing is None or standing.text != text:
            event = Event(self._clock(), "alarm", text, {"about": about})
            self.alarms[about] = event
            self._add(event)

    def is_over(self, about: str) -> None:
        """Tell that what an alarm was about is over, if one stands."""
        if (standing := self.alarms.pop(about, None)) is not None:
            self.tell("alarm_over", f"over: {standing.text}", about=about)

    def _add(self, event: Event) -> None:
        self.latest.append(event)
        self._say(event)
        self._unwritten.append(event)
        try:
            while self._unwritten:
                document = self._unwritten[0].document()
                append_line(self._path, json.dumps(document, ensure_ascii=False))
                self._unwritten.pop(0)
        except EnvironmentFailure as error:
            # They are written once there is room.
            if "log" not in self.alarms:
                unwritten = Event(self._clock(), "alarm", f"{error}", {"about": "log"})
                self.alarms["log"] = unwritten
                self._say(unwritten)
        else:
            if self.alarms.pop("log", None) is not None:
                self._say(Event(self._clock(), "alarm_over", f"over: {self._path}: written again"))
