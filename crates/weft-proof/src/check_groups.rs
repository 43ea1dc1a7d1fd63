//! The check of a certificate where switches choose among groups of ports: packets to one address after the other, by
//! channel and lane, on its own.

use crate::check::{Ascent, Place};
use crate::error::CertificateError;
use crate::verdict::RestsOn;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use weft_fabric::{HostId, Node, PortNumber, SwitchId};
use weft_routing::{GroupTables, Lane, LidState};

/// Checks that packets of every service level arrive whatever their switches choose, without going round, and that
/// wherever they wait what they want is ranked higher than what they hold: one port of those they may choose, or else
/// the one they must take. Tells whether all do that they may choose.
pub(crate) fn check_groups(
    ascent: &Ascent<'_>,
    tables: &GroupTables,
) -> Result<RestsOn, CertificateError> {
    let mut levels: Vec<u8> = Vec::new();
    for alike in tables.levels() {
        // Where every pair has its level, all stand together and each is looked at.
        let looked_at = if tables.has_pair_levels() { 16 } else { 1 };
        levels.extend(alike.iter().take(looked_at));
    }
    let is_every_way = AtomicBool::new(true);
    let fabric = ascent.fabric;
    let switches: Vec<SwitchId> = fabric.switches_with_hosts().collect();
    let checked = switches.into_par_iter().map_init(
        || Check::new(ascent, tables),
        |check, switch| {
            for &level in &levels {
                let mut before: Option<usize> = None;
                let hosts = fabric.hosts_of(switch).iter();
                for address in hosts.flat_map(|&host| tables.addresses(host)) {
                    let rests_on = match before {
                        Some(before)
                            if check.is_alike([before, address], level, switch)
                                && check.last_step(address, level, switch)? =>
                        {
                            continue;
                        }
                        _ => check.address(address, level)?,
                    };
                    before = Some(address);
                    if rests_on == RestsOn::OneWay {
                        is_every_way.store(false, Relaxed);
                    }
                }
            }
            Ok(())
        },
    );
    let first = checked.find_map_first(Result::err);
    match first {
        Some(error) => Err(error),
        None if is_every_way.into_inner() => Ok(RestsOn::EveryWay),
        None => Ok(RestsOn::OneWay),
    }
}

/// What packets may take at a switch: one for all places whose packets have the same ports on the same lanes.
struct Sight<'a> {
    ports: &'a [PortNumber],
    lane: Lane,
    decides: LidState,
    lowest: Place,
    highest: Place,
    /// Where in `next` the places that follow are.
    next: std::ops::Range<usize>,
}

/// Checks of packets to one address after the other, which share their memory.
struct Check<'a> {
    ascent: &'a Ascent<'a>,
    tables: &'a GroupTables,
    lanes: usize,
    /// The number of the present check.
    number: u32,
    /// Per channel and lane: the check that reached it last.
    reached_in: Vec<(u32, usize)>,
    /// The places reached, with a source of packets there and what they see.
    reached: Vec<(Place, HostId, usize)>,
    sights: Vec<Sight<'a>>,
    next: Vec<usize>,
    /// Per switch: the check that saw it last, and the sight.
    seen: Vec<(u32, usize)>,
    /// Whether packets at the last switch of the present check have its host alone to go to.
    only_leave: bool,
}

impl<'a> Check<'a> {
    fn new(ascent: &'a Ascent<'a>, tables: &'a GroupTables) -> Self {
        let lanes = usize::from(tables.lane_count());
        Self {
            ascent,
            tables,
            lanes,
            number: 0,
            reached_in: vec![(0, 0); ascent.fabric.channel_count() * lanes],
            reached: Vec::new(),
            sights: Vec::new(),
            next: Vec::new(),
            seen: vec![(0, 0); ascent.fabric.switch_count()],
            only_leave: true,
        }
    }

    /// Whether packets to two addresses of hosts of a switch may go the same ways up to it.
    fn is_alike(&self, addresses: [usize; 2], level: u8, home: SwitchId) -> bool {
        let (fabric, tables) = (self.ascent.fabric, self.tables);
        if tables.has_pair_levels() {
            return false;
        }
        let mut others = fabric.switch_ids().filter(|&switch| switch != home);
        others.all(|switch| {
            (0..=u8::MAX)
                .take(tables.switch(switch).table_count())
                .all(|table| {
                    let [one, other] = addresses
                        .map(|address| tables.choice_of_table(switch, table, address, level));
                    one.state == other.state && one.ports == other.ports
                })
        })
    }

    /// Checks the last step of packets to an address that go the ways of the present check up to the last switch. `false`
    /// where they may do anything but leave there.
    fn last_step(
        &mut self,
        address: usize,
        level: u8,
        home: SwitchId,
    ) -> Result<bool, CertificateError> {
        let (fabric, tables) = (self.ascent.fabric, self.tables);
        let destination = tables.host_of(address);
        let Some(first_lane) = tables.host_lane(level) else {
            return Ok(true);
        };
        if !self.only_leave {
            return Ok(false);
        }
        let neighbours = fabric.hosts_of(home).iter();
        let neighbours =
            neighbours.map(|&host| ((fabric.injection_channel(host), first_lane), host));
        let others = self
            .reached
            .iter()
            .map(|&(place, source, _)| (place, source));
        for (held, source) in neighbours.chain(others) {
            let end = fabric.target(held.0);
            if source == destination || end.node != Node::Switch(home) {
                continue;
            }
            let choice = tables.choice(home, (end.port, held.1), address, level);
            let &[port] = choice.ports else {
                return Ok(false);
            };
            let lane = tables.next_lane(home, [end.port, port], level, held.1);
            let lost = || self.ascent.not_reached(source, destination);
            let wanted = (
                fabric.outgoing_at(home, port).ok_or_else(lost)?,
                lane.ok_or_else(lost)?,
            );
            if fabric.target(wanted.0).node != Node::Host(destination) {
                return Ok(false);
            }
            self.ascent.ascend((source, destination), held, wanted)?;
        }
        Ok(true)
    }

