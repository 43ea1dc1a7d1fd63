//! The NIC of a host: packets, the bus to memory, acknowledgements.

use super::{Ranks, nearest};
use crate::pauses::{Digest, Due};
use crate::pop_due;
use crate::queue_pairs::{Name, QueuePairs};
use std::collections::VecDeque;
use weft_model::workload::Packet;
use weft_model::workload::program::Acknowledged;

/// What of a message is sent at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// That it could be sent.
    Announcement,
    /// That it is to be sent.
    Call,
}

/// What a packet brings.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cargo {
    Data(Load),
    Acknowledgement(Load),
    /// The part whose last packet to come this was is refused.
    Refusal(Load),
}

/// A packet of a part of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) message: usize,
    pub(super) part: Part,
    /// Packets of the part after this one.
    followed_by: u64,
    payload_bytes: u32,
    /// The NIC was handed it by itself.
    is_alone: bool,
}

/// What an adapter tells a rank on another host.
#[derive(Clone, Copy, Debug)]
pub(super) enum News {
    /// A part of a message is stored, this packet last.
    Whole(Load),
    /// A packet is, and others of its message are not.
    Packet,
    /// A task is over.
    Over(usize),
}

/// A packet that is to cross the bus.
#[derive(Clone, Copy, Debug)]
enum Crossing {
    ToMemory(Load),
    ToNetwork(Load),
}

/// The NIC and the bus.
#[derive(Debug, Default)]
pub(super) struct Interface {
    /// What the NIC was handed and has not taken, in one queue or by queue pairs.
    handed: VecDeque<Load>,
    pairs: Option<QueuePairs<Load>>,
    /// The packet it fetches, and the cycle from which on that asks for the bus.
    fetched: Option<(Load, u64)>,
    /// Packets taken and not acknowledged.
    pub(super) unacknowledged: u64,
    /// The cycle from which on it may take the next, as far as acknowledgements tell.
    next_from: u64,
    /// Packets that came and are to cross the bus.
    pub(super) came: VecDeque<Load>,
    /// The packet on the bus, and the cycle in which it is across.
    on_bus: Option<(Crossing, u64)>,
    /// Who came last onto the bus was on its way to memory.
    was_to_memory: bool,
    /// Acknowledgements and refusals of the packets stored last, with the cycles they are due in.
    replies: VecDeque<(u64, Cargo)>,
    /// Parts of messages that were refused, with the cycles they are sent again in.
    pub(super) refused: VecDeque<(u64, Load)>,
    /// Packets stored of parts that are not whole here.
    stored: Vec<Load>,
}

impl Interface {
    pub(super) fn new(quantum_bytes: Option<u64>) -> Self {
        Self {
            pairs: quantum_bytes.map(QueuePairs::new),
            ..Self::default()
        }
    }

    /// Packets that the NIC was handed and has not taken.
    fn handed(&self) -> usize {
        self.handed.len() + self.pairs.as_ref().map_or(0, QueuePairs::waiting)
    }

    /// What the passing of time alone brings about.
    pub(super) fn find_due(&self, due: &mut Due) {
        due.any(&self.fetched, |(_, asks_from)| *asks_from);
        due.any(&self.on_bus, |(_, across)| *across);
        due.any(self.replies.front(), |(cycle, _)| *cycle);
        due.any(self.refused.front(), |(cycle, _)| *cycle);
        due.at(self.next_from);
    }

    pub(super) fn digest(&self, digest: &mut Digest) {
        digest.add([self.handed(), self.came.len(), self.stored.len()]);
        digest.add([self.fetched.is_some(), self.on_bus.is_some()]);
        digest.add([self.replies.len(), self.refused.len()]);
        digest.add([self.unacknowledged, self.next_from]);
    }

    pub(super) fn is_active(&self) -> bool {
        let is_empty = self.handed() == 0 && self.came.is_empty();
        let is_idle = self.fetched.is_none() && self.on_bus.is_none();
        let owes_nothing = self.replies.is_empty() && self.refused.is_empty();
        !(is_empty && is_idle && owes_nothing)
    }
}

