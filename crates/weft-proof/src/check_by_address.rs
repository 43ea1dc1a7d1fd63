//! The check of a certificate over tables: from a switch packets to an address go one way, whoever sent them,
//! and to many addresses by few ports, each of which is compared once for all that leave by it.
//!
//! Ways that ascend cannot lead in a circle, so those that never stop short arrive.

use crate::certificate::Certificate;
use crate::check_ways::{Rank, Ways};
use rayon::prelude::*;
use weft_fabric::{Fabric, Node, PortNumber, SwitchId, narrow};
use weft_routing::{Columns, ForwardingTables, Lane, PairGranularity, Routes, SharedRoutes};

/// Addresses that are looked at at once, a bit each.
const AT_ONCE: usize = 64;
/// Addresses whose entries are read from a row at once.
const MOST_READ: usize = 4_096;

/// Tells whether all ways by tables without lane tables arrive and ascend; where one does not, nobody is
/// told which.
pub(crate) fn all_ascend(
    fabric: &Fabric,
    certificate: &Certificate,
    routes: &Routes,
    tables: &ForwardingTables,
) -> bool {
    let ways = Ways::new(fabric, certificate);
    let shared = routes.by_groups(fabric);
    let mut all = Vec::new();
    for (to, group) in shared.destinations().iter().enumerate() {
        let own = tables.addresses(group.endpoint);
        if own.is_empty() && shared.to(to).next().is_some() {
            return false;
        }
        all.extend(own.map(|address| [to, address]));
    }
    // Side by side those that leave a switch alike, and the switches behind its ports.
    if let Some(source) = shared.sources().first() {
        all.sort_by_cached_key(|&[_, address]| departures(&ways, tables, source.switch, address));
    }
    let check = Check {
        fabric,
        ways: &ways,
        routes,
        tables,
        shared: &shared,
    };
    let room = || Room::new(fabric.switch_count(), routes.lane_count());
    let share = all.len().div_ceil(2 * rayon::current_num_threads());
    let parts = all.par_chunks(share.clamp(1, MOST_READ));
    let each = parts.map_init(room, |room, part| {
        room.read = vec![None; fabric.switch_count()];
        room.columns = Columns::new(part.iter().map(|&[_, address]| address));
        part.chunks(AT_ONCE).enumerate().all(|(number, some)| {
            room.first = number * AT_ONCE;
            check.holds_for(some, room)
        })
    });
    each.all(|holds| holds)
}

/// The ports by which packets to an address leave a switch and the next few.
fn departures(
    ways: &Ways<'_>,
    tables: &ForwardingTables,
    from: SwitchId,
    address: usize,
) -> [u8; 6] {
    let mut at = Some(from);
    [(); 6].map(|()| {
        let port = at.and_then(|at| tables.next_port(at, address));
        let way = at.zip(port).and_then(|(at, port)| ways.behind(at, port));
        at = way.and_then(|way| way.to.switch());
        port.map_or(0, PortNumber::number)
    })
}

/// What is known of the ways to some addresses, a bit each.
struct Room {
    /// These addresses and some others.
    columns: Columns,
    /// Per switch: where it has been asked, its entries for all of those.
    read: Vec<Option<Box<[PortNumber]>>>,
    /// Where those for these begin.
    first: usize,
    /// Per lane and switch: packets were there.
    seen: Vec<u64>,
    /// Per lane and switch: packets were there and were not followed on.
    waiting: Vec<u64>,
    /// Where somebody waits.
    places: Vec<(Lane, SwitchId)>,
    /// Per switch: the addresses that are its own.
    own: Vec<u64>,
    /// Per switch.
    departures: Vec<Departures>,
}

/// By which ports packets leave a switch.
#[derive(Clone)]
struct Departures {
    is_known: bool,
    /// Each port once, with all its addresses; 0 stands for none.
    together: Vec<(PortNumber, u64)>,
    /// Per address: the number of its port among those.
    numbers: [u8; AT_ONCE],
}

