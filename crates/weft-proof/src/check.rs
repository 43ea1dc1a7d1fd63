//! The check of a certificate: one pass over the routes, on its own.
//!
//! It uses nothing of the verifier but the types of its errors, so that an error in the one is not
//! repeated in the other.

use crate::certificate::Certificate;
use crate::error::{CertificateError, ProofError};
use weft_fabric::{ChannelId, Fabric, HostId, Node, SwitchId};
use weft_routing::{PairGranularity, RouteHop, SourceRoutes};

/// This checks that every route leads to its destination and ascends the certificate's order
/// between in-transit stops, the channels from and to hosts included.
///
/// # Errors
/// [`CertificateError`] names the first route that does not, and where.
///
/// # Complexity
/// Time in proportion to the steps of all routes.
pub fn check_certificate(
    fabric: &Fabric,
    routes: &SourceRoutes,
    certificate: &Certificate,
) -> Result<(), CertificateError> {
    if certificate.rank.len() != fabric.channel_count() {
        return Err(CertificateError::WrongChannelCount {
            fabric: fabric.name().to_owned(),
            found: certificate.rank.len(),
            expected: fabric.channel_count(),
        });
    }
    let (what, expected) = match routes.granularity() {
        PairGranularity::Switch => ("switches", fabric.switch_count()),
        PairGranularity::Host => ("hosts", fabric.host_count()),
    };
    if routes.endpoint_count() != expected {
        return Err(CertificateError::Routes(ProofError::AnotherFabric {
            fabric: fabric.name().to_owned(),
            what,
            found: routes.endpoint_count(),
            expected,
        }));
    }
    let ascent = Ascent {
        fabric,
        rank: &certificate.rank,
    };
    for source in 0..expected {
        for destination in 0..expected {
            let steps = routes.steps_between(source, destination);
            match routes.granularity() {
                PairGranularity::Host if source == destination => {}
                PairGranularity::Host => {
                    let [from, to] = [source, destination].map(HostId::from_index);
                    ascent.check(&[from], &[to], steps)?;
                }
                PairGranularity::Switch => {
                    let [from, to] = [source, destination]
                        .map(|switch| fabric.hosts_of(SwitchId::from_index(switch)));
                    ascent.check(from, to, steps)?;
                }
            }
        }
    }
    Ok(())
}

struct Ascent<'a> {
    fabric: &'a Fabric,
    rank: &'a [u32],
}

impl Ascent<'_> {
    /// This checks the route that all pairs of the given hosts share.
    fn check(
        &self,
        sources: &[HostId],
        destinations: &[HostId],
        steps: &[weft_fabric::PortNumber],
    ) -> Result<(), CertificateError> {
        let (Some(&source), Some(&destination)) = (sources.first(), destinations.first()) else {
            return Ok(());
        };
        if sources.len() == 1 && sources == destinations {
            return Ok(());
        }
        let mut here = self.fabric.host_switch(source);
        // `None` until the first step, while the packet is still on the source's own channel.
        let mut held: Option<ChannelId> = None;
        for hop in SourceRoutes::resolve(self.fabric, here, steps) {
            let (wanted, next) = match hop {
                None => return Err(self.not_reached(source, destination)),
                Some(RouteHop::Channel(channel)) => (channel, channel),
                Some(RouteHop::InTransit(host)) => (
                    self.fabric.ejection_channel(host),
                    self.fabric.injection_channel(host),
                ),
            };
            match held {
                Some(held) => self.ascend(source, destination, held, wanted)?,
                None => {
                    for &source in sources {
                        let injection = self.fabric.injection_channel(source);
                        self.ascend(source, destination, injection, wanted)?;
                    }
                }
            }
            held = Some(next);
            if let Node::Switch(switch) = self.fabric.target(next).node {
                here = switch;
            }
        }
        if here != self.fabric.host_switch(destination) {
            return Err(self.not_reached(source, destination));
        }
        for &destination in destinations {
            let ejection = self.fabric.ejection_channel(destination);
            match held {
                Some(held) => self.ascend(source, destination, held, ejection)?,
                None => {
                    for &source in sources.iter().filter(|&&source| source != destination) {
                        let injection = self.fabric.injection_channel(source);
                        self.ascend(source, destination, injection, ejection)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn ascend(
        &self,
        source: HostId,
        destination: HostId,
        held: ChannelId,
        wanted: ChannelId,
    ) -> Result<(), CertificateError> {
        let [held_rank, wanted_rank] = [held, wanted].map(|channel| self.rank[channel.index()]);
        if held_rank < wanted_rank {
            return Ok(());
        }
        Err(CertificateError::NotAscending {
            source_host: self.fabric.host(source).name.clone(),
            destination_host: self.fabric.host(destination).name.clone(),
            held: self.fabric.describe_channel(held),
            held_rank,
            wanted: self.fabric.describe_channel(wanted),
            wanted_rank,
        })
    }

    fn not_reached(&self, source: HostId, destination: HostId) -> CertificateError {
        CertificateError::NotReached {
            source_host: self.fabric.host(source).name.clone(),
            destination_host: self.fabric.host(destination).name.clone(),
        }
    }
}
