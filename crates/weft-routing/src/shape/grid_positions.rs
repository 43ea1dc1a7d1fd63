//! Full meshes and tori: where each switch lies, and the links along each dimension.

use crate::error::RoutingError;
use crate::shape::extents_and_places;
use weft_fabric::{Fabric, Hop, Layout, SwitchId};

/// A full mesh or torus of any dimension; some dimensions may be closed to rings and others not.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    extents: Vec<u32>,
    /// Per dimension: whether its lines are rings.
    closed: Vec<bool>,
    /// Per switch and dimension: where it lies.
    positions: Vec<u32>,
    /// Per switch, dimension and way: the parallel links to its neighbour.
    links: Vec<Vec<Hop>>,
}

/// A way along a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// To larger positions.
    Forth,
    /// To smaller positions.
    Back,
}

impl Way {
    /// The other way along the same dimension.
    pub(crate) fn opposite(self) -> Self {
        match self {
            Self::Forth => Self::Back,
            Self::Back => Self::Forth,
        }
    }
}

impl Grid {
    /// Finds the grid that the switches of a part form: by the extents that its file or generator
    /// gives, else by its links alone. Every link is looked at in either case.
    pub(crate) fn of(fabric: &Fabric, part: &[SwitchId]) -> Result<Self, RoutingError> {
        let no_grid = |reason| RoutingError::NoGrid {
            fabric: fabric.name().to_owned(),
            reason,
        };
        let (extents, places): (Vec<u32>, Vec<u32>) = match fabric.layout() {
            Layout::Grid { extents } if part.len() == fabric.switch_count() => {
                let places = fabric.switch_ids().map(SwitchId::number).collect();
                (extents.clone(), places)
            }
            _ => extents_and_places(fabric, part).map_err(no_grid)?,
        };
        let mut grid = Self::without_links(extents, &places);
        grid.sort_links(fabric, part).map_err(no_grid)?;
        grid.check_links(fabric, part).map_err(no_grid)?;
        Ok(grid)
    }

    /// Finds a grid of which links may be missing, and whole switches: by the extents that its file
    /// or generator gives; without them it has to be full, and lines of two are joined to rings of four where it
    /// has more than so many dimensions otherwise.
    ///
    /// The lines of a dimension are rings where a link joins the ends of one of them.
    pub(crate) fn with_gaps(
        fabric: &Fabric,
        part: &[SwitchId],
        most_dimensions: usize,
    ) -> Result<Self, RoutingError> {
        let Layout::Grid { extents } = fabric.layout() else {
            return Self::of(fabric, part)?.with_rings_of_four(fabric, part, most_dimensions);
        };
        let places: Vec<u32> = fabric.switch_ids().map(SwitchId::number).collect();
        let mut grid = Self::without_links(extents.clone(), &places);
        grid.sort_links(fabric, part)
            .map_err(|reason| RoutingError::NoGrid {
                fabric: fabric.name().to_owned(),
                reason,
            })?;
        for dimension in 0..grid.dimensions() {
            let last = grid.extents[dimension] - 1;
            let closes = |&&switch: &&SwitchId| {
                let is_end = grid.position(switch, dimension) == last;
                is_end && !grid.links(switch, dimension, Way::Forth).is_empty()
            };
            grid.closed[dimension] = last > 1 && part.iter().any(|switch| closes(&switch));
        }
        Ok(grid)
    }

    /// The same full grid in as few dimensions, if lines of two can be joined to rings of four: two of them are
    /// such a ring to their links, and those whose ports follow one another are taken for one.
    fn with_rings_of_four(
        self,
        fabric: &Fabric,
        part: &[SwitchId],
        most_dimensions: usize,
    ) -> Result<Self, RoutingError> {
        if self.dimensions() <= most_dimensions {
            return Ok(self);
        }
        let mut extents = self.extents.clone();
        let mut positions: Vec<Vec<u32>> = (self.positions.chunks(extents.len()))
            .map(<[u32]>::to_vec)
            .collect();
        while extents.len() > most_dimensions {
            let mut lines = (0..extents.len()).filter(|&dimension| extents[dimension] == 2);
            let (Some(one), Some(other)) = (lines.next(), lines.next()) else {
                return Ok(self);
            };
            extents[one] = 4;
            extents.remove(other);
            for own in &mut positions {
                if own.remove(other) == 1 {
                    own[one] = 3 - own[one];
                }
            }
        }
        let place = |own: &Vec<u32>| {
            let digits = own.iter().zip(&extents).rev();
            digits.fold(0, |place, (at, extent)| place * extent + at)
        };
        let places: Vec<u32> = positions.iter().map(place).collect();
        let no_grid = |reason| RoutingError::NoGrid {
            fabric: fabric.name().to_owned(),
            reason,
        };
        let mut grid = Self::without_links(extents, &places);
        grid.sort_links(fabric, part).map_err(no_grid)?;
        grid.check_links(fabric, part).map_err(no_grid)?;
        Ok(grid)
    }

