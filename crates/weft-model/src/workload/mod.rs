//! Workloads: what is sent, from where to where, when. Engine and oracle receive the same object.
//!
//! A workload hands out one lazily generated stream of packets per host, so that source queues
//! cost neither memory nor events however long they grow.

mod arrivals;
mod destinations;
mod error;
mod listed;
mod parameters;
mod patterns;
mod random;
mod sizes;
mod traffic;

pub use arrivals::{ARRIVALS, ArrivalProcess, Arrivals};
pub use destinations::Destinations;
pub use error::TrafficError;
pub use listed::{ListError, PacketList};
pub use parameters::{ParameterKind, ParameterSpec};
pub use patterns::{ChosenPattern, PATTERNS, Pattern};
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
}

/// What is sent.
#[derive(Clone, Debug)]
pub enum Workload {
    /// Packets drawn from random streams by a traffic pattern.
    Traffic(Traffic),
    /// Packets listed one by one.
    Listed(PacketList),
}

/// The state of one host's stream of packets; cheap to clone, so that a reader can look ahead.
#[derive(Clone, Debug)]
pub enum HostStream {
    /// A stream of [`Workload::Traffic`].
    Traffic(traffic::TrafficStream),
    /// A stream of [`Workload::Listed`].
    Listed(listed::ListedStream),
}

impl Workload {
    /// This starts the stream of one host.
    pub fn stream(&self, host: HostId) -> HostStream {
        match self {
            Self::Traffic(traffic) => HostStream::Traffic(traffic.stream(host)),
            Self::Listed(_) => HostStream::Listed(listed::ListedStream::new(host)),
        }
    }

    /// This is the seed of everything else that is drawn in a run of this workload; 0 for a list.
    pub fn seed(&self) -> u64 {
        match self {
            Self::Traffic(traffic) => traffic.parameters().seed,
            Self::Listed(_) => 0,
        }
    }

    /// This is the largest payload in bytes that a packet may have; 0 of an empty list.
    pub fn most_payload_bytes(&self) -> u32 {
        match self {
            Self::Traffic(traffic) => {
                let sizes = traffic.parameters().sizes.iter();
                sizes.map(|size| size.payload_bytes).max().unwrap_or(0)
            }
            Self::Listed(list) => list.most_payload_bytes(),
        }
    }

    /// This is the stream's next packet; generation cycles never decrease. `None` when the host
    /// sends no more.
    ///
    /// # Panics
    /// When the stream was started by another kind of workload, a bug of the caller.
    #[inline]
    pub fn next_packet(&self, stream: &mut HostStream) -> Option<Packet> {
        match (self, stream) {
            (Self::Traffic(traffic), HostStream::Traffic(stream)) => traffic.next_packet(stream),
            (Self::Listed(list), HostStream::Listed(stream)) => list.next_packet(stream),
            _ => unreachable!("a stream is read by the workload that started it"),
        }
    }
}
