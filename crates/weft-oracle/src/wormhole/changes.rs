//! What happens before all else in a cycle: parts fail and return, hosts get other routes. And what is lost by it.

use super::Oracle;
use super::again::Again;
use super::flit::Attempt;
use std::collections::BTreeSet;
use weft_fabric::{HostId, Node};
use weft_model::{Change, Changes, LossCause, LossRecord};
use weft_routing::MappedRoutes;

/// What changes, what has failed now, and which routes hosts have.
#[derive(Debug)]
pub(super) struct Happening<'a> {
    pub(super) changes: Changes,
    /// How many of them have happened.
    done: usize,
    failed_links: BTreeSet<usize>,
    failed_switches: BTreeSet<usize>,
    /// Routes that take the place of the first.
    others: &'a [MappedRoutes],
    /// By host: which it has, 0 being the first.
    of_hosts: Vec<usize>,
}

impl<'a> Happening<'a> {
    pub(super) fn new(changes: &Changes, others: &'a [MappedRoutes], host_count: usize) -> Self {
        Self {
            changes: changes.clone(),
            done: 0,
            failed_links: BTreeSet::new(),
            failed_switches: BTreeSet::new(),
            others,
            of_hosts: vec![0; host_count],
        }
    }

    /// The cycle of the next change.
    pub(super) fn next_cycle(&self) -> Option<u64> {
        let next = self.changes.by_cycle().get(self.done);
        next.map(|&(cycle, _)| cycle)
    }

    /// The routes that a host has, unless they are the first.
    pub(super) fn routes_of(&self, host: HostId) -> Option<&'a MappedRoutes> {
        let before = self.of_hosts[host.index()].checked_sub(1)?;
        Some(&self.others[before])
    }
}

impl Oracle<'_> {
    /// Before phase 0.
    pub(super) fn change(&mut self) {
        while let Some(&(cycle, change)) =
            self.happening.changes.by_cycle().get(self.happening.done)
            && cycle <= self.now
        {
            let happening = &mut self.happening;
            happening.done += 1;
            match change {
                Change::LinkFails(link) => {
                    happening.failed_links.insert(link.index());
                }
                Change::LinkReturns(link) => {
                    happening.failed_links.remove(&link.index());
                }
                Change::SwitchFails(switch) => {
                    happening.failed_switches.insert(switch.index());
                }
                Change::SwitchReturns(switch) => {
                    happening.failed_switches.remove(&switch.index());
                }
                Change::SwitchTables(..) | Change::SwitchEntry(..) => {
                    unreachable!("changes were checked: switches have no tables")
                }
                Change::HostTables(host, routes) => happening.of_hosts[host.index()] = routes,
            }
            self.look_at_channels();
        }
    }

    /// What holds a channel that is down since now is broken.
    fn look_at_channels(&mut self) {
        for channel in self.fabric.channel_ids() {
            let ends = [self.fabric.source(channel), self.fabric.target(channel)];
            let has_failed = |node| match node {
                Node::Switch(switch) => self.happening.failed_switches.contains(&switch.index()),
                Node::Host(_) => false,
            };
            let link = channel.link().index();
            let is_down = self.happening.failed_links.contains(&link)
                || ends.iter().any(|end| has_failed(end.node));
            let was_down = std::mem::replace(&mut self.channels[channel.index()].is_down, is_down);
            if is_down && !was_down {
                let holder = match ends[0].node {
                    Node::Switch(_) => self.channels[channel.index()].packet,
                    Node::Host(host) => {
                        let sending = self.nics[host.index()].sending.as_ref();
                        sending.map(|packet| packet.attempt)
                    }
                };
                self.break_attempt(holder);
            }
        }
    }

    pub(super) fn break_attempt(&mut self, attempt: Option<u64>) {
        if let Some(attempt) = attempt.and_then(|number| self.attempts.get_mut(&number)) {
            attempt.is_broken = true;
        }
    }

    /// Whether a NIC's own link works.
    pub(super) fn is_connected(&self, host: HostId) -> bool {
        !self.channels[self.fabric.injection_channel(host).index()].is_down
    }

    /// Whether the routes that a host has lead to another.
    pub(super) fn leads(&self, source: HostId, destination: HostId) -> bool {
        let routes = self.happening.routes_of(source);
        routes.is_none_or(|mapped| mapped.leads(source, destination))
    }

    /// Reports an attempt that failed in this cycle and lets its source try again.
    pub(super) fn lose(&mut self, attempt: &Attempt, cause: LossCause) {
        let again = Again {
            due_cycle: 0,
            sequence: attempt.sequence,
            packet: attempt.packet,
            tries: attempt.tries,
        };
        self.lose_packet(attempt.source, attempt.injection_cycle, again, cause);
    }

    /// Reports a packet that is lost in this cycle, and which left its source in some cycle, if it did.
    pub(super) fn lose_packet(
        &mut self,
        source: HostId,
        injection_cycle: Option<u64>,
        lost: Again,
        cause: LossCause,
    ) {
        self.losses.push(LossRecord {
            cycle: self.now,
            source,
            sequence: lost.sequence,
            destination: lost.packet.destination,
            cause,
        });
        let is_failure = matches!(cause, LossCause::Failure | LossCause::NoEntry);
        let mut again = lost;
        if is_failure {
            let retries = self.happening.changes.retries();
            let Some(retries) = retries.filter(|retries| again.tries < retries.count) else {
                return;
            };
            again.due_cycle = retries.due_cycle(injection_cycle.unwrap_or(self.now), self.now);
            again.tries += 1;
        } else {
            again.due_cycle = self.now + u64::from(self.model.retransmit_after_cycles);
        }
        self.nics[source.index()].try_again(again);
    }
}
