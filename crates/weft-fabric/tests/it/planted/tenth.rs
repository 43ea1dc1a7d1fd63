//! Up to a tenth of all cables pulled: what is told is true, whether it is told one by one or as what it may be.

use super::shapes::Room;
use super::{Draw, Ends, shapes, some, sorted, suspected, trunks, with_links};
use std::collections::BTreeSet;
use weft_fabric::metrics::{MissingEnd, Suspicion};
use weft_fabric::{Endpoint, Fabric, Link, Node};
use weft_testing::machines;

/// Whether a cable may be what is told, whichever end is which.
fn may_be(told: &[Vec<MissingEnd>; 2], [one, other]: &Ends) -> bool {
    let has = |end: &[MissingEnd], at: &Endpoint| {
        end.iter().any(|end| {
            let ports = end.ports.iter().map(|port| port.number());
            let mut ends = ports.map(|port| Node::Switch(end.switch).at(port));
            ends.any(|end| end == *at)
        })
    };
    let [here, there] = told;
    has(here, one) && has(there, other) || has(here, other) && has(there, one)
}

/// What is told of pulled cables.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    /// By a port at both ends.
    exactly: usize,
    /// As two switches, and ports of each that it may have been in.
    by_ports: usize,
    /// As one of the cables that may have been between some switches.
    among: usize,
    /// Told though it is not so.
    wrong: usize,
    pulled: usize,
}

impl Told {
    fn named(&self) -> usize {
        self.exactly + self.by_ports + self.among
    }

    /// Each cable told is one of those pulled, no two the same: sets are matched with cables, each with one it may be.
    fn of(fabric: &Fabric, pulled: &BTreeSet<Ends>, found: &[Suspicion]) -> Self {
        let mut told = Self {
            pulled: pulled.len(),
            ..Self::default()
        };
        let pulled: Vec<Ends> = pulled.iter().copied().collect();
        let mut of_cable: Vec<Option<usize>> = vec![None; pulled.len()];
        let mut sets: Vec<[Vec<MissingEnd>; 2]> = Vec::new();
        for suspicion in found {
            let (count, ends) = match suspicion {
                Suspicion::MissingCable { ends } => (1, ends.clone().map(|end| vec![end])),
                Suspicion::MissingAmong { count, ends } => (*count, ends.clone()),
                _ => continue,
            };
            for _ in 0..count {
                sets.push(ends.clone());
                let mut seen = BTreeSet::new();
                if !matched(&sets, &pulled, sets.len() - 1, &mut of_cable, &mut seen) {
                    told.wrong += 1;
                    if std::env::var("SHOW").is_ok() {
                        println!("  {}: {}", fabric.name(), shown(fabric, &ends));
                        if let [one] = &ends[0][..]
                            && let [other] = &ends[1][..]
                        {
                            let of = |s| {
                                fabric
                                    .hops(s)
                                    .iter()
                                    .map(|h| h.port.number())
                                    .collect::<Vec<_>>()
                            };
                            let pair = [one.switch, other.switch].map(|s| Node::Switch(s));
                            let same: Vec<_> = pulled
                                .iter()
                                .filter(|e| e.iter().all(|e| pair.contains(&e.node)))
                                .map(|e| (e[0].port.number(), e[1].port.number()))
                                .collect();
                            let left: Vec<_> = fabric
                                .hops(one.switch)
                                .iter()
                                .filter(|h| h.switch == other.switch)
                                .map(|h| (h.port.number(), fabric.target(h.channel).port.number()))
                                .collect();
                            println!(
                                "    true of the pair {same:?}; left {left:?}; {} and {} links",
                                of(one.switch).len(),
                                of(other.switch).len()
                            );
                        }
                    }
                    continue;
                }
                match &ends {
                    [one, other] if one.len() > 1 || other.len() > 1 => told.among += 1,
                    _ if ends.iter().flatten().any(|end| end.ports.len() > 1) => told.by_ports += 1,
                    _ => told.exactly += 1,
                }
            }
        }
        told
    }
}

fn shown(fabric: &Fabric, ends: &[Vec<MissingEnd>; 2]) -> String {
    let side = |end: &Vec<MissingEnd>| {
        end.iter()
            .map(|e| {
                format!(
                    "{}:{:?}",
                    fabric.switch(e.switch).name,
                    e.ports.iter().map(|p| p.number()).collect::<Vec<_>>()
                )
            })
            .collect::<Vec<_>>()
            .join(" ")
    };
    format!("{} -- {}", side(&ends[0]), side(&ends[1]))
}

fn matched(
    sets: &[[Vec<MissingEnd>; 2]],
    pulled: &[Ends],
    set: usize,
    of_cable: &mut [Option<usize>],
    seen: &mut BTreeSet<usize>,
) -> bool {
    for cable in 0..pulled.len() {
        if !may_be(&sets[set], &pulled[cable]) || !seen.insert(cable) {
            continue;
        }
        let is_free = match of_cable[cable] {
            None => true,
            Some(other) => matched(sets, pulled, other, of_cable, seen),
        };
        if is_free {
            of_cable[cable] = Some(set);
            return true;
        }
    }
    false
}

fn pulled(fabric: &Fabric, count: usize, seed: u64) -> Told {
    let pulled = some(fabric, count, &mut Draw::new(seed));
    let left = fabric.link_ids().filter(|id| !pulled.contains(id));
    let links: Vec<Link> = left.map(|id| *fabric.link(id)).collect();
    let ends = pulled
        .iter()
        .map(|&id| sorted(fabric.link(id).ends))
        .collect();
    let fabric = with_links(fabric, &links);
    Told::of(&fabric, &ends, &suspected(&fabric))
}

