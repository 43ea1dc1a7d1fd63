//! What is of note of groups, on a tree where each kind is planted.

use weft_fabric::generate::xgft;
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId};
use weft_proof::{GroupFindings, GroupOf, group_findings};
use weft_routing::algorithms::route_adaptive_spec;
use weft_routing::{AdaptiveRoutes, GroupTables, LidState, PortGroup, Subgroup};
use weft_testing::port_to;

/// Three leaves of two hosts below two spines.
fn tree() -> (Fabric, GroupTables) {
    let tree = xgft(&[2, 3], &[1, 2]).unwrap();
    let routing = route_adaptive_spec(&tree, "ar_ftree").unwrap();
    let AdaptiveRoutes::Groups(tables) = routing.routes else {
        panic!("its switches choose among groups")
    };
    (tree, tables)
}

fn found(tree: &Fabric, tables: &GroupTables) -> GroupFindings {
    group_findings(tree, tables, 0).unwrap()
}

fn group_of(ports: &[PortNumber]) -> PortGroup {
    PortGroup::new(vec![Subgroup {
        ports: ports.to_vec(),
        weight: 0,
    }])
}

fn leaves(tree: &Fabric) -> Vec<SwitchId> {
    tree.switches_with_hosts().collect()
}

#[test]
fn a_whole_tree_has_a_choice_up_and_one_way_down() {
    let (tree, tables) = tree();
    let found = found(&tree, &tables);
    // Three leaves to four hosts elsewhere, two spines to six.
    assert_eq!((found.free_entries, found.static_entries), (12, 12));
    assert_eq!(
        (found.hashed_entries, found.switches_without_choice),
        (0, 2)
    );
    assert_eq!((found.lone.count, found.farther.count), (12, 0));
    let spine = tree
        .switch_ids()
        .find(|&switch| tree.hosts_of(switch).is_empty());
    let first = found.lone.first.unwrap();
    assert_eq!(
        (Some(first.switch), first.destination),
        (spine, HostId::new(0))
    );
    assert_eq!(
        (
            found.mixed.count,
            found.unequal.count,
            found.without_group.count
        ),
        (0, 0, 0)
    );
}

#[test]
fn levels_that_may_not_choose_find_none() {
    let (tree, mut tables) = tree();
    for leaf in leaves(&tree) {
        tables.switch_mut(leaf).adaptive_levels = 0b10;
    }
    let found = found(&tree, &tables);
    assert_eq!((found.free_entries, found.switches_without_choice), (0, 5));
    assert_eq!(found.without_group.count, 0);
}

#[test]
fn ports_that_lead_no_nearer_and_groups_of_both_ways_are_named() {
    let (tree, mut tables) = tree();
    let [one, other, _] = leaves(&tree)[..] else {
        panic!("three leaves")
    };
    let spine = tree
        .switch_ids()
        .find(|&switch| tree.hosts_of(switch).is_empty())
        .unwrap();
    let to = |leaf: SwitchId| port_to(&tree, spine.index(), leaf.index());
    // The spine sends to the first leaf's hosts by way of the second as well: as far as before.
    let own = tables.switch_mut(spine);
    own.adaptive_levels = u16::MAX;
    own.groups.push(group_of(&[to(one), to(other)]));
    let number = u16::try_from(own.groups.len()).unwrap() - 1;
    let host = tree.hosts_of(one)[0];
    let mut entry = tables.switch(spine).entries(0)[host.index()];
    (entry.state, entry.group) = (LidState::Hashed, number);
    tables.set_entry(spine, 0, host.index(), entry);
    let found = found(&tree, &tables);
    assert_eq!(
        (
            found.hashed_entries,
            found.static_entries,
            found.farther.count
        ),
        (1, 11, 1)
    );
    let first = found.farther.first.unwrap();
    assert_eq!(
        (first.switch, first.destination, first.port),
        (spine, host, to(other))
    );
    // Both ports lead down.
    assert_eq!(found.mixed.count, 0);
}

#[test]
fn a_group_up_and_down_is_mixed() {
    let tree = xgft(&[2, 2, 2], &[1, 1, 2]).unwrap();
    let routing = route_adaptive_spec(&tree, "ar_ftree").unwrap();
    let AdaptiveRoutes::Groups(mut tables) = routing.routes else {
        panic!("its switches choose among groups")
    };
    let is_middle = |switch: &SwitchId| {
        tree.hosts_of(*switch).is_empty() && !tables.switch(*switch).groups.is_empty()
    };
    let middle = tree.switch_ids().find(is_middle).unwrap();
    let up = tables.switch(middle).groups[0].ports().to_vec();
    let down = tree
        .hops(middle)
        .iter()
        .map(|hop| hop.port)
        .find(|port| !up.contains(port));
    tables.switch_mut(middle).groups[0] = group_of(&[up[0], down.unwrap()]);
    let found = found(&tree, &tables);
    let group = GroupOf {
        switch: middle,
        group: 0,
    };
    assert_eq!((found.mixed.count, found.mixed.first), (1, Some(group)));
}

#[test]
fn addresses_that_are_told_to_choose_from_nothing_are_named() {
    let (tree, mut tables) = tree();
    let leaf = leaves(&tree)[0];
    tables.switch_mut(leaf).groups.push(group_of(&[]));
    let empty = u16::try_from(tables.switch(leaf).groups.len()).unwrap() - 1;
    let host = tree.hosts_of(leaves(&tree)[1])[0];
    let mut entry = tables.switch(leaf).entries(0)[host.index()];
    entry.group = empty;
    tables.set_entry(leaf, 0, host.index(), entry);
    let found = found(&tree, &tables);
    assert_eq!((found.without_group.count, found.lone.count), (1, 13));
    assert_eq!(found.without_group.first.unwrap().destination, host);
}
