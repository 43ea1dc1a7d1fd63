//! Ports for ends of links that the file names none for.
//!
//! As in a generated fabric, hosts come first: links of hosts in their order, then the others, each
//! take the lowest port still free at the switch. Ports that the file names are never given out. A
//! host's own port is number 1.

use super::attributes::Kind;
use crate::{Cable, PortNumber};

/// A link between nodes by their place in the graph.
pub(super) struct Link {
    pub(super) ends: [LinkEnd; 2],
    pub(super) cable: Cable,
    pub(super) number: Option<u64>,
}

/// One end of a link.
pub(super) struct LinkEnd {
    pub(super) node: usize,
    pub(super) port: Option<PortNumber>,
    pub(super) offset: usize,
}

/// Ports of one node.
#[derive(Clone, Default)]
struct Taken {
    named: Vec<u8>,
    last_given: u8,
}

/// Fills in the ports that are missing; nodes are numbered as in `kinds`.
///
/// Shapes: the result has one entry per node, the highest port in use or 1 where none is.
pub(super) fn complete(kinds: &[Kind], links: &mut [Link]) -> Result<Vec<u8>, usize> {
    let mut taken = vec![Taken::default(); kinds.len()];
    for end in links.iter().flat_map(|link| &link.ends) {
        if let Some(port) = end.port {
            taken[end.node].named.push(port.number());
        }
    }
    let is_host = |node: usize| kinds[node] == Kind::Host;
    for hosts_turn in [true, false] {
        let turn = links
            .iter_mut()
            .filter(|link| link.ends.iter().any(|end| is_host(end.node)) == hosts_turn);
        for end in turn.flat_map(|link| &mut link.ends) {
            if end.port.is_some() {
                continue;
            }
            let Taken { named, last_given } = &mut taken[end.node];
            let mut free = (*last_given + 1..=PortNumber::MAX).filter(|port| !named.contains(port));
            let port = if is_host(end.node) {
                Some(1)
            } else {
                free.next()
            };
            *last_given = port.ok_or(end.offset)?;
            end.port = Some(PortNumber::new(*last_given));
        }
    }
    let highest = |taken: &Taken| {
        let named = taken.named.iter().copied().max().unwrap_or(1);
        named.max(taken.last_given)
    };
    Ok(taken.iter().map(highest).collect())
}
