//! Failures: a fabric without some of its links, switches and hosts, and the record of what failed.
//!
//! What is left keeps its names and ports. Parts are named, or drawn as a share of all; under one
//! seed the parts drawn for a smaller share are among those drawn for a larger one.

mod chosen;
mod error;

pub use chosen::{Chosen, FailingPart, Share, port_named, switch_named};
pub use error::DegradeError;

use crate::metrics::connected_parts;
use crate::{Fabric, FabricBuilder, HostId, Layout, LinkId, Node, SwitchId};
use chosen::Kind;

/// What is to fail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// Links: named by a switch's name and port, as `leaf01:17`, or a share of the links between
    /// switches.
    pub links: Chosen,
    /// Switches: named, or a share of all.
    pub switches: Chosen,
    /// Hosts: named, or a share of all.
    pub hosts: Chosen,
    /// Selects which parts a share means.
    pub seed: u64,
    /// Which parts of what is left are kept.
    pub keep: Keep,
}

/// What becomes of a fabric that falls into parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// All parts stay; routing refuses a fabric with hosts in several.
    #[default]
    AllParts,
    /// The part with most hosts stays; of equals the one with most switches, then the first.
    LargestPart,
}

/// A fabric after failures. All ids are those of the fabric as it was, in ascending order.
#[derive(Clone, Debug, PartialEq)]
pub struct Degraded {
    /// What is left.
    pub fabric: Fabric,
    /// Links that were to fail; those of failed switches and hosts are not listed.
    pub failed_links: Vec<LinkId>,
    /// Switches that were to fail.
    pub failed_switches: Vec<SwitchId>,
    /// Hosts that were to fail.
    pub failed_hosts: Vec<HostId>,
    /// Other hosts that went because their link or switch failed.
    pub cut_off_hosts: Vec<HostId>,
    /// Sound switches that were not kept because they lie outside the largest part.
    pub left_out_switches: Vec<SwitchId>,
    /// The hosts of these.
    pub left_out_hosts: Vec<HostId>,
}

/// Which parts of a fabric are left, by id.
#[derive(Clone, Debug)]
struct Left {
    switches: Vec<bool>,
    hosts: Vec<bool>,
    links: Vec<bool>,
}

impl Left {
    /// Takes away every link that has lost an end, and every host that has lost its link.
    fn settle(&mut self, fabric: &Fabric) {
        for link in fabric.link_ids() {
            let stands = fabric.link(link).ends.iter().all(|end| match end.node {
                Node::Switch(switch) => self.switches[switch.index()],
                Node::Host(host) => self.hosts[host.index()],
            });
            self.links[link.index()] &= stands;
        }
        for host in fabric.host_ids() {
            let link = fabric.injection_channel(host).link();
            self.hosts[host.index()] &= self.links[link.index()];
        }
    }

    /// Builds what is left, with names and ports as they were.
    fn build(&self, fabric: &Fabric, name: String) -> Result<Fabric, DegradeError> {
        let mut builder = FabricBuilder::new(name);
        if self.switches.iter().all(|&left| left) {
            builder.set_layout(fabric.layout().clone());
        } else {
            // A grid with holes is no grid any more.
            builder.set_layout(Layout::Unstructured);
        }
        let mut switches = vec![None; fabric.switch_count()];
        for id in fabric.switch_ids().filter(|id| self.switches[id.index()]) {
            switches[id.index()] = Some(builder.add_switch(fabric.switch(id).clone())?);
        }
        let mut hosts = vec![None; fabric.host_count()];
        for id in fabric.host_ids().filter(|id| self.hosts[id.index()]) {
            hosts[id.index()] = Some(builder.add_host(fabric.host(id).clone())?);
        }
        for id in fabric.link_ids().filter(|id| self.links[id.index()]) {
            let link = fabric.link(id);
            let [Some(a), Some(b)] = link.ends.map(|end| match end.node {
                Node::Switch(switch) => switches[switch.index()].map(Node::Switch),
                Node::Host(host) => hosts[host.index()].map(Node::Host),
            }) else {
                // Invariant: a link that is left has both its ends, see `settle`.
                continue;
            };
            let [mut first, mut second] = link.ends;
            (first.node, second.node) = (a, b);
            builder.add_link(first, second, link.cable)?;
        }
        Ok(builder.build()?)
    }
}

