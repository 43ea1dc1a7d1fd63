//! Cables of dragonflies that were plugged in crosswise, within groups and between them.

use crate::planted::{Draw, some, trunks, with_links};
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::generate::dragonfly;
use weft_fabric::metrics::{OtherCable, Suspicion, levels, suspicions};
use weft_fabric::{
    Endpoint, Fabric, FabricBuilder, Host, Link, LinkId, Node, PortNumber, Switch, SwitchId,
};

type Socket = (SwitchId, PortNumber);

/// A cable by its ports, the lower first.
type Laid = [Socket; 2];

fn laid(mut ends: [Socket; 2]) -> Laid {
    ends.sort_unstable();
    ends
}

fn socket(end: Endpoint) -> Socket {
    (end.node.switch().unwrap(), end.port)
}

fn of_link(fabric: &Fabric, link: LinkId) -> Laid {
    laid(fabric.link(link).ends.map(socket))
}

/// Two cables said to be swapped: each with all that may be meant instead, and where these belong.
struct Told {
    cables: [Vec<[Socket; 2]>; 2],
}

impl Told {
    /// Whether exchanging an end of some two that may be meant gives back two cables: the end told, or, of a cable within
    /// a group, which leads there by either, the other.
    fn restores(&self, planned: &BTreeSet<Laid>) -> bool {
        self.cables[0].iter().any(|one| {
            self.cables[1].iter().any(|other| {
                let exchanged = [[one[0], other[1]], [other[0], one[1]]];
                let turned = [[one[0], other[0]], [one[1], other[1]]];
                [exchanged, turned]
                    .iter()
                    .any(|cables| BTreeSet::from(cables.map(laid)) == *planned)
            })
        })
    }
}

fn told(fabric: &Fabric) -> Vec<Told> {
    let found = suspicions(fabric, &levels(fabric)).into_iter();
    let told = found.map(|suspicion| {
        let Suspicion::SwappedCables {
            links,
            others,
            belong,
        } = suspicion
        else {
            panic!("{suspicion:?}");
        };
        let [[here, there], [left, right]] = belong;
        let cables = [[here, right], [left, there]];
        assert_eq!(
            cables.map(laid),
            links.map(|link| of_link(fabric, link)),
            "what belongs has the ends of the cables"
        );
        for &(link, ends) in others.iter().flatten() {
            assert_eq!(laid(ends), of_link(fabric, link));
        }
        let with = |own: [Socket; 2], others: &[OtherCable]| {
            let others = others.iter().map(|&(_, ends)| ends);
            others.chain([own]).collect::<Vec<_>>()
        };
        Told {
            cables: [with(cables[0], &others[0]), with(cables[1], &others[1])],
        }
    });
    told.collect()
}

/// The fabric with two cables swapped: the second end of each in the other's place, or the first end of the second one.
fn swapped(fabric: &Fabric, [one, other]: [LinkId; 2], is_turned: bool) -> Option<Fabric> {
    let mut links: Vec<Link> = fabric.link_ids().map(|id| *fabric.link(id)).collect();
    let [near, far] = links[other.index()].ends;
    let [near, far] = if is_turned { [far, near] } else { [near, far] };
    let here = links[one.index()].ends;
    links[one.index()].ends = [here[0], far];
    links[other.index()].ends = [near, here[1]];
    let is_loop = |id: LinkId| {
        let [a, b] = links[id.index()].ends;
        a.node == b.node
    };
    (!is_loop(one) && !is_loop(other)).then(|| with_links(fabric, &links))
}

/// The cables between two switches of numbers so many to a group, by their counts.
fn counts(fabric: &Fabric, group_switches: u32) -> BTreeMap<[u32; 2], usize> {
    let mut counts = BTreeMap::new();
    for link in trunks(fabric) {
        let ends = of_link(fabric, link).map(|(switch, _)| switch.number());
        let mut groups = ends.map(|number| number / group_switches);
        groups.sort_unstable();
        // Within a group each two switches count by themselves.
        let key = if groups[0] == groups[1] {
            [1000 + ends[0], 1000 + ends[1]]
        } else {
            groups
        };
        *counts.entry(key).or_default() += 1;
    }
    counts
}

