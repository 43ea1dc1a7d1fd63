//! Tables of what is left of a fabric, on the fabric that it is a part of.

use crate::form::{ForwardingTables, Lane, LaneTables, PairGranularity, TooManyLanes};
use std::collections::BTreeMap;
use std::num::NonZeroU8;
use weft_fabric::{Fabric, SwitchId, narrow};

/// Tables are not of a part of the fabric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages tell what fields are")]
pub enum LiftError {
    /// A switch or host is not there.
    #[error(
        "tables are for a fabric with {what} “{name}”, which the whole does not have; expected one that is a part \
         of it, with the same names"
    )]
    NotAPart { what: &'static str, name: String },
    /// A destination has another number of addresses.
    #[error(
        "“{name}” has {found} addresses in one of the tables and {expected} in the first; make all with as many \
         addresses for each destination"
    )]
    Addresses {
        name: String,
        found: usize,
        expected: usize,
    },
    /// Destinations are hosts here and switches there.
    #[error(
        "some of the tables have entries per host, others per switch; make all of them alike (“per=host”)"
    )]
    Granularity,
    /// Packets of a pair alternate over too many lanes.
    #[error(transparent)]
    Lanes(#[from] TooManyLanes),
}

impl ForwardingTables {
    /// The tables of `part` on the `whole` that it is left of, switches and hosts being known by their names: what
    /// the switches that are left hold. Others hold nothing, and nobody has a way to hosts that are gone. Addresses
    /// are those of `like`, tables of the whole.
    ///
    /// # Errors
    /// [`LiftError`] where that is no part of it, or addresses differ.
    pub fn lifted(&self, part: &Fabric, whole: &Fabric, like: &Self) -> Result<Self, LiftError> {
        if self.granularity() != like.granularity() {
            return Err(LiftError::Granularity);
        }
        let switches = by_name(
            "switch",
            whole.switch_ids().map(|id| whole.switch(id).name.as_str()),
            part.switch_ids().map(|id| part.switch(id).name.as_str()),
        )?;
        let endpoints = match self.granularity() {
            PairGranularity::Switch => switches.clone(),
            PairGranularity::Host => by_name(
                "host",
                whole.host_ids().map(|id| whole.host(id).name.as_str()),
                part.host_ids().map(|id| part.host(id).name.as_str()),
            )?,
        };
        let counts = (0..like.endpoint_count()).map(|to| like.addresses(to).len());
        let counts: Vec<u8> = counts
            .map(|count| narrow(count, "a destination has at most 128 addresses"))
            .collect();
        let mut lifted = Self::new(like.granularity(), whole.switch_count(), &counts);
        for (to, &was) in endpoints.iter().enumerate() {
            let (here, there) = (self.addresses(to), lifted.addresses(was));
            if here.len() != there.len() && !here.is_empty() {
                return Err(LiftError::Addresses {
                    name: self.granularity().endpoint_name(part, to).to_owned(),
                    found: here.len(),
                    expected: there.len(),
                });
            }
            for (address, was_address) in here.zip(there) {
                for (switch, &was_switch) in part.switch_ids().zip(&switches) {
                    if let Some(port) = self.next_port(switch, address) {
                        lifted.set_next_port(SwitchId::from_index(was_switch), was_address, port);
                    }
                }
            }
        }
        let count = like.endpoint_count();
        let mut lanes = vec![Lane::ZERO; count * count];
        let mut aliases = vec![0; count * count];
        for (from, &was_from) in endpoints.iter().enumerate() {
            for (to, &was_to) in endpoints.iter().enumerate() {
                let pair = was_from * count + was_to;
                lanes[pair] = self.lane(from, to);
                let address = self.address(from, to);
                let alias = address.map_or(0, |address| address - self.addresses(to).start);
                aliases[pair] = narrow(alias, "a destination has at most 128 addresses");
            }
        }
        lifted.set_lanes(lanes);
        if like.most_addresses() > 1 {
            lifted.set_aliases(aliases);
        }
        if let Some(turns) = NonZeroU8::new(self.turns()) {
            lifted.alternate(turns)?;
        }
        if let Some(lanes) = self.lane_tables() {
            let mut tables = LaneTables::new(whole, lanes.key());
            tables.set_host(*lanes.host());
            for (switch, &was) in part.switch_ids().zip(&switches) {
                for &input in part.outgoing(switch) {
                    for &output in part.outgoing(switch) {
                        let ports = [input, output].map(|channel| part.source(channel).port);
                        let row = *lanes.row(switch, ports);
                        tables.set(whole, SwitchId::from_index(was), ports, row);
                    }
                }
            }
            lifted.set_lane_tables(tables);
        }
        Ok(lifted)
    }
}

/// The place among `whole` of each of `part`, by name.
pub(super) fn by_name<'a>(
    what: &'static str,
    whole: impl Iterator<Item = &'a str>,
    part: impl Iterator<Item = &'a str>,
) -> Result<Vec<usize>, LiftError> {
    let places: BTreeMap<&str, usize> = whole.enumerate().map(|(at, name)| (name, at)).collect();
    let place = |name: &str| {
        let name = name.to_owned();
        let found = places.get(name.as_str()).copied();
        found.ok_or(LiftError::NotAPart { what, name })
    };
    part.map(place).collect()
}
