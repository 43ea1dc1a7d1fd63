//! Dimension order on meshes and tori with gaps: around broken rings and failed switches.

use crate::shape::{Grid, Way};
use weft_fabric::SwitchId;

/// Ways over a grid by destination alone.
///
/// A switch leads along the first dimension in which it differs from the destination: the short way
/// round, or if a link or switch is missing there, the long one. Where the switch at the end of that
/// line has failed, on which packets would turn, they go to beside it and turn there, one dimension
/// early. Then they are in another line, and the rule begins anew.
///
/// # Source
/// `OpenSM`, torus-2QoS(8), "Unicast routing".
#[derive(Clone, Debug)]
pub(crate) struct GridWays<'a> {
    grid: &'a Grid,
    /// Per place, counted along the first dimension, then the second, …: whether a switch is there.
    is_there: Vec<bool>,
}

impl<'a> GridWays<'a> {
    /// The ways between the switches of a part.
    pub(crate) fn new(grid: &'a Grid, part: &[SwitchId]) -> Self {
        let extents = (0..grid.dimensions()).map(|d| grid.extent(d) as usize);
        let mut ways = Self {
            is_there: vec![false; extents.product()],
            grid,
        };
        for &switch in part {
            let place = ways.place(switch, 0, grid.position(switch, 0));
            ways.is_there[place] = true;
        }
        ways
    }

    pub(crate) fn lacks_switches(&self) -> bool {
        self.is_there.contains(&false)
    }

    /// The place in line with a switch at a position along one dimension.
    fn place(&self, switch: SwitchId, dimension: usize, position: u32) -> usize {
        let positions = (0..self.grid.dimensions()).rev().map(|d| {
            let own = self.grid.position(switch, d);
            let here = if d == dimension { position } else { own };
            (here as usize, self.grid.extent(d) as usize)
        });
        positions.fold(0, |place, (here, extent)| place * extent + here)
    }

    /// The short way along a dimension to a position, were nothing missing. Where both ways
    /// round a ring are as short, odd positions go forth and even ones back.
    pub(crate) fn short_way(&self, from: SwitchId, dimension: usize, to: u32) -> Way {
        let here = self.grid.position(from, dimension);
        if !self.grid.is_closed(dimension) {
            return [Way::Back, Way::Forth][usize::from(to > here)];
        }
        let extent = self.grid.extent(dimension);
        let forth = (to + extent - here) % extent;
        let is_forth = match (2 * forth).cmp(&extent) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal => here % 2 == 1,
            std::cmp::Ordering::Greater => false,
        };
        [Way::Back, Way::Forth][usize::from(is_forth)]
    }

    /// Tells whether the short way along a dimension takes the link that closes the ring.
    pub(crate) fn crosses_dateline(&self, from: SwitchId, dimension: usize, to: u32) -> bool {
        let here = self.grid.position(from, dimension);
        match self.short_way(from, dimension, to) {
            Way::Forth => to < here,
            Way::Back => to > here,
        }
    }

    /// The dimension and the way by which a switch leads to another; `None` where it cannot.
    pub(crate) fn step(&self, from: SwitchId, to: SwitchId) -> Option<(usize, Way)> {
        let end = |d: usize| self.grid.position(to, d);
        let mut left =
            (0..self.grid.dimensions()).filter(|&d| self.grid.position(from, d) != end(d));
        let dimension = left.next()?;
        if let Some(way) = self.whole_way(from, dimension, end(dimension)) {
            return Some((dimension, way));
        }
        if self.is_there[self.place(from, dimension, end(dimension))] {
            // The ring is cut in two.
            return None;
        }
        let short = self.short_way(from, dimension, end(dimension));
        for way in [short, short.opposite()] {
            match self.links_to_beside(from, dimension, way, end(dimension)) {
                Some(0) => break,
                Some(_) => return Some((dimension, way)),
                None => {}
            }
        }
        left.find_map(|later| {
            let short = self.short_way(from, later, end(later));
            let has_link = |way: &Way| !self.grid.links(from, later, *way).is_empty();
            let any = || [short, short.opposite()].into_iter().find(has_link);
            let way = self.whole_way(from, later, end(later)).or_else(any)?;
            Some((later, way))
        })
    }

    /// The way along a line to a position on which nothing is missing, the short one if both
    /// are whole.
    fn whole_way(&self, from: SwitchId, dimension: usize, to: u32) -> Option<Way> {
        let short = self.short_way(from, dimension, to);
        let is_whole = |way: &Way| {
            let mut line = self.line(from, dimension, *way);
            line.any(|switch| self.grid.position(switch, dimension) == to)
        };
        [short, short.opposite()].into_iter().find(is_whole)
    }

    /// Counts the links from a switch to the neighbour of a position whose switch is missing;
    /// `None` where something is missing before.
    fn links_to_beside(
        &self,
        from: SwitchId,
        dimension: usize,
        way: Way,
        to: u32,
    ) -> Option<usize> {
        let line = self.line(from, dimension, way);
        let (links, last) = line.fold((0, from), |(links, _), switch| (links + 1, switch));
        let extent = self.grid.extent(dimension);
        let next = match way {
            Way::Forth => self.grid.position(last, dimension) + 1,
            Way::Back => self.grid.position(last, dimension) + extent - 1,
        };
        (next % extent == to).then_some(links)
    }

    /// The switches in line with one, that way, up to a gap or once round.
    fn line(
        &self,
        from: SwitchId,
        dimension: usize,
        way: Way,
    ) -> impl Iterator<Item = SwitchId> + '_ {
        let next = move |&at: &SwitchId| {
            let link = self.grid.links(at, dimension, way).first();
            link.map(|hop| hop.switch)
        };
        let count = self.grid.extent(dimension) as usize - 1;
        std::iter::successors(next(&from), next).take(count)
    }
}
