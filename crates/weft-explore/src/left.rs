//! What is left of a fabric after failures, and what its parts are called by questions.

use crate::error::ExploreError;
use crate::state::Failed;
use crate::whole::Whole;
use std::collections::BTreeMap;
use std::sync::Arc;
use weft_fabric::degrade::{Chosen, Failures, Keep, degrade};
use weft_fabric::{ChannelId, Fabric, HostId, Node, SwitchId};

/// What is left: the part with most hosts, as where failures are taken away by a command. Whatever asks
/// and answers counts the parts of the whole; this maps them.
#[derive(Debug)]
pub(crate) struct Left {
    pub(crate) fabric: Arc<Fabric>,
    /// Whether nothing failed.
    pub(crate) is_whole: bool,
    /// Numbers of the hosts that are not left.
    pub(crate) cut_off: Vec<u32>,
    /// Per switch and host that is left: its number in the whole.
    switches: Vec<u32>,
    hosts: Vec<u32>,
    /// Per host of the whole: what it is here.
    host_here: Vec<Option<HostId>>,
    /// What stands in the files that patterns name.
    pub(crate) pattern_texts: Arc<BTreeMap<String, String>>,
    /// Per channel that is left: its cable and whether it leads forward; `None` of those of hosts.
    cables: Vec<Option<(u32, bool)>>,
    /// Per cable of the whole: its forward channel here.
    forward: Vec<Option<ChannelId>>,
}

impl Left {
    /// Takes parts away.
    ///
    /// # Errors
    /// [`ExploreError::Degrade`] when nothing is left.
    pub(crate) fn new(whole: &Whole, failed: &Failed) -> Result<Self, ExploreError> {
        let before = &whole.fabric;
        if failed.is_nothing() {
            let all = |count: usize| (0..).take(count).collect();
            let switches = all(before.switch_count());
            let hosts = all(before.host_count());
            return Ok(Self::of(whole, Arc::clone(before), switches, hosts));
        }
        let named = |names: Vec<String>| Chosen { names, share: None };
        let links = failed.cables.iter().map(|&cable| {
            let [end, _] = before.link(whole.link(cable)).ends;
            format!("{}:{}", before.node_name(end.node), end.port)
        });
        let switches = failed.switches.iter();
        let switches = switches.map(|&at| before.switch(SwitchId::new(at)).name.clone());
        let degraded = degrade(
            before,
            &Failures {
                links: named(links.collect()),
                switches: named(switches.collect()),
                keep: Keep::LargestPart,
                ..Failures::default()
            },
        )?;
        let gone = [&degraded.failed_switches, &degraded.left_out_switches];
        let switches = others(
            before.switch_count(),
            gone.into_iter().flatten().map(|id| id.number()),
        );
        let gone = [&degraded.cut_off_hosts, &degraded.left_out_hosts];
        let hosts = others(
            before.host_count(),
            gone.into_iter().flatten().map(|id| id.number()),
        );
        Ok(Self::of(whole, degraded.fabric.into(), switches, hosts))
    }

    fn of(whole: &Whole, fabric: Arc<Fabric>, switches: Vec<u32>, hosts: Vec<u32>) -> Self {
        let before = &whole.fabric;
        let mut host_here = vec![None; before.host_count()];
        for (here, &host) in (0..).zip(&hosts) {
            host_here[host as usize] = Some(HostId::new(here));
        }
        let cut_off = (0..).zip(&host_here).filter(|(_, here)| here.is_none());
        let cut_off = cut_off.map(|(host, _)| host).collect();
        let mut forward = vec![None; whole.cable_count()];
        let mut cables = vec![None; fabric.channel_count()];
        for channel in fabric.switch_channels() {
            let end = fabric.source(channel);
            let Node::Switch(at) = end.node else { continue };
            let was = before.outgoing_at(SwitchId::new(switches[at.index()]), end.port);
            let cable = was.and_then(|was| whole.cable_of(was));
            cables[channel.index()] = cable;
            if let Some((cable, true)) = cable {
                forward[cable as usize] = Some(channel);
            }
        }
        Self {
            is_whole: Arc::ptr_eq(before, &fabric),
            fabric,
            pattern_texts: Arc::clone(&whole.pattern_texts),
            cut_off,
            switches,
            hosts,
            host_here,
            cables,
            forward,
        }
    }

    pub(crate) fn switch(&self, here: SwitchId) -> u32 {
        self.switches[here.index()]
    }

    pub(crate) fn host(&self, here: HostId) -> u32 {
        self.hosts[here.index()]
    }

    /// The host with a number of the whole, if it is left.
    pub(crate) fn host_here(&self, host: u32) -> Option<HostId> {
        self.host_here[host as usize]
    }

    /// The cable of a channel and whether it leads forward; `None` of those of hosts.
    pub(crate) fn cable(&self, channel: ChannelId) -> Option<(u32, bool)> {
        self.cables[channel.index()]
    }

    /// The forward channel of a cable, if it is left.
    pub(crate) fn forward(&self, cable: u32) -> Option<ChannelId> {
        self.forward[cable as usize]
    }
}

/// The numbers below `count` that are not among `gone`.
fn others(count: usize, gone: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut is_left = vec![true; count];
    for number in gone {
        is_left[number as usize] = false;
    }
    (0..)
        .zip(is_left)
        .filter(|one| one.1)
        .map(|one| one.0)
        .collect()
}
