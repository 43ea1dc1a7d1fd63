//! The check that no order of changes will do: every packet that an obstruction tells of is followed by itself.

use super::ends::{Address, Ends, Sent};
use super::lanes::{Label, LaneRows};
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::{ChannelId, Fabric, Node, PortNumber, SwitchId};
use weft_routing::{
    BlockedChange, BlockedWrite, ForwardingTables, Lane, MetChange, Obstruction, OrderEnd,
    TransitionPlan, Wait,
};

/// An obstruction shows nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages tell what fields are")]
pub enum ObstructionError {
    /// The addresses are not those of the tables.
    #[error(transparent)]
    Addresses(#[from] super::TransitionCheckError),
    /// Nothing is written.
    #[error("obstruction {obstruction} has no writes")]
    Empty { obstruction: usize },
    /// A change is none between the tables, or is there twice.
    #[error(
        "obstruction {obstruction} has a change at switch {switch} for address {address} that is none, or has it twice"
    )]
    Write {
        obstruction: usize,
        switch: usize,
        address: u32,
    },
    /// A packet does not hold what it should hold and want what the next one holds.
    #[error(
        "obstruction {obstruction}, change at switch {switch} for address {address}: packet {wait} of the cycle does \
         not certainly hold its channel and want the next"
    )]
    Wait {
        obstruction: usize,
        switch: usize,
        address: u32,
        wait: usize,
    },
    /// A change does not lead to a dead end that was shown before.
    #[error(
        "obstruction {obstruction}, change at switch {switch} for address {address} does not lead to a dead end that was \
         shown before"
    )]
    DeadEnd {
        obstruction: usize,
        switch: usize,
        address: u32,
    },
    /// A destination is counted twice.
    #[error("two obstructions have destination “{destination}”")]
    Shared { destination: String },
}

/// Checks that changes have no order in which packets cannot deadlock, and returns the destinations of each
/// obstruction, one of which at least has to be drained: none is in two.
///
/// # Errors
/// [`ObstructionError`] names the first thing that does not hold.
///
/// # Complexity
/// One walk for each packet of each cycle.
pub fn check_obstructions(
    fabrics: [&Fabric; 2],
    tables: [&ForwardingTables; 2],
    plan: &TransitionPlan,
    obstructions: &[Obstruction],
) -> Result<Vec<Vec<String>>, ObstructionError> {
    let ends = Ends::new(fabrics, tables);
    let addresses = ends.addresses(plan)?;
    let mut known = BTreeSet::new();
    let mut all = Vec::new();
    for (number, obstruction) in obstructions.iter().enumerate() {
        let Obstruction {
            end,
            writes,
            dead_ends,
        } = obstruction;
        let each = dead_ends
            .iter()
            .map(|of| (of.met.as_slice(), of.writes.as_slice()));
        let mut known_dead_ends: Vec<Stand> = Vec::new();
        let mut destinations = BTreeSet::new();
        for (met, writes) in each.chain([(&[] as &[MetChange], writes.as_slice())]) {
            let ground = (&ends, addresses.as_slice(), plan.lane_count);
            let checked = Checked::new(ground, (number, *end), (met, writes))?;
            for write in writes {
                match write.dead_end {
                    Some(place) => checked.check_dead_end(write, known_dead_ends.get(place))?,
                    None => checked.check_cycle(write)?,
                }
            }
            for &address in checked.said.keys() {
                destinations.insert(plan.addresses[address as usize].destination.clone());
            }
            known_dead_ends.push(checked.stand);
        }
        for destination in &destinations {
            if !known.insert(destination.clone()) {
                let destination = destination.clone();
                return Err(ObstructionError::Shared { destination });
            }
        }
        all.push(destinations.into_iter().collect());
    }
    Ok(all)
}

/// What tables say of an address.
struct Said {
    address: Address,
    /// Per switch that is left: before the write and after it, as the obstruction has it.
    ports: [Vec<Option<PortNumber>>; 2],
    /// Who sends, and by what: before the change and after it.
    sent: [BTreeSet<Sent>; 2],
}

/// A change: address, switch, what.
type Place = (u32, SwitchId, BlockedChange);

/// Changes that are met, and those of which none can be the next.
struct Stand {
    met: BTreeSet<Place>,
    left: BTreeSet<Place>,
}

/// Changes of which none can be the next, that are changes.
struct Checked<'a> {
    fabric: &'a Fabric,
    ends: &'a Ends<'a>,
    number: usize,
    /// How switches choose lanes, where they do.
    rows: Option<LaneRows<'a>>,
    said: BTreeMap<u32, Said>,
    stand: Stand,
}