impl Departures {
    /// Takes some entries in place of those it has.
    fn fill(&mut self, entries: &[PortNumber]) {
        self.is_known = true;
        self.together.clear();
        // Per port: one more than its number.
        let mut known = [0_u8; 256];
        for (place, (number, &port)) in self.numbers.iter_mut().zip(entries).enumerate() {
            let after = &mut known[port.index()];
            if *after == 0 {
                self.together.push((port, 0));
                *after = narrow(self.together.len(), "there are 64 addresses at most");
            }
            *number = *after - 1;
            self.together[usize::from(*number)].1 |= 1 << place;
        }
    }

    /// The port by which packets to the first of these addresses leave, and to which of them all do.
    #[inline]
    fn first(&self, addresses: u64) -> (PortNumber, u64) {
        let number = self.numbers[addresses.trailing_zeros() as usize];
        let (port, all) = self.together[usize::from(number)];
        (port, all & addresses)
    }
}

/// The places of the bits of a word.
fn bits(word: u64) -> impl Iterator<Item = usize> {
    let rest = std::iter::successors(Some(word), |&word| Some(word & word.wrapping_sub(1)));
    let rest = rest.take_while(|&word| word != 0);
    rest.map(|word| word.trailing_zeros() as usize)
}

impl Room {
    fn new(switches: usize, lanes: u8) -> Self {
        let unknown = Departures {
            is_known: false,
            together: Vec::new(),
            numbers: [0; AT_ONCE],
        };
        Self {
            columns: Columns::default(),
            read: Vec::new(),
            first: 0,
            seen: vec![0; switches * usize::from(lanes)],
            waiting: vec![0; switches * usize::from(lanes)],
            places: Vec::new(),
            own: vec![0; switches],
            departures: vec![unknown; switches],
        }
    }

    fn clear(&mut self) {
        self.seen.fill(0);
        self.waiting.fill(0);
        self.places.clear();
        self.own.fill(0);
        for departures in &mut self.departures {
            departures.is_known = false;
        }
    }

    /// By which ports packets to as many addresses leave a switch.
    #[inline]
    fn departures_from(
        &mut self,
        tables: &ForwardingTables,
        at: SwitchId,
        count: usize,
    ) -> &Departures {
        let departures = &mut self.departures[at.index()];
        if !departures.is_known {
            let read = self.read[at.index()].get_or_insert_with(|| {
                let mut entries = vec![PortNumber::new(0); self.columns.count()];
                self.columns.read(tables.row(at), &mut entries);
                entries.into()
            });
            departures.fill(&read[self.first..][..count]);
        }
        departures
    }

    /// Takes note of packets at a switch, to addresses elsewhere.
    #[inline]
    fn wait(&mut self, lane: Lane, at: SwitchId, addresses: u64) {
        let here = lane.index() * self.own.len() + at.index();
        let new = addresses & !self.seen[here];
        if new != 0 {
            if self.waiting[here] == 0 {
                self.places.push((lane, at));
            }
            self.seen[here] |= new;
            self.waiting[here] |= new;
        }
    }
}

/// What it takes to follow ways.
struct Check<'a> {
    fabric: &'a Fabric,
    ways: &'a Ways<'a>,
    routes: &'a Routes,
    tables: &'a ForwardingTables,
    shared: &'a SharedRoutes<'a>,
}

