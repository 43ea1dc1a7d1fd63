//! The check of a certificate: one pass over the routes, on its own.
//!
//! It uses nothing of the verifier but the types of its errors, so that an error in the one is not
//! repeated in the other.

use crate::certificate::Certificate;
use crate::error::{CertificateError, ProofError};
use crate::{check_by_address, check_listed};
use rayon::prelude::*;
use weft_fabric::{ChannelId, Fabric, HostId};
use weft_routing::{Lane, RouteHop, Routes, SharedRoute};

/// Checks that every route leads to its destination and ascends the certificate's order
/// between in-transit stops, the channels from and to hosts included.
///
/// # Errors
/// [`CertificateError`] names the first route that does not, and where.
///
/// # Complexity
/// Time in proportion to the steps of all routes, on all cores; of tables, to those of a route from each
/// switch to each address.
pub fn check_certificate(
    fabric: &Fabric,
    routes: &Routes,
    certificate: &Certificate,
) -> Result<(), CertificateError> {
    check_shape(fabric, routes.lane_count(), certificate)?;
    ProofError::unless_routes_of(fabric, routes)?;
    let ascent = Ascent {
        fabric,
        certificate,
    };
    let all_ascend = match routes {
        Routes::Source(listed) => check_listed::all_ascend(fabric, certificate, routes, listed),
        Routes::Tables(tables) => {
            tables.lane_tables().is_none()
                && check_by_address::all_ascend(fabric, certificate, routes, tables)
        }
    };
    if all_ascend {
        return Ok(());
    }
    let shared = routes.by_groups(fabric);
    let sources = (0..shared.sources().len()).into_par_iter();
    let first = sources.find_map_first(|from| {
        let mut routes_from = shared.from(from);
        routes_from.find_map(|route| ascent.check(routes, &route).err())
    });
    first.map_or(Ok(()), Err)
}

/// Makes sure that a certificate ranks every lane of every channel.
pub(crate) fn check_shape(
    fabric: &Fabric,
    lanes: u8,
    certificate: &Certificate,
) -> Result<(), CertificateError> {
    let channels = fabric.channel_count();
    if certificate.lane_count < lanes {
        return Err(CertificateError::TooFewLanes {
            found: certificate.lane_count,
            expected: lanes,
        });
    }
    if certificate.rank.len() != channels * usize::from(certificate.lane_count) {
        return Err(CertificateError::WrongChannelCount {
            fabric: fabric.name().to_owned(),
            found: certificate.rank.len(),
            lanes: certificate.lane_count,
            expected: channels,
        });
    }
    Ok(())
}

pub(crate) type Place = (ChannelId, Lane);

/// What it takes to compare ranks, and to tell of those that do not ascend.
pub(crate) struct Ascent<'a> {
    pub(crate) fabric: &'a Fabric,
    pub(crate) certificate: &'a Certificate,
}

