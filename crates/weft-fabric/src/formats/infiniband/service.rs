//! Which adapters are no compute ends, by what a file says of them.

use super::records::{Device, Records};
use super::wiring::End;
use crate::ServiceReason;
use std::collections::BTreeMap;

/// Descriptions of adapters that no job runs on have one of these: aggregation nodes, which compute
/// reductions inside switches.
const DESCRIPTIONS: [&str; 2] = ["Aggregation Node", "SHARP Aggregation"];

/// The vendor whose switches have adapters inside.
const VENDOR: u32 = 0x2c9;
/// Its devices from here on are switches, or parts of them.
const FIRST_SWITCH_DEVICE: u32 = 0xc738;

/// Ports of such switches: those to the outside, and one more for the adapter inside.
const PORTS_WITH_ONE_INSIDE: [u8; 6] = [37, 41, 65, 81, 129, 145];

/// What says that the host at a port of an adapter is a service end, if anything does.
///
/// `peers`: what is at the other end of the cable at each port.
pub(super) fn reason(
    records: &Records<'_>,
    end: End,
    peers: &BTreeMap<End, End>,
) -> Option<ServiceReason> {
    let node = &records.nodes[end.0];
    let description = node.description.unwrap_or_default();
    if DESCRIPTIONS.iter().any(|known| description.contains(known)) {
        return Some(ServiceReason::Description);
    }
    let is_switch_device =
        |device: Device| device.vendor == VENDOR && device.id >= FIRST_SWITCH_DEVICE;
    let (switch, port) = peers
        .get(&end)
        .map(|&(peer, port)| (&records.nodes[peer], port))?;
    let is_of_its_switch = node.system_image.is_some() && node.system_image == switch.system_image;
    let is_on_inner_port = port == switch.port_count && PORTS_WITH_ONE_INSIDE.contains(&port);
    let is_inside =
        node.device.is_some_and(is_switch_device) || is_of_its_switch || is_on_inner_port;
    is_inside.then_some(ServiceReason::InsideSwitch)
}