/// Leaves and spines with trunks of some cables: next to each other, in the other order at spines, in turns, or in ports as
/// they come.
fn trunked(
    name: &str,
    leaves: usize,
    spines: usize,
    wide: usize,
    order: impl Fn(usize, usize, usize) -> [usize; 2],
) -> Fabric {
    let ports = |used: usize| u8::try_from(used).unwrap();
    let mut room = Room::new(name);
    let all = [("leaf", leaves, spines), ("spine", spines, leaves)];
    let [lower, upper] =
        all.map(|(name, count, others)| room.switches(name, count, ports(others * wide + 12)));
    for &leaf in &lower {
        room.hosts(leaf, 10);
    }
    for (leaf, &lower) in lower.iter().enumerate() {
        for (spine, &upper) in upper.iter().enumerate() {
            for cable in 0..wide {
                let [here, there] = order(leaf, spine, cable);
                room.cable([lower, upper], [ports(11 + here), ports(1 + there)]);
            }
        }
    }
    room.build()
}

fn shapes_with_trunks() -> Vec<Fabric> {
    let mut all = Vec::new();
    for wide in [2, 3, 4] {
        let (leaves, spines) = (24, 6);
        all.push(trunked(
            &format!("beside {wide}"),
            leaves,
            spines,
            wide,
            |leaf, spine, cable| [spine * wide + cable, leaf * wide + cable],
        ));
        all.push(trunked(
            &format!("reversed {wide}"),
            leaves,
            spines,
            wide,
            |leaf, spine, cable| [spine * wide + cable, leaf * wide + wide - 1 - cable],
        ));
        all.push(trunked(
            &format!("in turns {wide}"),
            leaves,
            spines,
            wide,
            |leaf, spine, cable| [cable * spines + spine, cable * leaves + leaf],
        ));
        all.push(trunked(
            &format!("half in turns {wide}"),
            leaves,
            spines,
            wide,
            |leaf, spine, cable| [cable * spines + spine, leaf * wide + cable],
        ));
        all.push(trunked(
            &format!("twisted {wide}"),
            leaves,
            spines,
            wide,
            |leaf, spine, cable| {
                [
                    spine * wide + cable,
                    leaf * wide + (cable + leaf + spine) % wide,
                ]
            },
        ));
        let mut draw = Draw::new(5);
        let mut shuffled = |count: usize| {
            let mut order: Vec<usize> = (0..count).collect();
            for at in (1..count).rev() {
                order.swap(at, draw.below(at + 1));
            }
            order
        };
        let of_leaves: Vec<Vec<usize>> = (0..leaves).map(|_| shuffled(spines * wide)).collect();
        let of_spines: Vec<Vec<usize>> = (0..spines).map(|_| shuffled(leaves * wide)).collect();
        all.push(trunked(
            &format!("any {wide}"),
            leaves,
            spines,
            wide,
            |leaf, spine, cable| {
                [
                    of_leaves[leaf][spine * wide + cable],
                    of_spines[spine][leaf * wide + cable],
                ]
            },
        ));
        all.push(trunked(
            &format!("spines any {wide}"),
            leaves,
            spines,
            wide,
            |leaf, spine, cable| [spine * wide + cable, of_spines[spine][leaf * wide + cable]],
        ));
        all.push(trunked(
            &format!("leaves any {wide}"),
            leaves,
            spines,
            wide,
            |leaf, spine, cable| [of_leaves[leaf][spine * wide + cable], leaf * wide + cable],
        ));
    }
    all
}

#[test]
fn measure() {
    let mut fabrics = shapes_with_trunks();
    fabrics.extend(shapes::all());
    fabrics.extend(machines::all().iter().map(|room| room.fabric()));
    for room in [
        machines::dragonfly_plus(),
        machines::unequal_uplinks(),
        machines::wide_trunks(),
        machines::dealt_ports(),
        machines::dragonfly_plus_with_one_cable_a_pair(),
        machines::dragonfly_plus_as_it_comes(),
        machines::dragonfly_plus_in_any_ports(),
    ] {
        fabrics.push(room.fabric());
    }
    let seeds: u64 = std::env::var("SEEDS").map_or(5, |s| s.parse().unwrap());
    let only = std::env::var("ONLY").unwrap_or_default();
    for fabric in &fabrics {
        if !fabric.name().contains(&only) {
            continue;
        }
        let all = trunks(fabric).len();
        let mut line = format!("{:28} {all:6}:", fabric.name());
        for hundredths in [1, 2, 5, 10] {
            let count = (all * hundredths / 100).max(1);
            let mut sum = Told::default();
            for seed in 0..seeds {
                let told = pulled(fabric, count, seed);
                sum.exactly += told.exactly;
                sum.by_ports += told.by_ports;
                sum.among += told.among;
                sum.wrong += told.wrong;
                sum.pulled += told.pulled;
            }
            line += &format!(
                " {hundredths}%: {} wrong {:5.1}% ({:3.0} {:3.0} {:3.0});",
                sum.wrong,
                100. * sum.named() as f64 / sum.pulled as f64,
                100. * sum.exactly as f64 / sum.pulled as f64,
                100. * sum.by_ports as f64 / sum.pulled as f64,
                100. * sum.among as f64 / sum.pulled as f64
            );
        }
        println!("{line}");
    }
}
