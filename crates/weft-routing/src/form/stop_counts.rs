//! In-transit stops of every route, counted in the walk that finds out whether routes lead where they
//! should.

use crate::form::port_targets::PortTargets;
use crate::form::{ForwardingError, MappedRoutes, PairGranularity, PairNames, SourceRoutes};
use rayon::prelude::*;
use weft_fabric::{Fabric, HostId};

/// The in-transit stops of every route.
///
/// # Memory
/// Two bits per pair of endpoints, or as many more as the most stops of a source need; none where no
/// route of a source has any.
#[derive(Clone, Debug)]
pub struct StopCounts {
    /// By source; empty when no route has any.
    rows: Vec<Row>,
}

/// The stops of the routes of a source.
#[derive(Clone, Debug, Default)]
struct Row {
    /// As many to a byte as fit; empty when all are 0.
    counts: Box<[u8]>,
    /// Bits of a count, which divide 8.
    bits: usize,
}

impl Row {
    fn of(counts: &[u8]) -> Self {
        let bits = match counts.iter().max() {
            None | Some(0) => return Self::default(),
            Some(..4) => 2,
            Some(..16) => 4,
            Some(16..) => 8,
        };
        let packed = counts.chunks(8 / bits).map(|several| {
            let shifted = several.iter().zip((0..8).step_by(bits));
            shifted.fold(0, |byte, (&count, shift)| byte | count << shift)
        });
        Self {
            counts: packed.collect(),
            bits,
        }
    }

    #[inline]
    fn get(&self, destination_index: usize) -> u8 {
        let place = destination_index * self.bits;
        let byte = self.counts.get(place / 8).copied().unwrap_or(0);
        (byte >> (place % 8)) & (u8::MAX >> (8 - self.bits).min(7))
    }
}

impl StopCounts {
    /// Walks every route, on all processors, and counts its stops.
    ///
    /// # Errors
    /// [`ForwardingError`] names the first route that is used and does not lead where it should.
    pub fn of(fabric: &Fabric, routes: &SourceRoutes) -> Result<Self, ForwardingError> {
        Self::among(fabric, routes, |_| true)
    }

    /// The same of the routes between the hosts that a mapper has found.
    ///
    /// # Errors
    /// The same.
    pub fn of_mapped(fabric: &Fabric, mapped: &MappedRoutes) -> Result<Self, ForwardingError> {
        Self::among(fabric, mapped.routes(), |host| mapped.finds(host))
    }

    /// Walks every route between hosts that are found.
    fn among(
        fabric: &Fabric,
        routes: &SourceRoutes,
        is_found: impl Fn(HostId) -> bool + Sync,
    ) -> Result<Self, ForwardingError> {
        let granularity = routes.granularity();
        let endpoint_count = routes.endpoint_count();
        let expected = granularity.endpoint_count(fabric);
        ForwardingError::unless_made_for(granularity.endpoints_word(), endpoint_count, expected)?;
        if routes.lead_by_rule(fabric) {
            return Ok(Self { rows: Vec::new() });
        }
        routes.find_all();
        let switch = |index| granularity.endpoint_switch(fabric, index);
        let hosts = |index| match granularity {
            PairGranularity::Host => usize::from(is_found(HostId::from_index(index))),
            PairGranularity::Switch => {
                let hosts = fabric.hosts_of(switch(index)).iter();
                hosts.filter(|&&host| is_found(host)).count()
            }
        };
        // Nothing travels without hosts, or from a host to itself.
        let is_used = |[source, destination]: [usize; 2]| {
            hosts(source) > usize::from(source == destination) && hosts(destination) > 0
        };
        let targets = PortTargets::new(fabric);
        let row_of = |source| {
            let from = switch(source).index();
            let mut counts = vec![0; endpoint_count];
            for (destination, count) in counts.iter_mut().enumerate() {
                let steps = routes.steps_between(source, destination);
                let ends = [from, switch(destination).index()];
                let length = steps.len();
                let stops = targets.stops(ends, steps);
                match stops.filter(|_| length < usize::from(u16::MAX)) {
                    Some(stops) => *count = stops,
                    None if is_used([source, destination]) => return Err([source, destination]),
                    None => {}
                }
            }
            Ok(Row::of(&counts))
        };
        let rows: Vec<_> = (0..endpoint_count).into_par_iter().map(row_of).collect();
        let broken = |pair| ForwardingError::BrokenRoute(PairNames::of(fabric, granularity, pair));
        let rows: Result<Vec<_>, _> = rows.into_iter().collect();
        let mut rows = rows.map_err(broken)?;
        if rows.iter().all(|row| row.counts.is_empty()) {
            rows = Vec::new();
        }
        Ok(Self { rows })
    }

    /// Whether any route has one.
    pub fn are_any(&self) -> bool {
        !self.rows.is_empty()
    }

    /// The stops between two endpoints, given by their offsets.
    #[inline]
    pub fn between(&self, source_index: usize, destination_index: usize) -> u8 {
        let row = self.rows.get(source_index);
        row.map_or(0, |row| row.get(destination_index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_any_size_are_packed_and_found_again() {
        for (most, bits) in [(0, 0), (1, 2), (3, 2), (4, 4), (15, 4), (16, 8), (255, 8)] {
            for length in 0..20 {
                let count = |place: u8| place.wrapping_mul(7).min(most);
                let counts: Vec<u8> = (0..length).map(count).chain([most]).collect();
                let row = Row::of(&counts);
                let found: Vec<u8> = (0..counts.len()).map(|place| row.get(place)).collect();
                assert_eq!(found, counts);
                assert_eq!(row.counts.len(), (counts.len() * bits).div_ceil(8));
            }
        }
    }
}
