//! What tells the nodes of a fabric apart but their names: the ports around them.
//!
//! Colour refinement (Weisfeiler, Leman 1968) of ports: a node's colour is that of the nodes its cables
//! lead to, by its own port and theirs.

use super::numbered::Side;
use crate::fingerprint::Hash;
use std::collections::BTreeSet;

/// The colours of all nodes after some rounds; those of no round are kinds of nodes.
pub(super) fn colours(side: &Side<'_>, rounds: usize) -> Vec<u64> {
    let mut colours: Vec<u64> = (0..side.count())
        .map(|node| {
            let mut hash = Hash::new();
            hash.number(u64::from(side.is_switch(node)));
            hash.0
        })
        .collect();
    for _ in 0..rounds {
        colours = refined(side, &colours);
    }
    colours
}

fn refined(side: &Side<'_>, colours: &[u64]) -> Vec<u64> {
    let refine = |(node, ports): (usize, &std::collections::BTreeMap<u8, (usize, u8)>)| {
        let mut hash = Hash::new();
        hash.number(colours[node]);
        for (&port, &(far, far_port)) in ports {
            // The number of a host's own port is the adapter's affair.
            let [port, far_port] = [(node, port), (far, far_port)]
                .map(|(node, port)| if side.is_switch(node) { port } else { 1 });
            hash.number(port.into());
            hash.number(far_port.into());
            hash.number(colours[far]);
        }
        hash.0
    };
    side.far.iter().enumerate().map(refine).collect()
}

/// A number that tells wirings apart, whatever names and whatever order the nodes have.
pub(super) fn wiring(side: &Side<'_>) -> u64 {
    let count = |colours: &[u64]| colours.iter().collect::<BTreeSet<_>>().len();
    let mut found = colours(side, 1);
    let mut distinct = count(&found);
    loop {
        found = refined(side, &found);
        let now = count(&found);
        if now == distinct {
            break;
        }
        distinct = now;
    }
    found.sort_unstable();
    let mut hash = Hash::new();
    hash.text("weft-wiring 1");
    for colour in found {
        hash.number(colour);
    }
    hash.0
}
