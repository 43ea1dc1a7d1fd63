//! A host's NIC: the queues in front of it and the packet it sends and receives.

use super::again::Again;
use super::flit::Flit;
use crate::pauses::{Digest, Due};
use crate::queue_pairs::QueuePairs;
use std::collections::VecDeque;
use weft_fabric::{HostId, narrow};
use weft_model::PoolUse;
use weft_model::workload::{HostStream, Packet, Workload};

/// The queue a NIC took a packet from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Served {
    Local,
    InTransit,
}

/// Where the flits of an outgoing packet lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The packet starts here.
    Local,
    /// In the in-transit pool.
    Pool,
    /// In the host's memory, since the pool was too full.
    HostMemory,
}

/// What arrives at a host at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Receiving {
    Nothing,
    Delivery,
    InTransit,
    Dropped,
}

/// A packet that waits in transit, or that the NIC sends.
#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    pub(super) attempt: u64,
    pub(super) place: Place,
    /// First cycle in which the NIC may take it.
    pub(super) ready_cycle: u64,
    /// Its firmware has seen its first flits.
    pub(super) was_seen: bool,
    /// Its flits that are here and have not been sent.
    pub(super) flits: VecDeque<Flit>,
}

#[derive(Debug)]
pub(super) struct Nic {
    stream: HostStream,
    /// The stream's next packet, not yet generated.
    upcoming: Option<Packet>,
    next_sequence: u64,
    /// Packets generated and not taken, with their sequence numbers.
    local: VecDeque<(u64, Packet)>,
    /// The same by queue pairs, if a program has them.
    pairs: Option<QueuePairs<(u64, Packet)>>,
    /// Packets lost, by the cycle they are due in and then as they were lost.
    retransmissions: VecDeque<Again>,
    /// In-transit packets not taken, in the order of their marks' arrival.
    pub(super) in_transit: VecDeque<Outgoing>,
    pub(super) sending: Option<Outgoing>,
    pub(super) receiving: Receiving,
    pub(super) last_served: Served,
    /// Flits in the pool: received and not sent again.
    pub(super) held_flits: u64,
    pub(super) pool_use: PoolUse,
}

impl Nic {
    pub(super) fn new(workload: &Workload, host: HostId) -> Self {
        let mut stream = workload.stream(host);
        let upcoming = workload.next_packet(&mut stream);
        Self {
            stream,
            upcoming,
            next_sequence: 0,
            local: VecDeque::new(),
            pairs: workload
                .program()
                .and_then(|program| program.messaging().quantum_bytes)
                .map(QueuePairs::new),
            retransmissions: VecDeque::new(),
            in_transit: VecDeque::new(),
            sending: None,
            receiving: Receiving::Nothing,
            last_served: Served::Local,
            held_flits: 0,
            pool_use: PoolUse::default(),
        }
    }

    pub(super) fn generate(&mut self, workload: &Workload, now: u64) {
        while let Some(packet) = self
            .upcoming
            .filter(|packet| packet.generation_cycle <= now)
        {
            self.queue([packet]);
            self.upcoming = workload.next_packet(&mut self.stream);
        }
    }

    /// These packets join the local queue.
    pub(super) fn queue(&mut self, packets: impl IntoIterator<Item = Packet>) {
        for packet in packets {
            let numbered = (self.next_sequence, packet);
            if let Some(pairs) = &mut self.pairs {
                let name = (
                    !packet.is_urgent,
                    packet.destination.index(),
                    packet.queue_pair,
                );
                pairs.join(name, numbered);
            } else {
                self.local.push_back(numbered);
            }
            self.next_sequence += 1;
        }
    }

    /// The queue an idle NIC takes its next packet from, if any may be taken.
    pub(super) fn next_service(&self, now: u64, local_equal_at_packets: u32) -> Option<Served> {
        if self.sending.is_some() {
            return None;
        }
        let local_length = self.local_length(now);
        let first = self.in_transit.front();
        let in_transit = first.is_some_and(|packet| packet.ready_cycle <= now);
        let is_local_equal = local_length >= local_equal_at_packets as usize;
        match (in_transit, local_length > 0) {
            (false, false) => None,
            (false, true) => Some(Served::Local),
            (true, true) if is_local_equal && self.last_served == Served::InTransit => {
                Some(Served::Local)
            }
            (true, _) => Some(Served::InTransit),
        }
    }

