//! Sets of ports as ranges of GUIDs.

use super::exported_subnet::Subnet;
use weft_fabric::HostId;

/// All GUIDs of a subnet in order.
pub(super) struct GuidOrder {
    /// Ascending, with the host of each, none for switches.
    guids: Vec<(u64, Option<HostId>)>,
}

/// Ranges in a line.
const PER_LINE: usize = 6;

impl GuidOrder {
    pub(super) fn of(subnet: &Subnet<'_>) -> Self {
        let hosts = subnet.fabric.host_ids().zip(&subnet.host_guids);
        let switches = subnet.switch_guids.iter();
        let mut guids: Vec<(u64, Option<HostId>)> = hosts
            .map(|(host, &guid)| (guid, Some(host)))
            .chain(switches.map(|&guid| (guid, None)))
            .collect();
        guids.sort_unstable();
        Self { guids }
    }

    /// The lines of a port group that hold the hosts of a set and no other port of the
    /// subnet.
    pub(super) fn lines(&self, is_member: impl Fn(HostId) -> bool) -> Vec<String> {
        let mut ranges: Vec<[u64; 2]> = Vec::new();
        let mut is_open = false;
        for &(guid, host) in &self.guids {
            let is_in = host.is_some_and(&is_member);
            match ranges.last_mut() {
                Some(range) if is_in && is_open => range[1] = guid,
                _ if is_in => ranges.push([guid, guid]),
                _ => {}
            }
            is_open = is_in;
        }
        let text = |&[first, last]: &[u64; 2]| {
            if first == last {
                format!("0x{first:016x}")
            } else {
                format!("0x{first:016x}-0x{last:016x}")
            }
        };
        ranges
            .chunks(PER_LINE)
            .map(|line| line.iter().map(text).collect::<Vec<_>>().join(", "))
            .collect()
    }
}