    fn address(&mut self, address: usize, level: u8) -> Result<RestsOn, CertificateError> {
        self.number += 1;
        self.reached.clear();
        self.sights.clear();
        self.next.clear();
        self.only_leave = true;
        let fabric = self.ascent.fabric;
        let destination = self.tables.host_of(address);
        let Some(first_lane) = self.tables.host_lane(level) else {
            return Ok(RestsOn::EveryWay);
        };
        let sends = |source: &HostId| {
            let own = self.tables.pair_level(*source, address);
            *source != destination && own.is_none_or(|own| own == level)
        };
        for source in fabric.host_ids().filter(sends) {
            self.reach((fabric.injection_channel(source), first_lane), source);
        }
        let mut rests_on = RestsOn::EveryWay;
        let mut at = 0;
        while let Some(&(held, source, _)) = self.reached.get(at) {
            let sight = self.see(held, source, (address, level), destination)?;
            self.reached[at].2 = sight;
            let Sight {
                decides,
                lowest,
                highest,
                ..
            } = self.sights[sight];
            // Of a free choice the highest must ascend, else all.
            let least = if decides == LidState::Free {
                highest
            } else {
                lowest
            };
            self.ascent.ascend((source, destination), held, least)?;
            if self.rank(lowest) <= self.rank(held) {
                rests_on = RestsOn::OneWay;
            }
            at += 1;
        }
        match self.round() {
            Some(source) => Err(self.ascent.not_reached(source, destination)),
            None => Ok(rests_on),
        }
    }

    fn rank(&self, (channel, lane): Place) -> Option<u32> {
        self.ascent.certificate.rank(channel, lane)
    }

    fn reach(&mut self, place: Place, source: HostId) -> usize {
        let reached_in = &mut self.reached_in[place.0.index() * self.lanes + place.1.index()];
        if reached_in.0 != self.number {
            *reached_in = (self.number, self.reached.len());
            self.reached.push((place, source, 0));
        }
        reached_in.1
    }

    /// What packets that hold a place see, who came from a source.
    fn see(
        &mut self,
        (channel, lane): Place,
        source: HostId,
        (address, level): (usize, u8),
        destination: HostId,
    ) -> Result<usize, CertificateError> {
        let (fabric, tables) = (self.ascent.fabric, self.tables);
        let lost = || self.ascent.not_reached(source, destination);
        let end = fabric.target(channel);
        let switch = end.node.switch().ok_or_else(lost)?;
        let choice = tables.choice(switch, (end.port, lane), address, level);
        let (seen_in, last) = self.seen[switch.index()];
        if seen_in == self.number && tables.lane_tables().is_none() {
            let sight = &self.sights[last];
            let same_ports = std::ptr::eq(sight.ports, choice.ports);
            if same_ports && sight.lane == lane && sight.decides == choice.state {
                return Ok(last);
            }
        }
        let first = self.next.len();
        let mut ends: Option<[Place; 2]> = None;
        for &port in choice.ports {
            let lost = || self.ascent.not_reached(source, destination);
            let wanted = fabric.outgoing_at(switch, port).ok_or_else(lost)?;
            let next_lane = tables.next_lane(switch, [end.port, port], level, lane);
            let wanted = (wanted, next_lane.ok_or_else(lost)?);
            match fabric.target(wanted.0).node {
                Node::Host(host) if host == destination => {}
                Node::Host(_) => return Err(lost()),
                Node::Switch(_) => {
                    self.only_leave &= switch != fabric.host_switch(destination);
                    let next = self.reach(wanted, source);
                    self.next.push(next);
                }
            }
            let [lowest, highest] = ends.get_or_insert([wanted; 2]);
            if self.rank(wanted) < self.rank(*lowest) {
                *lowest = wanted;
            }
            if self.rank(wanted) > self.rank(*highest) {
                *highest = wanted;
            }
        }
        let Some([lowest, highest]) = ends else {
            return Err(self.ascent.not_reached(source, destination));
        };
        self.seen[switch.index()] = (self.number, self.sights.len());
        self.sights.push(Sight {
            ports: choice.ports,
            lane,
            decides: choice.state,
            lowest,
            highest,
            next: first..self.next.len(),
        });
        Ok(self.sights.len() - 1)
    }

    /// A source of packets that may go round for ever: sights that nothing leads to any more are taken away, and what
    /// is left goes round.
    fn round(&self) -> Option<HostId> {
        let after = |sight: usize| {
            let next = self.next[self.sights[sight].next.clone()].iter();
            next.map(|&place| self.reached[place].2)
        };
        let mut left = vec![0_usize; self.sights.len()];
        for next in (0..left.len()).flat_map(after) {
            left[next] += 1;
        }
        let all = 0..left.len();
        let mut gone: Vec<usize> = all.filter(|&sight| left[sight] == 0).collect();
        let mut count = 0;
        while let Some(&sight) = gone.get(count) {
            count += 1;
            for next in after(sight) {
                left[next] -= 1;
                if left[next] == 0 {
                    gone.push(next);
                }
            }
        }
        let mut round = self.reached.iter().filter(|(_, _, sight)| left[*sight] > 0);
        round.next().map(|&(_, source, _)| source)
    }
}
