//! Pods whose spines share one or two cores each with those in the same place: cores have fewer twins than tell a pattern,
//! and of a spine's few cables one fault leaves half.

use crate::crossed::{Socket, told};
use crate::machines::{missing, planted};
use std::collections::BTreeSet;
use weft_fabric::metrics::Suspicion;
use weft_testing::machines::{Device, Draw, Plug, Room, pods_on_few_cores, some};

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
/// is the usual one. Of a spine that has lost its only cable up the place that is left in its pod tells where it led.
#[test]
fn each_cable_to_a_core_is_named_with_both_ports() {
    for cores in [4, 6, 8, 10] {
        let room = pods_on_few_cores(cores);
        assert_eq!(missing(&room.fabric()), (BTreeSet::new(), vec![]));
        for ends in ups(&room) {
            let mut room = pods_on_few_cores(cores);
            let expected = [planted(&room, &ends)].into();
            room.pull(ends[0]);
            let found = missing(&room.fabric());
            assert_eq!(found, (expected, vec![]), "{cores} {ends:?}");
        }
    }
}

#[test]
fn cables_of_two_cores_that_are_missing_in_two_pods_are_named() {
    let ups = ups(&pods_on_few_cores(6));
    for seed in 0..40 {
        let mut room = pods_on_few_cores(6);
        let pulled = some(&ups, 2, &mut Draw::new(seed));
        let pod = |ends: &[Plug; 2]| part(&room, ends[0].0, 1);
        let pods: BTreeSet<_> = pulled.iter().map(pod).collect();
        let cores: BTreeSet<Device> = pulled.iter().map(|ends| ends[1].0).collect();
        // Of one core without twins nothing tells which of its ports is whose.
        if pods.len() < 2 || cores.len() < 2 {
            continue;
        }
        let expected = pulled.iter().map(|ends| planted(&room, ends)).collect();
        for ends in &pulled {
            room.pull(ends[0]);
        }
        assert_eq!(missing(&room.fabric()), (expected, vec![]), "{seed}");
    }
}

/// Three of four cores have lost one in three pods, so that most cores have one link less than they were made with.
#[test]
fn cables_that_most_cores_lack_are_named() {
    let mut room = pods_on_few_cores(4);
    let ups = ups(&room);
    let lost = |room: &Room, core: &str, pod: &str| {
        let name = |(device, _): Plug| room.name_of(device);
        let is_it = |ends: &&[Plug; 2]| name(ends[1]).contains(core) && name(ends[0]).contains(pod);
        *ups.iter().find(is_it).unwrap()
    };
    let pulled = [("core0:", "pod5"), ("core2:", "pod1"), ("core3:", "pod6")];
    let pulled = pulled.map(|(core, pod)| lost(&room, core, pod));
    let expected = pulled.iter().map(|ends| planted(&room, ends)).collect();
    for ends in pulled {
        room.pull(ends[0]);
    }
    assert_eq!(missing(&room.fabric()), (expected, vec![]));
}

/// Either spine has one core of its own then and one of the other's: the ports say which is whose.
#[test]
fn two_cables_of_spines_of_one_pod_that_exchanged_an_end_are_told_by_their_ports() {
    let mut room = pods_on_few_cores(8);
    let of_pod = |device: Device| room.name_of(device).contains("pod5-");
    let find = |name: &str, port: u8| {
        let mut switches = room.switches();
        let spine = switches.find(|&at| of_pod(at) && room.name_of(at).contains(name));
        let ends = room.cable_at((spine.unwrap(), port));
        if of_pod(ends[0].0) {
            ends
        } else {
            [ends[1], ends[0]]
        }
    };
    let [one, other] = [find("spine0", 8), find("spine1", 7)];
    let name = |(device, port): Plug| (room.name_of(device).to_owned(), port);
    let expected: BTreeSet<[Socket; 2]> = [one, other]
        .map(|ends| {
            let mut ends = ends.map(name);
            ends.sort();
            ends
        })
        .into();
    room.pull(one[0]);
    room.pull(other[0]);
    room.cable(one[0], other[1], "4xNDR");
    room.cable(other[0], one[1], "4xNDR");
    assert_eq!(told(&room.fabric()), ([expected].into(), vec![]));
}

