//! Workloads: what is sent, from where to where, when. Engine and oracle receive the same object.
//!
//! A workload hands out one lazily generated stream of packets per host, so that source queues
//! cost neither memory nor events however long they grow. A program, whose packets depend on what
//! was delivered, hands them out through an [`Execution`] instead.

mod arrivals;
mod destinations;
mod error;
mod listed;
mod patterns;
pub mod program;
mod random;
mod rules;
mod sizes;
mod traffic;

pub use arrivals::{ARRIVALS, ArrivalProcess, Arrivals};
pub use destinations::Destinations;
pub use error::TrafficError;
pub use listed::{ListError, PacketList};
pub use patterns::{ChosenPattern, PATTERNS, Pattern, matrix_amounts};
pub use program::{Execution, Program};
pub use sizes::{ShareOf, SizeShare};
pub use traffic::{Traffic, TrafficParameters};

use weft_fabric::HostId;

/// A packet to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Cycle in which it joins its host's queue; it may leave in the same cycle.
    pub generation_cycle: u64,
    /// Host it goes to; never the sending one.
    pub destination: HostId,
    /// Payload in bytes.
    pub payload_bytes: u32,
    /// Whether it is control, such as an acknowledgement, and no data: it travels on the lanes for
    /// control, where hardware has such.
    pub is_control: bool,
    /// Whether it goes ahead of packets that are not urgent, at a host that has queue pairs.
    pub is_urgent: bool,
    /// Which of the queue pairs to its destination it takes, at a host that has such.
    pub queue_pair: u8,
}

/// Packets that a host generates in the same cycle for the same destination, one after another: of one
/// message, all as long but the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Train {
    /// The first of those that are left, and all others but the last, which is the first if it is the
    /// only one.
    pub packet: Packet,
    /// Payload of the last in bytes.
    pub last_payload_bytes: u32,
    /// Packets that are left.
    pub count: u64,
}

impl From<Packet> for Train {
    fn from(packet: Packet) -> Self {
        Self {
            packet,
            last_payload_bytes: packet.payload_bytes,
            count: 1,
        }
    }
}

impl Iterator for Train {
    type Item = Packet;

    #[inline]
    fn next(&mut self) -> Option<Packet> {
        self.count = self.count.checked_sub(1)?;
        if self.count == 0 {
            self.packet.payload_bytes = self.last_payload_bytes;
        }
        Some(self.packet)
    }
}

/// What is sent.
#[derive(Clone, Debug)]
pub enum Workload {
    /// Packets drawn from random streams by a traffic pattern.
    Traffic(Traffic),
    /// Packets listed one by one.
    Listed(PacketList),
    /// Messages that depend on one another. The packets come from an [`Execution`], not from streams.
    Program(Program),
}

/// The state of one host's stream of packets; cheap to clone, so that a reader can look ahead.
#[derive(Clone, Debug)]
pub enum HostStream {
    /// A stream of [`Workload::Traffic`].
    Traffic(traffic::TrafficStream),
    /// A stream of [`Workload::Listed`].
    Listed(listed::ListedStream),
    /// The empty stream of [`Workload::Program`].
    Program,
}

impl Workload {
    /// Starts the stream of one host.
    pub fn stream(&self, host: HostId) -> HostStream {
        match self {
            Self::Traffic(traffic) => HostStream::Traffic(traffic.stream(host)),
            Self::Listed(_) => HostStream::Listed(listed::ListedStream::new(host)),
            Self::Program(_) => HostStream::Program,
        }
    }

    /// The program, if the workload is one.
    pub fn program(&self) -> Option<&Program> {
        match self {
            Self::Program(program) => Some(program),
            _ => None,
        }
    }

    /// The seed of everything else that is drawn in a run of this workload; 0 for a list
    /// and a program.
    pub fn seed(&self) -> u64 {
        match self {
            Self::Traffic(traffic) => traffic.parameters().seed,
            Self::Listed(_) | Self::Program(_) => 0,
        }
    }

    /// The largest payload in bytes that a packet may have; 0 of an empty list.
    pub fn most_payload_bytes(&self) -> u32 {
        match self {
            Self::Traffic(traffic) => {
                let sizes = traffic.parameters().sizes.iter();
                sizes.map(|size| size.payload_bytes).max().unwrap_or(0)
            }
            Self::Listed(list) => list.most_payload_bytes(),
            Self::Program(program) => program.most_payload_bytes(),
        }
    }

    /// The stream's next packet; generation cycles never decrease. `None` when the host
    /// sends no more.
    ///
    /// # Panics
    /// When the stream was started by another kind of workload, a bug of the caller.
    #[inline]
    pub fn next_packet(&self, stream: &mut HostStream) -> Option<Packet> {
        match (self, stream) {
            (Self::Traffic(traffic), HostStream::Traffic(stream)) => traffic.next_packet(stream),
            (Self::Listed(list), HostStream::Listed(stream)) => list.next_packet(stream),
            (Self::Program(_), HostStream::Program) => None,
            _ => unreachable!("a stream is read by the workload that started it"),
        }
    }
}
