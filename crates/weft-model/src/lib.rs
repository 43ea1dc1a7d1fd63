//! What is simulated, as data: hardware parameters with units and sources, workloads as packets in
//! time. Knows nothing of how it is simulated; engine and oracle share these types and nothing
//! else.

pub mod hardware;
mod record;
pub mod workload;
mod wormhole;

pub use record::{ChannelUse, PacketRecord, PoolUse};
pub use wormhole::{Arbitration, Overflow, WormholeError, WormholeModel};
