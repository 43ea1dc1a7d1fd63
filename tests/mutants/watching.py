"""The mistakes planted in what watches a fabric and says what becomes of its tables."""

from __future__ import annotations

from mutants import mutants

WATCHING = mutants(
    "watch",
    r"""
python/weft/watch/decision.py
  what is not proved is taken
    - if not proof.deadlock_free:
    + if False:
  tables of the plan are set as a repair of those that stand
    - of_standing = repaired if kind == "repair" else None
    + of_standing = repaired
  what may stand in between is taken for what stands
    - if is_between:
    + if False:
  another routing that is asked for is not made
    - if standing is not None and standing.plan.specification == specification:
    + if standing is not None:
  a cable that is new is not used
    - if not new <= unplanned or not _are_leaves(new):
    + if not new:
  what is new comes together with the repair of what failed
    - if repaired.changed_entries:
    + if False:
python/weft/watch/taking_in.py
  packets to a new leaf do not leave the way of the example
    - if switch in self.neighbours[at]:
    + if False:
python/weft/watch/policies.py
  what is back has the levels of ranges that it lies in
    - stood = re.sub(rf"(?m)^{part}\n", f"{part}\n{''.join(texts)}", stood)
    + stood = re.sub(rf"(?m)^end-{part}\n", f"{''.join(texts)}end-{part}\n", stood)
  what is back has no level while tables change
    - add(groups[source], fresh[destination], level)
python/weft/watch/steadiness.py
  what one discovery lacks is gone
    - gone = frozenset() if seen.doubts else seen.lost & self._before
    + gone = frozenset() if seen.doubts else seen.lost
  doubtful discoveries that differ agree
    - gone = frozenset() if seen.doubts else seen.lost & self._before
    + gone = seen.lost & self._before
  a mass failure is not doubtful
    - if gone > 1 and gone > self._most_lost * all_of:
    + if False:
  what is back counts at once
    - ready = {part for part in new if now - self._first_seen[part] >= self._hold_s}
    + ready = set(new)
  the time of what flaps goes on
    - new = parts if standing is None else parts - standing
    -     self._first_seen = {part: self._first_seen.get(part, now) for part in new}
    + new = parts if standing is None else parts - standing
    +     self._first_seen = self._first_seen | {p: self._first_seen.get(p, now) for p in new}
python/weft/watch/sources.py
  what a command complains of is not heard
    - doubts = [f"it complained: {complaint}"] if complaint else []
    + doubts: list[str] = []
  a command that fails is believed
    - if ended.returncode:
    + if False:
python/weft/watch/generations.py
  what is damaged is taken up
    - if found.get(name) != digest:
    + if False:
  the link is changed before all is written
    - for name, content in files.items():
    -         # Nobody reads them before the link leads here.
    + point_to(self.link, folder.name)
    +     for name, content in files.items():
python/weft/watch/durable.py
  files are written in place
    - partial = path.with_name(f".{path.name}.partial")
    -     with told_as_environment(path):
    -         try:
    + partial = path
    +     with told_as_environment(path):
    +         try:
python/weft/watch/watching.py
  the second round begins though the first was not seen
    - if not is_loaded and not is_last:
    + if False:
  what was cleared stays so
    - elif self._in_force is not None and self._in_force.is_between and not verdict.waiting:
    + elif False:
  switches are not read when nothing changes
    - if self._is_loaded and now - self._read_at < self._settings.read_every_s:
    + if self._is_loaded:
python/weft/watch/generations.py
  a spare file is written into while another manager may read it
    - if written is not None and not is_spare_read:
    + if written is not None:
  a spare file is taken for one of other tables
    - self._spare = last.tables
    + self._spare = tables
python/weft/watch/rounds.py
  new tables are set at once
    - if way.transition is not None:
    + if False:
  packets of a phase are about in the next
    - waits = number == len(steps)
    + waits = False
  lane tables are set with the last entries
    - relaned += step.switches.tolist()
    + relaned += []
  lanes of what is not known to have gone are set
    - if count := old.differing(new, both):
    + if count := 0:
python/weft/watch/lane_tables.py
  all switches have new lanes at once
    - is_new = switch in written or switch not in old.switches
    + is_new = True
  hosts have no lane for new levels until the end
    - then if was == DROPPED else was
    + was
  ports that had no cable have old lanes
    - if not is_new and (ports := fresh.get(switch)):
    + if not is_new and (ports := None):
python/weft/watch/subnet_manager.py
  lanes that differ do not count
    - if not differing and not other_lanes:
    + if not differing:
  lanes that were read are not judged
    - if lanes is not None:
    -         levels
    + if False:
    +         levels
python/weft/watch/decision.py
  lane tables are changed though nobody sees it
    - if plan.relaned_switches and (clears or not reads_lanes):
    + if plan.relaned_switches and clears:
  hosts that have to let go of levels are not named
    - drained = _destinations(plan) if clears else []
    + drained = []
python/weft/watch/changes.py
  what was missing before is there at the beginning
    - missing = parts_of(beginning.fabric) - was
    + missing = set()
  a change is rehearsed with the last round alone
    - way.rounds[:-1], at_ns=now_ns
    + way.rounds[:0], at_ns=now_ns
python/weft/watch/watching.py
  packets of before are not waited for
    - if self._manager is None or not is_due or left_s <= 0:
    + if True:
  once is over though the one discovery there was failed
    - self._unusable is not None  # What comes
    + False  # What comes
  with a full disk it waits for ever though it is to end
    - if self.log.alarms.keys() & {"discovery", "machine"}:
    + if "discovery" in self.log.alarms:
  a decision about what was there before is tried again
    - if stuck is not None and (stuck.target != target or stuck.before is not before):
    + if stuck is not None and stuck.before is not before:
  tables that are repaired are compared before it is sure what is gone
    - if generation is None or comparing is None or self._verdict.waiting or self._pending:
    + if generation is None or comparing is None or self._pending:
python/weft/watch/comparing.py
  tables that can deadlock are a reason to route anew
    - if not prove(fabric, anew).deadlock_free:
    + if False:
""",
) + mutants(
    "opensm",
    r"""
crates/weft-opensm/src/export/loaded_tables.rs
  entries that are cleared stay
    - *entry = if is_cleared { NONE } else { was };
    + *entry = was;
  what differs in one line alone is not written
    - for place in (first..first + some.len()).filter(|&place| new[place] != old[place]) {
    + for place in (first.max(1)..first + some.len()).filter(|&place| new[place] != old[place]) {
crates/weft-opensm/src/export/printed_tables.rs
  entries that no one gave are no difference
    - count += too_many.count();
    + count += too_many.count() * 0;
""",
)
