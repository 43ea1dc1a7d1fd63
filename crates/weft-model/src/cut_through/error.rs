//! What can be wrong with the cut-through model, or with what it is to carry.

/// Parameters of the cut-through model contradict one another, or a packet does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CutThroughError {
    /// Lanes for control begin where there is no lane.
    #[error(
        "lanes for control begin at lane {found}, but channels have {lanes} lanes; expected fewer"
    )]
    ControlLanes {
        /// The first lane for control.
        found: u8,
        /// Lanes of a channel.
        lanes: u8,
    },
    /// A channel has no lane, or too many.
    #[error("channels have {found} lanes; expected 1 to {maximum}")]
    Lanes {
        /// Lanes given.
        found: u8,
        /// The most there can be.
        maximum: u8,
    },
    /// Nothing can arrive.
    #[error("input buffers hold nothing; expected at least 1 flit")]
    NoInputBuffer,
    /// Packets or flits would be empty.
    #[error("flits or packets are empty; expected at least 1 byte a flit and 1 flit a packet")]
    NoFlit,
    /// A channel takes no time.
    #[error(
        "a channel takes {cycles_per_flit} cycles for a flit and {flight_cycles} of flight; expected \
         at least 1 each"
    )]
    NoTime {
        /// Cycles per flit given.
        cycles_per_flit: u32,
        /// Cycles of flight given.
        flight_cycles: u32,
    },
    /// The crossbar could not feed a link without gaps.
    #[error(
        "the crossbar takes {crossbar} cycles for a flit, a channel {cycles_per_flit}; expected at \
         least 1 and no more than the channel"
    )]
    Crossbar {
        /// Cycles of the crossbar.
        crossbar: u32,
        /// Cycles of the channel.
        cycles_per_flit: u32,
    },
    /// A threshold is out of order.
    #[error("go below {go} and stop above {stop} flits; expected 1 ≤ go ≤ stop + 1")]
    Thresholds {
        /// Go threshold in flits.
        go: u32,
        /// Stop threshold in flits.
        stop: u32,
    },
    /// An input buffer overflows before a stop can act.
    #[error(
        "input buffers hold {found} flits; at the end of a channel with {flight} cycles of flight and \
         {cycles_per_flit} for a flit they need at least {minimum} to stop it in time"
    )]
    BufferTooSmall {
        /// Buffer given, in flits.
        found: u32,
        /// The smallest buffer that holds the worst occupancy, in flits.
        minimum: u64,
        /// Flight time in cycles.
        flight: u32,
        /// Cycles of a flit.
        cycles_per_flit: u32,
    },
    /// A packet's payload is beyond the largest.
    #[error("a packet carries {found} bytes; the hardware allows at most {maximum}")]
    PayloadTooLarge {
        /// Payload in bytes.
        found: u32,
        /// Largest payload in bytes.
        maximum: u32,
    },
    /// A buffer cannot hold a packet whole.
    #[error(
        "a packet of {payload_bytes} bytes has {flits} flits, more than the {held} an {buffer} buffer \
         holds; cut-through needs room for it whole: take smaller packets or larger buffers"
    )]
    PacketTooLarge {
        /// Payload in bytes.
        payload_bytes: u32,
        /// Length in flits.
        flits: u32,
        /// "input" or "output".
        buffer: &'static str,
        /// Flits the buffer holds.
        held: u32,
    },
    /// A number of cycles or flits beyond all hardware.
    #[error("{parameter} is {found}; expected at most {maximum}")]
    TooLarge {
        /// What the number is.
        parameter: &'static str,
        /// Number given.
        found: u32,
        /// Largest number.
        maximum: u32,
    },
}
