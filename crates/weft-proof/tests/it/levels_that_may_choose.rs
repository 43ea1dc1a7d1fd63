//! Which service levels may choose, by hand.

use weft_fabric::{Fabric, PortNumber};
use weft_proof::levels_that_may_choose;
use weft_routing::{GroupTables, Lane, LidState};
use weft_testing::{fabric_of, groups_of};

/// Four switches in a ring with a hub that all of them have a link to, a host each but the hub.
fn wheel() -> Fabric {
    let ring = [(0, 1), (1, 2), (2, 3), (3, 0)];
    let spokes = [(0, 4), (1, 4), (2, 4), (3, 4)];
    fabric_of(&[1, 1, 1, 1, 0], &[ring, spokes].concat())
}

/// By the hub where packets may not choose, else round the ring too.
fn hub_or_round(state: LidState) -> GroupTables {
    groups_of(&wheel(), state, |at, to| {
        if at == 4 {
            vec![to]
        } else {
            vec![4, (at + 1) % 4]
        }
    })
}

#[test]
fn all_levels_may_choose_where_a_way_out_stays_open_and_none_where_a_hash_decides() {
    let wheel = wheel();
    let all: Vec<u8> = (0..16).collect();
    let found = levels_that_may_choose(&wheel, &hub_or_round(LidState::Free));
    assert_eq!(found, Ok(Some(all)));
    let found = levels_that_may_choose(&wheel, &hub_or_round(LidState::Hashed));
    assert_eq!(found, Ok(Some(Vec::new())));
}

#[test]
fn levels_whose_tables_hold_a_sound_choice_may_choose_alone() {
    let wheel = wheel();
    let mut tables = hub_or_round(LidState::Hashed);
    let by_hub = groups_of(&wheel, LidState::Hashed, |at, to| {
        vec![if at == 4 { to } else { 4 }]
    });
    // From lane 1 on, which is that of level 1, packets are sent by the hub alone.
    for at in wheel.switch_ids() {
        let alone = tables.switch(at).groups.len();
        let groups = by_hub.switch(at).groups.clone();
        tables.switch_mut(at).groups.extend(groups);
        for address in 0..tables.address_count() {
            let mut entry = by_hub.switch(at).entries(0)[address];
            entry.group += u16::try_from(alone).unwrap();
            tables.set_entry(at, 1, address, entry);
        }
        for &channel in wheel.outgoing(at) {
            for lane in (1..16).map(Lane::new) {
                tables.set_table(&wheel, at, (wheel.source(channel).port, lane), 1);
            }
        }
    }
    let may_choose: Vec<u8> = (1..16).collect();
    assert_eq!(
        levels_that_may_choose(&wheel, &tables),
        Ok(Some(may_choose))
    );
}

#[test]
fn no_answer_where_packets_deadlock_by_static_ports() {
    let wheel = wheel();
    let round = groups_of(&wheel, LidState::Free, |at, to| {
        if at == 4 {
            vec![to]
        } else {
            vec![(at + 1) % 4]
        }
    });
    assert_eq!(levels_that_may_choose(&wheel, &round), Ok(None));
}

#[test]
fn a_switch_that_chooses_for_nobody_goes_on_so() {
    let wheel = wheel();
    let mut tables = hub_or_round(LidState::Hashed);
    for at in wheel.switch_ids() {
        tables.switch_mut(at).adaptive_levels = 0;
    }
    let ports: Vec<PortNumber> = tables
        .choosing_for(u16::MAX)
        .choice_of_table(wheel.switch_ids().next().unwrap(), 0, 2, 0)
        .ports
        .to_vec();
    assert_eq!(ports.len(), 1);
    let all: Vec<u8> = (0..16).collect();
    assert_eq!(levels_that_may_choose(&wheel, &tables), Ok(Some(all)));
}
