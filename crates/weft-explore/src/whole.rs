//! The fabric as it is when nothing failed, and the numbers that questions call its parts by.

use std::collections::BTreeMap;
use std::sync::Arc;
use weft_fabric::{ChannelId, Fabric, LinkId};

/// The whole fabric. Switches and hosts have their numbers; a *cable* is a link between switches,
/// numbered in the order of links, and *forward* is from its first end to its second.
#[derive(Debug)]
pub(crate) struct Whole {
    pub(crate) fabric: Arc<Fabric>,
    cables: Vec<LinkId>,
    /// Per link: its cable, unless it is a host's.
    cable_of: Vec<Option<u32>>,
    /// What stands in the files that patterns name, by the whole text of the pattern.
    pub(crate) pattern_texts: Arc<BTreeMap<String, String>>,
}

impl Whole {
    pub(crate) fn new(fabric: Arc<Fabric>) -> Self {
        let links = fabric.switch_channels().step_by(2).map(ChannelId::link);
        let cables: Vec<LinkId> = links.collect();
        let mut cable_of = vec![None; fabric.link_count()];
        for (cable, link) in (0..).zip(&cables) {
            cable_of[link.index()] = Some(cable);
        }
        Self {
            fabric,
            cables,
            cable_of,
            pattern_texts: Arc::default(),
        }
    }

    pub(crate) fn cable_count(&self) -> usize {
        self.cables.len()
    }

    /// The link of a cable that there is.
    pub(crate) fn link(&self, cable: u32) -> LinkId {
        self.cables[cable as usize]
    }

    /// The cable and direction of a channel; `None` of those of hosts.
    pub(crate) fn cable_of(&self, channel: ChannelId) -> Option<(u32, bool)> {
        let cable = self.cable_of[channel.link().index()]?;
        Some((cable, channel.index() & 1 == 0))
    }
}
