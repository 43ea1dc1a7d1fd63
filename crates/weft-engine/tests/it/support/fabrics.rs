//! Random fabrics: grids, rings, stars, trees with extra and parallel links, pairs of switches with
//! several links, single switches; zero to many hosts a switch, up to more than a switch with 64
//! ports has; ports in order, or shuffled with gaps, now and then among 254; now and then a cable
//! from a switch to itself; now and then a generated topology of about a hundred switches. Some without
//! the links, switches and hosts that failed. All hosts are in one part, two at least.

use super::random::Draws;
use weft_fabric::degrade::{Chosen, Failures, Keep, degrade};
use weft_fabric::generate::{DragonflyPlusParameters, IrregularParameters, JellyfishParameters};
use weft_fabric::metrics::connected_parts;
use weft_fabric::{
    Endpoint, Fabric, FabricBuilder, Host, Node, PortNumber, Switch, SwitchId, generate,
};
use weft_routing::Refusal;
use weft_routing::algorithms::Algorithm;

/// A fabric and what it is.
pub(crate) struct DrawnFabric {
    pub(crate) fabric: Fabric,
    pub(crate) description: String,
    /// Parts of it failed.
    pub(crate) is_degraded: bool,
}

/// A fabric before its ports are numbered.
struct Outline {
    kind: &'static str,
    switch_count: usize,
    links: Vec<[usize; 2]>,
    /// Per host: its switch.
    hosts: Vec<usize>,
}

/// How ports are numbered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ports {
    InOrder,
    Shuffled,
    Sparse,
}

/// Draws before none is found that an algorithm can route.
const MOST_DRAWS: usize = 40;

/// A random fabric that an algorithm can route: `route` tells how. One that wants a whole tree gets one.
pub(crate) fn draw_for<R>(
    draws: &mut Draws,
    algorithm: &Algorithm,
    route: impl Fn(&mut Draws, &mut DrawnFabric) -> Option<R>,
) -> Option<(DrawnFabric, R)> {
    (0..MOST_DRAWS).find_map(|_| {
        let mut drawn = if algorithm.refuses.contains(&Refusal::Tree) {
            tree(draws)
        } else if algorithm.refuses.contains(&Refusal::JoinedLines) {
            joined_lines(draws)
        } else if algorithm.refuses.contains(&Refusal::JoinedGroups) {
            joined_groups(draws)
        } else {
            whole(draws)
        };
        // Of the project's algorithms all know switches that nothing leads to.
        let keep = *draws.choose(&[Keep::LargestPart, Keep::AllParts]);
        fail_some(draws, &mut drawn, keep);
        let routing = route(draws, &mut drawn)?;
        Some((drawn, routing))
    })
}

/// A whole tree of two or three levels.
fn tree(draws: &mut Draws) -> DrawnFabric {
    let levels = 2 + draws.index(2);
    let children: Vec<u32> = (0..levels).map(|_| draws.between_u32(1, 3)).collect();
    let mut parents: Vec<u32> = (0..levels).map(|_| draws.between_u32(1, 3)).collect();
    parents[0] = 1;
    let text = format!("tree of {children:?} children and {parents:?} parents");
    match generate::xgft(&children, &parents) {
        Ok(fabric) if fabric.host_count() > 1 => DrawnFabric::whole(fabric, text),
        _ => whole(draws),
    }
}

/// A whole HyperX of one to three dimensions, with one link or two along each line.
fn joined_lines(draws: &mut Draws) -> DrawnFabric {
    let extents: Vec<u32> = (0..=draws.index(3))
        .map(|_| draws.between_u32(2, 3))
        .collect();
    let links: Vec<u32> = extents.iter().map(|_| draws.between_u32(1, 2)).collect();
    let text = format!("HyperX of {extents:?} switches and {links:?} links");
    let hosts = draws.between_u32(1, 2);
    DrawnFabric::whole(generate::hyperx(&extents, &links, hosts).unwrap(), text)
}

/// A whole dragonfly+ of two to four groups.
fn joined_groups(draws: &mut Draws) -> DrawnFabric {
    let parameters = DragonflyPlusParameters {
        groups: draws.between_u32(2, 4),
        leaves: draws.between_u32(1, 2),
        spines: draws.between_u32(1, 3),
        hosts: draws.between_u32(1, 2),
        links: draws.between_u32(1, 3),
    };
    let fabric = generate::dragonfly_plus(parameters).unwrap();
    DrawnFabric::whole(fabric, format!("{parameters:?}"))
}

impl DrawnFabric {
    fn whole(fabric: Fabric, description: String) -> Self {
        Self {
            fabric,
            description,
            is_degraded: false,
        }
    }
}

