//! The routes of one source, as an algorithm finds them.

use crate::form::Lane;
use weft_fabric::{PortNumber, narrow};

/// The routes of one source, while an algorithm collects them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RouteRow {
    /// Per destination in order: number of steps.
    pub lengths: Vec<u16>,
    /// All steps, destination after destination.
    pub steps: Vec<PortNumber>,
    /// The lane of each step; steps beyond its end have lane 0.
    lanes: Vec<Lane>,
}

impl RouteRow {
    /// A row of steps that all have lane 0.
    pub fn new(lengths: Vec<u16>, steps: Vec<PortNumber>) -> Self {
        Self {
            lengths,
            steps,
            lanes: Vec::new(),
        }
    }

    /// The steps of each route, destination after destination.
    pub(crate) fn routes(&self) -> impl Iterator<Item = &[PortNumber]> {
        let mut rest = self.steps.as_slice();
        self.lengths.iter().map(move |&length| {
            let (route, after) = rest.split_at(usize::from(length));
            rest = after;
            route
        })
    }

    /// Appends the route to the next destination, all on lane 0.
    ///
    /// # Panics
    /// When a route has more than 65,535 steps, which no loop-free route over a fabric that fits
    /// memory has.
    pub fn push(&mut self, steps: impl IntoIterator<Item = PortNumber>) {
        let before = self.steps.len();
        self.steps.extend(steps);
        let length = self.steps.len() - before;
        self.lengths
            .push(narrow(length, "a route has at most 65,535 steps"));
    }

    /// Appends room for so many steps to the next destination, all on lane 0.
    ///
    /// # Panics
    /// As [`push`](Self::push).
    #[inline]
    pub(crate) fn push_room(&mut self, length: usize) {
        let before = self.steps.len();
        self.steps.resize(before + length, PortNumber::new(0));
        self.lengths
            .push(narrow(length, "a route has at most 65,535 steps"));
    }

    /// Appends the route to the next destination, each step with its lane.
    ///
    /// # Panics
    /// As [`push`](Self::push).
    pub fn push_on_lanes(&mut self, steps: impl IntoIterator<Item = (PortNumber, Lane)>) {
        self.lanes.resize(self.steps.len(), Lane::ZERO);
        let (ports, lanes): (Vec<_>, Vec<_>) = steps.into_iter().unzip();
        self.lanes.extend(lanes);
        self.push(ports);
    }

    /// A row of routes, each step with its lane.
    ///
    /// # Panics
    /// As [`push`](Self::push).
    pub fn on_lanes<R: IntoIterator<Item = (PortNumber, Lane)>>(
        routes: impl IntoIterator<Item = R>,
    ) -> Self {
        let mut row = Self::default();
        for route in routes {
            row.push_on_lanes(route);
        }
        row
    }

    /// The lanes of all steps, those at the end left out that are 0 because nobody said otherwise.
    pub(super) fn lanes(&self) -> &[Lane] {
        &self.lanes
    }
}

impl<R: IntoIterator<Item = PortNumber>> FromIterator<R> for RouteRow {
    fn from_iter<I: IntoIterator<Item = R>>(routes: I) -> Self {
        let mut row = Self::default();
        for route in routes {
            row.push(route);
        }
        row
    }
}