impl<'a> Checked<'a> {
    fn new(
        (ends, addresses, lane_count): (&'a Ends<'a>, &[Address], u8),
        (number, end): (usize, OrderEnd),
        (met, writes): (&[MetChange], &[BlockedWrite]),
    ) -> Result<Self, ObstructionError> {
        let mut checked = Self {
            fabric: ends.fabrics[1],
            ends,
            number,
            rows: LaneRows::new(ends, lane_count),
            said: BTreeMap::new(),
            stand: Stand {
                met: BTreeSet::new(),
                left: BTreeSet::new(),
            },
        };
        if writes.is_empty() {
            return Err(ObstructionError::Empty {
                obstruction: number,
            });
        }
        let waits = writes.iter().flat_map(|write| &write.cycle);
        let waiting = waits.map(|wait| wait.address);
        let changed = writes.iter().map(|write| write.address);
        for number in waiting
            .chain(changed)
            .chain(met.iter().map(|of| of.address))
        {
            let Some(&address) = addresses.get(number as usize) else {
                continue;
            };
            checked
                .said
                .entry(number)
                .or_insert_with(|| Said::of(ends, address, end));
        }
        let met = met.iter().map(|of| (of.address, of.switch, of.change));
        let left = writes.iter().map(|of| (of.address, of.switch, of.change));
        for (place, is_met) in met.map(|of| (of, true)).chain(left.map(|of| (of, false))) {
            let is_known = checked.stand.met.contains(&place);
            let known = if is_met {
                &mut checked.stand.met
            } else {
                &mut checked.stand.left
            };
            let is_new = !is_known && known.insert(place);
            if !is_new || !checked.is_a_change(place) {
                return Err(ObstructionError::Write {
                    obstruction: number,
                    switch: place.1.index(),
                    address: place.0,
                });
            }
        }
        Ok(checked)
    }

    /// Whether both tables have an entry there, each another; or all hosts there one service level, and then another; or
    /// those send by others at all.
    fn is_a_change(&self, (address, at, change): Place) -> bool {
        let Some(said) = self.said.get(&address) else {
            return false;
        };
        let differs = match change {
            BlockedChange::Entry => {
                let [stands, other] = said.both_ports(at);
                stands.is_some() && other.is_some() && stands != other
            }
            BlockedChange::Level => {
                let levels = [0, 1].map(|side| said.only_level(side, at));
                levels[0] != levels[1] && !levels.contains(&None)
            }
            BlockedChange::Levels => {
                let [old, new] = [0, 1].map(|side| said.levels_from(side, at));
                old != new
            }
        };
        said.address.is_left() && differs
    }

    /// Makes sure that a change leads to a dead end that is known: what that takes to be met is, with the change, and what
    /// it leaves over is left over.
    fn check_dead_end(
        &self,
        write: &BlockedWrite,
        dead_end: Option<&Stand>,
    ) -> Result<(), ObstructionError> {
        let place = (write.address, write.switch, write.change);
        let leads_there = dead_end.is_some_and(|of| {
            let mut met = of.met.iter();
            met.all(|met| *met == place || self.stand.met.contains(met))
                && of.left.is_subset(&self.stand.left)
                && !of.left.contains(&place)
        });
        if leads_there {
            return Ok(());
        }
        Err(ObstructionError::DeadEnd {
            obstruction: self.number,
            switch: write.switch.index(),
            address: write.address,
        })
    }

    fn check_cycle(&self, write: &BlockedWrite) -> Result<(), ObstructionError> {
        let cycle = &write.cycle;
        let mut pairs = cycle.iter().zip(cycle.iter().cycle().skip(1));
        let wrong = pairs.position(|(wait, next)| !self.waits(write, wait, next));
        let wrong = if cycle.is_empty() { Some(0) } else { wrong };
        wrong.map_or(Ok(()), |wait| {
            Err(ObstructionError::Wait {
                obstruction: self.number,
                switch: write.switch.index(),
                address: write.address,
                wait,
            })
        })
    }

