//! Routings of HyperX networks and dragonflies+ whose packets have a higher lane from link to link: which ways there are,
//! and what is refused.

use weft_fabric::degrade::{Chosen, Failures, Keep, degrade};
use weft_fabric::generate::{
    DragonflyPlusParameters, dragonfly_plus, hypercube, hyperx, k_ary_n_tree, torus,
};
use weft_fabric::{Fabric, PortNumber, SwitchId};
use weft_routing::algorithms::route_adaptive_spec;
use weft_routing::{AdaptiveRoutes, GroupTables, Lane, group_loads};
use weft_testing::{fabric_of, port_to};

fn tables(fabric: &Fabric, spec: &str) -> GroupTables {
    let AdaptiveRoutes::Groups(tables) = route_adaptive_spec(fabric, spec).unwrap().routes else {
        panic!("switches choose among groups")
    };
    tables
}

fn refusal(fabric: &Fabric, spec: &str) -> String {
    route_adaptive_spec(fabric, spec).unwrap_err().to_string()
}

/// The switches that packets to a host of another may go on to, by subgroup, and their lanes there; they came in from a
/// third on a lane, or from their host.
fn onward(
    fabric: &Fabric,
    tables: &GroupTables,
    (at, to): (usize, usize),
    from: Option<(usize, u8)>,
) -> (Vec<Vec<usize>>, Vec<u8>) {
    let at = SwitchId::from_index(at);
    let host = fabric.hosts_of(SwitchId::from_index(to))[0];
    let (input, lane) = match from {
        Some((from, lane)) => (port_to(fabric, at.index(), from), Lane::new(lane)),
        None => (fabric.host_port(fabric.hosts_of(at)[0]), Lane::ZERO),
    };
    let address = tables.addresses(host).start;
    let choice = tables.choice(at, (input, lane), address, 0);
    let next = |port: &PortNumber| {
        let mut hops = fabric.hops(at).iter();
        hops.find(|hop| hop.port == *port).unwrap().switch.index()
    };
    let all: Vec<usize> = choice.ports.iter().map(next).collect();
    let subgroups = choice.group.map_or(vec![all], |group| {
        let of = |subgroup: &weft_routing::Subgroup| subgroup.ports.iter().map(next).collect();
        group.subgroups().iter().map(of).collect()
    });
    let lanes = choice.ports.iter();
    let lanes = lanes.map(|&port| tables.next_lane(at, [input, port], 0, lane).unwrap());
    (subgroups, lanes.map(Lane::number).collect())
}

#[test]
fn packets_of_omniwar_go_nearer_and_round_as_long_as_lanes_are_left() {
    // Switch x + 3y.
    let fabric = hyperx(&[3, 3], &[1], 1).unwrap();
    let routes = tables(&fabric, "omniwar");
    assert_eq!(routes.lane_count(), 4);
    let all = |subgroups: &[&[usize]]| subgroups.iter().map(|one| one.to_vec()).collect::<Vec<_>>();
    let found = |ends, from| onward(&fabric, &routes, ends, from);
    assert_eq!(found((0, 4), None), (all(&[&[1, 3], &[2, 6]]), vec![0; 4]));
    // With both dimensions still to go, and two lanes left, no way round is left.
    assert_eq!(found((0, 4), Some((6, 1))), (all(&[&[1, 3]]), vec![2; 2]));
    assert_eq!(
        found((1, 4), Some((0, 0))),
        (all(&[&[4], &[7]]), vec![1; 2])
    );
    assert_eq!(
        found((1, 4), Some((0, 1))),
        (all(&[&[4], &[7]]), vec![2; 2])
    );
    assert_eq!(found((1, 4), Some((0, 2))), (all(&[&[4]]), vec![3]));
    // Dimensions that are done are not left again.
    assert_eq!(
        found((3, 4), Some((0, 0))),
        (all(&[&[4], &[5]]), vec![1; 2])
    );
    let straight = tables(&fabric, "omniwar:detours=0");
    assert_eq!(straight.lane_count(), 2);
    assert_eq!(
        onward(&fabric, &straight, (0, 4), None),
        (all(&[&[1, 3]]), vec![0; 2])
    );
}

