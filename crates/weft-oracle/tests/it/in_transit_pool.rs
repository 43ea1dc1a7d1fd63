//! A pool too small for the traffic through it: everything arrives, each packet once.

use std::collections::BTreeSet;
use weft_fabric::HostId;
use weft_model::{Overflow, WormholeModel};
use weft_oracle::Oracle;
use weft_testing::by_hand::{Listed, MYRINET, fabric, routing, workload};

#[test]
fn both_overflow_rules_deliver_every_packet_once_and_keep_to_the_pool() {
    // Hosts 0 to 3 on switch 0 send through host 4 on switch 1 to hosts 5 and 6 on switch 2, while
    // host 4 sends packets of its own. Ports: hosts first, so switch 0 has its link on port 5,
    // switch 1 host 4 on 1 and its links on 2 and 3.
    let fabric = fabric(&[0, 0, 0, 0, 1, 2, 2], &[[0, 1], [1, 2]]);
    let mut routes: Vec<((u32, u32), &[u8])> = Vec::new();
    for destination in [5, 6] {
        routes.extend((0..4).map(|source| ((source, destination), &[5, 1, 3][..])));
        routes.push(((4, destination), &[3]));
    }
    let routing = routing(&fabric, &routes);
    let packets: Vec<Listed> = (0..200_u32)
        .map(|index| {
            (
                index % 5,
                5 + index % 2,
                u64::from(index % 7) * 40,
                10 + (index * 37) % 400,
            )
        })
        .collect();
    let workload = workload(&fabric, &packets);
    for pool_flits in [420, 600, 2_000] {
        for (overflow, retransmit_after_cycles) in [
            (Overflow::HostMemory { delay_cycles: 0 }, 0),
            (Overflow::HostMemory { delay_cycles: 500 }, 0),
            (Overflow::Drop, 0),
            (Overflow::Drop, 777),
        ] {
            let model = WormholeModel {
                pool_flits,
                overflow,
                retransmit_after_cycles,
                ..MYRINET
            };
            let mut oracle = Oracle::new(&fabric, &routing, &model, &workload).unwrap();
            let mut delivered = Vec::new();
            oracle.advance(400_000, &mut delivered);
            let once: BTreeSet<_> = delivered.iter().map(|r| (r.source, r.sequence)).collect();
            assert_eq!((delivered.len(), once.len()), (200, 200), "{overflow:?}");
            assert_eq!(oracle.packets_under_way(), 0);
            let pool = oracle.pool_use(HostId::new(4));
            assert!(pool.max_flits <= pool_flits, "{pool:?}");
            assert!(
                pool.overflows > 0,
                "the pool is meant to be too small: {pool:?}"
            );
            let through = 160
                + if matches!(overflow, Overflow::Drop) {
                    pool.overflows
                } else {
                    0
                };
            assert_eq!(pool.packets + pool.overflows, through, "{overflow:?}");
        }
    }
}