impl Ascent<'_> {
    /// Checks a route for all hosts that share it.
    fn check(&self, routes: &Routes, shared: &SharedRoute<'_>) -> Result<(), CertificateError> {
        let (sources, destinations) = (shared.sources, shared.destinations);
        let pair = (sources[0], destinations[0]);
        let mut walk = routes.walk_shared(self.fabric, shared);
        let Some(mut lane) = walk.lane() else {
            return Err(self.not_reached(pair.0, pair.1));
        };
        // `None` until the first step, while the packet is still on the source's own channel.
        let mut held: Option<ChannelId> = None;
        let mut injected = false;
        for step in walk.by_ref() {
            let (wanted, next) = match step.hop {
                Err(_) => return Err(self.not_reached(pair.0, pair.1)),
                Ok(RouteHop::Channel(channel)) => (channel, channel),
                Ok(RouteHop::InTransit(host)) => (
                    self.fabric.ejection_channel(host),
                    self.fabric.injection_channel(host),
                ),
            };
            let wanted = (wanted, step.lane);
            match held {
                Some(held) => {
                    let held_lane = if injected { step.lane } else { lane };
                    self.ascend(pair, (held, held_lane), wanted)?;
                }
                None => {
                    for &source in sources {
                        let injection = self.fabric.injection_channel(source);
                        self.ascend(pair, (injection, lane), wanted)?;
                    }
                }
            }
            injected = matches!(step.hop, Ok(RouteHop::InTransit(_)));
            (held, lane) = (Some(next), step.lane);
        }
        if walk.switch() != self.fabric.host_switch(pair.1) {
            return Err(self.not_reached(pair.0, pair.1));
        }
        for &destination in destinations {
            let port = self.fabric.host_port(destination);
            let Some(last_lane) = walk.ejection_lane(port) else {
                return Err(self.not_reached(pair.0, destination));
            };
            let ejection = (self.fabric.ejection_channel(destination), last_lane);
            match held {
                Some(held) => self.ascend((pair.0, destination), (held, lane), ejection)?,
                None => {
                    for &source in sources.iter().filter(|&&source| source != destination) {
                        let injection = (self.fabric.injection_channel(source), lane);
                        self.ascend((source, destination), injection, ejection)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Makes sure that what a packet wants is ranked higher than what it holds.
    pub(crate) fn ascend(
        &self,
        (source, destination): (HostId, HostId),
        held: Place,
        wanted: Place,
    ) -> Result<(), CertificateError> {
        let rank = |place: Place| {
            let Some(rank) = self.certificate.rank(place.0, place.1) else {
                unreachable!("the certificate was made sure to rank every lane");
            };
            rank
        };
        let [held_rank, wanted_rank] = [held, wanted].map(rank);
        if held_rank < wanted_rank {
            return Ok(());
        }
        let describe = |(channel, lane): Place| {
            let name = self.fabric.describe_channel(channel);
            match self.certificate.lane_count {
                1 => name,
                _ => format!("{name} on lane {lane}"),
            }
        };
        Err(CertificateError::NotAscending {
            source_host: self.fabric.host(source).name.clone(),
            destination_host: self.fabric.host(destination).name.clone(),
            held: describe(held),
            held_rank,
            wanted: describe(wanted),
            wanted_rank,
        })
    }

    /// Tells that packets do not arrive.
    pub(crate) fn not_reached(&self, source: HostId, destination: HostId) -> CertificateError {
        CertificateError::NotReached {
            source_host: self.fabric.host(source).name.clone(),
            destination_host: self.fabric.host(destination).name.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop at what cannot happen")]

    use super::Ascent;
    use crate::check_by_address;
    use crate::verdict::Verdict;
    use crate::verify::verify;
    use proptest::prelude::*;
    use weft_fabric::generate::k_ary_n_tree;
    use weft_fabric::{PortNumber, SwitchId};
    use weft_routing::Routes;
    use weft_testing::{cases, route_spec};

    proptest! {
        #![proptest_config(cases(24))]

        /// 125 hosts, more than are followed together, with a few entries and ranks changed.
        #[test]
        fn tables_are_checked_at_once_as_one_by_one(
            entries in proptest::collection::vec((0_usize..75, 0_usize..125, 0_u8..14), 0..3),
            ranks in proptest::collection::vec(any::<[proptest::sample::Index; 2]>(), 0..3),
        ) {
            let fabric = k_ary_n_tree(5, 3).unwrap();
            let routes = route_spec(&fabric, "d_mod_k").unwrap().routes;
            let Verdict::DeadlockFree(mut certificate) = verify(&fabric, &routes).unwrap().verdict else {
                panic!("up and then down");
            };
            let Routes::Tables(mut tables) = routes else {
                panic!("by tables");
            };
            for (switch, address, port) in entries {
                tables.set_next_port(SwitchId::from_index(switch), address, PortNumber::new(port));
            }
            for [place, other] in ranks {
                let count = certificate.rank.len();
                certificate.rank[place.index(count)] = certificate.rank[other.index(count)];
            }
            let routes = Routes::from(tables);
            let ascent = Ascent { fabric: &fabric, certificate: &certificate };
            let holds = routes.shared(&fabric).all(|route| ascent.check(&routes, &route).is_ok());
            let Routes::Tables(tables) = &routes else {
                panic!("by tables");
            };
            let at_once = check_by_address::all_ascend(&fabric, &certificate, &routes, tables);
            prop_assert_eq!(at_once, holds);
        }
    }
}
