//! Pods whose spines share one or two cores each with those in the same place: cores have fewer twins than tell a pattern,
//! and of a spine's few cables one fault leaves half.

use crate::crossed::{Socket, told};
use crate::machines::{missing, planted};
use std::collections::BTreeSet;
use weft_testing::machines::{Device, Draw, Plug, Room, pods_on_few_cores};

/// The cables to cores, each with its end at the spine first.
fn ups(room: &Room) -> Vec<[Plug; 2]> {
    let is_core = |(device, _): Plug| room.name_of(device).contains("core");
    let of_cores = room.trunks().into_iter().filter_map(|ends| {
        let [one, other] = ends.map(is_core);
        (one != other).then(|| if one { [ends[1], ends[0]] } else { ends })
    });
    of_cores.collect()
}

/// With six cores four have one twin each and two none, half of the spines have two cables up and half one, and no number
/// is the usual one. A spine that has lost its only cable up may have had it in either of the ports that others use.
#[test]
fn each_cable_to_a_core_is_named_with_both_ports() {
    for cores in [4, 6, 8, 10] {
        let room = pods_on_few_cores(cores);
        assert_eq!(missing(&room.fabric()), (BTreeSet::new(), vec![]));
        for ends in ups(&room) {
            let mut room = pods_on_few_cores(cores);
            let mut expected = planted(&room, &ends);
            room.pull(ends[0]);
            let is_only = ["-spine2", "-spine3"]
                .iter()
                .any(|&at| expected[1].0.contains(at));
            if cores == 6 && is_only {
                expected[1].1.insert(8);
            }
            let (named, others) = missing(&room.fabric());
            assert_eq!(
                (named, others),
                ([expected].into(), vec![]),
                "{cores} {ends:?}"
            );
        }
    }
}

#[test]
fn two_cables_to_cores_that_exchanged_an_end_are_told_by_the_spines_in_the_same_place() {
    let whole = pods_on_few_cores(8);
    assert_eq!(told(&whole.fabric()), (BTreeSet::new(), vec![]));
    let ups = ups(&whole);
    let part = |room: &Room, device: Device, at: usize| {
        let name = room.name_of(device);
        let parts = name.split([';', '-', ':']).nth(at);
        parts.map(str::to_owned)
    };
    for seed in 0..40 {
        let mut room = pods_on_few_cores(8);
        let mut draw = Draw::new(seed);
        let [one, other] = loop {
            let pair = [(); 2].map(|()| ups[draw.below(ups.len())]);
            // Of two pods and of spines in two places.
            let differ = |at| {
                let [one, other] = pair.map(|ends| part(&room, ends[0].0, at));
                one != other
            };
            if differ(1) && differ(2) {
                break pair;
            }
        };
        let name = |(device, port): Plug| (room.name_of(device).to_owned(), port);
        let cable = |ends: [Plug; 2]| {
            let mut ends: [Socket; 2] = ends.map(name);
            ends.sort();
            ends
        };
        let expected: BTreeSet<[Socket; 2]> = [one, other].map(cable).into();
        room.pull(one[0]);
        room.pull(other[0]);
        room.cable(one[0], other[1], "4xNDR");
        room.cable(other[0], one[1], "4xNDR");
        assert_eq!(told(&room.fabric()), ([expected].into(), vec![]), "{seed}");
    }
}
