//! Ends on most of the highest switches of a tree, and leaves with few ends that are none of these.

use weft_fabric::metrics::{Suspicion, levels, suspicions};
use weft_fabric::{Fabric, ServiceReason};
use weft_testing::machines::{self, Device, Plug};

/// How many switches are on each level.
fn counts(fabric: &Fabric) -> Vec<usize> {
    let levels = levels(fabric);
    let on = |at| levels.iter().filter(|level| **level == Some(at)).count();
    let top = levels.iter().flatten().max().copied().unwrap_or(0);
    (0..=top).map(on).collect()
}

fn out_of_place(fabric: &Fabric) -> usize {
    let hosts = fabric.host_ids().map(|id| fabric.host(id));
    hosts
        .filter(|host| host.service == Some(ServiceReason::Place))
        .count()
}

#[test]
fn few_ends_on_any_number_of_cores_are_service_ends_and_leave_the_levels() {
    for tops in [1, 6, 7, 12, 13, 18, 23, 24] {
        for ends in [1, 2, 3] {
            let fabric = machines::ends_on_cores(tops, ends).fabric();
            let expected = tops * ends;
            assert_eq!(out_of_place(&fabric), expected, "{tops} × {ends}");
            assert_eq!(counts(&fabric), [24, 16, 24], "{tops} × {ends}");
            assert_eq!(suspicions(&fabric, &levels(&fabric)), []);
        }
    }
}

/// A fifth of all ends is not few; then the switches they hang on are leaves that are joined to pods.
#[test]
fn many_ends_on_cores_compute() {
    let fabric = machines::ends_on_cores(24, 5).fabric();
    assert_eq!(out_of_place(&fabric), 0);
}

#[test]
fn leaves_with_few_ends_are_leaves() {
    let fabric = machines::light_leaves().fabric();
    assert_eq!(out_of_place(&fabric), 0);
    assert_eq!(counts(&fabric), [24, 20, 24]);
    let levels = levels(&fabric);
    for switch in fabric.switch_ids() {
        let is_store = fabric.switch(switch).name.contains("store");
        let is_leaf = fabric.switch(switch).name.contains("leaf");
        let expected = u32::from(is_store);
        assert!(!is_leaf || levels[switch.index()] == Some(expected));
    }
}

/// A leaf without three of its four spines has neighbours like no other, and would lie as high as the cores.
#[test]
fn a_leaf_that_lacks_most_of_its_cables_is_a_leaf() {
    let whole = machines::ends_on_cores(0, 0);
    let is_leaf = |device: &Device| whole.name_of(*device) == "MF0;pod1-leaf02:MQM8700/U1";
    let leaf = whole.switches().find(is_leaf).unwrap();
    let up: Vec<Plug> = whole.trunks().into_iter().flatten().collect();
    let mut up: Vec<Plug> = up.into_iter().filter(|plug| plug.0 == leaf).collect();
    up.sort_unstable();
    for count in 1..=3 {
        let mut room = machines::ends_on_cores(0, 0);
        for &plug in &up[..count] {
            room.pull(plug);
        }
        let fabric = room.fabric();
        assert_eq!(out_of_place(&fabric), 0, "{count}");
        assert_eq!(counts(&fabric), [24, 16, 24], "{count}");
        let told = suspicions(&fabric, &levels(&fabric));
        let missing = told
            .iter()
            .filter(|found| matches!(found, Suspicion::MissingCable { .. }));
        assert_eq!(missing.count(), count, "{told:?}");
        assert_eq!(told.len(), count, "{told:?}");
    }
}
