//! Rail-optimised trees, of one or several planes.

use super::Topology;
use super::population::port;
use super::size::{at_least, check_size, product};
use crate::{Fabric, FabricBuilder, FabricError, Host, Node, Switch, SwitchId, narrow};
use weft_registry::{Kind, Spec};

/// The size of a rail-optimised tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RailTreeParameters {
    /// Units of computers that share their leaves.
    pub units: u32,
    /// Computers of a unit.
    pub computers: u32,
    /// Adapters of a computer, each on a rail of its own.
    pub rails: u32,
    /// Ports of an adapter, each on a plane of its own.
    pub planes: u32,
    /// Spines of a plane, or of each of its rails where these are apart.
    pub spines: u32,
    /// Whether a spine joins leaves of one rail alone.
    pub are_rails_apart: bool,
    /// Links between a leaf and a spine.
    pub links: u32,
}

/// Makes a rail-optimised tree: in each plane every unit has a leaf for each rail, with the same adapter of all its
/// computers, and spines join the leaves.
///
/// Planes follow one another, in each the leaves unit by unit, rail by rail, then the spines, rail by rail where rails are
/// apart. An adapter's end is called `node3 mlx5_1`, with several planes `node3 mlx5_1 port 2`. No link joins planes.
///
/// # Errors
/// [`FabricError::InvalidParameter`], [`FabricError::TooManyPorts`], [`FabricError::TooLarge`].
///
/// # Source
/// NVIDIA, "DGX `SuperPOD`: next generation scalable infrastructure for AI leadership, reference architecture"; of planes: Qian
/// et al., "Alibaba HPN: a data center network for large language model training", SIGCOMM 2024; of rails that are apart: Wang,
/// Ghobadi, Shakeri, Zhang, Hasani, "Rail-only: a low-cost high-performance network for training LLMs with trillion
/// parameters", Hot Interconnects 2024.
pub fn rail_tree(parameters: RailTreeParameters) -> Result<Fabric, FabricError> {
    let RailTreeParameters {
        units,
        computers,
        rails,
        planes,
        spines,
        are_rails_apart,
        links,
    } = parameters;
    for (parameter, found) in [
        ("units", units),
        ("computers", computers),
        ("rails", rails),
        ("planes", planes),
        ("spines", spines),
        ("links", links),
    ] {
        at_least(parameter, found, 1)?;
    }
    let (shares, joins) = if are_rails_apart {
        (rails, u64::from(units))
    } else {
        (1, product([units, rails]))
    };
    let spines_of_plane = product([spines, shares]);
    let of_plane = product([units, rails]).saturating_add(spines_of_plane);
    let of_leaf = product([spines, links]).saturating_add(computers.into());
    let of_spine = joins.saturating_mul(links.into());
    check_size(
        of_plane.saturating_mul(planes.into()),
        product([units, rails, computers, planes]),
        of_leaf.max(of_spine),
    )?;
    let of_plane: u32 = narrow(of_plane, "the size was checked");
    let of_planes = match planes {
        1 => String::new(),
        planes => format!("-planes{planes}"),
    };
    let name = format!("rail-tree-u{units}-n{computers}-r{rails}{of_planes}");
    let mut builder = FabricBuilder::new(name);
    let port_count = port(narrow(of_leaf.max(of_spine), "the size was checked")).number();
    for number in 0..of_plane * planes {
        builder.add_switch(Switch::new(format!("sw{number}"), port_count))?;
    }
    for (plane, first) in (0..planes).map(|plane| (plane, plane * of_plane)) {
        let on_plane = match planes {
            1 => String::new(),
            _ => format!(" port {}", plane + 1),
        };
        for (unit, rail) in (0..units).flat_map(|unit| (0..rails).map(move |rail| (unit, rail))) {
            let leaf = first + unit * rails + rail;
            for place in 0..computers {
                let end = format!("node{} mlx5_{rail}{on_plane}", unit * computers + place);
                let host = builder.add_host(Host::new(end))?;
                builder.attach_host(host, SwitchId::new(leaf), port(place + 1))?;
            }
            for (place, link) in
                (0..spines).flat_map(|place| (0..links).map(move |link| (place, link)))
            {
                let (share, below) = if are_rails_apart {
                    (rail, unit)
                } else {
                    (0, unit * rails + rail)
                };
                let spine = first + units * rails + share * spines + place;
                let up = port(computers + place * links + link + 1);
                let down = port(below * links + link + 1);
                let [low, high] = [(leaf, up), (spine, down)]
                    .map(|(switch, port)| Node::Switch(SwitchId::new(switch)).at(port.number()));
                builder.add_link(low, high, None)?;
            }
        }
    }
    builder.build()
}

/// As listed.
pub(super) const TOPOLOGY: Topology = Topology {
    name: "rail_tree",
    title: "Rail-optimised tree",
    summary: "Computers of a unit have their first adapters on one leaf, their second on another, and so on; spines join \
              the leaves, in each of one or several planes.",
    source: "NVIDIA, DGX SuperPOD reference architecture; Qian et al., Alibaba HPN, SIGCOMM 2024; Wang et al., Rail-only, \
             Hot Interconnects 2024",
    parameters: &[
        Spec::whole("units", 1, "4").says("Units of computers that share their leaves."),
        Spec::whole("computers", 1, "4").says("Computers of each unit."),
        Spec::whole("rails", 1, "4").says("Adapters of each computer, each on a rail of its own."),
        Spec::whole("planes", 1, "1")
            .says("Ports of each adapter, each on a plane of its own, which no link joins.")
            .or("1"),
        Spec::whole("spines", 1, "4")
            .says("Spines of each plane, or of each rail where rails are apart."),
        Spec::of("joined", Kind::Choice(&["all", "rail"]), "all")
            .says("The leaves that a spine joins: all of its plane, or those of its rail."),
        Spec::whole("links", 1, "1")
            .says("Links between a leaf and a spine.")
            .or("1"),
    ],
    make: |values| {
        rail_tree(RailTreeParameters {
            units: values.parsed("units"),
            computers: values.parsed("computers"),
            rails: values.parsed("rails"),
            planes: values.parsed("planes"),
            spines: values.parsed("spines"),
            are_rails_apart: values.is("joined", "rail"),
            links: values.parsed("links"),
        })
    },
};