    /// Counts the packets in the local queue, or in queue pairs.
    fn queued(&self) -> usize {
        self.local.len() + self.pairs.as_ref().map_or(0, QueuePairs::waiting)
    }

    /// Counts the local packets that may be taken.
    pub(super) fn local_length(&self, now: u64) -> usize {
        let again = self.retransmissions.iter();
        let due = again.take_while(|again| again.due_cycle <= now);
        due.count() + self.queued()
    }

    /// A packet that was lost is to be sent again.
    pub(super) fn try_again(&mut self, again: Again) {
        let others = &self.retransmissions;
        let place = others.partition_point(|other| other.due_cycle <= again.due_cycle);
        self.retransmissions.insert(place, again);
    }

    /// Takes the first local packet.
    pub(super) fn take_local(&mut self, now: u64) -> Again {
        let again = self.retransmissions.front();
        if let Some(&again) = again.filter(|again| again.due_cycle <= now) {
            self.retransmissions.pop_front();
            return again;
        }
        let first = match &mut self.pairs {
            None => self.local.pop_front(),
            Some(pairs) => pairs.next(|_| true).and_then(|name| {
                let taken = pairs.take(name);
                let bytes = taken.map_or(0, |(_, packet)| packet.payload_bytes);
                pairs.sent(name, bytes.into());
                taken
            }),
        };
        let Some((sequence, packet)) = first else {
            unreachable!("a local packet may be taken")
        };
        Again {
            due_cycle: now,
            sequence,
            packet,
            tries: 0,
        }
    }

    /// Adds a flit to the in-transit packet that is being received: the last to have joined
    /// the queue, unless the NIC sends it already.
    pub(super) fn receive_in_transit(&mut self, flit: Flit) {
        let is_its = |packet: &&mut Outgoing| packet.attempt == flit.attempt;
        let waiting = self.in_transit.back_mut().filter(is_its);
        // Invariant: a packet stays in the queue, or is sent, until its last flit has arrived.
        let packet = waiting.or_else(|| self.sending.as_mut().filter(is_its));
        let packet = packet.unwrap_or_else(|| unreachable!("its mark came first"));
        self.held_flits += u64::from(packet.place == Place::Pool);
        packet.flits.push_back(flit);
        if flit.is_last() {
            self.receiving = Receiving::Nothing;
        }
    }

    /// The next flit of the packet being sent, if it is here, and where it lay.
    pub(super) fn next_flit(&mut self) -> Option<(Place, Flit)> {
        let packet = self.sending.as_mut()?;
        let (place, flit) = (packet.place, packet.flits.pop_front()?);
        self.held_flits -= u64::from(place == Place::Pool);
        Some((place, flit))
    }

    pub(super) fn digest(&self, digest: &mut Digest) {
        digest.add([
            self.retransmissions.len(),
            self.in_transit.len(),
            self.queued(),
        ]);
        digest.add(self.sending.as_ref().map(|packet| packet.attempt));
        digest.add([self.held_flits, self.next_sequence]);
        digest.add([self.receiving as u8, self.last_served as u8]);
    }

    /// What the passing of time alone brings about.
    pub(super) fn find_due(&self, due: &mut Due) {
        due.any(&self.upcoming, |packet| packet.generation_cycle);
        due.any(&self.retransmissions, |again| again.due_cycle);
        due.any(&self.in_transit, |packet| packet.ready_cycle);
    }

    /// Counts the pool's occupancy at the end of a cycle.
    pub(super) fn account(&mut self) {
        self.pool_use.occupancy_flit_cycles += self.held_flits;
        let held_flits = narrow(self.held_flits, "the pool holds at most `pool_flits`");
        self.pool_use.max_flits = self.pool_use.max_flits.max(held_flits);
    }
}
