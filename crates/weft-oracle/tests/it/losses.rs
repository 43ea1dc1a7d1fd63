//! However packets are lost, every one arrives in the end, once, and every loss is told.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use weft_model::{LossCause, WormholeModel};
use weft_oracle::Oracle;
use weft_testing::by_hand::{Listed, MYRINET, fabric, routing, workload};

#[test]
fn lost_packets_are_told_and_arrive_in_the_end_each_once() {
    // A ring whose packets all go two links clockwise: without timeouts they would soon hold one
    // another for ever.
    let fabric = fabric(&[0, 1, 2], &[[0, 1], [1, 2], [2, 0]]);
    let clockwise: [((u32, u32), &[u8]); 3] =
        [((0, 2), &[2, 3]), ((1, 0), &[3, 3]), ((2, 1), &[3, 2])];
    let routing = routing(&fabric, &clockwise);
    let packets: Vec<Listed> = (0..90)
        .map(|index| (index % 3, (index + 2) % 3, 0, 10 + (index * 37) % 600))
        .collect();
    let workload = workload(&fabric, &packets);
    let model = WormholeModel {
        timeout_cycles: NonZeroU32::new(2_000),
        bit_error_rate: 1e-5,
        ..MYRINET
    };
    let mut oracle = Oracle::new(&fabric, &routing, &model, &workload).unwrap();
    let mut delivered = Vec::new();
    oracle.advance(400_000, &mut delivered);
    let once: BTreeSet<_> = delivered.iter().map(|r| (r.source, r.sequence)).collect();
    assert_eq!((delivered.len(), once.len()), (90, 90));
    assert_eq!(oracle.packets_under_way(), 0);
    let losses = oracle.take_losses();
    for cause in [LossCause::Timeout, LossCause::Damage] {
        assert!(losses.iter().any(|loss| loss.cause == cause), "{cause:?}");
    }
    assert!(losses.is_sorted_by_key(|loss| loss.cycle));
    assert_eq!(oracle.take_losses(), []);
}