/// Takes the chosen links, switches and hosts away, and with them what cannot stand without:
/// the links of a switch, and hosts whose link or switch went.
///
/// The result is named after the fabric and what failed. Ids are given anew in the old order.
///
/// # Errors
/// [`DegradeError::UnknownName`] with the nearest name, [`DegradeError::NotAPort`],
/// [`DegradeError::UnwiredPort`], and [`DegradeError::NothingLeft`] when no switch is left.
///
/// # Determinism
/// Depends on the fabric and the failures alone. A share draws from all parts of its kind by the
/// seed, so a larger share under the same seed fails a superset.
pub fn degrade(fabric: &Fabric, failures: &Failures) -> Result<Degraded, DegradeError> {
    let seed = failures.seed;
    let failed_switches = failures.switches.switches(fabric, seed)?;
    let failed_hosts = failures.hosts.hosts(fabric, seed)?;
    let failed_links = failures.links.links(fabric, seed)?;
    let mut left = Left {
        switches: vec![true; fabric.switch_count()],
        hosts: vec![true; fabric.host_count()],
        links: vec![true; fabric.link_count()],
    };
    for id in &failed_switches {
        left.switches[id.index()] = false;
    }
    for id in &failed_hosts {
        left.hosts[id.index()] = false;
    }
    for id in &failed_links {
        left.links[id.index()] = false;
    }
    left.settle(fabric);
    if !left.switches.contains(&true) {
        return Err(DegradeError::NothingLeft);
    }
    let cut_off_hosts = gone(fabric.host_ids(), &left.hosts, HostId::index)
        .filter(|host| failed_hosts.binary_search(host).is_err())
        .collect();
    let counts = [
        (Kind::Link, failed_links.len()),
        (Kind::Switch, failed_switches.len()),
        (Kind::Host, failed_hosts.len()),
    ];
    let name = name_without(fabric.name(), counts, failures);
    let mut result = Degraded {
        fabric: left.build(fabric, name.clone())?,
        failed_links,
        failed_switches,
        failed_hosts,
        cut_off_hosts,
        left_out_switches: Vec::new(),
        left_out_hosts: Vec::new(),
    };
    if failures.keep == Keep::LargestPart {
        let before = left.clone();
        keep_largest(&result.fabric, &mut left);
        left.settle(fabric);
        result.left_out_switches = gone(fabric.switch_ids(), &left.switches, SwitchId::index)
            .filter(|id| before.switches[id.index()])
            .collect();
        result.left_out_hosts = gone(fabric.host_ids(), &left.hosts, HostId::index)
            .filter(|id| before.hosts[id.index()])
            .collect();
        if !result.left_out_switches.is_empty() {
            result.fabric = left.build(fabric, name)?;
        }
    }
    Ok(result)
}

/// The ids whose entry is false.
fn gone<'a, Id: 'a + Copy>(
    ids: impl Iterator<Item = Id> + 'a,
    left: &'a [bool],
    index: impl Fn(Id) -> usize + 'a,
) -> impl Iterator<Item = Id> + 'a {
    ids.filter(move |&id| !left[index(id)])
}

/// Takes away all switches outside the largest part of `damaged`, which holds the switches
/// that are left in the old order.
fn keep_largest(damaged: &Fabric, left: &mut Left) {
    let hosts = |part: &[SwitchId]| part.iter().map(|&id| damaged.hosts_of(id).len()).sum();
    let sizes = |part: &Vec<SwitchId>| -> (usize, usize) { (hosts(part), part.len()) };
    // Of equals `max_by_key` takes the last, so the parts come last first.
    let parts = connected_parts(damaged).into_iter().rev();
    let largest = parts.max_by_key(sizes).unwrap_or_default();
    let mut is_kept = vec![false; damaged.switch_count()];
    for id in largest {
        is_kept[id.index()] = true;
    }
    let mut is_kept = is_kept.into_iter();
    for is_left in left.switches.iter_mut().filter(|is_left| **is_left) {
        *is_left = is_kept.next().unwrap_or(false);
    }
}

/// Names what is left: `torus-8x8-without-3-links-seed1`, and as before when all is.
fn name_without(name: &str, counts: [(Kind, usize); 3], failures: &Failures) -> String {
    let texts: Vec<String> = counts
        .into_iter()
        .filter(|&(_, count)| count > 0)
        .map(|(kind, count)| {
            format!(
                "{count}-{}",
                if count == 1 { kind.one() } else { kind.many() }
            )
        })
        .collect();
    if texts.is_empty() {
        return name.to_owned();
    }
    let is_drawn = [&failures.links, &failures.switches, &failures.hosts]
        .iter()
        .any(|chosen| chosen.share.is_some());
    let seed = if is_drawn {
        format!("-seed{}", failures.seed)
    } else {
        String::new()
    };
    format!("{name}-without-{}{seed}", texts.join("-"))
}
