//! Pauses of the network.

use super::CutThroughOracle;
use super::state::Supply;
use crate::pauses::{Digest, Due, count_again};
use crate::program::Ranks;
use std::hash::Hasher;
use weft_model::LaneUse;
use weft_model::workload::program::Account;

/// What there is before a cycle.
pub(super) struct Picture {
    digest: u64,
    uses: Vec<LaneUse>,
    accounts: Vec<Account>,
}

impl CutThroughOracle<'_> {
    /// Lets pauses be passed over from now on: cycles in which nothing changes.
    pub fn pass_over_pauses(&mut self) {
        self.passes_pauses = true;
    }

    /// What there is, where a pause may begin: pauses are passed over, and no flit was sent in the cycle
    /// before.
    pub(super) fn before_a_pause(&self) -> Option<Picture> {
        let lanes = || self.channels.iter().flat_map(|channel| &channel.lanes);
        (self.passes_pauses && self.is_quiet).then(|| Picture {
            digest: self.digest(),
            uses: lanes().map(|lane| lane.usage).collect(),
            accounts: self.ranks.as_ref().map_or_else(Vec::new, Ranks::accounts),
        })
    }

    /// Passes over the cycles that are like the last one.
    pub(super) fn pass_pause(&mut self, before: &Picture, until_cycle: u64) {
        if !self.is_quiet || self.digest() != before.digest {
            return;
        }
        let pause_cycles = self.next_due().pause_cycles(until_cycle);
        let lanes = self
            .channels
            .iter_mut()
            .flat_map(|channel| &mut channel.lanes);
        for (lane, then) in lanes.zip(&before.uses) {
            let usage = &mut lane.usage;
            for (counter, then) in [
                (&mut usage.busy_cycles, then.busy_cycles),
                (&mut usage.blocked_cycles, then.blocked_cycles),
                (&mut usage.occupancy_flit_cycles, then.occupancy_flit_cycles),
            ] {
                count_again(counter, then, pause_cycles);
            }
        }
        if let Some(ranks) = &mut self.ranks {
            ranks.count_again(&before.accounts, pause_cycles);
        }
        self.now += pause_cycles;
    }

    /// Changes where no flit is sent. Flits come, cross and are released, packets ask and are granted:
    /// each changes one of these lengths and marks.
    fn digest(&self) -> u64 {
        let mut digest = Digest::default();
        digest.add(&self.generated);
        digest.add([self.waiting.len(), self.packets.len()]);
        for waiting in &self.waiting {
            digest.add(waiting.chooses_in());
        }
        for channel in &self.channels {
            digest.add([
                channel.flits.len(),
                channel.credits.len(),
                channel.symbols.len(),
            ]);
            digest.add((channel.holder, channel.pointer));
            for lane in &channel.lanes {
                digest.add([lane.front.len(), lane.taken.len(), lane.buffer.len()]);
                digest.add([lane.output_room, lane.known_room]);
                digest.add([lane.is_stopped, lane.is_stop_outstanding]);
                digest.add(
                    lane.buffer
                        .front()
                        .map(|front| (front.has_asked, front.left)),
                );
                digest.add(
                    lane.grant
                        .map(|grant| (grant.input, grant.first_cycle, grant.last_crossing)),
                );
            }
        }
        if let Some(ranks) = &self.ranks {
            ranks.digest(&mut digest);
        }
        digest.finish()
    }

    /// What the passing of time alone brings about.
    fn next_due(&self) -> Due {
        let mut due = Due::none_from(self.now);
        due.any(self.upcoming.iter().flatten(), |packet| {
            packet.generation_cycle
        });
        due.any(self.happening.due_cycles(), |cycle| cycle);
        for waiting in &self.waiting {
            due.any(waiting.chooses_in(), |cycle| cycle);
        }
        let lookup = u64::from(self.model.lookup_delay_cycles);
        let crossbar = u64::from(self.model.crossbar_cycles_per_flit);
        for channel in &self.channels {
            let k = u64::from(channel.timing.cycles_per_flit);
            due.any(channel.flits.front(), |(cycle, _)| *cycle);
            due.any(channel.credits.front(), |(cycle, _)| *cycle);
            due.any(channel.symbols.front(), |(cycle, _)| *cycle);
            due.any(channel.last_sent, |(sent, _)| sent + k);
            for lane in &channel.lanes {
                due.any(lane.buffer.front(), |stored| {
                    stored.head_arrival_cycle + lookup
                });
                let discard = lane.buffer.front().and_then(|stored| stored.discard);
                if let Some(discard) = discard {
                    due.at(discard.first_cycle);
                    due.any(discard.last_crossing, |last| last + crossbar);
                }
                if let Some(grant) = lane.grant {
                    due.at(grant.first_cycle);
                    due.any(grant.last_crossing, |last| last + crossbar);
                }
                for outgoing in &lane.front {
                    match &outgoing.supply {
                        Supply::Host => {}
                        Supply::Output(there_from) => due.any(there_from, |from| *from),
                        Supply::Input { first_cycle, .. } => due.at(*first_cycle),
                    }
                }
            }
        }
        if let Some(ranks) = &self.ranks {
            ranks.find_due(&mut due);
        }
        due
    }
}
