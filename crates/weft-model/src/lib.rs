//! What is simulated, as data: hardware parameters with units and sources, workloads as packets in
//! time. Knows nothing of how it is simulated; engine and oracle share these types and nothing
//! else.

mod arbitration;
pub mod changes;
pub mod cut_through;
mod firmware;
pub mod hardware;
mod loss;
mod packed_numbers;
mod random;
mod record;
pub mod rows;
mod timing;
pub mod workload;
mod wormhole;

pub use arbitration::{Arbitration, random_choice};
pub use changes::{Change, Changes, Retries, UnknownPart};
pub use cut_through::{
    AddressChoice, CutThroughError, CutThroughModel, FlowControl, LaneUse, PacketFormat, Selection,
};
pub use firmware::{EARLY_FLITS, Firmware, NicModel};
pub use loss::{LossCause, LossRecord};
pub use record::{ChannelUse, PacketRecord, PoolUse};
pub use timing::{
    ChannelTiming, ChannelTimings, Clock, ClockError, LinkDefaults, MAX_DIVISOR, MAX_RATE_ERROR,
    PortDelays,
};
pub use wormhole::{Overflow, WormholeError, WormholeModel};
