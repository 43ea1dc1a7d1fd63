//! Ranks with adapters on other hosts than their own.

use super::Ranks;
use super::packets::{Load, News};
use crate::queue_pairs::Name;
use weft_fabric::HostId;

/// A packet that a rank on another host handed a NIC: when it has it, from which host, and for which queue pair.
pub(super) type Handed = (u64, HostId, (Name, Load));

impl Ranks<'_> {
    /// The adapter of a rank, by the number of its host among all, that a message takes.
    pub(super) fn adapter_of(&self, rank: usize, nic: u8) -> usize {
        let hosts = self.program.adapters(self.all[rank].number);
        hosts[usize::from(nic) % hosts.len()].index()
    }

    /// What happened at an adapter is noticed by the rank in the cycle after.
    pub(super) fn tell(&mut self, site: usize, rank: usize, news: News) {
        let host = self.sites[site].host;
        self.all[rank].told.push((self.now + 1, host, news));
    }

    /// And so is what it hands one.
    pub(super) fn hand_to_other(&mut self, from: usize, site: usize, handed: (Name, Load)) {
        let host = self.sites[from].host;
        let due = self.now + 1;
        self.sites[site].from_others.push((due, host, handed));
    }

    /// Step 1: what a rank's other adapters told it, by their numbers.
    pub(super) fn notice_told(&mut self, rank: usize) {
        let now = self.now;
        let told = self.all[rank].told.extract_if(.., |told| told.0 <= now);
        let mut told: Vec<_> = told.collect();
        told.sort_by_key(|&(cycle, host, _)| (cycle, host));
        for (_, _, news) in told {
            match news {
                News::Whole(load) => self.is_whole(load),
                News::Packet => self.all[rank].processor.ask_to_take(),
                News::Over(task) => self.all[rank].processor.end(task),
            }
        }
    }

    /// Step 3: what the ranks of other hosts handed the NIC, by the numbers of these.
    pub(super) fn take_from_others(&mut self, site: usize) {
        let now = self.now;
        let others = &mut self.sites[site].from_others;
        let mut handed: Vec<Handed> = others.extract_if(.., |handed| handed.0 <= now).collect();
        handed.sort_by_key(|&(cycle, host, _)| (cycle, host));
        for (_, _, (name, load)) in handed {
            self.queue_at(site, name, load);
        }
    }
}
