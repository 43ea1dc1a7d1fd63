//! Forwarding tables: the next port by switch and destination alone.

use crate::form::{Lane, LaneKey, LaneTables, PairGranularity, TooManyLanes};
use std::num::NonZeroU8;
use weft_fabric::{Fabric, PortNumber, SwitchId, narrow};

/// Destination-based forwarding tables, as the switches of InfiniBand hold them.
///
/// A destination (a switch, standing for its hosts, or a host) has one or more *addresses*; each
/// switch knows one next port per address, whatever port a packet came in by. Several addresses let
/// routes to one destination part: a source then knows which of them to send to. Source and
/// destination decide the service level of a packet, which no switch changes. Its lane is that of the
/// service level's number, or what lane tables say.
///
/// # Memory
/// A byte per switch and address, and one per pair where there are several addresses, one more
/// where there are several lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForwardingTables {
    granularity: PairGranularity,
    endpoint_count: usize,
    /// Per endpoint: its first address; then the number of all.
    first_addresses: Vec<u32>,
    /// Per switch and address: next port, 0 where there is none.
    next_ports: Vec<PortNumber>,
    aliases: Aliases,
    /// Per source row and destination: service level; empty: 0.
    lanes: Vec<Lane>,
    /// Per source: its row of lanes, which sources at a switch may share; empty: its own.
    lane_rows: Vec<u32>,
    /// One more than the highest service level of a pair.
    lanes_per_turn: u8,
    /// Without, every packet keeps the lane of its service level.
    lane_tables: Option<LaneTables>,
    turns: u8,
}

/// Which of a destination's addresses sources send to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Aliases {
    /// The first.
    First,
    /// Any: nobody knows.
    Any,
    /// Per pair: this one.
    PerPair(Vec<u8>),
}

/// No entry.
const NO_PORT: PortNumber = PortNumber::new(0);

impl ForwardingTables {
    /// Tables without entries.
    ///
    /// `addresses[e]` is the number of addresses of endpoint `e` (switch or host, by the
    /// granularity), 0 for one that nobody sends to.
    ///
    /// # Panics
    /// When there are 2^32 addresses or more, of which each would be a switch or host.
    pub fn new(granularity: PairGranularity, switch_count: usize, addresses: &[u8]) -> Self {
        let mut first_addresses = Vec::with_capacity(addresses.len() + 1);
        let mut end = 0_u32;
        first_addresses.push(end);
        for &count in addresses {
            end += u32::from(count);
            first_addresses.push(end);
        }
        Self {
            granularity,
            endpoint_count: addresses.len(),
            first_addresses,
            next_ports: vec![NO_PORT; switch_count * end as usize],
            aliases: Aliases::First,
            lanes: Vec::new(),
            lane_rows: Vec::new(),
            lanes_per_turn: 1,
            lane_tables: None,
            turns: 1,
        }
    }

    /// Tables in which everybody that has hosts, or is one, has one address. Without entries but those
    /// of hosts at their own switches.
    pub fn with_one_address(fabric: &Fabric, granularity: PairGranularity) -> Self {
        let count = granularity.endpoint_count(fabric);
        let has_hosts = |endpoint| {
            let switch = granularity.endpoint_switch(fabric, endpoint);
            u8::from(!fabric.hosts_of(switch).is_empty())
        };
        let addresses: Vec<u8> = (0..count).map(has_hosts).collect();
        let mut tables = Self::new(granularity, fabric.switch_count(), &addresses);
        if granularity == PairGranularity::Host {
            for host in fabric.host_ids() {
                tables.set_next_port(
                    fabric.host_switch(host),
                    host.index(),
                    fabric.host_port(host),
                );
            }
        }
        tables
    }

    /// Tells whether destinations are switches or hosts.
    pub fn granularity(&self) -> PairGranularity {
        self.granularity
    }

    /// Counts the destinations (and sources): switches or hosts, by the granularity.
    pub fn endpoint_count(&self) -> usize {
        self.endpoint_count
    }

    /// Tells whether other tables have as many switches, and the same addresses for the same destinations.
    pub fn has_addresses_of(&self, other: &Self) -> bool {
        self.granularity == other.granularity
            && self.first_addresses == other.first_addresses
            && self.next_ports.len() == other.next_ports.len()
    }

    /// Counts the addresses of all destinations.
    #[inline]
    pub fn address_count(&self) -> usize {
        self.first_addresses[self.endpoint_count] as usize
    }

    /// The addresses of a destination, the first one first.
    pub fn addresses(&self, destination_index: usize) -> std::ops::Range<usize> {
        self.first_addresses[destination_index] as usize
            ..self.first_addresses[destination_index + 1] as usize
    }

    /// Counts the most addresses that a destination has.
    pub fn most_addresses(&self) -> usize {
        (0..self.endpoint_count)
            .map(|destination| self.addresses(destination).len())
            .max()
            .unwrap_or(0)
    }

