//! The check of a certificate where switches choose among groups of ports: packets to one address after the other, by
//! channel and lane, on its own.

use crate::check::{Ascent, Place};
use crate::error::CertificateError;
use crate::verdict::RestsOn;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use weft_fabric::{HostId, Node};
use weft_routing::{GroupTables, LidState};

/// Checks that packets of every service level arrive whatever their switches choose, without going round, and that
/// wherever they wait what they want is ranked higher than what they hold: one port of those they may choose, or else
/// the one they must take. Tells whether all do that they may choose.
pub(crate) fn check_groups(
    ascent: &Ascent<'_>,
    tables: &GroupTables,
) -> Result<RestsOn, CertificateError> {
    let levels: Vec<u8> = tables.levels().iter().map(|alike| alike[0]).collect();
    let is_every_way = AtomicBool::new(true);
    let addresses = (0..tables.address_count()).into_par_iter();
    let first = addresses.find_map_first(|address| {
        let mut levels = levels.iter();
        levels.find_map(
            |&level| match check_address(ascent, tables, address, level) {
                Ok(RestsOn::EveryWay) => None,
                Ok(RestsOn::OneWay) => {
                    is_every_way.store(false, Relaxed);
                    None
                }
                Err(error) => Some(error),
            },
        )
    });
    match first {
        Some(error) => Err(error),
        None if is_every_way.into_inner() => Ok(RestsOn::EveryWay),
        None => Ok(RestsOn::OneWay),
    }
}

/// A place that packets reach, and where they go from there.
struct Reached {
    place: Place,
    source: HostId,
    next: Vec<usize>,
}

fn check_address(
    ascent: &Ascent<'_>,
    tables: &GroupTables,
    address: usize,
    level: u8,
) -> Result<RestsOn, CertificateError> {
    let fabric = ascent.fabric;
    let destination = tables.host_of(address);
    let Some(first_lane) = tables.host_lane(level) else {
        return Ok(RestsOn::EveryWay);
    };
    let lanes = usize::from(tables.lane_count());
    let mut number_of = vec![None; fabric.channel_count() * lanes];
    let mut reached: Vec<Reached> = Vec::new();
    let mut reach = |reached: &mut Vec<Reached>, place: Place, source: HostId| {
        let number = &mut number_of[place.0.index() * lanes + place.1.index()];
        *number.get_or_insert_with(|| {
            reached.push(Reached {
                place,
                source,
                next: Vec::new(),
            });
            reached.len() - 1
        })
    };
    for source in fabric.host_ids().filter(|&host| host != destination) {
        reach(
            &mut reached,
            (fabric.injection_channel(source), first_lane),
            source,
        );
    }
    let mut rests_on = RestsOn::EveryWay;
    let mut at = 0;
    while at < reached.len() {
        let Reached {
            place: (channel, lane),
            source,
            ..
        } = reached[at];
        let lost = || ascent.not_reached(source, destination);
        let end = fabric.target(channel);
        let Some(switch) = end.node.switch() else {
            return Err(lost());
        };
        let choice = tables.choice(switch, (end.port, lane), address, level);
        let mut best: Option<Place> = None;
        for &port in choice.ports {
            let wanted = fabric.outgoing_at(switch, port).ok_or_else(lost)?;
            let next_lane = tables.next_lane(switch, [end.port, port], level, lane);
            let wanted = (wanted, next_lane.ok_or_else(lost)?);
            match fabric.target(wanted.0).node {
                Node::Host(host) if host == destination => {}
                Node::Host(_) => return Err(lost()),
                Node::Switch(_) => {
                    let next = reach(&mut reached, wanted, source);
                    reached[at].next.push(next);
                }
            }
            if choice.state != LidState::Free {
                ascent.ascend((source, destination), (channel, lane), wanted)?;
            }
            let rank = |place: Place| ascent.certificate.rank(place.0, place.1);
            if rank(wanted) <= rank((channel, lane)) {
                rests_on = RestsOn::OneWay;
            }
            if best.is_none_or(|best| rank(wanted) > rank(best)) {
                best = Some(wanted);
            }
        }
        // Of a free choice the highest must ascend.
        let best = best.ok_or_else(lost)?;
        ascent.ascend((source, destination), (channel, lane), best)?;
        at += 1;
    }
    // Places that nothing leads to any more are taken away; what is left goes round.
    let mut left = vec![0_usize; reached.len()];
    for next in reached.iter().flat_map(|one| &one.next) {
        left[*next] += 1;
    }
    let mut gone: Vec<usize> = (0..left.len())
        .filter(|&number| left[number] == 0)
        .collect();
    let mut count = 0;
    while let Some(&number) = gone.get(count) {
        count += 1;
        for &next in &reached[number].next {
            left[next] -= 1;
            if left[next] == 0 {
                gone.push(next);
            }
        }
    }
    match left.iter().position(|&left| left > 0) {
        Some(round) => Err(ascent.not_reached(reached[round].source, destination)),
        None => Ok(rests_on),
    }
}
