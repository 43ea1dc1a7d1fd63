"""A fabric watched: each change repaired, proved, given to OpenSM, and read back."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from weft.errors import EnvironmentFailure, FormatError, RoutingError
from weft.opensm import opensm_content
from weft.proof import prove
from weft.routing import route
from weft.transition import longest_wait_s
from weft.watch.changes import Changes
from weft.watch.decision import Way, decide
from weft.watch.generations import Generations
from weft.watch.health import Health, moment, write_health
from weft.watch.lane_tables import LANES_OF_PLUGIN
from weft.watch.log import Log
from weft.watch.names import named_as
from weft.watch.parts import count_of, named, parts_of
from weft.watch.policies import content_between
from weft.watch.rounds import Round, rounds
from weft.watch.settings import WatchSettings
from weft.watch.sources import Unusable
from weft.watch.steadiness import Steadiness, Verdict, listed
from weft.watch.telling import changed_text, told_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from weft._core import LoadedTables
    from weft.fabric import Fabric
    from weft.routing import Routing
    from weft.watch.comparing import Comparing
    from weft.watch.decision import Decision, Standing
    from weft.watch.generations import Generation
    from weft.watch.log import Event
    from weft.watch.parts import Part
    from weft.watch.sources import Source
    from weft.watch.subnet_manager import ReadBack, SubnetManager

__all__ = ["Watch"]

_LOOK_AGAIN_S = 0.2
_TELL_AGAIN_S = 10.0  #: OpenSM may be told while it is busy with what it was told before.
_CONF = "opensm.conf"


@dataclass(frozen=True, slots=True)
class _Pending:
    """Rounds of a change that follow once the switches have what they were given."""

    parts: frozenset[Part]
    made: Standing
    of_rounds: list[Round]
    content: dict[str, bytes]


@dataclass(frozen=True, slots=True)
class _Stuck:
    """A decision that the machine refused to put in force, which is tried again."""

    target: Fabric
    before: Generation | None
    is_between: bool
    decision: Decision


class Watch:
    """Watches a fabric, pass by pass.

    Parameters
    ----------
    source : Source
        What gives discoveries.
    folder : path
        Where tables, log and health lie; one watch at a time works on it (:func:`weft.watch.held`).
    specification : str
        What tables are made by, as on the command line.
    manager : SubnetManager, optional
        The OpenSM that tables are given to; without, it is only told what would be done.
    settings : WatchSettings
        What counts when.
    say : callable
        Told each event.
    router : callable
        Makes a routing as :func:`weft.route` does.
    clock, sleep : callable
        The time, s since 1970, and what waits; true where one is asked to stop.
    comparing : Comparing, optional
        What says when it is time to route anew; without, it is not told.
    name : str
        How the source is called.
    """

    def __init__(
        self,
        source: Source,
        folder: Path,
        specification: str,
        *,
        manager: SubnetManager | None = None,
        settings: WatchSettings | None = None,
        say: Callable[[Event], None] = lambda _: None,
        router: Callable[[Fabric, str], Routing] = route,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], object] = time.sleep,
        comparing: Comparing | None = None,
        name: str = "",
    ) -> None:
        self._source, self._specification, self._manager = source, specification, manager
        self._settings = settings or WatchSettings()
        self._router, self._clock, self._sleep = router, clock, sleep
        self._comparing = comparing
        self._folder = folder.resolve()
        self.log = Log(self._folder / "events.jsonl", say, clock)
        self.health = Health(
            applies=manager is not None, source=name, specification=specification, pid=os.getpid()
        )
        self._generations = Generations(self._folder, "planned" if manager is None else "current")
        self._changes = Changes(self._folder)
        #: What was done and is not among these yet
        self._unkept: tuple[int, Standing, Standing, Way] | None = None
        self._steadiness = Steadiness(
            hold_s=self._settings.hold_s,
            settle_s=self._settings.settle_s,
            most_lost=self._settings.most_lost,
        )
        self._in_force: Generation | None = None
        self._parts: frozenset[Part] | None = None
        self._refused: frozenset[Part] | None = None
        self._verdict = Verdict()
        self._unusable: Unusable | None = None
        self._is_loaded = False
        self._told_at = self._read_at = float("-inf")
        #: When no packet is on its way any more that met other tables than those that stand
        self._settled_at = float("-inf")
        #: Tables that switches may have still, as they were not seen to have those that follow
        self._unsure: list[LoadedTables] = []
        self._pending: _Pending | None = None
        self._stuck: _Stuck | None = None
        self._generations.clean()
        self._take_up()

    @property
    def is_well(self) -> bool:
        """Whether there are tables and no alarm stands."""
        return self._in_force is not None and not self.log.alarms

    @property
    def _routed(self) -> Fabric | None:
        """The fabric that is routed, with the GUIDs that its tables name."""
        return None if self._in_force is None else self._in_force.standing.fabric

    @property
    def is_waiting(self) -> bool:
        """Whether the next passes may bring something about though nothing else happens."""
        if self.log.alarms.keys() & {"discovery", "machine"}:
            return False
        is_in_doubt = self._source.stands and "doubt" in self.log.alarms
        is_unloaded = self._manager is not None and self._in_force is not None
        return (
            self._unusable is not None  # What comes next is a discovery, or an alarm.
            or (self._in_force is None and self._refused is None and not is_in_doubt)
            or (bool(self._verdict.waiting) and not is_in_doubt)
            or (is_unloaded and not self._is_loaded and "switches" not in self.log.alarms)
            or (self._comparing is not None and self._comparing.is_running)
        )

    def _take_up(self) -> None:
        """Go on from what was applied last, if it is whole and proved."""
        mode = "applies" if self._manager is not None else "dry run"
        found: Generation | None = None
        try:
            found = self._generations.read()
        except FormatError as error:
            self.log.alarm("state", f"what was applied last is not taken up: {error}")
        if found is not None:
            proof = prove(found.standing.fabric, found.standing.routing)
            if not proof.deadlock_free:
                reason = proof.text.splitlines()[0]
                text = f"what was applied last is not taken up, as it is not proved: {reason}"
                self.log.alarm("state", text)
                found = None
        if found is not None:
            self._put_in_force(found)
            if found.standing.plan.specification != self._specification:
                # Another routing is asked for: all of the fabric is to be routed.
                self._parts = None
            self.log.tell(
                "started",
                f"started ({mode}), going on from generation {found.number}",
                generation=found.number,
            )
        else:
            self.log.tell("started", f"started ({mode})", generation=None)

    def pass_once(self) -> None:
        """Take what discoveries there are, and do what follows from them."""
        now = self._clock()
        found = self._source.take(now)
        for one in found:
            if isinstance(one, Unusable):
                self._is_unusable(one)
                continue
            discovery = one
            self._unusable = None
            self.log.is_over("discovery")
            self.health.last_discovery = moment(discovery.time)
            if self._in_force is not None:
                known = self._in_force.standing.plan.fabric
                discovery = replace(discovery, fabric=named_as(discovery.fabric, known))
            self._act(self._steadiness.take(discovery, self._parts, now, self._routed))
        if not found and self._source.stands:
            if self._unusable is not None:
                self._is_unusable(self._unusable)
            self._act(self._steadiness.again(self._parts, now, self._routed))
        if self._manager is not None and self._in_force is not None:
            self._look_at_switches(self._manager, self._in_force)
        self._generations.clean()
        if self._is_loaded:
            self._generations.prepare()
        self._keep()
        self._compare()
        self._tell_health()

    def _compare(self) -> None:
        """Tell where new tables would load a channel much less than those that were repaired."""
        generation, comparing, health = self._in_force, self._comparing, self.health
        if generation is None or comparing is None or self._verdict.waiting or self._pending:
            return
        if generation.is_between or (self._manager is not None and not self._is_loaded):
            return
        if not health.missing:
            comparing.end()
            return
        loads = comparing.look(self._generations.link.resolve(), generation.number)
        if loads is None:
            return
        health.largest_load, health.largest_load_anew = loads.standing, loads.anew
        if loads.is_time:
            self.log.tell(
                "outgrown",
                f"it is time to route anew: the largest load would be {loads.anew:,} routes, and is"
                f" {loads.standing:,}",
                largest_load=loads.standing,
                largest_load_anew=loads.anew,
            )

    def _is_unusable(self, discovery: Unusable) -> None:
        """Tell of what cannot be read; the second time in a row is an alarm."""
        text = f"{discovery.name}: {discovery.reason}"
        if self._unusable is None:
            self.log.tell("unusable", f"not a discovery, the tables stay: {text}")
        else:
            self.log.alarm("discovery", f"the fabric is not seen, the tables stay: {text}")
        self._unusable = discovery

    def _act(self, verdict: Verdict) -> None:
        if verdict.flapped:
            parts = listed(verdict.flapped)
            self.log.tell(
                "flapped", f"back at once, nothing is done: {parts}", parts=verdict.flapped
            )
        if verdict.doubt is not None:
            self.log.alarm("doubt", verdict.doubt)
        else:
            self.log.is_over("doubt")
        if further := [text for text in verdict.waiting if text not in self._verdict.waiting]:
            self.log.tell("waiting", f"waiting for {'; '.join(further)}", waiting=verdict.waiting)
        self._verdict = verdict
        if verdict.target is not None:
            self._change(verdict.target, verdict)
        elif self._in_force is not None and self._in_force.is_between and not verdict.waiting:
            self._set_again(self._in_force)
        elif not verdict.waiting and self._refused is not None:
            # What could not be routed is not there any more.
            self._refused = None
            self.log.is_over("routes")

    def _change(self, target: Fabric, verdict: Verdict) -> None:
        """Route a fabric that has changed."""
        parts = parts_of(target)
        if parts == self._refused:
            return
        pending, self._pending = self._pending, None
        if pending is not None and pending.parts == parts:
            self._go_on(pending)
            return
        began = time.process_time()
        before, stuck, self._stuck = self._in_force, self._stuck, None
        if stuck is not None and (stuck.target != target or stuck.before is not before):
            stuck = None
        if stuck is None:
            text = changed_text(target, verdict)
            self.log.tell("changed", text, missing=verdict.missing, added=verdict.added)
        try:
            is_between = self._is_between(target)
            if stuck is None or stuck.is_between != is_between:
                decision = decide(
                    None if before is None else before.standing,
                    target,
                    self._specification,
                    self._router,
                    is_between=is_between,
                    reads_lanes=self._manager is None or self._manager.reads_lanes,
                )
                text, facts = told_of(decision, self._settings.lifetime)
                self.log.tell("decided", text, **facts)
                stuck = _Stuck(target, before, is_between, decision)
            decision = stuck.decision
            if decision.standing is None:
                reasons = "; ".join(decision.reasons)
                self.log.alarm(
                    "routes", f"nothing proved can be had, the old tables stay: {reasons}"
                )
                self._refused = parts
                return
            self._apply(decision, began)
        except RoutingError as error:
            self.log.alarm("routes", f"OpenSM cannot be given tables, the old ones stay: {error}")
            self._refused = parts
        except EnvironmentFailure as error:
            self._stuck = stuck
            self.log.alarm("machine", f"{error}; the old tables stay, and it is tried again")
        else:
            self._refused = None
            self.log.is_over("routes")
            self.log.is_over("machine")

    def _go_on(self, pending: _Pending) -> None:
        """Give what is left of a change, if the switches have what they were given of it."""
        generation = self._in_force
        if self._manager is None or generation is None:
            return
        self._pending = pending
        if not self._is_loaded:
            fabric = generation.standing.fabric
            self._judge(self._read_back(self._manager, fabric, generation))
        if not self._is_loaded:
            return
        self._pending = None
        try:
            self._give(pending.made, pending.of_rounds, pending.content, None)
        except EnvironmentFailure as error:
            self._pending = pending
            self.log.alarm("machine", f"{error}; it is tried again")
        else:
            self.log.is_over("machine")

    def _is_between(self, target: Fabric) -> bool:
        """Tell whether switches may have something between the tables in force and others."""
        generation = self._in_force
        if generation is None or self._manager is None:
            return False
        if not self._is_loaded and not generation.is_between:
            self._judge(self._read_back(self._manager, target, generation))
        return generation.is_between or not self._is_loaded

    def _apply(self, decision: Decision, began: float) -> None:
        """Put proved tables in force, in as many rounds as it takes."""
        made, proof = decision.standing, decision.proof
        if made is None or proof is None:
            return
        tables, content = opensm_content(made.fabric, made.routing, proof, self._generations.link)
        before = self._in_force
        most = decision.way.most_switches
        of_rounds = [Round(tables, most, waits=False)]
        if self._manager is not None and before is not None:
            lanes = content.get(LANES_OF_PLUGIN)
            of_rounds = rounds(decision.way, made.fabric, before, tables, self._unsure, lanes)
            if before.opensm[_CONF] != content[_CONF]:
                text = f"{self._generations.link / _CONF} has changed: start OpenSM anew with it"
                self.log.alarm("options", text)
        self._give(made, of_rounds, content, began)
        if before is not None and self._in_force is not None:
            self._unkept = (self._in_force.number, before.standing, made, decision.way)

    def _keep(self) -> None:
        """Keep what was done last, to be rehearsed; nothing depends on it."""
        if self._unkept is None:
            return
        try:
            self._changes.keep(*self._unkept)
        except EnvironmentFailure as error:
            self.log.alarm("changes", f"what was done is not kept yet: {error}")
        else:
            self._unkept = None
            self.log.is_over("changes")

    def _give(
        self,
        made: Standing,
        of_rounds: list[Round],
        content: dict[str, bytes],
        began: float | None,
    ) -> None:
        """Give tables to OpenSM, each round once the switches have the one before."""
        before = self._in_force
        between = content if before is None else content_between(before, made, content)
        for number, of_round in enumerate(of_rounds, 1):
            is_last = number == len(of_rounds)
            if not self._waited(is_due=number == 1 or of_rounds[number - 2].waits):
                return
            # The switches have what is in force: OpenSM has read all of it, and nothing older.
            is_spare_read = not self._is_loaded
            is_between = not is_last and before is not None
            if of_round.lanes is not None:
                between = {**between, LANES_OF_PLUGIN: of_round.lanes}
            generation = self._generations.write(
                before.standing if is_between and before is not None else made,
                of_round.tables,
                between if is_between else content,
                is_between=is_between,
                most_switches=of_round.most_switches,
                is_spare_read=is_spare_read,
            )
            self._put_in_force(generation)
            what = "applied" if self._manager is not None else "planned"
            text = f"generation {generation.number} {what}"
            if len(of_rounds) > 1:
                text += f", round {number} of {len(of_rounds)}"
            cpu_s = None if began is None else round(time.process_time() - began, 3)
            self.log.tell(what, text, generation=generation.number, cpu_s=cpu_s)
            if self._manager is not None:
                is_loaded = self._load(self._manager, generation, made.fabric)
                if not is_loaded and not is_last:
                    rest = of_rounds[number:]
                    self._pending = _Pending(parts_of(made.fabric), made, rest, content)
                    return

    def _waited(self, *, is_due: bool) -> bool:
        """Wait until packets of other tables are gone where that is due; whether one may go on."""
        left_s = self._settled_at - self._clock()
        if self._manager is None or not is_due or left_s <= 0:
            return True
        return not self._sleep(left_s)

    def _set_again(self, generation: Generation) -> None:
        """Set the entries that were cleared for a change which is not to be any more."""
        standing = generation.standing
        proof = prove(standing.fabric, standing.routing)
        try:
            tables, content = opensm_content(
                standing.fabric, standing.routing, proof, self._generations.link
            )
            way = Way("clear_first")
            of_rounds = rounds(way, standing.fabric, generation, tables, self._unsure)
            self._give(standing, of_rounds, content, None)
        except EnvironmentFailure as error:
            self.log.alarm("machine", f"{error}; it is tried again")
            return
        self.log.is_over("machine")

    def _put_in_force(self, generation: Generation) -> None:
        before = self._in_force
        if before is not None and not self._is_loaded:
            self._unsure.append(before.tables)
        self._in_force = generation
        self._is_loaded = False
        self._told_at = float("-inf")
        health = self.health
        health.generation = generation.number
        if before is not None and before.standing is generation.standing:
            # Another round of what is routed already.
            return
        fabric, plan = generation.standing.fabric, generation.standing.plan
        self._parts = parts_of(fabric)
        health.switches, health.hosts = fabric.switch_count, fabric.host_count
        health.cables = count_of("cable", self._parts)
        health.largest_load = health.largest_load_anew = None
        health.missing = [named(part) for part in sorted(parts_of(plan.fabric) - self._parts)]

    def _load(self, manager: SubnetManager, generation: Generation, fabric: Fabric) -> bool:
        """Have OpenSM load tables, and read the switches until they have them; whether they do."""
        began = self._clock()
        self._tell_manager(manager)
        while True:
            read = self._read_back(manager, fabric, generation)
            now = self._clock()
            if read.is_loaded:
                self._judge(read)
                took_s = round(now - began, 3)
                self.log.tell(
                    "loaded",
                    f"the switches have generation {generation.number}, after {took_s:.1f} s",
                    generation=generation.number,
                    took_s=took_s,
                )
                return True
            if now - began >= self._settings.patience_s:
                self._judge(read)
                return False
            if now - self._told_at >= _TELL_AGAIN_S:
                self._tell_manager(manager)
            if self._sleep(_LOOK_AGAIN_S):
                return False

    def _look_at_switches(self, manager: SubnetManager, generation: Generation) -> None:
        """Read the switches where they do not have the tables, or were not read for long."""
        now = self._clock()
        if self._is_loaded and now - self._read_at < self._settings.read_every_s:
            return
        if not self._is_loaded and now - self._told_at >= _TELL_AGAIN_S:
            self._tell_manager(manager)
        fabric = generation.standing.fabric
        self._judge(self._read_back(manager, fabric, generation))

    @staticmethod
    def _read_back(manager: SubnetManager, fabric: Fabric, generation: Generation) -> ReadBack:
        lanes = generation.opensm.get(LANES_OF_PLUGIN)
        return manager.read_back(fabric, generation.tables, generation.standing.routing, lanes)

    def _tell_manager(self, manager: SubnetManager) -> None:
        self._told_at = self._clock()
        failures = manager.tell()
        if failures:
            self.log.alarm("telling", f"OpenSM was not told: {'; '.join(failures)}")
        else:
            self.log.is_over("telling")

    def _judge(self, read: ReadBack) -> None:
        """Note whether switches have the tables, and raise an alarm where they do not."""
        self._read_at = self._clock()
        self.health.last_read_back = moment(self._read_at)
        if read.is_loaded and not self._is_loaded and self._in_force is not None:
            most = self._in_force.most_switches
            self._settled_at = self._read_at + longest_wait_s(most, self._settings.lifetime)
            self._unsure.clear()
        self._is_loaded = read.is_loaded
        if read.is_loaded:
            self.log.is_over("switches")
            self.log.is_over("options")
            return
        if read.failure is not None:
            self.log.alarm("switches", f"the switches cannot be read back: {read.failure}")
            return
        fault = f": {read.fault}" if read.fault else ", though every pair of hosts is reached"
        what = f"{read.differing:,} entries differ"
        if read.differing_lanes:
            what += f" and the lanes between {read.differing_lanes:,} pairs of ports"
        text = f"the switches do not have the tables, {what}{fault}"
        self.log.alarm("switches", text)

    def _tell_health(self) -> None:
        health = self.health
        health.time = moment(self._clock())
        health.waiting = self._verdict.waiting
        health.alarms = [event.text for event in self.log.alarms.values()]
        has_tables = self._in_force is not None
        health.status = "alarm" if health.alarms else "well" if has_tables else "starting"
        looked = self._manager is not None and self._read_at > 0
        health.is_loaded = self._is_loaded if looked else None
        try:
            write_health(self._folder, health, list(self.log.latest))
        except EnvironmentFailure as error:
            self.log.alarm("health", f"{error}")
        else:
            self.log.is_over("health")
