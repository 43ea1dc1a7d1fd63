//! What happens in a rehearsal, and the changes of an engine that it comes to.

use crate::RoutedFabric;
use crate::rehearsal_error::RehearsalError;
use std::collections::BTreeMap;
use std::sync::Arc;
use weft_fabric::degrade::{DegradeError, FailingPart, switch_named};
use weft_fabric::{Fabric, PortNumber, SwitchId};
use weft_model::changes::{Change, Changes, Retries};
use weft_routing::{AnyRoutes, ForwardingTables, MappedRoutes, Routes};

/// What happens at a time, in ns from the beginning.
#[derive(Clone, Debug)]
pub struct TimedEvent {
    /// When.
    pub at_ns: f64,
    /// What.
    pub event: Event,
}

/// What happens to parts of a network.
#[derive(Clone, Debug)]
pub enum Event {
    /// A switch, by its name, or a link, by a switch and its port (`leaf01:17`), fails.
    Fails(String),
    /// It works again.
    Returns(String),
    /// Switches get other tables, one after another, or hosts other routes where packets carry these.
    Tables {
        /// Those of this fabric or of what is left of it.
        tables: Arc<RoutedFabric>,
        /// Which switches, in this order; all that are left in the order of the fabric when not given, and then
        /// hosts write headers by the new tables too, once the last switch has them.
        switches: Option<Vec<String>>,
        /// From one switch to the next, in ns.
        each_after_ns: f64,
        /// Whether entries that change are cleared first, in all these switches, one after another.
        clears_first: bool,
    },
    /// Entries of switches are written, those of one switch at once and switch after switch.
    Entries {
        /// Switch and destination by their names, which of the addresses of that, and the port; 0 clears the entry.
        writes: Vec<(String, String, usize, u8)>,
        /// From one switch to the next, in ns.
        each_after_ns: f64,
    },
    /// Hosts write headers by other tables.
    Answers {
        /// Those of this fabric or of what is left of it.
        tables: Arc<RoutedFabric>,
        /// Of packets from the hosts of which switch to which destination, by their names; of all when not given.
        pairs: Option<Vec<(String, String)>>,
    },
}

/// What happens while a network is simulated.
#[derive(Clone, Debug, Default)]
pub struct Happening {
    /// All that happens.
    pub events: Vec<TimedEvent>,
    /// How long a source waits before it sends again what was lost, in ns, and how often it does; without, what is
    /// lost is gone.
    pub retries: Option<(f64, u32)>,
}

impl Happening {
    /// Refuses times that are none, or not before an end, which may be infinite.
    pub(crate) fn check(&self, until_ns: f64) -> Result<(), RehearsalError> {
        for TimedEvent { at_ns, event } in &self.events {
            let is_in = (0.0..until_ns).contains(at_ns);
            let expected = "0 or more, before the end";
            check_time("the time of an event", *at_ns, is_in, expected)?;
            if let &(Event::Tables { each_after_ns, .. } | Event::Entries { each_after_ns, .. }) =
                event
            {
                let is_right = each_after_ns.is_finite() && each_after_ns >= 0.0;
                let what = "the time from one switch to the next";
                check_time(what, each_after_ns, is_right, "0 or more")?;
            }
        }
        if let Some((timeout_ns, _)) = self.retries {
            let is_right = timeout_ns.is_finite() && timeout_ns > 0.0;
            check_time(
                "the timeout of sources",
                timeout_ns,
                is_right,
                "more than 0",
            )?;
        }
        Ok(())
    }

    /// What happens in cycles where switches hold the tables, and the tables there are beside the first.
    pub(crate) fn of_tables(
        &self,
        routed: &RoutedFabric,
        cycle_ns: f64,
    ) -> Result<(Changes, Vec<Routes>), RehearsalError> {
        let (changes, others) = changes_of_tables(&self.events, routed, cycle_ns)?;
        Ok((Changes::new(changes, self.retries(cycle_ns)), others))
    }

