//! HyperX networks: lines of switches along each dimension, each joined with all others of its line.

use crate::error::RoutingError;
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::{Fabric, SwitchId, metrics, narrow};

/// A grid in which every two switches of a line are joined, by any number of links.
#[derive(Clone, Debug)]
pub(crate) struct JoinedLines {
    /// Per dimension: the switches of a line.
    extents: Vec<u32>,
    /// Per switch and dimension: where it lies.
    positions: Vec<u32>,
}

impl JoinedLines {
    /// Finds the HyperX that the switches of a part form, by its links alone: dimensions come in the order of the ports of
    /// the first switch.
    ///
    /// Neighbours of the first switch are on one line with it if they are neighbours of one another; any other switch lies,
    /// along each dimension, where the nearest switch of that line does.
    /// Time O(D·E) for E links and lines of D switches in all.
    pub(crate) fn of(fabric: &Fabric, part: &[SwitchId]) -> Result<Self, RoutingError> {
        let no_lines = |reason| RoutingError::NoJoinedLines {
            fabric: fabric.name().to_owned(),
            reason,
        };
        let lines = lines_of(fabric, part[0]);
        let extents: Vec<u32> = lines
            .iter()
            .map(|line| narrow(line.len(), "a switch has 254 neighbours at most"))
            .collect();
        let mut found = Self {
            positions: vec![0; fabric.switch_count() * extents.len()],
            extents,
        };
        for (dimension, line) in lines.iter().enumerate() {
            let links: Vec<Vec<u32>> = line
                .iter()
                .map(|&switch| metrics::distances_from(fabric, switch))
                .collect();
            for &switch in part {
                let nearest = (0..)
                    .zip(&links)
                    .min_by_key(|(_, links)| links[switch.index()]);
                let place = switch.index() * lines.len() + dimension;
                found.positions[place] = nearest.map_or(0, |(position, _)| position);
            }
        }
        found.check(fabric, part).map_err(no_lines)?;
        Ok(found)
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.extents.len()
    }

    /// The dimensions along which two switches lie apart, ascending.
    pub(crate) fn apart(
        &self,
        [one, other]: [SwitchId; 2],
    ) -> impl Iterator<Item = usize> + use<'_> {
        let at = move |switch: SwitchId, dimension| {
            self.positions[switch.index() * self.dimensions() + dimension]
        };
        (0..self.dimensions()).filter(move |&dimension| at(one, dimension) != at(other, dimension))
    }

    /// Makes sure that no two switches lie at one place, that links join switches of a line, and that every line is joined.
    fn check(&self, fabric: &Fabric, part: &[SwitchId]) -> Result<(), String> {
        let name = |switch: SwitchId| &fabric.switch(switch).name;
        let mut places = BTreeMap::new();
        let neighbours: u32 = self.extents.iter().map(|extent| extent - 1).sum();
        for &switch in part {
            let first = switch.index() * self.dimensions();
            let place = &self.positions[first..first + self.dimensions()];
            if let Some(other) = places.insert(place, switch) {
                let (one, other) = (name(other), name(switch));
                return Err(format!("“{one}” and “{other}” would lie at one place"));
            }
            let joined: BTreeSet<SwitchId> =
                fabric.hops(switch).iter().map(|hop| hop.switch).collect();
            if let Some(&other) = joined
                .iter()
                .find(|&&other| self.apart([switch, other]).count() != 1)
            {
                let (one, other) = (name(switch), name(other));
                return Err(format!(
                    "a link joins “{one}” and “{other}”, which are on no line"
                ));
            }
            if joined.len() != neighbours as usize {
                let (one, found) = (name(switch), joined.len());
                return Err(format!(
                    "“{one}” is joined with {found} switches, not with all {neighbours} of its lines"
                ));
            }
        }
        let switches = self
            .extents
            .iter()
            .map(|&extent| u64::from(extent))
            .product::<u64>();
        if switches != part.len() as u64 {
            let found = part.len();
            return Err(format!(
                "its lines have room for {switches} switches, and there are {found}"
            ));
        }
        Ok(())
    }
}

/// The lines through a switch, itself the first of each.
fn lines_of(fabric: &Fabric, switch: SwitchId) -> Vec<Vec<SwitchId>> {
    let is_joined = |one: SwitchId, other| fabric.hops(one).iter().any(|hop| hop.switch == other);
    let mut lines: Vec<Vec<SwitchId>> = Vec::new();
    for hop in fabric.hops(switch) {
        if lines.iter().flatten().any(|&known| known == hop.switch) {
            continue;
        }
        match lines.iter_mut().find(|line| is_joined(line[1], hop.switch)) {
            Some(line) => line.push(hop.switch),
            None => lines.push(vec![switch, hop.switch]),
        }
    }
    lines
}