    /// Whether packets that are sent where it says hold its channel and want that of the next.
    fn waits(&self, write: &BlockedWrite, wait: &Wait, next: &Wait) -> bool {
        let Some(said) = self.said.get(&wait.address) else {
            return false;
        };
        let waits = |sent: &&Sent| self.comes_to_wait(said, **sent, (write, wait, next));
        let [mut stands, mut other] = [0, 1].map(|side| said.sent_from(side, wait.from));
        let of_host = (wait.address, wait.from, BlockedChange::Level);
        let of_all = (wait.address, wait.from, BlockedChange::Levels);
        let changed = (write.address, write.switch, write.change);
        if !said.address.is_left() {
            false
        } else if wait.is_by_write && of_host == changed {
            // Any of its hosts may be the first.
            let first = other.next();
            first.is_some_and(|first| waits(&first)) && other.all(|sent| waits(&sent))
        } else if self.stand.met.contains(&of_all) || wait.is_by_write && of_all == changed {
            other.any(|sent| waits(&sent))
        } else {
            let left = &self.stand.left;
            let stays = left.contains(&of_all) || left.contains(&of_host);
            let is_certain = |sent: &&Sent| stays || said.sent[1].contains(sent);
            stands.any(|sent| is_certain(&sent) && waits(&sent))
        }
    }

    /// Whether a packet comes to hold its channel and want that of the next, whichever lane it begins on.
    fn comes_to_wait(&self, said: &Said, sent: Sent, waits: (&BlockedWrite, &Wait, &Wait)) -> bool {
        let begins = match &self.rows {
            None => Some(vec![sent.level]),
            Some(rows) => rows.begins_somehow(sent),
        };
        begins.is_some_and(|lanes| {
            let mut lanes = lanes.into_iter();
            lanes.all(|lane| self.waits_from(said, (sent, lane), waits))
        })
    }

    /// Follows a packet until it holds its channel and wants that of the next.
    fn waits_from(
        &self,
        said: &Said,
        (sent, mut lane): (Sent, Lane),
        (write, wait, next): (&BlockedWrite, &Wait, &Wait),
    ) -> bool {
        let end = self.ends.arrival(said.address);
        let (mut at, mut input): (SwitchId, PortNumber) = (sent.at, sent.input);
        let mut held: Option<ChannelId> = None;
        // Round a circle once more, if need be.
        for _ in 0..=2 * self.fabric.switch_count() {
            let Some(port) = self.certain_port(write, wait, at) else {
                return false;
            };
            let is_there = end.is_some_and(|end| {
                end.switch == at && (end.port.is_none() || end.port == Some(port))
            });
            let channel = self.fabric.outgoing_at(at, port);
            let Some(channel) = channel.filter(|_| !is_there) else {
                return false;
            };
            let given = match &self.rows {
                None => Some(lane),
                Some(rows) => {
                    let level = sent.level.number();
                    rows.gives_certainly(at, [input, port], Label { level, lane })
                }
            };
            let Some(given) = given else { return false };
            let holds = held == Some(wait.channel) && lane == wait.lane;
            if holds && channel == next.channel && given == next.lane {
                return true;
            }
            let target = self.fabric.target(channel);
            let Node::Switch(beyond) = target.node else {
                return false;
            };
            (at, input, held, lane) = (beyond, target.port, Some(channel), given);
        }
        false
    }

    /// The entry that a packet meets for certain.
    fn certain_port(&self, write: &BlockedWrite, wait: &Wait, at: SwitchId) -> Option<PortNumber> {
        let said = &self.said[&wait.address];
        let [stands, other] = said.both_ports(at);
        let place = (wait.address, at, BlockedChange::Entry);
        let changed = (write.address, write.switch, write.change);
        if wait.is_by_write && place == changed || self.stand.met.contains(&place) {
            return other;
        }
        let is_certain = self.stand.left.contains(&place) || stands == other;
        stands.filter(|_| is_certain)
    }
}

impl Said {
    fn of(ends: &Ends<'_>, address: Address, end: OrderEnd) -> Self {
        let (mut ports, mut sent) = (ends.ports(address), ends.sent(address));
        if end == OrderEnd::Last {
            ports.reverse();
            sent.reverse();
        }
        Self {
            address,
            ports,
            sent,
        }
    }

    /// The entries of a switch, before the change and after it.
    fn both_ports(&self, at: SwitchId) -> [Option<PortNumber>; 2] {
        [0, 1].map(|side| self.ports[side].get(at.index()).copied().flatten())
    }

    fn sent_from(&self, side: usize, at: SwitchId) -> impl Iterator<Item = &Sent> {
        self.sent[side].iter().filter(move |sent| sent.at == at)
    }

    /// The service levels by which hosts of a switch send.
    fn levels_from(&self, side: usize, at: SwitchId) -> BTreeSet<Lane> {
        self.sent_from(side, at).map(|sent| sent.level).collect()
    }

    /// The service level by which all hosts of a switch send.
    fn only_level(&self, side: usize, at: SwitchId) -> Option<Lane> {
        let levels = self.levels_from(side, at);
        let mut levels = levels.into_iter();
        levels.next().filter(|_| levels.next().is_none())
    }
}
