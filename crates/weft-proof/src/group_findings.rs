//! What an operator should know of tables whose switches choose among groups of ports, besides whether they can
//! deadlock.

use crate::error::ProofError;
use rayon::prelude::*;
use weft_fabric::{Fabric, HostId, Node, PortNumber, SwitchId, metrics};
use weft_routing::{GroupTables, LidState};

/// A group of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupOf {
    /// The switch.
    pub switch: SwitchId,
    /// The number of the group.
    pub group: u16,
}

/// A switch's choice for a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryOf {
    /// The switch.
    pub switch: SwitchId,
    /// The host.
    pub destination: HostId,
    /// A port of the choice.
    pub port: PortNumber,
}

/// So many, of which the first is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told<T> {
    /// How many there are.
    pub count: u64,
    /// The first, in order of switches and hosts.
    pub first: Option<T>,
}

/// What was found of the groups of a service level. Entries are of a switch for an address, those at the switch of its
/// host left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupFindings {
    /// Entries by which packets may choose.
    pub free_entries: u64,
    /// Entries by which a hash decides.
    pub hashed_entries: u64,
    /// Entries that lead by one port.
    pub static_entries: u64,
    /// Switches that choose for no packets of the level.
    pub switches_without_choice: u64,
    /// Of the entries that are static: those that are told to choose, but name no group with a port.
    pub without_group: Told<EntryOf>,
    /// Entries with a port that leads to a switch no nearer to the host.
    pub farther: Told<EntryOf>,
    /// Entries with one port alone: if its link fails, packets there have nowhere to go on.
    pub lone: Told<EntryOf>,
    /// Groups that have ports up and ports down; none where the fabric has no levels.
    pub mixed: Told<GroupOf>,
    /// Groups whose links have several rates.
    pub unequal: Told<GroupOf>,
}

impl<T: Copy> Told<T> {
    const NONE: Self = Self {
        count: 0,
        first: None,
    };

    fn note(&mut self, one: T) {
        self.count += 1;
        self.first.get_or_insert(one);
    }

    fn then(&mut self, next: Self) {
        self.count += next.count;
        self.first = self.first.or(next.first);
    }
}

impl GroupFindings {
    const NONE: Self = Self {
        free_entries: 0,
        hashed_entries: 0,
        static_entries: 0,
        switches_without_choice: 0,
        without_group: Told::NONE,
        farther: Told::NONE,
        lone: Told::NONE,
        mixed: Told::NONE,
        unequal: Told::NONE,
    };

    fn then(&mut self, next: &Self) {
        self.free_entries += next.free_entries;
        self.hashed_entries += next.hashed_entries;
        self.static_entries += next.static_entries;
        self.switches_without_choice += next.switches_without_choice;
        self.without_group.then(next.without_group);
        self.farther.then(next.farther);
        self.lone.then(next.lone);
        self.mixed.then(next.mixed);
        self.unequal.then(next.unequal);
    }
}

/// Looks at all groups and entries, in every table of a switch, as packets of a service level use them.
///
/// # Errors
/// [`ProofError`] when the tables are not of this fabric.
///
/// # Complexity
/// Time O(S·(S + E) + S·A·P) for S switches of P ports, E links and A addresses, on all cores.
pub fn group_findings(
    fabric: &Fabric,
    tables: &GroupTables,
    service_level: u8,
) -> Result<GroupFindings, ProofError> {
    ProofError::unless_groups_of(fabric, tables)?;
    let links: Vec<Option<Vec<u32>>> = fabric
        .switch_ids()
        .map(|switch| {
            let has_hosts = !fabric.hosts_of(switch).is_empty();
            has_hosts.then(|| metrics::distances_from(fabric, switch))
        })
        .collect();
    let look = Look {
        fabric,
        tables,
        service_level,
        links,
        levels: metrics::levels(fabric),
    };
    let switches: Vec<SwitchId> = fabric.switch_ids().collect();
    let found: Vec<GroupFindings> = switches.par_iter().map(|&switch| look.at(switch)).collect();
    let mut all = GroupFindings::NONE;
    for one in &found {
        all.then(one);
    }
    Ok(all)
}

