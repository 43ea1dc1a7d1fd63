//! The check of a certificate where packets choose: one pass over all they may do, on its own.

use crate::certificate::Certificate;
use crate::check::{Ascent, Place, check_shape};
use crate::check_groups::check_groups;
use crate::error::{CertificateError, ProofError};
use crate::verdict::RestsOn;
use weft_fabric::{ChannelId, Fabric, HostId, PortNumber, SwitchId};
use weft_routing::{AdaptiveRoutes, AdaptiveTables, Lane, TwoPhaseRoutes};

/// Checks that packets arrive whatever they take, and that wherever they wait, all they are offered
/// (with an escape: the escape; of the ports of a group: one) is ranked higher than what they hold; and tells on what
/// that rests.
///
/// # Errors
/// [`CertificateError`] names the first packet for which it is not so, and where.
///
/// # Complexity
/// Time O(S·C·P·L) for S switches and C channels with hosts' included, P ports a switch and L lanes.
pub fn check_adaptive_certificate(
    fabric: &Fabric,
    routes: &AdaptiveRoutes,
    certificate: &Certificate,
) -> Result<RestsOn, CertificateError> {
    check_shape(fabric, routes.lane_count(), certificate)?;
    ProofError::unless_choices_of(fabric, routes)?;
    let ascent = Ascent {
        fabric,
        certificate,
    };
    match routes {
        AdaptiveRoutes::Groups(tables) => check_groups(&ascent, tables),
        AdaptiveRoutes::Tables(tables) => {
            let mut ends = fabric.switches_with_hosts();
            ends.try_for_each(|to| check_tables(&ascent, tables, to))?;
            Ok(if tables.has_escape() {
                RestsOn::OneWay
            } else {
                RestsOn::EveryWay
            })
        }
        AdaptiveRoutes::TwoPhase(routes) => {
            for to in fabric.switches_with_hosts() {
                for by_way_of in fabric.switches_with_hosts() {
                    check_second_phase(&ascent, routes, [by_way_of, to])?;
                }
                for from in fabric.switches_with_hosts() {
                    check_first_phase(&ascent, routes, [from, to])?;
                }
            }
            Ok(RestsOn::EveryWay)
        }
    }
}

/// The channel between switches that leaves a switch by a port, and where it leads.
fn channel(fabric: &Fabric, switch: SwitchId, port: PortNumber) -> Option<(ChannelId, SwitchId)> {
    let channel = fabric.outgoing_at(switch, port)?;
    Some((channel, fabric.target(channel).node.switch()?))
}

/// A packet: whose, what it holds, and where.
#[derive(Clone, Copy)]
struct Packet {
    source: HostId,
    held: Place,
    at: SwitchId,
    is_from_host: bool,
}

fn check_tables(
    ascent: &Ascent<'_>,
    tables: &AdaptiveTables,
    to: SwitchId,
) -> Result<(), CertificateError> {
    let fabric = ascent.fabric;
    let first = fabric.hosts_of(to)[0];
    let lanes = usize::from(tables.lane_count());
    let mut seen = vec![false; fabric.channel_count() * lanes];
    // Links a packet has behind it at most: more than all states means round and round.
    let most = 2 * fabric.switch_count();
    let mut packets: Vec<Packet> = Vec::new();
    for source in fabric.host_ids() {
        packets.extend((0..tables.lane_count()).map(|lane| Packet {
            source,
            held: (fabric.injection_channel(source), Lane::new(lane)),
            at: fabric.host_switch(source),
            is_from_host: true,
        }));
    }
    for _ in 0..=most {
        let mut next = Vec::new();
        seen.fill(false);
        for packet in packets {
            if packet.at == to {
                for &host in fabric.hosts_of(to) {
                    if host != packet.source {
                        let wanted = (fabric.ejection_channel(host), packet.held.1);
                        ascent.ascend((packet.source, host), packet.held, wanted)?;
                    }
                }
                continue;
            }
            let is_on_escape = !packet.is_from_host && tables.is_escape(packet.held.1);
            let escape = tables.escape_port(packet.at, to);
            let mut ways: Vec<(PortNumber, Lane, bool)> = Vec::new();
            if !is_on_escape {
                for &port in tables.ports(packet.at, to) {
                    let lanes = tables.adaptive_lanes().map(Lane::new);
                    ways.extend(lanes.map(|lane| (port, lane, !tables.has_escape())));
                }
            }
            ways.extend(escape.map(|port| (port, AdaptiveTables::ESCAPE_LANE, true)));
            if !ways.iter().any(|way| way.2) {
                return Err(ascent.not_reached(packet.source, first));
            }
            for (port, lane, is_waited_for) in ways {
                let Some((channel, at)) = channel(fabric, packet.at, port) else {
                    return Err(ascent.not_reached(packet.source, first));
                };
                if is_waited_for {
                    ascent.ascend((packet.source, first), packet.held, (channel, lane))?;
                }
                let place = channel.index() * lanes + lane.index();
                if !std::mem::replace(&mut seen[place], true) {
                    next.push(Packet {
                        held: (channel, lane),
                        at,
                        is_from_host: false,
                        ..packet
                    });
                }
            }
        }
        packets = next;
        if packets.is_empty() {
            return Ok(());
        }
    }
    Err(ascent.not_reached(packets[0].source, first))
}