/// A random fabric in one part.
pub(crate) fn draw(draws: &mut Draws) -> DrawnFabric {
    let mut drawn = whole(draws);
    fail_some(draws, &mut drawn, Keep::LargestPart);
    drawn
}

/// Now and then parts of a fabric fail, unless that leaves too little of it.
fn fail_some(draws: &mut Draws, drawn: &mut DrawnFabric, keep: Keep) {
    if !draws.once_in(8) {
        return;
    }
    let failures = failures(draws, keep);
    let left = degrade(&drawn.fabric, &failures).map(|degraded| degraded.fabric);
    if let Ok(left) = left
        && left != drawn.fabric
        && joins_two_hosts(&left)
    {
        *drawn = DrawnFabric {
            description: format!("{}, degraded by {failures:?}", drawn.description),
            fabric: left,
            is_degraded: true,
        };
    }
}

/// Random failures, of links above all.
pub(crate) fn failures(draws: &mut Draws, keep: Keep) -> Failures {
    let mut share = |shares: &[u64]| {
        let percent = *draws.choose(shares);
        let names = Vec::new();
        let share = (percent > 0).then(|| format!("{percent}%").parse().unwrap());
        Chosen { names, share }
    };
    Failures {
        links: share(&[5, 10, 25, 40]),
        switches: share(&[0, 0, 10, 25]),
        hosts: share(&[0, 0, 0, 25]),
        seed: draws.between(0, 1_000),
        keep,
    }
}

/// Whether there are two hosts or more, and all in one part.
pub(crate) fn joins_two_hosts(fabric: &Fabric) -> bool {
    let has_hosts = |part: &Vec<SwitchId>| part.iter().any(|&at| !fabric.hosts_of(at).is_empty());
    let parts = connected_parts(fabric);
    fabric.host_count() > 1 && parts.iter().filter(|part| has_hosts(part)).count() == 1
}

/// A random fabric without failures.
fn whole(draws: &mut Draws) -> DrawnFabric {
    if draws.once_in(200) {
        return generated(draws);
    }
    let mut outline = match draws.between(0, 9) {
        _ if draws.once_in(100) => long(draws),
        0 => grid(draws, false),
        1 | 2 => grid(draws, true),
        3 => ring(draws),
        4 => star(draws),
        5 => parallel_pair(draws),
        6 => single(draws),
        _ => tree_with_extra_links(draws),
    };
    if draws.once_in(8) {
        let switch = draws.index(outline.switch_count);
        outline.links.push([switch, switch]);
    }
    place_hosts(draws, &mut outline);
    let ports = *draws.choose(&[
        Ports::InOrder,
        Ports::InOrder,
        Ports::Shuffled,
        Ports::Sparse,
    ]);
    let description = format!(
        "{} of {} switches, {} links between them, {} hosts, ports {}",
        outline.kind,
        outline.switch_count,
        outline.links.len(),
        outline.hosts.len(),
        match ports {
            Ports::InOrder => "in order",
            Ports::Shuffled => "shuffled",
            Ports::Sparse => "shuffled among 254",
        }
    );
    DrawnFabric::whole(build(draws, &outline, ports), description)
}

/// One of the project's topologies with 90 to 130 switches.
fn generated(draws: &mut Draws) -> DrawnFabric {
    let seed = draws.between(0, 1_000);
    let (switches, hosts_per_switch) = (100, 1);
    let fabric = match draws.index(7) {
        0 => generate::torus_of(&[5, 5, 4], 1),
        1 => generate::mesh(10, 10, 1),
        2 => generate::hyperx(&[10, 10], &[1], 1),
        3 => generate::dragonfly(1, 5, 4),
        4 => generate::xgft(&[2, 4, 4], &[1, 3, 4]),
        5 => generate::jellyfish(&JellyfishParameters {
            switches,
            degree: 4,
            hosts_per_switch,
            seed,
        }),
        _ => generate::irregular(&IrregularParameters {
            switches,
            hosts_per_switch,
            seed,
            ..IrregularParameters::default()
        }),
    };
    let fabric = fabric.unwrap();
    let text = format!("{}, seed {seed}", fabric.name());
    DrawnFabric::whole(fabric, text)
}

fn outline(kind: &'static str, switch_count: usize, links: Vec<[usize; 2]>) -> Outline {
    Outline {
        kind,
        switch_count,
        links,
        hosts: Vec::new(),
    }
}

fn grid(draws: &mut Draws, is_torus: bool) -> Outline {
    let (columns, rows) = (1 + draws.index(4), 1 + draws.index(4));
    grid_of(columns, rows, is_torus)
}

