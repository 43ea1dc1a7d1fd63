"""When what is seen counts in a watch, and how long it waits."""

from __future__ import annotations

from dataclasses import dataclass

from weft._ranges import require_whole, require_within
from weft.transition import DEFAULT_LIFETIME, LONGEST_LIFETIME

__all__ = ["MOST_SECONDS", "WatchSettings"]

#: The longest that one may wait for anything, or hold back, s.
MOST_SECONDS = 1e9


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """What counts when, and how long one waits."""

    hold_s: float = 30.0  #: What is new or back counts after so long, s
    settle_s: float = 5.0  #: The last file of a folder agrees with itself after so long, s
    most_lost: float = 0.25  #: More of all switches, hosts or cables are not gone at once
    patience_s: float = 60.0  #: Switches have new tables after so long, or an alarm says so, s
    read_every_s: float = 300.0  #: Switches are read so often when nothing changes, s
    #: A packet stays in a switch for 4.096 µs · 2 to this power at most: OpenSM's packet_life_time
    lifetime: int = DEFAULT_LIFETIME

    def __post_init__(self) -> None:
        """Refuse what is out of range: no time is as long as one that is no number."""
        for name in ("hold_s", "settle_s", "patience_s", "read_every_s"):
            require_within(name, getattr(self, name), MOST_SECONDS)
        require_within("most_lost", self.most_lost, 1.0)
        require_whole("lifetime", self.lifetime, 0, LONGEST_LIFETIME)
