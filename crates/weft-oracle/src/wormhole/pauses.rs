//! Pauses of the network.

use super::Oracle;
use crate::pauses::{Digest, Due, count_again};
use crate::program::Ranks;
use std::hash::Hasher;
use std::num::NonZeroU32;
use weft_model::workload::program::Account;
use weft_model::{ChannelUse, PoolUse};

/// What there is before a cycle.
pub(super) struct Picture {
    digest: u64,
    uses: Vec<ChannelUse>,
    pools: Vec<PoolUse>,
    accounts: Vec<Account>,
}

impl Oracle<'_> {
    /// Lets pauses be passed over from now on: cycles in which nothing changes.
    pub fn pass_over_pauses(&mut self) {
        self.passes_pauses = true;
    }

    /// What there is, where a pause may begin: pauses are passed over, and no flit was sent in the cycle
    /// before.
    pub(super) fn before_a_pause(&self) -> Option<Picture> {
        (self.passes_pauses && self.is_quiet).then(|| Picture {
            digest: self.digest(),
            uses: self.channels.iter().map(|channel| channel.usage).collect(),
            pools: self.nics.iter().map(|nic| nic.pool_use).collect(),
            accounts: self.ranks.as_ref().map_or_else(Vec::new, Ranks::accounts),
        })
    }

    /// Passes over the cycles that are like the last one.
    pub(super) fn pass_pause(&mut self, before: &Picture, until_cycle: u64) {
        if !self.is_quiet || self.digest() != before.digest {
            return;
        }
        let pause_cycles = self.next_due().pause_cycles(until_cycle);
        for (channel, then) in self.channels.iter_mut().zip(&before.uses) {
            let usage = &mut channel.usage;
            count_again(&mut usage.busy_cycles, then.busy_cycles, pause_cycles);
            count_again(&mut usage.blocked_cycles, then.blocked_cycles, pause_cycles);
        }
        for (nic, then) in self.nics.iter_mut().zip(&before.pools) {
            let counter = &mut nic.pool_use.occupancy_flit_cycles;
            count_again(counter, then.occupancy_flit_cycles, pause_cycles);
        }
        if let Some(ranks) = &mut self.ranks {
            ranks.count_again(&before.accounts, pause_cycles);
        }
        self.now += pause_cycles;
    }

    /// Changes where no flit is sent. Flits and symbols come, packets ask, are granted and discarded:
    /// each changes one of these lengths and marks.
    fn digest(&self) -> u64 {
        let mut digest = Digest::default();
        digest.add((self.next_attempt, self.attempts.len(), self.losses.len()));
        for channel in &self.channels {
            digest.add([
                channel.flits.len(),
                channel.symbols.len(),
                channel.buffer.len(),
            ]);
            digest.add([channel.is_stopped, channel.is_stop_outstanding]);
            digest.add([channel.is_granted, channel.is_discarding]);
            digest.add(channel.leaving.map(|leaving| leaving.until));
            digest.add((channel.grants, channel.reservation.is_some()));
            digest.add(channel.asking_since);
        }
        for nic in &self.nics {
            nic.digest(&mut digest);
        }
        for machines in &self.machines {
            machines.digest(&mut digest);
        }
        if let Some(ranks) = &self.ranks {
            ranks.digest(&mut digest);
        }
        digest.finish()
    }

    /// What the passing of time alone brings about.
    fn next_due(&self) -> Due {
        let mut due = Due::none_from(self.now);
        if let Some(cycle) = self.happening.next_cycle() {
            due.at(cycle);
        }
        let timeout = self.model.timeout_cycles.map(NonZeroU32::get);
        for channel in &self.channels {
            due.any(channel.flits.front(), |(cycle, _)| *cycle);
            due.any(channel.symbols.front(), |(cycle, _)| *cycle);
            due.any(channel.leaving, |leaving| leaving.until);
            due.any(channel.reservation, |taken| taken.first_flit_cycle);
            if let (Some(since), Some(timeout)) = (channel.asking_since, timeout) {
                due.at(since + u64::from(timeout));
            }
        }
        for nic in &self.nics {
            nic.find_due(&mut due);
        }
        for machines in &self.machines {
            machines.find_due(&mut due);
        }
        if let Some(ranks) = &self.ranks {
            ranks.find_due(&mut due);
        }
        due
    }
}
