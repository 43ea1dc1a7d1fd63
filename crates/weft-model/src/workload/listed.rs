//! Packets listed one by one: tests, and small experiments by hand.

use super::Packet;
use weft_fabric::HostId;

/// A list of packets is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// A host outside the fabric.
    #[error("packet {index} names host {host}; the fabric has hosts 0 to {last}")]
    UnknownHost {
        /// Position in the list, from 0.
        index: usize,
        /// Host named.
        host: u32,
        /// Highest host there is.
        last: u32,
    },
    /// A packet to its own source.
    #[error("packet {index} goes from host {host} to itself; expected another destination")]
    ToItself {
        /// Position in the list, from 0.
        index: usize,
        /// Host named.
        host: u32,
    },
}

/// Packets listed one by one.
#[derive(Clone, Debug)]
pub struct PacketList {
    /// Per host: its packets by generation cycle.
    packets: Vec<Vec<Packet>>,
}

/// The position of one host in its list.
#[derive(Clone, Debug)]
pub struct ListedStream {
    host: HostId,
    next_index: usize,
}

impl ListedStream {
    pub(super) fn new(host: HostId) -> Self {
        Self {
            host,
            next_index: 0,
        }
    }
}

impl PacketList {
    /// Sorts packets (source, packet) into one list per host, by generation cycle; packets of
    /// one host and cycle keep their order.
    ///
    /// # Errors
    /// [`ListError`] names the first packet with an unknown host or with its source as destination.
    pub fn new(host_count: usize, packets: &[(HostId, Packet)]) -> Result<Self, ListError> {
        let mut lists = vec![Vec::new(); host_count];
        for (index, &(source, packet)) in packets.iter().enumerate() {
            for host in [source, packet.destination] {
                if host.index() >= host_count {
                    let last = HostId::from_index(host_count.saturating_sub(1)).number();
                    return Err(ListError::UnknownHost {
                        index,
                        host: host.number(),
                        last,
                    });
                }
            }
            if source == packet.destination {
                return Err(ListError::ToItself {
                    index,
                    host: source.number(),
                });
            }
            lists[source.index()].push(packet);
        }
        for list in &mut lists {
            list.sort_by_key(|packet: &Packet| packet.generation_cycle);
        }
        Ok(Self { packets: lists })
    }

    pub(super) fn most_payload_bytes(&self) -> u32 {
        let packets = self.packets.iter().flatten();
        packets
            .map(|packet| packet.payload_bytes)
            .max()
            .unwrap_or(0)
    }

    pub(super) fn next_packet(&self, stream: &mut ListedStream) -> Option<Packet> {
        let packet = self.packets[stream.host.index()]
            .get(stream.next_index)
            .copied();
        stream.next_index += usize::from(packet.is_some());
        packet
    }
}
