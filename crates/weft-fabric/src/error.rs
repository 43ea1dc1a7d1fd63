//! What can be wrong with a fabric.

use weft_registry::RegistryError;

/// A fabric could not be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FabricError {
    /// Two nodes have the same name.
    #[error("two nodes are named “{name}”; names must be unique")]
    DuplicateName {
        /// The name given twice.
        name: String,
    },
    /// A node has no name.
    #[error("a node has an empty name; give it one")]
    EmptyName,
    /// A grid has not as many places as there are switches.
    #[error(
        "the layout is a grid of extents {extents:?}, but there are {switches} switches; the \
         product of the extents must be the number of switches"
    )]
    LayoutMismatch {
        /// The grid's extents.
        extents: Vec<u32>,
        /// Switches in the fabric.
        switches: usize,
    },
    /// A port number lies outside the node's ports.
    #[error("port {port} of “{node}” does not exist; it has ports 1 to {port_count}")]
    PortOutOfRange {
        /// The node's name.
        node: String,
        /// The port asked for.
        port: u8,
        /// Ports the node has.
        port_count: u8,
    },
    /// A port was wired twice.
    #[error("port {port} of “{node}” is used twice: by {first} and by {second}")]
    PortUsedTwice {
        /// The node's name.
        node: String,
        /// The port.
        port: u8,
        /// The link that holds the port.
        first: String,
        /// The link that wants it too.
        second: String,
    },
    /// A host was given a second link.
    #[error(
        "host “{host}” has two links, to “{first}” and to “{second}”; a host is one NIC port with \
         exactly one link (enter a NIC with two ports as two hosts)"
    )]
    HostLinkedTwice {
        /// The host's name.
        host: String,
        /// The switch it hangs on.
        first: String,
        /// The switch of the second link.
        second: String,
    },
    /// A host has no link.
    #[error("host “{host}” has no link; a host needs exactly one, to a switch")]
    HostWithoutLink {
        /// The host's name.
        host: String,
    },
    /// A link joins two hosts.
    #[error("a link joins the hosts “{first}” and “{second}”; a host's link must lead to a switch")]
    HostToHost {
        /// One host's name.
        first: String,
        /// The other's.
        second: String,
    },
    /// There is no switch.
    #[error("the fabric has no switch; at least one is needed")]
    NoSwitch,
    /// More parts than can be numbered or generated.
    #[error("the fabric has too many {what}; at most {limit} are possible")]
    TooLarge {
        /// Which parts.
        what: &'static str,
        /// The most there can be.
        limit: u64,
    },
    /// A generator's parameter is out of range.
    #[error("{parameter} is {found}; expected {expected}")]
    InvalidParameter {
        /// The parameter's name.
        parameter: &'static str,
        /// The value given.
        found: String,
        /// What would be valid.
        expected: String,
    },
    /// Switches would need more ports than one can have.
    #[error(
        "a switch would need {needed} ports; at most {limit} are possible, so choose smaller \
         parameters"
    )]
    TooManyPorts {
        /// Ports the largest switch would need.
        needed: u64,
        /// The most there can be.
        limit: u8,
    },
    /// There is no such topology, or it cannot have such parameters.
    #[error(transparent)]
    Parameters(#[from] RegistryError),
    /// A random generator drew too often without success.
    #[error("no {what} came up in {draws} draws; try another seed or more ports per switch")]
    NotFound {
        /// What was looked for.
        what: &'static str,
        /// How many were drawn.
        draws: u32,
    },
}
