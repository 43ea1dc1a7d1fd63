//! How ports are numbered.

use crate::Fabric;

/// By how much the numbers of ports differ at least: the largest number that divides the distances between all that are
/// wired.
pub(super) fn numbering(fabric: &Fabric) -> usize {
    let to_switches = fabric
        .switch_ids()
        .flat_map(|id| fabric.hops(id))
        .map(|hop| hop.port);
    let to_hosts = fabric.host_ids().map(|host| fabric.host_port(host));
    let mut common = 0;
    for port in to_switches.chain(to_hosts) {
        let mut left = usize::from(port.number()) - 1;
        while left > 0 {
            (common, left) = (left, common % left);
        }
    }
    common.max(1)
}
