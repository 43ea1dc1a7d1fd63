//! Cables that one end alone tells of.

use super::missing::Search;
use crate::PortNumber;

impl Search<'_, '_> {
    /// A cable is missing where a dark port should lead to a switch that has none to this one, if either has fewer links than
    /// its kind or this one's does not agree: the twins of the other are too few to tell the same of its ports.
    pub(super) fn by_one_end(&mut self) {
        for switch in self.fabric.switch_ids() {
            let dark: Vec<PortNumber> = self.pattern.dark(switch).collect();
            for port in dark {
                let Some(there) = self.pattern.told((switch, port)) else {
                    continue;
                };
                let is_joined = self.pattern.near.links(switch, there) > 0;
                // Where its kind does not agree, or the other's has lost as many, a number of links says nothing.
                let is_short =
                    self.lack(there).is_some_and(|lack| lack > 0) || self.lack(switch) != Some(0);
                let are_poor = self.is_poor(switch) && is_short && !is_joined;
                let is_meant = are_poor && self.is_meant(switch, there);
                if is_meant && self.is_free((switch, port)) && !self.are_spines([switch, there]) {
                    let back = self.lacked(there);
                    if !back.is_empty() {
                        self.take([switch, there], [vec![port], back]);
                    }
                }
            }
        }
    }
}
