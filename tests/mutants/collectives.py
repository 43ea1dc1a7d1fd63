"""The mistakes planted in the collective operations of libraries for GPUs."""

from __future__ import annotations

from mutants import mutants

COLLECTIVES = mutants(
    "collectives",
    r"""
crates/weft-model/src/workload/program/collective/flow.rs
  flow: as much under way as there is
    - let earlier = number.checked_sub(flow.in_flight);
    + let earlier = number.checked_sub(usize::MAX);
  flow: pieces are combined before earlier ones are sent
    - let waits = waits.chain(before.copied().map(Dependency::start));
    + let _ = before;
  flow: all channels have the same tag
    - Channel::Number(number) => number,
    + Channel::Number(_) => 0,
  flow: what an exchange has for different ranks is by one adapter
    - Channel::Distance => distance,
    + Channel::Distance => distance - distance,
crates/weft-model/src/workload/program/process.rs
  started: it holds up what comes after
    - self.at = at;
    + let _ = at;
  started: its processor is that of the rank
    - let cpu = if self.is_beside { BESIDE_CPU } else { 0 };
    + let cpu = 0;
  started: all have the same tags
    - let operation = if self.is_beside { self.besides } else { 0 };
    + let operation = 0;
  started: a wait is for messages alone
    - from == to && tag < COLLECTIVE_REQUESTS && request.tag >= COLLECTIVE_REQUESTS
    + from == to && tag < COLLECTIVE_REQUESTS && request.tag >= u32::MAX
crates/weft-model/src/workload/program/trace/mod.rs
  started: what comes after is taken when it has begun
    - self.was_beside || self.process.pending.is_beside()
    + self.process.pending.is_beside()
crates/weft-model/src/workload/program/trace/lengths.rs
  started: one that is waited for at once is the same
    - self.is_started == other.is_started && self.operation.agrees_with(&other.operation)
    + self.operation.agrees_with(&other.operation)
crates/weft-model/src/workload/program/trace/time_independent.rs
  traces: data in place are as long as what is sent
    - Ok(if sent > 0 { sent } else { received })
    + Ok(sent)
crates/weft-model/src/workload/program/collective/channels.rs
  ring: the second way round combines as well
    - let combines = number < round.combining;
    + let combines = number < round.rounds;
  ring: slices wait for the piece before them
    - slots.len().checked_sub(slices)
    + slots.len().checked_sub(1)
  tree: the second tree is mirrored among an odd number of nodes as well
    - let is_mirrored = nodes.is_multiple_of(2);
    + let is_mirrored = true;
  tree: all channels have the first tree
    - let is_second = is_double && channel >= pipeline.channels / 2;
    + let is_second = is_double && channel >= pipeline.channels;
  hierarchy: all of the data go across nodes
    - let of_own = |node: usize| piece_bytes(own, node as u64, nodes.into());
    + let of_own = |node: usize| piece_bytes(bytes, node as u64, nodes.into());
crates/weft-model/src/workload/program/collective/circle.rs
  by node: distances one after another
    - distance = (distance + round) % modulus;
    + distance = round;
crates/weft-model/src/workload/program/collective/pat.rs
  aggregated trees: the near ranks first
    - let bits = (0..places.trailing_zeros()).map(|bit| 1 << bit);
    + let bits = (0..places.trailing_zeros()).rev().map(|bit| 1 << bit);
  aggregated trees: a step waits for nothing
    - .filter(|(_, earlier)| gives(earlier, later))
    + .filter(|(_, earlier)| gives(earlier, later) && earlier.places.is_empty())
crates/weft-model/src/workload/program/collective/rails.rs
  rails: parts go on before they have come
    - after: after.collect(),
    + after: Vec::new(),
  rails: the last part that comes is not waited for
    - let after = (begin.max(1)..end).map(|part| first + part as usize - 1);
    + let after = (begin.max(2)..end).map(|part| first + part as usize - 2);
  rails: a ring leaves a node by its last rank
    - to: circle.at(if is_last { on } else { 1 }),
    + to: circle.at(1),
  rails: what is passed on waits for nothing
    - after: vec![number],
    + after: Vec::new(),
crates/weft-model/src/workload/program/collective/rooted.rs
  halving: what was sent is combined
    - self.combine(given(number & lowest, distance));
    + self.combine(0);
crates/weft-model/src/workload/patterns/matrix.rs
  matrix: what a host has for itself counts
    - .filter(|&(to, amount)| to != host && amount > 0.0)
    + .filter(|&(_, amount)| amount > 0.0)
""",
)
