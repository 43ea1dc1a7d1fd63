//! What hosts send one another: small amounts beside large ones.

use weft::HostDemand;
use weft::fabric::{HostId, generate};
use weft::routing::algorithms;

/// One cable carries all that is sent from one switch to the other: what no routing is below is what there is, to a part of
/// each pair.
#[test]
fn small_amounts_count_as_they_are_beside_large_ones() {
    let fabric = generate::mesh(2, 1, 4).unwrap();
    let routing = algorithms::route_spec(&fabric, "updown").unwrap();
    let large = 3e9;
    let near = [(0, 1, large), (0, 4, 1.0), (1, 5, 2.5)];
    let far = [(0, 4, large), (1, 5, 1.0), (2, 5, 2.0), (3, 5, 1.3)];
    for (amounts, over_cable, most) in [
        (&near[..], 3.5, large + 1.0),
        (&far[..], large + 4.3, large),
    ] {
        let host = HostId::from_index;
        let told = amounts
            .iter()
            .map(|&(from, to, amount)| (host(from), host(to), amount));
        let demand = HostDemand::of_amounts(&fabric, told).unwrap();
        let gap = demand.gap(&fabric, &routing).unwrap();
        let expected = over_cable / most;
        assert!((gap.largest_load / expected - 1.0).abs() < 1e-12, "{gap:?}");
        let parts = gap.bound / expected;
        assert!(
            (1.0 - 4.0 / 65_535.0..1.0 + 1e-12).contains(&parts),
            "{gap:?}"
        );
    }
}