/// Checks the route to an intermediate switch, and every way on from there.
fn check_first_phase(
    ascent: &Ascent<'_>,
    routes: &TwoPhaseRoutes,
    [from, by_way_of]: [SwitchId; 2],
) -> Result<(), CertificateError> {
    let fabric = ascent.fabric;
    if from == by_way_of {
        return Ok(());
    }
    let last = check_route(ascent, routes, [from, by_way_of], 0)?;
    let [source, destination] = [from, by_way_of].map(|switch| fabric.hosts_of(switch)[0]);
    for &to in routes.intermediates() {
        if let Some((port, lane)) = routes.step([by_way_of, to], 1, 0)
            && let Some((channel, _)) = channel(fabric, by_way_of, port)
        {
            ascent.ascend((source, destination), last, (channel, lane))?;
        }
    }
    Ok(())
}

/// Checks the route from an intermediate switch, or from the source's, to the destination's hosts.
fn check_second_phase(
    ascent: &Ascent<'_>,
    routes: &TwoPhaseRoutes,
    [from, to]: [SwitchId; 2],
) -> Result<(), CertificateError> {
    let fabric = ascent.fabric;
    let source = fabric.hosts_of(from)[0];
    if from == to {
        for &source in fabric.hosts_of(from) {
            for &host in fabric.hosts_of(to).iter().filter(|&&host| host != source) {
                for lane in (0..routes.lane_count()).map(Lane::new) {
                    let held = (fabric.injection_channel(source), lane);
                    let wanted = (fabric.ejection_channel(host), lane);
                    ascent.ascend((source, host), held, wanted)?;
                }
            }
        }
        return Ok(());
    }
    let last = check_route(ascent, routes, [from, to], 1)?;
    for &host in fabric.hosts_of(to) {
        ascent.ascend(
            (source, host),
            last,
            (fabric.ejection_channel(host), last.1),
        )?;
    }
    Ok(())
}

/// Checks a route in a phase, from the channels of the hosts on, and returns what it ends with.
fn check_route(
    ascent: &Ascent<'_>,
    routes: &TwoPhaseRoutes,
    [from, to]: [SwitchId; 2],
    phase: u8,
) -> Result<Place, CertificateError> {
    let fabric = ascent.fabric;
    let [source, destination] = [from, to].map(|switch| fabric.hosts_of(switch)[0]);
    let lost = || ascent.not_reached(source, destination);
    let mut here = from;
    let mut held: Option<Place> = None;
    for number in 0..routes.links([from, to]) {
        let step = routes.step([from, to], phase, number);
        let (port, lane) = step.ok_or_else(lost)?;
        let (channel, next) = channel(fabric, here, port).ok_or_else(lost)?;
        match held {
            Some(held) => ascent.ascend((source, destination), held, (channel, lane))?,
            None => {
                for &host in fabric.hosts_of(from) {
                    for first in (0..routes.lane_count()).map(Lane::new) {
                        let injection = (fabric.injection_channel(host), first);
                        ascent.ascend((host, destination), injection, (channel, lane))?;
                    }
                }
            }
        }
        (held, here) = (Some((channel, lane)), next);
    }
    held.filter(|_| here == to).ok_or_else(lost)
}