    /// What happens in cycles where hosts hold the routes, and the routes there are beside the first.
    pub(crate) fn of_routes(
        &self,
        fabric: &Fabric,
        cycle_ns: f64,
    ) -> Result<(Changes, Vec<MappedRoutes>), RehearsalError> {
        let (changes, others) = changes_of_routes(&self.events, fabric, cycle_ns)?;
        Ok((Changes::new(changes, self.retries(cycle_ns)), others))
    }

    fn retries(&self, cycle_ns: f64) -> Option<Retries> {
        self.retries.map(|(timeout_ns, count)| Retries {
            timeout_cycles: to_cycle(timeout_ns / cycle_ns).max(1),
            count,
        })
    }
}

/// Refuses a time that is not right.
pub(crate) fn check_time(
    what: &'static str,
    found: f64,
    is_right: bool,
    expected: &'static str,
) -> Result<(), RehearsalError> {
    let error = RehearsalError::Time {
        what,
        found,
        expected,
    };
    if is_right { Ok(()) } else { Err(error) }
}

/// A switch, and entries of it by address.
type EntriesOf = (SwitchId, Vec<(u32, PortNumber)>);

/// Changes, each with its cycle.
type Timed = Vec<(u64, Change)>;

/// Events as they follow one another, at one time as listed, each with its place in the list, from 1.
pub(crate) fn in_time(events: &[TimedEvent]) -> Vec<(usize, &TimedEvent)> {
    let mut ordered: Vec<_> = (1..).zip(events).collect();
    ordered.sort_by(|(_, one), (_, other)| one.at_ns.total_cmp(&other.at_ns));
    ordered
}

/// What happens in cycles where switches hold the tables, and the tables there are beside the first.
fn changes_of_tables(
    events: &[TimedEvent],
    routed: &RoutedFabric,
    cycle_ns: f64,
) -> Result<(Timed, Vec<Routes>), RehearsalError> {
    let fabric = routed.fabric();
    let mut others = Others::new(routed);
    let mut changes = Vec::new();
    for (number, TimedEvent { at_ns, event }) in in_time(events) {
        let at = |place: usize, each_after_ns: f64| {
            to_cycle((at_ns + place as f64 * each_after_ns) / cycle_ns)
        };
        match event {
            Event::Fails(part) => changes.push((at(0, 0.0), fails(fabric, part)?)),
            Event::Returns(part) => changes.push((at(0, 0.0), returns(fabric, part)?)),
            Event::Tables {
                tables,
                switches,
                each_after_ns,
                clears_first,
            } => {
                let named = switches.as_ref().map(|names| switches_named(fabric, names));
                let order = named
                    .transpose()?
                    .unwrap_or_else(|| fabric.switch_ids().collect());
                let before = others.last()?.clone();
                let place = others.add(tables)?;
                let mut turn = 0;
                if *clears_first {
                    for &switch in &order {
                        let cycle = at(turn, *each_after_ns);
                        let cleared = differing(&before, others.last()?, switch);
                        changes.extend(cleared.map(|address| {
                            (
                                cycle,
                                Change::SwitchEntry(switch, address, PortNumber::new(0)),
                            )
                        }));
                        turn += 1;
                    }
                }
                for &switch in &order {
                    changes.push((
                        at(turn, *each_after_ns),
                        Change::SwitchTables(switch, place),
                    ));
                    turn += 1;
                }
                if switches.is_none() {
                    others.of_hosts = place;
                    let last = at(turn.saturating_sub(1), *each_after_ns);
                    let hosts = fabric.host_ids();
                    changes.extend(hosts.map(|id| (last, Change::HostTables(id, place))));
                }
            }
            Event::Entries {
                writes,
                each_after_ns,
            } => {
                let written = written(fabric, tables_of(routed)?, writes);
                let written = written.map_err(|error| error.of_event(number))?;
                for (place, (switch, entries)) in written.into_iter().enumerate() {
                    let cycle = at(place, *each_after_ns);
                    let entries = entries.into_iter();
                    changes.extend(entries.map(|(address, port)| {
                        (cycle, Change::SwitchEntry(switch, address, port))
                    }));
                }
            }
            Event::Answers { tables, pairs } => {
                let place = match pairs {
                    Some(pairs) => others.add_levels(tables, pairs)?,
                    None => others.add(tables)?,
                };
                others.of_hosts = place;
                let hosts = fabric.host_ids();
                changes.extend(hosts.map(|id| (at(0, 0.0), Change::HostTables(id, place))));
            }
        }
    }
    Ok((changes, others.tables))
}

