//! Grids of any dimension: what mesh, torus, express torus, ring and sub-meshes share.

use super::population::Population;
use super::size::{SMALL, at_least, check_size, invalid, joined, product};
use crate::{Fabric, FabricError, Layout, narrow};

/// Whether the last switch of a line is joined to the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    Open,
    Joined,
}

/// A grid in which every switch is joined to those at the given distances along all dimensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid<'a> {
    /// Switches along each dimension, x first.
    pub(super) extents: &'a [u32],
    pub(super) hosts_per_switch: u32,
    pub(super) ends: Ends,
    /// Distances along a line at which switches are joined, each in 1, 2, ….
    pub(super) strides: &'static [u32],
    /// Pairs of neighbours that are not joined, the smaller number first.
    pub(super) left_out: &'static [[u32; 2]],
}

/// Ports per stride and dimension: towards larger and towards smaller positions, in this order.
const PORTS_PER_LINE: usize = 2;

/// Refuses a two-dimensional grid with an empty side.
pub(super) fn check_sides(columns: u32, rows: u32) -> Result<(), FabricError> {
    at_least("columns", columns, 1)?;
    at_least("rows", rows, 1)
}

impl<'a> Grid<'a> {
    /// Joins every switch to its neighbours.
    pub(super) fn new(extents: &'a [u32], hosts_per_switch: u32, ends: Ends) -> Self {
        Self {
            extents,
            hosts_per_switch,
            ends,
            strides: &[1],
            left_out: &[],
        }
    }

    /// Builds the fabric, named by `kind` and the extents.
    ///
    /// Switch ids run along x first, then y, and so on. Ports after the hosts': for each stride,
    /// for each dimension, towards larger positions and towards smaller ones.
    pub(super) fn build(self, kind: &str) -> Result<Fabric, FabricError> {
        let name = format!("{kind}-{}", joined(self.extents));
        if self.extents.is_empty() || self.extents.contains(&0) {
            return Err(invalid(
                "extents",
                &joined(self.extents),
                "one number or several, 1 or more each",
            ));
        }
        let ports_per_stride = PORTS_PER_LINE * self.extents.len();
        let ports = ports_per_stride * self.strides.len();
        let switches = product(self.extents.iter().copied());
        // At least one host must fit beside the links; how many may, the population tells.
        check_size(switches, 0, ports as u64 + 1)?;
        let (switches, switch_ports) = (narrow(switches, SMALL), narrow(ports, SMALL));
        let population = Population {
            switches,
            hosts_per_switch: self.hosts_per_switch,
            switch_ports,
        };
        let layout = Layout::Grid {
            extents: self.extents.to_vec(),
        };
        let mut builder = population.start(name, layout)?;
        for (first_port, &stride) in (0..).step_by(ports_per_stride).zip(self.strides) {
            for here in 0..switches {
                let mut step = 1;
                for (port, &extent) in (first_port..).step_by(2).zip(self.extents) {
                    let position = here / step % extent;
                    if let Some(far) = self.far(position, stride, extent) {
                        let there = here - position * step + far * step;
                        if !self.left_out.contains(&[here.min(there), here.max(there)]) {
                            builder.add_link(
                                population.switch_port(here, port),
                                population.switch_port(there, port + 1),
                                None,
                            )?;
                        }
                    }
                    step *= extent;
                }
            }
        }
        builder.build()
    }

    /// The position a link of length `stride` leads to from `position` on a line of
    /// `extent` switches, if it is this switch's link to lay. No pair of switches gets two.
    fn far(self, position: u32, stride: u32, extent: u32) -> Option<u32> {
        match self.ends {
            Ends::Open => position.checked_add(stride).filter(|&far| far < extent),
            // Half-way round, both directions lead to the same switch; beyond, a shorter way
            // the other way round has joined the pair already.
            Ends::Joined if 2 * stride > extent => None,
            Ends::Joined if 2 * stride == extent && position >= stride => None,
            Ends::Joined => Some((position + stride) % extent),
        }
    }
}