/// A dragonfly of which neither the order of cables between groups nor that of ports follows a rule; `between` cables
/// join each two groups.
fn drawn([groups, size, between]: [usize; 3], draw: &mut Draw) -> Fabric {
    let global = ((groups - 1) * between).div_ceil(size);
    let ports = 2 + size - 1 + global;
    let mut builder = FabricBuilder::new("drawn");
    let mut shuffled = |count: usize| {
        let mut all: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            all.swap(last, draw.below(last + 1));
        }
        all
    };
    let count = u8::try_from(ports).unwrap();
    let switches: Vec<SwitchId> = (0..groups * size)
        .map(|number| {
            let switch = Switch::new(format!("Quantum {number}"), count);
            builder.add_switch(switch).unwrap()
        })
        .collect();
    let mut free: Vec<Vec<usize>> = switches.iter().map(|_| shuffled(ports)).collect();
    let mut next = |switch: usize| {
        let port = u8::try_from(free[switch].pop().unwrap() + 1).unwrap();
        Node::Switch(switches[switch]).at(port)
    };
    for switch in 0..groups * size {
        for number in 0..2 {
            let host = Host::new(format!("n{switch} {number}"));
            let host = Node::Host(builder.add_host(host).unwrap()).at(1);
            builder.add_link(host, next(switch), None).unwrap();
        }
        for there in switch + 1..(switch / size + 1) * size {
            builder.add_link(next(switch), next(there), None).unwrap();
        }
    }
    let mut left: Vec<Vec<usize>> = (0..groups).map(|_| shuffled(global * size)).collect();
    for one in 0..groups {
        for other in one + 1..groups {
            for _ in 0..between {
                let [one, other] =
                    [one, other].map(|group| group * size + left[group].pop().unwrap() % size);
                builder.add_link(next(one), next(other), None).unwrap();
            }
        }
    }
    builder.build().unwrap()
}

#[test]
fn whole_dragonflies_raise_no_suspicion() {
    for seed in 0..6 {
        for shape in [[9, 4, 1], [7, 6, 2], [13, 6, 1], [5, 8, 4]] {
            let fabric = drawn(shape, &mut Draw::new(seed));
            assert!(told(&fabric).is_empty(), "{shape:?}");
        }
    }
}

/// In the generator's arrangement every port tells where its cable belongs, also where counts do not.
#[test]
fn any_two_cables_between_groups_in_the_absolute_arrangement_are_told() {
    for [p, a, h] in [[2, 4, 2], [3, 6, 3], [2, 8, 1]] {
        let fabric = dragonfly(p, a, h).unwrap();
        let mut draw = Draw::new(7);
        let mut between = trunks(&fabric);
        between.retain(|&link| {
            let [one, other] = of_link(&fabric, link).map(|(at, _)| at.number() / a);
            one != other
        });
        let mut tried = 0;
        while tried < 40 {
            let links = [(); 2].map(|()| between[draw.below(between.len())]);
            let planned = BTreeSet::from(links.map(|link| of_link(&fabric, link)));
            let is_turned = draw.below(2) == 1;
            let Some(crossed) = (links[0] != links[1])
                .then(|| swapped(&fabric, links, is_turned))
                .flatten()
            else {
                continue;
            };
            // Two cables of one switch may have each other's places: then only the ports differ.
            let found = told(&crossed);
            assert_eq!(found.len(), 1, "{p} {a} {h}: {links:?}");
            assert!(found[0].restores(&planned), "{p} {a} {h}: {links:?}");
            assert_eq!(found[0].cables.each_ref().map(Vec::len), [1, 1]);
            tried += 1;
        }
    }
}

