//! The messaging layer of the hosts in the hardware's clock: how messages become packets, and what
//! that costs.

use super::{Acknowledged, MessagingParameters, ProgramError};
use crate::workload::random::whole;

/// Processor time of a message, in cycles: the nearest whole number to `message + byte · length`, halves
/// up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overhead {
    /// Of any message.
    pub message: f64,
    /// More for each byte.
    pub byte: f64,
    /// More for each packet; unless 0, the processor handles packet by packet.
    pub packet: f64,
}

impl Overhead {
    /// Of a message whose packets the processor does not handle one by one, or a share of that.
    pub(super) fn shared_cycles(self, bytes: u64, share: f64) -> u64 {
        whole(((self.message + self.byte * bytes as f64) * share).round())
    }

    /// Of a packet, the one that begins or ends its message or another.
    pub(super) fn packet_cycles(self, payload_bytes: u64, is_of_message: bool) -> u64 {
        let message = if is_of_message { self.message } else { 0.0 };
        whole((message + self.packet + self.byte * payload_bytes as f64).round())
    }
}

/// The messaging layer in the hardware's clock.
///
/// A time becomes the nearest whole number of cycles, the time of a message as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Messaging {
    /// Bytes of payload a packet carries at most.
    pub packet_bytes: u32,
    /// Whether packets are acknowledged, and waited for.
    pub acknowledged: Acknowledged,
    /// Payload of an acknowledgement.
    pub acknowledgement_bytes: u32,
    /// From the storing of a packet to its acknowledgement.
    pub acknowledge_cycles: u64,
    /// From the last acknowledgement to the next packet.
    pub next_packet_cycles: u64,
    /// Whether every send is over when it is acknowledged.
    pub blocking: bool,
    /// The longest message that the processor writes to the NIC.
    pub pio_bytes: u64,
    /// From the taking of a packet of a longer one to its request for the bus.
    pub push_cycles: u64,
    /// Of the bus, if there is one.
    pub bus_bytes_per_cycle: Option<f64>,
    /// The longest message that is sent unannounced.
    pub eager_bytes: u64,
    /// The length of announcements and calls.
    pub control_bytes: u32,
    /// Processor time of calling for a message, and of sending one that was called for.
    pub control_cycles: u64,
    /// Of sending.
    pub send: Overhead,
    /// Of receiving.
    pub receive: Overhead,
    /// Messages there is room for at their receiver; any number if none.
    pub receive_messages: Option<u64>,
    /// From a refusal until its message is sent again.
    pub resend_cycles: u64,
    /// Bytes that a queue pair sends in its turn; without, there is one queue for all messages.
    pub quantum_bytes: Option<u64>,
    /// Whether control goes first, if there are queue pairs.
    pub control_first: bool,
    /// From the last byte of a message to another rank of the node to its arrival.
    pub inner_cycles: u64,
    /// At which a rank sends to others of its node; in no time if none.
    pub inner_bytes_per_cycle: Option<f64>,
    /// What a message between ranks of a node takes of the overheads.
    pub inner_overhead: f64,
    /// Time of combining a byte in a reduction, in ns of computing.
    pub reduce_byte_ns: f64,
    /// What computing takes.
    pub compute_cycles_per_ns: f64,
}

impl Messaging {
    /// Puts parameters in cycles of a clock.
    ///
    /// # Errors
    /// [`ProgramError::Messaging`] when one is out of range.
    pub fn new(parameters: &MessagingParameters, cycle_ns: f64) -> Result<Self, ProgramError> {
        parameters.check()?;
        let cycles = |ns: f64| whole((ns / cycle_ns).round());
        let rate = |gbit_per_s: f64| (gbit_per_s > 0.0).then(|| gbit_per_s / 8.0 * cycle_ns);
        let overhead = |message: f64, byte: f64, packet: f64| Overhead {
            message: message / cycle_ns,
            byte: byte / cycle_ns,
            packet: packet / cycle_ns,
        };
        Ok(Self {
            packet_bytes: parameters.packet_bytes,
            acknowledged: parameters.acknowledged,
            acknowledgement_bytes: parameters.acknowledgement_bytes,
            acknowledge_cycles: cycles(parameters.acknowledge_ns),
            next_packet_cycles: cycles(parameters.next_packet_ns),
            blocking: parameters.blocking,
            pio_bytes: parameters.pio_bytes,
            push_cycles: cycles(parameters.push_packet_ns),
            bus_bytes_per_cycle: rate(parameters.bus_gbit_per_s),
            eager_bytes: parameters.eager_bytes,
            control_bytes: parameters.control_bytes,
            control_cycles: cycles(parameters.control_ns),
            send: overhead(
                parameters.send_message_ns,
                parameters.send_byte_ns,
                parameters.send_packet_ns,
            ),
            receive: overhead(
                parameters.receive_message_ns,
                parameters.receive_byte_ns,
                parameters.receive_packet_ns,
            ),
            receive_messages: Some(parameters.receive_messages).filter(|&messages| messages > 0),
            resend_cycles: cycles(parameters.resend_ns),
            quantum_bytes: Some(parameters.quantum_bytes).filter(|&bytes| bytes > 0),
            control_first: parameters.control_first,
            inner_cycles: cycles(parameters.inner_ns),
            inner_bytes_per_cycle: rate(parameters.inner_gbit_per_s),
            inner_overhead: parameters.inner_overhead,
            reduce_byte_ns: parameters.reduce_byte_ns,
            compute_cycles_per_ns: parameters.compute_scale / cycle_ns,
        })
    }

    pub(super) fn compute_cycles(&self, ns: f64) -> u64 {
        whole((ns * self.compute_cycles_per_ns).round())
    }

    /// Whether packets of a message of this length are fetched from memory, which takes time.
    pub(super) fn is_fetched(&self, bytes: u64) -> bool {
        bytes > self.pio_bytes && (self.push_cycles > 0 || self.has_bus())
    }

    /// Whether all packets of a message's stage are sent at once, and a host has something to do only when
    /// the last of them is delivered.
    pub fn stores_as_one(&self) -> bool {
        let are_packets_handled = self.send.packet > 0.0 || self.receive.packet > 0.0;
        self.acknowledged == Acknowledged::No
            && self.push_cycles == 0
            && !self.has_bus()
            && !are_packets_handled
    }

    pub(super) fn has_bus(&self) -> bool {
        self.bus_bytes_per_cycle.is_some()
    }

    /// The cycles a packet with so much payload takes to cross the bus: at least one.
    pub(super) fn bus_cycles(&self, payload_bytes: u32) -> u64 {
        self.bus_bytes_per_cycle.map_or(0, |rate| {
            whole((f64::from(payload_bytes) / rate).round()).max(1)
        })
    }

    /// The cycles in which a rank sends so many bytes to another of its node.
    pub(super) fn inner_cycles_of(&self, bytes: u64) -> u64 {
        let rate = self.inner_bytes_per_cycle;
        rate.map_or(0, |rate| whole((bytes as f64 / rate).round()))
    }

    /// The packets a message of this length is split into; an empty one takes one, too.
    pub(super) fn packets(&self, bytes: u64) -> u64 {
        bytes.div_ceil(u64::from(self.packet_bytes)).max(1)
    }

    /// The largest payload of a packet.
    pub(super) fn most_payload_bytes(&self) -> u32 {
        let are_replies = self.acknowledged != Acknowledged::No || self.receive_messages.is_some();
        let reply = if are_replies {
            self.acknowledgement_bytes
        } else {
            0
        };
        // Announcements are messages and split like others.
        self.packet_bytes.max(reply)
    }
}
