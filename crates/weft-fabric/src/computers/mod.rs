//! Computers with several ends, and the rails that these make.
//!
//! Machines for many accelerators give every computer an adapter for each, and lead the first of all
//! computers to switches of their own, the second to others, and so on: *rails*. Traffic between
//! adapters of the same number stays on its rail, and a cable on another rail than its like is a
//! fault that no count of links shows.
//!
//! Nothing in a fabric says which ends are one computer's but their names.

mod adapter_name;
mod rails;

pub use rails::{OffRail, Rail, Rails, WithoutEnd};

use crate::{Fabric, HostId};
use adapter_name::Adapter;
use std::collections::BTreeMap;

/// A computer with the ends whose names give it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Computer {
    /// Its name.
    pub name: String,
    /// Its compute ends, by ascending adapter and port.
    pub hosts: Vec<HostId>,
    /// Which adapters these are, in the same order.
    adapters: Vec<Adapter>,
}

impl Computer {
    /// One of its adapters for people, as its software counts it: `adapter 1` is called `HCA-1` or
    /// `mlx5_0`.
    ///
    /// # Panics
    /// When it has no such end.
    pub fn describe_adapter(&self, end: usize) -> String {
        self.adapters[end].describe()
    }
}

/// The computers whose names the compute ends of a fabric give, in the order of their names.
///
/// Ends whose names give no computer and no adapter are no part of any, nor are those that claim to be
/// the same adapter of the same computer: several computers have that name.
pub fn computers(fabric: &Fabric) -> Vec<Computer> {
    let mut named: BTreeMap<&str, Vec<(Adapter, HostId)>> = BTreeMap::new();
    for host in fabric.compute_hosts() {
        if let Some((computer, adapter)) = adapter_name::split(&fabric.host(host).name) {
            named.entry(computer).or_default().push((adapter, host));
        }
    }
    let computers = named.into_iter().filter_map(|(name, mut ends)| {
        ends.sort();
        let are_apart = ends.windows(2).all(|two| two[0].0 != two[1].0);
        let (adapters, hosts) = ends.into_iter().unzip();
        let name = name.to_owned();
        are_apart.then_some(Computer {
            name,
            hosts,
            adapters,
        })
    });
    computers.collect()
}