/// Where nothing but counts tells, those that change them are told, with all that may be meant; the others leave a
/// dragonfly like any other.
#[test]
fn cables_that_change_counts_between_groups_are_told_where_no_port_tells() {
    let mut seen = [0, 0, 0];
    for seed in 0..6 {
        for shape in [[9, 4, 1], [7, 6, 2], [13, 6, 1]] {
            let mut draw = Draw::new(seed);
            let fabric = drawn(shape, &mut draw);
            let size = u32::try_from(shape[1]).unwrap();
            let usual = counts(&fabric, size);
            for _ in 0..12 {
                let Ok(links) = <[LinkId; 2]>::try_from(some(&fabric, 2, &mut draw)) else {
                    continue;
                };
                let Some(crossed) = swapped(&fabric, links, draw.below(2) == 1) else {
                    continue;
                };
                let planned = BTreeSet::from(links.map(|link| of_link(&fabric, link)));
                let found = told(&crossed);
                if counts(&crossed, size) == usual {
                    assert!(found.is_empty(), "{shape:?} {seed}: {links:?}");
                    seen[0] += 1;
                } else {
                    // Of groups of four one cable less hides which are of one.
                    seen[1] += 1;
                    seen[2] += found.len();
                    let restores = |told: &Told| told.restores(&planned);
                    assert!(found.iter().all(restores), "{shape:?} {seed}: {links:?}");
                }
            }
        }
    }
    assert!(
        seen[2] <= seen[1] && 20 * seen[2] >= 19 * seen[1],
        "{seen:?}"
    );
    assert!(seen[0] > 5 && seen[1] > 100, "{seen:?}");
}

/// With one cable to other groups a switch, two of one group that exchange the far ends have exchanged their names, too:
/// no file tells such a wiring from the one that was meant.
#[test]
fn two_cables_of_one_group_exchanged_are_the_same_wiring_by_other_names() {
    let fabric = dragonfly(1, 4, 1).unwrap();
    let edges = |fabric: &Fabric, renamed: [u32; 2]| -> BTreeSet<[u32; 2]> {
        let name = |number: u32| match renamed {
            [one, other] if number == one => other,
            [one, other] if number == other => one,
            _ => number,
        };
        let ends = trunks(fabric).into_iter().map(|link| {
            let mut ends = of_link(fabric, link).map(|(at, _)| name(at.number()));
            ends.sort_unstable();
            ends
        });
        ends.collect()
    };
    let between = |[one, other]: [u32; 2]| {
        let link = trunks(&fabric).into_iter().find(|&link| {
            let groups = of_link(&fabric, link).map(|(at, _)| at.number() / 4);
            groups == [one, other]
        });
        link.unwrap()
    };
    let links = [between([0, 1]), between([0, 2])];
    let switches = links.map(|link| of_link(&fabric, link)[0].0.number());
    let crossed = swapped(&fabric, links, false).unwrap();
    assert_ne!(edges(&crossed, [0, 0]), edges(&fabric, [0, 0]));
    assert_eq!(edges(&crossed, switches), edges(&fabric, [0, 0]));
    assert_eq!(counts(&crossed, 4), counts(&fabric, 4));
}

#[test]
fn several_pairs_are_told_each_by_itself() {
    let fabric = dragonfly(3, 6, 3).unwrap();
    for seed in 0..10 {
        let mut draw = Draw::new(seed);
        let links = some(&fabric, 6, &mut draw);
        let mut crossed = fabric.clone();
        let mut planned = Vec::new();
        for pair in links.chunks(2) {
            let pair = [pair[0], pair[1]];
            // What changes no count may be the same wiring in other ports.
            let next = swapped(&crossed, pair, false);
            let next = next.filter(|next| counts(next, 6) != counts(&crossed, 6));
            if let Some(next) = next {
                planned.push(BTreeSet::from(pair.map(|link| of_link(&fabric, link))));
                crossed = next;
            }
        }
        let found = told(&crossed);
        assert_eq!(found.len(), planned.len(), "{seed}: {planned:?}");
        for pair in planned {
            let restores = found.iter().filter(|told| told.restores(&pair));
            assert_eq!(restores.count(), 1, "{seed}: {pair:?}");
        }
    }
}