/// What happens in cycles where hosts hold the routes, and the routes there are beside the first.
fn changes_of_routes(
    events: &[TimedEvent],
    fabric: &Fabric,
    cycle_ns: f64,
) -> Result<(Timed, Vec<MappedRoutes>), RehearsalError> {
    let mut others = Vec::new();
    let mut changes = Vec::new();
    for (_, TimedEvent { at_ns, event }) in in_time(events) {
        let cycle = to_cycle(at_ns / cycle_ns);
        match event {
            Event::Fails(part) => changes.push((cycle, fails(fabric, part)?)),
            Event::Returns(part) => changes.push((cycle, returns(fabric, part)?)),
            Event::Tables {
                tables,
                switches: None,
                each_after_ns,
                clears_first: false,
            } => {
                let AnyRoutes::Fixed(routes) = tables.routing().routes() else {
                    return Err(RehearsalError::NoRoutes);
                };
                let part = tables.fabric();
                let routes = routes.to_source_routes(part);
                others.push(MappedRoutes::lifted(&routes, part, fabric)?);
                for (place, host) in fabric.host_ids().enumerate() {
                    let at = to_cycle((at_ns + place as f64 * each_after_ns) / cycle_ns);
                    changes.push((at, Change::HostTables(host, others.len())));
                }
            }
            Event::Tables { .. } | Event::Entries { .. } | Event::Answers { .. } => {
                return Err(RehearsalError::HostsHoldRoutes);
            }
        }
    }
    Ok((changes, others))
}

/// The tables there are beside the first.
struct Others<'a> {
    routed: &'a RoutedFabric,
    tables: Vec<Routes>,
    /// Those that hosts write headers by; 0 for the first.
    of_hosts: usize,
}

impl<'a> Others<'a> {
    fn new(routed: &'a RoutedFabric) -> Self {
        Self {
            routed,
            tables: Vec::new(),
            of_hosts: 0,
        }
    }

    /// The last tables, or the first.
    fn last(&self) -> Result<&ForwardingTables, RehearsalError> {
        self.at(self.tables.len())
    }

    fn at(&self, place: usize) -> Result<&ForwardingTables, RehearsalError> {
        match place.checked_sub(1).map(|other| &self.tables[other]) {
            Some(Routes::Tables(other)) => Ok(other),
            _ => tables_of(self.routed),
        }
    }

    /// Adds tables of the fabric, or of what is left of it: their place.
    fn add(&mut self, tables: &RoutedFabric) -> Result<usize, RehearsalError> {
        let lifted = self.lifted(tables)?;
        self.tables.push(lifted.into());
        Ok(self.tables.len())
    }

    fn lifted(&self, tables: &RoutedFabric) -> Result<ForwardingTables, RehearsalError> {
        let like = tables_of(self.routed)?;
        Ok(tables_of(tables)?.lifted(tables.fabric(), self.routed.fabric(), like)?)
    }