impl Ranks<'_> {
    /// A rank hands its NIC a part of a message, which makes packets of it.
    pub(super) fn hand_over(&mut self, message: usize, part: Part) {
        let (from, to) = self.ends_of(message, part);
        if part == Part::Call {
            // The processor has taken the announcement.
            let untaken = &mut self.all[from].mailbox.untaken;
            untaken.retain(|&other| other != message);
        }
        self.note_wait(message, part);
        for number in 0..self.packets(message, part) {
            self.queue(from, to, self.load(message, part, number));
        }
    }

    /// A rank hands its NIC a packet of a message by itself; tells whether others follow.
    pub(super) fn hand_packet(&mut self, message: usize, number: u64) -> bool {
        if number == 0 {
            self.note_wait(message, Part::Whole);
        }
        let load = Load {
            is_alone: true,
            ..self.load(message, Part::Whole, number)
        };
        let (from, to) = self.ends_of(message, Part::Whole);
        self.queue(from, to, load);
        load.followed_by > 0
    }

    fn packets(&self, message: usize, part: Part) -> u64 {
        let bytes = self.part_bytes(message, part);
        bytes.div_ceil(self.messaging.packet_bytes.into()).max(1)
    }

    /// A packet of a part of a message, by its number.
    fn load(&self, message: usize, part: Part, number: u64) -> Load {
        let packet_bytes = u64::from(self.messaging.packet_bytes);
        let payload = self.part_bytes(message, part) - number * packet_bytes;
        Load {
            message,
            part,
            followed_by: self.packets(message, part) - number - 1,
            #[expect(clippy::cast_possible_truncation, reason = "at most `packet_bytes`")]
            payload_bytes: payload.min(packet_bytes) as u32,
            is_alone: false,
        }
    }

    /// The NIC of a rank is handed a packet to another.
    fn queue(&mut self, from: usize, to: usize, load: Load) {
        let nic = self.messages[load.message].nic;
        let is_urgent = self.is_urgent(load.message, load.part);
        let name = (!is_urgent, self.adapter_of(to, nic), nic);
        let site = self.adapter_of(from, nic);
        if site == self.all[from].site {
            self.queue_at(site, name, load);
        } else {
            self.hand_to_other(self.all[from].site, site, (name, load));
        }
    }

    /// A NIC has a packet more to send.
    pub(super) fn queue_at(&mut self, site: usize, name: Name, load: Load) {
        let interface = &mut self.sites[site].interface;
        if let Some(pairs) = &mut interface.pairs {
            pairs.join(name, load);
        } else {
            interface.handed.push_back(load);
        }
    }

    /// The ranks that a part of a message comes from and goes to.
    fn ends_of(&self, message: usize, part: Part) -> (usize, usize) {
        let message = &self.messages[message];
        let (from, to) = (message.from, message.to);
        match part {
            Part::Whole | Part::Announcement => (from, to),
            Part::Call => (to, from),
        }
    }

    /// Whether a part of a message goes before others.
    fn is_urgent(&self, message: usize, part: Part) -> bool {
        let is_control = part != Part::Whole || self.messages[message].bytes == 0;
        self.messaging.control_first && is_control
    }

    fn part_bytes(&self, message: usize, part: Part) -> u64 {
        match part {
            Part::Whole => self.messages[message].bytes,
            Part::Announcement | Part::Call => self.messaging.control_bytes.into(),
        }
    }

    /// Step 5: the NIC takes packets; tells whether that ended a task.
    pub(super) fn take_packets(&mut self, site: usize) -> bool {
        let unfinished = self.unfinished_at(site);
        loop {
            let now = self.now;
            let nic = &mut self.sites[site].interface;
            let must_wait = self.messaging.acknowledged == Acknowledged::Waited
                && (nic.unacknowledged > 0 || now < nic.next_from);
            if must_wait || nic.fetched.is_some() {
                break;
            }
            let next = nic.pairs.as_mut().and_then(|pairs| pairs.next(|_| true));
            if let Some(name) = next {
                self.take_in_turn(site, name);
                continue;
            }
            let Some(load) = nic.handed.pop_front() else {
                break;
            };
            self.take(site, load);
        }
        self.unfinished_at(site) < unfinished
    }

    fn unfinished_at(&self, site: usize) -> usize {
        let ranks = self.sites[site].ranks.iter();
        ranks.map(|&rank| self.all[rank].processor.unfinished).sum()
    }

    /// The NIC takes a packet of a queue pair, or all that is left of its message if nothing holds those
    /// packets up.
    fn take_in_turn(&mut self, site: usize, name: Name) {
        let mut bytes = 0;
        loop {
            let pairs = self.sites[site].interface.pairs.as_mut();
            let Some(load) = pairs.and_then(|pairs| pairs.take(name)) else {
                break;
            };
            bytes += u64::from(load.payload_bytes);
            let is_held_up =
                self.is_fetched(load) || self.messaging.acknowledged == Acknowledged::Waited;
            self.take(site, load);
            if is_held_up || load.is_alone || load.followed_by == 0 {
                break;
            }
        }
        if let Some(pairs) = &mut self.sites[site].interface.pairs {
            pairs.sent(name, bytes);
        }
    }

    /// Whether a packet is fetched from memory, which takes time.
    fn is_fetched(&self, load: Load) -> bool {
        let is_pushed = self.part_bytes(load.message, load.part) > self.messaging.pio_bytes;
        let takes_time =
            self.messaging.push_cycles > 0 || self.messaging.bus_bytes_per_cycle.is_some();
        is_pushed && takes_time
    }

    /// The NIC takes a packet.
    fn take(&mut self, site: usize, load: Load) {
        let is_acknowledged = self.messaging.acknowledged != Acknowledged::No;
        self.sites[site].interface.unacknowledged += u64::from(is_acknowledged);
        if self.is_fetched(load) {
            let asks_from = self.now + self.messaging.push_cycles;
            self.sites[site].interface.fetched = Some((load, asks_from));
        } else {
            self.launch(site, load);
        }
    }

    /// A packet of a message enters the network.
    fn launch(&mut self, site: usize, load: Load) {
        let (_, to) = self.ends_of(load.message, load.part);
        self.generate(site, to, load.payload_bytes, Cargo::Data(load));
        let is_out = self.messaging.quantum_bytes.is_none();
        if self.messaging.acknowledged == Acknowledged::No && is_out {
            self.ends_send(site, load);
        }
    }

    /// The last packet of a message ends its send, if that is not over yet.
    pub(super) fn ends_send(&mut self, site: usize, load: Load) {
        if load.part == Part::Whole
            && load.followed_by == 0
            && let Some(send) = self.messages[load.message].send.take()
        {
            let from = self.messages[load.message].from;
            if self.all[from].site == site {
                self.all[from].processor.end(send);
            } else {
                self.tell(site, from, News::Over(send));
            }
        }
    }

    fn generate(&mut self, site: usize, to: usize, payload_bytes: u32, cargo: Cargo) {
        let is_urgent = match cargo {
            Cargo::Data(load) => self.is_urgent(load.message, load.part),
            Cargo::Acknowledgement(_) | Cargo::Refusal(_) => self.messaging.control_first,
        };
        let (Cargo::Data(load) | Cargo::Acknowledgement(load) | Cargo::Refusal(load)) = cargo;
        let by = self.adapter_of(to, self.messages[load.message].nic);
        let destination = self.sites[by].host;
        let own = &mut self.sites[site];
        own.generated.push(Packet {
            generation_cycle: self.now,
            destination,
            payload_bytes,
            is_control: !matches!(cargo, Cargo::Data(_)),
            is_urgent,
            queue_pair: self.messages[load.message].nic,
        });
        self.on_their_way.insert((own.host, own.sequence), cargo);
        own.sequence += 1;
    }

    /// Step 2: what is across the bus leaves it; without a bus, what would ask for it now.
    pub(super) fn leave_bus(&mut self, site: usize) {
        let now = self.now;
        let nic = &mut self.sites[site].interface;
        if self.messaging.bus_bytes_per_cycle.is_none() {
            if let Some((load, _)) = nic.fetched.take_if(|(_, asks_from)| *asks_from <= now) {
                self.launch(site, load);
            }
        } else if let Some((crossing, _)) = nic.on_bus.take_if(|(_, across)| *across <= now) {
            match crossing {
                Crossing::ToMemory(load) => self.store(site, load),
                Crossing::ToNetwork(load) => {
                    nic.fetched = None;
                    self.launch(site, load);
                }
            }
        }
    }

    /// Step 6: the next packet enters the bus, by turns where there are two.
    pub(super) fn enter_bus(&mut self, site: usize) {
        let Some(bytes_per_cycle) = self.messaging.bus_bytes_per_cycle else {
            return;
        };
        let now = self.now;
        let nic = &mut self.sites[site].interface;
        if nic.on_bus.is_some() {
            return;
        }
        let fetched = nic.fetched.filter(|&(_, asks_from)| asks_from <= now);
        let crossing = match (fetched, nic.came.front()) {
            (None, None) => return,
            (Some((load, _)), None) => Crossing::ToNetwork(load),
            (Some((load, _)), Some(_)) if nic.was_to_memory => Crossing::ToNetwork(load),
            (_, Some(&load)) => {
                nic.came.pop_front();
                Crossing::ToMemory(load)
            }
        };
        let (Crossing::ToMemory(load) | Crossing::ToNetwork(load)) = crossing;
        nic.was_to_memory = matches!(crossing, Crossing::ToMemory(_));
        let cycles = nearest(f64::from(load.payload_bytes) / bytes_per_cycle).max(1);
        nic.on_bus = Some((crossing, now + cycles));
    }

    /// A packet that came is in memory.
    pub(super) fn store(&mut self, site: usize, load: Load) {
        let nic = &mut self.sites[site].interface;
        let is_its = |other: &Load| (other.message, other.part) == (load.message, load.part);
        nic.stored.push(load);
        let stored = nic.stored.iter().filter(|other| is_its(other)).count() as u64;
        let is_whole = stored == self.packets(load.message, load.part);
        if is_whole {
            let stored = &mut self.sites[site].interface.stored;
            stored.retain(|other| !is_its(other));
        }
        if !is_whole && load.part == Part::Whole && self.messaging.receive.packet > 0.0 {
            let (_, to) = self.ends_of(load.message, load.part);
            if self.all[to].site == site {
                self.all[to].processor.ask_to_take();
            } else {
                self.tell(site, to, News::Packet);
            }
        }
        let due = self.now + self.messaging.acknowledge_cycles;
        if is_whole && self.finds_no_room(load) {
            let replies = &mut self.sites[site].interface.replies;
            replies.push_back((due, Cargo::Refusal(load)));
            return;
        }
        if self.messaging.acknowledged != Acknowledged::No {
            let replies = &mut self.sites[site].interface.replies;
            replies.push_back((due, Cargo::Acknowledgement(load)));
        }
        if is_whole {
            let (_, to) = self.ends_of(load.message, load.part);
            if self.all[to].site == site {
                self.is_whole(load);
            } else {
                self.tell(site, to, News::Whole(load));
            }
        }
    }

    /// Step 3: the acknowledgements and refusals that are due.
    pub(super) fn reply(&mut self, site: usize) {
        let now = self.now;
        while let Some(reply) = pop_due(&mut self.sites[site].interface.replies, now) {
            let (Cargo::Acknowledgement(load) | Cargo::Refusal(load) | Cargo::Data(load)) = reply;
            let (to, _) = self.ends_of(load.message, load.part);
            let bytes = self.messaging.acknowledgement_bytes;
            self.generate(site, to, bytes, reply);
        }
    }

    /// And what was refused is handed to the NIC again when its time has come.
    pub(super) fn send_again(&mut self, site: usize) {
        let now = self.now;
        while let Some(load) = pop_due(&mut self.sites[site].interface.refused, now) {
            self.hand_over(load.message, load.part);
        }
    }

    /// The acknowledgement of a packet is noticed.
    pub(super) fn is_acknowledged(&mut self, site: usize, load: Load) {
        self.is_answered(site);
        self.ends_send(site, load);
    }

    /// The refusal of a part of a message is noticed, in place of its last acknowledgement if there are any.
    pub(super) fn is_refused(&mut self, site: usize, load: Load) {
        if self.messaging.acknowledged != Acknowledged::No {
            self.is_answered(site);
        }
        let again = self.now + self.messaging.resend_cycles;
        self.sites[site].interface.refused.push_back((again, load));
    }

    fn is_answered(&mut self, site: usize) {
        let nic = &mut self.sites[site].interface;
        nic.unacknowledged -= 1;
        nic.next_from = self.now + self.messaging.next_packet_cycles;
    }
}