    /// The next port of a switch for an address; `None` without an entry.
    #[inline]
    pub fn next_port(&self, switch: SwitchId, address: usize) -> Option<PortNumber> {
        let port = self.next_ports[switch.index() * self.address_count() + address];
        (port != NO_PORT).then_some(port)
    }

    /// Where the next port of a switch for an address stands.
    #[inline]
    pub(super) fn entry_memory(&self, switch: SwitchId, address: usize) -> *const u8 {
        let entry = &self.next_ports[switch.index() * self.address_count() + address];
        std::ptr::from_ref(entry).cast()
    }

    /// Sets the next port of a switch for an address.
    ///
    /// # Panics
    /// When switch or address do not exist.
    pub fn set_next_port(&mut self, switch: SwitchId, address: usize, port: PortNumber) {
        let addresses = self.address_count();
        assert!(address < addresses, "the address exists");
        self.next_ports[switch.index() * addresses + address] = port;
    }

    /// The entries of a switch, one per address, port 0 where there is none.
    pub fn row(&self, switch: SwitchId) -> &[PortNumber] {
        let addresses = self.address_count();
        &self.next_ports[switch.index() * addresses..][..addresses]
    }

    /// The rows of all switches, one per switch in order, for filling them in parallel;
    /// none where there is no address.
    pub fn rows_mut(&mut self) -> std::slice::ChunksExactMut<'_, PortNumber> {
        let addresses = self.address_count();
        self.next_ports.chunks_exact_mut(addresses.max(1))
    }

    /// The address that a source sends to, the first where it may send to any; `None` where
    /// the destination has none.
    #[inline]
    pub fn address(&self, source_index: usize, destination_index: usize) -> Option<usize> {
        let addresses = self.addresses(destination_index);
        let alias = match &self.aliases {
            Aliases::First | Aliases::Any => 0,
            Aliases::PerPair(aliases) => {
                aliases[source_index * self.endpoint_count + destination_index]
            }
        };
        let address = addresses.start + usize::from(alias);
        (address < addresses.end).then_some(address)
    }

    /// Sets which of a destination's addresses each source sends to: one number per ordered
    /// pair of endpoints, source by source.
    ///
    /// # Panics
    /// When the number of pairs is wrong.
    pub fn set_aliases(&mut self, aliases: Vec<u8>) {
        assert_eq!(aliases.len(), self.endpoint_count * self.endpoint_count);
        let all_first = aliases.iter().all(|&alias| alias == 0);
        self.aliases = if all_first {
            Aliases::First
        } else {
            Aliases::PerPair(aliases)
        };
    }

    /// Lets every source send to any of a destination's addresses, as where tables alone are
    /// known: then all of them must be proved.
    pub fn send_to_any_address(&mut self) {
        let several = self.most_addresses() > 1;
        self.aliases = if several {
            Aliases::Any
        } else {
            Aliases::First
        };
    }

    /// Tells whether sources may send to any of a destination's addresses.
    pub fn sends_to_any_address(&self) -> bool {
        self.aliases == Aliases::Any
    }

    /// Tells whether all sources send to the first address.
    pub fn sends_to_first_addresses(&self) -> bool {
        self.aliases == Aliases::First
    }

    /// The service level of the packets from one endpoint to another, in the first of their
    /// turns: without lane tables, their lane.
    #[inline]
    pub fn lane(&self, source_index: usize, destination_index: usize) -> Lane {
        let row = match self.lane_rows.get(source_index) {
            Some(&row) => row as usize,
            None => source_index,
        };
        let pair = row * self.endpoint_count + destination_index;
        self.lanes.get(pair).copied().unwrap_or_default()
    }

    /// Sets the service level of each ordered pair of endpoints, source by source: without lane
    /// tables, its lane.
    ///
    /// # Panics
    /// When the number of pairs is wrong.
    pub fn set_lanes(&mut self, lanes: Vec<Lane>) {
        assert_eq!(lanes.len(), self.endpoint_count * self.endpoint_count);
        let most = lanes.iter().max();
        self.lanes_per_turn = most.map_or(1, |lane| lane.number().saturating_add(1));
        let one_lane = self.lanes_per_turn == 1;
        self.lanes = if one_lane { Vec::new() } else { lanes };
        self.lane_rows = Vec::new();
    }

    /// Sets the service levels where all sources at a switch use the same: `switches`, the number
    /// of each source's switch; `lanes`, one per switch and destination, switch by switch.
    ///
    /// # Panics
    /// When the number of sources or pairs is wrong.
    pub fn set_lanes_by_switch(&mut self, switches: Vec<u32>, lanes: Vec<Lane>) {
        assert_eq!(switches.len(), self.endpoint_count);
        let rows = switches.iter().max().map_or(0, |&most| most as usize + 1);
        assert!(lanes.len() >= rows * self.endpoint_count);
        let most = lanes.iter().max();
        self.lanes_per_turn = most.map_or(1, |lane| lane.number().saturating_add(1));
        let one_lane = self.lanes_per_turn == 1;
        (self.lanes, self.lane_rows) = if one_lane {
            (Vec::new(), Vec::new())
        } else {
            (lanes, switches)
        };
    }

    /// Tells whether service levels are held once for all sources at a switch.
    pub fn holds_lanes_by_switch(&self) -> bool {
        !self.lane_rows.is_empty()
    }

    /// The service level of the packets from a switch, where they are held so.
    pub(crate) fn lane_from_switch(&self, switch: SwitchId, destination_index: usize) -> Lane {
        let place = switch.index() * self.endpoint_count + destination_index;
        self.lanes.get(place).copied().unwrap_or_default()
    }

    /// The tables by which switches choose lanes, where there are any.
    #[inline]
    pub fn lane_tables(&self) -> Option<&LaneTables> {
        self.lane_tables.as_ref()
    }

    /// Sets the tables by which switches choose lanes.
    pub fn set_lane_tables(&mut self, tables: LaneTables) {
        self.lane_tables = Some(tables);
    }

    /// Counts the service levels that the packets of a pair take in turn; see
    /// [`alternate`](Self::alternate).
    pub fn turns(&self) -> u8 {
        self.turns
    }

    /// Lets the packets of each pair alternate over `turns` service levels: with `n` levels set
    /// for pairs, a packet in turn `t` has the level of its pair and `t·n` more.
    ///
    /// # Errors
    /// [`TooManyLanes`] beyond 255 levels.
    pub fn alternate(&mut self, turns: NonZeroU8) -> Result<(), TooManyLanes> {
        TooManyLanes::check(self.lanes_per_turn(), turns)?;
        self.turns = turns.get();
        Ok(())
    }

    /// Counts the service levels set for pairs: one more than the highest.
    pub fn lanes_per_turn(&self) -> u8 {
        self.lanes_per_turn
    }

    /// Counts the lanes the hardware must have: one more than the highest in use.
    pub fn lane_count(&self) -> u8 {
        let levels = self.lanes_per_turn().saturating_mul(self.turns);
        match &self.lane_tables {
            None => levels,
            Some(tables) => match tables.key() {
                LaneKey::ServiceLevel => tables.lane_count(),
                LaneKey::IncomingLane => tables.lane_count().max(levels),
            },
        }
    }

    /// Tells whether the packets of all sources at a switch go the same way: they send to the
    /// same address, or each to any, on the same lane.
    pub fn sources_of_a_switch_agree(&self) -> bool {
        self.levels_of_a_switch_agree() && self.lane_tables.is_none()
    }

    /// Tells whether the packets of all sources at a switch to a destination have the same service level, and are sent
    /// to the same address, or each to any.
    pub(crate) fn levels_of_a_switch_agree(&self) -> bool {
        let by_switch = self.lanes.is_empty() || !self.lane_rows.is_empty();
        !matches!(self.aliases, Aliases::PerPair(_)) && by_switch
    }
}