#[test]
fn hyperx_networks_are_found_in_their_links() {
    for fabric in [
        hypercube(4, 1).unwrap(),
        hyperx(&[2, 5, 3], &[1, 2, 1], 1).unwrap(),
        hyperx(&[4], &[1], 2).unwrap(),
        fabric_of(&[1, 1, 1], &[(2, 0), (0, 1), (1, 2)]),
    ] {
        let routes = tables(&fabric, "omniwar:detours=1");
        let loads = group_loads(&fabric, &routes, 0);
        assert_eq!(loads.unreached_pairs, 0, "{}", fabric.name());
    }
    let text = refusal(&torus(5, 5, 1).unwrap(), "omniwar");
    assert!(
        text.starts_with("fabric “torus-5x5” is no whole HyperX: "),
        "{text}"
    );
    let failed = |link: &str| Failures {
        links: Chosen {
            names: vec![link.to_owned()],
            share: None,
        },
        seed: 1,
        keep: Keep::LargestPart,
        ..Failures::default()
    };
    let left = degrade(&hyperx(&[4, 4], &[1], 1).unwrap(), &failed("sw5:2")).unwrap();
    let text = refusal(&left.fabric, "omniwar");
    assert!(
        text.starts_with("fabric “hyperx-4x4-without-1-link” is no whole HyperX: "),
        "{text}"
    );
    let text = refusal(&hypercube(8, 1).unwrap(), "omniwar:detours=8");
    assert!(text.contains("needs 16 lanes"), "{text}");
}

/// Groups of two leaves, 0 and 1, below two spines, 2 and 3, six switches on for the next group's; each spine leads to one
/// of two other groups.
fn three_groups() -> Fabric {
    dragonfly_plus(DragonflyPlusParameters {
        groups: 3,
        leaves: 2,
        spines: 2,
        hosts: 1,
        links: 1,
    })
    .unwrap()
}

#[test]
fn packets_of_dfp_go_straight_or_over_one_other_group_on_a_raised_lane() {
    let fabric = three_groups();
    let routes = tables(&fabric, "dfp");
    assert_eq!(routes.lane_count(), 2);
    let all = |subgroups: &[&[usize]]| subgroups.iter().map(|one| one.to_vec()).collect::<Vec<_>>();
    let found = |ends, from| onward(&fabric, &routes, ends, from);
    // Within the group, by either spine.
    assert_eq!(found((0, 1), None), (all(&[&[2, 3]]), vec![0; 2]));
    assert_eq!(found((2, 1), Some((0, 0))), (all(&[&[1]]), vec![0]));
    // From leaf 0 to leaf 4 of the next group: spine 2 leads there, spine 3 to the third group.
    assert_eq!(found((0, 4), None), (all(&[&[2], &[3]]), vec![0; 2]));
    assert_eq!(found((2, 4), Some((0, 0))), (all(&[&[6]]), vec![0]));
    assert_eq!(found((6, 4), Some((2, 0))), (all(&[&[4]]), vec![0]));
    // Spine 3 leads to spine 10, which has no link but this; so down, and up to spine 11.
    assert_eq!(found((3, 4), Some((0, 0))), (all(&[&[10]]), vec![0]));
    assert_eq!(found((10, 4), Some((3, 0))), (all(&[&[8, 9]]), vec![0; 2]));
    assert_eq!(found((9, 4), Some((10, 0))), (all(&[&[11]]), vec![1]));
    assert_eq!(found((11, 4), Some((9, 1))), (all(&[&[7]]), vec![1]));
    assert_eq!(found((7, 4), Some((11, 1))), (all(&[&[4]]), vec![1]));
    let loads = group_loads(&fabric, &routes, 0);
    assert_eq!(loads.unreached_pairs, 0);
}

#[test]
fn a_spine_with_links_to_several_groups_leads_on_at_once() {
    // Two groups more for the same spines: each has two links.
    let fabric = dragonfly_plus(DragonflyPlusParameters {
        groups: 5,
        leaves: 1,
        spines: 2,
        hosts: 1,
        links: 1,
    })
    .unwrap();
    let routes = tables(&fabric, "dfp");
    // Spine 1 of group 0 leads to groups 1 and 3; in group 3 spine 10 has links to groups 0 and 2.
    let found = onward(&fabric, &routes, (10, 6), Some((1, 0)));
    assert_eq!(found, (vec![vec![7]], vec![1]));
    assert_eq!(group_loads(&fabric, &routes, 0).unreached_pairs, 0);
}

#[test]
fn what_is_no_dragonfly_plus_is_refused() {
    let text = refusal(&k_ary_n_tree(4, 2).unwrap(), "dfp");
    assert!(
        text.contains("no links join the spines of most pairs of groups"),
        "{text}"
    );
    // Two groups of one leaf, joined at one of two spines each; a third host on a spine.
    let links = [(0, 1), (0, 2), (3, 4), (3, 5), (1, 4)];
    let fabric = fabric_of(&[1, 0, 0, 1, 0, 0], &links);
    assert_eq!(tables(&fabric, "dfp").lane_count(), 2);
    let text = refusal(&fabric_of(&[1, 1, 0, 1, 0, 0], &links), "dfp");
    assert!(
        text.contains("hangs on the spine") || text.contains("no links join"),
        "{text}"
    );
}
