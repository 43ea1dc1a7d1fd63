//! Destinations parted into sets of near ones, one for each lane.

use weft_fabric::{Fabric, SwitchId, metrics};

/// Parts the switches with hosts into at most `lanes` sets with about as many hosts each.
///
/// A set begins with the first switch left and takes in the nearest ones left, of equally near ones
/// the first, until it has its share of the hosts left. The fewer switches lie between those of a
/// set, the fewer turns its routes need.
///
/// Shapes: sets of ascending distance from their first switch, none of them empty.
pub(super) fn parts(fabric: &Fabric, lanes: u8) -> Vec<Vec<SwitchId>> {
    let hosts = |switch: SwitchId| fabric.hosts_of(switch).len();
    let mut left: Vec<SwitchId> = fabric.switch_ids().filter(|&s| hosts(s) > 0).collect();
    let mut hosts_left = fabric.host_count();
    let mut parts = Vec::new();
    for lanes_left in (1..=usize::from(lanes)).rev() {
        let Some(&first) = left.first() else { break };
        let links = metrics::distances_from(fabric, first);
        left.sort_by_key(|&switch| (links[switch.index()], switch));
        let share = hosts_left.div_ceil(lanes_left);
        let mut taken = 0;
        let count = left.iter().take_while(|&&switch| {
            let has_room = taken < share;
            taken += hosts(switch);
            has_room
        });
        let part: Vec<SwitchId> = left.drain(..count.count()).collect();
        hosts_left -= part.iter().map(|&switch| hosts(switch)).sum::<usize>();
        left.sort_unstable();
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use weft_fabric::generate::{k_ary_n_tree, ring, torus};

    fn numbers(fabric: &Fabric, lanes: u8) -> Vec<Vec<u32>> {
        let of = |part: &Vec<SwitchId>| part.iter().map(|switch| switch.number()).collect();
        parts(fabric, lanes).iter().map(of).collect()
    }

    #[test]
    fn sets_hold_near_switches_and_as_many_hosts() {
        let ring = ring(6, 2).unwrap();
        assert_eq!(numbers(&ring, 1), [[0, 1, 5, 2, 4, 3]]);
        assert_eq!(numbers(&ring, 2), [[0, 1, 5], [2, 3, 4]]);
        assert_eq!(
            numbers(&ring, 4),
            [vec![0, 1], vec![2, 3], vec![4], vec![5]]
        );
        assert_eq!(numbers(&ring, 9).len(), 6);
    }

    #[test]
    fn switches_without_hosts_are_in_no_set() {
        // Four leaves; two pairs have a parent of their own.
        let tree = k_ary_n_tree(2, 3).unwrap();
        assert_eq!(numbers(&tree, 2), [[0, 1], [2, 3]]);
        let torus = torus(8, 8, 1).unwrap();
        let sizes: Vec<usize> = numbers(&torus, 5).iter().map(Vec::len).collect();
        assert_eq!(sizes, [13, 13, 13, 13, 12]);
    }
}