/// A leaf of which two of six cables are out of place still looks like those beside it, and not like a core with ends.
#[test]
fn a_leaf_that_lacks_a_cable_and_has_another_in_error_stays_a_leaf() {
    let mut room = pods_on_few_cores(8);
    let find = |name: &str| {
        let mut switches = room.switches();
        switches
            .find(|&at| room.name_of(at).contains(name))
            .unwrap()
    };
    let [leaf, other] = ["pod1-leaf2:", "pod0-leaf3:"].map(find);
    // Hosts have the first four ports, spines those from the fifth on.
    let lacking = room.cable_at((leaf, 5));
    let [one, two] = [room.cable_at((leaf, 8)), room.cable_at((other, 7))];
    let from = |ends: [Plug; 2], leaf: Device| {
        if ends[0].0 == leaf {
            ends
        } else {
            [ends[1], ends[0]]
        }
    };
    let [one, two] = [from(one, leaf), from(two, other)];
    let expected = [planted(&room, &lacking)].into();
    for ends in [lacking, one, two] {
        room.pull(ends[0]);
    }
    room.cable(one[0], two[1], "4xNDR");
    room.cable(two[0], one[1], "4xNDR");
    let (named, others) = missing(&room.fabric());
    assert_eq!(named, expected);
    assert!(
        matches!(others[..], [Suspicion::SwappedCables { .. }]),
        "{others:?}"
    );
}

/// A part of the name of a switch: 1 is the pod, 2 what stands in it.
fn part(room: &Room, device: Device, at: usize) -> Option<String> {
    let mut parts = room.name_of(device).split([';', '-', ':']);
    parts.nth(at).map(str::to_owned)
}

#[test]
fn two_cables_to_cores_that_exchanged_an_end_are_told_by_the_spines_in_the_same_place() {
    let whole = pods_on_few_cores(8);
    assert_eq!(told(&whole.fabric()), (BTreeSet::new(), vec![]));
    let ups = ups(&whole);
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

/// Two cables up of two spines of a pod, both in the same port of theirs, to different cores.
fn of_two_spines(room: &Room, pod: &str) -> Vec<[[Plug; 2]; 2]> {
    let is_of_pod = |ends: &[Plug; 2]| room.name_of(ends[0].0).contains(pod);
    let own: Vec<[Plug; 2]> = ups(room).into_iter().filter(is_of_pod).collect();
    let pairs = own.iter().enumerate();
    let pairs = pairs.flat_map(|(at, &one)| own[at + 1..].iter().map(move |&other| [one, other]));
    let are_alike = |[one, other]: &[[Plug; 2]; 2]| {
        one[0].0 != other[0].0 && one[0].1 == other[0].1 && one[1].0 != other[1].0
    };
    pairs.filter(are_alike).collect()
}

/// In every pod the leaves have the spines of one place in the same port: so these tell which spine has which core.
#[test]
fn cables_up_of_two_spines_that_are_missing_or_exchanged_are_told_by_the_ports_of_leaves() {
    for (cores, pairs) in [(4, 6), (8, 12)] {
        let of_spines = of_two_spines(&pods_on_few_cores(cores), "pod3-");
        assert_eq!(of_spines.len(), pairs);
        for [one, other] in of_spines {
            let mut room = pods_on_few_cores(cores);
            let expected = [one, other].map(|ends| planted(&room, &ends));
            room.pull(one[0]);
            room.pull(other[0]);
            let found = missing(&room.fabric());
            assert_eq!(found, (expected.into(), vec![]), "{cores}");
            // With one core each the spines stand in each other's place by what they share.
            if cores == 4 {
                continue;
            }
            room.cable(one[0], other[1], "4xNDR");
            room.cable(other[0], one[1], "4xNDR");
            let name = |(device, port): Plug| (room.name_of(device).to_owned(), port);
            let named = [one, other].map(|ends| {
                let mut ends: [Socket; 2] = ends.map(name);
                ends.sort();
                ends
            });
            let expected = BTreeSet::from([BTreeSet::from(named)]);
            assert_eq!(told(&room.fabric()), (expected, vec![]), "{cores}");
        }
    }
}
