//! How much longer slow channels take.

use weft_fabric::Fabric;

/// Parts that the time of the fastest channel is counted by.
const PARTS: f64 = 60.0;

/// Times the fastest channel's time that a slower one is taken to need at most.
const MOST_TIMES: f64 = 64.0;

/// Per edge, what a channel takes for a unit of data, in whole parts of which all rates have few; empty where
/// all links have the same rate. Links whose rate is not known are as fast as the fastest.
pub(super) fn slowness_of(fabric: &Fabric) -> Vec<u32> {
    let switches = fabric.switch_ids();
    let hops = switches.flat_map(|switch| fabric.hops(switch));
    let rates: Vec<f64> = hops
        .map(|hop| {
            let rate = fabric.link(hop.channel.link()).cable.rate;
            rate.map_or(f64::INFINITY, weft_fabric::LinkRate::data_gbit_per_s)
        })
        .collect();
    let known = rates.iter().copied().filter(|rate| rate.is_finite());
    let fastest = known.fold(0.0, f64::max);
    let parts = |rate: &f64| whole(PARTS * (fastest / rate.min(fastest)).min(MOST_TIMES));
    let mut slowness: Vec<u32> = rates.iter().map(parts).collect();
    let shared = slowness.iter().fold(0, |one, &other| shared(one, other));
    if slowness.iter().all(|&one| one == shared) {
        return Vec::new();
    }
    for one in &mut slowness {
        *one /= shared;
    }
    slowness
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "from 60 to 60 times 64, or no number where no rate is known, which becomes 0"
)]
fn whole(parts: f64) -> u32 {
    parts.round() as u32
}

/// The largest number that divides both.
fn shared(one: u32, other: u32) -> u32 {
    if other == 0 {
        return one;
    }
    shared(other, one % other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use weft_fabric::{Cable, Endpoint, FabricBuilder, Node, PortNumber, Switch};

    /// A ring of four whose links have these rates, from 0 – 1 on.
    fn ring_of(rates: [Option<&str>; 4]) -> Fabric {
        let mut builder = FabricBuilder::new("ring");
        let names = ["a", "b", "c", "d"];
        let ring = names.map(|name| builder.add_switch(Switch::new(name, 2)).unwrap());
        for (at, rate) in rates.into_iter().enumerate() {
            let end = |at: usize, port| Endpoint {
                node: Node::Switch(ring[at % 4]),
                port: PortNumber::new(port),
            };
            let rate = rate.map(|rate| rate.parse().unwrap());
            let cable = Cable {
                rate,
                ..Cable::default()
            };
            builder.add_link(end(at, 1), end(at + 1, 2), cable).unwrap();
        }
        builder.build().unwrap()
    }

    /// Per link, in the order of its first end's edges.
    fn of_links(rates: [Option<&str>; 4]) -> Vec<u32> {
        let ring = ring_of(rates);
        let slowness = slowness_of(&ring);
        let edges = ring.switch_ids().flat_map(|switch| ring.hops(switch));
        let of_edges: Vec<(usize, u32)> = edges
            .map(|hop| hop.channel.link().index())
            .zip(slowness)
            .collect();
        let of = |link| {
            let of_link = of_edges.iter().filter(move |edge| edge.0 == link);
            let both: Vec<u32> = of_link.map(|edge| edge.1).collect();
            assert!(both.windows(2).all(|pair| pair[0] == pair[1]));
            both.first().copied()
        };
        (0..4).filter_map(of).collect()
    }

    #[test]
    fn channels_take_longer_as_their_links_are_slower() {
        let [edr, hdr] = [Some("4xEDR"), Some("4xHDR")];
        assert_eq!(of_links([hdr, edr, hdr, hdr]), [1, 2, 1, 1]);
        assert_eq!(of_links([hdr, edr, Some("1xHDR"), None]), [1, 2, 4, 1]);
        // 100 and 54.54 Gbit/s: 60 and 110 parts.
        assert_eq!(of_links([edr, Some("4xFDR"), edr, edr]), [6, 11, 6, 6]);
        // 400 times as slow counts 64 times.
        assert_eq!(
            of_links([Some("4xXDR"), Some("1xSDR"), None, None]),
            [1, 64, 1, 1]
        );
    }

    #[test]
    fn links_of_one_rate_take_no_longer() {
        assert!(of_links([None; 4]).is_empty());
        assert!(of_links([Some("4xNDR"); 4]).is_empty());
        assert!(of_links([Some("4xNDR"), None, None, Some("4xNDR")]).is_empty());
    }
}
