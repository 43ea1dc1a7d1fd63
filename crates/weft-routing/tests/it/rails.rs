//! Traffic that stays on the rails of a machine, under tables that are balanced.

use weft_fabric::computers::{Rails, computers};
use weft_fabric::{Fabric, HostId};
use weft_routing::algorithms::route_spec;
use weft_routing::channel_loads;
use weft_testing::machines::{self, Device, Draw, Room};

const RATE: &str = "4xNDR";

/// Computers in racks with an end a rail, a leaf for each rail and rack, and levels above.
struct Shape {
    name: &'static str,
    rails: usize,
    racks: usize,
    computers: usize,
    spines: usize,
    /// Cables from a leaf to each of its spines.
    cables: usize,
    /// Racks of a pod, with spines of its own, and the cores above and cables from a spine to them.
    pod: Option<[usize; 3]>,
    /// Cables between leaf and spine that are missing.
    pulled: usize,
    /// Whether switches and computers come in a drawn order.
    is_shuffled: bool,
}

const PLAIN: Shape = Shape {
    name: "plain",
    rails: 4,
    racks: 4,
    computers: 8,
    spines: 8,
    cables: 1,
    pod: None,
    pulled: 0,
    is_shuffled: false,
};

const SHAPES: [Shape; 10] = [
    PLAIN,
    Shape {
        name: "eight rails",
        rails: 8,
        ..PLAIN
    },
    Shape {
        name: "two rails",
        rails: 2,
        racks: 9,
        computers: 12,
        spines: 6,
        cables: 2,
        ..PLAIN
    },
    Shape {
        name: "oversubscribed",
        rails: 8,
        computers: 9,
        spines: 6,
        is_shuffled: true,
        ..PLAIN
    },
    Shape {
        name: "more spines than ends",
        racks: 8,
        computers: 9,
        spines: 18,
        ..PLAIN
    },
    Shape {
        name: "a cable missing",
        racks: 6,
        pulled: 1,
        ..PLAIN
    },
    Shape {
        name: "cables missing",
        rails: 8,
        pulled: 3,
        cables: 2,
        spines: 4,
        ..PLAIN
    },
    Shape {
        name: "shuffled",
        racks: 8,
        computers: 16,
        cables: 2,
        is_shuffled: true,
        ..PLAIN
    },
    Shape {
        name: "pods",
        pod: Some([1, 16, 4]),
        ..PLAIN
    },
    Shape {
        name: "shuffled pods",
        rails: 2,
        racks: 6,
        spines: 4,
        pod: Some([2, 8, 4]),
        is_shuffled: true,
        ..PLAIN
    },
];

fn shuffle<T>(items: &mut [T], draw: &mut Draw) {
    for at in (1..items.len()).rev() {
        items.swap(at, draw.below(at + 1));
    }
}

impl Shape {
    /// Builds it; the names of ends tell their computers and adapters, or nothing.
    fn fabric(&self, is_named: bool) -> Fabric {
        let mut draw = Draw::new(11);
        let mut room = Room::new(self.name);
        let mut places: Vec<(usize, usize)> = (0..self.rails)
            .flat_map(|rail| (0..self.racks).map(move |rack| (rail, rack)))
            .collect();
        if self.is_shuffled {
            shuffle(&mut places, &mut draw);
        }
        let [racks, cores, up] = self.pod.unwrap_or([self.racks, 0, 0]);
        let leaves: Vec<(usize, usize, Device)> = places
            .into_iter()
            .map(|(rail, rack)| (rail, rack, room.switch(format!("leaf-{rail}-{rack}"), 65)))
            .collect();
        let cores: Vec<Device> = (0..cores)
            .map(|c| room.switch(format!("core-{c}"), 65))
            .collect();
        let mut ends: Vec<(String, Device)> = Vec::new();
        for &(rail, rack, leaf) in &leaves {
            let name = |computer| {
                let number = rack * self.computers + computer;
                if is_named {
                    format!("node{number:03} mlx5_{rail}")
                } else {
                    format!("x{rail}y{number}")
                }
            };
            ends.extend((0..self.computers).map(|computer| (name(computer), leaf)));
        }
        if self.is_shuffled {
            shuffle(&mut ends, &mut draw);
        }
        for (name, leaf) in ends {
            let plug = room.next(leaf);
            room.host(name, plug, RATE);
        }
        let mut cables = Vec::new();
        for pod in 0..self.racks / racks {
            for s in 0..self.spines {
                let spine = room.switch(format!("spine-{pod}-{s}"), 129);
                for &(_, _, leaf) in leaves.iter().filter(|leaf| leaf.1 / racks == pod) {
                    cables.extend((0..self.cables).map(|_| (leaf, spine)));
                }
                for number in 0..up {
                    room.join(spine, cores[(s * up + number) % cores.len()], 1, RATE);
                }
            }
        }
        if self.is_shuffled {
            shuffle(&mut cables, &mut draw);
        }
        for _ in 0..self.pulled {
            cables.swap_remove(draw.below(cables.len()));
        }
        for (leaf, spine) in cables {
            room.join(leaf, spine, 1, RATE);
        }
        room.fabric()
    }
}