/// Some addresses in an order of their own, for reading or writing the entries of a switch for all of them: rows lie far
/// apart in memory, and what is read and written for one address after the other is brought from there each time.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Each with its place in that order, ascending, as they lie in memory.
    ascending: Vec<(u32, u32)>,
}

impl Columns {
    /// Addresses in the order in which entries are wanted.
    ///
    /// # Panics
    /// When there are 2^32 addresses or more, of which each would be a switch or host.
    pub fn new(addresses: impl IntoIterator<Item = usize>) -> Self {
        let known = "addresses have 32 bits";
        let each = addresses.into_iter().zip(0..);
        let mut ascending: Vec<(u32, u32)> = each
            .map(|(address, place)| (narrow(address, known), place))
            .collect();
        ascending.sort_unstable();
        Self { ascending }
    }

    /// Counts the addresses.
    pub fn count(&self) -> usize {
        self.ascending.len()
    }

    /// Reads the entries of a [row](ForwardingTables::row), the first of them to where the first address stands.
    pub fn read(&self, row: &[PortNumber], entries: &mut [PortNumber]) {
        for &(address, place) in &self.ascending {
            entries[place as usize] = row[address as usize];
        }
    }

    /// Writes entries into a [row](ForwardingTables::rows_mut), the first of them to the first address; where there is
    /// none, port 0, the row keeps what it has.
    pub fn write(&self, entries: &[PortNumber], row: &mut [PortNumber]) {
        for &(address, place) in &self.ascending {
            let entry = entries[place as usize];
            if entry != NO_PORT {
                row[address as usize] = entry;
            }
        }
    }
}