    /// Adds those that hosts write headers by, with the levels of other tables for packets from hosts of some switches to
    /// some destinations: their place.
    fn add_levels(
        &mut self,
        tables: &RoutedFabric,
        pairs: &[(String, String)],
    ) -> Result<usize, RehearsalError> {
        let (lifted, fabric) = (self.lifted(tables)?, self.routed.fabric());
        let mut mixed = self.at(self.of_hosts)?.clone();
        let (granularity, count) = (mixed.granularity(), mixed.endpoint_count());
        let mut at_switch: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for from in 0..count {
            let at = fabric.switch(granularity.endpoint_switch(fabric, from));
            at_switch.entry(&at.name).or_default().push(from);
        }
        let destinations = destinations(fabric, &mixed);
        let all = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
        let mut levels: Vec<_> = all.map(|(from, to)| mixed.lane(from, to)).collect();
        for (at, to) in pairs {
            if let (Some(sources), Some(&to)) = (at_switch.get(&**at), destinations.get(&**to)) {
                for &from in sources {
                    levels[from * count + to] = lifted.lane(from, to);
                }
            }
        }
        mixed.set_lanes(levels);
        self.tables.push(mixed.into());
        Ok(self.tables.len())
    }
}

/// The addresses that a switch has other entries for.
fn differing<'a>(
    one: &'a ForwardingTables,
    other: &'a ForwardingTables,
    switch: SwitchId,
) -> impl Iterator<Item = u32> + 'a {
    let entries = one.row(switch).iter().zip(other.row(switch));
    let differing = (0..)
        .zip(entries)
        .filter(|(_, (before, after))| before != after);
    differing.map(|(address, _)| address)
}

/// The destinations of tables, by their names.
fn destinations<'f>(fabric: &'f Fabric, tables: &ForwardingTables) -> BTreeMap<&'f str, usize> {
    let name = |index| (tables.granularity().endpoint_name(fabric, index), index);
    (0..tables.endpoint_count()).map(name).collect()
}

/// Entries by switch, in the order in which switches are first named, with addresses as the tables number them.
fn written(
    fabric: &Fabric,
    tables: &ForwardingTables,
    writes: &[(String, String, usize, u8)],
) -> Result<Vec<EntriesOf>, RehearsalError> {
    let destinations = destinations(fabric, tables);
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut written: Vec<EntriesOf> = Vec::new();
    for (switch, destination, alias, port) in writes {
        let next = written.len();
        let place = *places.entry(switch).or_insert(next);
        if place == next {
            written.push((switch_named(fabric, switch)?, Vec::new()));
        }
        let unknown = || RehearsalError::UnknownAddress {
            destination: destination.clone(),
            alias: *alias,
        };
        let to = *destinations.get(destination.as_str()).ok_or_else(unknown)?;
        let address = tables.addresses(to).nth(*alias).ok_or_else(unknown)?;
        let address = u32::try_from(address).map_err(|_| unknown())?;
        written[place].1.push((address, PortNumber::new(*port)));
    }
    Ok(written)
}

fn switches_named(fabric: &Fabric, names: &[String]) -> Result<Vec<SwitchId>, DegradeError> {
    names
        .iter()
        .map(|name| switch_named(fabric, name))
        .collect()
}

fn fails(fabric: &Fabric, part: &str) -> Result<Change, DegradeError> {
    Ok(match FailingPart::named(fabric, part)? {
        FailingPart::Link(link) => Change::LinkFails(link),
        FailingPart::Switch(switch) => Change::SwitchFails(switch),
    })
}

fn returns(fabric: &Fabric, part: &str) -> Result<Change, DegradeError> {
    Ok(match FailingPart::named(fabric, part)? {
        FailingPart::Link(link) => Change::LinkReturns(link),
        FailingPart::Switch(switch) => Change::SwitchReturns(switch),
    })
}

fn tables_of(routed: &RoutedFabric) -> Result<&ForwardingTables, RehearsalError> {
    match routed.routing().routes() {
        AnyRoutes::Fixed(Routes::Tables(tables)) => Ok(tables),
        _ => Err(RehearsalError::NoTables),
    }
}

/// The whole cycles in a number of them that is not negative.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the nearest there is"
)]
pub(crate) fn to_cycle(cycles: f64) -> u64 {
    // A time that is a multiple of the cycle is not to lose one to rounding.
    (cycles + 1e-6).floor() as u64
}
