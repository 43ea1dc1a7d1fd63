//! What can be wrong with what is to be verified.

use weft_fabric::Fabric;
use weft_routing::{AdaptiveRoutes, GroupTables, Routes};

/// The routes cannot be verified.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages tell what fields are")]
pub enum ProofError {
    /// The routes are between more or fewer endpoints than the fabric has.
    #[error(
        "the routes are between {found} {what}, but fabric “{fabric}” has {expected}; verify them \
         with the fabric they were made for"
    )]
    AnotherFabric {
        fabric: String,
        what: &'static str,
        found: usize,
        expected: usize,
    },
}

impl ProofError {
    /// Makes sure that routes are between as many “switches” or “hosts” as a fabric has.
    fn unless_made_for(
        fabric: &Fabric,
        what: &'static str,
        found: usize,
        expected: usize,
    ) -> Result<(), Self> {
        if found == expected {
            return Ok(());
        }
        Err(Self::AnotherFabric {
            fabric: fabric.name().to_owned(),
            what,
            found,
            expected,
        })
    }

    /// Makes sure that routes are between as many endpoints as a fabric has.
    pub(crate) fn unless_routes_of(fabric: &Fabric, routes: &Routes) -> Result<(), Self> {
        let granularity = routes.granularity();
        let expected = granularity.endpoint_count(fabric);
        let found = routes.endpoint_count();
        Self::unless_made_for(fabric, granularity.endpoints_word(), found, expected)
    }

    /// Makes sure that routes are between as many switches as a fabric has.
    pub(crate) fn unless_choices_of(fabric: &Fabric, routes: &AdaptiveRoutes) -> Result<(), Self> {
        if let AdaptiveRoutes::Groups(tables) = routes {
            return Self::unless_groups_of(fabric, tables);
        }
        let (found, expected) = (routes.switch_count(), fabric.switch_count());
        Self::unless_made_for(fabric, "switches", found, expected)
    }

    /// Makes sure that tables of groups are for as many switches and hosts as there are.
    pub(crate) fn unless_groups_of(fabric: &Fabric, tables: &GroupTables) -> Result<(), Self> {
        let (found, expected) = (tables.switch_count(), fabric.switch_count());
        Self::unless_made_for(fabric, "switches", found, expected)?;
        let (found, expected) = (tables.host_count(), fabric.host_count());
        Self::unless_made_for(fabric, "hosts", found, expected)
    }
}

/// A certificate does not hold for the routes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages tell what fields are")]
pub enum CertificateError {
    /// The certificate has fewer lanes than the routes use.
    #[error("the certificate ranks {found} lanes of each channel, but the routes use {expected}")]
    TooFewLanes { found: u8, expected: u8 },
    /// The certificate ranks more or fewer channels than there are.
    #[error(
        "the certificate has {found} ranks, {lanes} to a channel, but fabric “{fabric}” has {expected} \
         channels"
    )]
    WrongChannelCount {
        fabric: String,
        found: usize,
        lanes: u8,
        expected: usize,
    },
    /// The routes are not of this fabric.
    #[error(transparent)]
    Routes(#[from] ProofError),
    /// A route does not lead where it should.
    #[error("the route {source_host} → {destination_host} does not lead to its destination")]
    NotReached {
        source_host: String,
        destination_host: String,
    },
    /// A route goes on to a channel of the same or a lower rank.
    #[error(
        "the route {source_host} → {destination_host} does not ascend: it holds {held} of rank \
         {held_rank} and wants {wanted} of rank {wanted_rank}"
    )]
    NotAscending {
        source_host: String,
        destination_host: String,
        held: String,
        held_rank: u32,
        wanted: String,
        wanted_rank: u32,
    },
}