    fn without_links(extents: Vec<u32>, places: &[u32]) -> Self {
        let mut positions = Vec::with_capacity(places.len() * extents.len());
        for &place in places {
            let mut rest = place;
            for extent in &extents {
                positions.push(rest % extent);
                rest /= extent;
            }
        }
        Self {
            closed: vec![false; extents.len()],
            links: vec![Vec::new(); 2 * positions.len()],
            positions,
            extents,
        }
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.extents.len()
    }

    /// Counts the switches along a dimension.
    pub(crate) fn extent(&self, dimension: usize) -> u32 {
        self.extents[dimension]
    }

    pub(crate) fn is_closed(&self, dimension: usize) -> bool {
        self.closed[dimension]
    }

    pub(crate) fn position(&self, switch: SwitchId, dimension: usize) -> u32 {
        self.positions[switch.index() * self.dimensions() + dimension]
    }

    /// The parallel links from a switch to its neighbour along a dimension.
    pub(crate) fn links(&self, from: SwitchId, dimension: usize, way: Way) -> &[Hop] {
        &self.links[self.links_at(from, dimension, way)]
    }

    fn links_at(&self, from: SwitchId, dimension: usize, way: Way) -> usize {
        2 * (from.index() * self.dimensions() + dimension) + usize::from(way == Way::Forth)
    }

    /// Along which dimension and which way two switches are neighbours, wherever a link
    /// could join them; `None` if they are not.
    fn way(&self, from: SwitchId, to: SwitchId) -> Option<(usize, Way)> {
        let differs = |&d: &usize| self.position(from, d) != self.position(to, d);
        let mut dimensions = (0..self.dimensions()).filter(differs);
        let (dimension, None) = (dimensions.next()?, dimensions.next()) else {
            return None;
        };
        let extent = self.extents[dimension];
        let [here, there] = [from, to].map(|switch| self.position(switch, dimension));
        if there == here + 1 {
            Some((dimension, Way::Forth))
        } else if here == there + 1 {
            Some((dimension, Way::Back))
        } else if there == 0 && here == extent - 1 {
            Some((dimension, Way::Forth))
        } else if here == 0 && there == extent - 1 {
            Some((dimension, Way::Back))
        } else {
            None
        }
    }

    /// Sorts the links by dimension and way, and makes sure that they join neighbours.
    fn sort_links(&mut self, fabric: &Fabric, part: &[SwitchId]) -> Result<(), String> {
        let name = |switch: SwitchId| &fabric.switch(switch).name;
        for &from in part {
            for &hop in fabric.hops(from) {
                let Some((dimension, way)) = self.way(from, hop.switch) else {
                    return Err(format!(
                        "a link joins “{}” and “{}”, which are no neighbours on a line",
                        name(from),
                        name(hop.switch)
                    ));
                };
                let place = self.links_at(from, dimension, way);
                self.links[place].push(hop);
            }
        }
        Ok(())
    }

    /// Makes sure that neighbours along every line are joined, and the ends of all lines of a
    /// dimension or of none.
    fn check_links(&mut self, fabric: &Fabric, part: &[SwitchId]) -> Result<(), String> {
        let name = |switch: SwitchId| &fabric.switch(switch).name;
        let switches = || part.iter().copied();
        for dimension in 0..self.dimensions() {
            let last = self.extents[dimension] - 1;
            let missing = |&switch: &SwitchId| self.links(switch, dimension, Way::Forth).is_empty();
            let at_end = |switch: &SwitchId| self.position(*switch, dimension) == last;
            let axis = dimension + 1;
            if let Some(from) = switches().find(|s| !at_end(s) && missing(s)) {
                return Err(format!(
                    "no link leads from “{}” on along dimension {axis}",
                    name(from)
                ));
            }
            if last < 2 {
                continue;
            }
            let mut ends = switches().filter(at_end);
            let (open, closed) = (ends.clone().find(missing), ends.find(|s| !missing(s)));
            if let (Some(open), Some(closed)) = (open, closed) {
                return Err(format!(
                    "the line of “{}” along dimension {axis} is closed to a ring, that of “{}” is not",
                    name(closed),
                    name(open)
                ));
            }
            self.closed[dimension] = closed.is_some();
        }
        Ok(())
    }
}
