//! Groups of leaves and spines whose spines are joined, as in a dragonfly+.

use crate::error::RoutingError;
use weft_fabric::metrics::{self, JoinedGroups};
use weft_fabric::{Fabric, SwitchId};

/// The groups that the switches of a part form, where hosts hang on leaves alone, and within a group leaves are joined
/// with spines alone.
pub(crate) fn joined_groups(
    fabric: &Fabric,
    part: &[SwitchId],
) -> Result<JoinedGroups, RoutingError> {
    let no_groups = |reason| RoutingError::NoJoinedGroups {
        fabric: fabric.name().to_owned(),
        reason,
    };
    let groups = JoinedGroups::of(fabric, &metrics::levels(fabric));
    for &at in part {
        if groups.group(at).is_none() {
            let reason = "no links join the spines of most pairs of groups";
            return Err(no_groups(reason.to_owned()));
        }
        let name = &fabric.switch(at).name;
        if groups.is_spine(at)
            && let Some(&host) = fabric.hosts_of(at).first()
        {
            let host = &fabric.host(host).name;
            let reason = format!("“{host}” hangs on the spine “{name}”");
            return Err(no_groups(reason));
        }
        let mut within = fabric.hops(at).iter();
        let is_within = |to: SwitchId| groups.group(to) == groups.group(at);
        if let Some(hop) = within
            .find(|hop| is_within(hop.switch) && groups.is_spine(hop.switch) == groups.is_spine(at))
        {
            let other = &fabric.switch(hop.switch).name;
            let reason = format!(
                "a link joins “{name}” and “{other}” of one group, neither of which is above the other"
            );
            return Err(no_groups(reason));
        }
    }
    Ok(groups)
}