struct Look<'a> {
    fabric: &'a Fabric,
    tables: &'a GroupTables,
    service_level: u8,
    /// Per switch with hosts: the links to it from every switch.
    links: Vec<Option<Vec<u32>>>,
    levels: Vec<Option<u32>>,
}

impl Look<'_> {
    fn at(&self, switch: SwitchId) -> GroupFindings {
        let mut found = GroupFindings::NONE;
        let own = self.tables.switch(switch);
        let mut used = vec![false; own.groups.len()];
        for table in (0..=u8::MAX).take(own.table_count()) {
            for destination in self.fabric.host_ids() {
                if self.fabric.host_switch(destination) == switch {
                    continue;
                }
                for address in self.tables.addresses(destination) {
                    self.entry((switch, table), destination, address, &mut found, &mut used);
                }
            }
        }
        found.switches_without_choice = u64::from(found.free_entries + found.hashed_entries == 0);
        for (group, _) in (0..).zip(&used).filter(|(_, used)| **used) {
            self.group(GroupOf { switch, group }, &mut found);
        }
        found
    }

    fn entry(
        &self,
        (switch, table): (SwitchId, u8),
        destination: HostId,
        address: usize,
        found: &mut GroupFindings,
        used: &mut [bool],
    ) {
        let level = self.service_level;
        let choice = self.tables.choice_of_table(switch, table, address, level);
        let Some(&port) = choice.ports.first() else {
            return;
        };
        let named = EntryOf {
            switch,
            destination,
            port,
        };
        let entry = self.tables.switch(switch).entries(table)[address];
        match choice.state {
            LidState::Free => found.free_entries += 1,
            LidState::Hashed => found.hashed_entries += 1,
            LidState::Static => found.static_entries += 1,
        }
        if choice.group.is_some() {
            used[usize::from(entry.group)] = true;
        } else if entry.state != LidState::Static
            && self.tables.switch(switch).adaptive_levels >> level & 1 == 1
        {
            found.without_group.note(named);
        }
        if let [port] = *choice.ports {
            found.lone.note(EntryOf { port, ..named });
        }
        let to = self.fabric.host_switch(destination);
        let links = self.links[to.index()].as_deref().unwrap_or(&[]);
        let is_farther = |port: &&PortNumber| {
            let next = self.next(switch, **port);
            next.is_some_and(|next| links[next.index()] >= links[switch.index()])
        };
        if let Some(&port) = choice.ports.iter().find(is_farther) {
            found.farther.note(EntryOf { port, ..named });
        }
    }

    fn next(&self, switch: SwitchId, port: PortNumber) -> Option<SwitchId> {
        match self
            .fabric
            .target(self.fabric.outgoing_at(switch, port)?)
            .node
        {
            Node::Switch(next) => Some(next),
            Node::Host(_) => None,
        }
    }

    fn group(&self, one: GroupOf, found: &mut GroupFindings) {
        let ports = self.tables.switch(one.switch).groups[usize::from(one.group)].ports();
        let here = self.levels[one.switch.index()];
        let to = ports.iter().filter_map(|&port| self.next(one.switch, port));
        let ways: Vec<_> = to
            .filter_map(|next| Some(self.levels[next.index()]?.cmp(&here?)))
            .collect();
        if ways.iter().any(|way| way.is_gt()) && ways.iter().any(|way| way.is_lt()) {
            found.mixed.note(one);
        }
        let mut rates = ports.iter().filter_map(|&port| {
            let channel = self.fabric.outgoing_at(one.switch, port)?;
            Some(self.fabric.link(channel.link()).cable.rate)
        });
        if let Some(first) = rates.next()
            && rates.any(|rate| rate != first)
        {
            found.unequal.note(one);
        }
    }
}
