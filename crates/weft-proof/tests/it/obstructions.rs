//! That no order of writes will do: what shows it is checked, and shows nothing when anything of it is changed.

use super::every_order::{a_way_without_draining, differing_entries};
use super::transition::{RING, checked, names, networks, ring_by_way_of, spec, tables_by};
use proptest::prelude::*;
use weft_fabric::{Fabric, HostId, SwitchId};
use weft_proof::{ObstructionError, check_obstructions};
use weft_routing::{
    BlockedChange, ForwardingTables, Lane, Obstruction, TransitionPlan, obstructions,
};
use weft_testing::{cases, fabric_of, tables_of};

fn shown(fabric: &Fabric, tables: [&ForwardingTables; 2]) -> (TransitionPlan, Vec<Obstruction>) {
    let (plan, _) = checked([fabric; 2], tables);
    (plan, obstructions([fabric; 2], tables).unwrap())
}

/// A ring of which each of two destinations has to go before the other.
#[test]
fn an_obstruction_is_refused_when_anything_of_it_is_changed() {
    let fabric = fabric_of(&[2, 1, 2, 1], &RING);
    let [old, new] = [0, 2].map(|apex| ring_by_way_of(&fabric, apex));
    let (plan, found) = shown(&fabric, [&old, &new]);
    let check =
        |found: &[Obstruction]| check_obstructions([&fabric; 2], [&old, &new], &plan, found);
    let least = check(&found).unwrap();
    assert_eq!((least.len(), plan.drained_count()), (1, 1));
    assert!(least[0].len() >= 2);
    let changed = |change: &dyn Fn(&mut Obstruction)| {
        let mut found = found.clone();
        change(&mut found[0]);
        check(&found).unwrap_err()
    };
    let is_wait = |refused| matches!(refused, ObstructionError::Wait { .. });
    let empty = changed(&|one| one.writes.clear());
    assert!(matches!(empty, ObstructionError::Empty { .. }));
    let twice = changed(&|one| one.writes.push(one.writes[0].clone()));
    assert!(matches!(twice, ObstructionError::Write { .. }));
    // A switch has no entry for its own host that changes.
    let same = changed(&|one| {
        one.writes[0].address = 0;
        one.writes[0].switch = SwitchId::new(0);
    });
    assert!(matches!(same, ObstructionError::Write { .. }));
    for place in 0..found[0].writes.len() {
        // Without the others a write may be first.
        assert!(is_wait(changed(&|one| drop(one.writes.remove(place)))));
        assert!(is_wait(changed(&|one| one.writes[place].cycle.clear())));
        for wait in 0..found[0].writes[place].cycle.len() {
            assert!(is_wait(changed(&|one| {
                one.writes[place].cycle.remove(wait);
            })));
            assert!(is_wait(changed(&|one| {
                let next = &mut one.writes[place].cycle[wait];
                next.lane = weft_routing::Lane::new(1);
            })));
        }
    }
    let shared = check(&[found[0].clone(), found[0].clone()]).unwrap_err();
    assert!(matches!(shared, ObstructionError::Shared { .. }));
}

/// All that is two away goes clockwise round the ring. To one host of 2 and of 3 each that is on lane 0, to the other on
/// lane 1, and the packets of 2 to 0 and of 3 to 1 change places: whichever is first has the ring of its new lane closed by
/// the other three.
#[test]
fn levels_that_change_places_have_no_order() {
    let fabric = fabric_of(&[1, 1, 2, 2], &RING);
    let both = [[0, 1], [1, 0]].map(|lanes| {
        let mut tables = tables_by(&fabric, |at, host| {
            let to = fabric.host_switch(host).index();
            if (to + 4 - at) % 4 == 2 {
                (at + 1) % 4
            } else {
                to
            }
        });
        let level = |from: HostId, to: HostId| {
            let ends = [from, to].map(|host| fabric.host_switch(host).index());
            let is_second = fabric.hosts_of(fabric.host_switch(to))[0] != to;
            match ends {
                [2, 0] => lanes[0],
                [3, 1] => lanes[1],
                [0, 2] | [1, 3] => u8::from(is_second),
                _ => 0,
            }
        };
        let hosts = || fabric.host_ids();
        let pairs = hosts().flat_map(|from| hosts().map(move |to| (from, to)));
        tables.set_lanes(pairs.map(|(from, to)| Lane::new(level(from, to))).collect());
        tables
    });
    let [old, new] = [&both[0], &both[1]];
    let (plan, found) = shown(&fabric, [old, new]);
    let check = |found: &[Obstruction]| check_obstructions([&fabric; 2], [old, new], &plan, found);
    assert_eq!(
        check(&found),
        Ok(vec![
            [
                "host0-3", "host1-3", "host2-3", "host2-4", "host3-3", "host3-4"
            ]
            .map(str::to_owned)
            .to_vec()
        ])
    );
    assert!(plan.drained_count() > 0);
    let places = found[0]
        .writes
        .iter()
        .map(|of| (of.switch.index(), of.change));
    let places: Vec<_> = places.collect();
    assert_eq!(
        places,
        [(2, BlockedChange::Level), (3, BlockedChange::Level)]
    );
    let changed = |change: &dyn Fn(&mut Obstruction)| {
        let mut found = found.clone();
        change(&mut found[0]);
        check(&found).unwrap_err()
    };
    let is_wait = |refused| matches!(refused, ObstructionError::Wait { .. });
    for place in 0..2 {
        assert!(is_wait(changed(&|one| drop(one.writes.remove(place)))));
        assert!(is_wait(changed(&|one| {
            for wait in &mut one.writes[place].cycle {
                wait.is_by_write = false;
            }
        })));
        let entry = changed(&|one| one.writes[place].change = BlockedChange::Entry);
        assert!(matches!(entry, ObstructionError::Write { .. }));
    }
    // Nobody at 0 sends to 2 by another level.
    let none = changed(&|one| one.writes[0].switch = SwitchId::new(0));
    assert!(matches!(none, ObstructionError::Write { .. }));
}

proptest! {
    #![proptest_config(cases(300))]

    /// Nothing is shown impossible that some order of writes does, and no more is said to be drained at least than
    /// the plan drains.
    #[test]
    fn what_is_shown_impossible_is(
        (hosts, links) in networks(3..8),
        names in names(),
        lanes in prop::sample::select(vec![[1, 1], [1, 2], [2, 1], [2, 2]]),
        roots in [0_usize..3, 0..3],
    ) {
        let fabric = fabric_of(&hosts, &links);
        let tables = [0, 1].map(|side| tables_of(&fabric, &spec(names[side], lanes[side], roots[side])));
        let tables = [&tables[0], &tables[1]];
        let (plan, found) = shown(&fabric, tables);
        let least = check_obstructions([&fabric; 2], tables, &plan, &found).unwrap();
        prop_assert!(least.len() <= plan.drained_count());
        let can_be_tried = names == ["down_preferred"; 2] && differing_entries(&fabric, tables) <= 10;
        if !least.is_empty() && can_be_tried {
            prop_assert!(!a_way_without_draining([&fabric; 2], tables));
        }
    }
}
