//! Ways by tables to several addresses, followed together as far as they run together.

use crate::form::{Columns, ForwardingTables, Lane};
use weft_fabric::{PortNumber, SwitchId, narrow};

/// What follows ways that [`WaysTogether`] leads it along.
pub trait FollowsWays {
    /// A channel between switches, as it is told of.
    type Channel: Copy;

    /// The channel behind a port of a switch, and the switch it leads to; `None` where it leads to none.
    fn behind(&self, at: SwitchId, port: PortNumber) -> Option<(Self::Channel, SwitchId)>;

    /// Packets start by a port of a switch.
    fn start(&mut self, at: SwitchId, port: PortNumber, lane: Lane);

    /// Packets that hold a channel go on by a port of the switch it leads to.
    fn pass(&mut self, held: Self::Channel, port: PortNumber, lane: Lane);

    /// Packets that hold a channel are at the switch of the address, given by its place among those followed.
    fn end(&mut self, held: Self::Channel, place: usize, lane: Lane);
}

/// Ways to addresses, 64 at a time, of which each is a bit: where packets to several leave a switch by the same
/// port, they are followed at once, and what is known to lead there is not followed again.
#[derive(Debug)]
pub struct WaysTogether<'a> {
    tables: &'a ForwardingTables,
    switches: usize,
    /// The addresses whose entries are read at once.
    columns: Columns,
    /// Per switch: its entries for those, in as many bytes as are 64 at a time.
    entries: Vec<PortNumber>,
    /// Per switch: whether the entries are there.
    are_read: Vec<bool>,
    /// Per switch: by which ports packets to those that are followed leave.
    exits: Vec<Exits>,
    /// The place of the first of the 64 that are followed.
    first: usize,
    /// Per switch: the addresses that are at it.
    ends: Vec<u64>,
    /// Per lane and switch: the addresses that are known to be reached from there.
    leads: Vec<u64>,
    /// The same: those that packets were met to.
    met: Vec<u64>,
    /// What is being followed, each from the one before.
    under_way: Vec<UnderWay>,
}

/// The entries of a switch for 64 addresses, by port.
#[derive(Clone, Debug)]
struct Exits {
    are_known: bool,
    /// Each port once, with all its addresses; 0 stands for none.
    ports: Vec<(PortNumber, u64)>,
    /// Per address: the number of its port among those.
    number_of: [u8; TOGETHER],
}

/// Ways from a switch that are being followed.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    at: SwitchId,
    all: u64,
    left: u64,
}

/// Addresses that are followed at once.
const TOGETHER: usize = 64;
/// The most addresses whose entries are read at once: those of a few thousand switches take some 20 MB.
const MOST_READ: usize = 64 * TOGETHER;

impl<'a> WaysTogether<'a> {
    /// Ways by tables that have so many switches, to no address yet.
    pub fn new(tables: &'a ForwardingTables, switches: usize, lanes: u8) -> Self {
        let unknown = Exits {
            are_known: false,
            ports: Vec::new(),
            number_of: [0; TOGETHER],
        };
        Self {
            tables,
            switches,
            columns: Columns::default(),
            entries: Vec::new(),
            are_read: vec![false; switches],
            exits: vec![unknown; switches],
            first: 0,
            ends: vec![0; switches],
            leads: vec![0; switches * usize::from(lanes)],
            met: vec![0; switches * usize::from(lanes)],
            under_way: Vec::new(),
        }
    }

    /// Into how large parts so many addresses are divided, for as many cores as there are.
    pub fn share(addresses: usize) -> usize {
        let each = addresses.div_ceil(4 * rayon::current_num_threads());
        each.next_multiple_of(TOGETHER).clamp(TOGETHER, MOST_READ)
    }

    /// Tells whether something holds of all addresses of a part, shown 64 at a time, each known by its switch
    /// and number.
    pub fn all_of<T>(
        &mut self,
        part: &[T],
        known_by: impl Fn(&T) -> (SwitchId, usize),
        mut holds: impl FnMut(&mut Self, &[T]) -> bool,
    ) -> bool {
        self.columns = Columns::new(part.iter().map(|address| known_by(address).1));
        self.are_read.fill(false);
        let width = part.len().next_multiple_of(TOGETHER);
        self.entries.clear();
        self.entries
            .resize(self.switches * width, PortNumber::new(0));
        part.chunks(TOGETHER).enumerate().all(|(number, some)| {
            self.first = number * TOGETHER;
            self.under_way.clear();
            for exits in &mut self.exits {
                exits.are_known = false;
            }
            for known in [&mut self.ends, &mut self.leads, &mut self.met] {
                known.fill(0);
            }
            for (place, address) in some.iter().enumerate() {
                self.ends[known_by(address).0.index()] |= 1 << place;
            }
            holds(self, some)
        })
    }

    /// The addresses that are at a switch.
    pub fn ending_at(&self, switch: SwitchId) -> u64 {
        self.ends[switch.index()]
    }

