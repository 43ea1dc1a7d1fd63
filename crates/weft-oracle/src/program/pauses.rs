//! Pauses of ranks.

use super::Ranks;
use crate::pauses::{Digest, Due, count_again};
use weft_model::workload::program::Account;

impl Ranks<'_> {
    pub(crate) fn digest(&self, digest: &mut Digest) {
        digest.add([self.messages.len(), self.on_their_way.len()]);
        digest.add(self.received_messages);
        for rank in &self.all {
            rank.processor.digest(digest);
            rank.inside.digest(digest);
            digest.add(rank.told.len());
            let mailbox = &rank.mailbox;
            digest.add([
                mailbox.posted.len(),
                mailbox.waiting.len(),
                mailbox.untaken.len(),
            ]);
            digest.add(rank.finish_cycle);
        }
        for site in &self.sites {
            site.interface.digest(digest);
            digest.add((site.delivered.len(), site.left.len(), site.sequence));
            digest.add(site.from_others.len());
        }
    }

    /// What the passing of time alone brings about.
    pub(crate) fn find_due(&self, due: &mut Due) {
        for rank in &self.all {
            rank.processor.find_due(due);
            rank.inside.find_due(due);
            due.any(&rank.told, |(cycle, ..)| *cycle);
            due.at(rank.begin_cycle);
        }
        for site in &self.sites {
            site.interface.find_due(due);
            due.any(&site.from_others, |(cycle, ..)| *cycle);
        }
    }

    pub(crate) fn accounts(&self) -> Vec<Account> {
        self.all.iter().map(|rank| rank.account).collect()
    }

    /// Counts the last cycle again, so many times.
    pub(crate) fn count_again(&mut self, before: &[Account], times: u64) {
        for (rank, then) in self.all.iter_mut().zip(before) {
            let account = &mut rank.account;
            for (counter, then) in [
                (&mut account.computing_cycles, then.computing_cycles),
                (&mut account.sending_cycles, then.sending_cycles),
                (&mut account.receiving_cycles, then.receiving_cycles),
                (
                    &mut account.waiting_acknowledgement_cycles,
                    then.waiting_acknowledgement_cycles,
                ),
                (
                    &mut account.waiting_packet_cycles,
                    then.waiting_packet_cycles,
                ),
            ] {
                count_again(counter, then, times);
            }
        }
    }
}