/// Per rail the largest load between switches when all its ends send to all, but no less than what each sends.
fn fullest(fabric: &Fabric, spec: &str, rails: &[Vec<HostId>]) -> Vec<u64> {
    let routing = route_spec(fabric, spec).unwrap();
    let of_rail = |hosts: &Vec<HostId>| {
        let loads = channel_loads(fabric, &routing.routes, hosts);
        let most = fabric
            .switch_channels()
            .map(|channel| loads[channel.index()])
            .max()
            .unwrap();
        most.max(hosts.len() as u64 - 1)
    };
    rails.iter().map(of_rail).collect()
}

fn rails_of(fabric: &Fabric) -> Vec<Vec<HostId>> {
    let found = Rails::of(fabric, &computers(fabric)).unwrap();
    found.rails.into_iter().map(|rail| rail.hosts).collect()
}

#[test]
fn no_rail_alone_carries_less_by_balanced_tables_than_by_each_switchs_own_choice() {
    for shape in SHAPES {
        let fabric = shape.fabric(true);
        let rails = rails_of(&fabric);
        assert_eq!(rails.len(), shape.rails, "{}", shape.name);
        let today = fullest(&fabric, "min_hop", &rails);
        for lanes in [1, 4] {
            let found = fullest(&fabric, &format!("best:lanes={lanes}"), &rails);
            let all = rails.iter().zip(found).zip(&today);
            for (rail, ((hosts, found), &today)) in all.enumerate() {
                // Parts of one rail's traffic come in hosts of a switch; where it is nearly even no more is sought.
                let least = hosts.len() as u64 - 1;
                assert!(
                    found <= today.max(least + least / 20),
                    "{}, rail {rail} on {lanes} lanes: {found}, by min_hop {today}",
                    shape.name
                );
            }
        }
    }
}

/// All ends send to all: what rails gain costs no more than a thirtieth of a bound.
#[test]
fn what_is_even_on_rails_is_even_for_all() {
    for shape in SHAPES {
        let fabric = shape.fabric(true);
        let all: Vec<HostId> = fabric.host_ids().collect();
        let found = fullest(&fabric, "best:lanes=1,starts=2", std::slice::from_ref(&all))[0];
        // The same network whose ends tell of no rails.
        let without = shape.fabric(false);
        assert_eq!(Rails::of(&without, &computers(&without)), None);
        let unjudged = fullest(&without, "best:lanes=1,starts=2", &[all])[0];
        assert!(
            found <= unjudged + unjudged.div_ceil(30),
            "{}: {found}, without rails {unjudged}",
            shape.name
        );
    }
}

/// What rails gain costs nothing that the tables of `OpenSM`'s fat tree, which are as even on each rail, do not pay.
#[test]
fn no_fat_tree_is_as_even_on_each_rail_and_more_even_for_all() {
    let uneven = Shape {
        name: "a rack with fewer",
        racks: 8,
        computers: 18,
        spines: 9,
        cables: 2,
        ..PLAIN
    };
    for shape in SHAPES
        .into_iter()
        .chain([uneven])
        .filter(|shape| shape.pod.is_none())
    {
        let fabric = shape.fabric(true);
        let all: Vec<HostId> = fabric.host_ids().collect();
        let rails = rails_of(&fabric);
        let largest = |spec: &str| {
            let routing = route_spec(&fabric, spec).unwrap();
            let loads = channel_loads(&fabric, &routing.routes, &all);
            let most = fabric
                .switch_channels()
                .map(|channel| loads[channel.index()])
                .max();
            (most.unwrap(), fullest(&fabric, spec, &rails))
        };
        let ((ours, on_ours), (theirs, on_theirs)) = (largest("best:lanes=1"), largest("ftree"));
        let are_as_even = on_theirs
            .iter()
            .zip(&on_ours)
            .all(|(theirs, ours)| theirs <= ours);
        assert!(
            !are_as_even || ours <= theirs,
            "{}: {ours}, by ftree {theirs}",
            shape.name
        );
    }
}

/// On a machine of eight rails, as many as 80 spines and 40 cores above.
#[test]
fn a_machine_of_eight_rails_carries_what_its_ends_send_on_each() {
    let room = machines::all().swap_remove(2);
    let fabric = room.fabric().compute_part().into_owned();
    let rails = rails_of(&fabric);
    let found = fullest(&fabric, "best:lanes=1,starts=1", &rails);
    for (hosts, found) in rails.iter().zip(found) {
        let least = hosts.len() as u64 - 1;
        assert!(found <= least + least / 20, "{found} for {least}");
    }
}