/// A fabric so long that much happens far from either end.
fn long(draws: &mut Draws) -> Outline {
    let (rows, is_torus) = (1 + draws.index(3), draws.once_in(2));
    grid_of(12 + draws.index(90) / rows, rows, is_torus)
}

fn grid_of(columns: usize, rows: usize, is_torus: bool) -> Outline {
    let mut links = Vec::new();
    for y in 0..rows {
        for x in 0..columns {
            // A torus of extent 2 has two parallel links here.
            if x + 1 < columns || (is_torus && columns > 1) {
                links.push([y * columns + x, y * columns + (x + 1) % columns]);
            }
            if y + 1 < rows || (is_torus && rows > 1) {
                links.push([y * columns + x, (y + 1) % rows * columns + x]);
            }
        }
    }
    outline(
        if is_torus { "torus" } else { "mesh" },
        columns * rows,
        links,
    )
}

fn ring(draws: &mut Draws) -> Outline {
    let count = 3 + draws.index(6);
    outline(
        "ring",
        count,
        (0..count).map(|s| [s, (s + 1) % count]).collect(),
    )
}

fn star(draws: &mut Draws) -> Outline {
    let leaves = 2 + draws.index(9);
    outline(
        "star",
        leaves + 1,
        (1..=leaves).map(|leaf| [0, leaf]).collect(),
    )
}

fn parallel_pair(draws: &mut Draws) -> Outline {
    outline("pair", 2, vec![[0, 1]; 1 + draws.index(4)])
}

fn single(_: &mut Draws) -> Outline {
    outline("single switch", 1, Vec::new())
}

fn tree_with_extra_links(draws: &mut Draws) -> Outline {
    let count = 2 + draws.index(9);
    let mut links: Vec<_> = (1..count)
        .map(|switch| [draws.index(switch), switch])
        .collect();
    for _ in 0..draws.index(2 * count) {
        let ends = [draws.index(count), draws.index(count)];
        if ends[0] != ends[1] {
            links.push(ends);
        }
    }
    outline("tree with extra links", count, links)
}

fn place_hosts(draws: &mut Draws, outline: &mut Outline) {
    let most_per_switch = match outline.switch_count {
        1 if draws.once_in(6) => 60 + draws.index(140),
        1 => 2 + draws.index(20),
        2..=4 => 1 + draws.index(5),
        _ => 1 + draws.index(3),
    };
    let is_even = draws.once_in(2);
    for switch in 0..outline.switch_count {
        let count = if is_even {
            most_per_switch
        } else {
            draws.index(most_per_switch + 1)
        };
        outline.hosts.extend(std::iter::repeat_n(switch, count));
    }
    while outline.hosts.len() < 2 {
        outline.hosts.push(draws.index(outline.switch_count));
    }
    if draws.once_in(2) {
        draws.shuffle(&mut outline.hosts);
    }
}

fn build(draws: &mut Draws, outline: &Outline, ports: Ports) -> Fabric {
    let mut builder = FabricBuilder::new("random");
    let mut free_ports = Vec::new();
    for switch in 0..outline.switch_count {
        let ends = outline.hosts.iter().chain(outline.links.as_flattened());
        let wired = ends.filter(|&&end| end == switch).count();
        let port_count = match ports {
            Ports::InOrder => wired,
            Ports::Shuffled => wired + draws.index(6),
            Ports::Sparse => 254,
        };
        let port_count = u8::try_from(port_count.max(1)).unwrap();
        let mut free: Vec<u8> = (1..=port_count).rev().collect();
        if ports != Ports::InOrder {
            draws.shuffle(&mut free);
        }
        free_ports.push(free);
        let name = format!("sw{switch}");
        builder.add_switch(Switch::new(name, port_count)).unwrap();
    }
    let mut switch_end = |switch: usize| Endpoint {
        node: Node::Switch(SwitchId::from_index(switch)),
        port: PortNumber::new(free_ports[switch].pop().unwrap()),
    };
    for (index, &switch) in outline.hosts.iter().enumerate() {
        let host = builder.add_host(Host::new(format!("host{index}"))).unwrap();
        let host = Endpoint {
            node: Node::Host(host),
            port: PortNumber::new(1),
        };
        let ends = if draws.once_in(4) {
            [switch_end(switch), host]
        } else {
            [host, switch_end(switch)]
        };
        builder.add_link(ends[0], ends[1], None).unwrap();
    }
    for &[first, second] in &outline.links {
        let (first, second) = (switch_end(first), switch_end(second));
        builder.add_link(first, second, None).unwrap();
    }
    builder.build().unwrap()
}