    /// Follows the ways from a switch to some of the addresses, none of them at it; tells whether all lead
    /// there.
    pub fn follow<F: FollowsWays>(
        &mut self,
        from: SwitchId,
        lane: Lane,
        addresses: u64,
        follower: &mut F,
    ) -> bool {
        let of_lane = lane.index() * self.switches;
        let starts = self.all_ports(from, addresses, |port| {
            let is_there = follower.behind(from, port).is_some();
            if is_there {
                follower.start(from, port, lane);
            }
            is_there
        });
        if !starts || !self.go_on(of_lane, from, addresses) {
            return false;
        }
        while let Some(&UnderWay { at, all, left }) = self.under_way.last() {
            if left == 0 {
                self.leads[of_lane + at.index()] |= all;
                self.under_way.pop();
                continue;
            }
            let (port, together) = self.first_port(at, left);
            if let Some(under_way) = self.under_way.last_mut() {
                under_way.left &= !together;
            }
            let Some((held, next)) = follower.behind(at, port) else {
                return false;
            };
            let ending = together & self.ends[next.index()];
            for place in places(ending) {
                follower.end(held, place, lane);
            }
            let going = together & !ending;
            let pass = self.all_ports(next, going, |port| {
                let is_there = follower.behind(next, port).is_some();
                if is_there {
                    follower.pass(held, port, lane);
                }
                is_there
            });
            if !pass || !self.go_on(of_lane, next, going) {
                return false;
            }
        }
        true
    }

    /// Goes on to those addresses that a switch is not known to lead to; tells whether no way leads in a circle.
    fn go_on(&mut self, of_lane: usize, at: SwitchId, addresses: u64) -> bool {
        let here = of_lane + at.index();
        let new = addresses & !self.leads[here];
        let is_in_a_circle = self.met[here] & new != 0;
        self.met[here] |= new;
        if new != 0 {
            self.under_way.push(UnderWay {
                at,
                all: new,
                left: new,
            });
        }
        !is_in_a_circle
    }

    /// Tells whether something holds of all ports by which packets to some addresses leave a switch.
    #[inline]
    fn all_ports(
        &mut self,
        at: SwitchId,
        mut addresses: u64,
        mut holds: impl FnMut(PortNumber) -> bool,
    ) -> bool {
        while addresses != 0 {
            let (port, together) = self.first_port(at, addresses);
            if !holds(port) {
                return false;
            }
            addresses &= !together;
        }
        true
    }

    /// The port by which packets to the first of some addresses leave a switch, 0 where there is none, and to
    /// which of the others they leave by it too.
    #[inline]
    fn first_port(&mut self, at: SwitchId, addresses: u64) -> (PortNumber, u64) {
        if !self.exits[at.index()].are_known {
            self.find_exits(at);
        }
        let exits = &self.exits[at.index()];
        let number = exits.number_of[addresses.trailing_zeros() as usize];
        let (port, all) = exits.ports[usize::from(number)];
        (port, all & addresses)
    }

    /// Sorts the entries of a switch by port.
    fn find_exits(&mut self, at: SwitchId) {
        let width = self.columns.count().next_multiple_of(TOGETHER);
        let row = &mut self.entries[at.index() * width..][..width];
        if !std::mem::replace(&mut self.are_read[at.index()], true) {
            self.columns.read(self.tables.row(at), row);
        }
        let exits = &mut self.exits[at.index()];
        exits.are_known = true;
        exits.ports.clear();
        // Per port: one more than its number.
        let mut numbers = [0_u8; 256];
        let entries = row[self.first..].iter().zip(&mut exits.number_of);
        for (place, (&port, number_of)) in entries.enumerate() {
            let number = &mut numbers[port.index()];
            if *number == 0 {
                exits.ports.push((port, 0));
                *number = narrow(exits.ports.len(), "a word has 64 bits");
            }
            *number_of = *number - 1;
            exits.ports[usize::from(*number_of)].1 |= 1 << place;
        }
    }
}

/// The places of the bits of a word, ascending.
fn places(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = word.trailing_zeros() as usize;
        let is_one = word != 0;
        word &= word.wrapping_sub(1);
        is_one.then_some(place)
    })
}

impl ForwardingTables {
    /// Tells the first eight ports that packets to an address leave switches by, from one on: addresses sorted
    /// by it come after those that packets go the same way to.
    pub fn first_ports(
        &self,
        from: SwitchId,
        address: usize,
        behind: impl Fn(SwitchId, PortNumber) -> Option<SwitchId>,
    ) -> [u8; 8] {
        let mut ports = [0; 8];
        let mut at = from;
        for step in &mut ports {
            let Some(port) = self.next_port(at, address) else {
                break;
            };
            *step = port.number();
            let Some(next) = behind(at, port) else {
                break;
            };
            at = next;
        }
        ports
    }
}