impl Check<'_> {
    /// Follows the ways to some addresses, each given after its group of destinations.
    fn holds_for(&self, some: &[[usize; 2]], room: &mut Room) -> bool {
        room.clear();
        for (place, &[to, _]) in some.iter().enumerate() {
            room.own[self.shared.destinations()[to].switch.index()] |= 1 << place;
        }
        let lanes = self.routes.lane_count();
        // Addresses that do not lead to their host in the end, and those that all send to.
        let (mut astray, mut first) = (0_u64, 0_u64);
        for (place, &[to, address]) in some.iter().enumerate() {
            let group = &self.shared.destinations()[to];
            let port = self.tables.next_port(group.switch, address);
            let is_for_host = self.routes.granularity() == PairGranularity::Host;
            let is_astray = is_for_host && port != Some(self.fabric.host_port(group.hosts[0]));
            let is_first = self.tables.addresses(group.endpoint).start == address;
            astray |= u64::from(is_astray) << place;
            first |= u64::from(is_first) << place;
        }
        let is_plain = self.tables.sends_to_first_addresses() && lanes == 1;
        let mut sent = vec![0; lanes.into()];
        for (from, source) in self.shared.sources().iter().enumerate() {
            let here = room.own[source.switch.index()];
            if is_plain {
                sent[0] = first & !here;
            } else {
                sent.fill(0);
            }
            let looked_at = if is_plain { here } else { u64::MAX };
            if looked_at != 0 && !self.add_sent(from, some, looked_at, &mut sent) {
                return false;
            }
            for (&sent, lane) in sent.iter().zip((0..).map(Lane::new)) {
                let before = self.ways.injection(source.hosts, lane);
                let elsewhere = sent & !here;
                if sent & astray != 0
                    || !self.ascends(lane, source.switch, before, elsewhere, some.len(), room)
                {
                    return false;
                }
                room.wait(lane, source.switch, elsewhere);
            }
        }
        while let Some((lane, at)) = room.places.pop() {
            if !self.go_on(lane, at, some, room) {
                return false;
            }
        }
        true
    }

    /// Adds to which of the addresses looked at packets of a source are sent on each lane; tells whether those that
    /// send have one to send to, and may send it to hosts of their own switch.
    fn add_sent(&self, from: usize, some: &[[usize; 2]], looked_at: u64, sent: &mut [u64]) -> bool {
        let source = &self.shared.sources()[from];
        let places = bits(looked_at).take_while(|&place| place < some.len());
        let mut pairs = places.map(|place| (place, some[place]));
        pairs.all(|(place, [to, address])| {
            let destination = &self.shared.destinations()[to];
            let own = self.tables.addresses(destination.endpoint);
            self.shared.between(from, to).all(|route| {
                let (sent_to, lane) = self.routes.start_of(&route);
                if sent_to != Some(address) {
                    return sent_to.is_some_and(|sent_to| own.contains(&sent_to));
                }
                sent[lane.index()] |= 1 << place;
                let hosts = [source.hosts, destination.hosts];
                source.switch != destination.switch || self.ways.join(hosts, lane)
            })
        })
    }

    /// Tells whether packets to some of the addresses, of which there are so many, find at a switch only ports to
    /// others, whose rank is above one.
    #[inline]
    fn ascends(
        &self,
        lane: Lane,
        at: SwitchId,
        before: Rank,
        addresses: u64,
        count: usize,
        room: &mut Room,
    ) -> bool {
        if addresses == 0 {
            return true;
        }
        let departures = room.departures_from(self.tables, at, count);
        let mut left = addresses;
        while left != 0 {
            let (port, leaving) = departures.first(left);
            left &= !leaving;
            let Some(way) = self.ways.behind(at, port) else {
                return false;
            };
            let leads_to_switch = matches!(way.to, Node::Switch(_));
            if !leads_to_switch || self.ways.rank(way.channel, lane) <= before {
                return false;
            }
        }
        true
    }

    /// Follows packets that wait at a switch to the next ones.
    fn go_on(&self, lane: Lane, at: SwitchId, some: &[[usize; 2]], room: &mut Room) -> bool {
        let here = lane.index() * room.own.len() + at.index();
        let mut waiting = std::mem::take(&mut room.waiting[here]);
        while waiting != 0 {
            let (port, leaving) = room.departures[at.index()].first(waiting);
            waiting &= !leaving;
            let Some(way) = self.ways.behind(at, port) else {
                return false;
            };
            let Node::Switch(next) = way.to else {
                return false;
            };
            let rank = self.ways.rank(way.channel, lane);
            let ending = leaving & room.own[next.index()];
            let end = bits(ending).all(|place| {
                let destination = &self.shared.destinations()[some[place][0]];
                rank < self.ways.ejection(destination.hosts, lane)
            });
            let passing = leaving & !ending;
            if !end || !self.ascends(lane, next, rank, passing, some.len(), room) {
                return false;
            }
            room.wait(lane, next, passing);
        }
        true
    }
}
