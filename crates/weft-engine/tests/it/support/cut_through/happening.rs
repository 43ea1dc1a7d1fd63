//! What happens to a network: links and switches that fail and return at random times, tables that take each
//! other's place switch by switch, some of which lead nowhere or in circles, and sources that send again.

use super::super::compare::Horizon;
use super::super::coverage::Coverage;
use super::super::random::Draws;
use std::fmt;
use weft_fabric::{Fabric, LinkId, PortNumber};
use weft_model::changes::{Change, Changes, Retries};
use weft_routing::{ForwardingTables, Lane, PairGranularity, Routes, algorithms, to_tables};

#[derive(Default)]
pub(crate) struct Happening {
    /// Tables that take the place of the first.
    pub(crate) others: Vec<Routes>,
    pub(crate) changes: Changes,
    /// Addresses that entries may be written for, where there are tables.
    address_count: usize,
    kinds: Vec<&'static str>,
}

impl fmt::Display for Happening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = &self.kinds;
        write!(f, "other tables: {kinds:?}, {:?}", self.changes)
    }
}

impl Happening {
    pub(crate) fn draw(
        draws: &mut Draws,
        fabric: &Fabric,
        first: Option<&ForwardingTables>,
        Horizon { cycles, is_long }: Horizon,
    ) -> Self {
        let mut drawn = Self::default();
        // Packets that go in circles for long would keep the oracle busy for hours.
        if let Some(first) = first
            && !is_long
            && !draws.once_in(4)
        {
            if draws.once_in(2) {
                drawn.address_count = first.address_count();
            }
            for _ in 0..draws.between(1, 3) {
                let (tables, kind) = other_tables(draws, fabric, first);
                drawn.others.push(tables.into());
                drawn.kinds.push(kind);
            }
        }
        let mut changes = Vec::new();
        let most = *draws.choose(&[1, 3, 10, 30]);
        for _ in 0..draws.between(1, most) {
            drawn.add(draws, fabric, cycles, &mut changes);
        }
        let retries = draws.once_in(2).then(|| Retries {
            timeout_cycles: draws.between(1, 2_000),
            count: draws.between_u32(0, 5),
        });
        drawn.changes = Changes::new(changes, retries);
        drawn
    }

    /// A part fails, and mostly returns; or tables reach all switches and hosts one after another.
    fn add(
        &self,
        draws: &mut Draws,
        fabric: &Fabric,
        cycles: u64,
        changes: &mut Vec<(u64, Change)>,
    ) {
        // Often in the first cycle, or in the same cycle as others.
        let cycle = match (changes.last(), draws.between(0, 9)) {
            (Some(&(cycle, _)), 0) => cycle,
            (_, 1) => 0,
            _ => draws.between(0, cycles - 1),
        };
        let longest = *draws.choose(&[0, 5, 100, cycles]);
        let later = (cycle + draws.between(0, longest)).min(cycles - 1);
        let switch = *draws.choose(&fabric.switch_ids().collect::<Vec<_>>());
        let link = LinkId::from_index(draws.index(fabric.link_count()));
        let returns = !draws.once_in(4);
        if self.address_count > 0 && draws.once_in(3) {
            // Single entries, of which some are cleared and others lead anywhere.
            for _ in 0..draws.between(1, 30) {
                let at = draws.between(cycle, later);
                let switch = *draws.choose(&fabric.switch_ids().collect::<Vec<_>>());
                let address = draws.between_u32(0, u32::try_from(self.address_count).unwrap() - 1);
                let outgoing = fabric.outgoing(switch);
                let port = match draws.between(0, 9) {
                    0..3 => PortNumber::new(0),
                    3 => PortNumber::new(200),
                    _ if outgoing.is_empty() => PortNumber::new(1),
                    _ => fabric.source(*draws.choose(outgoing)).port,
                };
                changes.push((at, Change::SwitchEntry(switch, address, port)));
            }
            return;
        }
        match draws.between(0, 9) {
            0..3 => {
                changes.push((cycle, Change::LinkFails(link)));
                changes.extend(returns.then_some((later, Change::LinkReturns(link))));
            }
            3 => {
                changes.push((cycle, Change::SwitchFails(switch)));
                changes.extend(returns.then_some((later, Change::SwitchReturns(switch))));
            }
            _ if self.others.is_empty() => {
                changes.push((cycle, Change::LinkFails(link)));
                changes.push((later, Change::LinkReturns(link)));
            }
            kind => {
                let tables = draws.index(self.others.len() + 1);
                let mut at = || draws.between(cycle, later);
                if kind < 9 {
                    let switches = fabric.switch_ids();
                    changes.extend(switches.map(|id| (at(), Change::SwitchTables(id, tables))));
                }
                if kind > 5 {
                    let hosts = fabric.host_ids();
                    changes.extend(hosts.map(|id| (at(), Change::HostTables(id, tables))));
                }
            }
        }
    }

    pub(crate) fn lane_count(&self) -> u8 {
        let lanes = self.others.iter().map(Routes::lane_count);
        lanes.max().unwrap_or(0)
    }

    pub(crate) fn count(&self, coverage: &mut Coverage) {
        for kind in &self.kinds {
            coverage.count(format!("tables {kind}"), 1);
        }
        let is_entry = |&&(_, change): &&(u64, Change)| matches!(change, Change::SwitchEntry(..));
        let entries = self.changes.by_cycle().iter().filter(is_entry).count();
        coverage.count("entries written by themselves", entries as u64);
        coverage.count_if("sources that send again", self.changes.retries().is_some());
    }
}

/// Tables with the addresses of the first.
fn other_tables(
    draws: &mut Draws,
    fabric: &Fabric,
    first: &ForwardingTables,
) -> (ForwardingTables, &'static str) {
    if draws.once_in(3) {
        let per = match first.granularity() {
            PairGranularity::Host => "host",
            PairGranularity::Switch => "switch",
        };
        let root = draws.index(fabric.switch_count());
        let spec = format!("updown:per={per},root={root}");
        let routing = algorithms::route_spec(fabric, &spec).ok();
        let tables = routing.and_then(|routing| to_tables(fabric, &routing.routes, 0).ok());
        if let Some(tables) = tables.filter(|tables| tables.has_addresses_of(first)) {
            return (tables, "of another routing");
        }
    }
    let mut tables = first.clone();
    let share = *draws.choose(&[2, 5, 20]);
    let (mut cleared, mut changed) = (0, 0);
    for switch in fabric.switch_ids() {
        let ports: Vec<PortNumber> = fabric
            .outgoing(switch)
            .iter()
            .map(|&channel| fabric.source(channel).port)
            .collect();
        for address in 0..tables.address_count() {
            if ports.is_empty() || !draws.once_in(share) {
                continue;
            }
            if draws.once_in(2) {
                tables.set_next_port(switch, address, PortNumber::new(0));
                cleared += 1;
            } else {
                let port = *draws.choose(&ports);
                tables.set_next_port(switch, address, port);
                changed += 1;
            }
        }
    }
    let count = tables.endpoint_count();
    if draws.once_in(4) && tables.lane_tables().is_none() && tables.turns() == 1 {
        let lanes = (0..count * count).map(|_| Lane::new(u8::try_from(draws.index(2)).unwrap()));
        tables.set_lanes(lanes.collect());
        return (tables, "with other lanes");
    }
    (
        tables,
        if cleared > changed {
            "with gaps"
        } else {
            "with turns"
        },
    )
}
