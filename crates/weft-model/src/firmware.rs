//! What a NIC does between its host and the network: nothing but delays, or what the firmware of a
//! Myrinet NIC, the Myrinet control program (MCP), does.
//!
//! Source: Flich, López, Malumbres, Duato, "Boosting the Performance of Myrinet Networks", §§4 and 6.
//! Four state machines share one processor: SDMA (host memory to NIC), Send (NIC to network), Recv
//! (network to NIC) and RDMA (NIC to host memory). An event handler looks at the status bits and runs
//! the handler of the most urgent event to its end. The NIC has three DMA engines: one each for host,
//! send and receive.
//!
//! # Rules
//! In every cycle, where idle NICs take a packet, each NIC
//!
//! 1. notes what has happened: the fourth flit of a packet, or its last if it has fewer, has arrived
//!    (*early receive*, of firmware that handles packets in transit); its last flit has arrived
//!    undamaged (*received*); the last flit of a packet has left in the cycle before (*sent*); a
//!    transfer of the host's DMA engine is over (*transferred*); and lets a handler that ends now
//!    take effect;
//! 2. starts the next transfer of the host's DMA engine, if that is idle, in the order in which they
//!    were asked for;
//! 3. starts the handler of the most urgent pending event, if its processor is idle. It takes
//!    `dispatch` and its own cost, at least one cycle.
//!
//! The events, the most urgent first, each in the order in which they happened:
//!
//! | event | handler | effect |
//! |---|---|---|
//! | early receive | `early_receive`; of a packet in transit, if none waits and the Send machine is free, `forward` besides | that packet is sent on, else it waits |
//! | sent | `sent` | the Send machine is free |
//! | a packet in transit waits, the Send machine is free | `forward` | it is sent on |
//! | received | `received` | unless it is in transit, a transfer to the host is asked for |
//! | a packet of the host's is here, the Send machine is free | `send` | it is sent |
//! | transferred | `transferred` | to the NIC: the packet is here; to the host: it is delivered |
//! | the host has a packet and a send buffer is free | `doorbell` | a transfer to the NIC is asked for |
//!
//! A handler that sends has the Send machine from its start on, until *sent* has been handled. A send
//! buffer is taken when the doorbell's handler starts and free when *sent* has been handled; the packet
//! is taken from the host's queue then, too, one that is to be sent again before the others. Whether an
//! early receive sends its packet on is decided when its handler starts: one that overflowed to host
//! memory is not sent on at once, but waits for the overflow's delay after its early receive has been
//! handled. One that was dropped raises no event. The mark of a packet in transit counts as a flit.
//!
//! A transfer takes the nearest whole number of cycles above `start + bytes · per_kib / 1024`, and of
//! that `contention` percent more, rounded down, for each other DMA engine that is at work when it
//! starts; at least one cycle in all. The send engine is at work while the NIC has a packet to send, the
//! receive engine from the arrival of a packet's first flit to that of its last, be it dropped or not.

use std::num::NonZeroU32;

/// Flits that must have arrived for an early receive.
pub const EARLY_FLITS: u32 = 4;

/// What a NIC does between its host and the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NicModel {
    /// It takes no time, but for a packet in transit.
    Delays {
        /// Cycles from an in-transit head's arrival to its earliest re-injection.
        in_transit_cycles: u32,
    },
    /// Its processor runs the firmware.
    Firmware(Firmware),
}

/// The firmware of a NIC: what each handler costs its processor, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Firmware {
    /// It handles packets in transit; the original does not, and must not be sent any.
    pub handles_in_transit: bool,
    /// Finding the most urgent event and calling its handler.
    pub dispatch_cycles: u32,
    /// The first flits of a packet are here: reading its type.
    pub early_receive_cycles: u32,
    /// Programming the send DMA for a packet in transit.
    pub forward_cycles: u32,
    /// A packet has left.
    pub sent_cycles: u32,
    /// A packet has arrived.
    pub received_cycles: u32,
    /// Programming the send DMA for a packet of the host's.
    pub send_cycles: u32,
    /// A transfer from or to the host is over.
    pub transferred_cycles: u32,
    /// The host has a packet to send.
    pub doorbell_cycles: u32,
    /// Starting a transfer from or to host memory.
    pub transfer_start_cycles: u32,
    /// Cycles of a transfer for 1,024 bytes.
    pub transfer_cycles_per_kib: u32,
    /// How much longer, in percent, a transfer takes for each other DMA engine, send or receive, that
    /// is at work when it starts: they share the NIC's memory.
    pub contention_percent: u32,
    /// Packets of the host's that the NIC holds at once.
    pub send_buffers: NonZeroU32,
}

impl Firmware {
    /// The time of a transfer of so many bytes, in cycles, at least one, while so many of the
    /// other DMA engines are at work.
    pub fn transfer_cycles(&self, bytes: u32, others: u32) -> u64 {
        let bytes_cycles = u64::from(bytes) * u64::from(self.transfer_cycles_per_kib);
        let alone = u64::from(self.transfer_start_cycles) + bytes_cycles.div_ceil(1024);
        let longer = alone * u64::from(self.contention_percent) * u64::from(others) / 100;
        (alone + longer).max(1)
    }

    /// The time of a handler of this cost, in cycles.
    pub fn handler_cycles(&self, cost: u32) -> u64 {
        (u64::from(self.dispatch_cycles) + u64::from(cost)).max(1)
    }

    /// All costs, by what they are.
    pub(crate) fn costs(&self) -> [(&'static str, u32); 11] {
        [
            ("the dispatch in cycles", self.dispatch_cycles),
            ("early receive in cycles", self.early_receive_cycles),
            ("forward in cycles", self.forward_cycles),
            ("sent in cycles", self.sent_cycles),
            ("received in cycles", self.received_cycles),
            ("send in cycles", self.send_cycles),
            ("transferred in cycles", self.transferred_cycles),
            ("the doorbell in cycles", self.doorbell_cycles),
            ("the transfer's start in cycles", self.transfer_start_cycles),
            ("a transfer's cycles per KiB", self.transfer_cycles_per_kib),
            ("contention in percent", self.contention_percent),
        ]
    }
}
